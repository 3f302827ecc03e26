/* SPDX-License-Identifier: MIT */
/*
 * The process doubles itself, ends without exit(), or becomes another user.
 * fork() reaches the child through pthread_atfork(), before the user's own
 * handlers; _Fork() runs no handlers and is served here, and so is clone()
 * without CLONE_VM; wrap-seal.c sees the same by syscall().  A child that shares our memory and
 * is no thread of libc must exec or end: its calls count for whoever made it.
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>

#include "runtime/attach.h"
#include "runtime/limit.h"
#include "runtime/base/lock.h"
#include "runtime/calls/trace.h"
#include "runtime/process.h"
#include "runtime/wrap/real.h"

extern char **environ;

static void forked(struct rt_seen *e, pid_t child)
{
	struct rt_thread *t = real_thread();

	e->value = child;
	if (t && child > 0)
		append_event(t, e);
}

RT_EXPORT pid_t fork(void)
{
	struct rt_seen e = RT_SEEN(PRS_EV_FORK, 0);
	pid_t child = REAL(fork)();

	forked(&e, child);
	return child;
}

RT_EXPORT pid_t _Fork(void)
{
	struct rt_seen e = RT_SEEN(PRS_EV_FORK, 0);
	pid_t child;

	if (!rt_attached() || process_forking())
		return REAL(_Fork)();
	process_fork_begin();
	child = REAL(_Fork)();
	if (!child)
		process_forked();
	else
		process_fork_end();
	forked(&e, child);
	return child;
}

struct cloned {
	int (*fn)(void *);
	void *arg;
};

static int run_cloned(void *arg)
{
	struct cloned c = *(struct cloned *)arg;

	process_forked();
	return c.fn(c.arg);
}

/* A thread that no function of libc makes; nobody is to be the first to see it. */
static void company(void)
{
	uint64_t old;

	rt_lock(&old);
	attach_company();
	rt_unlock(&old);
}

/* The rest of the list is read as libc does it, whether it was given or not. */
RT_EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	struct cloned c = {fn, arg};
	pid_t *parent_tid, *child_tid;
	void *tls;
	va_list list;
	int child;

	va_start(list, arg);
	parent_tid = va_arg(list, pid_t *);
	tls = va_arg(list, void *);
	child_tid = va_arg(list, pid_t *);
	va_end(list);
	if (flags & CLONE_VM && rt_recording())
		company();
	if (flags & CLONE_VM || !fn || !rt_attached())
		return REAL(clone)(fn, stack, flags, arg, parent_tid, tls, child_tid);
	process_fork_begin();
	child = REAL(clone)(run_cloned, stack, flags, &c, parent_tid, tls, child_tid);
	process_fork_end();
	return child;
}

/* These run no exit handlers; the record is complete all the same. */
RT_EXPORT __attribute__((noreturn)) void _exit(int status)
{
	process_end();
	for (;;)
		rt_syscall1(SYS_exit_group, status);
}

RT_EXPORT __attribute__((noreturn)) void _Exit(int status)
{
	_exit(status);
}

/*
 * exec ends this record; the program that follows begins one of its own, if
 * it is instrumented.  When exec fails, the record is open again.
 */
static __attribute__((noinline)) void before_exec(void)
{
	process_close();
	limit_lower();
}

static __attribute__((noinline)) void after_exec(void)
{
	limit_raise();
	process_reopen();
}

#define EXEC(call)                                                                                           \
	do {                                                                                                 \
		int ret_;                                                                                    \
		before_exec();                                                                               \
		ret_ = (call);                                                                               \
		after_exec();                                                                                \
		return ret_;                                                                                 \
	} while (0)

RT_EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	EXEC(REAL(execve)(path, argv, env));
}

RT_EXPORT int execv(const char *path, char *const argv[])
{
	EXEC(REAL(execve)(path, argv, environ));
}

RT_EXPORT int execvp(const char *file, char *const argv[])
{
	EXEC(REAL(execvpe)(file, argv, environ));
}

RT_EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	EXEC(REAL(execvpe)(file, argv, env));
}

RT_EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
	EXEC(REAL(fexecve)(fd, argv, env));
}

/*
 * The list forms: how long the list is, then the list as an array on the
 * stack, as libc does it; a child of vfork() must not allocate.
 */
static size_t list_length(va_list list)
{
	size_t n = 1;

	while (va_arg(list, char *))
		n++;
	return n;
}

static void list_copy(char **argv, const char *first, va_list list, size_t n)
{
	argv[0] = (char *)first;
	for (size_t i = 1; i <= n; i++)
		argv[i] = va_arg(list, char *);
}

/* @list and @again both begin behind @first; the environment may follow the list. */
static __attribute__((noinline)) int exec_list(const char *file, const char *first, bool search,
					       bool with_env, va_list list, va_list again)
{
	size_t n = list_length(list);
	char **argv = __builtin_alloca((n + 1) * sizeof(*argv)), **env = environ;

	list_copy(argv, first, again, n);
	if (with_env)
		env = va_arg(again, char **);
	EXEC(search ? REAL(execvpe)(file, argv, env) : REAL(execve)(file, argv, env));
}

#define LIST(search, with_env)                                                                               \
	va_list list_, again_;                                                                               \
	int done_;                                                                                           \
	va_start(list_, first);                                                                              \
	va_start(again_, first);                                                                             \
	done_ = exec_list(path, first, search, with_env, list_, again_);                                     \
	va_end(again_);                                                                                      \
	va_end(list_);                                                                                       \
	return done_

RT_EXPORT int execl(const char *path, const char *first, ...)
{
	LIST(false, false);
}

RT_EXPORT int execlp(const char *path, const char *first, ...)
{
	LIST(true, false);
}

RT_EXPORT int execle(const char *path, const char *first, ...)
{
	LIST(false, true);
}

/* ---- another user ------------------------------------------------------------------- */

/*
 * What it shares with processes of the one that it was is left, so that whoever
 * takes it over later finds no way back.
 */
static int changed(int ret)
{
	trace_check_user();
	return ret;
}

RT_EXPORT int setuid(uid_t user)
{
	return changed(REAL(setuid)(user));
}

RT_EXPORT int setreuid(uid_t real, uid_t effective)
{
	return changed(REAL(setreuid)(real, effective));
}

RT_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return changed(REAL(setresuid)(real, effective, saved));
}
