/* SPDX-License-Identifier: MIT */
/*
 * perseus-verify PLAN BINARY [--objects OBJECT...]
 *
 * Says whether a binary carries exactly the triggers of a plan and no probe.
 * Linked from verify/ and the C library only: it shares no code with the
 * planner, the generator and the plugin, whose work it judges.
 */
#include <stdio.h>
#include <string.h>

#include "verify/objects.h"

static const char usage[] = "usage: perseus-verify PLAN BINARY [--objects OBJECT...]\n\n"
			    "Says whether BINARY carries exactly the triggers of PLAN (a plan.yaml) and no\n"
			    "probe.  With --objects, the object files it was linked from are held against\n"
			    "both: calls by their relocations, and the code of the generated functions.\n\n"
			    "exit codes: 0 equal, 1 different, 2 usage, 4 a file cannot be judged\n";

static void print_equal(const struct vplan *p, const struct binary *b, const struct objects *o)
{
	printf("equal: %u of %u planned triggers, %u calls", b->found, b->planned, b->n_calls);
	if (b->moved)
		printf(" (%u in functions that they were inlined into)", b->moved);
	printf(", no other trigger call,\n%zu of %zu thread instances, no probe symbol or section",
	       p->n_threads, p->n_threads);
	if (o->n)
		printf(",\n%u generated functions are the code of the objects (%u read)", o->compiled, o->n);
	printf("\nplan sha256 %s\n", p->sha256);
	if (o->lto)
		printf("note: %u objects hold no machine code yet (-flto): their calls were not counted\n",
		       o->lto);
}

static int print_verdict(const struct vplan *p, const struct binary *b, const struct objects *o,
			 const struct findings *list, char **argv)
{
	if (!list->n) {
		print_equal(p, b, o);
		return VERDICT_EQUAL;
	}
	printf("different: %zu difference%s between '%s' and '%s'\n", list->n, list->n == 1 ? "" : "s",
	       argv[1], argv[2]);
	for (size_t i = 0; i < list->n; i++)
		printf("  %s\n", list->line[i]);
	return VERDICT_DIFFERENT;
}

static int judge(char **argv, int n_objects)
{
	struct vplan plan = {0};
	struct binary binary = {0};
	struct objects objects = {0};
	struct findings list = {0};
	struct fault f = {""};
	int ret = vplan_read(&plan, argv[1], &f);

	if (!ret)
		ret = binary_open(&binary, argv[2], &f);
	if (!ret)
		binary_check(&binary, &plan, &list);
	if (!ret && n_objects)
		ret = objects_check(&objects, argv + 4, n_objects, &plan, &binary, &list, &f);
	if (ret)
		fprintf(stderr, "perseus-verify: %s\n", f.text);
	ret = ret ? VERDICT_UNREADABLE : print_verdict(&plan, &binary, &objects, &list, argv);
	findings_release(&list);
	objects_release(&objects);
	binary_release(&binary);
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
	if (argc < 3 || argv[1][0] == '-' || argv[2][0] == '-' ||
	    (argc > 3 && strcmp(argv[3], "--objects")) || argc == 4) {
		fputs(usage, stderr);
		return VERDICT_USAGE;
	}
	ret = judge(argv, argc > 4 ? argc - 4 : 0);
	/* A verdict that nobody can read is none. */
	if (fflush(stdout) || ferror(stdout)) {
		fputs("perseus-verify: cannot write the verdict\n", stderr);
		return VERDICT_UNREADABLE;
	}
	return ret;
}
