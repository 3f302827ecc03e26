/* SPDX-License-Identifier: MIT */
#include "codegen/view/check.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "codegen/view/conflict.h"
#include "codegen/view/text.h"

static bool is_hex(const char *s, size_t digits)
{
	return s && strlen(s) == digits && strspn(s, "0123456789abcdef") == digits;
}

static int check_core(const struct plan *p, const char *what, size_t i, uint32_t core, struct err *err)
{
	if (core <= p->max_core_id && core < CHECK_MAX_CORES)
		return 0;
	return err_set(err, -EINVAL, "%s %zu: unknown core %u\n  the plan's platform has cores 0 to %u", what,
		       i, core, p->max_core_id);
}

static int check_site(const struct plan *p, size_t i, struct err *err)
{
	const struct plan_site *s = &p->sites[i];

	if (!is_hex(s->id, 16))
		return err_set(err, -EINVAL, "site %zu: id must be 16 hexadecimal digits", i);
	if (!s->instance || (strcmp(s->instance, "*") && !is_hex(s->instance, 8)))
		return err_set(err, -EINVAL, "site %zu: instance must be 8 hexadecimal digits or '*'", i);
	if (!s->unit || !s->function || !s->callee)
		return err_set(err, -EINVAL, "site %zu: unit, function and callee must be given", i);
	return 0;
}

/* Two threads must not claim the same creation. */
static int check_unique_thread(const struct plan *p, size_t i, struct err *err)
{
	const struct plan_thread *t = &p->threads[i];

	for (size_t j = 1; j < i; j++) {
		const struct plan_thread *o = &p->threads[j];

		if (t->creator != PLAN_NONE && o->creator == t->creator && o->create_site == t->create_site &&
		    o->ordinal == t->ordinal)
			return err_set(err, -EINVAL,
				       "threads %zu and %zu have the same creator, site and ordinal", j, i);
	}
	return 0;
}

static int check_thread(const struct plan *p, size_t i, struct err *err)
{
	const struct plan_thread *t = &p->threads[i];

	if (i == 0 && t->creator != PLAN_NONE)
		return err_set(err, -EINVAL, "thread 0 must be main, which has no creator");
	if (i > 0 && t->creator == PLAN_NONE && t->core != PLAN_NONE)
		return err_set(err, -EINVAL,
			       "thread %zu: its creation was not seen, so it cannot be placed on core %u", i,
			       t->core);
	if (i > 0 && t->creator != PLAN_NONE && t->creator >= i)
		return err_set(err, -EINVAL, "thread %zu: its creator must be a thread before it", i);
	if (t->create_site != PLAN_NONE && t->create_site >= p->n_sites)
		return err_set(err, -EINVAL, "thread %zu: unknown site %u, the plan has %zu", i,
			       t->create_site, p->n_sites);
	if (t->core != PLAN_NONE && check_core(p, "thread", i, t->core, err))
		return -EINVAL;
	return i ? check_unique_thread(p, i, err) : 0;
}

static int check_actions(const struct plan *p, const struct plan_trigger *t, struct err *err)
{
	for (size_t i = 0; i < t->n_actions; i++) {
		const struct plan_action *a = &t->actions[i];

		if (a->kind == PLAN_PIN && check_core(p, "trigger", t->number, a->core, err))
			return -EINVAL;
		if (a->kind == PLAN_STEP && a->domain > p->max_core_id)
			return err_set(err, -EINVAL, "trigger %u: unknown frequency domain %u", t->number,
				       a->domain);
		if (a->kind == PLAN_STEP && (!a->khz || a->khz > 100000000u))
			return err_set(err, -EINVAL, "trigger %u: a step of %u kHz is out of range",
				       t->number, a->khz);
		if (a->kind != PLAN_PIN && a->kind != PLAN_STEP)
			return err_set(err, -EINVAL, "trigger %u: unknown action %d", t->number,
				       (int)a->kind);
	}
	return 0;
}

static int check_trigger(const struct plan *p, size_t i, struct err *err)
{
	const struct plan_trigger *t = &p->triggers[i];

	if (t->number < 1 || t->number > CHECK_MAX_TRIGGERS)
		return err_set(err, -EINVAL, "trigger %zu: its number %u is not in 1 to 9999", i, t->number);
	if (i && t->number <= p->triggers[i - 1].number)
		return err_set(err, -EINVAL, "trigger %u comes after trigger %u: numbers must ascend",
			       t->number, p->triggers[i - 1].number);
	if (t->thread >= p->n_threads)
		return err_set(err, -EINVAL, "trigger %u: unknown thread %u, the plan has %zu", t->number,
			       t->thread, p->n_threads);
	if (t->at == PLAN_AT_PROGRAM_START && t->thread != 0)
		return err_set(err, -EINVAL, "trigger %u: only main (thread 0) is there at program start",
			       t->number);
	if (t->thread && p->threads[t->thread].creator == PLAN_NONE)
		return err_set(
			err, -EINVAL,
			"trigger %u: the creation of thread %u was not seen, so nothing can be set in it",
			t->number, t->thread);
	if (t->at == PLAN_AT_CALL && t->site >= p->n_sites)
		return err_set(err, -EINVAL, "trigger %u: unknown site %u, the plan has %zu", t->number,
			       t->site, p->n_sites);
	if (t->at == PLAN_AT_CALL && !t->first)
		return err_set(err, -EINVAL, "trigger %u: visits are counted from 1", t->number);
	return check_actions(p, t, err);
}

/* Those of a plan have all the same register on entry and bits, since one may run inside another. */
static int check_flush(const struct plan *p, size_t i, struct err *err)
{
	const struct plan_flush *f = &p->flushes[i], *before = i ? f - 1 : f;

	if (!f->unit || !f->function || !*f->function)
		return err_set(err, -EINVAL, "flush %zu: unit and function must be given", i);
	if (!f->number || f->number > PLAN_FLUSHES || (i && f->number <= before->number))
		return err_set(err, -EINVAL, "flush %zu: its number %u is not in 1 to %u, ascending", i,
			       f->number, PLAN_FLUSHES);
	if (f->set > PLAN_FLUSH_BOTH || f->set != before->set || f->entry != before->entry ||
	    f->entry >= PLAN_FP_LIMIT || f->entry & (PLAN_FP_FLAGS | plan_flush_bits(PLAN_FLUSH_BOTH)))
		return err_set(
			err, -EINVAL,
			"flush %u: `entry` and `set` must be those of all flushes, and `entry` hold no "
			"flags and no bits of a flush",
			f->number);
	return 0;
}

static int check_layout(const struct plan *p, size_t i, struct err *err)
{
	const struct plan_layout *l = &p->layouts[i];
	bool field = l->kind == PLAN_LAYOUT_FIELD;

	if (l->kind > PLAN_LAYOUT_VARIABLE || !l->file || !*l->file ||
	    (field ? !l->type || !*l->type || !l->field || !*l->field : !l->variable || !*l->variable) ||
	    (l->unit && !*l->unit))
		return err_set(err, -EINVAL,
			       "layout %zu: type and field, or variable, and file must be given", i);
	if (l->align < 2 || l->align > PLAN_ALIGN_MAX || l->align & (l->align - 1))
		return err_set(err, -EINVAL, "layout %zu: its alignment %u is no power of two from 2 to %u",
			       i, l->align, PLAN_ALIGN_MAX);
	return 0;
}

static int check_head(const struct plan *p, struct err *err)
{
	if (!p->n_threads || p->n_threads > CHECK_MAX_THREADS)
		return err_set(err, -EINVAL, "the plan has %zu threads, expected 1 to %u", p->n_threads,
			       CHECK_MAX_THREADS);
	if (!p->n_cores || p->max_core_id >= CHECK_MAX_CORES || p->n_cores > CHECK_MAX_CORES)
		return err_set(err, -EINVAL,
			       "the plan's platform has %u cores up to number %u, expected at most %u",
			       p->n_cores, p->max_core_id, CHECK_MAX_CORES);
	if (p->cpu && (!text_is_plain(p->cpu) || strlen(p->cpu) > 200))
		return err_set(err, -EINVAL,
			       "the processor's name holds characters that no processor's name holds");
	return 0;
}

int check_plan(const struct plan *p, struct err *err)
{
	int ret = check_head(p, err);

	for (size_t i = 0; !ret && i < p->n_sites; i++)
		ret = check_site(p, i, err);
	for (size_t i = 0; !ret && i < p->n_threads; i++)
		ret = check_thread(p, i, err);
	for (size_t i = 0; !ret && i < p->n_triggers; i++)
		ret = check_trigger(p, i, err);
	for (size_t i = 0; !ret && i < p->n_flushes; i++)
		ret = check_flush(p, i, err);
	for (size_t i = 0; !ret && i < p->n_layouts; i++)
		ret = check_layout(p, i, err);
	return ret ? ret : conflict_check(p, err);
}
