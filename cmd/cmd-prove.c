/* SPDX-License-Identifier: MIT */
/* perseus prove: does program B take less time than program A?  See perseus-prove(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "cmd/prove/prove.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/spawn/child.h"
#include "lib/stats.h"

#define RESAMPLES 10000

extern const struct cmd cmd_prove;

static void split_words(struct prove_opts *o, const char *text)
{
	o->text = mem_strdup(text);
	for (char *word = strtok(o->text, " \t\n"); word; word = strtok(NULL, " \t\n"))
		vec_push(&o->args, word);
}

static int parse_option(struct prove_opts *o, int c, char **argv)
{
	switch (c) {
	case 'n':
		if (num_u64(optarg, 5, 100000, &o->pairs))
			return cmd_usage(&cmd_prove, "--pairs=%s: expected 5 to 100000", optarg);
		return 0;
	case 's':
		if (num_u64(optarg, 0, UINT64_MAX, &o->seed))
			return cmd_usage(&cmd_prove, "--seed=%s: expected a number", optarg);
		return 0;
	case 'e':
		if (num_double(optarg, 0.01, 100.0, &o->expect))
			return cmd_usage(&cmd_prove, "--expect-ratio=%s: expected 0.01 to 100", optarg);
		return 0;
	case 'l':
		if (num_double(optarg, 0.0, 100.0, &o->max_load))
			return cmd_usage(&cmd_prove, "--max-load=%s: expected 0 to 100 (percent)", optarg);
		return 0;
	case 'u':
		if (num_double(optarg, 0.0, 1000.0, &o->max_uneven))
			return cmd_usage(&cmd_prove, "--max-uneven=%s: expected 0 to 1000 (percent)", optarg);
		return 0;
	case 't':
		if (num_u64(optarg, 1, 1000000, &o->limit_s))
			return cmd_usage(&cmd_prove, "--timeout=%s: expected 1 to 1000000 seconds", optarg);
		return 0;
	case 'a':
		split_words(o, optarg);
		return 0;
	case 'p':
		o->pad = optarg;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'i':
		o->ignore_output = true;
		return 0;
	default:
		return cmd_bad_option(&cmd_prove, c, argv);
	}
}

static int parse(struct prove_opts *o, int argc, char **argv)
{
	static const struct option options[] = {
		{"pairs", required_argument, NULL, 'n'},
		{"seed", required_argument, NULL, 's'},
		{"expect-ratio", required_argument, NULL, 'e'},
		{"max-load", required_argument, NULL, 'l'},
		{"timeout", required_argument, NULL, 't'},
		{"args", required_argument, NULL, 'a'},
		{"pad", required_argument, NULL, 'p'},
		{"json", no_argument, NULL, 'j'},
		{"ignore-output", no_argument, NULL, 'i'},
		{"max-uneven", required_argument, NULL, 'u'},
		{NULL, 0, NULL, 0},
	};
	int c, n, status = 0;

	opterr = 0;
	while (!status && (c = getopt_long(argc, argv, ":", options, NULL)) != -1)
		status = parse_option(o, c, argv);
	if (status)
		return status;
	/* getopt has moved the operands behind the options; `--` parts A B from the arguments. */
	for (n = optind; n < argc && n < optind + 2; n++)
		*(n == optind ? &o->a : &o->b) = argv[n];
	if (!o->b)
		return cmd_usage(&cmd_prove, "two programs are needed, A and B");
	for (; n < argc; n++)
		vec_push(&o->args, argv[n]);
	return 0;
}

static char **make_argv(const struct prove_opts *o, const char *name)
{
	char **argv = mem_new(o->args.n + 2, sizeof(*argv));

	argv[0] = mem_strdup(name);
	for (size_t i = 0; i < o->args.n; i++)
		argv[i + 1] = o->args.at[i];
	return argv;
}

static void set_up(struct trial *t, const struct prove_opts *o)
{
	const char *names[TRIAL_SIDES] = {o->a, o->b, o->pad};

	*t = (struct trial){
		.n_sides = o->pad ? 3 : 2,
		.rounds = (unsigned)o->pairs,
		.seed = o->seed,
		.compare = !o->ignore_output,
		.limit_ns = o->limit_s * 1000000000u,
	};
	for (unsigned i = 0; i < t->n_sides; i++) {
		t->side[i].name = names[i];
		t->side[i].argv = make_argv(o, names[i]);
	}
}

static void tear_down(struct trial *t)
{
	for (unsigned i = 0; i < t->n_sides; i++) {
		free(t->side[i].argv[0]);
		free(t->side[i].argv);
	}
	trial_release(t);
}

/* The median number of instructions of @s against A's. */
static double instruction_ratio(const struct trial *t)
{
	const struct trial_side *a = &t->side[0], *b = &t->side[1];
	double low;

	if (!a->instructions || !b->instructions)
		return 0.0;
	low = stats_median(a->instructions, t->done);
	return low > 0 ? stats_median(b->instructions, t->done) / low : 0.0;
}

static void evaluate(struct prove_finding *f, struct trial *t, const struct prove_opts *o)
{
	f->time = paired_ratio(t->side[0].seconds, t->side[1].seconds, t->done, RESAMPLES, t->seed);
	if (o->pad)
		f->pad = paired_ratio(t->side[0].seconds, t->side[2].seconds, t->done, RESAMPLES, t->seed);
	f->instructions = instruction_ratio(t);
	f->loaded = 100.0 * (t->foreign + t->stolen) > o->max_load;
	f->pace = pace_spread(&t->pace);
	f->uneven = 100.0 * (f->pace.ratio - 1.0) > o->max_uneven;
	f->verdict = f->loaded || f->uneven ? PAIRED_OPEN : paired_judge(&f->time, o->expect);
}

/* A program that fails, or whose results differ, proves nothing.  0 or an exit status. */
static int check_outputs(const struct trial *t, const struct prove_opts *o)
{
	const struct trial_side *a = &t->side[0];

	for (unsigned i = 0; i < t->n_sides; i++)
		if (!t->side[i].steady && !o->ignore_output) {
			cmd_say(stderr,
				"perseus prove: the output of '%s' differs from run to run, so it cannot be "
				"compared\n  --ignore-output measures without comparing\n",
				t->side[i].name);
			return CMD_DATA;
		}
	if (a->status) {
		cmd_say(stderr, "perseus prove: '%s' ends with status %d, expected 0\n", a->name,
			child_exit_status(a->status));
		return CMD_DATA;
	}
	for (unsigned i = 1; i < t->n_sides; i++) {
		const struct trial_side *b = &t->side[i];

		if (o->ignore_output ? a->status == b->status : !strcmp(a->output, b->output))
			continue;
		cmd_print("mismatch: %s and %s %s\n", a->name, b->name,
			  a->status != b->status ? "end with different status" : "print different results");
		cmd_print("  a program that computes something else is not an improvement\n");
		return CMD_FINDINGS;
	}
	return 0;
}

static int conclude(struct trial *t, const struct prove_opts *o)
{
	struct prove_finding f = {.machine = o->machine};
	int ret;

	if (t->received) {
		cmd_print("inconclusive: stopped by a signal after %u of %u pairs\n", t->done, t->rounds);
		return CMD_INCONCLUSIVE;
	}
	ret = check_outputs(t, o);
	if (ret)
		return ret;
	evaluate(&f, t, o);
	if (o->json)
		prove_print_json(&f, t, o);
	else
		prove_print(&f, t, o);
	return f.verdict == PAIRED_BELOW   ? CMD_OK
	       : f.verdict == PAIRED_ABOVE ? CMD_FINDINGS
					   : CMD_INCONCLUSIVE;
}

static int run(int argc, char **argv)
{
	struct prove_opts o = {.pairs = 20, .seed = 1, .expect = 1.0, .max_load = 5.0, .max_uneven = 10.0};
	struct err err = ERR_INIT;
	int ret = parse(&o, argc, argv);
	struct trial t;

	if (ret)
		goto free_opts;
	machine_read(&o.machine, "");
	set_up(&t, &o);
	if (trial_run(&t, &err))
		ret = cmd_fail(&cmd_prove, &err, cmd_status(&err));
	else
		ret = conclude(&t, &o);
	tear_down(&t);
free_opts:
	vec_release(&o.args);
	free(o.text);
	return ret;
}

const struct cmd cmd_prove = {
	.name = "prove",
	.summary = "measure two builds in pairs: is the second one faster?",
	.reads = "two programs",
	.usage = "usage: perseus prove [OPTION...] A B [-- ARGUMENT...]\n\n"
		 "Runs programs A and B in pairs, in random order within a pair, compares what they\n"
		 "print, and gives the median ratio of their run times with a 95 % interval from a\n"
		 "paired bootstrap.  The number of pairs is fixed beforehand.\n\n"
		 "  --pairs=N         number of pairs (default 20)\n"
		 "  --seed=N          of the order and the bootstrap (default 1)\n"
		 "  --args='WORDS'    arguments for both programs, split at blanks\n"
		 "  --pad=PROGRAM     measure one more program, for instance with padded data\n"
		 "  --expect-ratio=R  proven if the whole interval is below R (default 1)\n"
		 "  --max-load=P      percent of the machine that others may use (default 5)\n"
		 "  --max-uneven=P    percent that a core may take longer than its equals (default 10)\n"
		 "  --timeout=S       kill a run after S seconds\n"
		 "  --ignore-output   do not compare what the programs print\n"
		 "  --json            the result as JSON, schema 1\n\n"
		 "Exit status: 0 proven, 1 refuted or different output, 4 a program fails or its\n"
		 "output varies, 5 inconclusive: the interval holds R, the machine was not quiet, or its\n"
		 "cores did not run at an equal pace.\n",
	.run = run,
};
