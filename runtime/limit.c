/* SPDX-License-Identifier: MIT */
/*
 * A program that limits its own address space means its own memory, not the
 * gigabytes of file that the runtime has mapped and never touches: no thread
 * could be created any more.  The kernel gets the limit plus what is mapped,
 * and the program reads what it wrote.  Only while the process is recorded;
 * limits that others set (prlimit(1)) are as they are.
 */
#include <errno.h>

#include "runtime/base/sys.h"
#include "runtime/calls/trace.h"
#include "runtime/limit.h"

#define OTHER_BYTES (64ull << 20) /* directory, tables, states of threads */

static struct {
	struct rlimit asked, given;
	uint32_t set;
} space;

static int done(long ret)
{
	if (ret >= 0)
		return (int)ret;
	errno = (int)-ret;
	return -1;
}

static long kernel(pid_t pid, int what, const struct rlimit *in, struct rlimit *out)
{
	return rt_syscall4(SYS_prlimit64, pid, what, (long)in, (long)out);
}

static rlim_t more(rlim_t asked)
{
	rlim_t sum = asked + rt.map_bytes + trace_mapped() + OTHER_BYTES;

	return asked == RLIM_INFINITY || sum < asked ? RLIM_INFINITY : sum;
}

static bool ours(pid_t pid, int what)
{
	return what == RLIMIT_AS && (!pid || (uint32_t)pid == sys_getpid()) && rt_recording() &&
	       rt.pid == sys_getpid();
}

/* The hard limit can be raised by few: what cannot be had on top is not. */
static long give(const struct rlimit *asked)
{
	struct rlimit give = {more(asked->rlim_cur), more(asked->rlim_max)}, now;
	long ret;

	if (asked->rlim_cur > asked->rlim_max)
		return -EINVAL;
	ret = kernel(0, RLIMIT_AS, &give, NULL);
	if (ret == -EPERM && !kernel(0, RLIMIT_AS, NULL, &now) && asked->rlim_max <= now.rlim_max) {
		give.rlim_max = now.rlim_max;
		if (give.rlim_cur > give.rlim_max)
			give.rlim_cur = give.rlim_max;
		ret = kernel(0, RLIMIT_AS, &give, NULL);
	}
	if (ret)
		return ret;
	space.asked = *asked;
	space.given = give;
	space.set = 1;
	return 0;
}

bool limit_make_room(uint64_t bytes)
{
	struct rlimit now = sys_limit(RLIMIT_AS);

	rt.map_bytes = bytes;
	if (give(&now))
		return false;
	if (space.given.rlim_cur == more(now.rlim_cur))
		return true;
	kernel(0, RLIMIT_AS, &now, NULL);
	space.set = 0;
	return false;
}

static void disguise(struct rlimit *r)
{
	if (!space.set)
		return;
	if (r->rlim_cur == space.given.rlim_cur)
		r->rlim_cur = space.asked.rlim_cur;
	if (r->rlim_max == space.given.rlim_max)
		r->rlim_max = space.asked.rlim_max;
}

int limit_change(pid_t pid, int what, const struct rlimit *in, struct rlimit *out)
{
	struct rlimit before;
	long ret;

	if (!ours(pid, what))
		return done(kernel(pid, what, in, out));
	ret = kernel(0, RLIMIT_AS, NULL, &before);
	disguise(&before);
	if (!ret && in)
		ret = give(in);
	if (!ret && out)
		*out = before;
	return done(ret);
}

/* Not the hard one, which could not be raised again. */
void limit_lower(void)
{
	struct rlimit lower = {space.asked.rlim_cur, space.given.rlim_max};

	if (space.set && rt.pid == sys_getpid())
		kernel(0, RLIMIT_AS, &lower, NULL);
}

void limit_raise(void)
{
	if (space.set && rt.pid == sys_getpid())
		kernel(0, RLIMIT_AS, &space.given, NULL);
}
