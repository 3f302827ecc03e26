/* SPDX-License-Identifier: MIT */
/*
 * Readings of a thread's counters.
 *
 * Which way they are read is settled by timing it at the process's first
 * thread, never by what the kernel says is possible: rdpmc traps to the
 * hypervisor in many virtual machines and then costs more than read(2).
 *
 * A thread's readings are one chunk.  When it is full every other one is
 * dropped and the interval doubles; as readings are running sums that costs
 * resolution and nothing else, so a thread takes a bounded place however long
 * it lives.  A reading whose tick is 0 is none: it is written first and last,
 * so that a kill at any moment leaves a list that only needs sorting.
 */
#include "runtime/calls/counters.h"

#include <stdlib.h>

#include "arch/pmc.h"
#include "runtime/base/file.h"
#include "runtime/calls/counter-set.h"

#define CHUNK_BYTES   (256u << 10)
#define INTERVAL_US   1000u /* between two readings by read(2) */
#define COST_SHARE    512u  /* of the interval, at most, for one reading */
#define RDPMC_MAX_NS  50u
#define TRAP_NS       2000u /* a first read that takes longer is not tried again */
#define TIMED_READS   16u
#define FDS_MAX       (1u << 16)
#define INTERVAL_LAST (1ull << 40) /* ticks: no longer doubled */

struct rt_counters {
	uint32_t busy; /* somebody reads: the thread, or the one that ends the process */
	uint32_t stopped;
	struct prs_chunk *chunk;
	uint64_t backed; /* bytes of the chunk with space on the disk */
	uint64_t interval;
	struct counter_set set;
};

/* ---- what to count: "rdpmc;TYPE.CONFIG.CONFIG1.CONFIG2.FLAGS NAME;..." in hex --------- */

static const char *take_hex(const char *s, uint64_t *v)
{
	*v = 0;
	for (;; s++) {
		if (*s >= '0' && *s <= '9')
			*v = *v << 4 | (uint64_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			*v = *v << 4 | (uint64_t)(*s - 'a' + 10);
		else
			return *s == '.' ? s + 1 : s;
	}
}

static const char *take_name(const char *s, char name[PRS_EVENT_NAME])
{
	uint32_t n = 0;

	for (; *s && *s != ';'; s++)
		if (n < PRS_EVENT_NAME - 1)
			name[n++] = *s;
	name[n] = '\0';
	return s;
}

/* Behind the event at @s, or NULL if that is none. */
static const char *take_event(const char *s, struct counter_event *e)
{
	uint64_t type, flags;

	*e = (struct counter_event){0};
	s = take_hex(s, &type);
	s = take_hex(s, &e->config);
	s = take_hex(s, &e->config1);
	s = take_hex(s, &e->config2);
	s = take_hex(s, &flags);
	if (*s != ' ')
		return NULL;
	e->type = (uint32_t)type;
	e->flags = (uint32_t)flags;
	s = take_name(s + 1, e->name);
	return e->name[0] ? s : NULL;
}

static void counters_parse(const char *s)
{
	struct counter_plan *p = &counter_plan;

	p->pages = *s == 'r';
	while (*s && *s != ';')
		s++;
	while (s && *s == ';' && p->n < PRS_EVENTS_MAX) {
		s = take_event(s + 1, &p->event[p->n]);
		p->n += s != NULL;
	}
}

/* Descriptors are the program's: a quarter of what it may have, at most. */
static uint32_t descriptor_share(void)
{
	struct rlimit lim = {0, 0};

	rt_syscall4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&lim);
	return lim.rlim_cur / 4 > FDS_MAX ? FDS_MAX : (uint32_t)(lim.rlim_cur / 4);
}

void counters_ask(void)
{
	const char *text = secure_getenv(PRS_ENV_EVENTS);

	if (!text || !*text)
		return;
	counters_parse(text);
	counter_plan.fds_max = descriptor_share();
	counter_plan.pages &= !arch_on_valgrind();
}

/* ---- how to read -------------------------------------------------------------------- */

static uint64_t to_ns(uint64_t ticks)
{
	return ticks < 1u << 30 ? ticks * 1000 / (rt.tick_hz / 1000000) : ~0ull;
}

/* The cheapest of a few; one that is far too costly is not repeated. */
static uint64_t read_cost(struct counter_set *s)
{
	uint64_t best = ~0ull;

	for (uint32_t i = 0; i < TIMED_READS && (!i || to_ns(best) < 1000 * TRAP_NS); i++) {
		uint64_t begin = rt_ticks(), spent;

		s->read_at = begin; /* by the pages: without those that have none */
		set_read(s, begin);
		spent = rt_ticks() - begin;
		best = spent < best ? spent : best;
	}
	return best;
}

static bool is_hardware(const struct counter_set *s, uint32_t i)
{
	return s->fd[i] >= 0 && s->page[i];
}

/* The costliest of all counters decides. */
static uint64_t pages_cost(const struct counter_set *s)
{
	static const struct counter_hands hands = {arch_pmc, arch_tsc};
	uint64_t worst = 0, trap = rt.tick_hz / 1000000 * TRAP_NS / 1000;

	for (uint32_t i = 0; s->by_page && i < counter_plan.n; i++) {
		uint64_t cost =
			is_hardware(s, i) ? counter_page_cost(s->page[i], &hands, trap, TIMED_READS) : 0;

		worst = cost > worst ? cost : worst;
	}
	return worst;
}

/* A group that the hardware takes and never runs (a watchdog has one of its counters). */
static bool never_runs(const struct counter_set *s)
{
	for (uint32_t i = 0; i < counter_plan.n; i++)
		if (s->fd[i] >= 0 && counter_plan.event[i].type != PERF_TYPE_SOFTWARE)
			return s->last[i].enabled && !s->last[i].running;
	return false;
}

static uint64_t text_cost[2]; /* ns of one reading by read(2), of one counter by rdpmc */

static void choose_rung(struct counter_set *s)
{
	uint64_t by_read = read_cost(s), by_page = pages_cost(s);
	struct counter_plan *p = &counter_plan;

	if (by_read * COST_SHARE > p->read_interval)
		p->read_interval = by_read * COST_SHARE;
	p->rung = by_page && to_ns(by_page) < RDPMC_MAX_NS ? PRS_RUNG_RDPMC : PRS_RUNG_READ;
	p->pages = p->rung == PRS_RUNG_RDPMC;
	text_cost[0] = to_ns(by_read);
	text_cost[1] = by_page && by_page != COUNTER_NO_COST ? to_ns(by_page) : 0;
}

static bool counts_by_kernel(void)
{
	for (uint32_t i = 0; i < counter_plan.n; i++)
		if (counter_plan.event[i].source == COUNTER_PERF)
			return true;
	return false;
}

/* The process's first thread finds out what there is and what it costs; ends with @s open. */
static bool calibrate(struct counter_set *s)
{
	bool any;

	counter_plan.pages &= rt.tsc; /* what a page says of time is in ticks of the counter */
	counter_plan.read_interval = rt.tick_hz / 1000000 * INTERVAL_US;
	any = set_open(s);
	counter_plan.known = 1;
	counter_plan.rung = PRS_RUNG_CLOCK;
	if (!counts_by_kernel())
		return any;
	counter_plan.rung = PRS_RUNG_READ;
	choose_rung(s);
	if (!never_runs(s))
		return any;
	set_close(s);
	counter_plan.lone = 1;
	return set_open(s);
}

/* ---- the text: names, and what became of them ------------------------------------------- */

struct text {
	char *at, *end;
};

static void counters_put(struct text *t, const char *s)
{
	while (*s && t->at < t->end)
		*t->at++ = *s++;
}

static void put_number(struct text *t, uint64_t v)
{
	char digits[24], *p = digits + sizeof(digits);

	*--p = '\0';
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	counters_put(t, p);
}

static void put_line(struct text *t, const char *key, uint64_t v)
{
	counters_put(t, "counters.");
	counters_put(t, key);
	counters_put(t, " ");
	put_number(t, v);
	counters_put(t, "\n");
}

static void put_field(struct text *t, uint32_t i, const char *field)
{
	counters_put(t, "event.");
	put_number(t, i);
	counters_put(t, field);
}

static void put_event(struct text *t, uint32_t i)
{
	static const char *const sources[] = {"none", "perf", "system"};
	const struct counter_event *e = &counter_plan.event[i];

	put_field(t, i, ".name ");
	counters_put(t, e->name);
	counters_put(t, "\n");
	put_field(t, i, ".source ");
	counters_put(t, sources[e->source]);
	counters_put(t, e->user_only && !counter_is_clock(e) ? " user\n" : "\n");
	put_field(t, i, ".group ");
	put_number(t, e->group);
	counters_put(t, "\n");
	put_field(t, i, ".error ");
	put_number(t, (uint64_t)e->error);
	counters_put(t, "\n");
}

static void counters_tell(void)
{
	struct prs_chunk *c = file_chunk(PRS_CHUNK_TEXT, 0, PRS_NO_THREAD, PRS_PAGE_BYTES, PRS_PAGE_BYTES);
	struct text t;

	if (!c)
		return;
	t.at = (char *)(c + 1);
	t.end = (char *)c + PRS_PAGE_BYTES - 1;
	put_line(&t, "interval_us", to_ns(counter_plan.read_interval) / 1000);
	put_line(&t, "read_ns", text_cost[0]);
	put_line(&t, "rdpmc_ns", text_cost[1]);
	for (uint32_t i = 0; i < counter_plan.n; i++)
		put_event(&t, i);
	c->used = (uint64_t)(t.at - (char *)(c + 1));
	file_publish(c);
	rt.header->n_counters = counter_plan.n;
	rt_publish(&rt.header->counter_rung, counter_plan.rung);
	counter_plan.told = 1;
}

/* ---- readings -------------------------------------------------------------------------- */

static uint32_t entry_bytes(void)
{
	return (uint32_t)(sizeof(struct prs_counter) + counter_plan.n * sizeof(struct prs_counter_value));
}

static struct prs_counter *entry_at(const struct rt_counters *c, uint64_t i)
{
	return (struct prs_counter *)((unsigned char *)(c->chunk + 1) + i * entry_bytes());
}

/* @tick 0 takes an entry out of sight, its own brings it back. */
static void counters_show(struct prs_counter *e, uint64_t tick)
{
	rt_barrier();
	rt_store(&e->tsc, tick);
	rt_barrier();
}

static void move(struct prs_counter *to, const struct prs_counter *from)
{
	uint64_t *out = (uint64_t *)to;
	const uint64_t *in = (const uint64_t *)from;

	counters_show(to, 0);
	for (uint32_t i = 1; i < entry_bytes() / 8; i++)
		rt_store(&out[i], in[i]);
	counters_show(to, from->tsc);
}

/* Drop every other reading and keep the last one. */
static void thin(struct rt_counters *c)
{
	uint64_t n = c->chunk->used, kept = 0;

	for (uint64_t i = (n - 1) % 2; i < n; i += 2)
		if (kept++ != i)
			move(entry_at(c, kept - 1), entry_at(c, i));
	rt_publish(&c->chunk->used, kept);
	if (c->interval < INTERVAL_LAST)
		c->interval *= 2;
}

/* Room for one more reading; NULL: not even after thinning. */
static struct prs_counter *room(struct rt_counters *c)
{
	uint64_t end = sizeof(struct prs_chunk) + (c->chunk->used + 1) * entry_bytes();

	if (end > c->backed && end <= CHUNK_BYTES && !c->stopped) {
		if (file_back(file_offset(c->chunk) + c->backed, PRS_PAGE_BYTES))
			c->backed += PRS_PAGE_BYTES;
		else
			c->stopped = 1;
	}
	if (end > c->backed)
		thin(c);
	end = sizeof(struct prs_chunk) + (c->chunk->used + 1) * entry_bytes();
	return end <= c->backed ? entry_at(c, c->chunk->used) : NULL;
}

static uint32_t site_of(struct rt_thread *t)
{
	return t == rt_self && rt_innermost(t) ? rt_innermost(t)->site : PRS_NO_SITE;
}

static void counters_append(struct rt_thread *t, struct rt_counters *c, uint64_t now, uint32_t why)
{
	struct prs_counter *e = room(c);
	struct prs_counter_value *v;

	if (!e)
		return;
	counters_show(e, 0);
	e->site = site_of(t);
	e->why = (uint16_t)why;
	e->n = (uint16_t)counter_plan.n;
	v = (struct prs_counter_value *)(e + 1);
	for (uint32_t i = 0; i < counter_plan.n; i++)
		v[i] = c->set.last[i];
	counters_show(e, now);
	rt_publish(&c->chunk->used, c->chunk->used + 1);
}

/* All signals are blocked: a handler would find the reading half done. */
static void calls_counters_take(struct rt_thread *t, struct rt_counters *c, uint32_t why)
{
	uint64_t now;

	if (__atomic_exchange_n(&c->busy, 1, __ATOMIC_ACQUIRE))
		return;
	now = rt_ticks();
	set_read(&c->set, now);
	counters_append(t, c, now, why);
	t->counters_due = now + c->interval;
	t->counters_early = c->interval / 4 * 3;
	__atomic_store_n(&c->busy, 0, __ATOMIC_RELEASE);
}

/* A child that no handler told us of has the descriptors of its parent's threads, and not their pages. */
void counters_take(struct rt_thread *t, uint32_t why)
{
	uint64_t old;

	if (sys_getpid() != rt.pid)
		return;
	sys_signals_block(&old);
	if (t->counters)
		calls_counters_take(t, t->counters, why);
	sys_signals_restore(&old);
}

/* ---- a thread's life ------------------------------------------------------------------------ */

static struct rt_counters *memory_for(struct rt_thread *t)
{
	if (!t->counters_kept)
		t->counters_kept = sys_anon(sizeof(struct rt_counters));
	return t->counters_kept;
}

static bool chunk_make(struct rt_thread *t, struct rt_counters *c)
{
	c->chunk = file_chunk(PRS_CHUNK_COUNTER, entry_bytes(), t->index, CHUNK_BYTES, PRS_PAGE_BYTES);
	if (!c->chunk)
		return false;
	c->backed = PRS_PAGE_BYTES;
	file_publish(c->chunk);
	return true;
}

/* What this thread was refused, in place of values. */
static void append_refusal(struct rt_thread *t, struct rt_counters *c)
{
	for (uint32_t i = 0; i < counter_plan.n; i++)
		if (c->set.fd[i] < 0)
			c->set.last[i].value = (uint64_t)c->set.error[i];
	counters_append(t, c, rt_ticks(), PRS_COUNTER_REFUSED);
	for (uint32_t i = 0; i < counter_plan.n; i++)
		if (c->set.fd[i] < 0)
			c->set.last[i].value = 0;
}

void counters_begin(struct rt_thread *t)
{
	struct rt_counters *c = counter_plan.n ? memory_for(t) : NULL;
	bool any;

	if (!c)
		return;
	*c = (struct rt_counters){0};
	any = counter_plan.known ? set_open(&c->set) : calibrate(&c->set);
	if (!counter_plan.told)
		counters_tell();
	if (!any || !chunk_make(t, c)) {
		set_close(&c->set);
		return;
	}
	c->interval = counter_plan.rung == PRS_RUNG_RDPMC && c->set.by_page ? rt.block_ticks
									    : counter_plan.read_interval;
	t->counters_due = c->set.opened + c->interval;
	t->counters_early = c->interval / 4 * 3;
	t->counters = c;
	if (set_lacks(&c->set))
		append_refusal(t, c);
}

void counters_end(struct rt_thread *t)
{
	struct rt_counters *c = t->counters;
	uint64_t old;

	if (!c)
		return;
	counters_take(t, PRS_COUNTER_END);
	sys_signals_block(&old);
	t->counters = NULL;
	while (__atomic_exchange_n(&c->busy, 1, __ATOMIC_ACQUIRE)) /* the end of the process reads it */
		sys_sched_yield();
	set_close(&c->set);
	sys_signals_restore(&old);
}

void counters_snapshot(struct rt_thread *t)
{
	struct rt_counters *c = rt_load(&t->counters);

	if (c)
		calls_counters_take(t, c, PRS_COUNTER_END);
}

void counters_forked(void)
{
	counter_plan.told = 0; /* to the new record */
	for (struct rt_thread *t = rt.all; t; t = t->all_next) {
		struct rt_counters *c = t->counters;

		t->counters = NULL;
		if (c)
			set_drop(&c->set);
	}
}
