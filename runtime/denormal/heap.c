// SPDX-License-Identifier: MIT
/*
 * Heap blocks of DEN_BLOCK_MIN bytes and more, in a treap by address with a
 * lock of its own; a handler that interrupts its holder finds nothing.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "runtime/denormal/den.h"

static struct den_block *root, *unused;
static struct den_arena arena;
static int locked;
static __thread int inside;
static uint32_t seed = 2463534242u;

static void lock(void)
{
	inside++;
	while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock(void)
{
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
	inside--;
}

void den_heap_fork(bool before)
{
	if (before)
		lock();
	else
		unlock();
}

/* The one that begins at or before @address, where it hangs. */
static struct den_block **below(uint64_t address)
{
	struct den_block **at = &root, **best = NULL;

	while (*at) {
		if ((*at)->start <= address) {
			best = at;
			at = &(*at)->right;
		} else {
			at = &(*at)->left;
		}
	}
	return best;
}

static void cut(struct den_block **at)
{
	struct den_block *n = *at, *a = n->left, *b = n->right;

	while (a && b) {
		if (a->priority >= b->priority) {
			*at = a;
			at = &a->right;
			a = a->right;
		} else {
			*at = b;
			at = &b->left;
			b = b->left;
		}
	}
	*at = a ? a : b;
	n->left = unused;
	unused = n;
}

static void insert(struct den_block *n)
{
	struct den_block **at = &root, *t, **l = &n->left, **r = &n->right;

	while (*at && (*at)->priority >= n->priority)
		at = n->start < (*at)->start ? &(*at)->left : &(*at)->right;
	t = *at;
	*at = n;
	while (t) {
		if (t->start < n->start) {
			*l = t;
			l = &t->right;
			t = t->right;
		} else {
			*r = t;
			r = &t->left;
			t = t->left;
		}
	}
	*l = *r = NULL;
}

struct chain {
	uint64_t *to;
	int n, skip;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *arg)
{
	struct chain *chain = arg;

	if (chain->skip-- > 0)
		return _URC_NO_REASON;
	chain->to[chain->n++] = _Unwind_GetIP(c);
	return chain->n == DEN_CHAIN ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Called by an interposed function alone: its frame and this one are skipped. */
static __attribute__((noinline)) void note(void *p, size_t bytes)
{
	struct den_block b = {.start = (uint64_t)p, .end = (uint64_t)p + bytes, .object = DEN_NONE}, *n,
			 **over;
	struct chain chain = {b.caller, 0, 2};

	if (!den.wanted || !p || bytes < DEN_BLOCK_MIN || inside)
		return;
	inside++;
	_Unwind_Backtrace(step, &chain);
	b.begin_ns = den_now();
	lock();
	while ((over = below(b.end - 1)) && (*over)->end > b.start)
		cut(over);
	n = unused;
	if (n)
		unused = n->left;
	else
		n = den_alloc(&arena, sizeof(*n));
	if (n) {
		seed ^= seed << 13;
		seed ^= seed >> 17;
		seed ^= seed << 5;
		b.priority = seed;
		*n = b;
		insert(n);
	}
	unlock();
	den_block_begins(b.start, b.end);
	inside--;
}

static void forget(void *p)
{
	struct den_block **at;
	uint32_t object = DEN_NONE;
	uint64_t bytes = 0;

	if (!den.wanted || !p || inside || malloc_usable_size(p) < DEN_BLOCK_MIN)
		return;
	lock();
	at = below((uint64_t)p);
	if (at && (*at)->start == (uint64_t)p) {
		object = (*at)->object;
		bytes = (*at)->end - (*at)->start;
		cut(at);
	}
	unlock();
	if (den.freed)
		den.freed((uint64_t)p, bytes);
	if (object != DEN_NONE)
		den_object_end(object);
}

bool den_heap_find(uint64_t address, struct den_block *out)
{
	struct den_block **at;
	bool found;

	if (inside)
		return false;
	lock();
	at = below(address);
	found = at && address < (*at)->end;
	if (found)
		*out = **at;
	unlock();
	return found;
}

/* The first that begins behind @address. */
static const struct den_block *above(uint64_t address)
{
	const struct den_block *at = root, *best = NULL;

	while (at) {
		if (at->start > address) {
			best = at;
			at = at->left;
		} else {
			at = at->right;
		}
	}
	return best;
}

void den_heap_gap(uint64_t address, uint64_t *start, uint64_t *end)
{
	struct den_block **before;
	const struct den_block *behind;

	if (inside) {
		*end = *start;
		return;
	}
	lock();
	before = below(address);
	if (before && (*before)->end > *start)
		*start = (*before)->end;
	behind = above(address);
	if (behind && behind->start < *end)
		*end = behind->start;
	unlock();
}

void den_heap_name(uint64_t start, uint32_t object)
{
	struct den_block **at;

	lock();
	at = below(start);
	if (at && (*at)->start == start)
		(*at)->object = object;
	unlock();
}

/* ---- the functions ---- */

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void (*free)(void *);
} real;

/* Before the real ones are known, the loader may ask for a little; it is never given back. */
static unsigned char early[16384] __attribute__((aligned(16)));
static size_t n_early;
static int finding;

static void *early_take(size_t bytes)
{
	size_t at = n_early;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > sizeof(early) - at)
		return NULL;
	n_early += bytes;
	return early + at;
}

static bool is_early(const void *p)
{
	return (const unsigned char *)p >= early && (const unsigned char *)p < early + sizeof(early);
}

static bool ready(void)
{
	if (real.free)
		return true;
	if (finding)
		return false;
	finding = 1;
	*(void **)&real.malloc = dlsym(RTLD_NEXT, "malloc");
	*(void **)&real.calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&real.realloc = dlsym(RTLD_NEXT, "realloc");
	*(void **)&real.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	*(void **)&real.memalign = dlsym(RTLD_NEXT, "memalign");
	*(void **)&real.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	*(void **)&real.free = dlsym(RTLD_NEXT, "free");
	finding = 0;
	return real.free != NULL;
}

void den_heap_begin(void)
{
	ready();
}

DEN_EXPORT void *malloc(size_t bytes)
{
	void *p = ready() ? real.malloc(bytes) : early_take(bytes);

	note(p, bytes);
	return p;
}

DEN_EXPORT void *calloc(size_t n, size_t bytes)
{
	void *p = ready() ? real.calloc(n, bytes) : early_take(n * bytes);

	note(p, n * bytes);
	return p;
}

DEN_EXPORT void *realloc(void *old, size_t bytes)
{
	void *p;

	if (is_early(old)) {
		p = malloc(bytes);
		if (p)
			memcpy(p, old,
			       bytes < (size_t)(early + sizeof(early) - (unsigned char *)old)
				       ? bytes
				       : (size_t)(early + sizeof(early) - (unsigned char *)old));
		return p;
	}
	forget(old);
	p = ready() ? real.realloc(old, bytes) : early_take(bytes);
	note(p, bytes);
	return p;
}

DEN_EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	void *p = ready() ? real.aligned_alloc(align, bytes) : NULL;

	note(p, bytes);
	return p;
}

DEN_EXPORT void *memalign(size_t align, size_t bytes)
{
	void *p = ready() ? real.memalign(align, bytes) : NULL;

	note(p, bytes);
	return p;
}

DEN_EXPORT int posix_memalign(void **to, size_t align, size_t bytes)
{
	int ret = ready() ? real.posix_memalign(to, align, bytes) : ENOMEM;

	if (!ret)
		note(*to, bytes);
	return ret;
}

DEN_EXPORT void free(void *p)
{
	if (!p || is_early(p) || !ready())
		return;
	forget(p);
	real.free(p);
}
