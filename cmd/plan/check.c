/* SPDX-License-Identifier: MIT */
#include "cmd/base/option.h"
#include "cmd/plan/check.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "lib/spawn/part.h"
#include "yaml/model.h"
#include "yaml/plan.h"
#include "yaml/platform.h"

/* What the user named. */
struct names {
	const char *plan, *platform;
	struct option_values models; /* in the order of the plan's inputs */
	FILE *said;                  /* with --json: what the checker writes; else NULL */
};

/* Files in canonical form, which is what the checker reads. */
struct copies {
	char platform[40], (*model)[40];
	size_t n; /* that were made, the platform's included */
};

/*
 * Hand the plan and the files to the independent checker; its exit status, a
 * negative errno, or -ENOENT without a message if it is not installed.
 */
static int run_checker(const struct names *names, struct copies *files, struct err *err)
{
	const char **args = mem_new(2 * names->models.n + 6, sizeof(*args));
	char path[PATH_MAX];
	struct child_spec spec = {.path = path, .in = -1, .out = -1, .error = -1};
	struct child_result result;
	struct err why = ERR_INIT;
	size_t n = 0;
	int ret = part_find("plan-check", path, sizeof(path), &why);

	args[n++] = path;
	args[n++] = names->plan;
	args[n++] = files->platform;
	args[n++] = "--as";
	args[n++] = names->platform;
	for (size_t i = 0; i < names->models.n; i++) {
		args[n++] = "--model";
		args[n++] = files->model[i];
	}
	spec.argv = (char *const *)(const void *)args;
	if (names->said)
		spec.out = fileno(names->said);
	if (ret && ret != -ENOENT)
		*err = why;
	if (!ret) {
		fflush(NULL);
		ret = child_run(&spec, &result, err);
		ret = ret ? ret : child_exit_status(result.status);
	}
	free(args);
	return ret;
}

/* A new file in /tmp; @path is its template. */
static int make_file(char path[40], const char *template, struct copies *files, struct err *err)
{
	int fd;

	strcpy(path, template);
	fd = mkstemp(path);
	if (fd < 0)
		return err_set(err, -errno, "cannot make a file in /tmp: %s", strerror(errno));
	close(fd);
	files->n++;
	return 0;
}

static int make_copies(struct copies *files, const struct names *names, const struct platform *platform,
		       const struct model *models, struct err *err)
{
	int ret = make_file(files->platform, "/tmp/perseus-platform-XXXXXX", files, err);

	if (!ret)
		ret = platform_save(platform, files->platform, err);
	for (size_t i = 0; i < names->models.n && !ret; i++) {
		ret = make_file(files->model[i], "/tmp/perseus-model-XXXXXX", files, err);
		if (!ret)
			ret = model_save(&models[i], files->model[i], err);
	}
	return ret;
}

static int check_independently(const struct names *names, const struct platform *platform,
			       const struct model *models, struct err *err)
{
	struct copies files = {.model = mem_new(names->models.n + 1, sizeof(*files.model))};
	int ret = make_copies(&files, names, platform, models, err);

	if (!ret)
		ret = run_checker(names, &files, err);
	if (files.n)
		unlink(files.platform);
	for (size_t i = 1; i < files.n; i++)
		unlink(files.model[i - 1]);
	free(files.model);
	return ret;
}

static int plan_check_parse(const struct cmd *cmd, int argc, char **argv, struct names *names)
{
	bool json = false;
	const struct option_row rows[] = {OPTION_TEXT('p', "platform", &names->platform),
					  OPTION_LIST('m', "model", &names->models),
					  OPTION_FLAG(0, "json", &json), OPTION_END};
	int ret;

	*names = (struct names){.platform = "platform.yaml"};
	ret = option_read(cmd, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (argc - optind > 1)
		return cmd_usage(cmd, "check: expected one plan, got %d", argc - optind);
	names->plan = optind < argc ? argv[optind] : "plan.yaml";
	return json ? cmd_kept_open(cmd, &names->said) : 0;
}

/* Exit status of the checker, or a negative errno; -ENOENT without a message: it is not installed. */
static int plan_check_check(const struct names *names, struct err *err)
{
	struct model *models = mem_new(names->models.n + 1, sizeof(*models));
	struct platform platform = {0};
	struct plan plan = {0};
	int ret = platform_find(&platform, names->platform, err);

	if (!ret)
		ret = plan_load_for(&plan, names->plan, &platform, err);
	for (size_t i = 0; i < names->models.n && !ret; i++)
		ret = model_load(&models[i], names->models.at[i], err);
	if (!ret)
		ret = check_independently(names, &platform, models, err);
	plan_release(&plan);
	for (size_t i = 0; i < names->models.n; i++)
		model_release(&models[i]);
	free(models);
	platform_release(&platform);
	return ret;
}

/* What the checker wrote, as JSON; the exit status. */
static int plan_check_print_json(const struct cmd *cmd, struct names *names, int status)
{
	struct strbuf text = STRBUF_INIT;

	if (cmd_kept_read(cmd, names->said, &text))
		return CMD_MACHINE;
	cmd_verdict_json(!status                  ? "fits"
			 : status == CMD_FINDINGS ? "contradicted"
						  : "not judged",
			 status, text.s);
	strbuf_release(&text);
	return status;
}

static int plan_check_finish(const struct cmd *cmd, struct names *names, int ret, const struct err *err)
{
	if (ret >= 0)
		return names->said ? plan_check_print_json(cmd, names, ret) : ret;
	if (ret != -ENOENT || err->code)
		return cmd_fail(cmd, err, cmd_status(err));
	if (names->said)
		cmd_verdict_json("fits", CMD_OK,
				 "the independent checker is not installed: figures not recomputed");
	else
		cmd_print("fits: %s, platform %s (the independent checker is not installed: figures not "
			  "recomputed)\n",
			  names->plan, names->platform);
	return CMD_OK;
}

int plan_check(const struct cmd *cmd, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct names names;
	int ret = plan_check_parse(cmd, argc, argv, &names);

	ret = ret ? ret : plan_check_finish(cmd, &names, plan_check_check(&names, &err), &err);
	if (names.said)
		fclose(names.said);
	vec_release(&names.models);
	return ret;
}
