/* SPDX-License-Identifier: MIT */
/* What perseus analyze found, for people. */
#include "cmd/analyze/print.h"

#include <string.h>

#include "cmd/base/print.h"
#include "lib/num.h"

#define ROWS 12u /* lines a table may have */

static double work_of(const struct model_phase *p)
{
	double sum = 0;

	for (size_t i = 0; i < p->n_work; i++)
		sum += (double)p->work[i].cycles;
	return sum;
}

/* Threads with at least a fiftieth of the work of the busiest. */
static size_t workers_of(const struct model_phase *p)
{
	uint64_t most = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n_work; i++)
		most = p->work[i].cycles > most ? p->work[i].cycles : most;
	for (size_t i = 0; i < p->n_work; i++)
		n += p->work[i].cycles && p->work[i].cycles >= most / 50;
	return n;
}

static void print_threads(const struct model *m)
{
	size_t good = 0, shown = 0;

	for (size_t i = 0; i < m->n_threads; i++)
		good += m->threads[i].plannable;
	cmd_print("threads    %zu, %zu plannable\n", m->n_threads, good);
	for (size_t i = 0; i < m->n_threads; i++) {
		const struct model_thread *t = &m->threads[i];
		const struct model_site *s = t->create_site == MODEL_NONE ? NULL : &m->sites[t->create_site];

		if (shown++ == ROWS) {
			cmd_print("           ... %zu more\n", m->n_threads - ROWS);
			return;
		}
		if (t->creator == MODEL_NONE)
			cmd_print("           %s\n", t->name);
		else if (s && strcmp(s->file, "-"))
			cmd_print("           %s   created by %s at %s:%u, number %u there\n", t->name,
				  m->threads[t->creator].name, s->file, s->line, t->ordinal);
		else
			cmd_print("           %s   created by %s in %s, number %u there\n", t->name,
				  m->threads[t->creator].name, s ? s->callee : "library code", t->ordinal);
	}
}

static void print_phases(const struct model *m)
{
	size_t accepted = 0;
	char time[32], cycles[32];

	for (size_t i = 0; i < m->n_phases; i++)
		accepted += m->phases[i].accepted;
	cmd_print("phases     %zu, %zu accepted\n", m->n_phases, accepted);
	for (size_t i = 0; i < m->n_phases; i++) {
		const struct model_phase *p = &m->phases[i];

		if (i == ROWS) {
			cmd_print("           ... %zu more\n", m->n_phases - ROWS);
			return;
		}
		cmd_print("           %s %-7s %5u x %-8s %2zu thread%s work, %s cycles%s\n", p->name,
			  p->opened_by, p->repeats, num_time(time, sizeof(time), (double)p->wall_ns / 1e9),
			  workers_of(p), workers_of(p) == 1 ? "" : "s",
			  num_si(cycles, sizeof(cycles), work_of(p)), p->accepted ? "" : "   rejected");
	}
}

/* What is done under a lock of a phase, as a part of all work there. */
static void print_lock(const struct model_phase *p, const struct model_serial *s, bool first)
{
	double held = 0, work = work_of(p);

	for (size_t i = 0; i < s->n_held; i++)
		held += (double)s->held[i].cycles;
	cmd_print("%-10s %s %s, %zu threads: %.0f %% of the phase's work is done one after the other\n",
		  first ? "locks" : "", p->name, s->object ? s->object : "lock", s->n_held,
		  work > 0 ? 100 * held / work : 0);
}

static void print_locks(const struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_phases; i++)
		for (size_t k = 0; k < m->phases[i].n_serial; k++, n++)
			if (n < ROWS)
				print_lock(&m->phases[i], &m->phases[i].serial[k], !n);
	if (n > ROWS)
		cmd_print("           ... %zu more\n", n - ROWS);
}

/* Pairs that meet at the same fields stand below one line that names these. */
static bool same_fields(const struct model_conflict *a, const struct model_conflict *b)
{
	return !strcmp(a->evidence, b->evidence) && text_equal(a->object, b->object) &&
	       text_equal(a->a.field, b->a.field) && text_equal(a->b.field, b->b.field);
}

/* " in phase-1 (70 %) and phase-3 (30 %)"; nothing if they meet wherever both run. */
static void put_phases(struct strbuf *sb, const struct model *m, const struct model_conflict *c)
{
	if (c->phase != MODEL_NONE)
		strbuf_printf(sb, " in %s", m->phases[c->phase].name);
	for (size_t i = 0; i < c->n_phases; i++) {
		strbuf_printf(sb, "%s%s", i ? text_between(i, c->n_phases) : " in ",
			      m->phases[c->phases[i].phase].name);
		if (c->phases[i].share > 0)
			strbuf_printf(sb, " (%.0f %%)", 100 * c->phases[i].share);
	}
	if (c->phase_reason)
		strbuf_printf(sb, "; in which phases is not known: %s", c->phase_reason);
}

static void print_conflict(const struct model *m, size_t i)
{
	const struct model_conflict *c = &m->conflicts[i];
	struct strbuf phases = STRBUF_INIT;
	char rate[32];

	if (!i || !same_fields(c - 1, c))
		cmd_print("           %s %s %s %s/%s\n", c->evidence,
			  c->is_false ? "false-sharing" : "true-sharing", c->object,
			  c->a.field ? c->a.field : "-", c->b.field ? c->b.field : "-");
	put_phases(&phases, m, c);
	cmd_print("             %s and %s, %s accesses per kilocycle%s\n", m->threads[c->a.thread].name,
		  m->threads[c->b.thread].name,
		  num_si(rate, sizeof(rate),
			 c->a.accesses_per_kcycle < c->b.accesses_per_kcycle ? c->a.accesses_per_kcycle
									     : c->b.accesses_per_kcycle),
		  phases.len ? phases.s : "");
	strbuf_release(&phases);
}

/* Where threads could run at once their times are with what the lines cost them. */
static void print_conflicts(const struct analysis *a)
{
	const struct model *m = &a->model;

	if (!a->n_sharing) {
		cmd_print("conflicts  not known: perseus record --purpose=sharing makes a run that shows "
			  "them\n");
		return;
	}
	for (size_t i = 0; i < m->n_doubts && i < ROWS; i++)
		cmd_print("%-10s %s\n", i ? "" : "caution", m->doubts[i]);
	cmd_print("conflicts  %zu pair%s of threads%s\n", m->n_conflicts, m->n_conflicts == 1 ? "" : "s",
		  m->n_doubts ? "; others may be missing" : "");
	for (size_t i = 0; i < m->n_conflicts && i < ROWS; i++)
		print_conflict(m, i);
	if (m->n_conflicts > ROWS)
		cmd_print("           ... %zu more\n", m->n_conflicts - ROWS);
	if (m->n_conflicts && a->timing_cores > 1)
		cmd_print(
			"caution    timed on %u cores, so work contains the waiting for these lines, and "
			"plans\n"
			"           promise too little; taskset -c 0 perseus record ... has the work alone\n",
			a->timing_cores);
}

static void print_rejected(const struct notes *notes)
{
	struct notes lines = {0};

	notes_grouped(notes, &lines);
	for (size_t i = 0; i < lines.n && i < ROWS; i++)
		cmd_print("%-10s %s\n", i ? "" : "left out", lines.at[i]);
	if (lines.n > ROWS)
		cmd_print("           ... %zu more\n", lines.n - ROWS);
	notes_release(&lines);
}

void analyze_print(const struct analysis *a, const char *out, const char *blocks)
{
	const struct model *m = &a->model;
	char time[32], sd[32];

	cmd_print("model of %s from %zu timing run%s and %zu sharing run%s\n", m->program, a->n_timing,
		  a->n_timing == 1 ? "" : "s", a->n_sharing, a->n_sharing == 1 ? "" : "s");
	for (size_t i = 0; i < m->n_runs && i < ROWS; i++)
		cmd_print("%-10s %s\n", i ? "" : "runs", m->runs[i]);
	if (m->n_runs > ROWS)
		cmd_print("           ... %zu more\n", m->n_runs - ROWS);
	cmd_print("time       %s", num_time(time, sizeof(time), (double)m->wall_ns / 1e9));
	if (a->n_timing > 1)
		cmd_print(" +- %s", num_time(sd, sizeof(sd), (double)m->wall_sd_ns / 1e9));
	cmd_print(", %.1f %% in libraries without probes\n", 100 * m->outside);
	if (m->waited_ns)
		cmd_print("waited     %s of it for shared lines, by chance; without that +- %s\n",
			  num_time(time, sizeof(time), (double)m->waited_ns / 1e9),
			  num_time(sd, sizeof(sd), (double)m->wall_rest_sd_ns / 1e9));
	cmd_print("clock      %s\n", m->clock);
	print_threads(m);
	print_phases(m);
	print_locks(m);
	print_conflicts(a);
	print_rejected(&a->rejected);
	cmd_print("wrote      %s%s%s\n", out, blocks ? ", " : "", blocks ? blocks : "");
	cmd_print("next       perseus plan%s%s\n", strcmp(out, "model.yaml") ? " " : "",
		  strcmp(out, "model.yaml") ? out : "");
}
