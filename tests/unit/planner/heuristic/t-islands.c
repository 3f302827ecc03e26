/* SPDX-License-Identifier: MIT */
/* Islands: one result for any number of threads and processes; children are evaluated as if from nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "planner/heuristic/islands.h"
#include "planner/heuristic/tasks.h"
#include "tests/unit/planner/small.h"

struct world {
	struct platform pf;
	struct maker k;
	struct machine machine;
	struct problem pb;
};

static void world_init(struct world *w, uint64_t seed, enum clocks clocks)
{
	struct rng rng = rng_keyed(seed, 7, 0, 0);
	struct err err = ERR_INIT;

	small_platform(&w->pf, 2, 2, 2, 3, clocks);
	small_model(&w->k, &rng, 6, 4, 5);
	assert_int_equal(machine_init(&w->machine, &w->pf, &err), 0);
	assert_int_equal(problem_init(&w->pb, &w->k.m, &w->machine, &err), 0);
}

static void world_release(struct world *w)
{
	problem_release(&w->pb);
	machine_release(&w->machine);
	model_release(&w->k.m);
	platform_release(&w->pf);
}

static void draw_all(const struct genome *g, struct design *d, struct rng *rng)
{
	for (uint32_t i = 0; i < g->n; i++)
		genome_draw(g, d, i, rng);
}

/* ---- evaluation ---- */

static bool same_costs(const struct problem *pb, const struct evaluation *a, const struct evaluation *b)
{
	return !memcmp(&a->total, &b->total, sizeof(a->total)) &&
	       !memcmp(a->phase, b->phase, pb->n_phases * sizeof(*a->phase)) &&
	       !memcmp(a->edge, b->edge, pb->n_edges * sizeof(*a->edge));
}

/* A child of two drawn designs, with @own genes of its own. */
static uint64_t check_child(const struct world *w, struct genome *g, struct scratch *s, uint32_t own,
			    uint64_t seed)
{
	struct individual it[3];
	struct evaluation whole;
	struct rng rng = rng_keyed(seed, own, 1, 0);
	uint64_t evaluated;

	for (int i = 0; i < 3; i++) {
		individual_init(&it[i], &w->pb);
		draw_all(g, &it[i].d, &rng);
		eval_all(&w->pb, &it[i].d, s, &it[i].ev);
	}
	design_copy(&it[2].d, &it[0].d, &w->pb);
	for (uint32_t i = (uint32_t)rng_below(&rng, g->n); i < g->n; i++)
		genome_copy(g, &it[2].d, &it[1].d, i);
	for (uint32_t i = 0; i < own; i++)
		genome_draw(g, &it[2].d, (uint32_t)rng_below(&rng, g->n), &rng);
	evaluated = genome_derive(g, &it[2], &it[0], &it[1], s);
	evaluation_init(&whole, &w->pb, true);
	eval_all(&w->pb, &it[2].d, s, &whole);
	assert_true(same_costs(&w->pb, &it[2].ev, &whole));
	evaluation_release(&whole);
	for (int i = 0; i < 3; i++)
		individual_release(&it[i]);
	return evaluated;
}

static void a_child_costs_what_its_genes_cost_whoever_they_come_from(void **state)
{
	uint64_t evaluated = 0, n = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct genome g;
		struct scratch s;
		struct world w;

		world_init(&w, seed, (enum clocks)(seed % CLOCKS));
		genome_init(&g, &w.pb);
		scratch_init(&s, &w.pb);
		for (uint64_t i = 0; i < 50; i++) {
			evaluated += check_child(&w, &g, &s, (uint32_t)(i % 3), seed * 100 + i);
			n += w.pb.n_phases;
		}
		scratch_release(&s);
		genome_release(&g);
		world_release(&w);
	}
	/* Some is taken over: else the copying would be for nothing. */
	assert_true(evaluated < n);
}

static void a_phase_that_no_parent_has_is_not_taken_over(void **state)
{
	struct genome g;
	struct scratch s;
	struct world w;
	struct individual mother, child;

	(void)state;
	world_init(&w, 3, CLOCK_CORE);
	genome_init(&g, &w.pb);
	scratch_init(&s, &w.pb);
	individual_init(&mother, &w.pb);
	individual_init(&child, &w.pb);
	eval_all(&w.pb, &mother.d, &s, &mother.ev);
	individual_copy(&child, &mother, &w.pb);
	assert_int_equal(genome_derive(&g, &child, &mother, NULL, &s), 0);
	child.d.unit[g.slot[0]] = 1;
	assert_true(genome_derive(&g, &child, &mother, NULL, &s) > 0);
	assert_int_equal(genome_distance(&g, &child.d, &mother.d), 1);
	individual_release(&mother);
	individual_release(&child);
	scratch_release(&s);
	genome_release(&g);
	world_release(&w);
}

/* ---- one result ---- */

struct reached {
	struct islands_state state;
	uint8_t *genes;
	size_t bytes;
	char *log;
};

static void outcome_release(struct reached *o)
{
	free(o->genes);
	free(o->log);
}

static bool same_outcome(const struct reached *a, const struct reached *b)
{
	return !memcmp(&a->state.best, &b->state.best, sizeof(a->state.best)) &&
	       !memcmp(&a->state.counts, &b->state.counts, sizeof(a->state.counts)) &&
	       !memcmp(a->genes, b->genes, a->bytes) && !strcmp(a->log, b->log);
}

static void log_epoch(void *ctx, const struct islands_state *now)
{
	struct strbuf *log = ctx;

	strbuf_printf(log, "%u %lu %lu %lu\n", now->epoch, (unsigned long)now->counts.work,
		      (unsigned long)now->best.energy_pj, (unsigned long)now->counts.diversity);
}

static struct reached search(const struct problem *pb, uint64_t seed, uint32_t threads,
			     const struct ranks *ranks, bool (*stop)(void *ctx))
{
	struct strbuf log = STRBUF_INIT;
	const struct islands_options o = {.goal.objective = PLAN_ENERGY,
					  .seed = seed,
					  .max_work = 400000,
					  .threads = threads,
					  .ranks = ranks,
					  .stop = stop,
					  .epoch = log_epoch,
					  .ctx = &log};
	struct reached out = {.bytes = genome_bytes(pb)};
	struct design d;

	design_init(&d, pb);
	islands_search(pb, &o, &d, &out.state);
	out.genes = mem_new(out.bytes, 1);
	genome_pack(pb, &d, out.genes);
	out.log = strbuf_detach(&log);
	design_release(&d);
	return out;
}

static void any_number_of_threads_gives_one_result(void **state)
{
	struct reached one, other;
	struct world w;

	(void)state;
	world_init(&w, 1, CLOCK_GROUP);
	one = search(&w.pb, 5, 1, NULL, NULL);
	for (uint32_t threads = 2; threads <= 16; threads *= 2) {
		struct reached many = search(&w.pb, 5, threads, NULL, NULL);

		assert_true(same_outcome(&one, &many));
		outcome_release(&many);
	}
	other = search(&w.pb, 6, 1, NULL, NULL);
	assert_string_not_equal(one.log, other.log);
	outcome_release(&one);
	outcome_release(&other);
	world_release(&w);
}

/* Processes that are threads: a board and a barrier instead of messages. */
struct board {
	pthread_barrier_t barrier;
	uint8_t *bytes;
};

struct process {
	const struct problem *pb;
	struct board *board;
	struct ranks ranks;
	bool (*stop)(void *ctx);
	struct reached out;
	pthread_t id;
};

static void gather(void *ctx, const void *mine, void *all, size_t bytes)
{
	struct process *p = ctx;

	memcpy(p->board->bytes + p->ranks.rank * bytes, mine, bytes);
	pthread_barrier_wait(&p->board->barrier);
	memcpy(all, p->board->bytes, p->ranks.size * bytes);
	pthread_barrier_wait(&p->board->barrier);
}

static void *process_main(void *arg)
{
	struct process *p = arg;

	p->out = search(p->pb, 5, 2, &p->ranks, p->stop);
	return NULL;
}

/* Run @n processes; @stop is asked by the last one only. */
static void run_processes(struct process *p, uint32_t n, const struct problem *pb, bool (*stop)(void *ctx))
{
	struct board board = {.bytes = mem_new(1, 1 << 20)};

	pthread_barrier_init(&board.barrier, NULL, n);
	for (uint32_t i = 0; i < n; i++) {
		p[i] = (struct process){.pb = pb, .board = &board, .stop = i + 1 == n ? stop : NULL};
		p[i].ranks = (struct ranks){i, n, gather, &p[i]};
		assert_int_equal(pthread_create(&p[i].id, NULL, process_main, &p[i]), 0);
	}
	for (uint32_t i = 0; i < n; i++)
		pthread_join(p[i].id, NULL);
	pthread_barrier_destroy(&board.barrier);
	free(board.bytes);
}

static void any_number_of_processes_gives_one_result_to_all(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 4, 20};
	struct reached one;
	struct world w;

	(void)state;
	world_init(&w, 1, CLOCK_GROUP);
	one = search(&w.pb, 5, 1, NULL, NULL);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct process p[20];

		run_processes(p, sizes[i], &w.pb, NULL);
		for (uint32_t k = 0; k < sizes[i]; k++) {
			assert_true(same_outcome(&one, &p[k].out));
			outcome_release(&p[k].out);
		}
	}
	outcome_release(&one);
	world_release(&w);
}

static bool always(void *ctx)
{
	(void)ctx;
	return true;
}

static void an_interruption_of_one_process_ends_all_of_them(void **state)
{
	struct process p[3];
	struct world w;

	(void)state;
	world_init(&w, 1, CLOCK_GROUP);
	run_processes(p, 3, &w.pb, always);
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(p[i].out.state.stopped);
		assert_int_equal(p[i].out.state.epoch, 1);
		assert_memory_equal(p[i].out.genes, p[0].out.genes, p[0].out.bytes);
	}
	for (uint32_t i = 0; i < 3; i++)
		outcome_release(&p[i].out);
	world_release(&w);
}

static void the_result_is_never_worse_than_the_start(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		const struct islands_options o = {
			.goal.objective = PLAN_TIME, .seed = seed, .max_work = 2000 << seed, .threads = 1};
		struct islands_state end;
		struct individual it;
		struct scratch s;
		struct genome g;
		struct world w;
		struct rng rng = rng_keyed(seed, 0, 0, 0);
		uint64_t before;

		world_init(&w, seed, CLOCK_PACKAGE);
		genome_init(&g, &w.pb);
		scratch_init(&s, &w.pb);
		individual_init(&it, &w.pb);
		draw_all(&g, &it.d, &rng);
		eval_all(&w.pb, &it.d, &s, &it.ev);
		before = it.ev.total.time_ns;
		islands_search(&w.pb, &o, &it.d, &end);
		eval_all(&w.pb, &it.d, &s, &it.ev);
		assert_true(it.ev.total.time_ns <= before);
		assert_int_equal(it.ev.total.time_ns, end.best.time_ns);
		individual_release(&it);
		scratch_release(&s);
		genome_release(&g);
		world_release(&w);
	}
}

/* ---- tasks ---- */

static void add_one(void *ctx, uint32_t i)
{
	uint32_t *done = ctx;

	done[i]++;
}

static void each_task_is_done_once(void **state)
{
	(void)state;
	for (uint32_t threads = 1; threads < 2000; threads = threads * 3 + 1) {
		uint32_t done[100] = {0};

		tasks_run(threads, 100, add_one, done);
		for (uint32_t i = 0; i < 100; i++)
			assert_int_equal(done[i], 1);
	}
	tasks_run(4, 0, add_one, NULL);
	assert_true(tasks_processors() > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_costs_what_its_genes_cost_whoever_they_come_from),
		cmocka_unit_test(a_phase_that_no_parent_has_is_not_taken_over),
		cmocka_unit_test(any_number_of_threads_gives_one_result),
		cmocka_unit_test(any_number_of_processes_gives_one_result_to_all),
		cmocka_unit_test(an_interruption_of_one_process_ends_all_of_them),
		cmocka_unit_test(the_result_is_never_worse_than_the_start),
		cmocka_unit_test(each_task_is_done_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
