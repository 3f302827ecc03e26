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
	size_t starts = vplan_thread_starts(p);

	printf("equal: %zu of %zu thread starts, %u of %u call triggers, %u calls", starts, starts, b->found,
	       b->planned, b->n_calls);
	if (b->moved)
		printf("\n(%u of them outside the function of the call site, as after inlining)", b->moved);
	printf(",\nno other trigger call, %zu of %zu thread instances,\nno probe symbol or section",
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

static int bad_arguments(const char *what, const char *word)
{
	fprintf(stderr, "perseus-verify: %s%s%s%s\n%s", what, word ? " '" : "", word ? word : "",
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
			return bad_arguments("expected PLAN and BINARY first, got", argv[i]);
	if (argc < 3)
		return bad_arguments(argc < 2 ? "PLAN and BINARY are missing" : "BINARY is missing behind",
				     argv[1]);
	if (argc > 3 && strcmp(argv[3], "--objects"))
		return bad_arguments(argv[3][0] == '-' ? "unknown option"
						       : "objects stand behind --objects, not",
				     argv[3]);
	if (argc == 4)
		return bad_arguments("--objects names no object", NULL);
	return 0;
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
	ret = judge(argv, argc > 4 ? argc - 4 : 0);
	/* A verdict that nobody can read is none. */
	if (fflush(stdout) || ferror(stdout)) {
		fputs("perseus-verify: cannot write the verdict\n", stderr);
		return VERDICT_UNREADABLE;
	}
	return ret;
}
