/* SPDX-License-Identifier: MIT */
/* perseus prove: does program B take less time than program A?  See perseus-prove(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/prove/prove.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/stats.h"

#define RESAMPLES 10000

extern const struct cmd cmd_prove;

static int take_args(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct prove_opts *o = to;

	(void)cmd, (void)name;
	free(o->text);
	o->args.n = 0;
	o->text = mem_strdup(value);
	for (char *word = strtok(o->text, " \t\n"); word; word = strtok(NULL, " \t\n"))
		vec_push(&o->args, word);
	return 0;
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

static int prove_parse(struct prove_opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_COUNT("pairs", &o->pairs, 5, 100000, NULL),
		OPTION_COUNT("seed", &o->seed, 0, UINT64_MAX, NULL),
		OPTION_REAL("expect-ratio", &o->expect, 0.01, 100, NULL),
		OPTION_REAL("max-load", &o->max_load, 0, 100, "percent"),
		OPTION_COUNT("timeout", &o->limit_s, 1, 1000000, "seconds"),
		OPTION_CALL("args", take_args, o),
		OPTION_TEXT(0, "pad", &o->pad),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_FLAG(0, "ignore-output", &o->ignore_output),
		OPTION_REAL("max-uneven", &o->max_uneven, 0, 1000, "percent"),
		OPTION_TEXT(0, "html", &o->html),
		OPTION_LIST(0, "attach", &o->attached),
		OPTION_END,
	};
	int n, status;

	o->command = command_of(argc, argv);
	status = option_read(&cmd_prove, rows, argc, argv, OPTION_OPERANDS);
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
static int prove_write_page(const struct prove_finding *f, const struct trial *t, const struct prove_opts *o)
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

static void prove_print_json(const struct prove_finding *f, const struct trial *t, const struct prove_opts *o)
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
	ret = o->html ? prove_write_page(&f, t, o) : 0;
	if (o->json)
		prove_print_json(&f, t, o);
	else
		prove_print(&f, t, o);
	if (ret)
		return ret;
	return f.verdict == PAIRED_BELOW   ? CMD_OK
	       : f.verdict == PAIRED_ABOVE ? CMD_FINDINGS
					   : CMD_INCONCLUSIVE;
}

static int prove_run(int argc, char **argv)
{
	struct prove_opts o = {.pairs = 20, .seed = 1, .expect = 1.0, .max_load = 5.0, .max_uneven = 10.0};
	struct err err = ERR_INIT;
	int ret = prove_parse(&o, argc, argv);
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
	.run = prove_run,
	.executes = true,
};
