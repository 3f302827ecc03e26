/* SPDX-License-Identifier: MIT */
/*
 * Attach and detach.
 *
 * Each object gets a piece of every thread's block: its call slots.
 * Process-wide site numbers only grow; the piece of an unloaded object is
 * folded into the call records and used again, so that a program may load and
 * unload for ever.
 */
#include "perseus/trial.h"
#include "runtime/attach.h"
#include "runtime/base/file.h"
#include "runtime/base/lock.h"
#include "runtime/calls/call.h"
#include "runtime/calls/trace.h"
#include "runtime/memory/burst.h"
#include "runtime/memory/mem.h"
#include "runtime/memory/note.h"
#include "runtime/memory/sharing.h"
#include "runtime/module.h"
#include "runtime/process.h"
#include "runtime/thread.h"

#define UNIT_DETACHED 1u
#define UNIT_DORMANT  2u
#define SLOTS_FIRST   ((uint32_t)sizeof(struct prs_block))

/* A freed piece of the block, for the next unit of this size. */
struct range {
	struct range *next;
	uint32_t base;
	uint32_t bytes;
};

/* Under rt_lock(). */
static struct {
	struct range *ranges;
	struct rt_unit **units_end; /* NULL: there is none yet */
	struct prs_chunk *unit_chunk;
	uint32_t n_calls, n_mems; /* sites of all objects there were */
} units;

static bool for_sharing(void)
{
	return rt.purpose == PRS_PURPOSE_SHARING;
}

static struct range *range_spare(uint64_t bytes)
{
	for (struct range **p = &units.ranges; *p; p = &(*p)->next) {
		struct range *r = *p;

		if (r->bytes == bytes) {
			*p = r->next;
			return r;
		}
	}
	return NULL;
}

/* Where in the block; 0: it does not fit. */
static uint32_t range_take(uint64_t bytes)
{
	struct range *r = range_spare(bytes);
	uint32_t base = rt.slots_end ? rt.slots_end : SLOTS_FIRST;

	if (r)
		return r->base;
	if (bytes > rt.block_max - RT_OPEN_BYTES - sizeof(struct prs_chunk) - base ||
	    !thread_extend(base + bytes))
		return 0;
	rt.slots_end = base + (uint32_t)bytes;
	return base;
}

static void range_give(struct rt_unit *u)
{
	struct range *r = arena_take(sizeof(*r));

	thread_forget(u->shadow.base, 8ull * u->shadow.n_calls);
	if (!r)
		return;
	*r = (struct range){units.ranges, (uint32_t)u->shadow.base, u->range_bytes};
	units.ranges = r;
	u->range_bytes = 0;
}

static bool unit_write(struct rt_unit *u)
{
	struct prs_chunk *c = units.unit_chunk;

	if (!c || c->used == c->pad[1]) {
		uint64_t bytes = c ? 65536 : 4096;

		c = file_chunk(PRS_CHUNK_UNIT, sizeof(struct prs_unit), PRS_NO_THREAD, bytes, bytes);
		if (!c)
			return false;
		file_publish(c);
		units.unit_chunk = c;
	}
	u->entry = (struct prs_unit *)(c + 1) + c->used;
	*u->entry = u->shadow;
	rt_publish(&c->used, c->used + 1);
	return true;
}

static void unit_numbers(struct rt_unit *u, const struct prs_desc *d)
{
	u->shadow.unit_id = d->unit_id;
	u->shadow.n_calls = d->n_calls;
	u->shadow.n_mems = d->n_mems;
	u->shadow.first_call = units.n_calls;
	u->shadow.first_mem = units.n_mems;
	u->shadow.attach_tsc = rt_ticks();
	u->range_bytes = 8 * d->n_calls;
	if (u->range_bytes)
		u->shadow.base = range_take(u->range_bytes);
}

/* Refused objects have no sites in the record: their probes never run. */
static void unit_refuse(struct rt_unit *u, uint32_t reason)
{
	u->shadow.n_calls = u->shadow.n_mems = 0;
	u->shadow.base = 0;
	u->shadow.flags |= UNIT_DORMANT;
	u->range_bytes = 0;
	file_note_off(reason);
}

static bool attach_fits(const struct prs_desc *d)
{
	return d->n_calls <= RT_BLOCK_MAX / 8 && d->n_mems <= RT_BLOCK_MAX / 8 &&
	       units.n_calls + d->n_calls < PRS_NO_SITE / 2 && units.n_mems + d->n_mems < PRS_NO_SITE / 2;
}

static struct rt_unit *unit_make(struct prs_desc *d, struct rt_module *m)
{
	struct rt_unit *u = arena_take(sizeof(*u));

	if (!u)
		return NULL;
	u->desc = d;
	u->shadow.module = m->index;
	u->main_program = m->main_program;
	if (d->version != PRS_ABI_VERSION) {
		u->shadow.attach_tsc = rt_ticks();
		unit_refuse(u, PRS_OFF_VERSION);
	} else if (!attach_fits(d)) {
		u->shadow.attach_tsc = rt_ticks();
		u->shadow.unit_id = d->unit_id;
		unit_refuse(u, PRS_OFF_SLOTS);
	} else {
		unit_numbers(u, d);
		if (u->range_bytes && !u->shadow.base)
			unit_refuse(u, PRS_OFF_SLOTS);
	}
	if (!unit_write(u))
		return NULL;
	*(units.units_end ? units.units_end : &rt.units) = u;
	units.units_end = &u->next;
	return u;
}

static RT_COLD void note_enabled(enum rt_enable how)
{
	if (how != ENABLE_ALL)
		file_note_off(how == ENABLE_REFUSED ? PRS_OFF_CODE : PRS_OFF_TABLE);
}

/* The module's first object wakes the probes of all: what has run of its code by then is little. */
static void wake(struct rt_module *m)
{
	enum rt_enable how;

	if (!for_sharing() || m->code != RT_CODE_DISABLED)
		return;
	how = enable_module(&m->segments, ENABLE_PROBES);
	m->code = how == ENABLE_REFUSED ? RT_CODE_REFUSED : RT_CODE_ENABLED;
	if (how != ENABLE_REFUSED)
		burst_add(m);
	note_enabled(how);
}

/*
 * Functions with two bodies: while a recording waits for its word, too, since whoever is in
 * a plain body then would call from there for as long as it likes.
 */
static RT_COLD void wake_twins(struct rt_module *m, const struct prs_desc *d)
{
	if (!(d->flags & PRS_DESC_TWINS) || m->twins)
		return;
	m->twins = 1;
	note_enabled(enable_module(&m->segments, ENABLE_TWINS));
}

/* What its leave probes call: the fast way where all is as usual. */
static void (*leave_of(const struct rt_unit *u))(void)
{
	if (!rt.tsc || (trace_here() && !trace_fits(u->shadow.first_call + u->shadow.n_calls)))
		return rt_entry_leave_plain;
	return trace_here() ? rt_entry_leave_trace : rt_entry_leave;
}

/* Probes that are enabled test neither `tls` nor `dir`: these stay for ever. */
void attach_fill(struct prs_desc *d)
{
	d->mem_tls = RT_OWN_FS(sharer);
	d->sharer = sharing_nobody();
	d->mem = rt_mem;
	d->range = rt_range;
	d->rows = rt_rows;
	d->note = rt_note;
	rt_publish(&d->dir, (uint64_t)sharing.dir_words);
}

/* A plan is tried: libperseus-trial.so, which is loaded then, comes to each call of the slots that it names. */
extern __typeof__(__prs_trial) __prs_trial __attribute__((weak));

/* From the first record on every call of the slot is timed: so it is that one, too, unless a period is set. */
static void trial_pin(const struct prs_desc *d, uint32_t site)
{
	if (rt_self)
		call_pin((const struct prs_slot *)((unsigned char *)rt_block + d->base) + site);
}

static const struct prs_trial_doors trial_doors = {rt_enter, rt_leave, trial_pin};

/* Everything a probe may find once `tls` is set. */
static void runtime_attach_fill(struct prs_desc *d, const struct rt_unit *u)
{
	d->base = u->shadow.base;
	if (for_sharing())
		attach_fill(d);
	d->enter_stub = rt.tsc ? rt_entry_enter : rt_entry_enter_plain;
	d->enter_to_stub = rt.tsc ? rt_entry_enter_to : rt_entry_enter_to_plain;
	d->leave_stub = leave_of(u);
	d->runtime = (uint64_t)u;
	if (__prs_trial)
		__prs_trial(d, &trial_doors);
}

/*
 * What a descriptor says to loops and ranges.  In rate mode loops are seen by
 * the probes that wait for bursts, and so they are where everything is to be seen.
 */
static void set_words(struct prs_desc *d, bool on)
{
	bool direct = on && sharing_direct() && !sharing.alone;

	rt_store(&d->loops, direct && !sharing_all());
	rt_store(&d->ranges, direct && !sharing_all());
}

/* The probes of an object begin to run. */
static void rouse(const struct rt_unit *u, struct rt_module *m)
{
	wake(m);
	rt_publish(&u->desc->tls, RT_OWN_FS(block));
	set_words(u->desc, for_sharing() && m->code == RT_CODE_ENABLED);
}

static void attach(struct prs_desc *d, const struct rt_found *found)
{
	struct rt_module *m = module_enter(found);
	struct rt_unit *u = m ? unit_make(d, m) : NULL;

	if (!u || u->shadow.flags & UNIT_DORMANT)
		return;
	units.n_calls += u->shadow.n_calls;
	units.n_mems += u->shadow.n_mems;
	rt_store(&rt.header->n_calls, units.n_calls);
	rt_store(&rt.header->n_mems, units.n_mems);
	rt_store(&rt.header->n_units, rt.header->n_units + 1);
	m->live++;
	runtime_attach_fill(d, u);
	wake_twins(m, d);
	if (rt_recording())
		rouse(u, m);
}

/* Enabled or not, it is entered already. */
static bool attached(const struct prs_desc *d)
{
	return d->tls || (d->runtime && ((const struct rt_unit *)d->runtime)->desc == d);
}

__attribute__((visibility("default"))) void __prs_attach(struct prs_desc *desc)
{
	struct rt_found found = {0};
	uint64_t old;

	if (!process_activate() || !module_find(desc, &found))
		return;
	rt_lock(&old);
	if (!attached(desc))
		attach(desc, &found);
	rt_unlock(&old);
}

static struct rt_module *module_at(uint32_t index)
{
	struct rt_module *m = rt.modules;

	while (m && m->index != index)
		m = m->next;
	return m;
}

static void detach(struct rt_unit *u)
{
	struct rt_module *m = module_at(u->shadow.module);

	if (m)
		burst_remove(m);
	u->shadow.flags |= UNIT_DETACHED;
	u->shadow.detach_tsc = rt_ticks();
	u->entry->detach_tsc = u->shadow.detach_tsc;
	u->entry->flags = u->shadow.flags;
	u->desc = NULL;
	if (m)
		m->live--;
	/* The main program is never unloaded: the process ends, and others may still run in it. */
	if (u->main_program)
		rt_store(&rt.exiting, 1);
	if (!rt.exiting && u->range_bytes)
		range_give(u);
}

/* `base` and the pointers stay: at exit another thread may be in the middle of a probe. */
__attribute__((visibility("default"))) void __prs_detach(struct prs_desc *desc)
{
	uint64_t old;

	if (!rt_acquire(&desc->tls) && rt_acquire(&rt.state) != RT_WAITING)
		return;
	rt_publish(&desc->tls, 0);
	if (sys_getpid() != rt.pid) /* a child of some raw fork: the lock may be held for ever */
		return;
	rt_lock(&old);
	if (desc->runtime)
		detach((struct rt_unit *)desc->runtime);
	rt_unlock(&old);
}

void attach_silence(void)
{
	for (struct rt_unit *u = rt.units; u; u = u->next)
		if (u->desc) {
			rt_publish(&u->desc->tls, 0);
			set_words(u->desc, false);
		}
}

void attach_sleep(void)
{
	for (struct rt_module *m = rt.modules; m; m = m->next) {
		if (m->live && m->twins)
			enable_module(&m->segments, DISABLE_TWINS);
		m->twins = 0;
	}
}

void attach_speak(void)
{
	for (struct rt_unit *u = rt.units; u; u = u->next) {
		struct rt_module *m = u->desc ? module_at(u->shadow.module) : NULL;

		if (!m || u->shadow.flags & UNIT_DORMANT)
			continue;
		rt_publish(&u->desc->tls, RT_OWN_FS(block));
		set_words(u->desc, for_sharing() && m->code == RT_CODE_ENABLED);
	}
}

void attach_words(void)
{
	for (struct rt_unit *u = rt.units; u; u = u->next) {
		struct rt_module *m = u->desc ? module_at(u->shadow.module) : NULL;

		if (m && rt_acquire(&u->desc->tls))
			set_words(u->desc, m->code == RT_CODE_ENABLED);
	}
}

void attach_company(void)
{
	/* An adaptive run has little time to look at everything: it begins when the other thread is heard of. */
	if (!sharing.alone || (sharing.first && rt.n_threads < 2 && !sharing.n_shared))
		return;
	sharing.alone = 0;
	for (struct rt_module *m = rt.modules; m; m = m->next)
		if (m->live && m->code == RT_CODE_ENABLED && !enable_rest(&m->segments))
			file_note_off(PRS_OFF_TABLE);
	attach_words();
}

void attach_open(void)
{
	sharing.alone = 0; /* nobody counted threads while nothing was recorded */
	for (struct rt_unit *u = rt.units; u; u = u->next) {
		struct rt_module *m = u->desc ? module_at(u->shadow.module) : NULL;

		if (m && !(u->shadow.flags & UNIT_DORMANT))
			rouse(u, m);
	}
}

bool attach_forked(void)
{
	if (!module_forked())
		return false;
	units.unit_chunk = NULL;
	for (struct rt_unit *u = rt.units; u; u = u->next) {
		if (!unit_write(u))
			return false;
		if (!(u->shadow.flags & UNIT_DORMANT))
			rt.header->n_units++;
	}
	rt.header->n_calls = units.n_calls;
	rt.header->n_mems = units.n_mems;
	return true;
}

const struct rt_objects sharing_objects = {attach_company, attach_words, attach_fill};
