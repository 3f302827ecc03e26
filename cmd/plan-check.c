/* SPDX-License-Identifier: MIT */
#include "cmd/plan-check.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "yaml/plan.h"
#include "yaml/platform.h"

static const struct option longs[] = {{"platform", required_argument, NULL, 'p'}, {NULL, 0, NULL, 0}};

/*
 * Hand @plan and @platform, which the user calls @name, to the independent
 * checker; its exit status, or -ENOENT if it is not installed.
 */
static int run_checker(const char *plan, const char *platform, const char *name)
{
	char path[4096];
	int status;
	pid_t pid;

	if (cmd_part("plan-check", path, sizeof(path), NULL))
		return -ENOENT;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		execl(path, path, plan, platform, "--as", name, (char *)NULL);
		_exit(CMD_MACHINE);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return CMD_MACHINE;
	return WEXITSTATUS(status);
}

/* The checker reads files in canonical form: the platform is written to one for it. */
static int check_independently(const char *plan, const struct platform *platform, const char *name,
			       struct err *err)
{
	char path[] = "/tmp/perseus-platform-XXXXXX";
	int fd = mkstemp(path), ret;

	if (fd < 0)
		return err_set(err, -errno, "cannot make a file in /tmp: %s", strerror(errno));
	close(fd);
	ret = platform_save(platform, path, err);
	if (!ret)
		ret = run_checker(plan, path, name);
	unlink(path);
	return ret;
}

static int parse(const struct cmd *cmd, int argc, char **argv, const char **platform, const char **plan)
{
	int c;

	*platform = "platform.yaml";
	opterr = 0;
	optind = 1;
	while ((c = getopt_long(argc, argv, ":p:", longs, NULL)) != -1) {
		if (c != 'p')
			return cmd_bad_option(cmd, c, argv);
		*platform = optarg;
	}
	if (argc - optind != 1)
		return cmd_usage(cmd, "check: expected one plan, got %d", argc - optind);
	*plan = argv[optind];
	return 0;
}

int plan_check(const struct cmd *cmd, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct platform platform = {0};
	struct plan plan = {0};
	const char *name = NULL, *path = NULL;
	int ret = parse(cmd, argc, argv, &name, &path);

	if (ret)
		return ret;
	ret = platform_find(&platform, name, &err);
	if (!ret)
		ret = plan_load_for(&plan, path, &platform, &err);
	if (!ret)
		ret = check_independently(path, &platform, name, &err);
	plan_release(&plan);
	platform_release(&platform);
	if (ret < 0 && ret != -ENOENT)
		return cmd_fail(cmd, &err, cmd_status(&err));
	if (ret != -ENOENT)
		return ret;
	if (err.code)
		return cmd_fail(cmd, &err, cmd_status(&err));
	printf("fits: %s, platform %s (the independent checker is not installed)\n", path, name);
	return CMD_OK;
}
