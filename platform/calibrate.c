/* SPDX-License-Identifier: MIT */
#include "platform/calibrate.h"

#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/stats.h"
#include "lib/strbuf.h"
#include "platform/base/clock.h"
#include "platform/pingpong.h"
#include "platform/topology.h"

#define MAX_PAIRS  3
#define MAX_ROUNDS 60
#define MIN_ROUNDS 3

/* Quartile distance over median beyond which a figure is called disturbed. */
#define MAX_SPREAD 0.5

/* No further attempt after so many budgets: on a busy machine the next one is no better. */
#define MAX_BUDGETS 4

struct effort {
	uint32_t pairs;  /* a distance */
	uint32_t rounds; /* quiet ones wanted */
	uint32_t tries;  /* at most */
	uint32_t window_us;
	uint32_t spaced_us; /* the window with other work between */
	uint32_t trips;
	uint32_t moves;
	uint64_t budget_ns; /* afterwards MIN_ROUNDS have to do */
	uint32_t attempts;  /* of a pair that was disturbed */
};

static const struct effort thorough = {MAX_PAIRS, 15, 45, 3000, 1000, 4000, 60, UINT64_C(6000000000), 4};
static const struct effort quick = {1, 5, 15, 1000, 400, 1000, 20, UINT64_C(1500000000), 2};

struct run {
	struct platform *p;
	const struct calibrate_options *options;
	const struct effort *effort;
	struct calibrate_report *report;
	struct err *err;
	uint32_t steps, done;
	double unit_ps; /* one unit of other work between accesses */
	double lost;    /* of this attempt's rounds, in which a thread had no core */
	uint32_t rounds;
	uint64_t deadline_ns, stop_ns;
};

static void calibrate_note(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void calibrate_note(struct run *r, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vec_push(&r->report->notes, mem_strdup(text));
}

static void calibrate_step(struct run *r, const char *what)
{
	if (r->options->progress)
		r->options->progress(r->options->context, what, (double)r->done / r->steps);
	r->done++;
}

/* ---- a figure from rounds ---- */

struct sample {
	double quiet[MAX_ROUNDS], all[MAX_ROUNDS];
	uint32_t n_quiet, n_all;
};

static void sample_add(struct run *r, struct sample *s, const struct pingpong *d)
{
	r->lost += d->lost;
	r->rounds++;
	s->all[s->n_all++] = d->ps;
	if (d->quiet)
		s->quiet[s->n_quiet++] = d->ps;
}

static bool sample_wanted(const struct run *r, const struct sample *s)
{
	if (s->n_all >= MIN_ROUNDS && clock_wall_ns() > r->deadline_ns)
		return false;
	return s->n_quiet < r->effort->rounds && s->n_all < r->effort->tries;
}

/* With other work between, half as many have to do: there are more of such figures. */
static bool spaced_wanted(const struct run *r, const struct sample *s)
{
	if (s->n_all >= MIN_ROUNDS && clock_wall_ns() > r->deadline_ns)
		return false;
	return 2 * s->n_quiet < r->effort->rounds && 3 * s->n_all < r->effort->tries;
}

/* Quiet rounds decide, if there are enough. */
static double sample_result(struct sample *s, const struct effort *e, bool *noisy)
{
	double *x = s->n_quiet >= MIN_ROUNDS ? s->quiet : s->all;
	size_t n = s->n_quiet >= MIN_ROUNDS ? s->n_quiet : s->n_all;
	double median = stats_median(x, n);

	if (2 * s->n_quiet < e->rounds || stats_spread(x, n) > MAX_SPREAD)
		*noisy = true;
	return median;
}

/* Rounds on one line and on two alternate, so that a disturbance meets both. */
static int price_pair(struct run *r, struct calibrate_pair *pair, enum prs_kind kind)
{
	struct sample alone = {.n_all = 0}, shared = {.n_all = 0};
	const struct effort *e = r->effort;
	struct pingpong d;

	while (sample_wanted(r, &alone) || sample_wanted(r, &shared)) {
		for (int same = 0; same < 2; same++) {
			struct sample *s = same ? &shared : &alone;

			if (!sample_wanted(r, s))
				continue;
			if (pingpong_access(pair->core_a, pair->core_b, kind, same, e->window_us, &d, r->err))
				return r->err->code;
			sample_add(r, s, &d);
		}
	}
	pair->alone_ps[kind] = sample_result(&alone, e, &pair->noisy);
	pair->shared_ps[kind] = sample_result(&shared, e, &pair->noisy);
	return 0;
}

/* One round on lines of their own, one on the same: what the same line costs more. */
static int spaced_round(struct run *r, const struct calibrate_pair *pair, enum prs_kind kind, uint32_t work,
			struct sample *s)
{
	uint32_t us = r->effort->spaced_us;
	struct pingpong far, same;

	if (pingpong_spaced(pair->core_a, pair->core_b, kind, false, work, us, &far, r->err) ||
	    pingpong_spaced(pair->core_a, pair->core_b, kind, true, work, us, &same, r->err))
		return r->err->code;
	same.ps -= far.ps;
	same.quiet &= far.quiet;
	same.lost = (same.lost + far.lost) / 2;
	sample_add(r, s, &same);
	return 0;
}

/*
 * Differences of small figures: one whose lower quartile is not above 0 is no
 * difference.
 */
static double difference(struct sample *s)
{
	double *x = s->n_quiet >= MIN_ROUNDS ? s->quiet : s->all;
	size_t n = s->n_quiet >= MIN_ROUNDS ? s->n_quiet : s->n_all;

	double median = stats_median(x, n);

	return n && x[n / 4] > 0 ? median : 0;
}

static uint32_t units_of(const struct run *r, const struct calibrate_pair *pair, enum prs_kind kind,
			 uint64_t gap_ps)
{
	double units = ((double)gap_ps - pair->alone_ps[kind]) / r->unit_ps;

	return units < 1.5 ? 1 : (uint32_t)(units + 0.5);
}

static int price_spaced(struct run *r, struct calibrate_pair *pair, enum prs_kind kind)
{
	for (uint32_t g = 0; g < PRICE_GAPS; g++) {
		struct sample s = {.n_all = 0};

		while (spaced_wanted(r, &s))
			if (spaced_round(r, pair, kind, units_of(r, pair, kind, platform_gap_ps(g)), &s))
				return r->err->code;
		pair->extra_ps[kind][g] = difference(&s);
	}
	return 0;
}

/* Both sides of two unlike kinds at one gap: on lines of their own and on the same, by turns. */
static int price_beside(struct run *r, struct calibrate_pair *pair, enum prs_kind x, enum prs_kind y,
			uint32_t g)
{
	uint64_t gap = platform_beside_ps(g);
	const struct pingpong_side sides[2] = {{x, gap ? units_of(r, pair, x, gap) : 0},
					       {y, gap ? units_of(r, pair, y, gap) : 0}};
	struct sample s[2] = {{.n_all = 0}, {.n_all = 0}};
	struct pingpong far[2], same[2];

	while (spaced_wanted(r, &s[0])) {
		uint32_t us = r->effort->spaced_us;

		if (pingpong_unlike(pair->core_a, pair->core_b, sides, false, us, far, r->err) ||
		    pingpong_unlike(pair->core_a, pair->core_b, sides, true, us, same, r->err))
			return r->err->code;
		for (int i = 0; i < 2; i++) {
			same[i].ps -= far[i].ps;
			same[i].quiet &= far[i].quiet;
			same[i].lost = (same[i].lost + far[i].lost) / 2;
			sample_add(r, &s[i], &same[i]);
		}
	}
	pair->beside_ps[x][y][g] = difference(&s[0]);
	pair->beside_ps[y][x][g] = difference(&s[1]);
	return 0;
}

static int price_unlike(struct run *r, struct calibrate_pair *pair)
{
	const uint8_t *kind = platform_kinds;
	int ret = 0;

	for (int x = 0; x < PRS_KIND_N && !ret; x++)
		for (int y = x + 1; y < PRS_KIND_N && !ret; y++)
			for (uint32_t g = 0; g < BESIDE_GAPS && !ret; g++)
				ret = price_beside(r, pair, kind[x], kind[y], g);
	return ret;
}

/* How long a unit of other work takes: of many, so that the access between does not matter. */
static int measure_unit(struct run *r, uint32_t core_a, uint32_t core_b)
{
	enum { UNITS = 200 };
	struct sample s = {.n_all = 0};
	bool noisy = false;
	struct pingpong d;

	while (sample_wanted(r, &s)) {
		if (pingpong_spaced(core_a, core_b, PRS_KIND_STORE, false, UNITS, r->effort->spaced_us, &d,
				    r->err))
			return r->err->code;
		sample_add(r, &s, &d);
	}
	r->unit_ps = sample_result(&s, r->effort, &noisy) / UNITS;
	if (r->unit_ps < 1)
		r->unit_ps = 1;
	return 0;
}

static int transfer_pair(struct run *r, struct calibrate_pair *pair)
{
	struct sample s = {.n_all = 0};
	struct pingpong d;

	while (sample_wanted(r, &s)) {
		if (pingpong_transfer(pair->core_a, pair->core_b, r->effort->trips, &d, r->err))
			return r->err->code;
		sample_add(r, &s, &d);
	}
	pair->transfer_ps = sample_result(&s, r->effort, &pair->noisy);
	return 0;
}

/* Rounds of one short look at a transfer. */
#define LOOKS 5

static void seen_at(struct calibrate_pair *pair, double ps)
{
	pair->most_transfer_ps = ps > pair->most_transfer_ps ? ps : pair->most_transfer_ps;
	if (ps > 0 && (ps < pair->least_transfer_ps || !(pair->least_transfer_ps > 0)))
		pair->least_transfer_ps = ps;
}

/* A short look at where the cores are now, between two figures; what was not quiet says nothing. */
static int calibrate_look(struct run *r, struct calibrate_pair *pair)
{
	struct sample s = {.n_all = 0};
	struct pingpong d;

	for (int i = 0; i < LOOKS; i++) {
		if (pingpong_transfer(pair->core_a, pair->core_b, r->effort->trips / LOOKS, &d, r->err))
			return r->err->code;
		sample_add(r, &s, &d);
	}
	if (s.n_quiet == LOOKS)
		seen_at(pair, stats_median(s.quiet, s.n_quiet));
	return 0;
}

static int measure_once(struct run *r, struct calibrate_pair *pair)
{
	char what[80];
	int ret = r->unit_ps > 0 ? 0 : measure_unit(r, pair->core_a, pair->core_b);

	if (!ret)
		ret = transfer_pair(r, pair);
	pair->first_transfer_ps = pair->transfer_ps;
	seen_at(pair, pair->transfer_ps);

	for (int i = 0; i < PRS_KIND_N && !ret; i++) {
		enum prs_kind kind = platform_kinds[i];

		snprintf(what, sizeof(what), "cores %" PRIu32 " and %" PRIu32 ": %s", pair->core_a,
			 pair->core_b, prs_kind_word(kind));
		calibrate_step(r, what);
		ret = price_pair(r, pair, kind);
		if (!ret)
			ret = price_spaced(r, pair, kind);
		if (!ret)
			ret = calibrate_look(r, pair);
	}
	snprintf(what, sizeof(what), "cores %" PRIu32 " and %" PRIu32 ": unlike accesses", pair->core_a,
		 pair->core_b);
	calibrate_step(r, what);
	if (!ret)
		ret = price_unlike(r, pair);
	snprintf(what, sizeof(what), "cores %" PRIu32 " and %" PRIu32 ": transfer, migration", pair->core_a,
		 pair->core_b);
	calibrate_step(r, what);
	if (!ret)
		ret = transfer_pair(r, pair);
	seen_at(pair, pair->transfer_ps);
	pair->lost = r->rounds ? r->lost / r->rounds : 0;
	pair->noisy |= calibrate_was_busy(pair);
	if (!ret)
		ret = pingpong_migrate(pair->core_a, pair->core_b, r->effort->moves, &pair->migrate_ns,
				       r->err);
	return ret;
}

/* How little a measurement is worth: 0 is good. */
static int faults(const struct calibrate_pair *pair)
{
	return (calibrate_contradiction(pair) ? 2 : 0) + pair->noisy;
}

/* Attempts at one pair: the best, and the best with the cores at another distance. */
struct attempts {
	struct calibrate_pair best, other;
	double nearest_ps, farthest_ps;
};

/* One that is without faults stays, if a later one is so elsewhere. */
static void take_attempt(struct attempts *a, const struct calibrate_pair *pair)
{
	if (!pair->noisy && (pair->least_transfer_ps < a->nearest_ps || !(a->nearest_ps > 0)))
		a->nearest_ps = pair->least_transfer_ps;
	if (!pair->noisy && pair->most_transfer_ps > a->farthest_ps)
		a->farthest_ps = pair->most_transfer_ps;
	if (!(a->best.transfer_ps > 0) || faults(pair) < faults(&a->best))
		a->best = *pair;
	else if (!faults(pair) && platform_far_apart(pair->transfer_ps, a->best.transfer_ps))
		a->other = *pair;
}

/* Nothing is wrong with the best, and if its cores moved, prices of both distances are known. */
static bool is_enough(const struct attempts *a)
{
	return !faults(&a->best) &&
	       (a->other.transfer_ps > 0 || !platform_far_apart(a->nearest_ps, a->farthest_ps));
}

/* Again, if it was disturbed, contradicts itself, or its cores moved; the best counts. */
static int measure_pair(struct run *r, struct calibrate_pair *pair)
{
	const struct calibrate_pair blank = *pair;
	struct attempts a = {.nearest_ps = 0};
	uint32_t done = r->done;

	for (uint32_t i = 0; i < r->effort->attempts && !(i && is_enough(&a)); i++) {
		int ret;

		*pair = blank;
		r->done = done;
		r->lost = 0;
		r->rounds = 0;
		if (i)
			r->deadline_ns += r->effort->budget_ns / 4;
		ret = measure_once(r, pair);
		if (ret)
			return ret;
		take_attempt(&a, pair);
		if (clock_wall_ns() > r->stop_ns)
			break;
	}
	*pair = a.best;
	pair->nearest_ps = a.nearest_ps;
	pair->farthest_ps = a.farthest_ps;
	if (a.other.transfer_ps > 0)
		vec_push(&r->report->moved, a.other);
	return 0;
}

/* ---- which pairs ---- */

/* Every k-th of the pairs at this distance, so that they spread over the machine. */
static void choose_pairs(struct run *r, enum platform_distance distance)
{
	const struct platform *p = r->p;
	uint64_t n = 0, seen = 0, taken = 0;

	for (uint32_t a = 0; a < p->n_cores; a++)
		for (uint32_t b = a + 1; b < p->n_cores; b++)
			n += p->cores[a].usable && p->cores[b].usable &&
			     platform_distance(p, a, b) == distance;
	for (uint32_t a = 0; a < p->n_cores && taken < r->effort->pairs; a++) {
		for (uint32_t b = a + 1; b < p->n_cores && taken < r->effort->pairs; b++) {
			struct calibrate_pair pair = {
				.core_a = p->cores[a].id, .core_b = p->cores[b].id, .distance = distance};

			if (!p->cores[a].usable || !p->cores[b].usable ||
			    platform_distance(p, a, b) != distance)
				continue;
			if (seen++ * r->effort->pairs < taken * n)
				continue;
			vec_push(&r->report->pairs, pair);
			taken++;
		}
	}
	if (n > taken && taken)
		calibrate_note(r, "%" PRIu64 " of %" PRIu64 " pairs of cores at distance `%s` were measured",
			       taken, n, platform_distance_name(distance));
}

/* ---- what is said of them ---- */

/* The document, too, says that its figures are doubtful. */
static void note_noise(struct run *r)
{
	size_t noisy = 0;

	for (size_t i = 0; i < r->report->pairs.n; i++) {
		const struct calibrate_pair *pair = &r->report->pairs.at[i];
		const char *why = calibrate_contradiction(pair);
		bool half = calibrate_half_known(r->report, pair);

		noisy += pair->noisy || why || half;
		if (half)
			calibrate_note(
				r,
				"cores %" PRIu32 " and %" PRIu32
				" moved: a transfer took %.0f to %.0f ns, and prices are of one of both",
				pair->core_a, pair->core_b, pair->nearest_ps / 1000,
				pair->farthest_ps / 1000);
		if (calibrate_was_busy(pair))
			calibrate_note(
				r,
				"cores %" PRIu32 " and %" PRIu32
				": a thread had no core for %.0f %% of the rounds (the machine was busy)",
				pair->core_a, pair->core_b, 100 * pair->lost);
		if (why)
			calibrate_note(r, "cores %" PRIu32 " and %" PRIu32 ": this cannot be: %s",
				       pair->core_a, pair->core_b, why);
	}
	free(r->p->source);
	r->p->source = mem_strdup(noisy ? "calibrated, disturbed by other load" : "calibrated");
	if (noisy)
		calibrate_note(
			r,
			"%zu of %zu pairs of cores were disturbed or unsteady: calibrate again on a quiet "
			"machine",
			noisy, r->report->pairs.n);
}

/* ---- frequency steps ---- */

/* The first usable core of a domain; false if it has none. */
static bool core_of(const struct platform *p, uint32_t domain, uint32_t *core)
{
	for (uint32_t i = 0; i < p->n_cores; i++)
		if (p->cores[i].domain == domain && p->cores[i].usable) {
			*core = p->cores[i].id;
			return true;
		}
	return false;
}

static int try_domain(struct run *r, const struct step_control *control, uint32_t core)
{
	struct steps_domain d;
	struct err err = ERR_INIT;
	int ret = steps_measure(&d, r->p, core, control, r->options->quick, NULL, NULL, &err);

	if (ret)
		calibrate_note(r, "the frequency steps of core %" PRIu32 " were not measured: %s", core,
			       err.msg);
	else
		vec_push(&r->report->domains, d);
	return ret;
}

/* Every k-th domain, so that different kinds of cores are among them. */
static void try_domains(struct run *r, const struct step_control *control)
{
	uint32_t n = r->p->n_domains, wanted = r->effort->pairs < n ? r->effort->pairs : n, core;

	for (uint32_t i = 0; i < wanted; i++)
		if (core_of(r->p, i * n / wanted, &core) && try_domain(r, control, core))
			break;
	if (r->report->domains.n && r->report->domains.n < n)
		calibrate_note(r, "%zu of %" PRIu32 " frequency domains were measured", r->report->domains.n,
			       n);
}

static bool is_honoured(const struct calibrate_report *report, uint32_t step)
{
	for (size_t i = 0; i < report->domains.n; i++)
		if (report->domains.at[i].results.at[step].verdict != STEP_HONOURED)
			return false;
	return true;
}

/* A plan must not count on what does not happen; the highest step stays, as there must be one. */
static void leave_out(struct run *r)
{
	struct platform *p = r->p;
	uint32_t kept = 0, n = p->n_steps;

	for (uint32_t i = 0; i < n; i++)
		if (!i || is_honoured(r->report, i))
			p->steps[kept++] = p->steps[i];
	p->n_steps = kept;
	if (kept < n)
		calibrate_note(
			r, "%" PRIu32 " of %" PRIu32 " frequency steps are not honoured: they are left out",
			n - kept, n);
}

/* The longer way, of the slowest domain: a plan that counts on less may not gain. */
static void fill_frequency(struct run *r)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < r->report->domains.n; i++) {
		const struct steps_domain *d = &r->report->domains.at[i];
		uint64_t ns = d->down_ns > d->up_ns ? d->down_ns : d->up_ns;

		if (d->down_ns && d->up_ns && ns > longest)
			longest = ns;
	}
	if (longest)
		r->p->frequency_ns = longest;
}

static void measure_steps(struct run *r)
{
	struct step_control control;
	struct err err = ERR_INIT;
	int ret = r->options->find_control(r->options->context, r->p, &control, &err);

	if (ret) {
		calibrate_note(r, "frequency steps were not measured: %s", err.msg);
		return;
	}
	r->report->steps_how = control.how;
	try_domains(r, &control);
	if (control.end(control.context, &err))
		calibrate_note(r, "%s", err.msg);
	if (r->report->domains.n) {
		fill_frequency(r);
		leave_out(r);
	}
}

/* ---- the whole ---- */

static void set_frequency(struct run *r)
{
	struct platform *p = r->p;
	uint64_t khz = clock_core_khz(&r->report->frequency_how);
	uint32_t top = p->steps[0].khz;

	r->report->core_khz = khz;
	if (!khz) {
		calibrate_note(r, "the core frequency cannot be measured on this processor");
	} else if (p->n_steps == 1) {
		p->steps[0].khz = (uint32_t)khz;
	} else if (khz < top - top / 20 || khz > top + top / 20) {
		calibrate_note(r,
			       "cores ran at %" PRIu64 " kHz, the highest step is %" PRIu32
			       " kHz: governor or turbo",
			       khz, top);
	}
}

static int measure_calls(struct run *r, uint32_t core)
{
	double affinity, trigger;
	int ret = pingpong_calls(core, &affinity, &trigger, r->err);

	if (!ret) {
		r->p->affinity_ns = affinity < 1 ? 1 : (uint64_t)(affinity + 0.5);
		r->p->trigger_ns = trigger < 1 ? 1 : (uint64_t)(trigger + 0.5);
	}
	return ret;
}

static uint32_t count_usable(const struct platform *p, uint32_t *first)
{
	uint32_t n = 0;

	for (uint32_t i = p->n_cores; i-- > 0;)
		if (p->cores[i].usable) {
			*first = p->cores[i].id;
			n++;
		}
	return n;
}

static int measure_all(struct run *r)
{
	uint32_t first = 0, usable = count_usable(r->p, &first);
	int ret;

	for (int d = DIST_SMT; d < DIST_N; d++)
		choose_pairs(r, (enum platform_distance)d);
	r->steps = 3 + (uint32_t)r->report->pairs.n * (PRS_KIND_N + 2);
	calibrate_step(r, "core frequency");
	set_frequency(r);
	calibrate_step(r, "frequency steps");
	if (r->options->find_control)
		measure_steps(r);
	calibrate_step(r, "trigger and affinity calls");
	ret = measure_calls(r, first);
	for (size_t i = 0; i < r->report->pairs.n && !ret; i++)
		ret = measure_pair(r, &r->report->pairs.at[i]);
	if (ret)
		return ret;
	calibrate_fill(r->p, r->report);
	note_noise(r);
	if (usable == 1)
		calibrate_note(r,
			       "one core is usable: prices of sharing, transfer and migration are not known");
	return 0;
}

int platform_calibrate(struct platform *p, const struct calibrate_options *options,
		       struct calibrate_report *report, struct err *err)
{
	struct err own = ERR_INIT;
	struct run r = {.p = p,
			.options = options,
			.effort = options->quick ? &quick : &thorough,
			.report = report,
			.err = err ? err : &own};
	int ret;

	memset(report, 0, sizeof(*report));
	r.deadline_ns = clock_wall_ns() + r.effort->budget_ns;
	r.stop_ns = clock_wall_ns() + MAX_BUDGETS * r.effort->budget_ns;
	ret = platform_read(p, "", r.err);
	if (ret)
		return ret;
	ret = measure_all(&r);
	if (ret) {
		platform_release(p);
		calibrate_report_release(report);
		return ret;
	}
	calibrate_note(&r, "watts are not known: energy objectives need busy_mw and idle_mw in the file");
	platform_complete(p);
	return 0;
}

void calibrate_report_release(struct calibrate_report *report)
{
	for (size_t i = 0; i < report->notes.n; i++)
		free(report->notes.at[i]);
	for (size_t i = 0; i < report->domains.n; i++)
		steps_release(&report->domains.at[i]);
	vec_release(&report->domains);
	vec_release(&report->notes);
	vec_release(&report->pairs);
	vec_release(&report->moved);
}
