/* SPDX-License-Identifier: MIT */
/*
 * perseus verify: executes the stand-alone verifiers, which alone are qualified.
 * With --sources it has the reviewed source run by perseus-source-check, compiles
 * it and hands the objects over: perseus-verify compares, it runs no compiler.
 * See perseus-verify(1).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "lib/spawn/compile.h"
#include "lib/spawn/part.h"

#define CC_DEFAULT "gcc -std=c11 -O2"
#define ADDED      5 /* words handed over in addition */

const struct cmd cmd_verify;

struct rebuild {
	const char *sources, *source, *cc; /* NULL: not asked for */
	char folder[PATH_MAX];             /* scratch, "" before it exists */
	char triggers[PATH_MAX], platform[PATH_MAX], file[PATH_MAX];
	FILE *said; /* what the verifiers write, NULL: stdout */
};

/* Take --sources, --source and --cc out of @argv; the number of words left, or the negative exit status after saying what is wrong. */
static int take_own(int argc, char **argv, struct rebuild *r)
{
	int n = 1;

	for (int i = 1; i < argc; i++) {
		const char **value = !strcmp(argv[i], "--sources")  ? &r->sources
				     : !strcmp(argv[i], "--source") ? &r->source
				     : !strcmp(argv[i], "--cc")     ? &r->cc
								    : NULL;

		if (!strcmp(argv[i], "--json")) {
			if (!r->said && cmd_kept_open(&cmd_verify, &r->said))
				return -CMD_MACHINE;
			continue;
		}
		if (!value) {
			argv[n++] = argv[i];
			continue;
		}
		if (*value || i + 1 == argc) {
			cmd_usage(&cmd_verify, *value ? "%s is given twice" : "a value is missing behind %s",
				  argv[i]);
			return -CMD_USAGE;
		}
		*value = argv[++i];
	}
	argv[n] = NULL;
	if ((r->cc && !r->sources) || (r->source && r->sources)) {
		cmd_usage(&cmd_verify,
			  r->sources ? "--source goes without --sources" : "--cc goes with --sources");
		return -CMD_USAGE;
	}
	r->cc = r->cc ? r->cc : CC_DEFAULT;
	return n;
}

/* The one platform file of the folder. */
static int find_platform(struct rebuild *r, char *path, struct err *err)
{
	static const char *const ends[] = {"linux", "posix", "stub"};
	char name[PATH_MAX];
	int found = 0;

	for (int i = 0; i < 3; i++) {
		if (snprintf(name, sizeof(name), "%s/perseus_platform_%s.c", r->sources, ends[i]) >= PATH_MAX)
			return err_set(err, -ENAMETOOLONG, "the name of the folder is too long");
		if (access(name, R_OK))
			continue;
		found++;
		strcpy(path, name);
	}
	if (found == 1)
		return 0;
	err_set(err, -ENOENT, "'%s' holds %d platform files, expected one perseus_platform_*.c", r->sources,
		found);
	err_advise(err, "--sources names the folder that perseus codegen wrote");
	return -ENOENT;
}

static int compile(const struct rebuild *r, const char *source, const char *object, struct err *err)
{
	struct child_spec spec = {.in = -1, .out = -1, .error = -1};
	struct child_result result;
	struct compile c;
	int ret;

	compile_make(&c, r->cc, source, object);
	spec.path = c.argv[0];
	spec.argv = (char *const *)(const void *)c.argv;
	ret = child_run(&spec, &result, err);
	strbuf_release(&c.line);
	if (ret)
		return ret;
	ret = child_exit_status(result.status);
	if (!ret)
		return 0;
	err_set(err, -EINVAL, "'%s' cannot compile '%s' (status %d)", r->cc, source, ret);
	err_advise(err, "--cc takes the compiler and flags that the binary's objects were built with");
	return -EINVAL;
}

static int rebuild(struct rebuild *r, struct err *err)
{
	char platform[PATH_MAX];
	int ret = find_platform(r, platform, err);

	if (!ret)
		ret = fs_make_temporary(r->folder, "perseus-verify", err);
	if (ret)
		return ret;
	snprintf(r->triggers, sizeof(r->triggers), "%.*s/perseus_triggers.o", PATH_MAX - 32, r->folder);
	snprintf(r->platform, sizeof(r->platform), "%.*s/perseus_platform.o", PATH_MAX - 32, r->folder);
	ret = compile(r, r->file, r->triggers, err);
	return ret ? ret : compile(r, platform, r->platform, err);
}

static void clean(struct rebuild *r)
{
	if (!r->folder[0])
		return;
	unlink(r->triggers);
	unlink(r->platform);
	rmdir(r->folder);
}

/* Run a part of the installation with @argv, whose first word is free; its exit status, or one of err. */
static int run_part(const struct rebuild *r, const char *what, char **argv, struct err *err)
{
	char path[PATH_MAX];
	struct child_spec spec = {.path = path, .argv = argv, .in = -1, .out = -1, .error = -1};
	struct child_result result;
	int ret = part_find(what, path, sizeof(path), err);

	if (ret) {
		err_advise(err, "it is built from verify/ and installed beside perseus");
		return cmd_fail(&cmd_verify, err, CMD_MACHINE);
	}
	argv[0] = path;
	if (r->said)
		spec.out = fileno(r->said);
	ret = child_run(&spec, &result, err);
	return ret ? cmd_fail(&cmd_verify, err, cmd_status(err)) : child_exit_status(result.status);
}

/* Does the reviewed source do what the plan says?  A manifest must list it, too. */
static int check_source(int argc, char **argv, struct rebuild *r, struct err *err)
{
	char manifest[] = "--manifest", *words[6] = {NULL, argv[1], r->file};

	for (int i = 3; i + 1 < argc; i++)
		if (!strcmp(argv[i], manifest)) {
			words[3] = manifest;
			words[4] = argv[i + 1];
		}
	return run_part(r, "source-check", words, err);
}

static int run_verifier(int argc, char **argv, struct rebuild *r, struct err *err)
{
	char **words = mem_new((size_t)argc + ADDED + 1, sizeof(*words));
	const char *const added[] = {"--built-with", r->cc, "--rebuilt", r->triggers, r->platform};
	int ret = r->sources ? rebuild(r, err) : 0;

	memcpy(words, argv, (size_t)argc * sizeof(*words));
	if (r->sources)
		memcpy(words + argc, added, sizeof(added));
	ret = ret ? cmd_fail(&cmd_verify, err, cmd_status(err)) : run_part(r, "verify", words, err);
	clean(r);
	free(words);
	return ret;
}

/* The source first: what is compiled from another one needs no comparison, what cannot be read no verdict. */
static int verify_judge(int argc, char **argv, struct rebuild *r, struct err *err)
{
	int source = 0, binary;

	if (snprintf(r->file, sizeof(r->file), "%s%s", r->source ? r->source : r->sources,
		     r->source ? "" : "/perseus_triggers.c") >= PATH_MAX) {
		err_set(err, -ENAMETOOLONG, "the name of a folder is too long");
		return cmd_fail(&cmd_verify, err, cmd_status(err));
	}
	if (argc > 2)
		source = check_source(argc, argv, r, err);
	if (source > 1)
		return source;
	binary = run_verifier(argc, argv, r, err);
	return binary ? binary : source;
}

/* What the verifiers wrote, as JSON; ends r->said.  The exit status. */
static int verify_print_json(struct rebuild *r, int status)
{
	struct strbuf text = STRBUF_INIT;
	int failed = cmd_kept_read(&cmd_verify, r->said, &text);

	fclose(r->said);
	if (failed)
		return failed;
	cmd_verdict_json(!status                      ? "equal"
			 : status == CMD_FINDINGS     ? "different"
			 : status == CMD_INCONCLUSIVE ? "inconclusive"
						      : "not judged",
			 status, text.s);
	strbuf_release(&text);
	return status;
}

static int verify_run(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct rebuild r = {0};
	int status;

	if (cmd_wants_help(argc, argv))
		return CMD_HELP;
	argc = take_own(argc, argv, &r);
	if (argc < 0)
		return -argc;
	status = r.sources || r.source ? verify_judge(argc, argv, &r, &err)
				       : run_part(&r, "verify", argv, &err);
	return r.said ? verify_print_json(&r, status) : status;
}

const struct cmd cmd_verify = {
	.name = "verify",
	.summary = "say whether a binary carries exactly the triggers of a plan",
	.reads = "plan.yaml, program",
	.writes = "verdict, report",
	.usage = "usage: perseus verify PLAN BINARY [OPTION...]\n\n"
		 "Says whether BINARY carries exactly the triggers of PLAN, each where the plan has\n"
		 "it, and no probe: plan hash, table of threads, calls of each trigger, marks round\n"
		 "the calls that create threads.  The judgement is that of the stand-alone programs\n"
		 "perseus-verify and perseus-source-check, which share no code with the generator\n"
		 "and the plugin. Without --sources what the triggers do is not judged: the\n"
		 "verdict says so.\n\n"
		 "  --sources DIR        the reviewed files of perseus codegen: compile them again,\n"
		 "                       compare the binary's code with the result, and what the\n"
		 "                       triggers do against the plan\n"
		 "  --cc LINE            the compiler for that (" CC_DEFAULT ")\n"
		 "  --objects OBJECT...  compare the object files it was linked from with both:\n"
		 "                       calls by relocation, all code and data\n"
		 "  --rebuilt OBJECT...  compare the binary's code with objects compiled already\n"
		 "  --source FILE        run the reviewed perseus_triggers.c against the plan\n"
		 "  --manifest FILE      hash every file that FILE lists, as sha256sum -c\n"
		 "  --root DIR...        where the manifest's files are sought, too\n"
		 "  --complete           every file below the manifest's folder must be in it\n"
		 "  --grafted            the calls were put into the source by hand\n"
		 "  --report FILE        write a report for signing\n"
		 "  --json               verdict and what was written about it as JSON, schema 1\n\n"
		 "Exit status: 0 equal; 1 different; 2 usage; 3 the verifier is not installed; 4 a\n"
		 "file cannot be judged; 5 inconclusive: no layout could be shown.\n",
	.run = verify_run,
};
