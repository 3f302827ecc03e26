/* SPDX-License-Identifier: MIT */
/* perseus prove: does program B take less time than program A?  See perseus-prove(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "cmd/prove/prove.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
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
	case 'H':
		o->html = optarg;
		return 0;
	case 'A':
		vec_push(&o->attached, optarg);
		return 0;
	default:
		return cmd_bad_option(&cmd_prove, c, argv);
	}
}

static char *command_of(int argc, char **argv)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, "perseus");
	for (int i = 0; i < argc; i++) {
		strbuf_puts(&sb, " ");
		strbuf_word(&sb, argv[i]);
	}
	return strbuf_detach(&sb);
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
		{"html", required_argument, NULL, 'H'},
		{"attach", required_argument, NULL, 'A'},
		{NULL, 0, NULL, 0},
	};
	int c, n, status = 0;

	o->command = command_of(argc, argv);
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

/* The page of the proof, an exit status; before the result is printed, which sorts the times. */
static int write_page(const struct prove_finding *f, const struct trial *t, const struct prove_opts *o)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	int status = CMD_OK;

	if (prove_page(f, t, o, &out, &err))
		status = cmd_fail(&cmd_prove, &err, cmd_status(&err));
	else if (fs_write(o->html, out.s, out.len, &err))
		status = cmd_fail(&cmd_prove, &err, cmd_write_status(&err));
	strbuf_release(&out);
	return status;
}

static void print_json(const struct prove_finding *f, const struct trial *t, const struct prove_opts *o)
{
	struct strbuf out = STRBUF_INIT;

	prove_json(f, t, o, &out);
	cmd_put(stdout, out.s);
	strbuf_release(&out);
}

static int conclude(struct trial *t, const struct prove_opts *o)
{
	struct prove_finding f = {.machine = o->machine};
	int ret;

	if (t->received) {
		cmd_print("inconclusive: stopped by a signal after %u of %u pairs\n", t->done, t->rounds);
		return CMD_INCONCLUSIVE;
	}
	ret = prove_check_outputs("prove", stdout, t, o->ignore_output);
	if (ret)
		return ret;
	evaluate(&f, t, o);
	ret = o->html ? write_page(&f, t, o) : 0;
	if (o->json)
		print_json(&f, t, o);
	else
		prove_print(&f, t, o);
	if (ret)
		return ret;
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
	vec_release(&o.attached);
	free(o.text);
	free(o.command);
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
		 "  --html=FILE       the result as a page too, with hashes of both programs\n"
		 "  --attach=FILE     name and show FILE in it, for instance the plan or the patch\n"
		 "  --json            the result as JSON, schema 1\n\n"
		 "Exit status: 0 proven, 1 refuted or different output, 4 a program fails or its\n"
		 "output varies, 5 inconclusive: the interval holds R, the machine was not quiet, or its\n"
		 "cores did not run at an equal pace.\n",
	.run = run,
	.executes = true,
};
