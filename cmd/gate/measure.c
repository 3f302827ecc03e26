/* SPDX-License-Identifier: MIT */
/* Base and head in turns, until the sequential test has its answer. */
#include <math.h>
#include <stdlib.h>

#include "cmd/base/cmd.h"
#include "cmd/gate/gate.h"
#include "cmd/gate/tree.h"
#include "cmd/prove/prove.h"
#include "lib/mem.h"
#include "lib/stats.h"

struct watch {
	struct sequential_plan plan;
	struct sequential_result last;
	double *block;
};

/* Asked after each round: is the question answered? */
static bool enough(const struct trial *t, void *arg)
{
	struct watch *w = arg;
	unsigned n = t->done / 2;

	if (t->done % 2 || !sequential_due(&w->plan, n))
		return false;
	trial_blocks(t, w->block);
	w->last = sequential_judge(&w->plan, w->block, n);
	return w->last.verdict != SEQUENTIAL_OPEN;
}

void gate_doubt(struct gate_finding *f, const struct gate_opts *o)
{
	double used = 100.0 * (f->foreign + f->stolen);

	if (used > o->max_load)
		strbuf_printf(
			&f->why,
			"others used %.1f %% of the machine (at most %.1f %%): measure again when it is "
			"quiet\n",
			used, o->max_load);
	if (100.0 * (f->pace.ratio - 1.0) > o->max_uneven)
		strbuf_printf(&f->why,
			      "core %u took %.2f of the time of core %u for the same work (at most %.2f): "
			      "something that cannot be seen from here uses its hardware\n",
			      f->pace.slow, f->pace.ratio, f->pace.fast, 1.0 + o->max_uneven / 100.0);
}

static void conclude(struct gate_finding *f, const struct gate_opts *o, struct trial *t,
		     const struct watch *w)
{
	f->pairs = t->done;
	f->result = w->last;
	f->verdict = w->last.verdict;
	f->foreign = t->foreign;
	f->stolen = t->stolen;
	f->pace = pace_spread(&t->pace);
	f->base_s = stats_median(t->side[0].seconds, t->done);
	f->head_s = stats_median(t->side[1].seconds, t->done);
	gate_doubt(f, o);
	if (f->why.len)
		f->verdict = SEQUENTIAL_OPEN;
	else if (f->verdict == SEQUENTIAL_OPEN)
		strbuf_printf(
			&f->why,
			"after %u pairs it may be slower by the limit, or not slower at all: more pairs "
			"(--max-pairs), more work in each run, or a larger --limit decide\n",
			f->pairs);
}

static char **with_name(const struct gate_opts *o, const char *name)
{
	size_t n = 0;
	char **argv;

	while (o->args[n])
		n++;
	argv = mem_new(n + 1, sizeof(*argv));
	for (size_t i = 1; i < n; i++)
		argv[i] = o->args[i];
	argv[0] = mem_strdup(name);
	return argv;
}

static void measure_judge(struct gate_finding *f, const struct gate_opts *o, struct trial *t,
			  const struct watch *w)
{
	if (t->received) {
		f->pairs = t->done;
		strbuf_printf(&f->why, "stopped by a signal after %u of %u pairs\n", t->done, t->rounds);
		return;
	}
	f->mismatch = prove_check_outputs("gate", o->json ? stderr : stdout, t, o->ignore_output);
	if (!f->mismatch)
		conclude(f, o, t, w);
}

int gate_measure(struct gate_finding *f, const struct gate_opts *o, const char *base, struct err *err)
{
	unsigned blocks = (unsigned)o->max_pairs / 2;
	struct watch w = {.block = mem_new(blocks, sizeof(double)), .last = {.high = INFINITY}};
	struct trial t = {
		.n_sides = 2,
		.rounds = 2 * blocks,
		.seed = o->seed,
		.compare = !o->ignore_output,
		.limit_ns = o->limit_s * 1000000000u,
		.mirrored = true,
		.vary_stack = true,
		.enough = enough,
		.arg = &w,
	};
	int ret;

	machine_read(&f->machine, "");
	f->limit = o->limit / 100.0;
	f->max_pairs = t.rounds;
	f->result.high = INFINITY;
	sequential_plan(&w.plan, f->limit, blocks);
	t.side[0] = (struct trial_side){.name = base, .argv = with_name(o, base)};
	t.side[1] = (struct trial_side){.name = o->head, .argv = with_name(o, o->head)};
	ret = trial_run(&t, err);
	if (!ret)
		measure_judge(f, o, &t, &w);
	for (int i = 0; i < 2; i++) {
		free(t.side[i].argv[0]);
		free(t.side[i].argv);
	}
	trial_release(&t);
	free(w.block);
	return ret;
}

int gate_measure_revision(struct gate_finding *f, const struct gate_opts *o, struct err *err)
{
	struct gate_tree tree = {NULL};
	int ret = gate_tree_make(&tree, o->revision, o->build, o->head, err);

	f->base = o->revision;
	if (!ret)
		ret = gate_measure(f, o, tree.base, err);
	gate_tree_remove(&tree);
	return ret;
}
