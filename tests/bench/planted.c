/* SPDX-License-Identifier: MIT */
/*
 * Instances with a planted optimum (tests/unit/planner/planted.h says how and
 * why it is one).
 *
 *   planted [KEY=VALUE]...        make one and plan it; a line of figures
 *   planted write=DIR [...]       write model.yaml and platform.yaml there
 *
 * Keys: packages groups cores (groups a package, cores a group) used steps
 * right clocks (0 core, 1 group, 2 package, 3 all) threads phases
 * static_percent pairs seed (of the instance), search_seed, workers.
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/unit/planner/planted.h"

struct key {
	const char *name;
	uint32_t *at;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int fail(const char *what)
{
	fprintf(stderr, "planted: %s\n", what);
	return 1;
}

static int plan(const struct planted *x, uint64_t seed, uint32_t workers)
{
	const struct planner_options o = {.goal.objective = PLAN_ENERGY, .seed = seed, .threads = workers};
	struct err err = ERR_INIT;
	struct rusage use;
	struct planner p;
	struct cost best;
	double begin = now();

	if (planner_run(&p, &x->k.m, &x->pf, &o, &err))
		return fail(err.msg);
	begin = now() - begin;
	getrusage(RUSAGE_SELF, &use);
	best = planted_cost(x, &p.problem);
	if (!best.energy_pj)
		return fail("the planted design is not the bound: choose other watts");
	printf("gap_percent %.3f planted_percent %.3f baseline_percent %.1f seconds %.2f cpu_seconds %.2f "
	       "rss_mb %ld evaluations %" PRIu64 " phases_added_up %" PRIu64 " members_moved %" PRIu64 "\n",
	       100 * ((double)p.out.best_ev.total.energy_pj / (double)p.out.bound.energy_pj - 1),
	       100 * ((double)p.out.best_ev.total.energy_pj / (double)best.energy_pj - 1),
	       100 * ((double)p.out.base_ev.total.energy_pj / (double)best.energy_pj - 1), begin,
	       (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
		       1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec),
	       use.ru_maxrss / 1024, p.out.evaluations, p.search.scratch.evaluated, p.search.scratch.deltas);
	planner_release(&p);
	return 0;
}

static int write_files(const struct planted *x, const char *dir)
{
	struct err err = ERR_INIT;
	char path[4096];

	snprintf(path, sizeof(path), "%s/model.yaml", dir);
	if (model_save(&x->k.m, path, &err))
		return fail(err.msg);
	snprintf(path, sizeof(path), "%s/platform.yaml", dir);
	return platform_save(&x->pf, path, &err) ? fail(err.msg) : 0;
}

static bool parse(const char *arg, const struct key *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(keys[i].name);

		if (strncmp(arg, keys[i].name, len) || arg[len] != '=')
			continue;
		*keys[i].at = (uint32_t)strtoul(arg + len + 1, NULL, 10);
		return true;
	}
	return false;
}

static bool makes_sense(const struct planted_shape *s)
{
	uint32_t filled = s->used * s->groups * s->cores;

	return s->packages && filled > 1 && s->used <= s->packages && s->threads >= filled && s->steps &&
	       s->steps <= 4 && s->right < s->steps && s->phases && s->clocks < CLOCK_ODD &&
	       s->static_percent <= 100 && 4 * s->pairs <= s->threads &&
	       s->packages * s->groups * s->cores <= PLATFORM_MAX_CORES;
}

int main(int argc, char **argv)
{
	struct planted_shape s = {.packages = 4,
				  .groups = 4,
				  .cores = 4,
				  .used = 2,
				  .steps = 3,
				  .right = 1,
				  .threads = 64,
				  .phases = 100,
				  .pairs = 16};
	uint32_t clocks = CLOCK_PACKAGE, seed = 1, search_seed = 1, workers = 1;
	const struct key keys[] = {{"packages", &s.packages},     {"groups", &s.groups},
				   {"cores", &s.cores},           {"used", &s.used},
				   {"steps", &s.steps},           {"right", &s.right},
				   {"clocks", &clocks},           {"threads", &s.threads},
				   {"phases", &s.phases},         {"static_percent", &s.static_percent},
				   {"pairs", &s.pairs},           {"seed", &seed},
				   {"search_seed", &search_seed}, {"workers", &workers}};
	const char *dir = NULL;
	struct planted x;
	int ret;

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "write=", 6))
			dir = argv[i] + 6;
		else if (!parse(argv[i], keys, sizeof(keys) / sizeof(keys[0])))
			return fail("unknown key; tests/bench/planted.c lists them") + 1;
	s.clocks = (enum clocks)clocks;
	s.seed = seed;
	if (!makes_sense(&s))
		return fail("no such instance can be made") + 1;
	planted_make(&x, &s);
	ret = dir ? write_files(&x, dir) : plan(&x, search_seed, workers);
	planted_release(&x);
	return ret;
}
