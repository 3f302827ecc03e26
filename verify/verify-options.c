/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "verify/verify-session.h"

const char options_usage[] =
	"usage: perseus-verify PLAN BINARY [OPTION...]\n\n"
	"Says whether BINARY carries exactly the triggers of PLAN (a plan.yaml), each\n"
	"where the plan has it, and no probe.\n\n"
	"  --objects OBJECT...  compare the object files it was linked from with both:\n"
	"                       calls by relocation, all code and data\n"
	"  --rebuilt OBJECT...  objects compiled again from the reviewed sources: the\n"
	"                       binary must hold their code, and no other perseus_*\n"
	"  --libraries FILE...  libraries of the program: do they come between the\n"
	"                       generated code and the C library?\n"
	"  --manifest FILE      hash every file that FILE lists, as sha256sum -c\n"
	"  --root DIR...        where the manifest's files are sought, too\n"
	"  --complete           every file below the manifest's folder must be in it\n"
	"  --grafted            the calls were put into the source by hand\n"
	"  --built-with LINE    how the --rebuilt objects were compiled, for the report\n"
	"  --report FILE        write a report for signing\n\n"
	"exit codes: 0 equal, 1 different, 2 usage, 4 a file cannot be judged, 5 inconclusive:\n"
	"nothing differs, but none of the plan's layouts could be shown\n";

static int verify_options_bad(const char *what, const char *word)
{
	fprintf(stderr, "perseus-verify: %s%s%s%s\n%s", what, word ? " '" : "", word ? word : "",
		word ? "'" : "", options_usage);
	return VERDICT_USAGE;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* The words behind option argv[*at], up to the next option. */
static int take_words(struct words *w, int argc, char **argv, int *at)
{
	const char *option = argv[*at];

	if (w->n)
		return verify_options_bad("given twice:", option);
	w->word = argv + *at + 1;
	while (*at + 1 < argc && !is_option(argv[*at + 1])) {
		w->n++;
		++*at;
	}
	if (w->n)
		return 0;
	fprintf(stderr, "perseus-verify: %s names no %s\n%s", option,
		!strcmp(option, "--root")        ? "folder"
		: !strcmp(option, "--libraries") ? "library"
						 : "object",
		options_usage);
	return VERDICT_USAGE;
}

static int take_file(const char **file, int argc, char **argv, int *at)
{
	const char *option = argv[*at];

	if (*file)
		return verify_options_bad("given twice:", option);
	if (*at + 1 >= argc || is_option(argv[*at + 1]))
		return verify_options_bad("a value is missing behind", option);
	*file = argv[++*at];
	return 0;
}

static int verify_options_take(struct options *o, int argc, char **argv, int *at)
{
	const struct {
		const char *name;
		struct words *words;
		const char **file;
	} known[] = {
		{"--objects", &o->objects, NULL},
		{"--rebuilt", &o->rebuilt, NULL},
		{"--root", &o->root, NULL},
		{"--libraries", &o->libraries, NULL},
		{"--manifest", NULL, &o->manifest},
		{"--report", NULL, &o->report},
		{"--built-with", NULL, &o->built_with},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(argv[*at], known[i].name))
			return known[i].words ? take_words(known[i].words, argc, argv, at)
					      : take_file(known[i].file, argc, argv, at);
	if (!strcmp(argv[*at], "--source"))
		return verify_options_bad(
			"perseus-source-check PLAN FILE runs the reviewed source: not an option here",
			argv[*at]);
	if (!strcmp(argv[*at], "--grafted"))
		o->grafted = true;
	else if (!strcmp(argv[*at], "--complete"))
		o->complete = true;
	else
		return verify_options_bad(is_option(argv[*at]) ? "unknown option"
							       : "objects stand behind --objects, not",
					  argv[*at]);
	return 0;
}

int options_read(struct options *o, int argc, char **argv)
{
	*o = (struct options){0};
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			o->help = true;
			return 0;
		}
	for (int i = 1; i < argc && i < 3; i++)
		if (is_option(argv[i]))
			return verify_options_bad("expected PLAN and BINARY first, got", argv[i]);
	if (argc < 3)
		return verify_options_bad(
			argc < 2 ? "PLAN and BINARY are missing" : "BINARY is missing behind", argv[1]);
	o->plan = argv[1];
	o->binary = argv[2];
	for (int i = 3; i < argc; i++) {
		int ret = verify_options_take(o, argc, argv, &i);

		if (ret)
			return ret;
	}
	if (!o->manifest && (o->root.n || o->complete))
		return verify_options_bad("--root and --complete go with --manifest", NULL);
	return 0;
}
