// SPDX-License-Identifier: MIT
/*
 * Ways out of a loop that pass by its end.  The sums of a loop are in registers
 * until then, and such a loop calls nothing that may leave it; so only a signal
 * handler can, by a jump, by an exception, or by ending the thread or the
 * process.  Nothing is done in loops: on these ways the stack is looked at, and
 * a function with such loops that a signal interrupted is noted.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <unwind.h>

#include "runtime/denormal/den.h"
#include "runtime/denormal/jumps.h"

#define FRAMES 64  /* from a handler's end to what it interrupted */
#define NOTED  256 /* functions that are told apart */

/* A walk up the stack. */
struct walk {
	uint64_t target; /* stack pointer of the frame that goes on */
	uint64_t first;  /* ... of the first frame that was seen, 0: none yet */
	uint64_t at;     /* where the signal struck, 0: no signal yet; then the answer */
	unsigned n;
	bool found;
};

static struct {
	uint64_t function;
	struct prs_den_note *note;
} noted[NOTED];
static unsigned n_noted;

static _Unwind_Reason_Code left_look(struct _Unwind_Context *c, void *arg)
{
	struct walk *w = arg;
	int struck = 0;
	uint64_t at = _Unwind_GetIPInfo(c, &struck), sp = _Unwind_GetCFA(c);

	if (!w->first)
		w->first = sp;
	/* What goes on is a part of the handler, or what was interrupted itself. */
	if (!w->at && !struck && w->target >= w->first && w->target <= sp)
		return _URC_END_OF_STACK;
	if (w->n++ == FRAMES || ((struck || w->at) && sp >= w->target))
		return _URC_END_OF_STACK;
	if (!struck && !w->at)
		return _URC_NO_REASON;
	w->at = struck ? at : at - 1;
	w->found = den_loops_at(w->at);
	/* Functions without counters may have been called in a loop, those of libm for instance. */
	return w->found || den_counts_at(w->at) ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Under the lock; @s: of the thread, which may have counted nothing yet. */
static void note_way(const struct den_self *s, uint64_t function, uint64_t at, uint32_t way)
{
	struct prs_den_note *n = NULL;

	for (unsigned i = 0; i < n_noted && !n; i++)
		if (noted[i].function == function)
			n = noted[i].note;
	if (n) {
		n->count++;
		return;
	}
	n = s && n_noted < NOTED ? den_take(PRS_DEN_ITEM_NOTE, sizeof(*n)) : NULL;
	if (!n) {
		den.head->lost++;
		return;
	}
	n->kind = PRS_DEN_NOTE_LEFT;
	n->thread = s->number;
	n->value = way;
	n->count = 1;
	n->address = at;
	den_publish(n);
	noted[n_noted].function = function;
	noted[n_noted++].note = n;
}

/* All frames below the stack pointer @target are left in way @way. */
static void left(uint32_t way, uint64_t target)
{
	struct walk w = {.target = target};
	struct den_self *s;
	uint64_t function;
	sigset_t old;

	if (!den.open || !den_has_loops())
		return;
	_Unwind_Backtrace(left_look, &w);
	if (!w.found)
		return;
	function = (uint64_t)_Unwind_FindEnclosingFunction((void *)(w.at + 1));
	den_module(w.at);
	s = den_self();
	den_lock(&old);
	note_way(s, function ? function : w.at, w.at, way);
	den_unlock(&old);
}

static void at_process_end(void)
{
	left(PRS_DEN_WAY_PROCESS, UINT64_MAX);
}

void den_left_begin(void)
{
	den.leaves = at_process_end;
}

void jump_begins(const void *to)
{
	left(PRS_DEN_WAY_JUMP, den_jump_stack(to));
}

DEN_EXPORT void pthread_exit(void *value)
{
	void (*next)(void *) = NULL;

	left(PRS_DEN_WAY_THREAD, UINT64_MAX);
	*(void **)&next = dlsym(RTLD_NEXT, "pthread_exit");
	next(value);
	__builtin_unreachable();
}

/* Who catches it is not known yet; a handler that catches its own exceptions is doubted without need. */
void __cxa_throw(void *thrown, void *type, void (*destroy)(void *)) __attribute__((noreturn));
DEN_EXPORT void __cxa_throw(void *thrown, void *type, void (*destroy)(void *))
{
	static void (*next)(void *, void *, void (*)(void *));

	left(PRS_DEN_WAY_THROW, UINT64_MAX);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "__cxa_throw");
	next(thrown, type, destroy);
	__builtin_unreachable();
}
