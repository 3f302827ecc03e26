/* SPDX-License-Identifier: MIT */
/* bursts SCENARIO [N]: probes that wait for bursts, ranges, rate mode. */
#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/runtime/place.h"

extern void __prs_attach(struct prs_desc *d) __attribute__((weak));
extern void __prs_detach(struct prs_desc *d) __attribute__((weak));

enum { SITE_DIRECT, SITE_BURST, SITE_OTHER, N_SITES };

struct prs_desc desc __attribute__((visibility("hidden"), aligned(64))) = {
	.version = PRS_ABI_VERSION, .n_calls = 1, .n_mems = N_SITES, .unit_id = 0x44};

static unsigned long slow_direct, slow_burst;

__attribute__((used, visibility("hidden"))) void place_slow(const void *p, uint32_t site)
{
	__atomic_fetch_add(site == SITE_DIRECT ? &slow_direct : &slow_burst, 1, __ATOMIC_RELAXED);
	place_test(&desc, p, site);
}

__attribute__((used, visibility("hidden"))) void place_note(void *p, uint32_t site)
{
	desc.note(&desc, site, p, 64, PRS_NOTE_ALLOC);
}

DIRECT(count_direct, 0);
BURST(count_burst, 1);
BURST(count_other, 2);
NOTED(count_noted, 0);

static __attribute__((constructor(101))) void attach(void)
{
	if (__prs_attach)
		__prs_attach(&desc);
}
static __attribute__((destructor(101))) void detach(void)
{
	if (__prs_detach)
		__prs_detach(&desc);
}

static struct {
	volatile uint64_t word[64];
} data __attribute__((aligned(4096)));
static pthread_barrier_t together;
static uint64_t total; /* what all counters must add up to */

typedef void count_fn(volatile uint64_t *p, uint64_t n);
struct job {
	count_fn *count;
	unsigned word;
	unsigned ms;
};

static double ms_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void *work(void *arg)
{
	const struct job *j = arg;
	double end;
	uint64_t n = 0;

	pthread_barrier_wait(&together);
	for (end = ms_now() + j->ms; ms_now() < end; n += 2000)
		j->count(&data.word[j->word], 2000);
	__atomic_fetch_add(&total, n, __ATOMIC_RELAXED);
	return NULL;
}

static int run(const struct job *jobs, unsigned n)
{
	pthread_t id[8];

	pthread_barrier_init(&together, NULL, n);
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&id[i], NULL, work, (void *)&jobs[i]))
			return 1;
	for (unsigned i = 0; i < n; i++)
		pthread_join(id[i], NULL);
	pthread_barrier_destroy(&together);
	return 0;
}

static int finish(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 64; i++)
		sum += data.word[i];
	printf("line=%lx lost=%ld direct=%lu burst=%lu\n", (unsigned long)((uintptr_t)&data >> 6),
	       (long)(total - sum), slow_direct, slow_burst);
	return 0;
}

static int pair(count_fn *f, count_fn *g, unsigned second, unsigned ms)
{
	const struct job jobs[2] = {{f, 0, ms}, {g, second, ms}};

	return run(jobs, 2) || finish();
}

/* Many threads that live for a millisecond or two. */
static int brief(unsigned times)
{
	const struct job jobs[2] = {{count_burst, 0, 1}, {count_burst, 1, 1}};

	for (unsigned i = 0; i < times; i++)
		if (run(jobs, 2))
			return 1;
	return finish();
}

/* Children begin while bursts come and go; each has threads of its own. */
static int forks(unsigned times)
{
	const struct job jobs[3] = {{count_burst, 0, 2}, {count_burst, 1, 2}, {count_other, 9, 2}};
	int status, bad = 0;

	for (unsigned i = 0; i < times; i++) {
		pid_t pid;

		if (run(jobs, 2))
			return 1;
		pid = fork();
		if (!pid)
			_exit(run(jobs, 3));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			bad++;
	}
	printf("bad=%d\n", bad);
	return finish();
}

struct loads {
	const char *path;
	unsigned times;
};

static void *loader(void *arg)
{
	const struct loads *l = arg;

	for (unsigned i = 0; i < l->times; i++) {
		void *lib = dlopen(l->path, RTLD_NOW);
		void (*f)(volatile uint64_t *, uint64_t) =
			lib ? (void (*)(volatile uint64_t *, uint64_t))dlsym(lib, "lib_count") : NULL;
		double end = ms_now() + 1;

		for (; f && ms_now() < end;)
			f(&data.word[32], 100);
		if (!f || dlclose(lib))
			return (void *)1;
	}
	return NULL;
}

/* A library comes and goes while bursts do, and others count. */
static int libraries(const char *path, unsigned times)
{
	const struct job jobs[1] = {{count_burst, 0, 50}};
	struct loads l = {path, times};
	pthread_t id;
	void *bad;

	if (pthread_create(&id, NULL, loader, &l))
		return 1;
	for (unsigned i = 0; i < times / 50 + 1; i++)
		run(jobs, 1);
	pthread_join(id, &bad);
	printf("bad=%d\n", bad != NULL);
	return 0;
}

/* A filter for all threads that kills whoever asks for more than it needs. */
static int sealed(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};
	const struct job jobs[2] = {{count_burst, 0, 30}, {count_burst, 1, 30}};

	if (run(jobs, 2) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter))
		return 1;
	for (double end = ms_now() + 60; ms_now() < end;)
		count_burst(&data.word[0], 1000);
	printf("alive=1\n");
	fflush(stdout);
	_exit(0);
}

/* The loop says what it will do, and is then left alone: one word each, or one line each. */
static void *ranger(void *arg)
{
	const struct job *j = arg;

	pthread_barrier_wait(&together);
	for (int i = 0; i < 200; i++) {
		if (__atomic_load_n(&desc.ranges, __ATOMIC_RELAXED))
			desc.range(&desc, SITE_BURST, (const void *)&data.word[j->word], 8, 20000,
				   PRS_ACCESS(PRS_KIND_RMW, 8));
		count_burst(&data.word[j->word], 20000);
	}
	__atomic_fetch_add(&total, 200 * 20000, __ATOMIC_RELAXED);
	return NULL;
}

static int ranges(unsigned second)
{
	const struct job jobs[2] = {{NULL, 0, 0}, {NULL, second, 0}};
	pthread_t id[2];

	pthread_barrier_init(&together, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&id[i], NULL, ranger, (void *)&jobs[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	return finish();
}

static void *nothing(void *arg)
{
	return arg;
}

/* What ranges of every shape may say without harm; the directory knows the lines afterwards. */
static int shapes(void)
{
	static char big[4 << 20] __attribute__((aligned(64)));
	const uint64_t *dir = (const uint64_t *)desc.dir, modified = PRS_DIR_MODIFIED;
	char *middle = big + (1 << 20);
	pthread_t second;
	uint64_t line;
	int held = 0;

	if (pthread_create(&second, NULL, nothing, NULL) || pthread_join(second, NULL) || !desc.ranges)
		return 2;
	desc.range(&desc, 0, big, sizeof(big), ~0ull, PRS_ACCESS(PRS_KIND_LOAD, 1));
	desc.range(&desc, 0, big + 7, sizeof(big) - 7, 0, PRS_ACCESS(PRS_KIND_STORE, 64));
	desc.range(&desc, 0, (void *)-1, ~0ull, ~0ull, PRS_ACCESS(PRS_KIND_STORE, 8));
	desc.range(&desc, 0, NULL, 64, 1, PRS_ACCESS(PRS_KIND_STORE, 8));
	desc.range(&desc, 0, big, 0, 1, PRS_ACCESS(PRS_KIND_STORE, 8));
	desc.range(&desc, 0, (void *)((1ull << 47) - 64), 128, 5, PRS_ACCESS(PRS_KIND_LOAD, 0));
	desc.range(&desc, 0, middle + 130, 256, 64, PRS_ACCESS(PRS_KIND_STORE, 4));
	for (int i = 0; i < 8; i++) {
		line = ((uint64_t)middle >> 6) + (uint64_t)i;
		held |= ((dir[line % PRS_DIR_WORDS] & ~(modified - 1)) == (line << PRS_DIR_TAG | modified)) << i;
	}
	printf("held=%x\n", held);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 100;

	count_noted(&data.word[63], 1);
	data.word[63] = 0;
	if (!strcmp(what, "burst"))
		return pair(count_burst, count_burst, 1, n);
	if (!strcmp(what, "padded"))
		return pair(count_burst, count_burst, 8, n);
	if (!strcmp(what, "direct"))
		return pair(count_direct, count_direct, 1, n);
	if (!strcmp(what, "alone"))
		return total = 1000, count_burst(&data.word[0], 1000), usleep(1000 * n), finish();
	if (!strcmp(what, "brief"))
		return brief(n);
	if (!strcmp(what, "forks"))
		return forks(n);
	if (!strcmp(what, "libraries") && argc > 3)
		return libraries(argv[3], n);
	if (!strcmp(what, "sealed"))
		return sealed();
	if (!strcmp(what, "ranges"))
		return ranges(n);
	if (!strcmp(what, "shapes"))
		return shapes();
	return 2;
}
