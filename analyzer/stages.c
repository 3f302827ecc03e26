/* SPDX-License-Identifier: MIT */
#include "analyzer/stages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/alike.h"
#include "analyzer/time/clock.h"
#include "analyzer/time/fold.h"
#include "lib/mem.h"

/* The end of a wait is not the moment of the release: times this near to a boundary are on either side of it. */
#define EDGE_NS 1e6

/*
 * So many transfers would have been seen elsewhere, and there was time for the two
 * to be on cores at once ten times, by turns of 4 ms; where one window in 25 ms is
 * watched, for ten windows.
 */
#define SEEN_TRANSFERS 20.0
#define SEEN_NS        40e6
#define SEEN_RARELY_NS 400e6

/*
 * Who did not meet in all turns of a phase may as well have missed each other in another one:
 * that this is chance for all turns of that is as unlikely as this.
 */
#define MISSED_ALL 0.01

/* So small a part of what a side does at the lines, or of what both work, is nothing that a plan could act on. */
#define HARDLY 0.01

/* Shares by moves and by accesses that were seen are the same within this factor. */
#define AGREE 2

static const char why_bounds[] = "the sharing run has other phase boundaries than the timing run";
static const char why_between[] = "another phase lies between their meetings only";
static const char why_seldom[] = "too few transfers, or too little time elsewhere, to rule out other phases";
static const char why_runs[] = "the sharing runs disagree";

void stages_add_run(struct stages *s, struct timeline *tl, size_t run, const struct intervals *first)
{
	const struct prs_rec_header *h = tl->p->header;
	struct notes unsaid = {0};
	struct stages_run *r = vec_add(&s->runs);
	struct bounds bounds;
	bool calibrated;

	r->run = run;
	r->edge = tl->p->ns_per_tick > 0 ? (uint64_t)(EDGE_NS / tl->p->ns_per_tick) : 0;
	r->settled = h->sharing_mode == PRS_SHARING_PRECISE    ? 0
		     : h->sharing_mode == PRS_SHARING_ADAPTIVE ? h->settled_tsc
							       : h->tsc_start;
	bounds_find(&bounds, tl, &unsaid);
	intervals_make(&r->intervals, tl, &bounds, core_khz(tl->run, &calibrated), tl->run->path);
	r->aligned = intervals_aligned(first, &r->intervals);
	r->tick = mem_new(bounds.n + 1, sizeof(*r->tick));
	for (size_t i = 0; i < bounds.n; i++)
		r->tick[i] = bounds.at[i].tick;
	bounds_release(&bounds);
	notes_release(&unsaid);
}

void stages_add_meeting(struct stages *s, const struct model_conflict *c, size_t run,
			const struct use_spans *a, const struct use_spans *b)
{
	struct stages_meeting m = {c->evidence, run, {*a, *b}};

	vec_push(&s->meetings, m);
}

/* Two threads in a run.  Stages are classes that are alike, numbered by their first one. */
struct scene {
	const struct stages_run *r;
	const uint32_t *class_of; /* by interval */
	const uint32_t *stage_of; /* by class */
	uint32_t n_classes;
	double *ns;  /* that both may have run at once, by interval */
	bool *works; /* by stage: both do so for longer than it takes to pass a barrier */
};

enum presence { AWAY, NOT_KNOWN, THERE };

/* Where one of the two comes to the lines. */
struct view {
	enum presence *at; /* by stage */
	double *moves;     /* by stage */
	double *seen;      /* by stage, as use_span.seen */
	bool *inside;      /* by class: some interval of it lies in a span */
	bool spread;       /* some moves are of several stages */
	bool between;      /* of a stage nothing is known as it lies between only */
};

/* The interval that @tick lies in. */
static size_t interval_at(const struct stages_run *r, uint64_t tick)
{
	size_t i = r->intervals.n - 1;

	while (i && r->tick[i] > tick)
		i--;
	return i;
}

/* Time that two threads may have run at once in an interval, ns. */
static double both_ns(const struct stages_run *r, size_t i, const struct model_conflict *c)
{
	const struct interval *iv = &r->intervals.at[i];
	const struct part *a = part_of(iv, c->a.thread), *b = part_of(iv, c->b.thread);

	if (!a || !b || r->intervals.khz <= 0)
		return 0;
	return (a->cycles < b->cycles ? a->cycles : b->cycles) * 1e6 / r->intervals.khz;
}

static uint32_t stage_at(const struct scene *x, size_t interval)
{
	return x->stage_of[x->class_of[interval]];
}

/* Intervals [from, to] of a span, and what both did in the stages that it begins and ends in. */
struct reach {
	size_t from, to;
	double moves;
	double ns, out_ns; /* in all intervals of these stages, and in those outside */
	size_t n;          /* of these intervals */
};

/* Time of both in a stage that is none of these, outside of the span. */
struct elsewhere {
	double ns;
	bool rarely;  /* some of it only windows were watched */
	bool between; /* there are some of its intervals between the first and the last meeting */
};

static struct reach reach_of(const struct scene *x, const struct use_span *u)
{
	uint64_t middle = u->first + (u->last - u->first) / 2, edge = x->r->edge;

	return (struct reach){
		.from = interval_at(x->r, u->first + edge < middle ? u->first + edge : middle),
		.to = interval_at(x->r, u->last - middle > edge ? u->last - edge : middle),
		.moves = u->moves,
	};
}

/* Fill @of, by stage, and all of them together behind the last one. */
static void look_around(const struct scene *x, struct reach *own, struct elsewhere *of)
{
	const struct stages_run *r = x->r;

	for (size_t i = 0; i < r->intervals.n; i++) {
		uint32_t k = stage_at(x, i);
		bool outside = i < own->from || i > own->to;

		if (k == stage_at(x, own->from) || k == stage_at(x, own->to)) {
			own->ns += x->ns[i];
			own->out_ns += outside ? x->ns[i] : 0;
			own->n++;
			continue;
		}
		of[k].between |= !outside;
		for (int e = 0; e < 2 && outside && x->works[k]; e++) {
			struct elsewhere *at = &of[e ? x->n_classes : k];

			at->ns += x->ns[i];
			at->rarely |= r->settled && (i + 1 == r->intervals.n || r->tick[i + 1] > r->settled);
		}
	}
}

/* Would the moves of a span have been seen in @e, if it went on there as where it is? */
static bool would_be_seen(const struct elsewhere *e, const struct reach *own)
{
	double missed = own->ns > 0 ? own->out_ns / own->ns : 1;

	if (own->ns <= 0 || e->ns * own->moves / own->ns < SEEN_TRANSFERS ||
	    e->ns < (e->rarely ? SEEN_RARELY_NS : SEEN_NS))
		return false;
	return missed <= 0 || pow(missed, e->ns * (double)own->n / own->ns) < MISSED_ALL;
}

static void view_span(const struct scene *x, const struct use_span *u, struct view *v)
{
	struct elsewhere *of = mem_new(x->n_classes + 1, sizeof(*of));
	struct reach own = reach_of(x, u);
	uint32_t first = stage_at(x, own.from), last = stage_at(x, own.to);
	bool seen;

	look_around(x, &own, of);
	seen = would_be_seen(&of[x->n_classes], &own);
	for (uint32_t k = 0; k < x->n_classes; k++) {
		if (!x->works[k] || k == first || k == last ||
		    (seen && (!of[k].between || would_be_seen(&of[k], &own))))
			continue;
		v->at[k] = v->at[k] == THERE ? THERE : NOT_KNOWN;
		v->between |= of[k].between && of[k].ns <= 0;
	}
	for (size_t i = own.from; i <= own.to; i++)
		v->inside[x->class_of[i]] = true;
	v->at[first] = v->at[last] = THERE;
	v->spread |= first != last;
	v->moves[first] += u->moves;
	v->seen[first] += u->seen;
	free(of);
}

static void view_init(struct view *v, const struct scene *x, const struct use_spans *s)
{
	double moves = 0, seen = 0;

	*v = (struct view){.at = mem_new(x->n_classes + 1, sizeof(*v->at)),
			   .moves = mem_new(x->n_classes + 1, sizeof(*v->moves)),
			   .seen = mem_new(x->n_classes + 1, sizeof(*v->seen)),
			   .inside = mem_new(x->n_classes + 1, sizeof(*v->inside))};
	for (uint32_t i = 0; i < s->n; i++) {
		moves += s->at[i].moves;
		seen += s->at[i].seen;
	}
	for (uint32_t k = 0; k < x->n_classes && moves <= 0; k++)
		v->at[k] = NOT_KNOWN;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i].moves >= HARDLY * moves || s->at[i].seen >= HARDLY * seen)
			view_span(x, &s->at[i], v);
}

static void view_release(struct view *v)
{
	free(v->at);
	free(v->moves);
	free(v->seen);
	free(v->inside);
}

/*
 * A class that is taken to be as others where the side is, but had time enough and did not see
 * it: then it is not as they are.
 */
static bool is_contradicted(const struct scene *x, const struct view *v)
{
	double *ns = mem_new(x->n_classes + 1, sizeof(*ns));
	double enough = x->r->settled ? SEEN_RARELY_NS : SEEN_NS;
	bool found = false;

	for (size_t i = 0; i < x->r->intervals.n; i++)
		ns[x->class_of[i]] += x->ns[i];
	for (uint32_t k = 0; k < x->n_classes; k++)
		found |= v->at[x->stage_of[k]] == THERE && !v->inside[k] && ns[k] >= enough;
	free(ns);
	return found;
}

/* What is said of a conflict: the classes in which the two meet. */
struct says {
	bool *in;        /* by class; none: all, or it is not known */
	double *share;   /* by stage; NULL: not known */
	const char *why; /* it is not known */
};

static enum presence both_there(const struct view v[2], uint32_t stage)
{
	enum presence a = v[0].at[stage], b = v[1].at[stage];

	return a < b ? a : b;
}

/* Of a side's moves, or of what was seen of it, the part of each stage in which the two meet. */
static bool put_parts(const struct scene *x, const struct view v[2], const double *of, double *part)
{
	double all = 0;

	for (uint32_t k = 0; k < x->n_classes; k++)
		all += both_there(v, k) == THERE ? of[k] : 0;
	for (uint32_t k = 0; k < x->n_classes && all > 0; k++)
		part[k] = both_there(v, k) == THERE ? of[k] / all : 0;
	return all > 0;
}

/*
 * How the conflict is dealt to the stages where the two meet: by the moves, where what windows
 * saw of the accesses says the same.  Where it does not, neither is believed.
 */
static void put_shares(const struct scene *x, const struct view v[2], struct says *out)
{
	double *share = mem_new(x->n_classes + 1, sizeof(*share));
	double *moves = mem_new(x->n_classes + 1, sizeof(*moves)),
	       *seen = mem_new(x->n_classes + 1, sizeof(*seen));
	bool known = !v[0].spread && !v[1].spread;

	for (int i = 0; i < 2 && known; i++) {
		known = put_parts(x, v, v[i].moves, moves) && put_parts(x, v, v[i].seen, seen);
		for (uint32_t k = 0; k < x->n_classes && known; k++) {
			known = moves[k] <= AGREE * seen[k] && seen[k] <= AGREE * moves[k];
			share[k] += moves[k] / 2;
		}
	}
	free(moves);
	free(seen);
	if (known)
		out->share = share;
	else
		free(share);
}

/* Both sides together. */
static void stages_conclude(const struct scene *x, const struct view v[2], struct says *out)
{
	size_t there = 0, open = 0, works = 0;

	out->in = mem_new(x->n_classes + 1, sizeof(*out->in));
	for (uint32_t k = 0; k < x->n_classes; k++) {
		works += x->works[k];
		there += x->works[k] && both_there(v, k) == THERE;
		open += x->works[k] && both_there(v, k) == NOT_KNOWN;
	}
	if (there == works)
		return;
	if (open || !there) {
		out->why = v[0].between || v[1].between ? why_between : why_seldom;
		return;
	}
	for (uint32_t k = 0; k < x->n_classes; k++)
		out->in[k] = both_there(v, x->stage_of[k]) == THERE;
	put_shares(x, v, out);
}

static void find_works(struct scene *x)
{
	double *ns = mem_new(x->n_classes + 1, sizeof(*ns)), all = 0;

	for (size_t i = 0; i < x->r->intervals.n; i++) {
		ns[stage_at(x, i)] += x->ns[i];
		all += x->ns[i];
	}
	for (uint32_t k = 0; k < x->n_classes; k++)
		x->works[k] = ns[k] > HARDLY * all;
	free(ns);
}

/* Look at both sides; false: the stages of the scene are not what they are taken for. */
static bool look_at_both(struct scene *x, const struct stages_meeting *m, struct says *out)
{
	struct view v[2];
	bool fits = true;

	find_works(x);
	for (int i = 0; i < 2; i++) {
		view_init(&v[i], x, &m->side[i]);
		fits &= !is_contradicted(x, &v[i]);
	}
	if (fits)
		stages_conclude(x, v, out);
	view_release(&v[0]);
	view_release(&v[1]);
	return fits;
}

static const struct stages_run *run_of(const struct stages *s, size_t number)
{
	for (size_t i = 0; i < s->runs.n; i++)
		if (s->runs.at[i].run == number)
			return &s->runs.at[i];
	return NULL;
}

/* What one run says. */
static struct says ask(const struct stages *s, const struct stages_meeting *m, const struct model_conflict *c,
		       const struct phase_classes *classes, const uint32_t *alike)
{
	struct scene x = {.r = run_of(s, m->run), .class_of = classes->of_first, .stage_of = alike};
	struct says out = {0};
	uint32_t *alone;

	if (!x.r || !x.r->aligned || !x.r->intervals.n) {
		out.why = why_bounds;
		return out;
	}
	x.n_classes = (uint32_t)classes->n;
	x.ns = mem_new(x.r->intervals.n + 1, sizeof(*x.ns));
	x.works = mem_new(classes->n + 1, sizeof(*x.works));
	for (size_t i = 0; i < x.r->intervals.n; i++)
		x.ns[i] = both_ns(x.r, i, c);
	if (!look_at_both(&x, m, &out)) {
		alone = mem_new(classes->n + 1, sizeof(*alone));
		for (uint32_t k = 0; k < x.n_classes; k++)
			alone[k] = k;
		x.stage_of = alone;
		/* A class alone is where its own intervals are: nothing contradicts that. */
		look_at_both(&x, m, &out);
		free(alone);
	}
	free(x.ns);
	free(x.works);
	return out;
}

static void says_release(struct says *s)
{
	free(s->in);
	free(s->share);
	*s = (struct says){0};
}

/* What all runs that show the conflict say.  The share is the mean; runs that differ otherwise say nothing. */
static void join_says(struct says *sum, struct says *more, size_t before, size_t n_classes)
{
	bool same = !sum->why && !more->why && sum->in && more->in &&
		    !memcmp(sum->in, more->in, n_classes * sizeof(*sum->in));

	if (!same) {
		const char *why = sum->why == more->why && sum->why ? sum->why : why_runs;

		says_release(sum);
		*sum = (struct says){.why = why};
	} else if (sum->share && more->share) {
		for (size_t k = 0; k < n_classes; k++)
			sum->share[k] += (more->share[k] - sum->share[k]) / (double)(before + 1);
	} else {
		free(sum->share);
		sum->share = NULL;
	}
	says_release(more);
}

static struct says ask_all(const struct stages *s, const struct model_conflict *c,
			   const struct phase_classes *classes, const uint32_t *alike)
{
	struct says sum = {0};
	size_t n = 0;

	for (size_t i = 0; i < s->meetings.n; i++) {
		const struct stages_meeting *m = &s->meetings.at[i];
		struct says one;

		if (m->evidence != c->evidence)
			continue;
		one = ask(s, m, c, classes, alike);
		if (n)
			join_says(&sum, &one, n, classes->n);
		else
			sum = one;
		n++;
	}
	return sum;
}

/* Of both threads; 0: one of them does not work there. */
static double work_of(const struct model *m, const struct model_conflict *c, uint32_t phase)
{
	double a = model_cycles(&m->phases[phase], c->a.thread),
	       b = model_cycles(&m->phases[phase], c->b.thread);

	return a > 0 && b > 0 ? a + b : 0;
}

/* All its accesses are made in the conflict's phases: per cycle of those they are more. */
static void side_in_phases(struct model_side *s, const struct model *m, const struct says *says)
{
	double all = 0, in = 0;

	for (uint32_t p = 0; p < m->n_phases; p++) {
		all += model_cycles(&m->phases[p], s->thread);
		in += says->in[p] ? model_cycles(&m->phases[p], s->thread) : 0;
	}
	s->accesses_per_kcycle *= all / in;
	s->visits_per_kcycle *= all / in;
}

/* Stages' shares are dealt to their phases by the work; four digits are more than can be meant. */
static void fill_shares(struct model *m, struct model_conflict *c, const struct says *says,
			const uint32_t *alike)
{
	bool several = false;

	for (size_t i = 1; i < c->n_phases; i++)
		several |= alike[c->phases[i].phase] != alike[c->phases[0].phase];
	for (size_t i = 0; i < c->n_phases && several && says->share; i++) {
		uint32_t stage = alike[c->phases[i].phase];
		double all = 0;

		for (uint32_t p = 0; p < m->n_phases; p++)
			all += says->in[p] && alike[p] == stage ? work_of(m, c, p) : 0;
		c->phases[i].share = says->share[stage] * work_of(m, c, c->phases[i].phase) / all;
		c->phases[i].share = fmax(round(c->phases[i].share * 1e4) / 1e4, 1e-4);
	}
}

/* @says->in becomes what of it both work in. */
static void fill_conflict(struct model *m, struct model_conflict *c, struct says *says, const uint32_t *alike)
{
	size_t n = 0;

	for (uint32_t p = 0; p < m->n_phases; p++)
		n += says->in[p] &= work_of(m, c, p) > 0;
	if (!n)
		return;
	c->phases = mem_new(n, sizeof(*c->phases));
	for (uint32_t p = 0; p < m->n_phases; p++)
		if (says->in[p])
			c->phases[c->n_phases++].phase = p;
	fill_shares(m, c, says, alike);
	side_in_phases(&c->a, m, says);
	side_in_phases(&c->b, m, says);
	if (n > 1)
		return;
	c->phase = c->phases[0].phase;
	c->n_phases = 0;
	free(c->phases);
	c->phases = NULL;
}

/* Phases in which both work: with one there is nothing to tell. */
static size_t common_phases(const struct model *m, const struct model_conflict *c)
{
	size_t n = 0;

	for (uint32_t p = 0; p < m->n_phases; p++)
		n += work_of(m, c, p) > 0;
	return n;
}

void stages_fill(const struct stages *s, struct model *m, const struct phase_classes *classes,
		 const struct intervals *first)
{
	uint32_t *alike = classes_alike(classes, first);

	for (size_t i = 0; i < m->n_conflicts; i++) {
		struct model_conflict *c = &m->conflicts[i];
		struct says says;

		if (common_phases(m, c) < 2)
			continue;
		says = ask_all(s, c, classes, alike);
		if (says.why)
			c->phase_reason = mem_strdup(says.why);
		else if (says.in)
			fill_conflict(m, c, &says, alike);
		says_release(&says);
	}
	free(alike);
}

void stages_release(struct stages *s)
{
	for (size_t i = 0; i < s->runs.n; i++) {
		free(s->runs.at[i].tick);
		intervals_release(&s->runs.at[i].intervals);
	}
	vec_release(&s->runs);
	vec_release(&s->meetings);
}
