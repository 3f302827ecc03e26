/* SPDX-License-Identifier: MIT */
/* perseus analyze: runs in, model out.  See perseus-analyze(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/analyze.h"
#include "analyzer/program.h"
#include "cmd/base/cmd.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"

#define ROWS 12u /* lines a table may have */

extern const struct cmd cmd_analyze;

struct opts {
	const char *out;
	const char *blocks; /* NULL: not asked for */
	bool partial;
	char **runs;
	size_t n_runs;
};

static int parse(struct opts *o, int argc, char **argv)
{
	static const struct option options[] = {
		{"output", required_argument, NULL, 'o'},
		{"blocks", required_argument, NULL, 'b'},
		{"partial", no_argument, NULL, 'p'},
		{NULL, 0, NULL, 0},
	};
	int c;

	*o = (struct opts){.out = "model.yaml"};
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":o:", options, NULL)) != -1) {
		if (c == 'o')
			o->out = optarg;
		else if (c == 'b')
			o->blocks = optarg;
		else if (c == 'p')
			o->partial = true;
		else
			return cmd_bad_option(&cmd_analyze, c, argv);
	}
	o->runs = argv + optind;
	o->n_runs = (size_t)(argc - optind);
	return 0;
}

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
	       text_equal(a->field_a, b->field_a) && text_equal(a->field_b, b->field_b);
}

static void print_conflict(const struct model *m, size_t i)
{
	const struct model_conflict *c = &m->conflicts[i];
	char rate[32];

	if (!i || !same_fields(c - 1, c))
		cmd_print("           %s %s %s %s/%s\n", c->evidence,
			  c->is_false ? "false-sharing" : "true-sharing", c->object,
			  c->field_a ? c->field_a : "-", c->field_b ? c->field_b : "-");
	cmd_print("             %s and %s, %s accesses per kilocycle\n", m->threads[c->thread_a].name,
		  m->threads[c->thread_b].name,
		  num_si(rate, sizeof(rate), c->rate_a < c->rate_b ? c->rate_a : c->rate_b));
}

static void print_conflicts(const struct model *m, size_t n_sharing)
{
	if (!n_sharing) {
		cmd_print("conflicts  not known: perseus record --purpose=sharing makes a run that shows "
			  "them\n");
		return;
	}
	cmd_print("conflicts  %zu pair%s of threads\n", m->n_conflicts, m->n_conflicts == 1 ? "" : "s");
	for (size_t i = 0; i < m->n_conflicts && i < ROWS; i++)
		print_conflict(m, i);
	if (m->n_conflicts > ROWS)
		cmd_print("           ... %zu more\n", m->n_conflicts - ROWS);
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

static void print_model(const struct analysis *a)
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
	print_conflicts(m, a->n_sharing);
	print_rejected(&a->rejected);
}

/* What an incomplete run leaves out nobody knows, so the status says so, too. */
static int finish(const struct run *const *runs, size_t n)
{
	int status = CMD_OK;

	for (size_t i = 0; i < n; i++) {
		if (runs[i]->complete)
			continue;
		cmd_say(stderr,
			"perseus analyze: '%s': %s\n  the model was written from what was recorded up to "
			"there\n",
			runs[i]->path,
			runs[i]->incomplete_why ? runs[i]->incomplete_why : "the run is incomplete");
		status = CMD_DATA;
	}
	return status;
}

static int write_model(const struct opts *o, const struct run *const *runs, size_t n)
{
	struct err err = ERR_INIT;
	struct analysis a;
	struct strbuf blocks = STRBUF_INIT;
	int status = CMD_OK;

	if (analyze_blocks(&a, runs, n, o->partial, o->blocks ? &blocks : NULL, &err))
		return cmd_fail(&cmd_analyze, &err, CMD_DATA);
	if (model_save(&a.model, o->out, &err) ||
	    (o->blocks && fs_write(o->blocks, blocks.s, blocks.len, &err))) {
		status = cmd_fail(&cmd_analyze, &err, cmd_write_status(&err));
	} else {
		if (strcmp(o->out, "-")) {
			print_model(&a);
			cmd_print("wrote      %s%s%s\n", o->out, o->blocks ? ", " : "",
				  o->blocks ? o->blocks : "");
		}
		status = finish(runs, n);
	}
	strbuf_release(&blocks);
	analysis_release(&a);
	return status;
}

/* The runs given, open; refs are what analyze() takes. */
struct set {
	struct run *runs;
	const struct run **refs;
	size_t n;
};

static int open_one(struct set *s, const char *name, struct err *err)
{
	int ret = run_open(&s->runs[s->n], name, err);

	if (!ret) {
		s->refs[s->n] = &s->runs[s->n];
		s->n++;
	}
	return ret;
}

/* The newest timing run and, if it is of the same program, the newest sharing run. */
static int open_last(struct set *s, struct err *err)
{
	struct err why = ERR_INIT;
	int ret = open_one(s, "@last-timing", err);

	if (ret)
		return ret;
	ret = open_one(s, "@last-sharing", &why);
	if (ret == -ENOENT)
		return 0;
	if (!ret) {
		ret = program_same(s->refs[0], s->refs[1], &why);
		if (ret)
			run_close(&s->runs[--s->n]);
	}
	if (ret)
		cmd_say(stderr, "perseus analyze: @last-sharing is left out: %s\n", why.msg);
	return 0;
}

static int run_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct set s = {0};
	struct opts o;
	int ret = 0, status = parse(&o, argc, argv);

	if (status)
		return status;
	s.runs = mem_new(o.n_runs + 2, sizeof(*s.runs));
	s.refs = mem_new(o.n_runs + 2, sizeof(*s.refs));
	if (!o.n_runs)
		ret = open_last(&s, &err);
	for (size_t i = 0; i < o.n_runs && !ret; i++)
		ret = open_one(&s, o.runs[i], &err);
	status = ret ? cmd_fail(&cmd_analyze, &err, cmd_status(&err)) : write_model(&o, s.refs, s.n);
	while (s.n-- > 0)
		run_close(&s.runs[s.n]);
	free(s.refs);
	free(s.runs);
	return status;
}

const struct cmd cmd_analyze = {
	.name = "analyze",
	.summary = "fit a model of threads, phases, work and conflicts to runs",
	.reads = "runs",
	.writes = "model.yaml",
	.usage = "usage: perseus analyze [-o MODEL] [--blocks=FILE] [--partial] [RUN...]\n"
		 "\n"
		 "Makes a model of a program from timing runs (threads, phases, work) and sharing\n"
		 "runs (conflicts) of the same build, in any order; at least one timing run.\n"
		 "Without RUN: @last-timing, and @last-sharing if it is of the same program.\n"
		 "Several timing runs give spreads; phases that differ between them are rejected\n"
		 "and the reason is printed.\n"
		 "\n"
		 "  -o, --output MODEL  default model.yaml; - writes it to stdout\n"
		 "      --blocks=FILE   write the first timing run's blocks, too: perseus plan\n"
		 "                      --blocks=FILE simulates its plan on them\n"
		 "      --partial       use incomplete runs as far as they go; the exit status is\n"
		 "                      4 all the same\n"
		 "\n"
		 "Exit status: 0 done, 2 usage, 3 MODEL cannot be written, 4 data incomplete,\n"
		 "corrupt, or of different programs, or one run named twice.\n",
	.run = run_verb,
};
