/* SPDX-License-Identifier: MIT */
#include "platform/pingpong.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/stats.h"
#include "platform/base/clock.h"
#include "platform/base/pin.h"

/* Accesses between two looks at the clock. */
#define BATCH 4096

/* How late a start, and how large a share without the core, still is quiet. */
#define LATE_SHARE 0.05
#define LOST_SHARE 0.03

struct arena {
	volatile uint64_t word[1024]; /* 8 KiB: word 0 and 1 share a line, word 512 is far off */
} __attribute__((aligned(4096)));

struct fighter {
	pthread_t thread;
	uint32_t core;
	enum prs_kind kind;
	volatile uint64_t *word;
	uint32_t work;             /* units of other work after each access, 0: none */
	bool needs;                /* ... which needs the loaded value */
	uint64_t begin_ns, end_ns; /* the window */
	uint32_t trips;            /* transfer: instead of a window */
	uint64_t role;             /* transfer: 0 serves, 1 returns */
	int *ready;
	uint64_t *go;
	double ps, lost;
	bool quiet;
	int ret;
};

#if defined(__x86_64__)
/*
 * Sixteen times the instruction that a compiler makes of `*word = i`, `++*word`,
 * an atomic add, or a load.  Written out, so that neither compiler options nor
 * the alignment of a small loop decide about the figure.
 */
#define REPEAT(instruction, word)                                                                            \
	for (uint32_t i_ = 0; i_ < BATCH / 16; i_++)                                                         \
	__asm__ volatile(".rept 16\n\t" instruction "\n\t.endr"                                              \
			 : "+m"(*(word))                                                                     \
			 : "r"(1ul)                                                                          \
			 : "rax", "memory", "cc")

static void access_batch(enum prs_kind kind, volatile uint64_t *word)
{
	switch (kind) {
	case PRS_KIND_STORE:
		REPEAT("movq %1, %0", word);
		break;
	case PRS_KIND_RMW:
		REPEAT("addq %1, %0", word);
		break;
	case PRS_KIND_ATOMIC:
		REPEAT("lock addq %1, %0", word);
		break;
	default:
		REPEAT("movq %0, %%rax", word);
	}
}
#else
static void access_batch(enum prs_kind kind, volatile uint64_t *word)
{
	for (uint64_t i = 0; i < BATCH; i++) {
		if (kind == PRS_KIND_STORE)
			*word = i;
		else if (kind == PRS_KIND_RMW)
			++*word;
		else if (kind == PRS_KIND_ATOMIC)
			__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
		else
			(void)*word;
	}
}
#endif

#if defined(__x86_64__)
/* Eight dependent instructions that no processor folds into one. */
static uint64_t other_work(uint64_t x, uint32_t units)
{
	__asm__ volatile("1:\n\t.rept 8\n\txorq %2, %0\n\t.endr\n\tdecl %1\n\tjnz 1b"
			 : "+r"(x), "+r"(units)
			 : "r"(3ul)
			 : "cc");
	return x;
}
#else
static uint64_t other_work(uint64_t x, uint32_t units)
{
	for (uint32_t i = 0; i < 8 * units; i++)
		__asm__ volatile("" : "+r"(x));
	return x;
}
#endif

static uint32_t spaced_batch(const struct fighter *f)
{
	uint32_t n = BATCH / 4 / (f->work + 1) + 16;
	volatile uint64_t *word = f->word;
	uint64_t x = 0, sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (f->kind == PRS_KIND_STORE)
			*word = i;
		else if (f->kind == PRS_KIND_RMW)
			++*word;
		else if (f->kind == PRS_KIND_ATOMIC)
			__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
		else if (f->needs)
			x ^= *word;
		else
			sum += *word;
		x = other_work(x, f->work);
	}
	__asm__ volatile("" : : "r"(sum));
	return n;
}

static uint32_t batch(const struct fighter *f)
{
	if (f->work)
		return spaced_batch(f);
	access_batch(f->kind, f->word);
	return BATCH;
}

/* By CPU time: who had to wait for the core has not worked any slower. */
static void pingpong_judge(struct fighter *f, uint64_t late_ns, uint64_t cpu_ns, uint64_t wall_ns, uint64_t n)
{
	uint64_t all = late_ns + wall_ns;

	f->ps = n ? (double)cpu_ns * 1000 / (double)n : 0;
	f->lost = all > cpu_ns ? (double)(all - cpu_ns) / (double)all : 0;
	f->quiet = (double)late_ns <= LATE_SHARE * (double)wall_ns &&
		   (double)cpu_ns >= (1 - LOST_SHARE) * (double)wall_ns;
}

static void fight_window(struct fighter *f)
{
	uint64_t start, now, cpu, n = 0;

	do {
		start = clock_wall_ns();
	} while (start < f->begin_ns);
	cpu = clock_cpu_ns();
	do {
		n += batch(f);
		now = clock_wall_ns();
	} while (now < f->end_ns);
	pingpong_judge(f, start - f->begin_ns, clock_cpu_ns() - cpu, now - start, n);
}

/* The line goes over and comes back once a trip. */
static void fight_trips(struct fighter *f)
{
	uint64_t start = clock_wall_ns(), cpu = clock_cpu_ns(), wall;

	for (uint64_t i = 0; i < f->trips; i++) {
		if (!f->role)
			__atomic_store_n(f->word, 2 * i + 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(f->word, __ATOMIC_ACQUIRE) != 2 * i + 1 + !f->role)
			;
		if (f->role)
			__atomic_store_n(f->word, 2 * i + 2, __ATOMIC_RELEASE);
	}
	wall = clock_wall_ns() - start;
	pingpong_judge(f, 0, clock_cpu_ns() - cpu, wall, 2 * (uint64_t)f->trips);
}

/* Both get ready, the main thread says when; a thread that cannot pin reports and leaves. */
static void *fighter_main(void *arg)
{
	struct fighter *f = arg;
	uint64_t go;

	f->ret = pin_thread(f->core);
	__atomic_add_fetch(f->ready, 1, __ATOMIC_RELEASE);
	while (!(go = __atomic_load_n(f->go, __ATOMIC_ACQUIRE)))
		sched_yield();
	if (f->ret || go == UINT64_MAX)
		return NULL;
	if (f->trips) {
		fight_trips(f);
		return NULL;
	}
	f->end_ns += go;
	f->begin_ns += go;
	fight_window(f);
	return NULL;
}

static int run_pair(struct fighter f[2], struct err *err)
{
	int ready = 0, started = 0, ret = 0;
	uint64_t go = 0;

	for (; started < 2 && !ret; started += !ret) {
		f[started].ready = &ready;
		f[started].go = &go;
		ret = -pthread_create(&f[started].thread, NULL, fighter_main, &f[started]);
	}
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < started)
		sched_yield();
	if (ret || f[0].ret || f[1].ret)
		__atomic_store_n(&go, UINT64_MAX, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&go, clock_wall_ns(), __ATOMIC_RELEASE);
	for (int i = 0; i < started; i++)
		pthread_join(f[i].thread, NULL);
	if (ret)
		return err_set(err, ret, "cannot start a thread: %s", strerror(-ret));
	for (int i = 0; i < 2; i++)
		if (f[i].ret)
			return err_set(err, f[i].ret, "cannot use core %u: %s", f[i].core,
				       strerror(-f[i].ret));
	return 0;
}

/* Of @f's two figures each, what their round says of the machine. */
static struct pingpong figure(const struct fighter f[2], int i, int ret)
{
	return (struct pingpong){f[i].ps, !ret && f[0].quiet && f[1].quiet,
				 f[0].lost > f[1].lost ? f[0].lost : f[1].lost};
}

static int fight_sides(uint32_t core_a, uint32_t core_b, const struct pingpong_side sides[2], bool needs,
		       bool same_line, uint32_t window_us, struct pingpong out[2], struct err *err)
{
	struct arena *arena = aligned_alloc(4096, sizeof(*arena));
	struct fighter f[2] = {{.core = core_a}, {.core = core_b}};
	int ret;

	if (!arena)
		return err_set(err, -ENOMEM, "out of memory");
	memset((void *)arena, 0, sizeof(*arena));
	for (int i = 0; i < 2; i++) {
		f[i].kind = sides[i].kind;
		f[i].work = sides[i].work;
		f[i].needs = needs;
		f[i].begin_ns = 100000; /* they belong to the wake-up */
		f[i].end_ns = f[i].begin_ns + window_us * 1000ull;
		f[i].word = &arena->word[!i ? 0 : same_line ? 1 : 512];
	}
	ret = run_pair(f, err);
	free(arena);
	for (int i = 0; i < 2; i++)
		out[i] = figure(f, i, ret);
	return ret;
}

int pingpong_unlike(uint32_t core_a, uint32_t core_b, const struct pingpong_side sides[2], bool same_line,
		    uint32_t window_us, struct pingpong out[2], struct err *err)
{
	return fight_sides(core_a, core_b, sides, false, same_line, window_us, out, err);
}

int pingpong_spaced(uint32_t core_a, uint32_t core_b, enum prs_kind kind, bool same_line, uint32_t work,
		    uint32_t window_us, struct pingpong *out, struct err *err)
{
	const struct pingpong_side sides[2] = {{kind, work},
					       {kind == PRS_KIND_LOAD ? PRS_KIND_RMW : kind, work}};
	struct pingpong both[2];
	int ret = fight_sides(core_a, core_b, sides, true, same_line, window_us, both, err);

	*out = both[0];
	if (kind != PRS_KIND_LOAD)
		out->ps = (both[0].ps + both[1].ps) / 2;
	return ret;
}

int pingpong_access(uint32_t core_a, uint32_t core_b, enum prs_kind kind, bool same_line, uint32_t window_us,
		    struct pingpong *out, struct err *err)
{
	return pingpong_spaced(core_a, core_b, kind, same_line, 0, window_us, out, err);
}

int pingpong_transfer(uint32_t core_a, uint32_t core_b, uint32_t trips, struct pingpong *out, struct err *err)
{
	struct arena *arena = aligned_alloc(4096, sizeof(*arena));
	struct fighter f[2] = {
		{.core = core_a, .trips = trips, .role = 0},
		{.core = core_b, .trips = trips, .role = 1},
	};
	int ret;

	if (!arena)
		return err_set(err, -ENOMEM, "out of memory");
	memset((void *)arena, 0, sizeof(*arena));
	f[0].word = f[1].word = &arena->word[0];
	ret = run_pair(f, err);
	free(arena);
	*out = figure(f, 0, ret);
	return ret;
}

/* ---- one thread that moves ---- */

struct mover {
	uint32_t core_a, core_b, moves;
	double ns, affinity_ns, trigger_ns;
	int ret;
};

static uint64_t touch(const volatile uint64_t *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < 32768 / 8; i += 8)
		sum += p[i];
	return sum;
}

static void *mover_main(void *arg)
{
	struct mover *m = arg;
	double *moved = mem_new(m->moves, sizeof(double)), *still = mem_new(m->moves, sizeof(double));
	uint64_t *set = mem_new(32768, 1);

	m->ret = pin_thread(m->core_a);
	for (uint32_t i = 0; i < m->moves && !m->ret; i++) {
		uint64_t t0 = clock_wall_ns(), t1;

		touch(set);
		t1 = clock_wall_ns();
		m->ret = pin_thread(i % 2 ? m->core_a : m->core_b);
		touch(set);
		moved[i] = (double)(clock_wall_ns() - t1);
		still[i] = (double)(t1 - t0);
	}
	m->ns = stats_median(moved, m->moves) - stats_median(still, m->moves);
	free(moved);
	free(still);
	free(set);
	return NULL;
}

static int run_mover(void *(*body)(void *), struct mover *m, struct err *err)
{
	pthread_t thread;
	int ret = -pthread_create(&thread, NULL, body, m);

	if (ret)
		return err_set(err, ret, "cannot start a thread: %s", strerror(-ret));
	pthread_join(thread, NULL);
	return m->ret ? err_set(err, m->ret, "cannot pin a thread to core %u: %s", m->core_a,
				strerror(-m->ret))
		      : 0;
}

int pingpong_migrate(uint32_t core_a, uint32_t core_b, uint32_t moves, double *ns, struct err *err)
{
	struct mover m = {.core_a = core_a, .core_b = core_b, .moves = moves};
	int ret = run_mover(mover_main, &m, err);

	*ns = m.ns > 0 ? m.ns : 0;
	return ret;
}

/* What generated code does where nothing is to be changed: count the visit, look it up, return. */
static __attribute__((noinline)) uint32_t trigger_like(uint32_t thread, uint32_t *visits)
{
	if (*visits < UINT32_MAX)
		++*visits;
	switch (thread) {
	case 1:
		return *visits == 3 ? 1 : 0;
	case 2:
		return *visits == 5 ? 2 : 0;
	default:
		return 0;
	}
}

static void *caller_main(void *arg)
{
	enum { ROUNDS = 15, PINS = 40, CALLS = 20000 };
	double pins[ROUNDS], calls[ROUNDS];
	struct mover *m = arg;
	uint32_t visits = 0;

	m->ret = pin_thread(m->core_a);
	for (int r = 0; r < ROUNDS && !m->ret; r++) {
		uint64_t t0 = clock_wall_ns(), t1;

		for (int i = 0; i < PINS; i++)
			pin_thread(m->core_a);
		t1 = clock_wall_ns();
		for (uint32_t i = 0; i < CALLS; i++) {
			uint32_t action = trigger_like(i & 3, &visits);

			__asm__ volatile("" : "+r"(action), "+m"(visits));
		}
		calls[r] = (double)(clock_wall_ns() - t1) / CALLS;
		pins[r] = (double)(t1 - t0) / PINS;
	}
	m->affinity_ns = m->ret ? 0 : stats_median(pins, ROUNDS);
	m->trigger_ns = m->ret ? 0 : stats_median(calls, ROUNDS);
	return NULL;
}

int pingpong_calls(uint32_t core, double *affinity_ns, double *trigger_ns, struct err *err)
{
	struct mover m = {.core_a = core, .core_b = core};
	int ret = run_mover(caller_main, &m, err);

	*affinity_ns = m.affinity_ns;
	*trigger_ns = m.trigger_ns;
	return ret;
}
