/* SPDX-License-Identifier: MIT */
/* What the words of `perseus ctl` share: the daemon, its refusals, lists and frequencies for people. */
#ifndef PERSEUS_CMD_CTL_CTL_H
#define PERSEUS_CMD_CTL_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/base/cmd.h"
#include "daemon/client.h"
#include "lib/err.h"
#include "lib/json.h"
#include "lib/vec.h"

#define CTL_SCHEMA     1
#define CTL_TIMEOUT_MS 2000 /* a daemon that does not answer for so long is called hung */
#define CTL_LIST_BYTES 2688 /* the longest list of cpus: two of three, "0-1,3-4,...,1023", has 2,673 */

/* ---- text (cmd/ctl/text.c) ---- */

/* Cpus as the kernel writes them, "0-3,8": 0 or -EINVAL with the reason.  @cpus is overwritten. */
int ctl_parse_cpus(const char *text, prs_u8 cpus[PRS_CTL_CPUS / 8], struct err *err);

/* The same backwards; "none" for an empty set.  Returns @buf of CTL_LIST_BYTES. */
const char *ctl_cpus_text(char *buf, const prs_u8 cpus[PRS_CTL_CPUS / 8]);

/* The lowest cpu of the set, PRS_CTL_CPUS if it is empty. */
uint32_t ctl_first(const prs_u8 cpus[PRS_CTL_CPUS / 8]);

/* "cpu" for a set of one, else "cpus". */
const char *ctl_cpus_noun(const prs_u8 cpus[PRS_CTL_CPUS / 8]);

/* The lowest of @cpus that is not among @all, PRS_CTL_CPUS: none. */
uint32_t ctl_first_outside(const prs_u8 cpus[PRS_CTL_CPUS / 8], const prs_u8 all[PRS_CTL_CPUS / 8]);

/* "1200000-2400000", "2.4GHz", "800MHz-2.4GHz": 0 or -EINVAL with the reason. */
int ctl_parse_khz(const char *text, uint32_t *min, uint32_t *max, struct err *err);

/* "1.594 to 2.40 GHz", "1.20 GHz"; exact, so that it can be asked for.  Returns @buf. */
const char *ctl_khz_text(char *buf, size_t size, uint32_t min, uint32_t max);

/* The first bytes of a plan's hash, "4f1c2a9b01.."; "" if it is zero.  Returns @buf, of 16 bytes or more. */
const char *ctl_plan_text(char *buf, size_t size, const prs_u8 plan[32]);

/* ---- the daemon (cmd/ctl/ask.c) ---- */

/* A connection, and where it leads, for messages. */
struct ctl_link {
	struct ctl_client client;
	const char *socket;
};

/*
 * Connect to the daemon at @socket (NULL: the usual one) and say hello.  Fails
 * with a message that says what is missing and the next step: -ENOENT no
 * socket, -ECONNREFUSED nobody listens, -EACCES not for this user, -ETIMEDOUT
 * no answer, -EPROTO not perseusd, -EREMOTEIO refused (the message says why).
 */
int ctl_open(struct ctl_link *l, const char *socket, struct err *err);

/*
 * One request; a rate limit is waited for.  Returns 0, the status with which
 * the daemon refused, or a negative errno with a message: no answer.
 */
int ctl_ask(struct ctl_link *l, struct prs_ctl_request *q, struct prs_ctl_reply *r, struct err *err);

/*
 * Ask for a lease: 0, PRS_CTL_NOT_HELD_STATUS if it is there but something else
 * is in force, or a negative errno with a message that explains the refusal.
 */
int ctl_lease(struct ctl_link *l, struct prs_ctl_request *q, struct prs_ctl_reply *r, struct err *err);

/* The cpu's policy, or with @flags PRS_CTL_RESERVE its reservation, as the daemon tells it. */
int ctl_query(struct ctl_link *l, uint32_t cpu, uint32_t flags, struct prs_ctl_reply *r, struct err *err);

/* What the daemon can do here, PRS_CTL_FREQUENCY and PRS_CTL_RESERVE, be it for this user or for others only. */
uint32_t ctl_abilities(struct ctl_client *client);

/* What lets a user open the socket at @path who may not.  Returns @buf. */
const char *ctl_group_remedy(char *buf, size_t size, const char *path);

/* ---- refusals (cmd/ctl/refusal.c) ---- */

/* "part-of-policy": what follows "ctl-" in the topic of perseus explain.  Returns @buf. */
const char *ctl_status_word(char *buf, size_t size, uint32_t status);

/*
 * Say why the answer @r to @q is a refusal: the status and its meaning, the
 * values concerned, the holder, the next step.  @l (may be NULL) is asked for
 * what the answer does not carry.  Returns a negative errno.
 */
int ctl_refused(struct ctl_link *l, const struct prs_ctl_request *q, const struct prs_ctl_reply *r,
		struct err *err);

/* The exit status that belongs to a refusal: the command line was wrong, or this set-up cannot. */
int ctl_refused_status(uint32_t status);

/*
 * Who holds something, in one line: process and its name, user, what for, how
 * long.  Others choose these names: only printable characters.  Returns @buf.
 */
const char *ctl_holder_text(char *buf, size_t size, const struct prs_ctl_reply *r);

/* ---- what is held (cmd/ctl/view.c) ---- */

/* A policy, or a reservation, and who has it. */
struct ctl_unit {
	struct prs_ctl_reply said; /* answer to QUERY */
	bool held;
};

struct ctl_view {
	const char *socket;
	struct prs_ctl_reply hello; /* its flags: what this user may have */
	uint32_t able;              /* flags: what there is, if only for others */
	struct vec_ctl_unit VEC(struct ctl_unit) policies;
	struct vec_ctl_unit reserved; /* held ones only */
};

/* Ask about all cpus that can be leased, each policy and each reservation once. */
int ctl_view_all(struct ctl_view *v, struct ctl_link *l, struct err *err);

/* Ask about one cpu: its policy, if it has one, and its reservation, if it is reserved. */
int ctl_view_cpu(struct ctl_view *v, struct ctl_link *l, uint32_t cpu, struct err *err);

void ctl_view_release(struct ctl_view *v);

/* Print it: the daemon's part, policies and reservations. */
void ctl_print_daemon(const struct ctl_view *v);
void ctl_print_units(const struct ctl_view *v);
void ctl_print_json(const struct ctl_view *v);

/* ---- perseus ctl run (cmd/ctl/run.c) ---- */

/*
 * Name the plan at @path in @q, and if @with_cpus ask for its cores
 * (cmd/ctl/plan.c).  Errors as plan_load(); -EINVAL if it has no cores.
 */
int ctl_take_plan(const char *path, bool with_cpus, struct prs_ctl_request *q, bool *sets_steps,
		  struct err *err);

/* Advise why @q is not in force: no step lies in it, or something else is stronger (cmd/ctl/machine.c). */
void ctl_advise_limits(const struct prs_ctl_request *q, struct err *err);

/* A hardware thread of the core of @cpu that is not among @cpus, PRS_CTL_CPUS: none. */
uint32_t ctl_free_sibling(const prs_u8 cpus[PRS_CTL_CPUS / 8], uint32_t cpu);

/* All of it, failures in the name of @cmd; argv[0] is "run". */
int ctl_run(const struct cmd *cmd, int argc, char **argv);

#endif
