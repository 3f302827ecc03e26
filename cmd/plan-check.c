/* SPDX-License-Identifier: MIT */
#include "cmd/plan-check.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "yaml/model.h"
#include "yaml/plan.h"
#include "yaml/platform.h"

static const struct option longs[] = {{"platform", required_argument, NULL, 'p'},
				      {"model", required_argument, NULL, 'm'},
				      {NULL, 0, NULL, 0}};

/* What the user named. */
struct names {
	const char *plan, *platform, *model; /* model: NULL if none was given */
};

/*
 * Hand the plan and the files @platform and @model (NULL: none) to the
 * independent checker; its exit status, or -ENOENT if it is not installed.
 */
static int run_checker(const struct names *names, char *platform, char *model)
{
	char path[4096];
	int status;
	pid_t pid;

	if (cmd_part("plan-check", path, sizeof(path), NULL))
		return -ENOENT;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		execl(path, path, names->plan, platform, "--as", names->platform, model ? "--model" : NULL,
		      model, (char *)NULL);
		_exit(CMD_MACHINE);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return CMD_MACHINE;
	return WEXITSTATUS(status);
}

/* A new file in /tmp; @path is its template. */
static int make_file(char *path, struct err *err)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return err_set(err, -errno, "cannot make a file in /tmp: %s", strerror(errno));
	close(fd);
	return 0;
}

/* The checker reads files in canonical form: platform and model are written to some for it. */
static int check_independently(const struct names *names, const struct platform *platform,
			       const struct model *model, struct err *err)
{
	char path[] = "/tmp/perseus-platform-XXXXXX", model_path[] = "/tmp/perseus-model-XXXXXX";
	int ret = make_file(path, err);

	if (ret)
		return ret;
	ret = platform_save(platform, path, err);
	if (!ret && model)
		ret = make_file(model_path, err);
	if (!ret && model)
		ret = model_save(model, model_path, err);
	if (!ret)
		ret = run_checker(names, path, model ? model_path : NULL);
	unlink(path);
	if (model)
		unlink(model_path);
	return ret;
}

static int parse(const struct cmd *cmd, int argc, char **argv, struct names *names)
{
	int c;

	*names = (struct names){.platform = "platform.yaml"};
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":p:m:", longs, NULL)) != -1) {
		if (c != 'p' && c != 'm')
			return cmd_bad_option(cmd, c, argv);
		*(c == 'p' ? &names->platform : &names->model) = optarg;
	}
	if (argc - optind != 1)
		return cmd_usage(cmd, "check: expected one plan, got %d", argc - optind);
	names->plan = argv[optind];
	return 0;
}

/* Exit status of the checker, or a negative errno; -ENOENT without a message: it is not installed. */
static int check(const struct names *names, struct err *err)
{
	struct platform platform = {0};
	struct model model = {0};
	struct plan plan = {0};
	int ret = platform_find(&platform, names->platform, err);

	if (!ret)
		ret = plan_load_for(&plan, names->plan, &platform, err);
	if (!ret && names->model)
		ret = model_load(&model, names->model, err);
	if (!ret)
		ret = check_independently(names, &platform, names->model ? &model : NULL, err);
	plan_release(&plan);
	model_release(&model);
	platform_release(&platform);
	return ret;
}

int plan_check(const struct cmd *cmd, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct names names;
	int ret = parse(cmd, argc, argv, &names);

	if (ret)
		return ret;
	ret = check(&names, &err);
	if (ret >= 0)
		return ret;
	if (ret != -ENOENT || err.code)
		return cmd_fail(cmd, &err, cmd_status(&err));
	printf("fits: %s, platform %s (the independent checker is not installed: figures not recomputed)\n",
	       names.plan, names.platform);
	return CMD_OK;
}
