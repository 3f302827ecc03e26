/* SPDX-License-Identifier: MIT */
/* What plans say of themselves: for what they were made, what they promise, how they were found. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/num.h"
#include "planner/diff/pair.h"

enum form { FORM_TEXT, FORM_HASH, FORM_U32, FORM_U64, FORM_NS, FORM_NJ, FORM_MW, FORM_BOOL, FORM_WORD };

struct figure {
	enum diff_kind kind;
	enum form form;
	const char *name;
	size_t offset;
	const char *const *words;
};

static const char *const objectives[] = {"time", "energy", "edp", "power"};
static const char *const overs[] = {"mean", "worst"};

#define AT(member) offsetof(struct plan, member)

static const struct figure figures[] = {
	{DIFF_IDENTITY, FORM_TEXT, "program", AT(program), NULL},
	{DIFF_IDENTITY, FORM_HASH, "build id of the program", AT(build_id), NULL},
	{DIFF_IDENTITY, FORM_HASH, "call sites of the program", AT(sites_sha256), NULL},
	{DIFF_IDENTITY, FORM_HASH, "model", AT(model_sha256), NULL},
	{DIFF_IDENTITY, FORM_TEXT, "platform", AT(platform_name), NULL},
	{DIFF_IDENTITY, FORM_HASH, "figures of the platform", AT(platform_sha256), NULL},
	{DIFF_IDENTITY, FORM_U32, "number of cores", AT(n_cores), NULL},
	{DIFF_IDENTITY, FORM_U32, "largest core number", AT(max_core_id), NULL},
	{DIFF_IDENTITY, FORM_TEXT, "processor", AT(cpu), NULL},
	{DIFF_TASK, FORM_WORD, "objective", AT(objective), objectives},
	{DIFF_TASK, FORM_WORD, "kind", AT(kind), plan_kind_words},
	{DIFF_TASK, FORM_WORD, "over several models", AT(over), overs},
	{DIFF_TASK, FORM_NS, "deadline", AT(deadline_ns), NULL},
	{DIFF_TASK, FORM_MW, "power cap", AT(cap_mw), NULL},
	{DIFF_TASK, FORM_TEXT, "baseline", AT(baseline), NULL},
	{DIFF_TASK, FORM_HASH, "placement of the baseline", AT(baseline_sha256), NULL},
	{DIFF_PROMISE, FORM_NS, "time", AT(time_ns), NULL},
	{DIFF_PROMISE, FORM_NJ, "energy", AT(energy_nj), NULL},
	{DIFF_PROMISE, FORM_MW, "peak", AT(peak_mw), NULL},
	{DIFF_PROMISE, FORM_NS, "time of the baseline", AT(base_time_ns), NULL},
	{DIFF_PROMISE, FORM_NJ, "energy of the baseline", AT(base_energy_nj), NULL},
	{DIFF_PROMISE, FORM_NS, "bound of the time", AT(bound_time_ns), NULL},
	{DIFF_PROMISE, FORM_NJ, "bound of the energy", AT(bound_energy_nj), NULL},
	{DIFF_PROMISE, FORM_BOOL, "proven", AT(proven), NULL},
	{DIFF_NOTE, FORM_U64, "seed", AT(seed), NULL},
	{DIFF_NOTE, FORM_TEXT, "method", AT(method), NULL},
	{DIFF_NOTE, FORM_U64, "evaluations", AT(evaluations), NULL},
	{DIFF_NOTE, FORM_NS, "relaxed bound of the time", AT(relaxed_time_ns), NULL},
	{DIFF_NOTE, FORM_NJ, "relaxed bound of the energy", AT(relaxed_energy_nj), NULL},
	{DIFF_NOTE, FORM_NS, "simulated time", AT(simulated_time_ns), NULL},
	{DIFF_NOTE, FORM_NJ, "simulated energy", AT(simulated_energy_nj), NULL},
	{DIFF_NOTE, FORM_TEXT, "what it turns on", AT(turns_on), NULL},
};

static void time_or_none(struct strbuf *out, uint64_t ns)
{
	char buf[32];

	strbuf_puts(out, ns ? num_time(buf, sizeof(buf), (double)ns * 1e-9) : "none");
}

static void diff_head_show(struct strbuf *out, const struct figure *f, const struct plan *plan)
{
	const void *at = (const char *)plan + f->offset;
	uint64_t wide = f->form >= FORM_U64 && f->form <= FORM_MW ? *(const uint64_t *)at : 0;

	switch (f->form) {
	case FORM_TEXT:
	case FORM_HASH:
		pair_safe(out, *(char *const *)at);
		break;
	case FORM_U32:
		strbuf_printf(out, "%u", *(const uint32_t *)at);
		break;
	case FORM_NS:
		time_or_none(out, wide);
		break;
	case FORM_NJ:
		strbuf_printf(out, wide ? "%.2f J" : "none", (double)wide * 1e-9);
		break;
	case FORM_MW:
		strbuf_printf(out, wide ? "%.2f W" : "none", (double)wide * 1e-3);
		break;
	case FORM_BOOL:
		strbuf_puts(out, *(const bool *)at ? "yes" : "no");
		break;
	case FORM_WORD:
		strbuf_puts(out, f->words[*(const unsigned *)at]);
		break;
	default:
		strbuf_printf(out, "%" PRIu64, wide);
	}
}

static bool diff_head_same(const struct figure *f, const struct plan *a, const struct plan *b)
{
	const void *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
	size_t size = f->form == FORM_U32    ? sizeof(uint32_t)
		      : f->form == FORM_BOOL ? sizeof(bool)
		      : f->form == FORM_WORD ? sizeof(unsigned)
					     : sizeof(uint64_t);

	if (f->form == FORM_TEXT || f->form == FORM_HASH) {
		const char *s = *(char *const *)x, *t = *(char *const *)y;

		return !pair_differs(s, t);
	}
	return !memcmp(x, y, size);
}

static void say(struct pair *p, enum diff_kind kind, const char *name, const char *before, const char *after)
{
	struct strbuf subject = STRBUF_INIT, text = STRBUF_INIT;

	pair_safe(&subject, name);
	if (!strcmp(before, after)) /* rounded to the same */
		strbuf_printf(&text, "%s differs by less than is shown, it is %s", subject.s, after);
	else
		strbuf_printf(&text, "%s is %s instead of %s", subject.s, after, before);
	pair_add(p, kind, &subject, NULL, before, after, &text);
}

static void one_figure(struct pair *p, const struct figure *f)
{
	const struct plan *old = p->plan[PAIR_OLD], *new = p->plan[PAIR_NEW];
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;

	if (diff_head_same(f, old, new))
		return;
	/* Only several models can be put together in more than one way. */
	if (f->words == overs && old->n_inputs < 2 && new->n_inputs < 2)
		return;
	diff_head_show(&before, f, old);
	diff_head_show(&after, f, new);
	say(p, f->kind, f->name, before.s, after.s);
	strbuf_release(&before);
	strbuf_release(&after);
}

/* ---- phases ---- */

static void say_phase(struct pair *p, const struct plan_phase *old, const struct plan_phase *new)
{
	struct strbuf name = STRBUF_INIT, before = STRBUF_INIT, after = STRBUF_INIT;
	const struct plan_phase *ph[] = {old, new};
	struct strbuf *out[] = {&before, &after};

	strbuf_puts(&name, "phase ");
	pair_safe(&name, new ? new->name : old->name);
	for (int i = 0; i < 2; i++) {
		strbuf_puts(out[i], ph[i] ? "" : "not there");
		if (!ph[i])
			continue;
		strbuf_printf(out[i], "%u x ", ph[i]->repeats);
		time_or_none(out[i], ph[i]->time_ns);
		strbuf_printf(out[i], ", %.2f J", (double)ph[i]->energy_nj * 1e-9);
		if (ph[i]->peak_mw)
			strbuf_printf(out[i], ", peak %.2f W", (double)ph[i]->peak_mw * 1e-3);
		if (ph[i]->deadline_ns) {
			strbuf_puts(out[i], ", deadline ");
			time_or_none(out[i], ph[i]->deadline_ns);
		}
	}
	say(p, DIFF_PROMISE, name.s, before.s, after.s);
	strbuf_release(&name);
	strbuf_release(&before);
	strbuf_release(&after);
}

struct phase_marks {
	struct pair *pair;
	bool *seen[PAIR_SIDES];
};

static void both_phases(void *arg, uint32_t old, uint32_t new)
{
	struct phase_marks *m = arg;
	const struct plan_phase *a = &m->pair->plan[PAIR_OLD]->phases[old];
	const struct plan_phase *b = &m->pair->plan[PAIR_NEW]->phases[new];

	m->seen[PAIR_OLD][old] = m->seen[PAIR_NEW][new] = true;
	if (a->repeats != b->repeats || a->time_ns != b->time_ns || a->energy_nj != b->energy_nj ||
	    a->peak_mw != b->peak_mw || a->deadline_ns != b->deadline_ns)
		say_phase(m->pair, a, b);
}

static void phases(struct pair *p)
{
	struct match_list list[PAIR_SIDES] = {VEC_INIT, VEC_INIT};
	struct phase_marks m = {.pair = p};

	for (int side = 0; side < PAIR_SIDES; side++) {
		m.seen[side] = mem_new(p->plan[side]->n_phases + 1, sizeof(bool));
		for (uint32_t i = 0; i < p->plan[side]->n_phases; i++)
			match_add(&list[side], mem_strdup(p->plan[side]->phases[i].name), i);
	}
	match_pairs(&list[PAIR_OLD], &list[PAIR_NEW], both_phases, &m);
	for (uint32_t i = 0; i < p->plan[PAIR_NEW]->n_phases; i++)
		if (!m.seen[PAIR_NEW][i])
			say_phase(p, NULL, &p->plan[PAIR_NEW]->phases[i]);
	for (uint32_t i = 0; i < p->plan[PAIR_OLD]->n_phases; i++)
		if (!m.seen[PAIR_OLD][i])
			say_phase(p, &p->plan[PAIR_OLD]->phases[i], NULL);
	for (int side = 0; side < PAIR_SIDES; side++) {
		match_release(&list[side]);
		free(m.seen[side]);
	}
}

/* ---- models of a plan for several ---- */

static void one_input(void *arg, uint32_t old, uint32_t new)
{
	bool *const *seen = arg;

	seen[PAIR_OLD][old] = seen[PAIR_NEW][new] = true;
}

static void inputs(struct pair *p)
{
	struct match_list list[PAIR_SIDES] = {VEC_INIT, VEC_INIT};
	bool *seen[PAIR_SIDES];

	for (int side = 0; side < PAIR_SIDES; side++) {
		seen[side] = mem_new(p->plan[side]->n_inputs + 1, sizeof(bool));
		for (uint32_t i = 0; i < p->plan[side]->n_inputs; i++)
			match_add(&list[side], mem_strdup(p->plan[side]->inputs[i].model_sha256), i);
	}
	match_pairs(&list[PAIR_OLD], &list[PAIR_NEW], one_input, seen);
	for (int side = 0; side < PAIR_SIDES; side++) {
		for (uint32_t i = 0; i < p->plan[side]->n_inputs; i++) {
			const char *hash = p->plan[side]->inputs[i].model_sha256;

			if (!seen[side][i])
				say(p, DIFF_IDENTITY, "one of the models", side == PAIR_OLD ? hash : "none",
				    side == PAIR_NEW ? hash : "none");
		}
		match_release(&list[side]);
		free(seen[side]);
	}
}

void pair_head(struct pair *p)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		one_figure(p, &figures[i]);
	inputs(p);
	phases(p);
}
