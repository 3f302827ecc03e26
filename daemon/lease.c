/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "daemon/lease.h"
#include "daemon/machine/audit.h"

bool connection_is_alive(const struct connection *connection)
{
	struct pollfd p = {.fd = connection->pidfd, .events = POLLIN};

	return connection->pidfd < 0 || !poll(&p, 1, 0);
}

static prs_u32 index_of(const struct service *service, const struct policy *policy)
{
	return (prs_u32)(policy - service->frequency->policy);
}

/* The policies that a set of cpus touches, each once. */
#define lease_for_each_policy(POLICY, SERVICE, CPUS)                                                         \
	cpus_for_each(policy_cpu,                                                                            \
		      CPUS) for (struct policy *POLICY = frequency_policy((SERVICE)->frequency, policy_cpu); \
				 POLICY && (POLICY)->cpu == policy_cpu; POLICY = NULL)

struct lease *lease_find(struct service *service, const struct connection *connection, prs_u32 id)
{
	for (prs_u32 i = 0; id && i < LEASES_MAX; i++) {
		if (service->lease[i].id == id)
			return !connection || service->lease[i].owner == connection ? &service->lease[i]
										    : NULL;
	}
	return NULL;
}

static struct lease *at_index(struct service *service, prs_u16 index)
{
	return index ? &service->lease[index - 1] : NULL;
}

struct lease *lease_of_policy(struct service *service, const struct policy *policy)
{
	return at_index(service, service->policy_lease[index_of(service, policy)]);
}

struct lease *lease_of_core(struct service *service, prs_u32 cpu)
{
	return at_index(service, service->core_lease[cpu]);
}

struct lease *lease_in_the_way(struct service *service, const struct cpus *cpus, prs_u32 flags, uid_t uid,
			       prs_u32 *cpu)
{
	cpus_for_each(c, cpus)
	{
		struct policy *policy = frequency_policy(service->frequency, c);
		struct lease *of_policy = policy ? lease_of_policy(service, policy) : NULL;
		struct lease *of_core = lease_of_core(service, c);

		*cpu = c;
		if (of_policy && (flags & PRS_CTL_FREQUENCY || of_policy->uid != uid))
			return of_policy;
		if (of_core && (flags & PRS_CTL_RESERVE || of_core->uid != uid))
			return of_core;
	}
	return NULL;
}

struct range lease_narrow(const struct policy *policy, struct range range)
{
	struct range limit = policy->limit;

	if (range.min > limit.min)
		limit.min = range.min;
	if (range.max && range.max < limit.max)
		limit.max = range.max;
	return limit;
}

/* One line, however many policies it has. */
static void audit_lease(const struct lease *lease)
{
	char list[CPUS_TEXT], plan[AUDIT_PLAN_TEXT];

	cpus_print(&lease->cpus, list, sizeof(list));
	audit("change=leased cpus=%.1500s frequency=%s min=%u max=%u cores=%s lease=%u pid=%d uid=%u "
	      "person=%u "
	      "plan=%s",
	      list, lease->flags & PRS_CTL_FREQUENCY ? "yes" : "no", lease->range.min, lease->range.max,
	      lease->flags & PRS_CTL_RESERVE ? "yes" : "no", lease->id, (int)lease->pid,
	      (unsigned int)lease->uid, (unsigned int)lease->person, audit_plan(lease->plan, plan));
}

/* One line for each SET, as many as its person may have; how many had none is said at the end. */
static void audit_set(struct lease *lease, const struct policy *policy, struct range range)
{
	struct connection *owner = lease->owner;

	lease->sets++;
	if (!owner->is_root && !account_take_line(owner->account)) {
		lease->unsaid++;
		return;
	}
	audit("change=set policy=%u min=%u max=%u lease=%u pid=%d uid=%u", policy->cpu, range.min, range.max,
	      lease->id, (int)lease->pid, (unsigned int)lease->uid);
}

/* How many were put back; each by itself is not spoken of. */
static prs_u32 release_policies(struct service *service, const struct lease *lease)
{
	prs_u16 own = (prs_u16)(lease - service->lease + 1);
	prs_u32 n = 0;

	if (!(lease->flags & PRS_CTL_FREQUENCY))
		return 0;
	service->frequency->is_quiet = true;
	lease_for_each_policy(policy, service, &lease->cpus)
	{
		prs_u16 *owner = &service->policy_lease[index_of(service, policy)];

		if (*owner != own)
			continue;
		if (service->frequency->ops->release(service->frequency, policy))
			service->has_leftovers = true;
		else
			n++;
		*owner = 0;
	}
	service->frequency->is_quiet = false;
	return n;
}

static int hold_policies(struct service *service, const struct lease *lease, prs_u32 *cpu)
{
	lease_for_each_policy(policy, service, &lease->cpus)
	{
		struct range range = lease_narrow(policy, lease->range);
		int error;

		service->policy_lease[index_of(service, policy)] = (prs_u16)(lease - service->lease + 1);
		error = service->frequency->ops->hold(service->frequency, policy, range);
		if (error) {
			*cpu = policy->cpu;
			return error;
		}
	}
	return 0;
}

static void release_cores(struct service *service, const struct lease *lease)
{
	cpus_for_each(cpu, &lease->cpus)
	{
		service->core_lease[cpu] = 0;
	}
	cores_give_back(service->cores, lease->slot);
	if (service->cores->journal[lease->slot].used == SLOT_LEFT)
		service->has_leftovers = true;
}

/*
 * The process is named by its number, which is another's once it has ended and been waited for.  Its pidfd
 * says that it lives before and after it was moved: in between the number was its own.
 */
static int take_cores(struct service *service, const struct connection *connection, struct lease *lease)
{
	int slot;

	if (!connection_is_alive(connection))
		return -ESRCH;
	slot = cores_take(service->cores, &lease->cpus, lease->flags & PRS_CTL_BALANCED, lease->pid);
	if (slot < 0)
		return slot;
	lease->slot = (prs_u32)slot;
	if (!connection_is_alive(connection)) {
		cores_give_back(service->cores, lease->slot);
		return -ESRCH;
	}
	cpus_for_each(cpu, &lease->cpus)
	{
		service->core_lease[cpu] = (prs_u16)(lease - service->lease + 1);
	}
	return 0;
}

static struct lease *free_lease(struct service *service)
{
	for (prs_u32 i = 0; i < LEASES_MAX; i++) {
		if (!service->lease[i].id)
			return &service->lease[i];
	}
	return NULL;
}

void lease_restart(struct service *service, struct lease *lease)
{
	lease->ends_ms = lease->ttl_ms ? service->now_ms + lease->ttl_ms : lease->last_ms;
	if (lease->last_ms && lease->ends_ms > lease->last_ms)
		lease->ends_ms = lease->last_ms;
	if (lease->ends_ms && (!service->next_ms || lease->ends_ms < service->next_ms))
		service->next_ms = lease->ends_ms;
}

/* All groups but one are what a person can have at once, so that root never finds them all taken by one. */
static bool has_his_groups(const struct service *service, const struct connection *connection)
{
	prs_u32 n = 0;

	for (prs_u32 i = 0; i < LEASES_MAX; i++)
		n += service->lease[i].id && service->lease[i].flags & PRS_CTL_RESERVE &&
		     service->lease[i].person == connection->account->person;
	return !connection->is_root && n + 1 >= service->cores->n && n;
}

static prs_u32 lease_count(const struct cpus *set)
{
	prs_u32 n = 0;

	cpus_for_each(cpu, set)
	{
		n++;
	}
	return n;
}

/* With these cpus a person would have more of them than one may, of all that can be leased. */
static bool is_above_share(const struct service *service, const struct connection *connection,
			   const struct cpus *wanted)
{
	const struct config *config = service->config;
	prs_u32 most = config->max_cpus;
	struct cpus his = *wanted;

	if (!most || connection->is_root)
		return false;
	if (config->is_max_cpus_percent)
		most = (lease_count(&service->leasable) * most + 99) / 100;
	for (prs_u32 i = 0; i < LEASES_MAX; i++)
		if (service->lease[i].id && service->lease[i].person == connection->account->person)
			cpus_join(&his, &service->lease[i].cpus);
	return lease_count(&his) > most;
}

static bool is_above_limits(const struct service *service, const struct connection *connection,
			    const struct lease *model)
{
	return connection->leases >= service->config->max_leases ||
	       is_above_share(service, connection, &model->cpus) ||
	       (model->flags & PRS_CTL_RESERVE && has_his_groups(service, connection));
}

struct lease *lease_grant(struct service *service, struct connection *connection, const struct lease *model,
			  struct prs_ctl_reply *reply)
{
	struct lease *lease = free_lease(service);
	int error = 0;

	if (!lease || is_above_limits(service, connection, model)) {
		reply->status = PRS_CTL_LIMIT_STATUS;
		return NULL;
	}
	*lease = *model;
	lease->id = ++service->last_id ? service->last_id : ++service->last_id;
	lease->owner = connection;
	lease->pid = connection->pid;
	lease->uid = connection->uid;
	lease->person = connection->account->person;
	if (service->config->max_hold_ms)
		lease->last_ms = service->now_ms + service->config->max_hold_ms;
	audit_lease(lease);
	reply->cpu = cpus_next(&lease->cpus, 0);
	if (lease->flags & PRS_CTL_FREQUENCY)
		error = hold_policies(service, lease, &reply->cpu);
	if (!error && lease->flags & PRS_CTL_RESERVE)
		error = take_cores(service, connection, lease);
	if (error) {
		release_policies(service, lease);
		reply->status = error == -EMFILE ? PRS_CTL_LIMIT_STATUS : PRS_CTL_REFUSED_STATUS;
		reply->error = (prs_u32)-error;
		audit("change=refused lease=%u error=%d", lease->id, -error);
		lease->id = 0;
		return NULL;
	}
	connection->leases++;
	lease_restart(service, lease);
	return lease;
}

int lease_set(struct service *service, struct lease *lease, struct policy *policy, struct range range)
{
	struct frequency *all = service->frequency;
	struct range before = policy->set;
	int error;

	audit_set(lease, policy, range);
	error = all->ops->hold(all, policy, range);
	if (error) {
		audit("change=refused policy=%u lease=%u error=%d", policy->cpu, lease->id, -error);
		all->ops->hold(all, policy, before);
	}
	return error;
}

void lease_end(struct service *service, struct lease *lease, const char *reason)
{
	prs_u32 restored = release_policies(service, lease);

	audit("change=ended lease=%u pid=%d uid=%u reason=%s sets=%u unsaid=%u restored=%u", lease->id,
	      (int)lease->pid, (unsigned int)lease->uid, reason, lease->sets, lease->unsaid, restored);
	if (lease->flags & PRS_CTL_RESERVE)
		release_cores(service, lease);
	lease->owner->leases--;
	/* Time without a lease begins. */
	lease->owner->heard_ms = service->now_ms;
	lease->id = 0;
}

prs_u32 lease_left(const struct service *service, const struct lease *lease)
{
	if (!lease->ends_ms)
		return 0;
	return lease->ends_ms > service->now_ms ? (prs_u32)(lease->ends_ms - service->now_ms) : 1;
}
