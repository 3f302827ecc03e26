/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "daemon/lease.h"
#include "daemon/machine/audit.h"
#include "daemon/machine/clock.h"
#include "daemon/service.h"

/* How long a read-back waits for the kernel at most, and everybody with it. */
#define PATIENCE_MS 8

/* What a HELLO that only root of the machine can send names as its sender. */
#define FIRST_PROCESS 1

#define WANTED (PRS_CTL_FREQUENCY | PRS_CTL_RESERVE | PRS_CTL_BALANCED)

void service_init(struct service *service, const struct config *config, struct frequency *frequency,
		  struct cores *cores, const struct cpus *present)
{
	memset(service, 0, sizeof(*service));
	service->config = config;
	service->frequency = frequency;
	service->cores = cores;
	service->clock = clock_us;
	service->present = service->leasable = *present;
	if (!config->all_cpus)
		cpus_meet(&service->leasable, &config->cpus);
	account_begin(service, &service->root, 0);
}

void connection_init(struct service *service, struct connection *connection, pid_t pid, uid_t uid,
		     prs_u64 session)
{
	connection->pid = pid;
	connection->uid = uid;
	connection->account = account_of(service, persons_of(&service->config->persons, uid));
	connection->session = session;
	connection->is_greeted = connection->is_root = connection->needs_root = false;
	connection->leases = 0;
	connection->energy = NULL;
	connection->since_ms = connection->heard_ms = connection->filled_ms = service->now_ms;
	connection->tokens = service->config->max_rate * 1000ull;
	if (connection->account)
		connection->account->connections++;
}

void connection_end(struct connection *connection)
{
	if (connection->account)
		connection->account->connections--;
	connection->account = NULL;
	if (connection->energy)
		energy_leave(connection->energy, connection->energy_place);
	connection->energy = NULL;
}

prs_u64 connection_deadline(const struct service *service, const struct connection *connection,
			    const char **reason)
{
	prs_u32 idle = service->config->max_idle_ms;

	*reason = connection->is_greeted ? "idle" : "no-hello";
	if (!connection->is_greeted)
		return connection->since_ms + GREET_MS;
	return idle && !connection->leases ? connection->heard_ms + idle : 0;
}

/* ---- form ------------------------------------------------------------------- */

/* The fields of a request that not all operations have. */
enum field {
	F_FLAGS = 1,
	F_LEASE = 2,
	F_CPU = 4,
	F_KHZ = 8,
	F_TTL = 16,
	F_PLAN = 32,
	F_CPUS = 64,
};

static const unsigned int fields_of[] = {
	[PRS_CTL_HELLO] = 0,
	[PRS_CTL_LEASE] = F_FLAGS | F_KHZ | F_TTL | F_PLAN | F_CPUS,
	[PRS_CTL_SET] = F_LEASE | F_CPU | F_KHZ,
	[PRS_CTL_RENEW] = F_LEASE | F_TTL,
	[PRS_CTL_RELEASE] = F_LEASE,
	[PRS_CTL_QUERY] = F_CPU | F_FLAGS,
	[PRS_CTL_REVOKE] = F_LEASE,
	[PRS_CTL_ENERGY] = 0,
};

static bool is_zero(const prs_u8 *bytes, size_t n)
{
	prs_u8 any = 0;

	for (size_t i = 0; i < n; i++)
		any |= bytes[i];
	return !any;
}

static unsigned int fields_set(const struct prs_ctl_request *q)
{
	return (q->flags ? F_FLAGS : 0) | (q->lease ? F_LEASE : 0) | (q->cpu ? F_CPU : 0) |
	       (q->min_khz || q->max_khz ? F_KHZ : 0) | (q->ttl_ms ? F_TTL : 0) |
	       (is_zero(q->plan, sizeof(q->plan)) ? 0 : F_PLAN) |
	       (is_zero(q->cpus, sizeof(q->cpus)) ? 0 : F_CPUS);
}

static enum prs_ctl_status check_flags(const struct prs_ctl_request *q)
{
	if (q->op == PRS_CTL_QUERY)
		return !q->flags || q->flags == PRS_CTL_FREQUENCY || q->flags == PRS_CTL_RESERVE
			       ? PRS_CTL_OK_STATUS
			       : PRS_CTL_BAD_FIELD_STATUS;
	if (q->op != PRS_CTL_LEASE)
		return PRS_CTL_OK_STATUS;
	if (q->flags & ~WANTED || !(q->flags & (PRS_CTL_FREQUENCY | PRS_CTL_RESERVE)))
		return PRS_CTL_BAD_FIELD_STATUS;
	if (q->flags & PRS_CTL_BALANCED && !(q->flags & PRS_CTL_RESERVE))
		return PRS_CTL_BAD_FIELD_STATUS;
	if ((q->min_khz || q->max_khz) && !(q->flags & PRS_CTL_FREQUENCY))
		return PRS_CTL_BAD_FIELD_STATUS;
	return PRS_CTL_OK_STATUS;
}

/*
 * Another process than its own is named by who may do so, in the user namespace that the machine booted in,
 * and its first process by who is in the first process's pid namespace.  Root of a container is neither.
 */
static bool is_roots(const struct connection *connection, const struct packet *packet)
{
	return !connection->uid && packet->sender == FIRST_PROCESS && connection->pid != FIRST_PROCESS;
}

/* What can be said of a request without knowing who has what. */
static enum prs_ctl_status check_form(const struct connection *connection, const struct packet *packet,
				      const struct prs_ctl_request *q)
{
	if (q->magic != PRS_CTL_MAGIC)
		return PRS_CTL_BAD_MAGIC_STATUS;
	if (q->version != PRS_CTL_VERSION)
		return PRS_CTL_BAD_VERSION_STATUS;
	if ((packet->sender <= 0 || packet->sender != connection->pid) &&
	    !(q->op == PRS_CTL_HELLO && is_roots(connection, packet)))
		return PRS_CTL_NOT_PEER_STATUS;
	if (!q->op || q->op >= sizeof(fields_of) / sizeof(fields_of[0]))
		return PRS_CTL_BAD_OP_STATUS;
	if (q->reserved0 || !is_zero(q->reserved, sizeof(q->reserved)) || fields_set(q) & ~fields_of[q->op])
		return PRS_CTL_BAD_FIELD_STATUS;
	if (q->op == PRS_CTL_HELLO)
		return connection->is_greeted || q->session ? PRS_CTL_BAD_SESSION_STATUS : PRS_CTL_OK_STATUS;
	if (!connection->is_greeted || q->session != connection->session)
		return PRS_CTL_BAD_SESSION_STATUS;
	return check_flags(q);
}

/* ---- users ------------------------------------------------------------------ */

/* A bucket that holds the requests of one second, and one of the person that a new connection does not fill. */
static bool is_too_fast(struct service *service, struct connection *connection)
{
	prs_u64 rate = service->config->max_rate, most = rate * 1000;

	account_refill(service, connection->account);
	connection->tokens += (service->now_ms - connection->filled_ms) * rate;
	connection->filled_ms = service->now_ms;
	if (connection->tokens > most)
		connection->tokens = most;
	if (connection->tokens < 1000 || !account_take_request(connection->account))
		return true;
	connection->tokens -= 1000;
	return false;
}

/* From now on it draws on root's account. */
static void become_root(struct service *service, struct connection *connection)
{
	connection_end(connection);
	connection->is_root = true;
	connection->account = &service->root;
	connection->account->connections++;
	account_refill(service, connection->account);
}

/* Named, or all are; uid 0 of a container is not whom `root` names. */
static bool is_allowed(const struct uids *uids, const struct connection *connection)
{
	return uids->all || ((connection->uid || connection->is_root) && uids_have(uids, connection->uid));
}

/* What takes time is refused to who has taken his; an end never is. */
static bool must_wait(const struct connection *connection, prs_u32 op)
{
	return op != PRS_CTL_HELLO && op != PRS_CTL_RELEASE && !connection->is_root &&
	       account_is_overdrawn(connection->account);
}

/* ---- answers ---------------------------------------------------------------- */

/* What came of a hold, over all policies of a set: the widest bounds, and the first that is not held. */
static enum prs_ctl_status read_back(struct service *service, struct connection *connection,
				     const struct cpus *cpus, struct prs_ctl_reply *reply)
{
	struct account *account = connection->account;
	enum prs_ctl_status status = PRS_CTL_OK_STATUS;
	int most = account->left_us > 0 ? PATIENCE_MS : 0, patience = most;
	bool is_first = true;

	cpus_for_each(cpu, cpus)
	{
		struct policy *policy = frequency_policy(service->frequency, cpu);
		struct in_force now;
		int error;

		if (!policy || policy->cpu != cpu)
			continue;
		error = service->frequency->ops->settle(service->frequency, policy, &patience, &now);
		if (status == PRS_CTL_OK_STATUS && (error || !range_is_inside(now.range, policy->set))) {
			status = PRS_CTL_NOT_HELD_STATUS;
			reply->cpu = cpu;
			reply->error = (prs_u32)-error;
		}
		if (error)
			continue;
		if (is_first || now.range.min < reply->min_khz)
			reply->min_khz = now.range.min;
		if (now.range.max > reply->max_khz)
			reply->max_khz = now.range.max;
		if (is_first)
			reply->current_khz = now.current;
		is_first = false;
	}
	account->left_us -= (most - patience) * 1000;
	service->waited_us += (prs_u64)(most - patience) * 1000;
	return status;
}

static void put_cpus(struct prs_ctl_reply *reply, const struct cpus *cpus)
{
	memcpy(reply->cpus, cpus->bits, sizeof(reply->cpus));
}

static void put_holder(struct prs_ctl_reply *reply, const struct lease *holder)
{
	reply->lease = holder->id;
	reply->holder_pid = (prs_u32)holder->pid;
	reply->holder_uid = holder->uid;
	memcpy(reply->plan, holder->plan, sizeof(reply->plan));
}

static enum prs_ctl_status hello(struct service *service, struct connection *connection,
				 const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	const struct config *config = service->config;
	bool is_first = true;

	(void)q;
	if (connection->needs_root && !connection->is_root)
		return PRS_CTL_LIMIT_STATUS;
	/* Root's are counted by themselves, and from here on only. */
	if (connection->is_root && connection->account->connections > config->max_clients_per_uid)
		return PRS_CTL_LIMIT_STATUS;
	connection->is_greeted = true;
	reply->session = connection->session;
	reply->ttl_ms = config->max_ttl_ms;
	put_cpus(reply, &service->leasable);
	if (service->frequency->by && is_allowed(&config->frequency, connection))
		reply->flags |= service->frequency->by | PRS_CTL_FREQUENCY;
	if (service->cores->by && is_allowed(&config->reserve, connection))
		reply->flags |= service->cores->by | PRS_CTL_RESERVE | PRS_CTL_BALANCED;
	if (service->energy && service->energy->is_there && is_allowed(&config->energy, connection))
		reply->flags |= PRS_CTL_BY_RAPL;
	cpus_for_each(cpu, &service->leasable)
	{
		struct policy *policy = frequency_policy(service->frequency, cpu);

		if (!policy)
			continue;
		if (is_first || policy->limit.min < reply->min_khz)
			reply->min_khz = policy->limit.min;
		if (policy->limit.max > reply->max_khz)
			reply->max_khz = policy->limit.max;
		is_first = false;
	}
	return PRS_CTL_OK_STATUS;
}

/* Whether there is a way at all, and this user may go it. */
static enum prs_ctl_status check_rights(const struct service *service, const struct connection *connection,
					const struct lease *wanted, prs_u32 *cpu)
{
	const struct config *config = service->config;

	if (wanted->flags & PRS_CTL_FREQUENCY && !service->frequency->by)
		return PRS_CTL_NO_FREQUENCY_STATUS;
	if (wanted->flags & PRS_CTL_RESERVE && !service->cores->by)
		return PRS_CTL_NO_RESERVE_STATUS;
	if (wanted->flags & PRS_CTL_FREQUENCY && !is_allowed(&config->frequency, connection))
		return PRS_CTL_NOT_ALLOWED_STATUS;
	if (wanted->flags & PRS_CTL_RESERVE && !is_allowed(&config->reserve, connection))
		return PRS_CTL_NOT_ALLOWED_STATUS;
	*cpu = cpus_first_outside(&wanted->cpus, &service->leasable);
	return *cpu < PRS_CTL_CPUS ? PRS_CTL_NOT_ALLOWED_STATUS : PRS_CTL_OK_STATUS;
}

/* Whole policies, and a range that has something in common with each of them. */
static enum prs_ctl_status check_policies(const struct service *service, const struct lease *wanted,
					  prs_u32 *cpu)
{
	if (wanted->range.max && wanted->range.min > wanted->range.max)
		return PRS_CTL_BAD_RANGE_STATUS;
	cpus_for_each(c, &wanted->cpus)
	{
		const struct policy *policy = frequency_policy(service->frequency, c);
		struct range range;
		prs_u32 missing;

		*cpu = c;
		if (!policy)
			return PRS_CTL_NO_FREQUENCY_STATUS;
		missing = cpus_first_outside(&policy->cpus, &wanted->cpus);
		if (missing < PRS_CTL_CPUS) {
			*cpu = missing;
			return PRS_CTL_PART_OF_POLICY_STATUS;
		}
		range = lease_narrow(policy, wanted->range);
		if (range.min > range.max)
			return PRS_CTL_BAD_RANGE_STATUS;
	}
	return PRS_CTL_OK_STATUS;
}

static bool is_bad_ttl(const struct service *service, prs_u32 ttl_ms)
{
	prs_u32 most = service->config->max_ttl_ms;

	return most && (!ttl_ms || ttl_ms > most);
}

static enum prs_ctl_status check_wanted(struct service *service, const struct connection *connection,
					const struct lease *wanted, struct prs_ctl_reply *reply)
{
	enum prs_ctl_status status;
	struct lease *holder;

	reply->cpu = cpus_first_outside(&wanted->cpus, &service->present);
	if (cpus_is_empty(&wanted->cpus) || reply->cpu < PRS_CTL_CPUS)
		return PRS_CTL_BAD_CPUS_STATUS;
	status = check_rights(service, connection, wanted, &reply->cpu);
	if (status)
		return status;
	if (wanted->flags & PRS_CTL_FREQUENCY)
		status = check_policies(service, wanted, &reply->cpu);
	if (status)
		return status;
	if (wanted->flags & PRS_CTL_RESERVE) {
		reply->cpu = cpus_first_outside(&wanted->cpus, &service->cores->all);
		if (reply->cpu < PRS_CTL_CPUS)
			return PRS_CTL_BAD_CPUS_STATUS;
	}
	if (is_bad_ttl(service, wanted->ttl_ms))
		return PRS_CTL_BAD_TTL_STATUS;
	holder = lease_in_the_way(service, &wanted->cpus, wanted->flags, connection->uid, &reply->cpu);
	if (!holder)
		return PRS_CTL_OK_STATUS;
	put_holder(reply, holder);
	return PRS_CTL_BUSY_STATUS;
}

static enum prs_ctl_status grant(struct service *service, struct connection *connection,
				 const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	struct lease wanted = {.flags = q->flags, .ttl_ms = q->ttl_ms, .range = {q->min_khz, q->max_khz}};
	enum prs_ctl_status status;
	const struct lease *lease;

	memcpy(wanted.cpus.bits, q->cpus, sizeof(q->cpus));
	memcpy(wanted.plan, q->plan, sizeof(q->plan));
	/* v1 has nothing but balanced reservations: the lease says what it is. */
	if (q->flags & PRS_CTL_RESERVE && service->cores->by == PRS_CTL_BY_CGROUP1)
		wanted.flags |= PRS_CTL_BALANCED;
	status = check_wanted(service, connection, &wanted, reply);
	if (status)
		return status;
	if (wanted.flags & PRS_CTL_RESERVE && connection->account->left_us <= 0 && !connection->is_root)
		return PRS_CTL_RATE_STATUS;
	/* Each lease is in the audit: who has no more lines gets none. */
	if (!connection->is_root && !account_take_line(connection->account))
		return PRS_CTL_RATE_STATUS;
	lease = lease_grant(service, connection, &wanted, reply);
	if (!lease)
		return reply->status;
	reply->lease = lease->id;
	reply->flags = lease->flags;
	reply->ttl_ms = lease_left(service, lease);
	put_cpus(reply, &lease->cpus);
	return lease->flags & PRS_CTL_FREQUENCY ? read_back(service, connection, &lease->cpus, reply)
						: PRS_CTL_OK_STATUS;
}

static enum prs_ctl_status service_set(struct service *service, struct connection *connection,
				       const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	struct lease *lease = lease_find(service, connection, q->lease);
	struct range wanted = {q->min_khz, q->max_khz}, granted;
	struct policy *policy;
	int error;

	if (!lease)
		return PRS_CTL_NO_LEASE_STATUS;
	reply->lease = lease->id;
	reply->cpu = q->cpu;
	if (!(lease->flags & PRS_CTL_FREQUENCY))
		return PRS_CTL_NO_FREQUENCY_STATUS;
	policy = cpus_has(&lease->cpus, q->cpu) ? frequency_policy(service->frequency, q->cpu) : NULL;
	if (!policy)
		return PRS_CTL_BAD_CPUS_STATUS;
	granted = lease_narrow(policy, lease->range);
	wanted.min = wanted.min ? wanted.min : granted.min;
	wanted.max = wanted.max ? wanted.max : granted.max;
	if (wanted.min > wanted.max || !range_is_inside(wanted, granted))
		return PRS_CTL_BAD_RANGE_STATUS;
	error = lease_set(service, lease, policy, wanted);
	if (error) {
		reply->error = (prs_u32)-error;
		return PRS_CTL_REFUSED_STATUS;
	}
	/* Whoever sets is alive. */
	lease_restart(service, lease);
	reply->flags = lease->flags;
	reply->ttl_ms = lease_left(service, lease);
	put_cpus(reply, &policy->cpus);
	return read_back(service, connection, &policy->cpus, reply);
}

static enum prs_ctl_status renew(struct service *service, struct connection *connection,
				 const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	struct lease *lease = lease_find(service, connection, q->lease);

	if (!lease)
		return PRS_CTL_NO_LEASE_STATUS;
	reply->lease = lease->id;
	if (is_bad_ttl(service, q->ttl_ms))
		return PRS_CTL_BAD_TTL_STATUS;
	lease->ttl_ms = q->ttl_ms;
	lease_restart(service, lease);
	reply->ttl_ms = lease_left(service, lease);
	return PRS_CTL_OK_STATUS;
}

static enum prs_ctl_status service_release(struct service *service, struct connection *connection,
					   const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	struct lease *lease = lease_find(service, connection, q->lease);

	if (!lease)
		return PRS_CTL_NO_LEASE_STATUS;
	reply->lease = lease->id;
	lease_end(service, lease, "release");
	return PRS_CTL_OK_STATUS;
}

static enum prs_ctl_status revoke(struct service *service, struct connection *connection,
				  const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	struct lease *lease = lease_find(service, NULL, q->lease);

	if (!connection->is_root)
		return PRS_CTL_NOT_ALLOWED_STATUS;
	if (!lease)
		return PRS_CTL_NO_LEASE_STATUS;
	put_holder(reply, lease);
	lease_end(service, lease, "revoked");
	return PRS_CTL_OK_STATUS;
}

static enum prs_ctl_status query(struct service *service, struct connection *connection,
				 const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	struct policy *policy = frequency_policy(service->frequency, q->cpu);
	const struct lease *holder;
	struct in_force now;
	int error = 0;

	(void)connection;
	reply->cpu = q->cpu;
	if (!cpus_has(&service->present, q->cpu))
		return PRS_CTL_BAD_CPUS_STATUS;
	if (q->flags & PRS_CTL_RESERVE) {
		if (!service->cores->by)
			return PRS_CTL_NO_RESERVE_STATUS;
		holder = lease_of_core(service, q->cpu);
	} else {
		if (!policy)
			return PRS_CTL_NO_FREQUENCY_STATUS;
		holder = lease_of_policy(service, policy);
	}
	if (policy) {
		put_cpus(reply, &policy->cpus);
		error = service->frequency->ops->read(service->frequency, policy, &now);
	}
	if (policy && !error) {
		reply->min_khz = now.range.min;
		reply->max_khz = now.range.max;
		reply->current_khz = now.current;
	}
	if (holder) {
		put_holder(reply, holder);
		reply->flags = holder->flags;
		reply->ttl_ms = lease_left(service, holder);
		if (q->flags & PRS_CTL_RESERVE)
			put_cpus(reply, &holder->cpus);
	}
	reply->error = (prs_u32)-error;
	return error ? PRS_CTL_REFUSED_STATUS : PRS_CTL_OK_STATUS;
}

/* Of the process that connected, and of nobody else. */
static enum prs_ctl_status tell_energy(struct service *service, struct connection *connection,
				       const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	struct energy *energy = service->energy;
	const struct energy_share *share;

	(void)q;
	if (!energy || !energy->is_there)
		return PRS_CTL_NO_ENERGY_STATUS;
	if (!is_allowed(&service->config->energy, connection))
		return PRS_CTL_NOT_ALLOWED_STATUS;
	if (!connection->energy) {
		if (!connection->is_root && !account_take_line(connection->account))
			return PRS_CTL_RATE_STATUS;
		connection->energy_place = energy_join(energy, connection->pid);
		if (connection->energy_place < 0)
			return PRS_CTL_LIMIT_STATUS;
		connection->energy = energy;
		audit("energy=told pid=%d uid=%u", (int)connection->pid, connection->uid);
	}
	energy_look(energy, service->now_ms);
	share = &energy->share[connection->energy_place];
	reply->energy_mj = share->mj;
	reply->windows = share->windows;
	reply->window_ms = energy->window_ms;
	return PRS_CTL_OK_STATUS;
}

static enum prs_ctl_status (*const operations[])(struct service *, struct connection *,
						 const struct prs_ctl_request *, struct prs_ctl_reply *) = {
	[PRS_CTL_HELLO] = hello,
	[PRS_CTL_LEASE] = grant,
	[PRS_CTL_SET] = service_set,
	[PRS_CTL_RENEW] = renew,
	[PRS_CTL_RELEASE] = service_release,
	[PRS_CTL_QUERY] = query,
	[PRS_CTL_REVOKE] = revoke,
	[PRS_CTL_ENERGY] = tell_energy,
};

void service_last_word(enum prs_ctl_status status, struct prs_ctl_reply *reply)
{
	*reply = (struct prs_ctl_reply){.magic = PRS_CTL_MAGIC, .version = PRS_CTL_VERSION, .status = status};
}

/* What the request took is on its person's account, but for the waiting that is there already. */
static enum prs_ctl_status operate(struct service *service, struct connection *connection,
				   const struct prs_ctl_request *q, struct prs_ctl_reply *reply)
{
	prs_u64 start = service->clock(), took;
	enum prs_ctl_status status;

	if (must_wait(connection, q->op))
		return PRS_CTL_RATE_STATUS;
	service->waited_us = 0;
	status = operations[q->op](service, connection, q, reply);
	took = service->clock() - start;
	if (took > service->waited_us)
		connection->account->left_us -= (int64_t)(took - service->waited_us);
	return status;
}

static enum prs_ctl_status answer(struct service *service, struct connection *connection,
				  const struct packet *packet, const struct prs_ctl_request *q,
				  struct prs_ctl_reply *reply)
{
	enum prs_ctl_status status = check_form(connection, packet, q);

	if (status)
		return status;
	if (q->op == PRS_CTL_HELLO && is_roots(connection, packet))
		become_root(service, connection);
	connection->heard_ms = service->now_ms;
	return operate(service, connection, q, reply);
}

void service_answer(struct service *service, struct connection *connection, const struct packet *packet,
		    struct prs_ctl_reply *reply)
{
	bool is_fast = is_too_fast(service, connection);
	struct prs_ctl_request q;
	enum prs_ctl_status status;

	service_last_word(PRS_CTL_BAD_SIZE_STATUS, reply);
	if (packet->size != sizeof(q))
		return;
	memcpy(&q, packet->bytes, sizeof(q));
	reply->op = q.op;
	reply->tag = q.tag;
	if (packet->has_descriptors)
		return;
	status = service->is_stopping ? PRS_CTL_STOPPING_STATUS
		 : is_fast            ? PRS_CTL_RATE_STATUS
				      : answer(service, connection, packet, &q, reply);
	reply->status = status;
	if (connection->is_greeted && status != PRS_CTL_BAD_SESSION_STATUS &&
	    status != PRS_CTL_NOT_PEER_STATUS)
		reply->session = connection->session;
}

/* ---- ends ------------------------------------------------------------------- */

void service_end(struct service *service, const struct connection *connection, const char *reason)
{
	prs_u32 left = connection ? connection->leases : LEASES_MAX;

	for (prs_u32 i = 0; i < LEASES_MAX && left; i++) {
		struct lease *lease = &service->lease[i];

		if (!lease->id || (connection && lease->owner != connection))
			continue;
		lease_end(service, lease, reason);
		left--;
	}
}

static bool has_lease(const void *context, const struct policy *policy)
{
	/* lease_of_policy() changes nothing. */
	return lease_of_policy((struct service *)context, policy);
}

void service_retry(struct service *service)
{
	prs_u32 left =
		frequency_restore(service->frequency, has_lease, service) + cores_retry(service->cores);

	service->has_leftovers = left;
}

void service_expire(struct service *service)
{
	if (!service->next_ms || service->now_ms < service->next_ms)
		return;
	service->next_ms = 0;
	for (prs_u32 i = 0; i < LEASES_MAX; i++) {
		struct lease *lease = &service->lease[i];

		if (!lease->id || !lease->ends_ms)
			continue;
		if (lease->ends_ms <= service->now_ms)
			lease_end(service, lease, lease->ends_ms == lease->last_ms ? "max-hold" : "ttl");
		else if (!service->next_ms || lease->ends_ms < service->next_ms)
			service->next_ms = lease->ends_ms;
	}
}
