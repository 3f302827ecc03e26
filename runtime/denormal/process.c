// SPDX-License-Identifier: MIT
/* The life of the process: begin, fork, exec, end.  Without a run directory nothing is done. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perseus/record.h"
#include "runtime/denormal/den.h"

static sigset_t before_fork;

static void note_end(uint64_t when)
{
	if (den.open && getpid() == den.pid)
		den.head->end_ns = when;
}

static void process_leaves(void)
{
	if (den.leaves && getpid() == den.pid)
		den.leaves();
}

static void prepare(void)
{
	den_lock(&before_fork);
	den_heap_fork(true);
}

static void parent(void)
{
	den_heap_fork(false);
	den_unlock(&before_fork);
}

static void child(void)
{
	den.pid = getpid();
	if (den.open) {
		den_file_fork();
		den_threads_fork();
		if (den.forked)
			den.forked();
	}
	parent();
}

__attribute__((constructor)) void den_begin(void)
{
	const char *dir = secure_getenv(PRS_ENV_DIR), *purpose = secure_getenv(PRS_ENV_PURPOSE);
	static bool begun;

	if (begun)
		return;
	begun = true;
	den_heap_begin();
	if (!dir || !*dir || strlen(dir) >= sizeof(den.dir) || (purpose && strcmp(purpose, "denormal")))
		return;
	strcpy(den.dir, dir);
	den.pid = getpid();
	den.wanted = !pthread_atfork(prepare, parent, child);
}

__attribute__((destructor)) static void end(void)
{
	if (!den.open)
		return;
	process_leaves();
	den_thread_end();
	note_end(den_now());
}

DEN_EXPORT void _exit(int status)
{
	void (*next)(int) = NULL;

	process_leaves();
	note_end(den_now());
	*(void **)&next = dlsym(RTLD_NEXT, "_exit");
	next(status);
	__builtin_unreachable();
}

DEN_EXPORT void _Exit(int status)
{
	_exit(status);
}

DEN_EXPORT int execve(const char *path, char *const argv[], char *const environment[])
{
	int (*next)(const char *, char *const[], char *const[]) = NULL;
	int ret, error;

	process_leaves();
	note_end(den_now());
	*(void **)&next = dlsym(RTLD_NEXT, "execve");
	ret = next(path, argv, environment);
	error = errno;
	note_end(0);
	errno = error;
	return ret;
}
