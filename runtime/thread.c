/* SPDX-License-Identifier: MIT */
/*
 * A thread's life in the record.
 *
 * Its block is a sparse range of the file, wide enough for objects that are
 * loaded later; only the part that is handed out has space on the disk.  The
 * block of a thread that ended is folded into its call records and used again,
 * so that a program with many short threads stays within the limit.
 */
#include <pthread.h>

#include "runtime/attach.h"
#include "runtime/base/file.h"
#include "runtime/base/lock.h"
#include "runtime/base/stack.h"
#include "runtime/calls/append.h"
#include "runtime/calls/budget.h"
#include "runtime/calls/call.h"
#include "runtime/calls/counters.h"
#include "runtime/calls/trace.h"
#include "runtime/calls/wait.h"
#include "runtime/memory/sharing.h"
#include "runtime/thread.h"

#define JOINABLE (1u << 16) /* pthread_t values that can be distinguished at join */
#define SPARES   4096u

/* A recycled BLOCK chunk. */
struct spare {
	struct prs_chunk *chunk;
	uint64_t bytes;
	uint64_t backed;
};

/* Under rt_lock(), but for `joinable`. */
static struct {
	struct rt_thread *pool;
	struct rt_thread *main; /* a late start: kept for the first thread until it comes */
	struct prs_chunk *chunk;
	uint32_t n_spares;
	uint64_t *joinable; /* JOINABLE pairs: pthread_t, index + 1 */
	struct spare spare[SPARES];
} threads;

bool thread_setup(void)
{
	if (!rt.dead)
		rt.dead = sys_anon(rt.block_max);
	if (!threads.joinable)
		threads.joinable = sys_anon(JOINABLE * 2 * sizeof(uint64_t));
	return rt.dead && threads.joinable && wait_setup();
}

/* ---- states ------------------------------------------------------------------ */

static void state_reset(struct rt_thread *t)
{
	t->index = PRS_NO_THREAD;
	t->block = NULL;
	t->block_chunk = NULL;
	t->entry = NULL;
	t->exit_rounds = t->n_groups = 0;
	call_reset(t);
	t->call = t->log = t->event = t->note = (struct rt_stream){0};
	t->mem_frame = 0;
	t->gap_open = NULL;
	t->gap_steps = 0;
	t->hammer = NULL;
	t->collisions = 0;
	t->lines = NULL;
	t->notes = NULL;
	t->ring = NULL;
	rt_store(&t->waits, NULL);
	t->counters = NULL;
	t->log_step = 0;
}

/* Under rt_lock(). */
static struct rt_thread *state_take(void)
{
	struct rt_thread *t = threads.pool;

	if (t) {
		threads.pool = t->free_next;
	} else {
		t = sys_anon(sizeof(*t));
		if (!t)
			return NULL;
		t->all_next = rt.all;
		rt_publish(&rt.all, t);
	}
	state_reset(t);
	return t;
}

static void state_give(struct rt_thread *t)
{
	t->free_next = threads.pool;
	threads.pool = t;
}

/* Each thread writes its own entry as it goes: no two share a cache line. */
#define ENTRY_BYTES ((uint32_t)(sizeof(struct prs_thread) + 63) & ~63u)

/* ---- entries ------------------------------------------------------------------- */

/* Under rt_lock(). */
static struct prs_thread *entry_take(uint32_t index)
{
	struct prs_chunk *c = threads.chunk;
	struct prs_thread *e;

	if (!c || c->used == c->pad[1]) {
		c = file_chunk(PRS_CHUNK_THREAD, ENTRY_BYTES, PRS_NO_THREAD, c ? 65536 : 4096,
			       c ? 65536 : 4096);
		if (!c)
			return NULL;
		file_publish(c);
		threads.chunk = c;
	}
	e = (struct prs_thread *)((unsigned char *)(c + 1) + c->used * ENTRY_BYTES);
	e->index = index;
	e->creator = PRS_NO_THREAD;
	e->create_site = PRS_NO_SITE;
	e->create_tsc = rt_ticks();
	rt_publish(&c->used, c->used + 1);
	return e;
}

/* Under rt_lock(): a state with an entry, no block yet. */
static struct rt_thread *thread_new(void)
{
	struct rt_thread *t = state_take();

	if (!t)
		return NULL;
	t->entry = entry_take(rt.n_threads);
	if (!t->entry) {
		state_give(t);
		return NULL;
	}
	t->index = rt.n_threads++;
	t->random = t->index * 2654435761u + 1;
	rt_store(&rt.header->n_threads, rt.n_threads);
	if (t->index)
		attach_company();
	return t;
}

/*
 * libc uses the stack again, and clears none of this: who finds the number of
 * another thread is a new one, and nothing is left of the one before.
 */
static void own_end(void)
{
	RT_OWN->ended = sys_gettid();
	rt_barrier();
	rt_block = NULL;
	rt_self = NULL;
}

static bool own_ended(void)
{
	if (!RT_OWN->ended)
		return false;
	if (RT_OWN->ended == sys_gettid())
		return true;
	RT_OWN->ended = 0;
	return false;
}

/* The next thread on this stack finds the words as on a new one. */
static void own_clear(struct rt_own *own)
{
	own->block = NULL;
	own->self = NULL;
	own->sharer = own->ended = 0;
}

/* ---- blocks ---------------------------------------------------------------------- */

static uint64_t block_reserve(uint32_t index)
{
	uint64_t bytes = index ? RT_BLOCK_MIN : rt.block_max;

	while (bytes < 4ull * rt.slots_end && bytes < rt.block_max)
		bytes *= 2;
	while (bytes > rt.map_bytes / 8)
		bytes /= 2;
	return bytes;
}

static bool block_spare(struct rt_thread *t)
{
	for (uint32_t i = threads.n_spares; i-- > 0;) {
		struct spare *s = &threads.spare[i];

		if (s->bytes < rt.slots_end)
			continue;
		t->block_chunk = s->chunk;
		t->block_bytes = s->bytes;
		t->block_backed = s->backed;
		t->block_chunk->thread = t->index;
		*s = threads.spare[--threads.n_spares];
		return true;
	}
	return false;
}

static bool block_extend(struct rt_thread *t, uint64_t end)
{
	uint64_t at = file_offset(t->block_chunk) + sizeof(struct prs_chunk);

	if (end > t->block_bytes)
		return false;
	if (end <= t->block_backed)
		return true;
	if (!file_back(at + t->block_backed, end - t->block_backed))
		return false;
	t->block_backed = ((at + end + PRS_PAGE_BYTES - 1) & ~(uint64_t)(PRS_PAGE_BYTES - 1)) - at;
	if (t->block_backed > t->block_bytes)
		t->block_backed = t->block_bytes;
	return true;
}

/* Under rt_lock(). */
static bool block_make(struct rt_thread *t)
{
	uint64_t reserve = block_reserve(t->index);
	uint64_t front = (sizeof(struct prs_chunk) + rt.slots_end + PRS_PAGE_BYTES - 1) &
			 ~(uint64_t)(PRS_PAGE_BYTES - 1);

	if (!block_spare(t)) {
		t->block_chunk = front > reserve - RT_OPEN_BYTES
					 ? NULL
					 : file_chunk(PRS_CHUNK_BLOCK, 0, t->index, reserve, front);
		if (!t->block_chunk)
			return false;
		t->block_bytes = reserve - sizeof(struct prs_chunk) - RT_OPEN_BYTES;
		t->block_backed = front - sizeof(struct prs_chunk);
		file_publish(t->block_chunk);
	} else if (!block_extend(t, rt.slots_end)) {
		return false;
	}
	t->block = (struct prs_block *)(t->block_chunk + 1);
	t->entry->block = file_offset(t->block_chunk);
	sharing_thread_begin(t);
	rt_publish(&t->live, 1);
	return true;
}

bool thread_extend(uint64_t end)
{
	for (struct rt_thread *t = rt.all; t; t = t->all_next)
		if (rt_acquire(&t->live) && !block_extend(t, end))
			return false;
	return true;
}

static void fold_range(struct prs_block *b, uint64_t base, uint64_t bytes)
{
	struct prs_slot *s = (struct prs_slot *)((unsigned char *)b + base);

	for (uint64_t i = 0; i < bytes / sizeof(*s); i++)
		if (s[i].record || s[i].left)
			call_fold(&s[i]);
}

void thread_forget(uint64_t base, uint64_t bytes)
{
	for (struct rt_thread *t = rt.all; t; t = t->all_next)
		if (rt_acquire(&t->live))
			fold_range(t->block, base, bytes);
}

static void block_fold(struct rt_thread *t)
{
	for (struct rt_unit *u = rt.units; u; u = u->next)
		if (u->range_bytes)
			fold_range(t->block, u->shadow.base, 8ull * u->shadow.n_calls);
}

/* Under rt_lock(): what the ending thread's block holds goes elsewhere, and the block to the pool. */
static void block_recycle(struct rt_thread *t)
{
	struct spare *s = &threads.spare[threads.n_spares];

	if (rt.exiting || threads.n_spares == SPARES)
		return;
	block_fold(t);
	t->entry->block = 0;
	*s = (struct spare){t->block_chunk, t->block_bytes, t->block_backed};
	threads.n_spares++;
}

/* ---- beginning --------------------------------------------------------------------- */

static void entry_begin(struct rt_thread *t)
{
	struct prs_thread *e = t->entry;

	e->tid = sys_gettid();
	wait_note_tid(e->tid, t->index);
	e->cpu_start_ns = e->cpu_end_ns = sys_cpu_ns();
	budget_begin(t, e->cpu_start_ns);
	sys_thread_name(e->name);
	e->pthread_id = (uint64_t)pthread_self();
	rt_publish(&e->start_tsc, rt_ticks());
}

/* @begins: its entry does not say since when it is recorded. */
static bool thread_bind(struct rt_thread *t, bool begins)
{
	if (!block_make(t))
		return false;
	if (begins)
		entry_begin(t);
	call_begin(t);
	counters_begin(t);
	trace_thread_begin(t);
	t->busy.odd = t->ring != NULL;
	if (rt.have_key)
		pthread_setspecific(rt.key, t);
	t->pointer = arch_thread_pointer();
	RT_OWN->ended = 0;
	rt_self = t;
	rt_barrier();
	rt_block = t->block;
	return true;
}

static void thread_refuse(void)
{
	rt_add(&rt.header->lost_threads, 1);
	rt_self = NULL;
	rt_block = rt.dead;
	RT_OWN->ended = 0;
}

void thread_keep_main(void)
{
	struct rt_thread *t = thread_new();
	struct prs_thread *e;

	if (!t)
		return;
	e = t->entry;
	e->tid = rt.pid;
	e->cpu_start_ns = e->cpu_end_ns = sys_cpu_ns_of(rt.pid);
	rt_publish(&e->start_tsc, rt_ticks());
	threads.main = t;
}

static struct rt_thread *main_claim(void)
{
	struct rt_thread *t = threads.main;

	if (!t || sys_gettid() != rt.pid)
		return NULL;
	threads.main = NULL;
	return t;
}

struct rt_thread *thread_touch(void)
{
	struct rt_thread *t, *kept;
	uint64_t old;

	if (rt_block || !rt_recording())
		return rt_self; /* dead, not for us, or a handler's touch came first */
	if (own_ended())
		return NULL;
	rt_lock(&old);
	if (rt_block) {
		rt_unlock(&old);
		return rt_self;
	}
	kept = main_claim();
	t = kept ? kept : thread_new();
	if (t) {
		/* Thread 0 is the one that ran the first constructor: nobody made it. */
		t->entry->state = t->index ? PRS_THREAD_FOREIGN : PRS_THREAD_LIVE;
		if (!thread_bind(t, !kept)) {
			state_give(t);
			t = NULL;
		}
	}
	if (!t)
		thread_refuse();
	rt_unlock(&old);
	return t;
}

static uint32_t next_ordinal(struct rt_thread *t, uint32_t site)
{
	for (uint32_t i = 0; i < t->n_groups; i++)
		if (t->group[i].site == site)
			return t->group[i].made++;
	if (t->n_groups == RT_GROUPS) /* more sites than room: the last one counts for the rest */
		return t->group[RT_GROUPS - 1].made++;
	t->group[t->n_groups++] = (struct rt_group){site, 1};
	return 0;
}

struct rt_thread *thread_prepare(struct rt_thread *creator, uint64_t routine, bool detached)
{
	struct prs_open *open = creator ? rt_innermost(creator) : NULL;
	struct rt_thread *t;
	uint64_t old;

	rt_lock(&old);
	t = thread_new();
	rt_unlock(&old);
	if (!t) {
		rt_add(&rt.header->lost_threads, 1);
		return NULL;
	}
	t->entry->start_routine = routine;
	t->entry->detached = detached;
	if (creator) {
		t->entry->creator = creator->index;
		t->entry->create_site = open ? open->site : PRS_NO_SITE;
		t->entry->ordinal = next_ordinal(creator, t->entry->create_site);
	}
	return t;
}

bool thread_adopt(struct rt_thread *t)
{
	uint64_t old;
	bool ok;

	rt_lock(&old);
	ok = thread_bind(t, true);
	if (!ok) {
		entry_begin(t);
		t->entry->state |= PRS_THREAD_EXITED;
		state_give(t);
		thread_refuse();
	}
	rt_unlock(&old);
	return ok;
}

void thread_abandon(struct rt_thread *t)
{
	uint64_t old;

	rt_lock(&old);
	t->entry->state |= PRS_THREAD_EXITED;
	t->entry->end_tsc = t->entry->start_tsc = t->entry->create_tsc;
	state_give(t);
	rt_unlock(&old);
}

void thread_note_stack(struct rt_thread *t)
{
	struct rt_stack s;

	if (!stack_find(&s, t->entry->tid == rt.pid))
		return;
	t->entry->stack_low = t->stack_low = s.low;
	t->entry->stack_high = t->stack_high = s.high;
}

/* ---- ending ------------------------------------------------------------------------- */

static void entry_end(struct rt_thread *t)
{
	struct prs_thread *e = t->entry;

	sys_thread_name(e->name);
	e->cpu_end_ns = sys_cpu_ns();
	budget_end(t, e->cpu_end_ns);
	e->switches = sys_switches();
	rt_store(&e->end_tsc, rt_ticks());
	rt_publish(&e->state, e->state | PRS_THREAD_EXITED);
}

void thread_end(struct rt_thread *t)
{
	uint64_t old;

	entry_end(t);
	counters_end(t);
	call_flush(t);
	rt_lock(&old);
	trace_thread_end(t);
	own_end();
	rt_add(&rt.header->dir_collisions, (uint32_t)t->collisions);
	sharing_thread_end(t);
	file_seal(t->log.chunk);
	file_seal(t->event.chunk);
	rt_publish(&t->live, 0);
	block_recycle(t);
	state_give(t);
	rt_unlock(&old);
}

/*
 * Other destructors of the thread may still run probes: ours asks to be
 * called again, and ends the record in the third of libc's four rounds.
 */
void thread_key_end(void *state)
{
	struct rt_thread *t = state;
	struct rt_seen e = {.kind = PRS_EV_EXIT, .other = PRS_NO_THREAD};

	if (!rt_recording() || rt_self != t) {
		own_clear(arch_own_of(arch_thread_pointer()));
		return;
	}
	e.begin = rt_ticks();
	if (++t->exit_rounds < 3) {
		pthread_setspecific(rt.key, t);
		return;
	}
	append_event(t, &e);
	thread_end(t);
}

static void snapshot_name(struct prs_thread *e)
{
	char path[48] = "/proc/self/task/", digits[12];
	char *p = path + 16;
	const char *tail = "/comm";
	uint32_t v = e->tid;
	int n = 0, fd;
	long got;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*p++ = digits[--n];
	while (*tail)
		*p++ = *tail++;
	*p = '\0';
	fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	got = sys_read(fd, e->name, sizeof(e->name) - 1);
	if (got > 0)
		e->name[e->name[got - 1] == '\n' ? got - 1 : got] = '\0';
	sys_close(fd);
}

void thread_snapshot(void)
{
	uint64_t old;

	rt_lock(&old);
	for (struct rt_thread *t = rt.all; t; t = t->all_next) {
		uint64_t cpu;

		if (!rt_acquire(&t->live) && t != threads.main)
			continue;
		cpu = sys_cpu_ns_of(t->entry->tid);
		if (cpu)
			rt_store(&t->entry->cpu_end_ns, cpu);
		if (t == rt_self)
			t->entry->switches = sys_switches();
		counters_snapshot(t);
		snapshot_name(t->entry);
	}
	budget_close(rt.header);
	rt_unlock(&old);
}

/* ---- fork ---------------------------------------------------------------------------- */

bool thread_forked(void)
{
	struct rt_thread *self = rt_self;

	wait_setup();
	threads.pool = threads.main = NULL;
	threads.n_spares = 0;
	rt.n_threads = 0;
	threads.chunk = NULL;
	for (struct rt_thread *t = rt.all; t; t = t->all_next) {
		if (t != self && t->live && rt.have_key) /* its stack is used again by libc */
			own_clear(arch_own_of(t->pointer));
		t->live = 0;
		if (t != self)
			state_give(t);
	}
	if (!self) { /* its first touch will make it thread 0 */
		rt_block = NULL;
		return true;
	}
	state_reset(self);
	self->entry = entry_take(0);
	if (!self->entry)
		return false;
	self->entry->stack_low = self->stack_low;
	self->entry->stack_high = self->stack_high;
	self->index = rt.n_threads++;
	rt.header->n_threads = 1;
	if (!thread_bind(self, true))
		return false;
	call_fork_restore(self);
	return true;
}

/* ---- who is who ------------------------------------------------------------------------ */

/*
 * pthread_t values are addresses that libc uses again, so there are as many
 * as threads live at once: the newest thread of a value is the one meant.
 */
static uint64_t *pair_of(uint64_t pthread_id, bool make)
{
	uint64_t h = pthread_id * 0x9e3779b97f4a7c15ull >> 48;

	for (uint32_t i = 0; i < 64; i++) {
		uint64_t *pair = &threads.joinable[2 * ((h + i) % JOINABLE)];
		uint64_t key = rt_acquire(&pair[0]);

		if (key == pthread_id)
			return pair;
		if (key)
			continue;
		if (!make)
			return NULL;
		if (__atomic_compare_exchange_n(&pair[0], &key, pthread_id, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE) ||
		    key == pthread_id)
			return pair;
	}
	return NULL;
}

void thread_remember(uint64_t pthread_id, uint32_t index)
{
	uint64_t *pair = pair_of(pthread_id, true);

	if (pair)
		rt_publish(&pair[1], (uint64_t)index + 1);
}

uint32_t thread_lookup(uint64_t pthread_id)
{
	uint64_t *pair = pair_of(pthread_id, false);

	return pair ? (uint32_t)(rt_acquire(&pair[1]) - 1) : PRS_NO_THREAD;
}
