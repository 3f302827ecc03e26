/* SPDX-License-Identifier: MIT */
#include "tuner/search/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "tuner/search/propose.h"
#include "tuner/search/race.h"
#include "tuner/search/trade.h"

#define FIRST      4 /* runs of the default before all: how much they differ */
#define START      8 /* settings of the start, and for each tunable */
#define START_EACH 5
#define ROUND      6 /* trials of a round: the leader, those in the race, new ones */
#define RACING     3 /* in the race at most */
#define ENOUGH     8 /* runs of a setting in the race at most, until the end */
#define RESTART    4 /* each so many rounds a setting far from all */
#define PATIENT    3 /* rounds in turn whose gain is not worth it */

#define EFFECT_LEAST 0.005 /* of a run */
#define WORSE        2.33  /* deviations: 1 % of those that are not worse */
#define KEPT         20    /* one of so many trials is for the best without what does nothing */
#define FRONT        10    /* one of so many is for what is on the front */
#define FRONT_RACING 2     /* of a round: the leader and settings of the front */
#define ROUNDING     1e-9

void tuner_init(struct tuner *s, const struct space *space, const struct tuner_options *o)
{
	*s = (struct tuner){.o = *o};
	trials_init(&s->t, space);
}

void tuner_release(struct tuner *s)
{
	trials_release(&s->t);
	free(s->effects);
}

static struct rng tuner_rng(const struct tuner *s, uint64_t what)
{
	return rng_keyed(s->o.seed, s->round, what, 0x74756e65);
}

/* One trial of setting @x. */
static int tuner_trial(struct tuner *s, const struct setting *x, double most, struct err *err)
{
	struct tuner_ask ask = {x, s->round, most};
	struct tuner_answer a = {.end = TRIAL_OK};
	size_t at;
	int ret = s->o.measure(s->o.arg, &ask, &a, err);

	if (ret)
		return ret;
	s->done++;
	at = trials_index(&s->t, x);
	trials_add(&s->t, at, s->round, a.end, a.value);
	if (a.end == TRIAL_OK && a.other > 0)
		trials_other(&s->t, at, a.other);
	return 0;
}

static double tuner_most(const struct tuner *s)
{
	size_t best = race_leader(&s->t);

	return s->o.slow > 0 && best != SIZE_MAX ? s->o.slow * exp(s->t.settings.at[best].mean) : 0;
}

/* Run all of @list in an order of chance, look at each, begin the next round. */
static int tuner_round(struct tuner *s, struct settings *list, struct err *err)
{
	struct rng rng = tuner_rng(s, 1);
	double most = tuner_most(s);
	size_t best;
	int ret = 0;

	for (size_t i = list->n; i > 1; i--) {
		size_t k = rng_below(&rng, i);
		struct setting keep = list->at[i - 1];

		list->at[i - 1] = list->at[k];
		list->at[k] = keep;
	}
	for (size_t i = 0; i < list->n && s->done < s->o.trials && !ret; i++)
		ret = tuner_trial(s, &list->at[i], most, err);
	if (ret)
		return ret;
	trials_settle(&s->t);
	best = race_leader(&s->t);
	/* What is dropped as slow may be on the front. */
	for (size_t i = 0; i < list->n && best != SIZE_MAX && !s->o.trade; i++) {
		size_t at = trials_find(&s->t, &list->at[i]);

		if (at != SIZE_MAX)
			race_look(&s->t, at, best, s->o.drop);
	}
	s->round++;
	list->n = 0;
	return 0;
}

/* The leader, and who is close behind: those of which least is known first. */
static void tuner_racers(const struct tuner *s, size_t racing, uint32_t enough, struct settings *list)
{
	const struct trials *t = &s->t;
	size_t best = race_leader(t);

	if (best == SIZE_MAX)
		return;
	vec_push(list, t->settings.at[best].x);
	while (racing--) {
		size_t next = SIZE_MAX;
		double nearest = HUGE_VAL;

		for (size_t i = 0; i < t->settings.n; i++) {
			double behind = race_behind(t, i, best);
			bool there = i == best || !trials_good(t, i) || t->settings.at[i].n >= enough;

			for (size_t k = 0; k < list->n; k++)
				there |= space_equal(t->space, &list->at[k], &t->settings.at[i].x);
			if (there || behind > 2 || behind >= nearest)
				continue;
			nearest = behind;
			next = i;
		}
		if (next == SIZE_MAX)
			break;
		vec_push(list, t->settings.at[next].x);
	}
}

/* Fill the round by what the model proposes; false: there is nothing new. */
static bool tuner_proposals(struct tuner *s, struct settings *list)
{
	struct rng rng = tuner_rng(s, 2);
	struct model *m = model_fit(&s->t, &s->scales);
	double best = 0, gain;
	bool any = false;
	struct setting x;

	s->gain = 0;
	if (model_best(m, &best) == SIZE_MAX)
		best = HUGE_VAL;
	while (list->n < ROUND) {
		bool unknown = s->round % RESTART == RESTART - 1 && list->n == ROUND - 1;

		if (!propose_next(m, &s->t, list, best, unknown, &rng, &x, &gain))
			break;
		if (!any)
			s->gain = gain;
		any = true;
		vec_push(list, x);
		model_suppose(m, &x);
	}
	model_free(m);
	return any;
}

/* ... by what a model of each weight proposes. */
static bool tuner_trade(struct tuner *s, struct settings *list)
{
	struct rng rng = tuner_rng(s, 2);
	bool any = false, found = true;

	s->gain = 0;
	while (found && list->n < ROUND) {
		bool unknown = s->round % RESTART == RESTART - 1 && list->n == ROUND - 1;
		double best = HUGE_VAL, gain;
		struct trials view;
		struct setting x;
		struct model *m;

		trade_view(&view, &s->t, trade_weight(s->weights++));
		m = model_fit(&view, &s->trade_scales);
		if (model_best(m, &best) == SIZE_MAX)
			best = HUGE_VAL;
		for (size_t i = 0; i < list->n; i++)
			if (trials_find(&view, &list->at[i]) == SIZE_MAX)
				model_suppose(m, &list->at[i]);
		found = propose_next(m, &view, list, best, unknown, &rng, &x, &gain);
		if (found) {
			s->gain = gain > s->gain ? gain : s->gain;
			any = true;
			vec_push(list, x);
		}
		model_free(m);
		trials_release(&view);
	}
	return any;
}

static int tuner_broken(struct tuner *s, struct err *err)
{
	enum trial_end end = s->t.settings.at[0].end;

	s->end = TUNER_BROKEN;
	if (end == TRIAL_FAILED)
		return err_set(err, -EINVAL, "the default setting fails");
	return err_set(err, -EINVAL, "the default setting fails (%s)", trial_ends[end]);
}

static int tuner_start(struct tuner *s, struct err *err)
{
	struct setting first = space_default(s->t.space);
	struct rng rng = tuner_rng(s, 3);
	struct settings all = VEC_INIT, list = VEC_INIT;
	size_t most = (size_t)(s->o.trials / 3), usual = START + START_EACH * s->t.space->n_tunables;
	int ret = 0;

	for (int i = 0; i < FIRST; i++)
		vec_push(&list, first);
	ret = tuner_round(s, &list, err);
	if (!ret && s->t.settings.at[0].end != TRIAL_OK)
		ret = tuner_broken(s, err);
	most = most < usual ? most : usual;
	propose_start(s->t.space, &rng, most > ROUND ? most : ROUND, &all);
	for (size_t i = 1; i < all.n && !ret;) {
		tuner_racers(s, 0, 0, &list);
		while (i < all.n && list.n < ROUND)
			vec_push(&list, all.at[i++]);
		ret = tuner_round(s, &list, err);
	}
	vec_release(&all);
	vec_release(&list);
	return ret;
}

static int tuner_middle(struct tuner *s, struct err *err)
{
	uint64_t last = s->o.trials - s->o.trials / 10 - (s->o.trade ? s->o.trials / FRONT : 0);
	struct settings list = VEC_INIT;
	int ret = 0, idle = 0;

	s->end = TUNER_TRIALS;
	while (!ret && s->done < last) {
		size_t raced;
		bool any;

		tuner_racers(s, s->o.trade ? 0 : RACING, ENOUGH, &list);
		if (s->o.trade)
			trade_racers(&s->t, ENOUGH, FRONT_RACING, &list);
		raced = list.n;
		any = s->o.trade ? tuner_trade(s, &list) : tuner_proposals(s, &list);
		if (!any && raced <= 1) {
			s->end = TUNER_SPACE;
			break;
		}
		idle = any && s->gain * s->o.worth >= 1 ? 0 : idle + 1;
		if (s->o.worth > 0 && idle >= PATIENT) {
			s->end = any ? TUNER_GAIN : TUNER_SPACE;
			break;
		}
		ret = tuner_round(s, &list, err);
	}
	vec_release(&list);
	return ret;
}

double tuner_floor(const struct tuner *s)
{
	return s->t.sigma / 2 > EFFECT_LEAST ? s->t.sigma / 2 : EFFECT_LEAST;
}

/* Who is the best by all that is known, and what each tunable does. */
static void tuner_choose(struct tuner *s)
{
	struct model *m = model_fit(&s->t, &s->scales);
	double best;

	s->winner = model_best(m, &best);
	if (s->winner == SIZE_MAX || s->t.settings.at[s->winner].mean >= s->t.settings.at[0].mean)
		s->winner = 0;
	if (!s->effects)
		s->effects = mem_new(s->t.space->n_tunables, sizeof(*s->effects));
	model_effects(m, s->o.seed, s->effects);
	model_free(m);
}

/*
 * The winner with the default's value of each tunable that does nothing.  False: it is that already, or the
 * default itself, or is not allowed or not to be run again.
 */
static bool tuner_plain(const struct tuner *s, struct setting *plain)
{
	const struct setting *winner = &s->t.settings.at[s->winner].x, *first = &s->t.settings.at[0].x;
	size_t at;

	*plain = *winner;
	for (size_t j = 0; j < s->t.space->n_tunables; j++)
		if (s->effects[j] <= tuner_floor(s))
			plain->at[j] = first->at[j];
	space_settle(s->t.space, plain);
	at = trials_find(&s->t, plain);
	return !space_equal(s->t.space, plain, winner) && !space_equal(s->t.space, plain, first) &&
	       space_allowed(s->t.space, plain) && (at == SIZE_MAX || !trials_failed(&s->t, at));
}

/* It wins if it was run and is not seen to be worse; that the winner was the best by luck is allowed for. */
static void tuner_take_plain(struct tuner *s)
{
	const struct tried *winner = &s->t.settings.at[s->winner], *other;
	struct setting plain;
	size_t at = tuner_plain(s, &plain) ? trials_find(&s->t, &plain) : SIZE_MAX;

	if (at == SIZE_MAX)
		return;
	other = &s->t.settings.at[at];
	if (other->n && other->mean - winner->mean <=
				WORSE * s->t.sigma * sqrt(1.0 / other->n + 1.0 / winner->n) + ROUNDING)
		s->winner = at;
}

static size_t setting_runs(const struct tuner *s, const struct setting *x)
{
	size_t at = trials_find(&s->t, x);

	return at == SIZE_MAX ? 0 : s->t.settings.at[at].n;
}

/* A round of the best and the same without what does nothing; false: that was run often enough. */
static bool tuner_plain_round(struct tuner *s, struct settings *list)
{
	struct setting plain;

	list->n = 0;
	if (!tuner_plain(s, &plain) || setting_runs(s, &plain) >= ENOUGH / 2)
		return false;
	vec_push(list, s->t.settings.at[s->winner].x);
	vec_push(list, plain);
	return true;
}

/* What is on the front by luck leaves it when it is run again; the leader ties the rounds together. */
static int tuner_front(struct tuner *s, struct err *err)
{
	uint64_t last = s->o.trials - s->o.trials / 10, until = s->done + s->o.trials / FRONT;
	struct settings list = VEC_INIT;
	int ret = 0;

	while (!ret && s->done < until && s->done < last) {
		tuner_racers(s, 0, 0, &list);
		trade_racers(&s->t, ENOUGH, ROUND, &list);
		if (list.n < 2)
			break;
		ret = tuner_round(s, &list, err);
	}
	vec_release(&list);
	return ret;
}

/* The leaders among themselves, and who is the best by all that is known. */
static int tuner_final(struct tuner *s, struct err *err)
{
	uint64_t until = s->done + s->o.trials / 10, kept = s->o.trials / KEPT > 2 ? s->o.trials / KEPT : 2;
	struct settings list = VEC_INIT;
	int ret = 0;

	while (!ret && s->done + kept < s->o.trials && s->done < until) {
		tuner_racers(s, RACING, 2 * ENOUGH, &list);
		if (list.n < 2)
			break;
		while (s->done + kept + list.n > s->o.trials)
			list.n--;
		ret = tuner_round(s, &list, err);
	}
	if (!ret)
		tuner_choose(s);
	while (!ret && s->done < s->o.trials && tuner_plain_round(s, &list))
		ret = tuner_round(s, &list, err);
	vec_release(&list);
	if (!ret)
		tuner_take_plain(s);
	return ret;
}

int tuner_run(struct tuner *s, struct err *err)
{
	int ret = tuner_start(s, err);

	if (!ret)
		ret = tuner_middle(s, err);
	if (!ret && s->o.trade)
		ret = tuner_front(s, err);
	return ret ? ret : tuner_final(s, err);
}

size_t tuner_count(const struct tuner *s, enum trial_end end)
{
	size_t n = 0;

	for (size_t i = 0; i < s->t.settings.n; i++)
		n += s->t.settings.at[i].end == end;
	return n;
}

size_t tuner_dropped(const struct tuner *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->t.settings.n; i++)
		n += s->t.settings.at[i].dropped;
	return n;
}
