/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/sharing.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/lines/evidence.h"
#include "analyzer/lines/kept.h"
#include "analyzer/lines/unseen.h"
#include "analyzer/pairs/cross.h"
#include "analyzer/pairs/times.h"
#include "analyzer/pairs/turns.h"
#include "analyzer/sharing/beside.h"
#include "analyzer/sharing/doubts.h"
#include "analyzer/sharing/findings.h"
#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/price.h"
#include "analyzer/sharing/remedy.h"
#include "analyzer/time/clock.h"
#include "analyzer/time/threads.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "perseus/abi.h"

const char *sharing_verdict_name(enum sharing_verdict v)
{
	static const char *const names[] = {"false-sharing", "true-sharing", "unclear-sharing"};

	return names[v];
}

const char *sharing_elsewhere(const struct sharing_finding *f)
{
	if (f->verdict == SHARING_TRUE)
		return NULL;
	for (size_t i = 0; i < f->n_objects; i++)
		if (f->objects[i].kind == OBJECT_STACK)
			return "on a stack: in the plain build its place in the line may differ";
	return NULL;
}

const char *sharing_kind_name(enum prs_kind kind)
{
	return kind == PRS_KIND_RMW ? "read-modify-write" : prs_kind_word(kind);
}

/* An interval that spans no more either way, as a factor, is left out. */
#define PLAIN 1.5

void sharing_rate_text(struct strbuf *sb, const struct sharing_side *s, const char *per)
{
	char n[32], low[32], high[32];

	num_si(n, sizeof(n), s->per_s);
	num_si(low, sizeof(low), s->per_s_low);
	num_si(high, sizeof(high), s->per_s_high);
	if (s->at_least)
		strbuf_printf(sb, "at least %s%s", low, per);
	else if (s->per_s <= PLAIN * s->per_s_low && s->per_s_high <= PLAIN * s->per_s)
		strbuf_printf(sb, "%s%s", n, per);
	else
		strbuf_printf(sb, "about %s%s (%s to %s)", n, per, low, high);
}

const char *sharing_confidence_name(enum sharing_confidence c)
{
	static const char *const names[] = {"low", "medium", "high"};

	return names[c];
}

/* What names are made from: of one process, or of several. */
struct namer {
	const struct instances *ins;
	const struct cross *c; /* NULL: one */
	const struct run *run;
};

/* Threads of several processes: by their names there, and their process. */
static char *name_across(const struct cross *c, const struct run *run, uint32_t thread)
{
	const struct run_process *p = c->of[thread];
	struct instances ins;
	uint32_t at;
	char name[256];

	instances_match(&ins, &run, &p, 1);
	at = instance_of(&ins, 0, c->thread[thread]);
	snprintf(name, sizeof(name), "%s of process %u", at == INSTANCE_NONE ? "a thread" : ins.at[at].name,
		 p->header->pid);
	instances_release(&ins);
	return mem_strdup(name);
}

/* The name that a model of this process would have. */
static char *name_of(const struct namer *n, uint32_t thread)
{
	uint32_t at = n->c ? INSTANCE_NONE : instance_of(n->ins, 0, thread);
	char number[32];

	if (n->c)
		return name_across(n->c, n->run, thread);
	snprintf(number, sizeof(number), "thread %u", thread);
	return mem_strdup(at == INSTANCE_NONE ? number : n->ins->at[at].name);
}

static void name_threads(struct sharing_finding *f, const struct namer *n)
{
	for (size_t i = 0; i < f->n_pairs; i++) {
		struct sharing_side *sides[2] = {&f->pairs[i].a, &f->pairs[i].b};

		for (int s = 0; s < 2; s++) {
			sides[s]->name = name_of(n, sides[s]->thread);
			sides[s]->pid = n->c ? n->c->of[sides[s]->thread]->header->pid : 0;
		}
	}
	/* Who uses what lies beside need not be in a pair. */
	for (size_t i = 0; i < f->n_objects; i++)
		for (size_t k = 0; k < f->objects[i].n_uses; k++) {
			struct sharing_use *u = &f->objects[i].uses[k];

			u->names = mem_new(u->n_threads + 1, sizeof(*u->names));
			for (size_t t = 0; t < u->n_threads; t++)
				u->names[t] = name_of(n, u->threads[t]);
		}
}

/*
 * Threads that could have run side by side, and came to the line by turns, do not disturb each
 * other there.  Had they not the cores for it, nobody knows what they would do on two.
 */
static void set_turns(struct sharing_pair *p, const struct pair_times *t, bool processes)
{
	bool few;

	p->together = pair_times_together(t, p->a.thread, p->b.thread);
	p->one_core = !processes && (t->run->manifest.cores == 1 ||
				     turns_one_core_of(t->p, &t->looks, p->a.thread, p->b.thread));
	few = !processes && !p->one_core && t->cores > 1 &&
	      turns_only(t->p, p->a.thread, p->b.thread, p->transfers);
	p->by_turns = few && !t->busy_machine;
	p->perhaps_turns = few && t->busy_machine;
}

/*
 * Who is longer at lines than it runs goes round them, and may make several accesses
 * to each before it goes on: then it loses the line only once for all of them.
 */
#define BY_ROUNDS     1.5
#define LINE_ACCESSES 8

/*
 * Accesses to a kilocycle of the thread's work.  Work that is reckoned without probes and waits
 * may be too short for them: not more than fit into it.
 */
static double per_kcycle(const struct sharing_side *s, double n, double cycles)
{
	double most = 1000.0 / (s->kind == PRS_KIND_ATOMIC ? EVIDENCE_LOCKED_CYCLES : 1);
	double rate = cycles > 0 ? n * 1000 / cycles : 0;

	return rate < most ? rate : most;
}

/* The part of what thread @i may have made at each line that it can have made at all. */
static double possible(const struct sharing_finding *f, uint32_t i, const struct pair_times *t)
{
	double sum = 0, cycles = fmax(t->cycles[i], t->run_ns[i] * t->khz / 1e6);

	for (const struct sharing_pair *p = f->pairs; p < f->pairs + f->n_pairs; p++)
		sum += p->a.thread == i ? p->a.accesses_high : p->b.thread == i ? p->b.accesses_high : 0;
	return sum > cycles && cycles > 0 ? cycles / sum : 1;
}

/* No thread makes more accesses than its cores have cycles, however many lines, vectors and ranges it has. */
static void rate_side(struct sharing_side *s, struct sharing_finding *f, const struct pair_times *t,
		      double wall_s)
{
	double own, part = 1, max = t->cycles[s->thread], n = max > 0 ? fmin(s->accesses, max) : s->accesses;

	if (s->counts < 1) /* what is named either reads all the time or writes now and then */
		part = s->uses == PRS_KIND_LOAD ? 1 - s->counts : s->counts;
	n *= part;
	s->per_s = n / wall_s;
	s->per_s_low = fmin(s->accesses_low * part, n) / wall_s;
	s->per_s_high = fmax(s->accesses_high * possible(f, s->thread, t) * part, n) / wall_s;
	s->per_kcycle = per_kcycle(s, n, max);
	s->visits_per_kcycle = t->cycles[s->thread] > 0 ? s->visits * 1000 / t->cycles[s->thread] : 0;
	/* Of many lines by turns each is used for all of the time, but the thread has that only once. */
	own = t->native ? t->cpu_ns[s->thread] : t->run_ns[s->thread];
	if (s->active_ns > BY_ROUNDS * own)
		s->wide *= LINE_ACCESSES;
	s->active_ns = s->active_ns > own ? own : s->active_ns;
	s->gap_ns = s->visits > 0 ? s->active_ns / s->visits : 0;
	s->gap_cycles = s->gap_ns * t->khz / 1e6;
}

static int by_transfers(const void *a, const void *b)
{
	const struct sharing_pair *x = a, *y = b;

	if (x->transfers != y->transfers)
		return x->transfers > y->transfers ? -1 : 1;
	if (x->a.thread != y->a.thread)
		return x->a.thread < y->a.thread ? -1 : 1;
	return x->b.thread < y->b.thread ? -1 : x->b.thread > y->b.thread;
}

/* Equal sides are said to differ by more than this: what is said of them contradicts itself. */
#define CONTRADICTS 1.5

/* An interval wider than that, as a factor, is no sure price. */
#define SURE 2.0

/* One wider than that, from what can be seen on, says little. */
#define VAGUE     10.0
#define COST_SEEN 0.1 /* percent */

/* Threads use the processor alike: no more differently than that. */
#define ALIKE 2.0

/* One place of the source; a compiler may have made several sites of it. */
static bool same_place(const struct sharing_side *a, const struct sharing_side *b)
{
	if (a->site == b->site)
		return true;
	return a->file && b->file && a->line == b->line && !strcmp(a->file, b->file) && a->function &&
	       b->function && !strcmp(a->function, b->function);
}

/* One place in both threads, which use the processor alike, cannot come at two rates. */
static bool contradicts(const struct sharing_pair *p, const struct pair_times *t)
{
	double x = t->run_ns[p->a.thread], y = t->run_ns[p->b.thread];
	double a = p->a.per_s * y, b = p->b.per_s * x;

	if (!same_place(&p->a, &p->b) || x > ALIKE * y || y > ALIKE * x)
		return false;
	return a > CONTRADICTS * b || b > CONTRADICTS * a;
}

/* What is said of the one may as well be true of the other. */
static void span_both(struct sharing_pair *p, const struct pair_times *t)
{
	double x = t->run_ns[p->a.thread], y = t->run_ns[p->b.thread];
	double low = p->a.per_s_low * y < p->b.per_s_low * x ? p->a.per_s_low / x : p->b.per_s_low / y;
	double high = p->a.per_s_high * y > p->b.per_s_high * x ? p->a.per_s_high / x : p->b.per_s_high / y;

	p->a.per_s_low = fmin(p->a.per_s_low, low * x);
	p->b.per_s_low = fmin(p->b.per_s_low, low * y);
	p->a.per_s_high = fmax(p->a.per_s_high, high * x);
	p->b.per_s_high = fmax(p->b.per_s_high, high * y);
}

/*
 * Threads that come all the time and run side by side take a line from each other once in so many ns, or
 * each time that the rarer one comes.  Where they did so more than SELDOM times less often, one of them at
 * least was not there for most of the time: windows, which a transfer opens, saw when it was.
 */
#define TRANSFER_NS 770.0
#define SELDOM      10.0

static double side_by_side_ns(const struct pair_times *t, uint32_t a, uint32_t b)
{
	double x = t->run_ns[a], y = t->run_ns[b], life = pair_times_life_ns(t->p, x < y ? b : a);
	double more = x < y ? y : x, share = life > more ? more / life : 1;

	return (x < y ? x : y) * share;
}

static void open_rarely_met(struct sharing_pair *p, const struct pair_times *t)
{
	double rarer = p->a.accesses < p->b.accesses ? p->a.accesses : p->b.accesses;
	double most = side_by_side_ns(t, p->a.thread, p->b.thread) / TRANSFER_NS;
	double off = (rarer < most ? rarer : most) / (SELDOM * ((double)p->transfers + 1));
	struct sharing_side *sides[2] = {&p->a, &p->b};

	for (int i = 0; i < 2 && off > 1; i++) {
		if (sides[i]->how != EVIDENCE_WINDOW || sides[i]->by_count)
			continue;
		sides[i]->per_s_low /= off;
		if (off > SELDOM)
			sides[i]->per_s /= sqrt(off);
	}
}

/* Lines that ranges of both threads go along, for each that was looked at; 1: all were. */
static double lines_along(const struct sharing_finding *f)
{
	uint64_t lines = 0, along = 0;

	for (size_t i = 0; i < f->n_pairs; i++) {
		lines += f->pairs[i].lines;
		along = f->pairs[i].along > along ? f->pairs[i].along : along;
	}
	return lines && along > 2 * lines ? (double)along / (double)lines : 1;
}

/* The worse of both sides of the pair that moves the line most. */
static enum sharing_confidence confidence(const struct sharing_finding *f, const struct sharing_report *rep,
					  const struct pair_times *t)
{
	const struct sharing_pair *p = &f->pairs[0];
	enum count_source how = p->a.how < p->b.how ? p->a.how : p->b.how;

	if (how == EVIDENCE_SEEN || lines_along(f) > 1 || p->verdict == SHARING_UNCLEAR || contradicts(p, t))
		return SHARING_LOW;
	/* What threads do to each other side by side, of threads that hardly were. */
	if (t->busy_machine)
		return SHARING_LOW;
	if (f->cost_high > VAGUE * (f->cost_low > COST_SEEN ? f->cost_low : COST_SEEN))
		return SHARING_LOW;
	if (!t->native || !p->a.bytes_seen || !p->b.bytes_seen || rep->doubts.n)
		return SHARING_MEDIUM;
	return f->cost_high <= SURE * f->cost_low ? SHARING_HIGH : SHARING_MEDIUM;
}

static bool heavy(const struct sharing_pair *p)
{
	double rarer = p->a.per_s < p->b.per_s ? p->a.per_s : p->b.per_s;

	return p->transfers_per_s >= SHARING_TRANSFERS_S ||
	       (!p->by_turns && rarer * p->together >= SHARING_ACCESSES_S);
}

/* A loop that goes along lines waits for so many of them at a time. */
#define AT_ONCE 10

/* A cost of @percent that is so many times as much waiting, percent of the run that is so much longer. */
static double times_as_long(double percent, double times)
{
	double x = percent < 100 ? percent / (100 - percent) * times : 1;

	return times > 1 ? 100 * x / (1 + x) : percent;
}

/* Of very long ranges only both ends were seen: what lies between may be as much disputed, or not. */
static void count_along(struct sharing_finding *f)
{
	double most = lines_along(f);

	if (most <= 1 || !f->priced)
		return;
	f->cost = times_as_long(f->cost, most / AT_ONCE);
	f->cost_nearest = times_as_long(f->cost_nearest, most / AT_ONCE);
	f->cost_high = times_as_long(f->cost_high, most);
}

/*
 * The probes of the timing run made it @longer times as long as the plain program, at most: there as many
 * accesses and as much waiting lie in less time, but no more accesses than a core has cycles.  What is
 * left beside the waiting is no less than LEAST_OWN.
 */
static void count_shorter(struct sharing_finding *f, double longer, const struct pair_times *t)
{
	double cost = f->cost_high / 100, most = t->khz * 1000; /* one access a cycle */

	if (longer <= 1)
		return;
	if (f->priced)
		f->cost_high = 100 * fmax(cost, cost / fmax(cost + LEAST_OWN, 1 / longer));
	for (struct sharing_pair *p = f->pairs; p < f->pairs + f->n_pairs; p++) {
		p->a.per_s_high = fmax(p->a.per_s_high, fmin(p->a.per_s_high * longer, most));
		p->b.per_s_high = fmax(p->b.per_s_high, fmin(p->b.per_s_high * longer, most));
	}
}

static void show_named(struct sharing_side *s)
{
	double part = s->counts < 1 ? 1 : s->named;

	s->per_s *= part;
	s->per_s_low *= part;
	s->per_s_high *= part;
	if (s->at_least)
		s->per_s = s->per_s_low;
}

/* Rates, price and significance of one finding. */
static void weigh(struct sharing_finding *f, const struct sharing_report *rep, const struct pair_times *t,
		  const struct sharing_opts *opts)
{
	double wall_s = (double)rep->wall_ns / 1e9, seen_s = (double)run_wall_ns(t->run) / 1e9;
	struct price_setting setting = {.cpu_ns = t->cpu_ns,
					.run_ns = t->run_ns,
					.n_threads = t->p->n_threads,
					.cores = t->cores,
					.asleep_ns = t->asleep_ns,
					.hit_ns = evidence_hit_ns(t->p),
					.busy = t->busy_machine,
					.native = t->native};

	f->one_core = f->perhaps_turns = f->n_pairs > 0;
	for (size_t i = 0; i < f->n_pairs; i++) {
		struct sharing_pair *p = &f->pairs[i];

		rate_side(&p->a, f, t, wall_s);
		rate_side(&p->b, f, t, wall_s);
		p->transfers_per_s = (double)p->transfers / seen_s;
		set_turns(p, t, t->pace[p->a.thread].windows);
		f->one_core &= p->one_core;
		f->perhaps_turns &= p->perhaps_turns;
		open_rarely_met(p, t);
		if (contradicts(p, t))
			span_both(p, t);
		f->significant |= heavy(p);
	}
	f->transfers_per_s = (double)f->transfers / seen_s;
	qsort(f->pairs, f->n_pairs, sizeof(*f->pairs), by_transfers);
	setting.unsure = t->busy_machine || contradicts(&f->pairs[0], t);
	if (rep->priced)
		price_finding(f, opts->platform, &setting);
	count_along(f);
	count_shorter(f, rep->longer, t);
	f->confidence = confidence(f, rep, t);
	/* What was priced are all accesses to the lines; shown are those to what is named. */
	for (size_t i = 0; i < f->n_pairs; i++) {
		show_named(&f->pairs[i].a);
		show_named(&f->pairs[i].b);
	}
}

/* The threads hardly ran side by side: others had the cores. */
static bool machine_busy(const struct run *run, const struct run_process *p)
{
	uint32_t cores = run->manifest.cores;

	return cores > 1 ? doubts_together(p, cores) < DOUBTS_TOGETHER : doubts_one_core(run, p);
}

/* @c: @p is made of several processes, NULL: it is one. */
static void add_process(struct sharing_report *rep, const struct run *run, const struct run_process *p,
			const struct sharing_opts *opts, const struct cross *c)
{
	struct objects objects;
	struct line_uses uses;
	struct pair_records records;
	struct instances names;
	struct pair_times times;
	size_t first = rep->n;

	objects_make(&objects, run, p);
	objects.mapped = c != NULL;
	pair_times_make(&times, run, p, c ? NULL : opts->timing, opts->platform, machine_busy(run, p));
	for (size_t i = 0; c && i < p->n_threads; i++)
		times.pace[i].windows = true;
	line_uses_make(&uses, &objects, times.pace);
	pair_times_unprobed(&times, &uses);
	pairs_make(&records, &uses, &objects);
	findings_add(rep, &records, &objects);
	rep->handovers += records.handovers;
	beside_add(&rep->findings[first], rep->n - first, &uses, &objects);
	instances_match(&names, &run, &p, 1);
	for (size_t i = first; i < rep->n; i++) {
		weigh(&rep->findings[i], rep, &times, opts);
		remedies_make(&rep->findings[i],
			      &(struct remedy_setting){times.cpu_ns, p->n_threads, times.cores});
		name_threads(&rep->findings[i], &(struct namer){&names, c, run});
	}
	instances_release(&names);
	pair_times_release(&times);
	pairs_release(&records);
	line_uses_release(&uses);
	objects_release(&objects);
}

static int by_weight(const void *a, const void *b)
{
	const struct sharing_finding *x = a, *y = b;

	if (x->significant != y->significant)
		return x->significant ? -1 : 1;
	if (x->priced && y->priced && x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->transfers != y->transfers)
		return x->transfers > y->transfers ? -1 : 1;
	return strcmp(x->evidence, y->evidence);
}

void sharing_count(struct sharing_report *rep)
{
	rep->n_significant = rep->n_perhaps = rep->n_false_significant = 0;
	for (size_t i = 0; i < rep->n; i++) {
		struct sharing_finding *f = &rep->findings[i];

		if (f->priced) {
			f->significant = f->cost >= SHARING_COST_PERCENT;
			f->perhaps = !f->significant && f->cost_high >= SHARING_COST_PERCENT;
		}
		rep->n_significant += f->significant;
		rep->n_perhaps += f->perhaps;
		rep->n_false_significant += f->significant && f->verdict == SHARING_FALSE;
	}
	if (rep->n)
		qsort(rep->findings, rep->n, sizeof(*rep->findings), by_weight);
}

/* What a line takes to move, at most, and more than that where nobody measured it. */
static double dearest_transfer_ns(const struct sharing_report *rep)
{
	uint64_t ps = 0;

	for (int d = 0; rep->priced && d < DIST_N; d++) {
		ps = rep->platform->transfer_ps[d] > ps ? rep->platform->transfer_ps[d] : ps;
		ps = rep->platform->moved_transfer_ps[d] > ps ? rep->platform->moved_transfer_ps[d] : ps;
	}
	return ps ? (double)ps / 1000 : TRANSFER_NS;
}

/* Entries of lines that had hardly moved are a blind spot only if all together may matter. */
static void blind_passed(struct sharing_report *rep, uint64_t passed)
{
	double percent = 0;

	if (rep->wall_ns)
		percent = 100 * PRS_FEW_MISSES * (double)passed * dearest_transfer_ns(rep) /
			  (double)rep->wall_ns;
	if (percent >= SHARING_COST_PERCENT)
		notes_add(&rep->blind,
			  "%llu entries of lines that had moved once or twice gave way to others (at most "
			  "%.0f %% of run time): record a shorter part (--duration)",
			  (unsigned long long)passed, fmin(percent, 100));
}

static void find_blind_spots(struct sharing_report *rep, const struct run *run)
{
	uint64_t lines = 0, passed = 0, notes = 0, skipped = 0;

	for (size_t i = 0; i < run->manifest.n_modules; i++) {
		const struct manifest_module *m = &run->manifest.modules[i];
		const char *slash = strrchr(m->path, '/');

		if (!m->sites_sha256 && !unseen_of_the_system(m->path))
			notes_add(&rep->blind, "%s (not instrumented)", slash ? slash + 1 : m->path);
	}
	for (size_t i = 0; i < run->n_modules; i++)
		for (size_t k = 0; k < run->modules[i].sites.n_skipped; k++)
			skipped += !strcmp(run->modules[i].sites.skipped[k].kind, "mem");
	for (size_t i = 0; i < run->n_processes; i++) {
		lines += run->processes[i].header->lost_lines;
		passed += run->processes[i].header->passed_lines;
		notes += run->processes[i].header->lost_notes;
		if (run->processes[i].n_threads > PRS_DIR_SHARERS)
			notes_add(&rep->blind,
				  "threads that had to share one of %d marks cannot be distinguished",
				  PRS_DIR_SHARERS);
	}
	if (skipped)
		notes_add(&rep->blind, "%llu access%s without a probe", (unsigned long long)skipped,
			  skipped == 1 ? "" : "es");
	if (lines)
		notes_add(&rep->blind, "%llu line entries found no room", (unsigned long long)lines);
	blind_passed(rep, passed);
	if (notes)
		notes_add(&rep->blind, "%llu allocations found no room", (unsigned long long)notes);
}

/* By the name of the processor, where both have one. */
static bool other_machine(const struct run *run, const struct platform *pf)
{
	return run->manifest.cpu && pf->cpu && strcmp(pf->cpu, "any") && strcmp(run->manifest.cpu, pf->cpu);
}

static void set_prices(struct sharing_report *rep, const struct run *run, const struct sharing_opts *opts)
{
	rep->platform = opts->platform;
	rep->other_machine = opts->platform && other_machine(run, opts->platform);
	if (!opts->platform)
		rep->unpriced_why = "run perseus calibrate, which writes platform.yaml";
	else if (!price_known(opts->platform))
		rep->unpriced_why = "the platform knows no price of a shared line "
				    "(one core, or not calibrated)";
	rep->priced = !rep->unpriced_why;
}

int sharing_make(struct sharing_report *rep, const struct run *run, const struct sharing_opts *opts,
		 struct err *err)
{
	*rep = (struct sharing_report){0};
	if (!run->n_processes)
		return err_set(err, -EINVAL, "'%s' holds no process", run->path);
	if (run->processes[0].header->purpose != PRS_PURPOSE_SHARING)
		return err_set(err, -EINVAL,
			       "'%s' is a timing run; it holds no accesses to memory\n"
			       "  perseus record --purpose=sharing PROGRAM makes a run that does",
			       run->path);
	rep->wall_ns = run_wall_ns(opts->timing ? opts->timing : run);
	rep->longer = opts->timing ? fmax(opts->longer, 1) : 0;
	rep->inflated = !opts->timing || rep->longer >= SHARING_LONGER;
	set_prices(rep, run, opts);
	doubts_find(&rep->doubts, run);
	for (size_t i = 0; i < run->n_processes; i++)
		add_process(rep, run, &run->processes[i], opts, NULL);
	rep->cross = cross_make(run);
	if (rep->cross)
		doubts_processes(&rep->doubts, run, &rep->cross->p);
	if (rep->cross)
		add_process(rep, run, &rep->cross->p, opts, rep->cross);
	findings_number(rep);
	sharing_count(rep);
	doubts_one_core_of(&rep->doubts, rep->findings, rep->n);
	find_blind_spots(rep, run);
	unseen_places(&rep->blind, run);
	unseen_find(&rep->blind, &rep->doubts, run);
	if (rep->priced && rep->n)
		doubts_prices(&rep->doubts, opts->platform);
	return 0;
}

void sharing_release(struct sharing_report *rep)
{
	for (size_t i = 0; i < rep->n; i++)
		finding_release(&rep->findings[i]);
	free(rep->findings);
	notes_release(&rep->blind);
	notes_release(&rep->doubts);
	cross_free(rep->cross);
	*rep = (struct sharing_report){0};
}
