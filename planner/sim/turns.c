/* SPDX-License-Identifier: MIT */
#include "planner/sim/turns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* ---- weights to ns ---- */

/* The factor is rounded down, so that no part is ever more than the whole. */
void turn_share_init(struct turn_share *s, uint64_t total_ns, uint64_t each_ns, uint64_t weight)
{
	unsigned __int128 top = total_ns;

	*s = (struct turn_share){.total_ns = total_ns, .each_ns = each_ns, .weight = weight};
	if (!weight || !total_ns)
		return;
	while (s->shift < 126 && top / weight < 1ull << 62 && !(top >> 126)) {
		top <<= 1;
		s->shift++;
	}
	s->factor = (uint64_t)(top / weight);
}

static uint64_t share_ns(const struct turn_share *s)
{
	if (s->done >= s->weight)
		return s->total_ns;
	return (uint64_t)((unsigned __int128)s->done * s->factor >> s->shift);
}

/* Own work up to the next barrier, lock, or end. */
static void fetch(struct turns *t, struct turn_thread *x)
{
	struct turn_share *s = x->share;
	uint64_t weight = 0, ns;

	x->acts = false;
	for (;;) {
		while (!x->acts && block_next(&x->c, &x->op)) {
			weight += x->op.kind == BLOCK_WORK  ? x->op.value
				  : x->op.kind == BLOCK_RUN ? x->op.value * x->op.operand
							    : 0;
			x->acts = x->op.kind > BLOCK_RUN;
		}
		if (x->acts || x->body == TURN_NONE)
			break;
		x->c = t->bodies[x->body].c;
		x->body = t->bodies[x->body].next;
	}
	s->done += weight;
	ns = s->weight ? share_ns(s) : s->spent + (x->acts || s->spent >= s->total_ns ? 0 : s->each_ns);
	x->ahead = ns - s->spent;
	s->spent = ns;
}

/* ---- the heap of units ---- */

static bool turns_before(const struct turns *t, uint32_t a, uint32_t b)
{
	const struct turn_unit *x = &t->units[a], *y = &t->units[b];

	return x->next != y->next ? x->next < y->next : a < b;
}

static void turns_put(struct turns *t, uint32_t place, uint32_t u)
{
	t->heap[place] = u;
	t->units[u].place = place;
}

static void sift(struct turns *t, uint32_t u)
{
	uint32_t i = t->units[u].place;

	while (i && turns_before(t, u, t->heap[(i - 1) / 2])) {
		turns_put(t, i, t->heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	for (uint32_t k; (k = 2 * i + 1) < t->n_heap; i = k) {
		k += k + 1 < t->n_heap && turns_before(t, t->heap[k + 1], t->heap[k]);
		if (!turns_before(t, t->heap[k], u))
			break;
		turns_put(t, i, t->heap[k]);
	}
	turns_put(t, i, u);
}

static void heap_drop(struct turns *t, uint32_t u)
{
	uint32_t place = t->units[u].place, last = t->heap[--t->n_heap];

	t->units[u].place = TURN_NONE;
	if (last == u)
		return;
	turns_put(t, place, last);
	sift(t, last);
}

/* ---- running ---- */

/* Slices are as long as the platform's in the mean: equal ones would keep pairs of threads in step for ever. */
static uint64_t draw_slice(struct turns *t)
{
	uint64_t x = ++t->draws * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
	return t->slice / 2 + (uint64_t)((unsigned __int128)(x ^ x >> 32) * t->slice >> 64) + 1;
}

static uint64_t stretched(const struct turn_thread *x)
{
	return x->slow ? (uint64_t)(((unsigned __int128)x->ahead * (TURN_ONE + x->slow) + TURN_ONE - 1) /
				    TURN_ONE)
		       : x->ahead;
}

static void expect(struct turns *t, uint32_t u)
{
	struct turn_unit *n = &t->units[u];

	n->ends = n->since + stretched(&t->threads[n->now]);
	n->next = n->head != TURN_NONE && n->slice_end < n->ends ? n->slice_end : n->ends;
	if (n->place == TURN_NONE)
		n->place = t->n_heap++;
	sift(t, u);
}

/* Count what the unit's thread did up to @now. */
static void turns_settle(struct turns *t, uint32_t u, uint64_t now)
{
	struct turn_unit *n = &t->units[u];
	struct turn_thread *x = &t->threads[n->now];
	uint64_t dt = now - n->since, did = dt;

	if (now == n->ends)
		did = x->ahead;
	else if (x->slow)
		did = (uint64_t)((unsigned __int128)dt * TURN_ONE / (TURN_ONE + x->slow));
	x->ahead -= did;
	n->ran += dt;
	n->stalled += dt - did;
	n->since = now;
}

static uint64_t slowness(const struct turns *t, uint32_t i)
{
	uint64_t sum = 0;

	for (uint32_t k = t->clash_at[i]; k < t->clash_at[i + 1]; k++)
		if (t->clashes[k].other == TURN_NONE || t->threads[t->clashes[k].other].running)
			sum += t->clashes[k].slow;
	return sum;
}

/* Thread @i has just begun or ceased to run: those it fights with feel it. */
static void turns_tell(struct turns *t, uint32_t i, uint64_t now)
{
	for (uint32_t k = t->clash_at ? t->clash_at[i] : 0; t->clash_at && k < t->clash_at[i + 1]; k++) {
		uint32_t other = t->clashes[k].other;
		struct turn_thread *x;

		if (other == TURN_NONE || !t->threads[other].running)
			continue;
		x = &t->threads[other];
		turns_settle(t, x->unit, now);
		x->slow = slowness(t, other);
		expect(t, x->unit);
	}
}

static void package_busy(struct turns *t, uint32_t u, uint64_t now)
{
	struct turn_package *p = &t->packages[t->pb->machine->units[u].package];

	if (!p->busy++)
		p->since = now;
}

static void package_idle(struct turns *t, uint32_t u, uint64_t now)
{
	struct turn_package *p = &t->packages[t->pb->machine->units[u].package];
	uint64_t from = p->since > p->quiet ? p->since : p->quiet;

	if (!--p->busy && now > from)
		p->awake += now - from;
}

/* The next thread of the queue, if there is one, has its turn. */
static void turns_start(struct turns *t, uint32_t u, uint64_t now)
{
	struct turn_unit *n = &t->units[u];
	struct turn_thread *x;

	n->now = n->head;
	if (n->now == TURN_NONE)
		return;
	x = &t->threads[n->now];
	n->head = x->next;
	x->running = true;
	x->slow = t->clash_at ? slowness(t, n->now) : 0;
	n->since = now;
	n->slice_end = now + draw_slice(t);
	expect(t, u);
	turns_tell(t, n->now, now);
}

/* The thread that runs makes room. */
static void leave(struct turns *t, uint32_t u, uint64_t now)
{
	struct turn_unit *n = &t->units[u];
	uint32_t i = n->now;

	t->threads[i].running = false;
	turns_tell(t, i, now);
	turns_start(t, u, now);
	if (n->now != TURN_NONE)
		return;
	heap_drop(t, u);
	package_idle(t, u, now);
	t->time = now > t->time ? now : t->time;
}

static void enqueue(struct turns *t, uint32_t *head, uint32_t *tail, uint32_t i)
{
	t->threads[i].next = TURN_NONE;
	if (*head == TURN_NONE)
		*head = i;
	else
		t->threads[*tail].next = i;
	*tail = i;
}

/* @at_once: before all others of its unit, the one that runs as well. */
static void wake(struct turns *t, uint32_t i, uint64_t now, bool at_once)
{
	uint32_t u = t->threads[i].unit;
	struct turn_unit *n = &t->units[u];
	bool alone = n->head == TURN_NONE;

	if (at_once && !alone) {
		t->threads[i].next = n->head;
		n->head = i;
	} else {
		enqueue(t, &n->head, &n->tail, i);
	}
	if (n->now == TURN_NONE) {
		package_busy(t, u, now);
		turns_start(t, u, now);
	} else if (at_once) {
		turns_settle(t, u, now);
		n->slice_end = now;
		expect(t, u);
	} else if (alone) {
		/* Nobody has asked for the unit so far: it may have run on for long. */
		turns_settle(t, u, now);
		n->slice_end = n->slice_end > now ? n->slice_end : now;
		expect(t, u);
	}
}

/* ---- barriers and locks ---- */

static struct turn_object *object(struct turns *t, uint64_t at)
{
	struct turn_object *o = &t->objects[at];

	if (o->occurrence != t->occurrence)
		*o = (struct turn_object){t->occurrence, 0, TURN_NONE, TURN_NONE, TURN_NONE};
	return o;
}

static void wait_at(struct turns *t, struct turn_object *o, uint32_t i, uint64_t now)
{
	t->threads[i].since = now;
	enqueue(t, &o->head, &o->tail, i);
}

/* Who has waited longest goes on; returns how long that was, ns. */
static uint64_t sim_turns_release(struct turns *t, struct turn_object *o, uint64_t now, bool at_once)
{
	uint32_t first = o->head;

	o->head = t->threads[first].next;
	fetch(t, &t->threads[first]);
	wake(t, first, now, at_once);
	return now - t->threads[first].since;
}

/* Each returns whether thread @i goes on at once. */

static bool arrive(struct turns *t, uint32_t i, uint64_t now)
{
	struct turn_object *o = object(t, t->threads[i].op.value);

	if (++o->arrived < t->threads[i].op.operand) {
		wait_at(t, o, i, now);
		return false;
	}
	o->arrived = 0;
	while (o->head != TURN_NONE)
		t->barrier_ns += sim_turns_release(t, o, now, false);
	return true;
}

static bool take_lock(struct turns *t, struct turn_object *o, uint32_t i, uint64_t now)
{
	if (o->holder == TURN_NONE) {
		o->holder = i;
		return true;
	}
	wait_at(t, o, i, now);
	return false;
}

static bool give_lock(struct turns *t, struct turn_object *o, uint32_t i, uint64_t now)
{
	if (o->holder != i) {
		t->wrong = "a thread gives back a lock that it does not hold";
		return true;
	}
	o->holder = o->head;
	/*
	 * Schedulers prefer who has slept, and a lock that is given back goes to
	 * whoever runs first: it does not wait for the end of somebody's slice.
	 */
	if (o->holder != TURN_NONE)
		t->lock_ns += sim_turns_release(t, o, now, true);
	return true;
}

static bool act(struct turns *t, uint32_t i, uint64_t now)
{
	const struct block *op = &t->threads[i].op;

	if (op->kind == BLOCK_BARRIER)
		return arrive(t, i, now);
	if (op->value & 1)
		return give_lock(t, object(t, op->value / 2), i, now);
	return take_lock(t, object(t, op->value / 2), i, now);
}

static void turns_step(struct turns *t, uint32_t u, uint64_t now)
{
	struct turn_unit *n = &t->units[u];
	uint32_t i = n->now;
	struct turn_thread *x = &t->threads[i];
	bool goes_on = true;

	turns_settle(t, u, now);
	if (x->ahead) {
		enqueue(t, &n->head, &n->tail, i);
		leave(t, u, now);
		return;
	}
	while (!x->ahead && goes_on && x->acts && !t->wrong) {
		goes_on = act(t, i, now);
		if (goes_on)
			fetch(t, x);
	}
	if (goes_on && x->ahead) {
		expect(t, u);
		return;
	}
	t->left -= goes_on;
	leave(t, u, now);
}

/* ---- one occurrence ---- */

static bool has_clashes(const struct turns *t, uint32_t i)
{
	for (uint32_t k = t->clash_at ? t->clash_at[i] : 0; t->clash_at && k < t->clash_at[i + 1]; k++)
		if (t->clashes[k].other == TURN_NONE || t->threads[t->clashes[k].other].there)
			return true;
	return false;
}

/* Whose units need events? */
static void sort_out(struct turns *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct turn_thread *x = &t->threads[i];

		if (!x->there)
			continue;
		fetch(t, x);
		if (t->always || x->acts || has_clashes(t, i))
			t->units[x->unit].eventful = true;
	}
}

static void run_quietly(struct turns *t, const struct turn_thread *x)
{
	struct turn_package *p = &t->packages[t->pb->machine->units[x->unit].package];
	struct turn_unit *n = &t->units[x->unit];

	n->ran += x->ahead;
	p->quiet = n->ran > p->quiet ? n->ran : p->quiet;
	t->time = n->ran > t->time ? n->ran : t->time;
}

static void set_off(struct turns *t)
{
	sort_out(t);
	for (uint32_t i = 0; i < t->n; i++) {
		struct turn_thread *x = &t->threads[i];
		struct turn_unit *n = &t->units[x->unit];

		if (!x->there)
			continue;
		if (n->eventful) {
			enqueue(t, &n->head, &n->tail, i);
			t->left++;
		} else {
			run_quietly(t, x);
		}
	}
	for (uint32_t u = 0; t->left && u < t->pb->machine->n_units; u++)
		if (t->units[u].head != TURN_NONE) {
			package_busy(t, u, 0);
			turns_start(t, u, 0);
		}
}

int turns_run(struct turns *t, struct err *err)
{
	set_off(t);
	while (t->n_heap && !t->wrong) {
		t->events++;
		turns_step(t, t->heap[0], t->units[t->heap[0]].next);
	}
	if (!t->wrong && t->left)
		t->wrong = "threads wait for each other, or for somebody who never comes";
	for (uint32_t k = 0; k < t->pb->machine->n_packages; k++)
		t->packages[k].awake += t->packages[k].quiet;
	if (t->wrong)
		return err_set(err, -EINVAL, "the blocks cannot be run: %s", t->wrong);
	return 0;
}

void turns_init(struct turns *t, const struct problem *pb, size_t n_bodies, size_t n_objects)
{
	*t = (struct turns){.pb = pb};
	t->threads = mem_new(pb->max_members + 1, sizeof(*t->threads));
	t->units = mem_new(pb->machine->n_units, sizeof(*t->units));
	t->packages = mem_new(pb->machine->n_packages, sizeof(*t->packages));
	t->objects = mem_new(n_objects + 1, sizeof(*t->objects));
	t->bodies = mem_new(n_bodies + 1, sizeof(*t->bodies));
	t->heap = mem_new(pb->machine->n_units, sizeof(*t->heap));
}

void turns_release(struct turns *t)
{
	free(t->threads);
	free(t->units);
	free(t->packages);
	free(t->objects);
	free(t->bodies);
	free(t->heap);
	*t = (struct turns){0};
}

void turns_begin(struct turns *t, uint32_t n)
{
	t->n = n;
	t->n_bodies = t->n_heap = t->left = 0;
	t->time = 0;
	t->occurrence++;
	for (uint32_t i = 0; i < n; i++)
		t->threads[i].there = t->threads[i].running = false;
	for (uint32_t u = 0; u < t->pb->machine->n_units; u++)
		t->units[u] = (struct turn_unit){
			.now = TURN_NONE, .head = TURN_NONE, .tail = TURN_NONE, .place = TURN_NONE};
	memset(t->packages, 0, t->pb->machine->n_packages * sizeof(*t->packages));
}

void turns_add(struct turns *t, uint32_t i, uint16_t unit, struct turn_share *share)
{
	t->threads[i] = (struct turn_thread){.share = share,
					     .body = TURN_NONE,
					     .last_body = TURN_NONE,
					     .next = TURN_NONE,
					     .unit = unit,
					     .there = true};
}

void turns_add_body(struct turns *t, uint32_t i, struct block_cursor body)
{
	struct turn_thread *x = &t->threads[i];
	uint32_t at = t->n_bodies++;

	t->bodies[at] = (struct turn_body){body, TURN_NONE};
	if (x->last_body == TURN_NONE)
		x->body = at;
	else
		t->bodies[x->last_body].next = at;
	x->last_body = at;
}
