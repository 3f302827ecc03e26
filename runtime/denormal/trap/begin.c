// SPDX-License-Identifier: MIT
/* Threads are armed as they begin and taken back as they end. */
#include <string.h>
#include <unistd.h>

#include "runtime/denormal/trap/trap.h"

#define X87_DENORMAL  0x02u
#define X87_UNDERFLOW 0x10u
#define NOTES         64

__thread struct trap_here trap_here;
struct trap_state trap;

static struct den_arena arena; /* under the lock */
static struct prs_den_note *notes[NOTES];
static unsigned n_notes;

/* The blocks of the heap are no concern here; probes have them. */
void den_heap_begin(void)
{
}

void den_heap_fork(bool before)
{
	(void)before;
}

uint32_t trap_mxcsr(void)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	return mxcsr;
}

void trap_mxcsr_set(uint32_t mxcsr)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}

void trap_arm(void)
{
	struct trap_here *here = &trap_here;

	if (!trap.on || trap.aside || here->disarmed || here->sample.rests || here->inside || !here->traps)
		return;
	here->mxcsr = trap_mxcsr() & ~MXCSR_MASKS;
	trap_mxcsr_set(here->mxcsr);
}

void trap_hide(void)
{
	if (trap.on && !trap_here.disarmed)
		trap_mxcsr_set(trap_mxcsr() | MXCSR_MASKS);
}

void trap_note(enum prs_den_note_kind kind, uint64_t value)
{
	uint32_t thread = trap_here.traps ? trap_here.traps->self->number : DEN_NONE;
	struct prs_den_note *n = NULL;
	unsigned i = 0, known = __atomic_load_n(&n_notes, __ATOMIC_ACQUIRE);
	sigset_t old;

	for (; i < known; i++)
		if (notes[i]->kind == kind && notes[i]->value == value) {
			__atomic_fetch_add(&notes[i]->count, 1, __ATOMIC_RELAXED);
			return;
		}
	den_lock(&old);
	while (i < n_notes && (notes[i]->kind != kind || notes[i]->value != value))
		i++;
	if (i < n_notes)
		__atomic_fetch_add(&notes[i]->count, 1, __ATOMIC_RELAXED);
	else if (den.open && i < NOTES)
		n = den_take(PRS_DEN_ITEM_NOTE, sizeof(*n));
	if (n) {
		n->kind = kind;
		n->thread = thread;
		n->value = value;
		n->count = 1;
		den_publish(n);
		notes[n_notes] = n;
		__atomic_store_n(&n_notes, n_notes + 1, __ATOMIC_RELEASE);
	}
	den_unlock(&old);
}

void trap_aside(enum prs_den_note_kind why, uint64_t value)
{
	if (!trap.on)
		return;
	trap_note(why, value);
	trap_hide();
	trap_here.disarmed = true;
	__atomic_store_n(&trap.aside, true, __ATOMIC_RELEASE);
}

static uint64_t sum(const struct den_trap *t)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 256; i++)
		for (const struct trap_row *r = t->rows[i]; r; r = r->next)
			n += r->row->operands + r->row->results;
	return n;
}

void trap_close(void)
{
	if (!den.open)
		return;
	den.head->end_ns = den_now();
	den.open = false;
}

/* The item is there before the first trap: no row is a result as well. */
static struct den_trap *make(struct den_self *s)
{
	struct den_trap *t;
	sigset_t old;

	den_lock(&old);
	t = den_alloc(&arena, sizeof(*t));
	if (t) {
		t->self = s;
		t->item = den_take(PRS_DEN_ITEM_TRAPS,
				   sizeof(*t->item) + DEN_ROWS * sizeof(struct prs_den_trap_row));
	}
	if (t && t->item) {
		t->item->thread = s->number;
		den_publish(t->item);
	}
	den_unlock(&old);
	return t && t->item ? t : NULL;
}

static void begins(struct den_self *s)
{
	if (!s->trap)
		s->trap = make(s);
	trap_here.traps = s->trap;
	if (trap_here.inside)
		return; /* a signal's handler: its frame says what is armed */
	trap_stack_begin();
	trap_arm();
}

static void ends(struct den_self *s)
{
	struct trap_here *here = &trap_here;
	uint64_t traps = s->trap ? sum(s->trap) : 0;
	uint16_t status;

	__asm__ volatile("fnstsw %0" : "=m"(status));
	if (status & (X87_DENORMAL | X87_UNDERFLOW))
		trap_note(PRS_DEN_NOTE_X87, status & (X87_DENORMAL | X87_UNDERFLOW));
	if (!here->disarmed && !here->inside && !trap.aside && !here->sample.rests &&
	    trap_mxcsr() & MXCSR_MASKS)
		trap_note(PRS_DEN_NOTE_FENV, 0);
	trap_hide();
	trap_sample_end();
	here->disarmed = true;
	here->traps = NULL;
	trap_stack_end();
	if (s->trap) {
		__atomic_fetch_add(&den.head->traps, traps - s->trap->noted, __ATOMIC_RELAXED);
		s->trap->noted = traps;
	}
}

/* What the loader would look up at the first call is looked up here. */
static void decode_once(void)
{
	static const unsigned char addps[] = {0x0f, 0x58, 0xc1};
	struct trap_site site;

	trap_decode(&site, (uint64_t)addps, addps, sizeof(addps));
}

__attribute__((constructor)) static void begin(void)
{
	if (!den.wanted)
		return;
	trap_lanes_begin();
	decode_once();
	den.begins = begins;
	den.ends = ends;
	trap.on = trap_sample_begin() && trap_signals_begin();
	if (!trap.on || !den_self())
		trap.on = false;
}
