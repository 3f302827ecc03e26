/* SPDX-License-Identifier: MIT */
/*
 * perseus-source-check PLAN SOURCE [--manifest FILE]
 *
 * Says whether the reviewed perseus_triggers.c does what a plan says, and whether
 * the generated files beside it are of that plan.  Linked from verify/ and the
 * C library only.  That a binary is compiled from this source is for
 * perseus-verify --rebuilt.
 */
#include <stdio.h>
#include <string.h>

#include "verify/source/acts.h"
#include "verify/source/folder.h"

static const char usage[] =
	"usage: perseus-source-check PLAN SOURCE [--manifest FILE]\n\n"
	"Runs SOURCE, the reviewed perseus_triggers.c, with a counterfeit platform: says\n"
	"whether what each start, creation and visit sets is what PLAN (a plan.yaml) says,\n"
	"and whether perseus_machine.h and perseus_triggers.plan beside it are of PLAN.\n\n"
	"  --manifest FILE      SOURCE and the generated files beside it must be in this\n"
	"                       list, in the form of sha256sum\n\n"
	"exit codes: 0 equal, 1 different, 2 usage, 4 a file cannot be judged\n";

struct check {
	const char *plan_path, *source, *manifest; /* manifest NULL: not asked for */
	struct vplan plan;
	struct acts acts;
	struct findings list;
};

static int source_main_bad(const char *what, const char *word)
{
	fprintf(stderr, "perseus-source-check: %s%s%s%s\n%s", what, word ? " '" : "", word ? word : "",
		word ? "'" : "", usage);
	return VERDICT_USAGE;
}

/* 0, or VERDICT_USAGE after saying why. */
static int read_arguments(struct check *c, int argc, char **argv)
{
	for (int i = 1; i < argc && i < 3; i++)
		if (argv[i][0] == '-')
			return source_main_bad("expected PLAN and SOURCE first, got", argv[i]);
	if (argc < 3)
		return source_main_bad(argc < 2 ? "PLAN and SOURCE are missing" : "SOURCE is missing behind",
				       argv[1]);
	c->plan_path = argv[1];
	c->source = argv[2];
	for (int i = 3; i < argc; i += 2) {
		if (strcmp(argv[i], "--manifest"))
			return source_main_bad(argv[i][0] == '-' ? "unknown option" : "one too many:",
					       argv[i]);
		if (c->manifest)
			return source_main_bad("given twice:", argv[i]);
		if (i + 1 == argc)
			return source_main_bad("a value is missing behind", argv[i]);
		c->manifest = argv[i + 1];
	}
	return 0;
}

static int check_manifest(struct check *c, struct fault *f)
{
	struct vmanifest m;
	int ret = vmanifest_read(&m, c->manifest, f);

	if (!ret && !vmanifest_lists(&m, c->acts.sha256))
		findings_add(&c->list, "the manifest does not hold the reviewed source (sha256 %.16s..)",
			     c->acts.sha256);
	if (!ret)
		folder_check_listed(c->source, &m, &c->list);
	vmanifest_release(&m);
	return ret;
}

static int read_and_check(struct check *c, struct fault *f)
{
	int ret = vplan_read(&c->plan, c->plan_path, f);

	if (!ret)
		ret = acts_check(&c->acts, c->source, &c->plan, &c->list, f);
	if (!ret)
		ret = folder_check_machine(c->source, &c->plan, &c->list, f);
	if (!ret)
		ret = folder_check_plan(c->source, &c->plan, &c->list, f);
	if (!ret && c->manifest)
		ret = check_manifest(c, f);
	return ret;
}

static int source_main_print_verdict(const struct check *c)
{
	if (c->list.n) {
		printf("different: %zu difference%s between '%s' and '%s'\n", c->list.n,
		       c->list.n == 1 ? "" : "s", c->plan_path, c->source);
		findings_print(&c->list);
		return VERDICT_DIFFERENT;
	}
	printf("equal: the reviewed source does what the plan says (%llu settings in %llu runs)\n"
	       "plan sha256 %s\nsource sha256 %s\n",
	       (unsigned long long)c->acts.settings, (unsigned long long)c->acts.runs, c->plan.sha256,
	       c->acts.sha256);
	return VERDICT_EQUAL;
}

static int source_main_judge(struct check *c)
{
	struct fault f = {""};
	int ret = read_and_check(c, &f);

	if (ret)
		fprintf(stderr, "perseus-source-check: %s\n", f.text);
	ret = ret ? VERDICT_UNREADABLE : source_main_print_verdict(c);
	findings_release(&c->list);
	vplan_release(&c->plan);
	return ret;
}

int main(int argc, char **argv)
{
	struct check c = {0};
	int ret;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return fputs(usage, stdout) < 0 ? VERDICT_UNREADABLE : VERDICT_EQUAL;
	ret = read_arguments(&c, argc, argv);
	if (!ret)
		ret = source_main_judge(&c);
	/* A verdict that nobody can read is none. */
	if (!fflush(stdout) && !ferror(stdout))
		return ret;
	fputs("perseus-source-check: cannot write the verdict\n", stderr);
	return VERDICT_UNREADABLE;
}
