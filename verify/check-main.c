/* SPDX-License-Identifier: MIT */
/*
 * perseus-plan-check PLAN PLATFORM [--model MODEL] [--as NAME]
 *
 * Says whether a platform has what a plan asks of it, whether the plan's
 * figures agree with each other and, given the model, whether they are those
 * that follow from it.  Linked from verify/ and the C library only.
 */
#include <stdio.h>
#include <string.h>

#include "verify/feasible.h"
#include "verify/recompute.h"

static const char usage[] =
	"usage: perseus-plan-check PLAN PLATFORM [--model MODEL] [--as NAME]\n\n"
	"Says whether PLATFORM (a platform.yaml) has the cores, frequency domains and steps\n"
	"that PLAN (a plan.yaml) asks for, and whether the plan's figures agree: its\n"
	"objective no worse than the baseline's and not below the bound.  With MODEL (the\n"
	"model.yaml that it was made from) all figures are computed again.  NAME is what\n"
	"messages call PLATFORM.\n\n"
	"exit codes: 0 confirmed, 1 it is not, 2 usage, 4 a file cannot be judged\n";

struct check {
	const char *plan_path, *platform_path, *model_path, *name;
	struct vplan plan;
	struct vplatform platform;
	struct vmodel model;
	struct result result;
	struct findings list;
};

static void print_fits(const struct check *x)
{
	size_t starts = vplan_thread_starts(&x->plan), calls = vplan_call_triggers(&x->plan);

	printf("fits: %zu thread start%s, %zu call trigger%s; platform %s, %zu core%s\n", starts,
	       starts == 1 ? "" : "s", calls, calls == 1 ? "" : "s", x->platform.name, x->platform.n_cores,
	       x->platform.n_cores == 1 ? "" : "s");
}

/* The figure that the objective names. */
static double figure(const struct vplan *p, const struct vcost *c)
{
	if (!strcmp(p->objective, "edp"))
		return (double)c->energy * (double)c->time;
	return !strcmp(p->objective, "power")  ? (double)c->draw
	       : !strcmp(p->objective, "time") ? (double)c->time
					       : (double)c->energy;
}

static void print_confirmed(const struct check *x)
{
	const struct result *r = &x->result;
	const struct vcost tight = {x->plan.bound_time, x->plan.bound_energy * 1000, 0};
	double base = figure(&x->plan, &r->base), percent = base > 0 ? 100 / base : 0;

	printf("confirmed: time %.6g s, energy %.6g J, draw at most %.6g W; baseline (%s) %.6g s, %.6g J\n",
	       (double)r->plan.time * 1e-9, (double)r->plan.energy * 1e-12, (double)r->plan.draw * 1e-3,
	       x->plan.baseline, (double)r->base.time * 1e-9, (double)r->base.energy * 1e-12);
	printf("saving: %.2f %% of the %s confirmed", (base - figure(&x->plan, &r->plan)) * percent,
	       x->plan.objective);
	if (!strcmp(x->plan.objective, "time") || !strcmp(x->plan.objective, "energy"))
		printf("\nbound: at most %.2f %%, in closed form, confirmed; the planner's tighter bound,\n"
		       "  %.2f %%, is not independently checked",
		       (base - figure(&x->plan, &r->relaxed)) * percent,
		       (base - figure(&x->plan, &tight)) * percent);
	printf("\n");
}

static void print_notes(const struct check *x)
{
	static const char note[] =
		"note: the plan was made from a %s with sha256 %.16s.., this file has %.16s..\n";

	if (strcmp(x->plan.platform_sha256, x->platform.sha256))
		printf(note, "platform", x->plan.platform_sha256, x->platform.sha256);
	if (x->model_path && strcmp(x->plan.model_sha256, x->model.sha256))
		printf(note, "model", x->plan.model_sha256, x->model.sha256);
	if (!x->model_path)
		printf("figures not recomputed: no model given\n");
	else if (x->plan.n_inputs)
		printf("figures not recomputed: the plan was made for %zu models together\n",
		       x->plan.n_inputs);
}

static int print_verdict(const struct check *x, size_t misfits)
{
	if (misfits)
		printf("does not fit: %zu contradiction%s between '%s' and '%s'\n", misfits,
		       misfits == 1 ? "" : "s", x->plan_path, x->name);
	else
		print_fits(x);
	if (!misfits && x->list.n)
		printf("not confirmed: %zu difference%s\n", x->list.n, x->list.n == 1 ? "" : "s");
	for (size_t i = 0; i < x->list.n; i++)
		printf("  %s\n", x->list.line[i]);
	if (!x->list.n && x->model_path && !x->plan.n_inputs)
		print_confirmed(x);
	print_notes(x);
	return x->list.n ? VERDICT_DIFFERENT : VERDICT_EQUAL;
}

static int judge(struct check *x)
{
	struct fault f = {""};
	int ret = vplan_read(&x->plan, x->plan_path, &f);

	if (!ret)
		ret = vplatform_read(&x->platform, x->platform_path, &f);
	if (!ret && x->model_path)
		ret = vmodel_read(&x->model, x->model_path, &f);
	if (ret) {
		fprintf(stderr, "perseus-plan-check: %s\n", f.text);
		ret = VERDICT_UNREADABLE;
	} else {
		size_t misfits;

		feasible_check(&x->plan, &x->platform, &x->list);
		misfits = x->list.n;
		if (!misfits && x->model_path && !x->plan.n_inputs)
			recompute(&x->plan, &x->model, &x->platform, &x->result, &x->list);
		ret = print_verdict(x, misfits);
	}
	findings_release(&x->list);
	vmodel_release(&x->model);
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
	*x = (struct check){.plan_path = argv[1], .platform_path = argv[2], .name = argv[2]};
	for (int i = 3; i < argc; i += 2) {
		const char **value = !strcmp(argv[i], "--as")      ? &x->name
				     : !strcmp(argv[i], "--model") ? &x->model_path
								   : NULL;

		if (!value)
			return bad_arguments(argv[i][0] == '-' ? "unknown option" : "one too many:", argv[i]);
		if (i + 1 == argc)
			return bad_arguments(value == &x->name ? "--as needs a name" : "--model needs a file",
					     NULL);
		*value = argv[i + 1];
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct check x;
	int ret;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return fputs(usage, stdout) < 0 ? VERDICT_UNREADABLE : VERDICT_EQUAL;
	ret = read_arguments(&x, argc, argv);
	if (ret)
		return ret;
	ret = judge(&x);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("perseus-plan-check: cannot write the verdict\n", stderr);
		return VERDICT_UNREADABLE;
	}
	return ret;
}
