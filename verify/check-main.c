/* SPDX-License-Identifier: MIT */
/*
 * perseus-plan-check PLAN PLATFORM
 *
 * Says whether a platform has what a plan asks of it, and whether the plan's
 * figures agree with each other.  Linked from verify/ and the C library only.
 */
#include <stdio.h>
#include <string.h>

#include "verify/feasible.h"

static const char usage[] =
	"usage: perseus-plan-check PLAN PLATFORM\n\n"
	"Says whether PLATFORM (a platform.yaml) has the cores, frequency domains and steps\n"
	"that PLAN (a plan.yaml) asks for, and whether the plan's figures agree: its\n"
	"objective no worse than the baseline's and not below the bound.\n\n"
	"exit codes: 0 the plan fits, 1 it does not, 2 usage, 4 a file cannot be judged\n";

static int print_verdict(const struct vplan *p, const struct vplatform *f, const struct findings *list,
			 char **argv)
{
	if (list->n)
		printf("does not fit: %zu contradiction%s between '%s' and '%s'\n", list->n,
		       list->n == 1 ? "" : "s", argv[1], argv[2]);
	else
		printf("fits: %zu threads, %zu triggers, %zu settings; platform %s, %zu cores\n",
		       p->n_threads, p->n_triggers, p->n_actions, f->name, f->n_cores);
	for (size_t i = 0; i < list->n; i++)
		printf("  %s\n", list->line[i]);
	if (strcmp(p->platform_sha256, f->sha256))
		printf("note: the plan was made from a platform with sha256 %.16s.., this file has %.16s..\n",
		       p->platform_sha256, f->sha256);
	return list->n ? VERDICT_DIFFERENT : VERDICT_EQUAL;
}

static int judge(char **argv)
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
		ret = print_verdict(&plan, &platform, &list, argv);
	}
	findings_release(&list);
	vplatform_release(&platform);
	vplan_release(&plan);
	return ret;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return VERDICT_EQUAL;
	}
	if (argc != 3 || argv[1][0] == '-' || argv[2][0] == '-') {
		fputs(usage, stderr);
		return VERDICT_USAGE;
	}
	ret = judge(argv);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("perseus-plan-check: cannot write the verdict\n", stderr);
		return VERDICT_UNREADABLE;
	}
	return ret;
}
