/* SPDX-License-Identifier: MIT */
#include "analyzer/analyze.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/conflicts.h"
#include "analyzer/locks/blocks.h"
#include "analyzer/locks/serial.h"
#include "analyzer/locks/waiting.h"
#include "analyzer/program.h"
#include "analyzer/time/asleep.h"
#include "analyzer/time/clock.h"
#include "analyzer/time/phases.h"
#include "lib/hash.h"
#include "lib/stats.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

/* Everything that lives while the model is made; timing runs first. */
struct work {
	const struct run **runs;
	const struct run_process **procs;
	size_t n, n_timing;
	struct instances ins;
	struct intervals *intervals; /* of the timing runs */
	struct phase_classes classes;
	struct stages stages;
	struct sharing_report *made; /* of the only sharing run, NULL: to be made */
	struct model *m;
	struct notes *notes;
	struct notes doubts; /* of the sharing runs; the model's in the end */
};

static int check_run(const struct run *run, bool partial, struct err *err)
{
	if (!run->n_processes)
		return err_set(err, -EINVAL, "'%s' holds no process", run->path);
	if (!run->processes[0].n_threads)
		return err_set(err, -EINVAL, "'%s' holds no thread of the program", run->path);
	if (!run->complete && !partial)
		return err_set(err, -ENODATA,
			       "'%s': %s\n"
			       "  analyze what there is with --partial, or record again",
			       run->path,
			       run->incomplete_why ? run->incomplete_why : "the run is incomplete");
	return 0;
}

static bool is_timing(const struct run *run)
{
	return run->processes[0].header->purpose == PRS_PURPOSE_TIMING;
}

/* One recording, whatever its directory is called: a link, another spelling, a copy. */
static bool same_recording(const struct run *a, const struct run *b)
{
	const struct prs_rec_header *x = a->processes[0].header, *y = b->processes[0].header;

	return x->pid == y->pid && x->epoch == y->epoch && x->tsc_start == y->tsc_start &&
	       x->mono_start_ns == y->mono_start_ns;
}

/* A run counted twice would look like two that agree perfectly. */
static int check_distinct(const struct run *const *runs, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (same_recording(runs[k], runs[i]))
				return err_set(err, -EINVAL,
					       "'%s' and '%s' are the same run, which counts once\n"
					       "  name each run once, or record another one",
					       runs[k]->path, runs[i]->path);
	return 0;
}

static int sort_runs(struct work *w, const struct run *const *runs, size_t n, bool partial, struct err *err)
{
	int ret = 0;

	w->runs = mem_new(n + 1, sizeof(struct run *));
	w->procs = mem_new(n + 1, sizeof(struct run_process *));
	for (size_t i = 0; i < n && !ret; i++)
		ret = check_run(runs[i], partial, err);
	for (size_t i = 0; i < n && !ret; i++)
		if (runs[i]->manifest.trial) {
			ret = err_set(err, -EINVAL,
				      "run '%s' is a trial of a plan: where its threads ran was set",
				      run_name(runs[i]));
			err_advise(err, "a model is of the program as it is: record it without --try");
		}
	if (!ret)
		ret = check_distinct(runs, n, err);
	for (int purpose = 0; purpose < 2 && !ret; purpose++)
		for (size_t i = 0; i < n; i++)
			if (is_timing(runs[i]) == !purpose) {
				w->procs[w->n] = &runs[i]->processes[0];
				w->runs[w->n++] = runs[i];
				w->n_timing += !purpose;
			}
	for (size_t i = 1; i < n && !ret; i++)
		ret = program_same(w->runs[0], w->runs[i], err);
	if (!ret && !w->n_timing)
		ret = err_set(err, -EINVAL,
			      "no timing run is given: sharing runs hold no usable times\n"
			      "  perseus record --purpose=timing PROGRAM makes one");
	return ret;
}

/* Counted in all runs or in none: what is counted and what is estimated does not compare. */
static bool counted_everywhere(const struct work *w)
{
	for (size_t r = 0; r < w->n_timing; r++)
		if (counted_cycles(w->procs[r]) < 0)
			return false;
	return true;
}

static void cut_runs(struct work *w)
{
	bool calibrated, counted = counted_everywhere(w);

	w->intervals = mem_new(w->n_timing + 1, sizeof(*w->intervals));
	for (size_t r = 0; r < w->n_timing; r++) {
		struct timeline tl;
		struct bounds bounds;

		if (!w->runs[r]->complete)
			notes_add(w->notes,
				  "run %s is incomplete: the work of threads that were alive at its end is "
				  "counted "
				  "up to the last time it was read",
				  run_name(w->runs[r]));
		if (w->runs[r]->n_processes > 1)
			notes_add(w->notes, "run %s has %zu processes: the model is of the first",
				  run_name(w->runs[r]), w->runs[r]->n_processes);
		timeline_make(&tl, w->runs[r], w->procs[r], &w->ins, r);
		if (counted)
			tl.cycles = counted_cycles(w->procs[r]);
		bounds_find(&bounds, &tl, w->notes);
		intervals_make(&w->intervals[r], &tl, &bounds, core_khz(w->runs[r], &calibrated),
			       run_name(w->runs[r]));
		bounds_release(&bounds);
		timeline_release(&tl);
	}
}

/* Index of a call site in the model, new if need be; MODEL_NONE for NULL. */
static uint32_t site_index(const struct work *w, const struct run_call_site *s)
{
	struct model *m = w->m;
	struct run_place place;
	struct model_site *new;

	if (!s)
		return MODEL_NONE;
	for (uint32_t i = 0; i < m->n_sites; i++)
		if (!strcmp(m->sites[i].id, s->id) && !strcmp(m->sites[i].instance, s->instance))
			return i;
	m->sites = mem_resize(m->sites, m->n_sites + 1, sizeof(*m->sites));
	new = &m->sites[m->n_sites++];
	run_site_place(w->runs[0], s, &place);
	*new = (struct model_site){.id = mem_strdup(s->id), .instance = mem_strdup(s->instance)};
	new->unit = mem_strdup(s->unit);
	new->function = mem_strdup(s->function);
	new->callee = mem_strdup(s->callee);
	new->file = mem_strdup(place.file);
	new->line = place.line;
	new->equal = s->near ? s->equal : 0;
	new->near = s->near ? mem_strdup(s->near) : NULL;
	return (uint32_t)m->n_sites - 1;
}

/* In how many timing runs the instance was seen. */
static size_t seen_timing(const struct work *w, uint32_t instance)
{
	size_t n = 0;

	for (size_t r = 0; r < w->n_timing; r++)
		for (size_t i = 0; i < w->ins.maps[r].n; i++)
			if (w->ins.maps[r].of[i] == instance) {
				n++;
				break;
			}
	return n;
}

static void fill_thread(struct work *w, uint32_t i, struct model_thread *t)
{
	const struct instance *in = &w->ins.at[i];
	size_t seen = seen_timing(w, i);
	char why[80] = "";

	*t = (struct model_thread){.name = mem_strdup(in->name), .creator = in->creator};
	t->create_site = site_index(w, in->site);
	t->ordinal = in->ordinal;
	if (in->foreign)
		snprintf(why, sizeof(why), "its creation was not seen");
	else if (!seen)
		snprintf(why, sizeof(why), "seen in sharing runs only");
	else if (seen < w->n_timing)
		snprintf(why, sizeof(why), "seen in %zu of %zu timing runs", seen, w->n_timing);
	t->plannable = !*why;
	t->reason = *why ? mem_strdup(why) : NULL;
	if (*why)
		notes_add(w->notes, "thread %s: %s", in->name, why);
}

static void fill_threads(struct work *w)
{
	struct model *m = w->m;
	const struct run_call_site *s = w->ins.untracked_site;

	m->threads = mem_new(w->ins.n + 1, sizeof(*m->threads));
	m->n_threads = w->ins.n;
	for (uint32_t i = 0; i < w->ins.n; i++)
		fill_thread(w, i, &m->threads[i]);
	if (w->ins.untracked)
		notes_add(w->notes,
			  "%llu threads beyond the first %u of one place (the last at %s:%u) are not "
			  "plannable by "
			  "instance",
			  (unsigned long long)w->ins.untracked, INSTANCE_MAX_ORDINAL, s ? s->file : "-",
			  s ? s->line : 0);
}

static uint64_t whole(double x)
{
	return x > 0 ? x < 9e18 ? (uint64_t)(x + 0.5) : (uint64_t)9e18 : 0;
}

static void fill_work(struct work *w, const struct class_part *part, struct model_work *out)
{
	*out = (struct model_work){.thread = part->instance, .cycles = whole(part->cycles)};
	out->cycles_sd = whole(part->sd);
	out->enter_site = site_index(w, part->site);
	out->enter_visit = part->site ? part->visit : 0;
	out->enter_every = part->site ? part->every : 0;
	out->starts = part->starts;
	out->waits = part->waits;
}

static void say_visits(struct work *w, const char *phase, const struct phase_class *c)
{
	for (size_t k = 0; k < c->n_parts; k++)
		if (c->parts[k].other_visits)
			notes_add(w->notes,
				  "thread %s: it enters %s after %s at other visits from run to run or "
				  "repeat to "
				  "repeat, so no plan moves it there",
				  w->ins.at[c->parts[k].instance].name, phase,
				  c->opener ? c->opener->callee : bound_kind_name(c->kind));
}

static void fill_phase(struct work *w, size_t i, char *name)
{
	const struct phase_class *c = &w->classes.at[i];
	struct model_phase *p = &w->m->phases[i];
	char opening[200];

	p->name = name;
	p->opened_by = mem_strdup(bound_kind_name(c->kind));
	p->repeats = c->repeats;
	p->wall_ns = whole(c->wall_ns);
	p->wall_sd_ns = whole(c->wall_sd);
	p->after = i ? (uint32_t)i - 1 : MODEL_NONE;
	p->accepted = c->accepted;
	p->reason = mem_strdup(c->reason);
	p->work = mem_new(c->n_parts + 1, sizeof(*p->work));
	p->n_work = c->n_parts;
	for (size_t k = 0; k < c->n_parts; k++)
		fill_work(w, &c->parts[k], &p->work[k]);
	say_visits(w, p->name, c);
	if (c->accepted)
		return;
	phase_opening(opening, sizeof(opening), c->kind, c->opener);
	notes_add(w->notes, "%s %s: %s", p->name, opening, c->reason);
}

static void fill_phases(struct work *w)
{
	char **names = phase_names(&w->classes);

	w->m->phases = mem_new(w->classes.n + 1, sizeof(*w->m->phases));
	w->m->n_phases = w->classes.n;
	for (size_t i = 0; i < w->classes.n; i++)
		fill_phase(w, i, names[i]);
	free(names);
}

static void fill_clock(struct work *w)
{
	struct strbuf sb = STRBUF_INIT;
	bool calibrated, all = true;
	double khz = 0;

	for (size_t r = 0; r < w->n_timing; r++) {
		khz += (double)core_khz(w->runs[r], &calibrated) / (double)w->n_timing;
		all &= calibrated;
	}
	if (counted_everywhere(w))
		strbuf_puts(&sb, "core cycles as the processor counted them; memory time not separated");
	else
		strbuf_printf(&sb, "thread CPU time x %.2f GHz (%s); memory time not separated", khz / 1e6,
			      all ? "calibrated core frequency"
				  : "time-stamp counter, core frequency not calibrated");
	w->m->clock = strbuf_detach(&sb);
	w->m->hz = whole(khz * 1000) ? whole(khz * 1000) : 1;
}

static void fill_times(struct work *w)
{
	double *x = mem_new(w->n_timing, sizeof(*x));
	double outside = 0;

	for (size_t r = 0; r < w->n_timing; r++) {
		x[r] = (double)run_wall_ns(w->runs[r]);
		outside += program_outside(w->runs[r]) / (double)w->n_timing;
	}
	w->m->wall_ns = whole(stats_mean(x, w->n_timing));
	w->m->wall_sd_ns = whole(stats_sd(x, w->n_timing));
	/* More digits than can be meant would only make two models differ. */
	w->m->outside = (double)whole(outside * 10000) / 10000;
	free(x);
}

static void count_calls(const struct work *w, struct waiting *found)
{
	for (size_t r = 0; r < w->n_timing; r++)
		for (size_t t = 0; t < w->procs[r]->n_threads; t++) {
			const struct run_thread *th = &w->procs[r]->threads[t];
			uint32_t i = instance_of(&w->ins, r, (uint32_t)t);

			for (size_t k = 0; k < th->n_calls && i != INSTANCE_NONE; k++)
				found->calls[r * found->n_threads + i] += th->totals[k];
		}
}

/* The spread of run times without what was waited in each. */
static void fill_rest(struct work *w, const struct waiting *found)
{
	double *rest = mem_new(w->n_timing, sizeof(*rest)), waited = 0, sd;

	for (size_t r = 0; r < w->n_timing; r++) {
		double cores = w->runs[r]->manifest.cores ? w->runs[r]->manifest.cores : 1;
		double ns = waiting_longer_ns(found, r, cores, w->intervals[r].khz);

		rest[r] = (double)run_wall_ns(w->runs[r]) - ns;
		waited += ns / (double)w->n_timing;
	}
	sd = stats_sd(rest, w->n_timing);
	free(rest);
	if (waited < 1)
		return;
	w->m->waited_ns = whole(waited);
	w->m->wall_rest_sd_ns = whole(sd) ? whole(sd) : 1;
	if (w->m->wall_rest_sd_ns > w->m->wall_sd_ns)
		w->m->wall_rest_sd_ns = w->m->wall_sd_ns;
}

/* Work is what threads do undisturbed: what they waited for lines depends on where they run. */
static void take_out_waiting(struct work *w)
{
	struct waiting found;

	if (w->n_timing < 2)
		return;
	waiting_init(&found, w->n_timing, w->ins.n);
	count_calls(w, &found);
	waiting_find(&found, w->intervals, w->m->conflicts, w->m->n_conflicts);
	waiting_take_out(&found, w->intervals);
	fill_rest(w, &found);
	waiting_release(&found);
}

static void fold_runs(struct work *w)
{
	take_out_waiting(w);
	phases_fold(&w->classes, w->intervals, w->n_timing, &w->ins, w->notes);
}

static void fill_program(struct work *w)
{
	const struct manifest_module *mod = program_module(w->runs[0]);
	struct model *m = w->m;

	m->program = mem_strdup(w->runs[0]->manifest.program ? w->runs[0]->manifest.program : "-");
	m->build_id = mod ? mem_strdup(mod->build_id) : NULL;
	m->sites_sha256 = mod ? mem_strdup(mod->sites_sha256) : NULL;
	m->runs = mem_new(w->n + 1, sizeof(*m->runs));
	m->n_runs = w->n;
	for (size_t i = 0; i < w->n; i++)
		m->runs[i] = mem_strdup(run_name(w->runs[i]));
}

/* The model owns them from here on. */
static void fill_doubts(struct work *w)
{
	if (w->n == w->n_timing && w->m->n_threads > 1)
		notes_add(&w->doubts, "conflicts are not known: there is no sharing run");
	w->m->doubts = w->doubts.at;
	w->m->n_doubts = w->doubts.n;
	w->doubts = (struct notes){0};
}

static int fill_conflicts(struct work *w, struct err *err)
{
	for (size_t r = w->n_timing; r < w->n; r++) {
		struct sharing_opts opts = {.timing = w->runs[0]};
		struct sharing_report own, *rep = w->made ? w->made : &own;
		struct timeline tl;
		int ret = w->made ? 0 : sharing_make(&own, w->runs[r], &opts, err);

		if (ret)
			return ret;
		conflicts_add(w->m, rep, w->runs[r], &w->ins, r, r - w->n_timing, &w->stages, w->notes);
		for (size_t i = 0; i < rep->doubts.n; i++)
			notes_add(&w->doubts, "%s is inconclusive: %s", run_name(w->runs[r]),
				  rep->doubts.at[i]);
		if (!w->made)
			sharing_release(&own);
		timeline_make(&tl, w->runs[r], w->procs[r], &w->ins, r);
		stages_add_run(&w->stages, &tl, r, &w->intervals[0]);
		timeline_release(&tl);
	}
	return 0;
}

static void work_release(struct work *w)
{
	phases_release(&w->classes);
	stages_release(&w->stages);
	for (size_t r = 0; w->intervals && r < w->n_timing; r++)
		intervals_release(&w->intervals[r]);
	free(w->intervals);
	instances_release(&w->ins);
	notes_release(&w->doubts);
	free(w->runs);
	free(w->procs);
}

/* Locks out of the first run; blocks once the model is complete, since its hash stands in them. */
static void fill_first(const struct work *w, struct strbuf *blocks)
{
	struct notes said_before = {0};
	struct timeline tl;
	struct bounds bounds;

	timeline_make(&tl, w->runs[0], w->procs[0], &w->ins, 0);
	bounds_find(&bounds, &tl, &said_before);
	serial_fill(w->m, &tl, &bounds, w->classes.of_first);
	serial_unknown(&tl, w->notes);
	asleep_say(tl.p, w->notes);
	if (blocks)
		run_blocks(blocks, &tl, &bounds, w->classes.of_first, w->m);
	bounds_release(&bounds);
	timeline_release(&tl);
	notes_release(&said_before);
}

int analyze(struct analysis *a, const struct run *const *runs, size_t n, bool partial, struct err *err)
{
	return analyze_blocks(a, runs, n, partial, NULL, err);
}

/* All but what is in the first run only. */
static int fill_model(struct work *w, const struct run *const *runs, size_t n, bool partial, struct err *err)
{
	int ret = sort_runs(w, runs, n, partial, err);

	if (ret)
		return ret;
	instances_match(&w->ins, w->runs, w->procs, w->n);
	fill_program(w);
	fill_clock(w);
	fill_times(w);
	fill_threads(w);
	cut_runs(w);
	ret = fill_conflicts(w, err);
	if (ret)
		return ret;
	fold_runs(w);
	fill_phases(w);
	fill_doubts(w);
	stages_fill(&w->stages, w->m, &w->classes, &w->intervals[0]);
	return 0;
}

/* "(opened by the barrier at a.c:5)" for each phase of the model. */
static char **openings(const struct work *w)
{
	char **text = mem_new(w->classes.n + 1, sizeof(*text)), line[200];

	for (size_t i = 0; i < w->classes.n; i++) {
		phase_opening(line, sizeof(line), w->classes.at[i].kind, w->classes.at[i].opener);
		text[i] = mem_strdup(line);
	}
	return text;
}

void analyze_meetings(struct sharing_report *rep, const struct run *run, const struct run *timing)
{
	const struct run *runs[] = {timing, run};
	struct analysis a = {0};
	struct work w = {.m = &a.model, .notes = &a.rejected, .made = rep};
	struct err ignored = ERR_INIT;
	char **opening;

	if (!fill_model(&w, runs, 2, true, &ignored)) {
		opening = openings(&w);
		conflicts_tell(w.m, (const char *const *)opening, rep, run, &w.ins, 1);
		for (size_t i = 0; i < w.classes.n; i++)
			free(opening[i]);
		free(opening);
	}
	work_release(&w);
	analysis_release(&a);
}

int analyze_blocks(struct analysis *a, const struct run *const *runs, size_t n, bool partial,
		   struct strbuf *blocks, struct err *err)
{
	struct work w = {.m = &a->model, .notes = &a->rejected};
	int ret;

	*a = (struct analysis){0};
	ret = fill_model(&w, runs, n, partial, err);
	if (!ret) {
		fill_first(&w, blocks);
		a->n_timing = w.n_timing;
		a->n_sharing = w.n - w.n_timing;
		for (size_t r = 0; r < w.n_timing; r++)
			if (w.runs[r]->manifest.cores > a->timing_cores)
				a->timing_cores = w.runs[r]->manifest.cores;
	}
	work_release(&w);
	if (ret)
		analysis_release(a);
	return ret;
}

void analysis_release(struct analysis *a)
{
	model_release(&a->model);
	notes_release(&a->rejected);
	*a = (struct analysis){0};
}
