/* SPDX-License-Identifier: MIT */
#include "platform/events/samples.h"

#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/inspect/elf.h"
#include "lib/mem.h"
#include "platform/events/probe-text.h"

#define CPUS_MAX   1024
#define PAGES      64 /* of a ring: some seconds of looks, each of them 56 bytes */
#define FIRST_MS   30
#define LATER_MS   1000
#define PAUSE_MS   90
#define MAPS_MAX   512
#define LOOKS_MAX  65536 /* whose place is kept */
#define CORES_MAX  65536 /* whose core is kept */
#define RECORD_MAX 8192  /* longest record that is looked into: one of a mapping has a path */

/*
 * At first, and where the clock is on for a part of the time only, the period is
 * half of what was asked for, else a short run would have too few looks; not
 * always, since one takes up to 20 microseconds on a virtual machine.  A look
 * weighs as much as the time that it stands for.
 */
#define DENSE      2u  /* looks in a period, at first */
#define DENSE_MOST 150 /* looks after which they go on in the usual period */

/*
 * The clock is set and stopped whenever a thread comes to a core or leaves it,
 * which takes some microseconds: where that happens more often than this, it
 * is only on for FIRST_MS now and then.
 */
#define SWITCHES_MANY 2.0 /* in a millisecond */

#define PRICE_TURNS     300000
#define PRICE_PERIOD_NS 50000
#define PRICE_ROUNDS    2

struct ring {
	int fd;
	int dense; /* event that looks more often, into the same ring */
	struct perf_event_mmap_page *page;
	uint64_t head; /* as seen at the beginning of this round */
};

/* A mapping with machine code; the last MAPS_MAX are kept. */
struct map {
	struct samples_map is;
	bool library;
};

/* A look outside of the library. */
struct look {
	uint32_t map;    /* number in order of their coming */
	uint32_t weight; /* in half periods */
	uint64_t offset; /* in the file */
};

struct samples {
	const char *library;
	struct ring *rings;
	size_t n_rings, ring_bytes;
	uint64_t period_ns;
	bool usual;          /* the usual period, no longer the short one */
	uint32_t share;      /* of the time the clock was on for one part in so many */
	unsigned char *copy; /* room for what a ring holds */
	int switches;        /* event that counts how often threads left a core */
	uint64_t n_switches;
	struct map maps[MAPS_MAX];
	size_t n_maps; /* so far */
	struct look *looks;
	size_t n_looks;
	struct samples_cores cores; /* of every core_stride-th look */
	uint32_t core_stride;
	bool loaded; /* the library was */
	struct samples_totals totals;
	int stop[2];
	pthread_t thread;
};

/* A record of a mapping; the path lies behind it. */
struct map_record {
	struct perf_event_header head;
	uint32_t pid, tid;
	uint64_t start, bytes, offset;
};

struct look_record {
	struct perf_event_header head;
	uint32_t pid, tid;
	uint64_t ns;
	uint32_t core, reserved;
	uint64_t period_ns;
	uint64_t abi; /* 0: nothing of the program was on the core */
	uint64_t ip;
};

/* ---- records ------------------------------------------------------------------------ */

static bool is_library(const struct samples *s, const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strncmp(slash ? slash + 1 : path, s->library, strlen(s->library));
}

static void add_map(struct samples *s, const struct map_record *r)
{
	struct map *m = &s->maps[s->n_maps % MAPS_MAX];
	const char *path = (const char *)(r + 1);

	if (r->head.size <= sizeof(*r))
		return;
	free(m->is.path);
	*m = (struct map){{r->pid, r->start, r->bytes, r->offset, mem_strdup(path)}, is_library(s, path)};
	s->loaded |= m->library;
	s->n_maps++;
}

/* Where a thread was; when there is no more room every second one goes, and half as many come. */
static void add_core(struct samples *s, const struct look_record *r)
{
	if (s->totals.taken % s->core_stride)
		return;
	if (s->cores.n == CORES_MAX) {
		for (size_t i = 0; i < CORES_MAX / 2; i++)
			s->cores.at[i] = s->cores.at[2 * i];
		s->cores.n = CORES_MAX / 2;
		s->core_stride *= 2;
	}
	vec_push(&s->cores, ((struct samples_core){r->ns, r->pid, r->tid, r->core}));
}

/* The last mapping at an address counts, unless another process has it too. */
static void add_look(struct samples *s, const struct look_record *r)
{
	size_t n = s->n_maps < MAPS_MAX ? s->n_maps : MAPS_MAX;
	uint32_t weight = s->share * (s->period_ns && r->period_ns >= s->period_ns ? DENSE : 1);

	if (r->pid == (uint32_t)getpid())
		return;
	add_core(s, r);
	s->totals.taken++;
	s->totals.all += weight;
	for (size_t i = 0; r->abi && i < n; i++) {
		size_t number = s->n_maps - 1 - i;
		const struct map *m = &s->maps[number % MAPS_MAX];

		if (r->ip - m->is.start >= m->is.bytes)
			continue;
		if (m->library)
			s->totals.inside += weight;
		else if (s->n_looks < LOOKS_MAX)
			s->looks[s->n_looks++] =
				(struct look){(uint32_t)number, weight, r->ip - m->is.start + m->is.offset};
		return;
	}
}

static void add_record(struct samples *s, const void *record, bool maps)
{
	const struct perf_event_header *h = record;

	if (maps && h->type == PERF_RECORD_MMAP)
		add_map(s, record);
	else if (!maps && h->type == PERF_RECORD_SAMPLE)
		add_look(s, record);
}

struct samples *samples_new(const char *library)
{
	struct samples *s = mem_new(1, sizeof(*s));

	s->library = library;
	s->share = 1;
	s->core_stride = 1;
	s->looks = mem_new(LOOKS_MAX, sizeof(*s->looks));
	return s;
}

void samples_take(struct samples *s, const void *data, size_t bytes, bool maps)
{
	union {
		struct perf_event_header head;
		unsigned char bytes[RECORD_MAX + 1]; /* a path ends in any case */
	} r = {0};

	for (size_t at = 0; at + sizeof(r.head) <= bytes; at += r.head.size) {
		memcpy(&r.head, (const unsigned char *)data + at, sizeof(r.head));
		if (r.head.size < sizeof(r.head) || r.head.size > bytes - at)
			return;
		if (r.head.size > RECORD_MAX)
			continue;
		memcpy(r.bytes, (const unsigned char *)data + at, r.head.size);
		r.bytes[r.head.size] = 0;
		add_record(s, &r, maps);
	}
}

/* ---- rings -------------------------------------------------------------------------- */

/* What came since the last round, in one piece: the ring is mapped, its end goes on at its beginning. */
static void read_ring(struct samples *s, const struct ring *r, bool maps)
{
	const unsigned char *data = (const unsigned char *)r->page + r->page->data_offset;
	uint64_t tail = r->page->data_tail, n = r->head - tail, at = tail % s->ring_bytes,
		 first = n < s->ring_bytes - at ? n : s->ring_bytes - at;

	memcpy(s->copy, data + at, first);
	memcpy(s->copy + first, data, n - first);
	samples_take(s, s->copy, n, maps);
}

/* Mappings of all rings first: who looks and who maps may be on different cores. */
static void samples_read_all(struct samples *s)
{
	for (size_t i = 0; i < s->n_rings; i++)
		s->rings[i].head = __atomic_load_n(&s->rings[i].page->data_head, __ATOMIC_ACQUIRE);
	for (size_t i = 0; i < s->n_rings; i++)
		read_ring(s, &s->rings[i], true);
	for (size_t i = 0; i < s->n_rings; i++) {
		read_ring(s, &s->rings[i], false);
		__atomic_store_n(&s->rings[i].page->data_tail, s->rings[i].head, __ATOMIC_RELEASE);
	}
}

/* Start or stop the clock of the period of now. */
static void set_all(const struct samples *s, unsigned long what)
{
	for (size_t i = 0; i < s->n_rings; i++)
		ioctl(s->usual ? s->rings[i].fd : s->rings[i].dense, what, 0);
}

static void set_usual(struct samples *s, bool usual)
{
	if (s->usual == usual)
		return;
	set_all(s, PERF_EVENT_IOC_DISABLE);
	s->usual = usual;
	set_all(s, PERF_EVENT_IOC_ENABLE);
}

/* Was the program switched often since the last look, @ms ago? */
static bool switched_much(struct samples *s, int ms)
{
	uint64_t n = 0, before = s->n_switches;

	if (read(s->switches, &n, sizeof(n)) != sizeof(n))
		return false;
	s->n_switches = n;
	return (double)(n - before) > SWITCHES_MANY * ms;
}

/* Nothing comes in @ms; true: it is over. */
static bool pause_ms(const struct samples *s, int ms)
{
	struct pollfd stop = {.fd = s->stop[0], .events = POLLIN};

	return poll(&stop, 1, ms) > 0;
}

static void *samples_watch(void *arg)
{
	struct samples *s = arg;
	int ms = FIRST_MS;

	while (!pause_ms(s, ms)) {
		samples_read_all(s);
		if (switched_much(s, ms)) {
			set_all(s, PERF_EVENT_IOC_DISABLE);
			if (pause_ms(s, PAUSE_MS))
				break;
			switched_much(s, PAUSE_MS);
			s->usual = false;
			s->share = (PAUSE_MS + FIRST_MS) / FIRST_MS;
			set_all(s, PERF_EVENT_IOC_ENABLE);
			ms = FIRST_MS;
		} else {
			s->share = 1;
			set_usual(s, s->totals.taken >= DENSE_MOST);
			ms *= ms < LATER_MS ? 2 : 1;
		}
	}
	return NULL;
}

/* Of this process and what it starts, counted and not looked at. */
static int open_switches(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.inherit = 1,
		.disabled = 1,
		.enable_on_exec = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* @at_once: from the exec on. */
static int open_event(int cpu, uint64_t period_ns, bool at_once, bool user_only)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_REGS_USER,
		.sample_regs_user = 1ull << PERF_REG_X86_IP,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.inherit = 1,
		.disabled = 1,
		.enable_on_exec = at_once, /* what we start, and not we */
		.mmap = 1,
		.exclude_kernel = user_only,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The clock with the short period, of the same core. */
static void add_dense(const struct samples *s, struct ring *r, int cpu)
{
	r->dense = open_event(cpu, s->period_ns / DENSE, true, s->totals.user_only);
	if (r->dense >= 0 && ioctl(r->dense, PERF_EVENT_IOC_SET_OUTPUT, r->fd)) {
		close(r->dense);
		r->dense = -1;
	}
}

static bool add_ring(struct samples *s, int cpu)
{
	struct ring r = {.fd = open_event(cpu, s->period_ns, false, s->totals.user_only), .dense = -1};

	if (r.fd < 0 && !s->n_rings && !s->totals.user_only) {
		s->totals.user_only = true;
		r.fd = open_event(cpu, s->period_ns, false, true);
	}
	if (r.fd < 0)
		return false;
	r.page = mmap(NULL, s->ring_bytes + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED,
		      r.fd, 0);
	if (r.page != MAP_FAILED)
		add_dense(s, &r, cpu);
	if (r.dense < 0) {
		if (r.page != MAP_FAILED)
			munmap(r.page, s->ring_bytes + (size_t)sysconf(_SC_PAGESIZE));
		close(r.fd);
		return false;
	}
	s->rings[s->n_rings++] = r;
	return true;
}

static void samples_release(struct samples *s)
{
	for (size_t i = 0; i < s->n_rings; i++) {
		munmap(s->rings[i].page, s->ring_bytes + (size_t)sysconf(_SC_PAGESIZE));
		close(s->rings[i].dense);
		close(s->rings[i].fd);
	}
	for (size_t i = 0; i < MAPS_MAX; i++)
		free(s->maps[i].is.path);
	if (s->switches > 0)
		close(s->switches);
	free(s->rings);
	free(s->copy);
	free(s->looks);
	vec_release(&s->cores);
	free(s);
}

/* Signals are the main thread's business. */
static bool start_thread(struct samples *s)
{
	sigset_t all, old;
	bool made;

	if (pipe2(s->stop, O_CLOEXEC))
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	made = !pthread_create(&s->thread, NULL, samples_watch, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!made) {
		close(s->stop[0]);
		close(s->stop[1]);
	}
	return made;
}

/* ---- what a look takes ---------------------------------------------------------------- */

static uint64_t thread_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* CPU time of a loop that is always the same. */
static uint64_t loop_ns(void)
{
	uint64_t begin = thread_ns();

	for (volatile unsigned i = 0; i < PRICE_TURNS; i++)
		;
	return thread_ns() - begin;
}

uint64_t samples_price_ns(void)
{
	int fd = open_event(-1, PRICE_PERIOD_NS, false, true);
	uint64_t plain = UINT64_MAX, looked = UINT64_MAX, now;

	if (fd < 0)
		return 0;
	for (int i = 0; i < PRICE_ROUNDS; i++) {
		now = loop_ns();
		plain = now < plain ? now : plain;
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		now = loop_ns();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		looked = now < looked ? now : looked;
	}
	close(fd);
	return looked > plain ? (looked - plain) * PRICE_PERIOD_NS / looked : 0;
}

/* ---- what is in the program's own text ---------------------------------------------- */

static const uint8_t *map_file(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *text = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		*bytes = (size_t)st.st_size;
		text = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	return text == MAP_FAILED ? NULL : text;
}

static bool probed(const char *path)
{
	struct err err = ERR_INIT;
	struct elf_facts facts;

	return !elf_facts(path, &facts, &err) && facts.has_sites;
}

/* Parts of the program that were found at its probes, in half periods. */
struct parts {
	double watching, resting, counting, loading;
};

static void add_part(const struct look *l, const uint8_t *text, size_t bytes, struct parts *sum)
{
	switch (probe_text_behind(text, bytes, l->offset)) {
	case PROBE_RESTING:
		sum->resting += l->weight;
		return;
	case PROBE_COUNTING:
		sum->counting += l->weight;
		return;
	default:
		sum->watching += l->weight * probe_text_at(text, bytes, l->offset).watching;
		sum->loading += probe_text_loaded(text, bytes, l->offset) ? l->weight : 0;
	}
}

/* Looks at probes in the program's text; between its own instructions, by the part that probes are of them. */
static void look_through(struct samples *s, size_t number, struct parts *sum)
{
	const struct map *m = &s->maps[number % MAPS_MAX];
	const uint8_t *text = NULL;
	size_t bytes = 0;

	for (size_t i = 0; i < s->n_looks; i++) {
		const struct look *l = &s->looks[i];

		if (l->map != number)
			continue;
		if (!text && (!probed(m->is.path) || !(text = map_file(m->is.path, &bytes))))
			return;
		if (l->offset >= bytes)
			continue;
		if (probe_text_stub(text, bytes, l->offset))
			s->totals.inside += l->weight;
		else if (probe_text_test(text, bytes, l->offset))
			sum->watching += l->weight;
		else
			add_part(l, text, bytes, sum);
	}
	if (text)
		munmap((void *)(uintptr_t)text, bytes);
}

static void look_at_text(struct samples *s)
{
	struct parts sum = {0};

	for (size_t n = s->n_maps > MAPS_MAX ? s->n_maps - MAPS_MAX : 0; n < s->n_maps; n++)
		if (!s->maps[n % MAPS_MAX].library)
			look_through(s, n, &sum);
	s->totals.resting = (uint64_t)(sum.resting + 0.5);
	s->totals.watching = (uint64_t)(sum.watching + 0.5);
	s->totals.counting = (uint64_t)(sum.counting + 0.5);
	s->totals.loading = (uint64_t)(sum.loading + 0.5);
}

struct samples *samples_start(const char *library, uint64_t period_ns)
{
	struct samples *s = samples_new(library);
	long cpus = sysconf(_SC_NPROCESSORS_CONF), online = sysconf(_SC_NPROCESSORS_ONLN);

	if (cpus > CPUS_MAX)
		cpus = CPUS_MAX;
	s->rings = mem_new((size_t)cpus, sizeof(*s->rings));
	s->ring_bytes = PAGES * 4096;
	s->period_ns = period_ns;
	s->copy = mem_new(1, s->ring_bytes);
	s->switches = open_switches();
	for (int i = 0; i < cpus; i++)
		add_ring(s, i);
	/* Without one of the cores what ran there would be missing. */
	if (!s->n_rings || (long)s->n_rings < online || !start_thread(s)) {
		samples_release(s);
		return NULL;
	}
	return s;
}

static void give_maps(struct samples *s, struct samples_maps *maps)
{
	size_t first = s->n_maps > MAPS_MAX ? s->n_maps - MAPS_MAX : 0;

	maps->at = mem_new(s->n_maps - first + 1, sizeof(*maps->at));
	for (size_t n = first; n < s->n_maps; n++) {
		maps->at[maps->n++] = s->maps[n % MAPS_MAX].is;
		s->maps[n % MAPS_MAX].is.path = NULL;
	}
}

void samples_maps_release(struct samples_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		free(maps->at[i].path);
	free(maps->at);
	*maps = (struct samples_maps){0};
}

void samples_stop(struct samples *s, struct samples_totals *totals, struct samples_maps *maps,
		  struct samples_cores *cores)
{
	*cores = (struct samples_cores)VEC_INIT;
	*maps = (struct samples_maps){0};
	*totals = (struct samples_totals){0};
	if (!s)
		return;
	if (s->n_rings) {
		close(s->stop[1]);
		pthread_join(s->thread, NULL);
		close(s->stop[0]);
		samples_read_all(s);
	}
	if (s->loaded) {
		look_at_text(s);
		*totals = s->totals;
	}
	*cores = s->cores;
	s->cores = (struct samples_cores)VEC_INIT;
	give_maps(s, maps);
	samples_release(s);
}
