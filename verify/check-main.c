/* SPDX-License-Identifier: MIT */
/* perseus-plan-check: reads its arguments, says the verdict.  Linked from verify/ and the C library only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/bound/bound.h"
#include "verify/figures/ends.h"
#include "verify/weighed/weighed.h"

#define PLURAL(n) ((n) == 1 ? "" : "s")

static const char usage[] =
	"usage: perseus-plan-check PLAN PLATFORM [--model MODEL]... [--as NAME]\n\n"
	"Says whether PLATFORM (platform.yaml) has what PLAN (plan.yaml) asks for, and whether\n"
	"the plan's figures agree.  With MODEL (model.yaml; several in the plan's order) all of\n"
	"them are computed again.  NAME is what messages call PLATFORM.\n\n"
	"exit codes: 0 confirmed, 1 it is not, 2 usage, 4 a file cannot be judged\n";

struct check {
	const char *plan_path, *platform_path, *name, **model_path;
	size_t n_models;
	struct vplan plan;
	struct vplatform platform;
	struct vmodel *model;
	struct vcost sum[3]; /* of the baseline, the plan, the closed-form bound */
	struct bound_answer bound;
	struct findings list;
};

static void print_confirmed(const struct check *x)
{
	const struct vcost *base_sum = &x->sum[0], *sum = &x->sum[1];
	const struct vcost tight = {x->plan.bound_time, x->plan.bound_energy * 1000, 0};
	double time = (double)sum->time * 1e-9, energy = (double)sum->energy * 1e-12;
	double base = (double)base_sum->time * 1e-9, base_j = (double)base_sum->energy * 1e-12;

	if (x->n_models > 1)
		printf("inputs: %zu models, their %s\n", x->n_models, x->plan.worst ? "worst" : "mean");
	printf("confirmed as far as checked: time %.6g s", time);
	if (x->platform.energy_known)
		printf(", energy %.6g J, draw at most %.6g W; baseline (%s) %.6g s, %.6g J\n", energy,
		       (double)sum->draw * 1e-3, x->plan.baseline, base, base_j);
	else
		printf(" (the platform has no watts); baseline (%s) %.6g s\n", x->plan.baseline, base);
	ends_print(&x->plan, x->model, x->n_models, &x->platform, x->sum);
	bound_print(&x->bound, ends_saving(&x->plan, x->sum[0], x->sum[2]),
		    ends_saving(&x->plan, x->sum[0], tight));
	claims_print_unchecked(&x->plan);
}

static void check_main_print_verdict(const struct check *x, size_t misfits)
{
	size_t starts = vplan_thread_starts(&x->plan), calls = vplan_call_triggers(&x->plan);

	if (misfits)
		printf("does not fit: %zu contradiction%s between '%s' and '%s'\n", misfits, PLURAL(misfits),
		       x->plan_path, x->name);
	else
		printf("fits: %zu thread start%s, %zu call trigger%s; platform %s, %zu core%s\n", starts,
		       PLURAL(starts), calls, PLURAL(calls), x->platform.name, x->platform.n_cores,
		       PLURAL(x->platform.n_cores));
	if (x->plan.n_flushes)
		printf("not recomputed: births, cost and change of flushes (%zu)\n", x->plan.n_flushes);
	weighed_print(&x->plan, !misfits && x->n_models && !x->list.n);
	if (!misfits && x->list.n)
		printf("not confirmed: %zu difference%s\n", x->list.n, PLURAL(x->list.n));
	findings_print(&x->list);
	if (!x->n_models)
		printf("figures not recomputed: no model given\n");
	else if (!x->list.n)
		print_confirmed(x);
}

/* Does it fit, are the models the plan's, do the figures follow from them? */
static int check_main_judge(struct check *x)
{
	size_t misfits;

	feasible_check(&x->plan, &x->platform, &x->list);
	misfits = x->list.n;
	if (!misfits && x->n_models)
		weighed_claims(&x->plan, x->model, x->n_models, &x->platform, x->sum, &x->list);
	x->bound = bound_check(&x->plan, x->model, x->n_models, &x->platform, &x->list);
	check_main_print_verdict(x, misfits);
	return x->list.n ? VERDICT_DIFFERENT : VERDICT_EQUAL;
}

static int read_and_judge(struct check *x)
{
	struct fault f = {""};
	int ret = vplan_read(&x->plan, x->plan_path, &f);

	if (!ret)
		ret = vplatform_read(&x->platform, x->platform_path, &f);
	for (size_t i = 0; !ret && i < x->n_models; i++)
		ret = vmodel_read(&x->model[i], x->model_path[i], &f);
	if (ret)
		fprintf(stderr, "perseus-plan-check: %s\n", f.text);
	ret = ret ? VERDICT_UNREADABLE : check_main_judge(x);
	for (size_t i = 0; i < x->n_models; i++)
		vmodel_release(&x->model[i]);
	findings_release(&x->list);
	vplatform_release(&x->platform);
	vplan_release(&x->plan);
	return ret;
}

static int bad_arguments(const char *what, const char *word)
{
	fprintf(stderr, "perseus-plan-check: %s%s%s%s\n%s", what, word ? " '" : "", word ? word : "",
		word ? "'" : "", usage);
	return VERDICT_USAGE;
}

/* 0, or VERDICT_USAGE after saying why. */
static int read_arguments(struct check *x, int argc, char **argv)
{
	for (int i = 1; i < argc && i < 3; i++)
		if (argv[i][0] == '-')
			return bad_arguments("expected PLAN and PLATFORM first, got", argv[i]);
	if (argc < 3)
		return bad_arguments(
			argc < 2 ? "PLAN and PLATFORM are missing" : "PLATFORM is missing behind", argv[1]);
	x->plan_path = argv[1];
	x->platform_path = x->name = argv[2];
	for (int i = 3; i < argc; i += 2) {
		bool model = !strcmp(argv[i], "--model");

		if (!model && strcmp(argv[i], "--as"))
			return bad_arguments(argv[i][0] == '-' ? "unknown option" : "one too many:", argv[i]);
		if (i + 1 == argc)
			return bad_arguments(model ? "--model needs a file" : "--as needs a name", NULL);
		*(model ? &x->model_path[x->n_models++] : &x->name) = argv[i + 1];
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct check x = {.model_path = need((size_t)argc, sizeof(*x.model_path)),
			  .model = need((size_t)argc, sizeof(*x.model))};
	int ret;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return fputs(usage, stdout) < 0 ? VERDICT_UNREADABLE : VERDICT_EQUAL;
	ret = read_arguments(&x, argc, argv);
	if (!ret)
		ret = read_and_judge(&x);
	free(x.model_path);
	free(x.model);
	if (!fflush(stdout) && !ferror(stdout))
		return ret;
	fputs("perseus-plan-check: cannot write the verdict\n", stderr);
	return VERDICT_UNREADABLE;
}
