/* SPDX-License-Identifier: MIT */
#include "runtime/calls/wait.h"

#define ENTRY_BYTES sizeof(struct prs_wait)
#define SPARE       64u /* entries for the sums of kinds when the rest are used up */
#define EVENT_ROOM  (RT_EVENT_MAX / 4 * 3)
#define IO_SHARE    100000u /* of a second: 10 us */

static struct {
	uint64_t *tids;   /* which thread has a kernel id */
	uint64_t *wakers; /* who woke others last at an object */
} who;

/* Memory that reads as zero; what a fork child inherits is about threads of its parent. */
static uint64_t *notes(uint64_t *old, size_t words)
{
	if (!old)
		return sys_anon(words * sizeof(*old));
	sys_madvise(old, words * sizeof(*old), MADV_DONTNEED);
	return old;
}

bool wait_setup(void)
{
	who.tids = notes(who.tids, RT_WHO_THREADS);
	who.wakers = notes(who.wakers, RT_WHO_OBJECTS * RT_WHO_SPACING);
	return who.tids && who.wakers;
}

/* ---- entries -------------------------------------------------------------------- */

static void forget(struct rt_waits *w)
{
	uint64_t *p = (uint64_t *)w;

	for (size_t i = 0; i < sizeof(*w) / sizeof(*p); i++)
		rt_store(&p[i], 0);
}

struct rt_waits *wait_begin(struct rt_thread *t)
{
	struct rt_waits *w = t->waits_kept;

	if (!w)
		w = sys_anon(sizeof(*w));
	if (!w)
		return NULL;
	if (t->waits_kept)
		forget(w);
	t->waits_kept = w;
	w->io_ticks = rt.tick_hz / IO_SHARE;
	w->event_mark = EVENT_ROOM / 2;
	rt_publish(&t->waits, w); /* other_end() looks at it from other threads */
	return w;
}

static uint32_t head_of(const struct rt_wait_key *key)
{
	uint64_t h = (key->object ^ key->caller * 5) + key->kind + ((uint64_t)key->other << 32 | key->site);

	return (uint32_t)(h * 0x9e3779b97f4a7c15ull >> 57);
}

static bool is_for(const struct prs_wait *e, const struct rt_wait_key *key)
{
	return e->object == key->object && e->caller == key->caller && e->kind == key->kind &&
	       e->flags == key->flags && e->other == key->other &&
	       (e->site == key->site || key->flags == PRS_WAIT_TAKEN);
}

static struct prs_wait *wait_find(const struct rt_waits *w, const struct rt_wait_key *key, uint32_t head)
{
	const struct prs_wait *e;

	for (uint64_t at = 64ull * rt_load(&w->head[head]); at; at = e->next) {
		e = (const struct prs_wait *)(rt.base + at);
		if (is_for(e, key))
			return (struct prs_wait *)(rt.base + at);
	}
	return NULL;
}

static uint32_t site_now(struct rt_thread *t)
{
	struct prs_open *open = rt_innermost(t);

	return open && open->record ? open->site : PRS_NO_SITE;
}

static uint32_t path_now(struct rt_thread *t)
{
	struct prs_open *open = rt_innermost(t);

	return open ? open->record : 0;
}

/* A handler may make entries between any two steps: at worst a key has two of them. */
static struct prs_wait *wait_make(struct rt_thread *t, const struct rt_wait_key *key, uint32_t head)
{
	struct rt_waits *w = t->waits;
	struct prs_chunk *at;
	uint32_t newest;
	struct prs_wait *e = stream_take(&w->stream, PRS_CHUNK_WAIT, ENTRY_BYTES, t->index,
					 (RT_WAIT_MAX + SPARE) * 2 * ENTRY_BYTES, &at);

	if (!e)
		return NULL;
	e->object = key->object;
	e->caller = key->caller;
	e->kind = key->kind;
	e->flags = key->flags;
	e->site = key->site;
	e->other = key->other;
	e->path = path_now(t);
	e->fd = -1;
	local_add32(&w->made, 1);
	stream_publish(at);
	if (key->flags == PRS_WAIT_OPEN)
		return e;
	do {
		newest = rt_load(&w->head[head]);
		e->next = 64ull * newest;
	} while (!local_swap32(&w->head[head], newest, (uint32_t)(file_offset(e) / 64)));
	return e;
}

struct prs_wait *wait_entry(struct rt_thread *t, const struct rt_wait_key *key)
{
	const struct rt_wait_key rest = {
		.kind = key->kind, .flags = key->flags, .site = PRS_NO_SITE, .other = PRS_NO_THREAD};
	struct rt_waits *w = wait_state(t);
	uint32_t head = head_of(key);
	struct prs_wait *e;

	if (!w)
		return NULL;
	e = wait_find(w, key, head);
	if (!e && w->made < RT_WAIT_MAX)
		e = wait_make(t, key, head);
	if (e)
		return e;
	head = head_of(&rest);
	e = wait_find(w, &rest, head);
	return e || w->made >= RT_WAIT_MAX + SPARE ? e : wait_make(t, &rest, head);
}

/* ---- waiting ----------------------------------------------------------------------- */

void wait_open(struct rt_thread *t, const struct rt_seen *seen)
{
	static const struct rt_wait_key key = {
		.flags = PRS_WAIT_OPEN, .site = PRS_NO_SITE, .other = PRS_NO_THREAD};
	struct rt_waits *w = wait_state(t);

	if (!w)
		return;
	if (w->looks)
		w->looks = RT_LOOKS;
	if (!w->open)
		w->open = wait_make(t, &key, 0);
	if (!w->open)
		return;
	w->open->kind = seen->kind;
	w->open->object = seen->object;
	w->open->caller = seen->caller;
	w->open->other = seen->other;
	w->open->site = site_now(t);
	rt_publish(&w->open->first, seen->begin);
}

void wait_cancel(struct rt_thread *t)
{
	if (t->waits && t->waits->open)
		rt_publish(&t->waits->open->first, 0);
}

static bool worth_event(struct rt_thread *t, struct rt_waits *w, uint64_t ticks)
{
	if (t->event.spent > w->event_mark) {
		w->event_ticks = w->event_ticks ? w->event_ticks * 2 : rt.tick_hz / 1000000;
		w->event_mark += (EVENT_ROOM - w->event_mark) / 2;
	}
	return ticks >= w->event_ticks;
}

int64_t wait_sleeps(void)
{
	struct rusage ru = {0};

	rt_syscall3(SYS_getrusage, RUSAGE_THREAD, (long)&ru, 0);
	return ru.ru_nvcsw;
}

static void wait_add(struct prs_wait *e, uint64_t begin, uint64_t ticks)
{
	if (!e->first)
		e->first = begin;
	local_add64(&e->count, 1);
	local_add64(&e->ticks, ticks);
	if (ticks > e->max)
		e->max = ticks;
	e->last = begin + ticks;
}

static struct prs_wait *sum_up(struct rt_thread *t, const struct rt_seen *seen, uint32_t whom, uint64_t ticks)
{
	const struct rt_wait_key key = {seen->object, seen->caller, seen->kind, 0, site_now(t), whom};
	struct prs_wait *e = wait_entry(t, &key);

	t->waited += ticks;
	t->waits_made++;
	if (e)
		wait_add(e, seen->begin, ticks);
	else
		rt_add(&rt.header->lost_events, 1);
	return e;
}

void wait_close(struct rt_thread *t, const struct rt_seen *seen, const struct rt_wait_end *end)
{
	uint64_t now = rt_ticks(), ticks = now > seen->begin ? now - seen->begin : 0;
	struct prs_wait *e = NULL;

	wait_cancel(t);
	/* Who comes last to a barrier waits for nobody: what it takes is to wake the others. */
	if (seen->kind != PRS_EV_BARRIER || end->whom != t->index)
		e = sum_up(t, seen, end->whom, ticks);
	if (t->waits && t->waits->looks == RT_LOOKS)
		t->waits->slept = wait_sleeps();
	if (e && e->object == seen->object) {
		e->pair = end->pair;
		e->fd = end->fd;
	}
	if (seen->kind == PRS_EV_BARRIER || !t->waits || worth_event(t, t->waits, ticks))
		append_event(t, seen);
}

void wait_joined(struct rt_thread *t, const struct rt_seen *seen)
{
	uint64_t now = rt_ticks();

	wait_cancel(t);
	sum_up(t, seen, seen->other, now > seen->begin ? now - seen->begin : 0);
	append_event(t, seen);
}

/* ---- taking, holding ------------------------------------------------------------------ */

static bool is_held(uint32_t kind)
{
	return kind == PRS_EV_MUTEX;
}

void wait_hold(struct rt_thread *t, struct prs_wait *e)
{
	struct rt_hold *h = t->waits->hold;

	if (!is_held(e->kind))
		return;
	if (h->object && h->object != e->object && (++h)->object)
		return;
	h->entry = e;
	h->begin = rt_ticks();
	rt_barrier();
	h->object = e->object;
}

/* That of @object, if there is one. */
static struct rt_hold *hold_of(struct rt_waits *w, uint64_t object)
{
	return &w->hold[w->hold->object != object];
}

void wait_held(struct rt_waits *w, uint64_t object)
{
	struct rt_hold *h = hold_of(w, object);
	uint64_t ticks = rt_ticks() - h->begin;
	struct prs_wait *e = h->entry;

	if (((const pthread_mutex_t *)object)->__data.__count > 1) /* recursive, and not the last release */
		return;

	h->object = 0;
	local_add64(&e->timed, 1);
	local_add64(&e->ticks, ticks);
	if (ticks > e->max)
		e->max = ticks;
}

void wait_pause(uint64_t object, struct rt_paused *p)
{
	struct rt_waits *w = rt_self ? rt_self->waits : NULL;
	struct rt_hold *h = w ? hold_of(w, object) : NULL;

	p->hold = NULL;
	if (!h || h->object != object)
		return;
	*p = (struct rt_paused){h, h->entry, rt_ticks() - h->begin};
	h->object = 0;
}

/* A handler that took a lock meanwhile may have the place: then this one is not timed. */
void wait_resume(uint64_t object, const struct rt_paused *p)
{
	if (!p->hold || p->hold->object)
		return;
	p->hold->entry = p->entry;
	p->hold->begin = rt_ticks() - p->ticks;
	rt_barrier();
	p->hold->object = object;
}

void wait_take_slow(struct rt_thread *t, uint32_t kind, uint64_t object, uint64_t caller)
{
	const struct rt_wait_key key = {object, caller, kind, PRS_WAIT_TAKEN, site_now(t), PRS_NO_THREAD};
	struct prs_wait *e = wait_entry(t, &key);

	if (!e)
		return;
	if (!local_fetch_add64(&e->count, 1))
		e->first = rt_ticks();
	if (wait_hold_due(e))
		wait_hold(t, e);
	if (e->object == object)
		t->waits->cache[wait_cache_of(object, caller)] = e;
}

/* ---- who is who --------------------------------------------------------------------------- */

/* In a static program that has no interposed functions there is no such thing. */
extern const uint32_t wait_seen __attribute__((weak, visibility("default")));

void wait_note_tid(uint32_t tid, uint32_t index)
{
	if (&wait_seen)
		rt.header->seen = wait_seen;
	rt_store(&who.tids[tid % RT_WHO_THREADS], (uint64_t)tid << 32 | (index + 1));
}

uint32_t wait_thread(uint32_t tid)
{
	uint64_t word = tid ? rt_load(&who.tids[tid % RT_WHO_THREADS]) : 0;

	return word >> 32 == tid ? (uint32_t)word - 1 : PRS_NO_THREAD;
}

/* Where the note of an object is and how it begins: objects that meet in one place replace each other. */
static uint64_t *note_of(uint64_t object, uint64_t *tag)
{
	uint64_t h = object * 0x9e3779b97f4a7c15ull;

	*tag = h << 32;
	return &who.wakers[(h >> 52) % RT_WHO_OBJECTS * RT_WHO_SPACING];
}

void wait_note_waker(uint64_t object, uint32_t index)
{
	uint64_t tag, *note = note_of(object, &tag), word = tag | (index + 1);

	if (rt_load(note) != word)
		rt_store(note, word);
}

uint32_t wait_waker(uint64_t object)
{
	uint64_t tag, *note = note_of(object, &tag), word = rt_load(note);

	return (word ^ tag) >> 32 ? PRS_NO_THREAD : (uint32_t)word - 1;
}
