/* SPDX-License-Identifier: MIT */
/*
 * perseus ctl run: a lease for as long as a program runs.  The lease belongs
 * to this process, which waits for the program: it ends with it, with a
 * signal that ends this process, SIGKILL included, and with the daemon.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/ctl/ctl.h"
#include "lib/num.h"
#include "lib/spawn/child.h"
#include "lib/spawn/target.h"

#define TTL_MAX_S 4000000.0 /* fits into 32 bits of ms */

/* Ignored where it is not waited for, so the daemon's end can be told by it at any time. */
#define SIGNAL_LOST SIGURG

struct options {
	const struct cmd *cmd;
	const char *socket, *cpus, *khz, *plan;
	uint32_t ttl_ms; /* 0: not said */
	bool reserve, balanced, bind, best_effort, quiet;
	char **program;
};

struct run {
	struct options o;
	struct ctl_link link;
	struct prs_ctl_request asked;
	struct prs_ctl_reply granted;
	struct target target;
	bool held;         /* the lease is there */
	bool lost;         /* it ended before its time */
	bool ttl_is_ours;  /* the daemon wants a limit, the user does not: renewed */
	uint64_t ends_ns;  /* by --ttl; 0: not */
	uint64_t renew_ns; /* 0: never */
};

/* ---- the command line ---- */

static void say(const struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct run *r, const char *fmt, ...)
{
	va_list ap;

	if (r->o.quiet)
		return;
	cmd_put(stderr, "perseus ctl: ");
	va_start(ap, fmt);
	cmd_vsay(stderr, fmt, ap);
	va_end(ap);
	cmd_put(stderr, "\n");
}

static int take_ttl(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	uint32_t *ms = to;
	double seconds;

	(void)name;
	if (num_double(value, 0.001, TTL_MAX_S, &seconds))
		return cmd_usage(cmd, "run: --ttl=%s: expected seconds, 0.001 to %.0f", value, TTL_MAX_S);
	*ms = (uint32_t)(seconds * 1000 + 0.5);
	return CMD_OK;
}

static int parse_options(const struct cmd *cmd, int argc, char **argv, struct options *o)
{
	bool no_bind = false;
	const struct option_row rows[] = {
		OPTION_TEXT(0, "cpus", &o->cpus),
		OPTION_TEXT(0, "khz", &o->khz),
		OPTION_FLAG(0, "reserve", &o->reserve),
		OPTION_FLAG(0, "balanced", &o->balanced),
		OPTION_CALL("ttl", take_ttl, &o->ttl_ms),
		OPTION_TEXT(0, "plan", &o->plan),
		OPTION_FLAG(0, "no-bind", &no_bind),
		OPTION_FLAG(0, "best-effort", &o->best_effort),
		OPTION_TEXT(0, "socket", &o->socket),
		OPTION_FLAG('q', "quiet", &o->quiet),
		OPTION_END,
	};
	int ret;

	*o = (struct options){.cmd = cmd, .bind = true};
	ret = option_read(cmd, rows, argc, argv, OPTION_PROGRAM);
	o->bind = !no_bind;
	o->program = argv + optind;
	return ret;
}

static int check_options(const struct options *o)
{
	if (!*o->program)
		return cmd_usage(o->cmd, "run: no program given");
	if (!o->khz && !o->reserve)
		return cmd_usage(o->cmd,
				 "run: nothing to lease: --khz for a frequency, --reserve for the cores");
	if (o->balanced && !o->reserve)
		return cmd_usage(o->cmd, "run: --balanced says how cores are reserved: add --reserve");
	if (!o->cpus && !o->plan)
		return cmd_usage(o->cmd, "run: which cpus? --cpus=LIST, or --plan=FILE for those of a plan");
	return CMD_OK;
}

/* ---- what is asked for ---- */

static int take_plan(struct run *r, struct err *err)
{
	bool sets_steps;
	int ret = ctl_take_plan(r->o.plan, !r->o.cpus, &r->asked, &sets_steps, err);

	if (!ret && r->o.khz && sets_steps)
		say(r, "the plan sets frequencies, and its program is refused them while --khz holds them: "
		       "leave out one of the two");
	return ret;
}

static int ctl_run_prepare(struct run *r)
{
	struct prs_ctl_request *q = &r->asked;
	struct err err = ERR_INIT;

	*q = (struct prs_ctl_request){.op = PRS_CTL_LEASE, .ttl_ms = r->o.ttl_ms};
	q->flags = (r->o.khz ? PRS_CTL_FREQUENCY : 0) | (r->o.reserve ? PRS_CTL_RESERVE : 0) |
		   (r->o.balanced ? PRS_CTL_BALANCED : 0);
	if (r->o.cpus && ctl_parse_cpus(r->o.cpus, q->cpus, &err))
		return cmd_usage(r->o.cmd, "run: --cpus: %s", err.msg);
	if (r->o.khz && ctl_parse_khz(r->o.khz, &q->min_khz, &q->max_khz, &err))
		return cmd_usage(r->o.cmd, "run: --khz: %s", err.msg);
	if (r->o.plan && take_plan(r, &err))
		return cmd_fail(r->o.cmd, &err, CMD_OWN_FAILURE);
	if (target_locate(&r->target, r->o.program[0], &err))
		return cmd_fail(r->o.cmd, &err, CMD_OWN_FAILURE);
	return CMD_OK;
}

/* ---- the lease ---- */

/* A daemon that wants an end to every lease gets one, again and again while the program runs. */
static void choose_ttl(struct run *r)
{
	r->ttl_is_ours = !r->asked.ttl_ms && r->link.client.hello.ttl_ms;
	if (r->ttl_is_ours)
		r->asked.ttl_ms = r->link.client.hello.ttl_ms;
}

static int not_honoured(const struct run *r, struct err *err)
{
	char asked[48], got[48];

	err_set(err, -EACCES, "not honoured: asked for %s, in force is %s",
		ctl_khz_text(asked, sizeof(asked), r->asked.min_khz, r->asked.max_khz),
		ctl_khz_text(got, sizeof(got), r->granted.min_khz, r->granted.max_khz));
	ctl_advise_limits(&r->asked, err);
	if (!r->o.best_effort)
		err_advise(err, "the program was not started; --best-effort starts it all the same");
	return err_advise(err, "perseus explain ctl-not-held says more");
}

static bool ctl_run_is_inside(const struct run *r)
{
	return !(r->asked.flags & PRS_CTL_FREQUENCY) ||
	       (r->granted.min_khz >= r->asked.min_khz && r->granted.max_khz <= r->asked.max_khz);
}

static int take_lease(struct run *r, struct err *err)
{
	int ret = ctl_open(&r->link, r->o.socket, err);

	if (ret)
		return ret;
	choose_ttl(r);
	ret = ctl_lease(&r->link, &r->asked, &r->granted, err);
	if (ret >= 0) {
		r->held = true;
		if (ret == PRS_CTL_NOT_HELD_STATUS || !ctl_run_is_inside(r))
			ret = not_honoured(r, err);
	}
	if (ret && !(r->held && r->o.best_effort))
		ctl_close(&r->link.client);
	return ret;
}

/* What surprises those who reserve cores for the first time. */
static void tell_traps(const struct run *r)
{
	const struct prs_ctl_request *q = &r->asked;
	uint32_t first = ctl_first(q->cpus), n = 0;

	for (uint32_t c = first; c < PRS_CTL_CPUS; c++)
		n += ctl_cpus_has(q->cpus, c);
	if (n > 1 && !(q->flags & PRS_CTL_BALANCED) && !r->o.plan)
		say(r, "the kernel moves no thread between reserved cpus: each must be pinned, or add "
		       "--balanced");
	for (uint32_t c = first; c < PRS_CTL_CPUS; c++) {
		uint32_t other = ctl_cpus_has(q->cpus, c) ? ctl_free_sibling(q->cpus, c) : PRS_CTL_CPUS;

		if (other < PRS_CTL_CPUS) {
			say(r, "cpu %" PRIu32 " shares its core with cpu %" PRIu32 ", which is not reserved",
			    c, other);
			return;
		}
	}
}

static void tell_lease(const struct run *r)
{
	const struct prs_ctl_request *q = &r->asked;
	char list[CTL_LIST_BYTES], khz[48], ttl[32];

	snprintf(khz, sizeof(khz), " at ");
	if (q->flags & PRS_CTL_FREQUENCY)
		ctl_khz_text(khz + 4, sizeof(khz) - 4, r->granted.min_khz, r->granted.max_khz);
	say(r, "lease %" PRIu32 ": %s %s%s%s, %s%s", r->granted.lease, ctl_cpus_noun(q->cpus),
	    ctl_cpus_text(list, q->cpus), q->flags & PRS_CTL_FREQUENCY ? khz : "",
	    q->flags & PRS_CTL_RESERVE ? ", reserved" : "",
	    r->o.ttl_ms ? "for at most " : "until the program ends",
	    r->o.ttl_ms ? num_time(ttl, sizeof(ttl), r->o.ttl_ms * 1e-3) : "");
	if (q->flags & PRS_CTL_RESERVE)
		tell_traps(r);
}

/* ---- where the program runs ---- */

static int bind_to(const prs_u8 cpus[PRS_CTL_CPUS / 8], struct err *err)
{
	char list[CTL_LIST_BYTES];
	cpu_set_t *set = CPU_ALLOC(PRS_CTL_CPUS);
	size_t size = CPU_ALLOC_SIZE(PRS_CTL_CPUS);
	int why = 0;

	if (!set)
		return err_set(err, -ENOMEM, "no memory for a set of cpus");
	CPU_ZERO_S(size, set);
	for (uint32_t c = 0; c < PRS_CTL_CPUS; c++)
		if (ctl_cpus_has(cpus, c))
			CPU_SET_S(c, size, set);
	if (sched_setaffinity(0, size, set))
		why = errno;
	CPU_FREE(set);
	if (!why)
		return 0;
	err_set(err, -why, "the program cannot be put on %s %.200s: %s", ctl_cpus_noun(cpus),
		ctl_cpus_text(list, cpus), strerror(why));
	return err_advise(err,
			  "taskset -p $$ shows where this shell may run; --no-bind leaves that as it is");
}

/* ---- while it runs ---- */

static void lose(struct run *r, const char *why)
{
	r->lost = true;
	r->renew_ns = r->ends_ns = 0;
	cmd_say(stderr,
		"perseus ctl: the lease is lost: %s\n  frequencies and cores are as they were before\n", why);
}

/* The daemon has ended the lease: in time, if there was one. */
static void lapse(struct run *r)
{
	if (!r->o.ttl_ms) {
		lose(r, "it had ended before the program did");
		return;
	}
	r->held = false;
	say(r, "the lease has ended after --ttl, before the program did");
}

static bool is_closed(const struct run *r)
{
	char byte;
	ssize_t n = recv(r->link.client.fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);

	return !n || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static void renew(struct run *r, uint64_t now)
{
	struct prs_ctl_request q = {
		.op = PRS_CTL_RENEW, .lease = r->granted.lease, .ttl_ms = r->asked.ttl_ms};
	struct prs_ctl_reply reply;
	struct err err = ERR_INIT;
	int ret = ctl_ask(&r->link, &q, &reply, &err);

	if (ret)
		lose(r, ret < 0 ? err.msg : ctl_status_meaning((uint32_t)ret));
	else
		r->renew_ns = now + r->asked.ttl_ms * UINT64_C(1000000) / 2;
}

static uint64_t wake(void *arg, int sig, uint64_t now)
{
	struct run *r = arg;
	uint64_t ttl_ns = r->asked.ttl_ms * UINT64_C(1000000);

	if (r->ttl_is_ours && !r->renew_ns && !r->lost)
		r->renew_ns = now + ttl_ns / 2;
	if (r->o.ttl_ms && !r->ends_ns && r->held && !r->lost)
		r->ends_ns = now + ttl_ns;
	(void)sig; /* whatever it was, a signal that came too early is made up for */
	if (r->held && !r->lost && is_closed(r))
		lose(r, "perseusd has ended or closed the connection");
	if (r->renew_ns && now >= r->renew_ns)
		renew(r, now);
	if (r->ends_ns && now >= r->ends_ns && r->held)
		lapse(r);
	if (!r->held || r->lost)
		return 0;
	return r->renew_ns ? r->renew_ns : r->ends_ns;
}

/* The kernel signals what comes from the socket, so that nobody has to look from time to time. */
static void watch_daemon(const struct run *r)
{
	int fd = r->link.client.fd;

	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGNAL_LOST);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
}

/* Was it in force up to the end?  Temperature may have had a word meanwhile.  Negative: no answer. */
static int look_back(struct run *r)
{
	char now[48], asked[48];
	struct prs_ctl_reply reply;
	int ret;

	if (!(r->asked.flags & PRS_CTL_FREQUENCY))
		return 0;
	ret = ctl_query(&r->link, ctl_first(r->asked.cpus), PRS_CTL_FREQUENCY, &reply, NULL);
	if (ret || reply.lease != r->granted.lease)
		return ret;
	if (reply.min_khz == r->granted.min_khz && reply.max_khz == r->granted.max_khz)
		return 0;
	cmd_say(stderr, "perseus ctl: not honoured to the end: at the start %s, at the end %s\n",
		ctl_khz_text(asked, sizeof(asked), r->granted.min_khz, r->granted.max_khz),
		ctl_khz_text(now, sizeof(now), reply.min_khz, reply.max_khz));
	return 0;
}

/* Closing alone would do; a release is answered when all is as it was before. */
static void ctl_run_give_back(struct run *r)
{
	struct prs_ctl_request q = {.op = PRS_CTL_RELEASE, .lease = r->granted.lease};
	struct prs_ctl_reply reply;

	if (!r->held || r->lost)
		return;
	if (is_closed(r) || look_back(r) < 0)
		lose(r, "perseusd ended with the program, or does not answer");
	else if (ctl_ask(&r->link, &q, &reply, NULL))
		lapse(r);
	ctl_close(&r->link.client);
}

/* Whoever is refused because of this lease is told our name: let it be the program's. */
static void take_name(const struct run *r)
{
	const char *slash = strrchr(r->o.program[0], '/');
	char name[16];

	snprintf(name, sizeof(name), "ctl:%s", slash ? slash + 1 : r->o.program[0]);
	prctl(PR_SET_NAME, name);
}

static int run_program(struct run *r)
{
	struct child_spec spec = {
		.path = r->target.path, .argv = r->o.program, .in = -1, .out = -1, .error = -1};
	struct child_result child;
	struct err err = ERR_INIT;
	int status;

	if (r->held) {
		take_name(r);
		watch_daemon(r);
		spec.watch = (struct child_watch){.signal = SIGNAL_LOST, .wake = wake, .arg = r};
	}
	if (child_run(&spec, &child, &err))
		return cmd_fail(r->o.cmd, &err, CMD_OWN_FAILURE);
	status = child_exit_status(child.status);
	ctl_run_give_back(r);
	return r->lost && !status && !r->o.best_effort ? CMD_OWN_FAILURE : status;
}

/* To its cpus, or not if that is no condition. */
static int ctl_run_place(const struct run *r)
{
	struct err err = ERR_INIT;

	if (!r->o.bind || !bind_to(r->asked.cpus, &err))
		return CMD_OK;
	cmd_fail(r->o.cmd, &err, CMD_OWN_FAILURE);
	return r->o.best_effort ? CMD_OK : CMD_OWN_FAILURE;
}

int ctl_run(const struct cmd *cmd, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct run r = {.held = false};
	int ret = parse_options(cmd, argc, argv, &r.o);

	if (!ret)
		ret = check_options(&r.o);
	if (!ret)
		ret = ctl_run_prepare(&r);
	/* Nobody is kept from cpus that cannot be used here; a reservation may let us in first, though. */
	if (!ret && !r.o.reserve)
		ret = ctl_run_place(&r);
	if (ret)
		return ret;
	if (take_lease(&r, &err)) {
		cmd_fail(cmd, &err, CMD_OWN_FAILURE);
		if (!r.o.best_effort)
			return CMD_OWN_FAILURE;
		say(&r, "the program is started all the same (--best-effort)");
	} else {
		tell_lease(&r);
	}
	ret = r.o.reserve ? ctl_run_place(&r) : CMD_OK;
	return ret ? ret : run_program(&r);
}
