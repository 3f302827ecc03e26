/* SPDX-License-Identifier: MIT */
/*
 * The block simulator on ten million blocks: figures, one a line, and with
 * --write DIR the model and block file for a run of perseus plan.  Compiled
 * by plan-sim.sh.
 */
#include <time.h>

#include "lib/fs.h"
#include "planner/sim/sim.h"
#include "planner/sim/turns.h"
#include "tests/unit/planner/small.h"

#define THREADS  8u
#define PHASES   20u /* between barriers, each as often as TURNS */
#define TURNS    25u
#define BLOCKS   10000000u
#define PER_PART (BLOCKS / (THREADS * PHASES * TURNS))

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void make_model(struct maker *k)
{
	uint32_t create, barrier, p;

	maker_init(k, "blocks");
	maker_thread(k, "main", MODEL_NONE, MODEL_NONE, 0);
	create = maker_site(k, "main", "pthread_create", 10);
	barrier = maker_site(k, "worker", "pthread_barrier_wait", 20);
	for (uint32_t i = 0; i < THREADS; i++)
		maker_thread(k, "worker", 0, create, i);
	for (p = 0; p < PHASES; p++) {
		maker_phase(k, p ? "barrier" : "create");
		k->m.phases[p].repeats = TURNS;
		for (uint32_t i = 1; i <= THREADS; i++) {
			struct model_work *w =
				maker_work(k, p, i, 2e7 + 1e6 * (double)((i * 7 + p * 3) % 11));

			w->starts = !p;
			if (!p)
				continue;
			w->enter_site = barrier;
			w->enter_visit = (p - 1) * TURNS + 1;
			w->enter_every = 1;
		}
	}
	maker_work(k, 0, 0, 1e6)->starts = true;
}

/* @every: an inner barrier behind so many blocks of all threads; 0: none. */
static void write_part(struct blocks_writer *w, struct rng *rng, uint32_t thread, uint32_t every)
{
	blocks_write_part(w, thread);
	for (uint32_t i = 0; i < PER_PART; i++) {
		blocks_write_block(w, 20000 + rng_below(rng, 60000));
		if (every && i % every == every - 1)
			blocks_write_barrier(w, 0, THREADS);
	}
}

static void make_blocks(struct strbuf *out, const struct model *m, uint32_t every)
{
	struct rng rng = rng_keyed(1, 2, 3, 4);
	struct blocks_writer w;

	blocks_write_begin(&w, m);
	for (uint32_t p = 0; p < PHASES; p++)
		for (uint32_t n = 0; n < TURNS; n++) {
			blocks_write_occurrence(&w, p, THREADS);
			for (uint32_t i = 0; i < THREADS; i++)
				write_part(&w, &rng, i, every);
		}
	blocks_write_end(&w, out);
}

static void measure(const char *name, const struct model *m, const struct platform *pf, uint32_t every,
		    bool packed)
{
	struct strbuf file = STRBUF_INIT;
	struct machine machine;
	struct problem pb;
	struct design d;
	struct blocks blocks;
	struct sim_result r = {0};
	struct sim_options o = {.blocks = &blocks, .priced = true};
	struct err err = ERR_INIT;
	double best = 1e9;

	make_blocks(&file, m, every);
	if (blocks_parse(&blocks, file.s, file.len, "bench", m, &err) || machine_init(&machine, pf, &err) ||
	    problem_init(&pb, m, &machine, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	design_init(&d, &pb);
	baseline_make(&pb, packed ? BASELINE_PACK : BASELINE_SPREAD, 1, &d);
	for (uint32_t i = 0; packed && i < pb.n_slots; i++)
		d.unit[i] %= 4;
	for (int i = 0; i < 5; i++) {
		double begin = cpu_seconds();

		if (sim_run(&pb, &d, &o, &r, &err)) {
			fprintf(stderr, "%s\n", err.msg);
			exit(1);
		}
		best = cpu_seconds() - begin < best ? cpu_seconds() - begin : best;
	}
	printf("%s %.2f\n", name, best * 1e9 / (double)r.blocks);
	design_release(&d);
	problem_release(&pb);
	machine_release(&machine);
	blocks_close(&blocks);
	strbuf_release(&file);
}

/* The floor: the same bytes read, and nothing done with them. */
static void measure_reading(const struct model *m)
{
	struct strbuf file = STRBUF_INIT;
	struct blocks blocks;
	struct err err = ERR_INIT;
	double best = 1e9;

	make_blocks(&file, m, 0);
	if (blocks_parse(&blocks, file.s, file.len, "bench", m, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	for (int i = 0; i < 5; i++) {
		struct block_cursor c = blocks_begin(&blocks);
		struct block_occurrence o;
		struct block b;
		double begin = cpu_seconds();
		uint64_t sum = 0;

		while (block_occurrence(&c, &o)) {
			int64_t work = -1;

			for (uint32_t k = 0; k < o.n_parts; k++)
				for (struct block_cursor body = block_part(&c, &work); block_next(&body, &b);)
					sum += b.value;
		}
		best = sum && cpu_seconds() - begin < best ? cpu_seconds() - begin : best;
	}
	printf("plan.sim.read_ns_per_block %.2f\n", best * 1e9 / (double)blocks.header.n_blocks);
	blocks_close(&blocks);
	strbuf_release(&file);
}

static void write_files(const struct model *m, const char *dir)
{
	struct strbuf file = STRBUF_INIT;
	struct err err = ERR_INIT;
	char path[4096];

	make_blocks(&file, m, 50);
	snprintf(path, sizeof(path), "%s/big.blocks", dir);
	if (fs_write(path, file.s, file.len, &err))
		fprintf(stderr, "%s\n", err.msg);
	snprintf(path, sizeof(path), "%s/big.yaml", dir);
	if (model_save(m, path, &err))
		fprintf(stderr, "%s\n", err.msg);
	strbuf_release(&file);
}

int main(int argc, char **argv)
{
	struct platform pf;
	struct maker k;

	if (platform_find(&pf, "xeon-e5320", NULL))
		return 1;
	make_model(&k);
	if (argc == 3 && !strcmp(argv[1], "--write")) {
		write_files(&k.m, argv[2]);
	} else {
		printf("plan.sim.bytes_per_thread %zu\n",
		       sizeof(struct turn_thread) + sizeof(struct turn_share) + sizeof(struct turn_body));
		measure_reading(&k.m);
		measure("plan.sim.ns_per_block", &k.m, &pf, 0, false);
		measure("plan.sim.barriers_ns_per_block", &k.m, &pf, 10, false);
		measure("plan.sim.turns_ns_per_block", &k.m, &pf, 10, true);
		measure("plan.sim.events_ns_per_block", &k.m, &pf, 1, false);
	}
	model_release(&k.m);
	platform_release(&pf);
	return 0;
}
