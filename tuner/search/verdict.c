/* SPDX-License-Identifier: MIT */
/* Winner against default: no trial of the search counts, so what the search chose by luck is not seen again. */
#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/stats.h"
#include "tuner/search/search.h"

struct side {
	struct setting x;
	double *value;
};

/* One pair in an order of chance; v->end says if a run failed. */
static int verdict_pair(struct tuner *s, struct side *side, uint64_t k, struct verdict *v, struct err *err)
{
	struct rng rng = rng_keyed(s->o.seed, k, 0x76657264, 0);
	unsigned first = (unsigned)rng_below(&rng, 2);

	for (unsigned i = 0; i < 2; i++) {
		struct side *now = &side[i ^ first];
		struct tuner_ask ask = {&now->x, s->round, 0};
		struct tuner_answer a = {.end = TRIAL_OK};
		int ret = s->o.measure(s->o.arg, &ask, &a, err);

		if (ret)
			return ret;
		now->value[k] = a.value;
		if (a.end != TRIAL_OK) {
			v->end = a.end;
			return 0;
		}
	}
	s->round++;
	return 0;
}

int tuner_verdict(struct tuner *s, uint64_t pairs, struct verdict *v, struct err *err)
{
	struct side side[2] = {
		{s->t.settings.at[0].x, mem_new(pairs + 1, sizeof(double))},
		{s->t.settings.at[s->winner].x, mem_new(pairs + 1, sizeof(double))},
	};
	double *ratio = mem_new(pairs + 1, sizeof(*ratio));
	int ret = 0;

	*v = (struct verdict){.ratio = {1, 0, INFINITY}};
	while (!ret && v->end == TRIAL_OK && v->pairs < pairs) {
		ret = verdict_pair(s, side, v->pairs, v, err);
		if (!ret && v->end == TRIAL_OK) {
			ratio[v->pairs] = log(side[1].value[v->pairs] / side[0].value[v->pairs]);
			v->pairs++;
		}
	}
	if (!ret && v->end == TRIAL_OK && v->pairs) {
		struct signed_rank r = signed_rank_interval(ratio, (unsigned)v->pairs, VERDICT_MISS);

		v->ratio = (struct signed_rank){exp(r.estimate), exp(r.low), exp(r.high)};
		v->gain = v->ratio.high < 1;
		v->before = stats_median(side[0].value, v->pairs);
		v->after = stats_median(side[1].value, v->pairs);
	}
	free(ratio);
	free(side[0].value);
	free(side[1].value);
	return ret;
}
