/* SPDX-License-Identifier: MIT */
/*
 * tune SEEDS [LANDSCAPE]: median regret over SEEDS seeds, in percent above the best setting, of
 * perseus tune's search and of others: NAME WHO PERCENT.  tune noise COUNT: how many tunings over
 * settings that do nothing claim a gain.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"
#include "tests/bench/tune/landscape.h"
#include "tuner/search/search.h"

#define MOST 1000

static int ask_oracle(void *arg, const struct tuner_ask *ask, struct tuner_answer *answer, struct err *err)
{
	(void)err;
	answer->value = oracle_run(arg, ask->x);
	return 0;
}

static struct setting peer_perseus(struct oracle *o, uint64_t seed)
{
	struct tuner_options options = {seed, o->l->trials, 0.05, 0, 0, false, ask_oracle, o};
	struct err err = ERR_INIT;
	struct tuner s;
	struct setting x;

	tuner_init(&s, o->s, &options);
	if (tuner_run(&s, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	x = s.t.settings.at[s.winner].x;
	tuner_release(&s);
	return x;
}

static const struct {
	const char *name;
	peer_search *search;
} peers[] = {
	{"perseus", peer_perseus},     {"random", peer_random},       {"seed001", peer_seed001},
	{"evolution", peer_evolution}, {"annealing", peer_annealing},
};

static void open_space(struct space *s, const char *text)
{
	struct err err = ERR_INIT;

	if (space_parse(s, text, strlen(text), "landscape", &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
}

static void regrets(const struct landscape *l, unsigned seeds)
{
	struct space s;
	struct oracle first = {.l = l, .s = &s};
	double least, regret[MOST];

	open_space(&s, l->text);
	least = oracle_least(&first);
	for (size_t p = 0; p < sizeof(peers) / sizeof(peers[0]); p++) {
		unsigned runs = 0;

		for (unsigned seed = 0; seed < seeds; seed++) {
			struct oracle o = {.l = l, .s = &s, .rng = rng_keyed(seed, p, 77, 0)};
			struct setting x = peers[p].search(&o, seed + 1);

			regret[seed] = 100 * (oracle_truth(&o, &x) / least - 1);
			runs = o.runs > runs ? o.runs : runs;
		}
		printf("%s %s %.2f", l->name, peers[p].name, stats_median(regret, seeds));
		printf(" %.2f %u of %.0f noise %.0f %%\n", stats_quantile(regret, seeds, 0.75), runs,
		       space_size(&s), 100 * l->noise);
		fflush(stdout);
	}
	space_release(&s);
}

static double nothing(const struct space *s, const double *v)
{
	(void)s;
	(void)v;
	return 1;
}

static unsigned crowned(unsigned count)
{
	struct landscape l = landscapes[4];
	unsigned claims = 0;
	struct space s;

	l.value = nothing;
	l.trials = 60;
	open_space(&s, l.text);
	for (unsigned k = 0; k < count; k++) {
		struct oracle o = {
			.l = &l, .s = &s, .rng = rng_keyed(k, 9, 77, 0), .drift = 0.005, .tail = 0.3};
		struct tuner_options options = {k + 1, l.trials, 0.05, 0, 0, false, ask_oracle, &o};
		struct err err = ERR_INIT;
		struct tuner search;
		struct verdict v = {.gain = false};

		l.noise = 0.01 + 0.09 * (k % 10) / 9;
		tuner_init(&search, &s, &options);
		if (tuner_run(&search, &err) || (search.winner && tuner_verdict(&search, 20, &v, &err)))
			exit(1);
		claims += v.gain;
		tuner_release(&search);
	}
	space_release(&s);
	return claims;
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 30;

	if (argc > 2 && !strcmp(argv[1], "noise")) {
		printf("noise %u\n", crowned((unsigned)atoi(argv[2])));
		return 0;
	}
	for (unsigned i = 0; i < n_landscapes; i++)
		if (argc < 3 || !strcmp(argv[2], landscapes[i].name))
			regrets(&landscapes[i], seeds > MOST ? MOST : seeds);
	return 0;
}
