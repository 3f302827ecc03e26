/* SPDX-License-Identifier: MIT */
/*
 * perseus-plan-check PLAN PLATFORM [--as NAME]
 *
 * Says whether a platform has what a plan asks of it, and whether the plan's
 * figures agree with each other.  Linked from verify/ and the C library only.
 */
#include <stdio.h>
#include <string.h>

#include "verify/feasible.h"

static const char usage[] =
	"usage: perseus-plan-check PLAN PLATFORM [--as NAME]\n\n"
	"Says whether PLATFORM (a platform.yaml) has the cores, frequency domains and steps\n"
	"that PLAN (a plan.yaml) asks for, and whether the plan's figures agree: its\n"
	"objective no worse than the baseline's and not below the bound.  NAME is what\n"
	"messages call PLATFORM.\n\n"
	"exit codes: 0 the plan fits, 1 it does not, 2 usage, 4 a file cannot be judged\n";

static void print_fits(const struct vplan *p, const struct vplatform *f)
{
	size_t starts = vplan_thread_starts(p), calls = vplan_call_triggers(p);

	printf("fits: %zu thread start%s, %zu call trigger%s; platform %s, %zu core%s\n", starts,
	       starts == 1 ? "" : "s", calls, calls == 1 ? "" : "s", f->name, f->n_cores,
	       f->n_cores == 1 ? "" : "s");
}

static int print_verdict(const struct vplan *p, const struct vplatform *f, const struct findings *list,
			 const char *plan, const char *platform)
{
	if (list->n)
		printf("does not fit: %zu contradiction%s between '%s' and '%s'\n", list->n,
		       list->n == 1 ? "" : "s", plan, platform);
	else
		print_fits(p, f);
	for (size_t i = 0; i < list->n; i++)
		printf("  %s\n", list->line[i]);
	if (strcmp(p->platform_sha256, f->sha256))
		printf("note: the plan was made from a platform with sha256 %.16s.., this file has %.16s..\n",
		       p->platform_sha256, f->sha256);
	return list->n ? VERDICT_DIFFERENT : VERDICT_EQUAL;
}

static int judge(char **argv, const char *name)
{
	struct vplan plan = {0};
	struct vplatform platform = {0};
	struct findings list = {0};
	struct fault f = {""};
	int ret = vplan_read(&plan, argv[1], &f);

	if (!ret)
		ret = vplatform_read(&platform, argv[2], &f);
	if (ret) {
		fprintf(stderr, "perseus-plan-check: %s\n", f.text);
		ret = VERDICT_UNREADABLE;
	} else {
		feasible_check(&plan, &platform, &list);
		ret = print_verdict(&plan, &platform, &list, argv[1], name);
	}
	findings_release(&list);
	vplatform_release(&platform);
	vplan_release(&plan);
	return ret;
}

static int bad_arguments(const char *what, const char *word)
{
	fprintf(stderr, "perseus-plan-check: %s%s%s%s\n%s", what, word ? " '" : "", word ? word : "",
		word ? "'" : "", usage);
	return VERDICT_USAGE;
}

static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/* 0, or VERDICT_USAGE after saying why. */
static int check_arguments(int argc, char **argv)
{
	for (int i = 1; i < argc && i < 3; i++)
		if (argv[i][0] == '-')
			return bad_arguments("expected PLAN and PLATFORM first, got", argv[i]);
	if (argc < 3)
		return bad_arguments(
			argc < 2 ? "PLAN and PLATFORM are missing" : "PLATFORM is missing behind", argv[1]);
	if (argc > 3 && strcmp(argv[3], "--as"))
		return bad_arguments(argv[3][0] == '-' ? "unknown option" : "one too many:", argv[3]);
	if (argc == 4)
		return bad_arguments("--as needs a name", NULL);
	return argc > 5 ? bad_arguments("one too many:", argv[5]) : 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (wants_help(argc, argv)) {
		fputs(usage, stdout);
		return VERDICT_EQUAL;
	}
	ret = check_arguments(argc, argv);
	if (ret)
		return ret;
	ret = judge(argv, argc > 3 ? argv[4] : argv[2]);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("perseus-plan-check: cannot write the verdict\n", stderr);
		return VERDICT_UNREADABLE;
	}
	return ret;
}
