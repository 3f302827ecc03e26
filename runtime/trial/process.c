/* SPDX-License-Identifier: MIT */
/*
 * Whether a plan is tried in this process, and its beginning and end: the generated code is started
 * first thing in main(), as the plugin would have it, and what it counts is copied out.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/trial/trial.h"

#define EXPORT __attribute__((visibility("default")))

struct trial trial;

typedef int main_fn(int argc, char **argv, char **environment);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

/* Another program that this one's child runs, or a shell round it, has nothing to do with the plan. */
static bool is_program(void)
{
	const char *want = secure_getenv(PRS_ENV_TRIAL_PROGRAM);
	char path[4096];
	ssize_t n = want ? readlink("/proc/self/exe", path, sizeof(path) - 1) : -1;

	if (n < 0)
		return false;
	path[n] = '\0';
	return !strcmp(path, want);
}

static void status_open(void)
{
	const char *path = secure_getenv(PRS_ENV_TRIAL_STATUS);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	void *at = MAP_FAILED;

	if (fd < 0)
		return;
	/* Beyond the end of a file that is too short a write would be the program's death. */
	if (lseek(fd, 0, SEEK_END) >= (off_t)sizeof(struct prs_trial_status))
		at = mmap(NULL, sizeof(struct prs_trial_status), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED || ((struct prs_trial_status *)at)->magic != PRS_TRIAL_MAGIC)
		return;
	trial.status = at;
	trial.pid = getpid();
	trial.first = !__atomic_fetch_add(&trial.status->processes, 1, __ATOMIC_RELAXED);
	if (trial.first)
		trial.status->pid = (uint32_t)trial.pid;
}

static bool is_ours(void)
{
	return trial.status && trial.first && getpid() == trial.pid;
}

void trial_tell(void)
{
	if (is_ours())
		trial.plan->status(trial.status->words);
}

__attribute__((constructor)) static void trial_begin(void)
{
	if (&perseus_trial == NULL || perseus_trial.version != PRS_TRIAL_VERSION || !is_program())
		return;
	trial_save_begin();
	if (!trial_blocks_begin())
		return;
	trial.plan = &perseus_trial;
	status_open();
}

__attribute__((destructor)) static void end(void)
{
	if (trial.plan)
		trial_tell();
}

static main_fn *real_main;

static int planned_main(int argc, char **argv, char **environment)
{
	trial.plan->start();
	trial_tell();
	return real_main(argc, argv, environment);
}

EXPORT int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
			     void (*rtld_fini)(void), void *stack_end);

EXPORT int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
			     void (*rtld_fini)(void), void *stack_end)
{
	start_fn *next = (start_fn *)dlsym(RTLD_NEXT, "__libc_start_main");

	/* libc runs the constructors of the executable below, those of libraries ran before. */
	if (trial.plan) {
		real_main = main;
		main = planned_main;
	}
	return next(main, argc, argv, init, fini, rtld_fini, stack_end);
}
