/* SPDX-License-Identifier: MIT */
/* perseus predict: how long will it take?  See perseus-predict(1). */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/predict/predict.h"

extern const struct cmd cmd_predict;

#define SMALLEST 256.0 /* the target over the smallest size, where --least does not say it */

static int predict_parse(struct predict_opts *o, int argc, char **argv)
{
	bool measures = argc > 1 && !strcmp(argv[1], "measure");
	const struct option_row rows[] = {
		OPTION_LIST(0, "target", &o->target),
		OPTION_LIST(0, "least", &o->from),
		OPTION_REAL("budget", &o->budget, 0.01, 1000, "percent"),
		OPTION_TEXT(0, "figure", &o->figure),
		OPTION_TEXT(0, "counted", &o->count),
		OPTION_FLAG(0, "cpu", &o->cpu),
		OPTION_LIST(0, "appears", &o->appears),
		OPTION_LIST(0, "level", &o->level),
		OPTION_LIST(0, "converged", &o->converged),
		OPTION_TEXT(0, "reduce", &o->reduce),
		OPTION_TEXT(0, "features", &o->features),
		OPTION_COUNT("timeout", &o->timeout_s, 1, 1000000, "seconds"),
		OPTION_TEXT(0, "log", &o->log),
		OPTION_TEXT(0, "history", &o->history),
		OPTION_FLAG(0, "run", &o->run),
		OPTION_FLAG(0, "stream", &o->stream),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_END,
	};
	int status = option_read(&cmd_predict, rows, argc - measures, argv + measures,
				 measures ? OPTION_PROGRAM : OPTION_OPERANDS);
	char **words = argv + measures + optind;

	if (status)
		return status;
	if (!o->target.n)
		return cmd_usage(&cmd_predict, "of which size?\n  --target=NAME=VALUE says it");
	if (!measures && !strcmp(*words ? *words : "", "measure"))
		return cmd_usage(&cmd_predict, "'measure' stands before all options");
	if (!measures && *words)
		return cmd_usage(&cmd_predict,
				 "unexpected argument '%s'\n  'measure' in front of all runs a task", *words);
	if (!measures && !o->log)
		return cmd_usage(&cmd_predict,
				 "from which probes?\n  --log=FILE has them, 'measure' makes them");
	if (!measures && (o->history || o->run))
		return cmd_usage(&cmd_predict, "--%s needs 'measure'", o->run ? "run" : "history");
	if (measures && !*words)
		return cmd_usage(&cmd_predict, "the task to run is missing");
	if (o->figure && o->cpu)
		return cmd_usage(&cmd_predict, "--cpu is another time, and --figure is none");
	o->args = measures ? words : NULL;
	return 0;
}

/* The smallest sizes: of --least, or a part of the target. */
static int predict_from(const struct predict_opts *o, const struct predict_values *target,
			struct next_plan *plan)
{
	struct predict_values from;
	int status = predict_values(&cmd_predict, "least", &o->from, &from);

	*plan = (struct next_plan){.params = target->n, .share = o->budget / 100};
	for (size_t j = 0; j < target->n; j++) {
		plan->target[j] = target->value[j];
		plan->from[j] = fmin(fmax(ceil(target->value[j] / SMALLEST), 2), target->value[j]);
	}
	for (size_t i = 0; !status && i < from.n; i++) {
		size_t j = 0;

		while (j < target->n &&
		       (target->len[j] != from.len[i] || strncmp(target->name[j], from.name[i], from.len[i])))
			j++;
		if (j == target->n)
			return cmd_usage(&cmd_predict, "--least=%s: --target names no such parameter",
					 from.name[i]);
		if (from.value[i] >= target->value[j])
			return cmd_usage(&cmd_predict, "--least=%s: it has to be smaller than the target's",
					 from.name[i]);
		plan->from[j] = from.value[i];
	}
	return status;
}

/* What the log has, for the parameters that it names. */
static int predict_by_log(const struct predict_opts *o, const struct predict_values *target)
{
	struct probes probes = VEC_INIT;
	double at[GROWTH_PARAMS] = {0};
	struct judgement judged = {0};
	struct err err = ERR_INIT;
	struct task t;
	int ret = probe_log_read(o->log, &t, &probes, &err), status = 0;

	for (size_t j = 0; !ret && j < t.params; j++) {
		for (size_t i = 0; i < target->n; i++)
			if (strlen(t.name[j]) == target->len[i] &&
			    !strncmp(t.name[j], target->name[i], target->len[i]))
				at[j] = target->value[i];
		if (at[j] < 1)
			ret = err_set(&err, -EINVAL,
				      "--target does not say what '%s' is, a parameter of '%s'", t.name[j],
				      o->log);
	}
	if (!ret && target->n != t.params)
		ret = err_set(&err, -EINVAL, "--target names a parameter that '%s' does not have", o->log);
	if (!ret)
		ret = probe_judge(&judged, &t, &probes, at, &err);
	if (!ret)
		status = predict_show(
			&(struct predict_finding){.task = &t, .probes = probes, .target = at, .j = &judged},
			o->json ? predict_json : predict_text);
	else
		status = cmd_fail(&cmd_predict, &err, cmd_status(&err));
	judgement_release(&judged);
	task_release(&t);
	vec_release(&probes);
	return status;
}

static int cmd_predict_run(int argc, char **argv)
{
	struct predict_opts o = {.budget = 5, .timeout_s = 3600};
	struct predict_values target;
	struct next_plan plan;
	int status = predict_parse(&o, argc, argv);

	if (!status)
		status = predict_values(&cmd_predict, "target", &o.target, &target);
	if (!status && o.args)
		status = predict_names(&cmd_predict, &o, &target);
	if (!status)
		status = o.args ? predict_from(&o, &target, &plan) : predict_by_log(&o, &target);
	if (!status && o.args)
		status = predict_by_probes(&cmd_predict, &o, &target, &plan);
	vec_release(&o.target);
	vec_release(&o.from);
	vec_release(&o.appears);
	vec_release(&o.level);
	vec_release(&o.converged);
	return status;
}

const struct cmd cmd_predict = {
	.name = "predict",
	.summary = "say how long a program will take, from small runs of it",
	.reads = "a program, or a log of probes",
	.writes = "a log",
	.usage =
		"usage: perseus predict measure --target=NAME=VALUE [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
		"       perseus predict --log=FILE --target=NAME=VALUE [OPTION...]\n\n"
		"Runs the program with smaller parameters, {NAME} in its arguments, as long as the budget\n"
		"lasts, and says what the target takes, with an interval; or that there is no prediction, "
		"and\n"
		"why.  Without 'measure' it is the log alone that says it.\n\n"
		"  --target=NAME=VALUE  a parameter, and what it is when it counts; several are allowed\n"
		"  --least=NAME=VALUE its smallest size (default a 256th of the target, at least 2)\n"
		"  --budget=PERCENT  of the predicted figure that all probes may take (default 5)\n"
		"  --figure=NAME     not the time, but what the program prints as `NAME VALUE`\n"
		"  --counted=NAME    model this figure first and time by it; 'instructions' counts\n"
		"                    them, and is the default where they are counted; 'none'\n"
		"  --cpu             CPU time, not wall-clock time\n"
		"  --appears=NAME    refuse if this figure is 0 in some probes and not in others\n"
		"  --level=NAME:LIMIT  refuse if this figure may pass LIMIT between probes and target;\n"
		"                    'cache' is the size of the largest cache\n"
		"  --converged=NAME  refuse if this figure is 0 in a probe\n"
		"  --reduce=COMMAND  makes the small input before each probe, by sh\n"
		"  --features=NAMES:COMMAND  further parameters, which COMMAND prints of an input\n"
		"  --timeout=S       kill a probe after S seconds (default 3600)\n"
		"  --log=FILE        keep each probe; go on with those that are there\n"
		"  --history=FOLDER  finished tasks with other inputs: if five ran the target, by them; its\n"
		"                    own log is kept there, too\n"
		"  --run             then run the target as well, and keep what it takes\n"
		"  --stream          a line after each probe: the prediction so far\n"
		"  --json            the result as JSON, schema 1\n\n"
		"Exit status: 0 there is a prediction; 2 usage; 3 this machine cannot; 4 a probe fails, or\n"
		"the log is wrong; 5 no prediction; 128 + N stopped by signal N.\n",
	.run = cmd_predict_run,
	.executes = true,
};
