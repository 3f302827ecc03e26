/* SPDX-License-Identifier: MIT */
#include "cmd/plan/print/sense.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/base/print.h"
#include "cmd/plan/print/text.h"
#include "lib/strbuf.h"
#include "planner/result/sensitivity.h"
#include "planner/watts/range.h"

static void print_row(const struct outcome *o, const struct breakeven *b)
{
	char *name = figure_name(o->problem, &b->figure), *has = breakeven_value(&b->figure, b->figure.value);
	char *at = b->turns ? breakeven_side(b, b->at) : NULL;
	char *refused = b->refused ? breakeven_side(b, b->refused_at) : NULL;

	cmd_print("  %-28s %8s %6.2f  %-14s %s\n", name, has, 100 * b->swing, at ? at : "-",
		  refused ? refused : "-");
	free(refused);
	free(at);
	free(has);
	free(name);
}

/* Figures that change nothing in this plan's gain. */
static void print_others(const struct outcome *o, const struct breakeven *b, uint32_t n)
{
	struct strbuf names = STRBUF_INIT;

	for (uint32_t i = 0; i < n; i++) {
		char *name = b[i].matters ? NULL : figure_name(o->problem, &b[i].figure);

		if (name)
			strbuf_printf(&names, "%s%s", names.len ? "; " : "", name);
		free(name);
	}
	if (names.len)
		plan_item("no part", "%s", names.s);
	strbuf_release(&names);
}

/* The figure whose error would turn the answer first, or move it most. */
static void print_next(const struct outcome *o, const struct breakeven *b)
{
	char *name = figure_name(o->problem, &b->figure);

	if (b->turns || b->refused)
		plan_item("measure", "%s better next: an error of %.0f %% turns the answer", name,
			  100 * breakeven_error(b));
	else if (b->matters)
		plan_item("measure", "%s better next: it moves the saving most", name);
	free(name);
}

void plan_sense_print(const struct outcome *o)
{
	uint32_t n;
	struct breakeven *b = planner_breakevens(o, &n);

	cmd_print("sensitive to (one figure changed at a time, a tenth to ten times, plan kept)\n");
	cmd_print("  %-28s %8s %6s  %-14s %s\n", "figure", "is", "10 %*", "loses", "is not worth it");
	for (uint32_t i = 0; i < n; i++)
		if (b[i].matters)
			print_row(o, &b[i]);
	cmd_print("%s\n", "  * points of the saving for a figure off by 10 %; -: at no value in that range");
	print_others(o, b, n);
	if (n)
		print_next(o, &b[0]);
	free(b);
}

static void json_row(const struct outcome *o, const struct breakeven *b, struct json *j)
{
	char *name = figure_name(o->problem, &b->figure);
	double scale;
	const char *unit = figure_unit(&b->figure, &scale);

	json_object(j, NULL);
	json_string(j, "parameter", name);
	json_string(j, "unit", unit);
	json_double(j, "value", b->figure.value / scale);
	json_double(j, "from", b->figure.low / scale);
	json_double(j, "to", b->figure.high / scale);
	json_bool(j, "matters", b->matters);
	json_double(j, "swing_points", 100 * b->swing);
	if (b->turns)
		json_double(j, "loses_at", b->at / scale);
	if (b->refused)
		json_double(j, "refused_at", b->refused_at / scale);
	json_end(j);
	free(name);
}

void plan_sense_json(const struct outcome *o, struct json *j)
{
	uint32_t n;
	struct breakeven *b = planner_breakevens(o, &n);

	json_array(j, "sensitivity");
	for (uint32_t i = 0; i < n; i++)
		json_row(o, &b[i], j);
	json_end(j);
	free(b);
}

void plan_watts_print(const struct outcome *o)
{
	struct watts_range r;
	char *text;

	planner_watts_range(o, &r);
	if (!r.known)
		return;
	text = planner_watts_sentence(o, &r);
	plan_item("watts", "%s", text);
	free(text);
	text = planner_watts_next(o, &r);
	if (text)
		plan_item("measure", "%s", text);
	free(text);
}

void plan_watts_json(const struct outcome *o, struct json *j)
{
	struct watts_range r;
	char *next;

	planner_watts_range(o, &r);
	if (!r.known)
		return;
	next = r.figure_swing > 0 ? figure_name(o->problem, &r.figure) : NULL;
	json_object(j, "within_watts");
	json_double(j, "saved_low", r.low);
	json_double(j, "saved_high", r.high);
	json_string(j, "measure_next", next);
	json_double(j, "measure_next_swing", r.figure_swing);
	if (r.turns) {
		char *name = figure_name(o->problem, &r.turn);
		double scale;

		json_string(j, "loses_by", name);
		json_string(j, "unit", figure_unit(&r.turn, &scale));
		json_double(j, "loses_at", r.turn_at / scale);
		free(name);
	}
	json_end(j);
	free(next);
}
