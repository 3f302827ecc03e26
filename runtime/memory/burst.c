/* SPDX-License-Identifier: MIT */
/*
 * Probes that a range covers, and in rate mode all, sleep as no-ops (perseus/abi.h).
 * A helper makes them jumps for the length of a burst,
 * in all threads at once: two threads that are looked at one at a time are never
 * seen to take a line from each other.
 *
 * Switching may take BUDGET of the run.  Where there are more places than that
 * pays for, slices of them take turns; the directory keeps who had a line from
 * one burst to the next, so a pair that is never enabled together is still seen
 * to alternate.  Slices that were enabled when a transfer came from a site that
 * had none before are switched by every burst from then on.
 *
 * An adaptive run begins as a precise one: from its second thread on
 * everything is enabled for a while.  Then it settles, and bursts are all there is.
 *
 * The first burst comes with the program's second thread, and whenever a thread
 * begins one is due: short programs have all they do in their first milliseconds.
 */
#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/helper.h"
#include "runtime/base/lock.h"
#include "runtime/memory/burst.h"
#include "runtime/memory/sharing.h"
#include "runtime/memory/enable.h"
#include "runtime/memory/mem.h"

#define LENGTH_US   1000u
#define PERIOD_US   20000u
#define AGAIN_US    2000u   /* least time between two bursts that begin because a thread does */
#define ADVANCE     4       /* bursts that need not be earned first */
#define BUDGET      100u    /* one in that many */
#define ADVANCE_US  3000u   /* ... and that in advance */
#define SLICE       256u    /* places */
#define TURN_SLICES 8u      /* of those that take turns, enabled at once */
#define PLACE_PS    100000u /* first guess: a place on and off */
#define SITES       65536u
#define FIRST_US    100000u /* adaptive: everything is looked at for so long */

/* Some tables of one module, next to each other. */
struct rt_slice {
	struct rt_slice *next; /* all slices of the process, in a ring */
	const struct rt_module *module;
	const uint32_t *table; /* 8 bytes from the module's start */
	uint32_t n_tables;
	uint32_t places;
	uint16_t hot; /* takes part in every burst */
	uint16_t enabled;
};

/* The slices of a module, then its tables; m->places shows them. */
struct rt_places {
	uint64_t bytes; /* of this mapping */
	uint32_t n_slices;
	struct rt_slice slice[];
};

static struct {
	uint32_t lock;    /* held while places are written, and over a fork */
	uint32_t word;    /* the helper sleeps on it */
	uint32_t tid;     /* of the helper: not 0 while there is one */
	uint32_t started; /* there is one, or there can be none */
	uint32_t stop;
	uint32_t kick;  /* a thread has begun */
	uint32_t turns; /* some slices sleep in this burst */
	uint32_t found; /* a site had its first transfer meanwhile */
	uint32_t places, hot, enabled;
	uint64_t length, period; /* us */
	uint64_t share;          /* one in that many of the time */
	uint64_t first;          /* us that an adaptive run looks at everything */
	uint64_t first_at;       /* ... from here on, ticks */
	uint64_t began;          /* the last burst, ticks */
	int64_t credit;          /* ticks that bursts may last */
	uint64_t credited;       /* ... counted up to then */
	uint64_t enabled_at;
	uint64_t spent_ns; /* CPU time */
	uint64_t place_ps;
	struct rt_slice *ring; /* its last one, or NULL; the first of those that take turns comes next */
	uint8_t seen[SITES / 8];
} b;

static uint64_t ticks_of(uint64_t us)
{
	return rt.tick_hz / 1000 * us / 1000;
}

static uint64_t us_of(uint64_t ticks)
{
	return ticks / (rt.tick_hz / 1000000 + !(rt.tick_hz / 1000000));
}

void burst_ask(void)
{
	uint64_t length = env_number(PRS_ENV_BURST, LENGTH_US, 1000000);
	uint64_t period = env_number(PRS_ENV_BURSTS, PERIOD_US, 100000000);

	b.length = length;
	b.period = period > length ? period : 2 * length;
	b.share = b.period / b.length;
	b.place_ps = PLACE_PS;
	b.first = env_number(PRS_ENV_FIRST, FIRST_US, 1000000000);
}

void burst_describe(struct prs_rec_header *h)
{
	h->burst_period_ns = b.period * 1000;
	h->places = b.places > h->places ? b.places : h->places;
	h->places_hot = b.hot;
}

static void lock(void)
{
	uint32_t spins = 0;

	while (__atomic_exchange_n(&b.lock, 1, __ATOMIC_ACQUIRE))
		if (++spins % 64 == 0)
			sys_sched_yield();
}

static void unlock(void)
{
	__atomic_store_n(&b.lock, 0, __ATOMIC_RELEASE);
}

/* ---- switching ------------------------------------------------------------------------ */

static void table_at(const struct rt_module *m, uint32_t at, struct rt_table *t)
{
	enable_table((const void *)(m->shadow.start + 8ull * at), t);
}

/* What waits for bursts, or what a precise run has enabled all the time. */
static void write_places(const struct rt_slice *s, bool bursts, bool enabled)
{
	struct rt_table t;

	for (uint32_t i = 0; i < s->n_tables; i++) {
		table_at(s->module, s->table[i], &t);
		for (uint32_t k = bursts ? t.n_jump : t.n_keep; k < (bursts ? t.n : t.n_jump); k++)
			enable_place(&t, k, enabled);
	}
}

static void flip(struct rt_slice *s, bool enabled)
{
	write_places(s, true, enabled);
	s->enabled = enabled;
	b.enabled += enabled ? s->places : 0 - s->places;
}

/* What was found while some took turns is one of them. */
static void heat(struct rt_slice *s)
{
	if (!s->hot)
		b.hot += s->places;
	s->hot = 1;
}

static void all_disabled(void)
{
	bool learn = b.turns && b.found;
	struct rt_slice *s = b.ring;

	do {
		if (s->enabled && learn)
			heat(s);
		if (s->enabled)
			flip(s, false);
		s = s->next;
	} while (s != b.ring);
	b.found = 0;
}

/* Under the lock. */
static void burst_end(void)
{
	uint64_t ns = sys_cpu_ns(), places = b.enabled, on;

	rt_store(&sharing.burst_on, 0);
	if (!places)
		return;
	on = rt_ticks() - b.enabled_at;
	rt.header->burst_ticks += on;
	b.credit -= (int64_t)(on < 2 * ticks_of(b.length) ? on : 2 * ticks_of(b.length));
	rt.header->enabled_ticks += on * places / b.places;
	all_disabled();
	enable_barrier();
	mem_ask_again();
	ns = sys_cpu_ns() - ns;
	b.spent_ns += ns;
	b.place_ps = (3 * b.place_ps + 2000 * ns / places) / 4 + 1;
	rt.header->flip_ticks = b.spent_ns * (rt.tick_hz / 1000) / 1000000;
	burst_describe(rt.header);
}

/* How many places may be switched on and off now. */
static uint64_t affordable(uint64_t now)
{
	uint64_t ns = us_of(now - rt.header->tsc_start) * 1000 / BUDGET + ADVANCE_US * 1000;

	return ns > b.spent_ns ? (ns - b.spent_ns) * 1000 / b.place_ps : 0;
}

/*
 * Wake the hot ones, and of the others those whose turn it is while @room
 * lasts.  The ring turns as far as it got.
 */
static void enable_some(uint64_t room)
{
	uint32_t turns = room >= b.places ? ~0u : TURN_SLICES;
	struct rt_slice *s = b.ring, *last = b.ring;

	room -= b.hot;
	do {
		s = s->next;
		if (s->hot) {
			flip(s, true);
		} else if (turns && s->places <= room) {
			flip(s, true);
			room -= s->places;
			turns--;
			b.ring = s;
		}
	} while (s != last);
}

/* Under the lock.  False: not now, it would take too long. */
static bool burst_begin(uint64_t now)
{
	uint64_t room = affordable(now), ns;

	if (!b.ring || room < b.hot)
		return false;
	ns = sys_cpu_ns();
	enable_some(room);
	if (!b.enabled)
		return false;
	b.turns = b.enabled < b.places;
	enable_barrier();
	b.began = now;
	b.enabled_at = rt_ticks();
	rt.header->n_bursts++;
	b.spent_ns += sys_cpu_ns() - ns;
	rt_store(&sharing.burst_on, 1);
	mem_ask_again();
	return true;
}

void burst_saw(uint32_t site)
{
	uint32_t i = site % SITES;
	uint8_t bit = (uint8_t)(1u << i % 8);

	if (!rt_load(&b.turns) || rt_load(&b.seen[i / 8]) & bit)
		return;
	__atomic_fetch_or(&b.seen[i / 8], bit, __ATOMIC_RELAXED);
	rt_store(&b.found, 1);
}

/* ---- adaptive runs ---------------------------------------------------------------------- */

/* Under rt_lock(), while no burst is on: look at everything, or settle down to bursts. */
static void set_first(bool first)
{
	struct rt_slice *s;

	lock();
	sharing.first = 1; /* write_places() sees what is direct */
	s = b.ring;
	do {
		write_places(s, false, first);
		s = s->next;
	} while (s != b.ring);
	rt_store(&sharing.first, first);
	unlock();
	sharing_objects.words();
	enable_barrier();
}

/* Under rt_lock(). */
static void begin_first(void)
{
	if (sharing.mode != PRS_SHARING_ADAPTIVE)
		return;
	if (!sharing.first)
		set_first(true);
	b.first_at = rt_ticks();
	rt.header->settled_tsc = 0;
	rt.header->first_tsc = b.first_at;
}

static uint64_t first_left(uint64_t now)
{
	uint64_t most = ticks_of(b.first), gone = now > b.first_at ? now - b.first_at : 0;

	return gone < most ? most - gone : 0;
}

static void burst_settle(void)
{
	uint64_t old;

	rt_lock(&old);
	if (b.ring && rt_recording()) {
		set_first(false);
		rt.header->settled_tsc = rt_ticks();
	}
	rt_unlock(&old);
}

/* ---- the helper ------------------------------------------------------------------------- */

/* Sleep for @ticks, or until somebody changes the word. */
static void doze(uint32_t seen, uint64_t ticks)
{
	sys_futex_wait(&b.word, seen, us_of(ticks) + 1);
}

static bool over(void)
{
	return rt_acquire(&b.stop) || !rt_recording();
}

/*
 * Bursts may last their share of the time.  If the helper is woken up late to
 * end one, the next comes later, too, though no more than a period.
 */
static void earn(uint64_t now)
{
	int64_t most = (int64_t)ticks_of(ADVANCE * b.length);

	b.credit += (int64_t)((now - b.credited) / b.share);
	if (b.credit > most || !b.credited)
		b.credit = most;
	b.credited = now;
}

static uint64_t until_due(uint64_t now)
{
	int64_t lacks = (int64_t)ticks_of(b.length);
	uint64_t due = b.began + ticks_of(b.period < AGAIN_US ? b.period : AGAIN_US);

	earn(now);
	lacks = rt_load(&b.kick) ? -ADVANCE * lacks - b.credit : lacks - b.credit;
	if (lacks > 0)
		return (uint64_t)lacks * b.share;
	return !b.began || now >= due ? 0 : due - now;
}

/* Until the burst has lasted long enough, or somebody has ended it. */
static void sleep_over(void)
{
	uint64_t length = ticks_of(b.length), gone;

	while (!over() && rt_load(&b.enabled) && (gone = rt_ticks() - b.enabled_at) < length)
		doze(rt_load(&b.word), length - gone);
}

static void one_burst(uint64_t now)
{
	bool on;

	rt_store(&b.kick, 0);
	lock();
	on = !over() && burst_begin(now);
	unlock();
	if (on)
		sleep_over();
	else
		b.began = now;
	lock();
	burst_end();
	unlock();
}

static void helper_run(void)
{
	uint64_t looked = rt_ticks();

	helper_begin("perseus-burst", &b.tid);
	rt_syscall3(SYS_prctl, 29 /* PR_SET_TIMERSLACK */, 1, 0);
	while (!over() && !helper_left(&looked)) {
		uint32_t word = rt_acquire(&b.word);
		uint64_t now = rt_ticks(), wait = until_due(now),
			 left = sharing.first ? first_left(now) : ~0ull;

		if (!left)
			burst_settle();
		else if (wait > left)
			doze(word, left);
		else if (wait)
			doze(word, wait);
		else
			one_burst(now);
	}
	helper_end();
}

/* A program of one thread has nobody to share with. */
static void burst_start(void)
{
	if (b.started || !b.places || rt.n_threads < 2)
		return;
	b.started = b.tid = 1;
	b.stop = 0;
	b.began = 0;
	begin_first();
	if (helper_start(helper_run))
		return;
	b.tid = 0;
	file_note_off(PRS_OFF_BURST);
}

void burst_thread(const struct rt_thread *t)
{
	if (rt.n_threads > 1)
		sharing_objects.company();
	burst_start();
	if (!t->index || !b.tid || rt_ticks() - rt_load(&b.began) < ticks_of(AGAIN_US))
		return;
	rt_store(&b.kick, 1);
	helper_nudge(&b.word);
}

void burst_stop(void)
{
	rt_publish(&b.stop, 1);
	if (!b.started)
		return;
	helper_join(&b.tid, &b.word);
	b.started = 0;
}

void burst_go_on(void)
{
	b.stop = 0;
	burst_start();
}

/* ---- over a fork --------------------------------------------------------------------------- */

void burst_pause(void)
{
	lock();
	if (b.enabled)
		burst_end();
}

void burst_resume(void)
{
	unlock();
}

void burst_forked(void)
{
	b.started = b.tid = b.stop = b.kick = 0;
	b.credited = 0;
	b.spent_ns = 0;
}

/* ---- modules ---------------------------------------------------------------------------------- */

/* The tables of a module that have places for bursts; counted only if there is no room. */
struct listing {
	const struct rt_module *module;
	uint32_t *table;
	uint32_t n;
};

static bool list_table(const struct rt_code *code, const struct rt_table *t, void *arg)
{
	struct listing *l = arg;

	if (t->n > t->n_keep && enable_waits(code, t)) {
		if (l->table)
			l->table[l->n] = (uint32_t)((t->at - l->module->shadow.start) / 8);
		l->n++;
	}
	return true;
}

static void join_ring(struct rt_slice *s)
{
	s->next = b.ring ? b.ring->next : s;
	if (b.ring)
		b.ring->next = s;
	b.ring = s;
	b.places += s->places;
}

static void burst_cut(struct rt_places *p, const struct rt_module *m, const uint32_t *table, uint32_t n)
{
	struct rt_slice *s = p->slice;
	struct rt_table t;

	for (uint32_t i = 0; i < n; i++) {
		if (s->places >= SLICE)
			join_ring(s++);
		if (!s->n_tables)
			s->table = table + i;
		table_at(m, table[i], &t);
		s->module = m;
		s->n_tables++;
		s->places += t.n - t.n_keep;
	}
	join_ring(s);
	p->n_slices = (uint32_t)(s - p->slice) + 1;
}

void burst_add(struct rt_module *m)
{
	struct listing l = {.module = m};
	struct rt_places *p;
	uint64_t head;

	enable_each(&m->segments, list_table, &l);
	if (!l.n)
		return;
	head = sizeof(*p) + sizeof(struct rt_slice) * l.n;
	p = sys_anon(head + 4ull * l.n);
	if (!p)
		return;
	p->bytes = head + 4ull * l.n;
	l.table = (uint32_t *)((unsigned char *)p + head);
	l.n = 0;
	enable_each(&m->segments, list_table, &l);
	lock();
	burst_cut(p, m, l.table, l.n);
	m->places = p;
	burst_describe(rt.header);
	unlock();
	burst_start();
}

static void leave_ring(struct rt_slice *s)
{
	struct rt_slice *before = s;

	while (before->next != s)
		before = before->next;
	before->next = s->next;
	if (b.ring == s)
		b.ring = before == s ? NULL : before;
	b.places -= s->places;
	b.hot -= s->hot ? s->places : 0;
}

void burst_remove(struct rt_module *m)
{
	struct rt_places *p = m->places;

	if (!p)
		return;
	lock();
	for (uint32_t i = 0; i < p->n_slices; i++) {
		if (p->slice[i].enabled)
			flip(&p->slice[i], false);
		leave_ring(&p->slice[i]);
	}
	m->places = NULL;
	sys_munmap(p, p->bytes);
	unlock();
}
