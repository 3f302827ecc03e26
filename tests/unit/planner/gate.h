/* SPDX-License-Identifier: MIT */
/*
 * Models of the five gate tests of the 2008 report, made by rule: fork/join
 * phases, main with 1 % serial work before and after, work scaled so that the
 * baseline needs the energy of the report's table 4.
 */
#ifndef PERSEUS_TESTS_PLANNER_GATE_H
#define PERSEUS_TESTS_PLANNER_GATE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/rng.h"
#include "planner/planner.h"
#include "planner/result/emit.h"

/* A model under construction: everything is owned by it. */
struct maker {
	struct model m;
};

__attribute__((unused)) static void maker_init(struct maker *k, const char *program)
{
	memset(k, 0, sizeof(*k));
	k->m.program = mem_strdup(program);
	k->m.build_id = mem_strdup("00112233445566778899aabbccddeeff00112233");
	k->m.sites_sha256 = mem_strdup("0000000000000000000000000000000000000000000000000000000000000000");
	k->m.clock = mem_strdup("made by rule");
	k->m.runs = mem_new(1, sizeof(char *));
	k->m.runs[0] = mem_strdup("made");
	k->m.n_runs = 1;
	k->m.hz = 1853000000;
	k->m.wall_ns = 1000000000;
}

__attribute__((unused)) static uint32_t maker_site(struct maker *k, const char *function, const char *callee,
						   uint32_t line)
{
	char id[32];

	k->m.sites = mem_resize(k->m.sites, k->m.n_sites + 1, sizeof(*k->m.sites));
	snprintf(id, sizeof(id), "%016x", 0x1000u + line);
	k->m.sites[k->m.n_sites] = (struct model_site){.id = mem_strdup(id),
						       .instance = mem_strdup("00000000"),
						       .unit = mem_strdup("gate.c"),
						       .function = mem_strdup(function),
						       .callee = mem_strdup(callee),
						       .file = mem_strdup("gate.c"),
						       .line = line};
	return (uint32_t)k->m.n_sites++;
}

__attribute__((unused)) static uint32_t maker_thread(struct maker *k, const char *name, uint32_t creator,
						     uint32_t site, uint32_t ordinal)
{
	k->m.threads = mem_resize(k->m.threads, k->m.n_threads + 1, sizeof(*k->m.threads));
	k->m.threads[k->m.n_threads] = (struct model_thread){.name = mem_strdup(name),
							     .creator = creator,
							     .create_site = site,
							     .ordinal = ordinal,
							     .plannable = true};
	return (uint32_t)k->m.n_threads++;
}

__attribute__((unused)) static uint32_t maker_phase(struct maker *k, const char *opened_by)
{
	char name[32];

	k->m.phases = mem_resize(k->m.phases, k->m.n_phases + 1, sizeof(*k->m.phases));
	snprintf(name, sizeof(name), "phase-%06zu", k->m.n_phases);
	k->m.phases[k->m.n_phases] =
		(struct model_phase){.name = mem_strdup(name),
				     .opened_by = mem_strdup(opened_by),
				     .repeats = 1,
				     .after = k->m.n_phases ? (uint32_t)k->m.n_phases - 1 : MODEL_NONE,
				     .accepted = true};
	return (uint32_t)k->m.n_phases++;
}

__attribute__((unused)) static struct model_work *maker_work(struct maker *k, uint32_t phase, uint32_t thread,
							     double cycles)
{
	struct model_phase *ph = &k->m.phases[phase];

	ph->work = mem_resize(ph->work, ph->n_work + 1, sizeof(*ph->work));
	ph->work[ph->n_work] =
		(struct model_work){.thread = thread, .cycles = (uint64_t)cycles, .enter_site = MODEL_NONE};
	return &ph->work[ph->n_work++];
}

__attribute__((unused)) static void maker_conflict(struct maker *k, uint32_t a, uint32_t b, double rate)
{
	struct model_conflict *c;
	char name[32];

	k->m.conflicts = mem_resize(k->m.conflicts, k->m.n_conflicts + 1, sizeof(*k->m.conflicts));
	c = &k->m.conflicts[k->m.n_conflicts];
	snprintf(name, sizeof(name), "share-%06zu", k->m.n_conflicts + 1);
	*c = (struct model_conflict){.evidence = mem_strdup(name),
				     .is_false = true,
				     .object = mem_strdup("pairs"),
				     .a.thread = a,
				     .b.thread = b,
				     .a.kind = PRS_KIND_ATOMIC,
				     .b.kind = PRS_KIND_ATOMIC,
				     .a.accesses_per_kcycle = rate,
				     .b.accesses_per_kcycle = rate,
				     .phase = MODEL_NONE};
	k->m.n_conflicts++;
}

/* One visit of @side is one access; the next comes after @gap cycles, 0: not known. */
__attribute__((unused)) static void maker_visits(struct model_side *side, double gap)
{
	side->visits_per_kcycle = gap > 0 ? side->accesses_per_kcycle : 0;
	side->gap_cycles = gap;
}

/* Main alone, entering after a call if @site is given. */
__attribute__((unused)) static void maker_serial(struct maker *k, double cycles, uint32_t site)
{
	uint32_t p = maker_phase(k, k->m.n_phases ? "join" : "start");
	struct model_work *w = maker_work(k, p, 0, cycles);

	w->starts = p == 0;
	if (site != MODEL_NONE) {
		w->enter_site = site;
		w->enter_visit = p;
	}
}

/* A fork/join stage of new threads with shares[] of @cycles each; main waits. */
__attribute__((unused)) static void maker_stage(struct maker *k, const char *name, const double *shares,
						uint32_t n, double cycles, uint32_t create)
{
	uint32_t p = maker_phase(k, "create");

	maker_work(k, p, 0, 1000)->waits = true;
	for (uint32_t i = 0; i < n; i++)
		maker_work(k, p, maker_thread(k, name, 0, create, (uint32_t)k->m.n_threads - 1),
			   cycles * shares[i])
			->starts = true;
}

enum gate { GATE_HALTSTATE, GATE_FLOAT, GATE_PAIRS, GATE_IMGAPP, GATE_SIGNAL, GATE_N };

struct gate_case {
	enum gate gate;
	const char *name;
	double joules;     /* of the baseline, table 4 */
	double last_share; /* of the last phase, imgapp and signal */
	double optimum;    /* energy saved by the best design, percent, changes free of charge */
};

static const struct gate_case gate_cases[] = {
	{GATE_HALTSTATE, "haltstate", 54.05, 0, 25.56}, {GATE_FLOAT, "float", 145.55, 0, 20.52},
	{GATE_PAIRS, "pairs", 79.82, 0, 19.11},         {GATE_IMGAPP, "imgapp", 483, 0.2, 19.3},
	{GATE_IMGAPP, "imgapp", 483, 0.5, 20.7},        {GATE_IMGAPP, "imgapp", 483, 0.7, 21.7},
	{GATE_IMGAPP, "imgapp", 483, 0.85, 22.3},       {GATE_SIGNAL, "signal", 535.38, 0.2, 6.8},
	{GATE_SIGNAL, "signal", 535.38, 0.5, 13.2},     {GATE_SIGNAL, "signal", 535.38, 0.7, 17.9},
	{GATE_SIGNAL, "signal", 535.38, 0.85, 21.6},
};
#define GATE_CASES (sizeof(gate_cases) / sizeof(gate_cases[0]))

static const double gate_ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};

__attribute__((unused)) static void gate_imgapp(struct maker *k, double cycles, double share, uint32_t create)
{
	static const double work[5] = {1, 0.8, 0.6, 0.5, 0.4}, last[3] = {1, 0.9, 0.8};

	for (uint32_t stage = 0; stage < 3; stage++) {
		double turned[5];

		for (uint32_t i = 0; i < 5; i++)
			turned[i] = work[(i + stage) % 5];
		maker_stage(k, "filter", turned, 5, cycles * (1 - share) / 3, create);
	}
	maker_stage(k, "last", last, 3, cycles * share, create);
}

__attribute__((unused)) static void gate_signal(struct maker *k, double cycles, double share, uint32_t create)
{
	uint32_t barrier = maker_site(k, "worker", "pthread_barrier_wait", 30), p;

	maker_stage(k, "worker", gate_ones, 6, cycles * (1 - share), create);
	p = maker_phase(k, "barrier");
	maker_work(k, p, 0, 1000)->waits = true;
	for (uint32_t t = 1; t <= 2; t++) {
		struct model_work *w = maker_work(k, p, t, cycles * share);

		w->enter_site = barrier;
		w->enter_visit = 1;
	}
}

/* The model with @cycles of parallel work on the longest thread. */
__attribute__((unused)) static void gate_make(struct maker *k, const struct gate_case *c, double cycles)
{
	uint32_t create, join;

	maker_init(k, c->name);
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 10);
	join = maker_site(k, "main", "pthread_join", 20);
	maker_serial(k, cycles * 0.01, MODEL_NONE);
	switch (c->gate) {
	case GATE_HALTSTATE:
		maker_stage(k, "count", gate_ones, 2, cycles, create);
		break;
	case GATE_FLOAT:
		maker_stage(k, "count", gate_ones, 4, cycles, create);
		break;
	case GATE_PAIRS:
		maker_stage(k, "count", gate_ones, 8, cycles, create);
		/* 23.8 % slower apart, at 35.077 ns an access and 1.853 GHz. */
		for (uint32_t i = 0; i < 4; i++)
			maker_conflict(k, 1 + 2 * i, 2 + 2 * i, 1000.0 * 0.238 / (35.077 * 1.853));
		break;
	case GATE_IMGAPP:
		gate_imgapp(k, cycles, c->last_share, create);
		break;
	default:
		gate_signal(k, cycles, c->last_share, create);
		break;
	}
	maker_serial(k, cycles * 0.01, join);
}

/* The energy of the baseline, J. */
__attribute__((unused)) static double gate_base_joules(const struct gate_case *c, const struct platform *pf,
						       double cycles)
{
	struct machine machine;
	struct problem pb;
	struct scratch s;
	struct design d;
	struct evaluation ev;
	struct maker k;
	double joules;

	gate_make(&k, c, cycles);
	machine_init(&machine, pf, NULL);
	problem_init(&pb, &k.m, &machine, NULL);
	scratch_init(&s, &pb);
	design_init(&d, &pb);
	evaluation_init(&ev, &pb, false);
	baseline_make(&pb, BASELINE_SPREAD, 1, &d);
	eval_all(&pb, &d, &s, &ev);
	joules = (double)ev.total.energy_pj * 1e-12;
	evaluation_release(&ev);
	design_release(&d);
	scratch_release(&s);
	problem_release(&pb);
	machine_release(&machine);
	model_release(&k.m);
	return joules;
}

/* The model at the run length of the report. */
__attribute__((unused)) static void gate_scaled(struct maker *k, const struct gate_case *c,
						const struct platform *pf)
{
	double cycles = 1e9;

	for (int i = 0; i < 3; i++)
		cycles *= c->joules / gate_base_joules(c, pf, cycles);
	gate_make(k, c, cycles);
}

#endif
