/* SPDX-License-Identifier: MIT */
/* perseus ctl: what a refusal means here, who is in the way, and the next step. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/ctl/ctl.h"
#include "lib/fs.h"
#include "lib/num.h"

const char *ctl_status_word(char *buf, size_t size, uint32_t status)
{
	snprintf(buf, size, "%s", ctl_status_name(status));
	for (char *p = buf; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return buf;
}

int ctl_refused_status(uint32_t status)
{
	switch (status) {
	case PRS_CTL_BAD_CPUS_STATUS:
	case PRS_CTL_PART_OF_POLICY_STATUS:
	case PRS_CTL_BAD_RANGE_STATUS:
	case PRS_CTL_BAD_TTL_STATUS:
		return CMD_USAGE;
	default:
		return CMD_MACHINE;
	}
}

/* ---- the holder ---- */

/* " (radar)": what /proc calls the process, in case it may be read. */
static void refusal_add_process(char *buf, size_t size, uint32_t pid)
{
	char path[64], name[32];
	size_t used = strlen(buf);

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	if (!fs_read_small("", path, name, sizeof(name)) && *name)
		snprintf(buf + used, size - used, " (%s)", name);
}

static void add_user(char *buf, size_t size, uint32_t uid)
{
	struct passwd *user = getpwuid(uid);
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, " of user %" PRIu32, uid);
	used = strlen(buf);
	if (user)
		snprintf(buf + used, size - used, " (%s)", user->pw_name);
}

const char *ctl_holder_text(char *buf, size_t size, const struct prs_ctl_reply *r)
{
	char plan[24], left[32];
	size_t used;

	snprintf(buf, size, "process %" PRIu32, r->holder_pid);
	refusal_add_process(buf, size, r->holder_pid);
	add_user(buf, size, r->holder_uid);
	used = strlen(buf);
	if (*ctl_plan_text(plan, sizeof(plan), r->plan))
		used += (size_t)snprintf(buf + used, size - used, ", plan %s", plan);
	if (r->ttl_ms && used < size)
		snprintf(buf + used, size - used, ", %s left",
			 num_time(left, sizeof(left), r->ttl_ms * 1e-3));
	for (char *p = buf; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return buf;
}

/* ---- the next step, status by status ---- */

static const char *hello_limits(const struct ctl_link *l, char *buf, size_t size)
{
	return ctl_khz_text(buf, size, l->client.hello.min_khz, l->client.hello.max_khz);
}

static void say_busy(const struct prs_ctl_reply *r, struct err *err)
{
	char holder[256];

	err_advise(err, "cpu %" PRIu32 " is held by %s", r->cpu, ctl_holder_text(holder, sizeof(holder), r));
	err_advise(err,
		   "wait for its end, end it, or take other cpus: perseus ctl status shows what is free");
	if (!geteuid())
		err_advise(err, "perseus ctl revoke %" PRIu32 " ends the lease", r->lease);
}

static void say_policy(struct ctl_link *l, const struct prs_ctl_reply *r, struct err *err)
{
	char list[CTL_LIST_BYTES];
	struct prs_ctl_reply policy;

	if (ctl_query(l, r->cpu, 0, &policy, NULL))
		return;
	err_advise(err, "cpu %" PRIu32 " has one clock with others: ask for all of %.100s as well", r->cpu,
		   ctl_cpus_text(list, policy.cpus));
}

static void say_cpus(struct ctl_link *l, const struct prs_ctl_reply *r, struct err *err)
{
	char list[CTL_LIST_BYTES];

	if (r->cpu < PRS_CTL_CPUS)
		err_advise(err, "there is no cpu %" PRIu32 " here", r->cpu);
	err_advise(err, "cpus that can be leased here: %.160s", ctl_cpus_text(list, l->client.hello.cpus));
}

static void say_range(struct ctl_link *l, const struct prs_ctl_request *q, struct err *err)
{
	char asked[48], limits[48];

	err_advise(err, "asked for %s, the limits here are %s",
		   ctl_khz_text(asked, sizeof(asked), q->min_khz, q->max_khz),
		   hello_limits(l, limits, sizeof(limits)));
}

static void say_ttl(struct ctl_link *l, const struct prs_ctl_request *q, struct err *err)
{
	err_advise(err, "asked for %.3f s, the longest here is %.3f s", q->ttl_ms * 1e-3,
		   l->client.hello.ttl_ms * 1e-3);
}

static void say_cannot(uint32_t status, struct err *err)
{
	if (status == PRS_CTL_NO_FREQUENCY_STATUS)
		err_advise(err, "the daemon found neither /dev/perseus nor cpufreq when it started");
	else
		err_advise(err, "the daemon found neither cgroup v2 nor a cpuset of v1 that it may change");
	err_advise(err,
		   "perseus doctor says what is missing; afterwards, as root: systemctl restart perseusd");
}

static void say_limit(const struct prs_ctl_request *q, struct err *err)
{
	if (q->op == PRS_CTL_HELLO)
		err_advise(err, "too many programs are connected: perseusd.conf (max-clients), or wait for "
				"one to end");
	else
		err_advise(err, "release a lease first, or wait for the end of another program");
}

static void say_value(struct ctl_link *l, const struct prs_ctl_request *q, const struct prs_ctl_reply *r,
		      struct err *err)
{
	switch (r->status) {
	case PRS_CTL_BAD_CPUS_STATUS:
		say_cpus(l, r, err);
		break;
	case PRS_CTL_PART_OF_POLICY_STATUS:
		say_policy(l, r, err);
		break;
	case PRS_CTL_BAD_RANGE_STATUS:
		say_range(l, q, err);
		break;
	default:
		say_ttl(l, q, err);
		break;
	}
}

/* The configuration lends to some users, and it lends some cpus: HELLO has told which it is. */
static void say_not_allowed(const struct ctl_link *l, const struct prs_ctl_request *q, struct err *err)
{
	char lent[CTL_LIST_BYTES];
	uint32_t cpu = PRS_CTL_CPUS, missing = PRS_CTL_FREQUENCY | PRS_CTL_RESERVE;

	if (l) {
		missing &= q->flags & ~l->client.hello.flags;
		cpu = ctl_first_outside(q->cpus, l->client.hello.cpus);
	}
	if (cpu < PRS_CTL_CPUS)
		err_advise(err, "cpu %" PRIu32 " is not lent; these are: %.160s (cpus of perseusd.conf)", cpu,
			   ctl_cpus_text(lent, l->client.hello.cpus));
	if (missing & PRS_CTL_FREQUENCY)
		err_advise(err, "frequency-users of perseusd.conf says who may set frequencies");
	if (missing & PRS_CTL_RESERVE)
		err_advise(err, "reserve-users of perseusd.conf says who may reserve cores; only root if it "
				"is not there");
	err_advise(err, "perseusd.conf is root's; a change counts after systemctl restart perseusd");
}

static void say_rest(const struct ctl_link *l, const struct prs_ctl_request *q, const struct prs_ctl_reply *r,
		     struct err *err)
{
	switch (r->status) {
	case PRS_CTL_NOT_ALLOWED_STATUS:
		say_not_allowed(l, q, err);
		break;
	case PRS_CTL_NO_FREQUENCY_STATUS:
	case PRS_CTL_NO_RESERVE_STATUS:
		say_cannot(r->status, err);
		break;
	case PRS_CTL_LIMIT_STATUS:
		say_limit(q, err);
		break;
	case PRS_CTL_REFUSED_STATUS:
		err_advise(err, "cpu %" PRIu32 ", error %" PRIu32 ": %s", r->cpu, r->error,
			   strerror((int)r->error));
		break;
	case PRS_CTL_STOPPING_STATUS:
		err_advise(err, "try again when it runs again: perseus ctl status");
		break;
	case PRS_CTL_RATE_STATUS:
		err_advise(err, "something else of this connection asks all the time; try again");
		break;
	default:
		err_advise(err, "daemon and perseus must be of one installation");
		break;
	}
}

/* The protocol speaks of its reply; who reads this sees the holder in the next line. */
static const char *meaning_of(uint32_t status)
{
	return status == PRS_CTL_BUSY_STATUS ? "another lease holds it" : ctl_status_meaning(status);
}

int ctl_refused(struct ctl_link *l, const struct prs_ctl_request *q, const struct prs_ctl_reply *r,
		struct err *err)
{
	int code = ctl_refused_status(r->status) == CMD_USAGE ? -EINVAL : -EACCES;
	char word[32];

	ctl_status_word(word, sizeof(word), r->status);
	err_set(err, code, "perseusd refused (%s): %s", word, meaning_of(r->status));
	if (r->status == PRS_CTL_BUSY_STATUS)
		say_busy(r, err);
	else if (l && ctl_refused_status(r->status) == CMD_USAGE)
		say_value(l, q, r, err);
	else
		say_rest(l, q, r, err);
	err_advise(err, "perseus explain ctl-%s says more", word);
	return code;
}
