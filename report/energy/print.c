/* SPDX-License-Identifier: MIT */
/* Joules for people and for programs; each figure says how it is known. */
#include <inttypes.h>
#include <stdio.h>

#include "lib/json.h"
#include "report/energy/energy.h"
#include "report/time/words.h"

#define ENERGY_SCHEMA 1
#define NAME_COLUMNS  38

static const char *const modes[] = {"measured", "modelled", "absent"};
static const char *const aligned_by[] = {
	[JOULES_SAME_CLOCK] = "the clock of the run",
	[JOULES_TRIGGER] = "the trigger",
	[JOULES_EDGE] = "one edge of the trigger and what the program did",
	[JOULES_CORRELATED] = "what the program did",
};

const char *energy_tag(const struct energy_report *r, bool whole, double error, char *buf, size_t size)
{
	if (r->mode == ENERGY_MEASURED && whole)
		snprintf(buf, size, error < 0.095 ? "measured +- %.2g %%" : "measured +- %.0f %%",
			 100 * error);
	else if (r->mode == ENERGY_MEASURED && !r->by_model)
		snprintf(buf, size, "by CPU time, measured");
	else if (r->model_error > 0)
		snprintf(buf, size, "modelled +- %.0f %%", 100 * r->model_error);
	else
		snprintf(buf, size, "modelled, extrapolated");
	return buf;
}

/* "80 J", "12.3 mJ". */
static const char *energy_amount(char *buf, size_t size, double joules)
{
	static const char *const units[] = {"J", "mJ", "uJ", "nJ"};
	size_t u = 0;

	for (; u < 3 && joules < 0.9995 && joules > 0; u++)
		joules *= 1000;
	snprintf(buf, size, joules > 9999 ? "%.0f %s" : "%.4g %s", joules, units[u]);
	return buf;
}

static void print_line(const struct energy_line *l, double whole, const char *tag, bool phase,
		       struct strbuf *out)
{
	char joules[32], seconds[32];
	struct strbuf name = STRBUF_INIT;

	strbuf_printf(&name, "%s%s", l->name, l->file ? " " : "");
	if (l->file)
		text_place(l->file, l->line, &name);
	strbuf_puts(out, "  ");
	text_cell(name.s, phase ? NAME_COLUMNS + 14 : NAME_COLUMNS, out);
	strbuf_printf(out, " %10s %5.1f %%  %8s", energy_amount(joules, sizeof(joules), l->joules),
		      text_percent(l->joules, whole),
		      text_duration(seconds, sizeof(seconds), l->cpu * 1e9, 0));
	strbuf_printf(out, "  %s\n", tag);
	strbuf_release(&name);
}

static void print_table(const struct energy_report *r, const char *title, const struct energy_lines *t,
			double whole, size_t rows, bool phase, struct strbuf *out)
{
	char tag[64];
	double rest = 0;
	size_t n = t->n < rows ? t->n : rows;

	if (!t->n)
		return;
	strbuf_printf(out, "%s\n", title);
	for (size_t i = 0; i < n; i++) { /* phases have the power of their time */
		energy_tag(r, phase && r->joules.n_power, t->at[i].error, tag, sizeof(tag));
		print_line(&t->at[i], whole, tag, phase, out);
	}
	for (size_t i = n; i < t->n; i++)
		rest += t->at[i].joules;
	if (n < t->n) {
		char joules[32], name[64];

		snprintf(name, sizeof(name), "(%zu more)", t->n - n);
		strbuf_printf(out, "  %-*s %10s %5.1f %%\n", phase ? NAME_COLUMNS + 14 : NAME_COLUMNS, name,
			      energy_amount(joules, sizeof(joules), rest), text_percent(rest, whole));
	}
}

static void print_head(const struct energy_report *r, struct strbuf *out)
{
	char joules[32], tag[64];

	strbuf_printf(out, "energy    %s in %.4g s (%.4g W)  %s\n",
		      energy_amount(joules, sizeof(joules), r->total), r->joules.seconds,
		      r->total / r->joules.seconds, energy_tag(r, true, r->error, tag, sizeof(tag)));
	if (r->mode == ENERGY_MEASURED)
		strbuf_printf(out, "source    %s, %" PRIu64 " reading%s\n", r->joules.source,
			      r->joules.readings, r->joules.readings == 1 ? "" : "s");
	if (r->mode == ENERGY_MEASURED && r->joules.alignment != JOULES_SAME_CLOCK)
		strbuf_printf(out,
			      "aligned   by %s, within %.3g ms: shift %.6g s, clock off by %.3f %%, %" PRIu64
			      " readings missing, %" PRIu64 " doubled\n",
			      aligned_by[r->joules.alignment], r->joules.alignment_error * 1e3,
			      r->joules.shift, 100 * r->joules.drift, r->joules.missing, r->joules.doubled);
	if (r->outside)
		strbuf_printf(out, "model     its interval is not claimed: %s\n", r->outside);
	if (r->idle > 0)
		strbuf_printf(out,
			      "idle      %s of it the machine draws anyway, dealt by %s (--energy-rule)\n",
			      energy_amount(joules, sizeof(joules), r->idle), energy_rules[r->rule]);
	else
		strbuf_puts(
			out,
			"idle      what the machine draws anyway is not known: it is dealt as the rest\n");
	if (r->joules.machine_seconds <= 0 && r->mode == ENERGY_MEASURED)
		strbuf_puts(out,
			    "others    what other programs did is not known: it counts as this program's\n");
	if (r->reason && r->mode == ENERGY_MEASURED)
		strbuf_printf(out, "model     not used: %s\n", r->reason);
	for (size_t i = 0; i < r->joules.n_notes; i++)
		strbuf_printf(out, "note      %s\n", r->joules.notes[i]);
}

void energy_report_text(const struct energy_report *r, const struct report_view *view, struct strbuf *out)
{
	double whole = r->total - r->others;

	if (r->mode == ENERGY_ABSENT) {
		strbuf_printf(out, "energy    absent: %s\n", r->reason);
		if (r->remedy)
			strbuf_printf(out, "          %s\n", r->remedy);
		return;
	}
	print_head(r, out);
	print_table(r, "programs                                      joules   share  CPU time", &r->programs,
		    r->total, view->rows, false, out);
	print_table(r, "threads", &r->threads, whole, view->rows, false, out);
	print_table(r, "functions", &r->functions, whole, view->rows, false, out);
	print_table(r, "call sites", &r->sites, whole, view->rows, false, out);
	print_table(r, "phases", &r->phases, whole, view->rows, true, out);
}

/* ---- JSON ---- */

static void json_lines(struct json *j, const struct energy_report *r, const char *key,
		       const struct energy_lines *t, bool phase)
{
	bool whole = phase && r->joules.n_power && r->mode == ENERGY_MEASURED;

	json_array(j, key);
	for (size_t i = 0; i < t->n; i++) {
		const struct energy_line *l = &t->at[i];

		json_object(j, NULL);
		json_string(j, "name", l->name);
		if (l->file) {
			json_string(j, "file", l->file);
			json_u64(j, "line", l->line);
		}
		json_double(j, "joules", l->joules);
		if (!phase)
			json_double(j, "idle_joules", l->idle);
		json_double(j, phase ? "seconds" : "cpu_seconds", l->cpu);
		json_u64(j, phase ? "times" : "calls", l->count);
		json_string(j, "how",
			    whole || (r->mode == ENERGY_MEASURED && !r->by_model) ? "measured" : "modelled");
		if (whole)
			json_double(j, "error", l->error);
		else if (r->by_model && r->model_error > 0)
			json_double(j, "error", r->model_error);
		json_end(j);
	}
	json_end(j);
}

static void json_source(struct json *j, const struct energy_report *r)
{
	const struct joules *o = &r->joules;

	json_string(j, "source", o->source);
	json_u64(j, "readings", o->readings);
	json_u64(j, "missing", o->missing);
	json_u64(j, "doubled", o->doubled);
	json_u64(j, "wraps", o->wraps);
	json_object(j, "alignment");
	json_string(j, "by", joules_alignments[o->alignment]);
	json_double(j, "shift", o->shift);
	json_double(j, "drift", o->drift);
	json_double(j, "error", o->alignment_error);
	json_end(j);
}

void energy_report_json(const struct energy_report *r, const struct report_view *view, struct strbuf *out)
{
	struct json j;

	(void)view;
	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", ENERGY_SCHEMA);
	json_object(&j, "energy");
	json_string(&j, "mode", modes[r->mode]);
	json_string(&j, "reason", r->reason);
	json_string(&j, "remedy", r->remedy);
	if (r->mode != ENERGY_ABSENT) {
		json_double(&j, "joules", r->total);
		json_double(&j, "seconds", r->joules.seconds);
		json_double(&j, "error", r->error);
		json_double(&j, "idle_joules", r->idle);
		json_double(&j, "others_joules", r->others);
		json_string(&j, "rule", energy_rules[r->rule]);
		json_string(&j, "dealt_by", r->by_model ? "model" : "CPU time");
		json_string(&j, "extrapolated", r->outside);
		if (r->mode == ENERGY_MEASURED)
			json_source(&j, r);
	}
	json_end(&j);
	json_lines(&j, r, "programs", &r->programs, false);
	json_lines(&j, r, "threads", &r->threads, false);
	json_lines(&j, r, "functions", &r->functions, false);
	json_lines(&j, r, "sites", &r->sites, false);
	json_lines(&j, r, "phases", &r->phases, true);
	json_end(&j);
}
