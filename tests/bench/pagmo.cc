// SPDX-License-Identifier: MIT
// Time to target over 30 seeds: the planner without enumeration beside the
// genetic algorithm of pagmo2 on the same fitness.  One line for each: name,
// runs that got there, quartiles of their CPU seconds (runs that did not count
// as the longest).
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/sga.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include "tests/bench/target.h"

static const unsigned seeds = 30;
static const double longest = .5; // s

struct placement {
	target *t = nullptr;

	pagmo::vector_double fitness(const pagmo::vector_double &x) const
	{
		return {target_fitness(t, x.data())};
	}
	std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const
	{
		pagmo::vector_double low(target_genes(t), 0), high;

		for (unsigned i = 0; i < target_genes(t); i++)
			high.push_back(target_limit(t, i));
		return {low, high};
	}
	pagmo::vector_double::size_type get_nix() const
	{
		return target_genes(t);
	}
	pagmo::thread_safety get_thread_safety() const
	{
		return pagmo::thread_safety::none;
	}
};

static double pagmo_seconds(target *t, unsigned seed)
{
	double begin = target_now();
	placement udp;

	udp.t = t;
	pagmo::population pop{pagmo::problem{udp}, 100, seed};
	pagmo::algorithm sga{pagmo::sga{5, .8, 1., .02, 1., 2, "exponential", "uniform", "tournament", seed}};
	while (pop.champion_f()[0] > target_joules(t)) {
		if (target_now() - begin > longest)
			return -1;
		pop = sga.evolve(pop);
	}
	return target_now() - begin;
}

static void report(const char *who, const char *name, std::vector<double> s)
{
	unsigned there = (unsigned)std::count_if(s.begin(), s.end(), [](double x) { return x >= 0; });

	for (double &x : s)
		x = x < 0 ? longest : x;
	std::sort(s.begin(), s.end());
	std::printf("%s.%s %u %.5f %.5f %.5f\n", who, name, there, s[seeds / 4], s[seeds / 2],
		    s[3 * seeds / 4]);
	std::fflush(stdout);
}

int main()
{
	for (const char *name : {"signal", "planted"}) {
		target *t = target_open(name);
		std::vector<double> ours, theirs;

		// One after the other, so that a busy machine hits both.
		for (unsigned seed = 1; seed <= seeds; seed++) {
			ours.push_back(target_planner_seconds(t, seed));
			theirs.push_back(pagmo_seconds(t, seed));
		}
		report("planner", name, ours);
		report("pagmo", name, theirs);
		target_close(t);
	}
	return 0;
}
