/* SPDX-License-Identifier: MIT */
/*
 * perseus_triggers_test.c: what the plan asks for, as tables of literal
 * numbers, then the engine that compares perseus_triggers.c with them.  The
 * constants of perseus_triggers.h are not used in the tables: a wrong one
 * would be wrong on both sides.
 */
#include <string.h>

#include "codegen/emit.h"
#include "codegen/needs.h"
#include "codegen/view/text.h"

#define NAME_BYTES 60
/* Visits that the test makes one by one; beyond, it sets the counter. */
#define WALK 40u

static const char top_text[] =
#include "codegen/templates/test-top.c.in"
	;
static const char platform_text[] =
#include "codegen/templates/test-platform.c.in"
	;
static const char model_text[] =
#include "codegen/templates/test-model.c.in"
	;
static const char cases_text[] =
#include "codegen/templates/test-cases.c.in"
	;

static void test_data_number(struct strbuf *out, uint32_t n)
{
	if (n == PLAN_NONE)
		strbuf_puts(out, "NONE, ");
	else
		strbuf_printf(out, "%uu, ", n);
}

/* ---- settings: one list for all, others name a part of it ---- */

static void setting(struct strbuf *out, const struct plan_action *a)
{
	if (a->kind == PLAN_PIN)
		strbuf_printf(out, "\t{PIN, %uu, 0u},\n", a->core);
	else
		strbuf_printf(out, "\t{STEP, %uu, %uu},\n", a->domain, a->khz);
}

static size_t n_settings(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_triggers; i++)
		n += p->triggers[i].n_actions;
	return n;
}

static void settings(struct strbuf *out, const struct plan *p)
{
	strbuf_puts(out, "\n/* What the triggers set, in the order of the plan. */\n"
			 "static const struct setting settings[SETTINGS + 1u] = {\n");
	for (size_t i = 0; i < p->n_triggers; i++)
		for (size_t k = 0; k < p->triggers[i].n_actions; k++)
			setting(out, &p->triggers[i].actions[k]);
	strbuf_puts(out, "\t{NOTHING, 0u, 0u},\n};\n");
}

static void threads(struct strbuf *out, const struct view *v)
{
	strbuf_puts(out, "\n/* Creator, number of the creating site, ordinal there, core. */\n"
			 "static const struct wanted_thread threads[THREADS] = {\n");
	for (size_t i = 0; i < v->plan->n_threads; i++) {
		const struct plan_thread *t = &v->plan->threads[i];

		strbuf_puts(out, "\t{");
		test_data_number(out, t->creator);
		test_data_number(out, view_create_number(v, t->create_site));
		test_data_number(out, t->ordinal);
		test_data_number(out, t->core);
		out->len -= 2;
		strbuf_puts(out, "}, /* ");
		text_comment(out, t->name, NAME_BYTES);
		strbuf_puts(out, " */\n");
	}
	strbuf_puts(out, "};\n");
}

/* Place of the point of trigger @t, PLAN_NONE if it is not at a call. */
static uint32_t point_of(const struct view *v, const struct plan_trigger *t)
{
	for (size_t i = 0; i < v->points.n; i++)
		if (view_in_point(v, &v->points.at[i], t))
			return (uint32_t)i;
	return PLAN_NONE;
}

static void triggers(struct strbuf *out, const struct view *v)
{
	static const char *const at[] = {"AT_START", "AT_START", "AT_CALL"};
	size_t first = 0;

	strbuf_puts(
		out,
		"\n/* Number, where, point, thread, first visit, every, settings: first and how many. */\n"
		"static const struct wanted_trigger triggers[] = {\n");
	for (size_t i = 0; i < v->plan->n_triggers; i++) {
		const struct plan_trigger *t = &v->plan->triggers[i];

		strbuf_printf(out, "\t{%uu, %s, ", t->number, at[t->at]);
		test_data_number(out, point_of(v, t));
		test_data_number(out, t->thread);
		strbuf_printf(out, "%uu, %uu, %zuu, %zuu},\n", t->at == PLAN_AT_CALL ? t->first : 0,
			      t->at == PLAN_AT_CALL ? t->every : 0, first, t->n_actions);
		first += t->n_actions;
	}
	strbuf_puts(out, "\t{0u, AT_NOWHERE, NONE, NONE, 0u, 0u, 0u, 0u},\n};\n");
}

static void functions(struct strbuf *out, const struct view *v)
{
	strbuf_puts(out, "\nstatic void nothing(void)\n{\n}\n");
	if (v->points.n)
		strbuf_puts(out, "\n/* Trigger points. */\nstatic const struct point points[POINTS] = {\n");
	for (size_t i = 0; i < v->points.n; i++)
		strbuf_printf(out, "\t{%uu, perseus_trigger_%04u},\n", v->points.at[i].number,
			      v->points.at[i].number);
	strbuf_puts(out, v->points.n ? "};\n" : "");
	strbuf_puts(out, "\n/* The marks before calls that create threads. */\nstatic void (*const "
			 "begins[CREATES + 1u])(void) = {\n\tnothing,\n");
	for (size_t i = 1; i <= v->creates.n; i++)
		strbuf_printf(out, "\tperseus_create_%zu_begin,\n", i);
	strbuf_puts(out, "};\n");
}

static void flushes(struct strbuf *out, const struct view *v)
{
	const struct plan *p = v->plan;

	if (!p->n_flushes)
		return;
	strbuf_printf(
		out,
		"\n/* Register on entry, and what is set in it. */\n#define FP_ENTRY (0x%04Xu)\n"
		"#define FP_BITS  (0x%04Xu)\n#define FLUSHES  (%zuu)\n"
		"\nstruct flush {\n\tuint32_t number;\n\tvoid (*begin)(void);\n\tvoid (*end)(void);\n};\n"
		"\nstatic const struct flush flushes[FLUSHES] = {\n",
		p->flushes[0].entry, plan_flush_bits(p->flushes[0].set), p->n_flushes);
	for (size_t i = 0; i < p->n_flushes; i++)
		strbuf_printf(out, "\t{%1$uu, perseus_flush_%1$u_begin, perseus_flush_%1$u_end},\n",
			      p->flushes[i].number);
	strbuf_puts(out, "};\n");
}

static void numbers(struct strbuf *out, const struct view *v)
{
	strbuf_printf(out, "\n#define PLAN     \"%s\"\n", v->in->sha256);
	strbuf_printf(out, "#define THREADS  (%zuu)\n", v->plan->n_threads);
	strbuf_printf(out, "#define POINTS   (%zuu)\n", v->points.n);
	strbuf_printf(out, "#define CREATES  (%zuu)\n", v->creates.n);
	strbuf_printf(out, "#define SETTINGS (%zuu)\n", n_settings(v->plan));
	strbuf_printf(out, "#define WALK     (%uu)\n", WALK);
}

/* Points with a trigger beyond what is walked: their counters are set. */
static bool is_far(const struct view *v, const struct view_point *p)
{
	for (size_t i = 0; i < v->plan->n_triggers; i++) {
		const struct plan_trigger *t = &v->plan->triggers[i];

		if (view_in_point(v, p, t) && (uint64_t)t->first + 2ull * t->every + 1u >= WALK)
			return true;
	}
	return false;
}

static void far_points(struct strbuf *out, const struct view *v)
{
	if (!v->points.n)
		return;
	strbuf_puts(out, "\n/* The next visit of thread @thread at point @point is number @visit: what is "
			 "too far to walk. */\n"
			 "static void set_visit(uint32_t point, uint32_t thread, uint64_t visit)\n{\n"
			 "\t(void)thread;\n\t(void)visit;\n\tswitch (point) {\n");
	for (size_t i = 0; i < v->points.n; i++)
		if (is_far(v, &v->points.at[i]))
			strbuf_printf(out,
				      "\tcase %zuu:\n\t\tperseus_state[thread].visits_%04u = visit - "
				      "1u;\n\t\tbreak;\n",
				      i, v->points.at[i].number);
	strbuf_puts(out, "\tdefault:\n\t\tbreak;\n\t}\n}\n");
}

void emit_test(struct strbuf *out, const struct view *v)
{
	emit_provenance(out, v, "Unit test of the triggers");
	needs_add(out, top_text, v);
	numbers(out, v);
	threads(out, v);
	if (needs(v, "pins") || needs(v, "steps")) {
		settings(out, v->plan);
		triggers(out, v);
	}
	functions(out, v);
	flushes(out, v);
	far_points(out, v);
	needs_add(out, platform_text, v);
	needs_add(out, model_text, v);
	needs_add(out, cases_text, v);
}
