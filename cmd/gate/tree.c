/* SPDX-License-Identifier: MIT */
#include "cmd/gate/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "lib/spawn/target.h"
#include "lib/strbuf.h"

/* Run @argv with its output on @out; *status gets how it ended. */
static int gate_tree_run(char *const *argv, int out, int *status, struct err *err)
{
	struct child_spec spec = {.argv = argv, .in = -1, .out = out, .error = -1};
	struct child_result r;
	struct target target;
	int ret = target_locate(&target, argv[0], err);

	if (ret)
		return err_set(err, -ENOTSUP, "there is no %s here, which --base-rev needs", argv[0]);
	spec.path = target.path;
	ret = child_run(&spec, &r, err);
	if (!ret && r.received)
		ret = err_set(err, -EINTR, "stopped by a signal");
	*status = ret ? -1 : r.status;
	return ret;
}

/* The first line that git prints; the caller frees *line.  -EINVAL: it failed. */
static int ask_git(char **line, const char *what, const char *more, struct err *err)
{
	char *const argv[] = {(char *)"git", (char *)"rev-parse", (char *)what, (char *)more, NULL};
	int out = memfd_create("git", MFD_CLOEXEC), status, ret;
	char buf[PATH_MAX + 1] = "";

	if (out < 0)
		return err_set(err, -errno, "cannot keep what git says: %s", strerror(errno));
	ret = gate_tree_run(argv, out, &status, err);
	if (!ret && (status || pread(out, buf, sizeof(buf) - 1, 0) < 0))
		ret = err_set(err, -EINVAL, "git rev-parse %s fails", what);
	close(out);
	buf[strcspn(buf, "\n")] = 0;
	*line = ret ? NULL : mem_strdup(buf);
	return ret;
}

static int find_commit(char **commit, const char *revision, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (*revision == '-')
		return err_set(err, -EINVAL, "'%s' is no revision", revision);
	strbuf_printf(&sb, "%s^{commit}", revision);
	ret = ask_git(commit, "--verify", sb.s, err);
	if (ret == -EINVAL)
		err_set(err, ret, "'%s' is no revision of the git repository here", revision);
	strbuf_release(&sb);
	return ret;
}

/* Where @head lies below @top; a part of @real. */
static const char *gate_tree_inside(const char *head, const char *top, char real[PATH_MAX])
{
	size_t n = strlen(top);

	if (!realpath(head, real) || strncmp(real, top, n) != 0 || real[n] != '/')
		return NULL;
	return real + n + 1;
}

static int check_out(struct gate_tree *t, const char *commit, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	char dir[PATH_MAX];
	int status, ret = fs_make_temporary(dir, "perseus-gate", err);

	if (ret)
		return ret;
	t->dir = mem_strdup(dir);
	strbuf_printf(&sb, "%s/tree", t->dir);
	t->tree = strbuf_detach(&sb);
	ret = gate_tree_run((char *const[]){(char *)"git", (char *)"worktree", (char *)"add",
					    (char *)"--quiet", (char *)"--detach", t->tree, (char *)commit,
					    NULL},
			    STDERR_FILENO, &status, err);
	if (!ret && status)
		ret = err_set(err, -EINVAL, "git worktree add fails with status %d",
			      child_exit_status(status));
	return ret;
}

static int build_it(struct gate_tree *t, const char *prefix, const char *build, struct err *err)
{
	struct strbuf where = STRBUF_INIT;
	int status, ret;

	strbuf_printf(&where, "%s/%s", t->tree, prefix);
	ret = gate_tree_run((char *const[]){(char *)"sh", (char *)"-c", (char *)"cd \"$1\" && eval \"$2\"",
					    (char *)"sh", where.s, (char *)build, NULL},
			    STDERR_FILENO, &status, err);
	if (!ret && status)
		ret = err_set(err, -EINVAL, "the build of the base, '%s', ends with status %d", build,
			      child_exit_status(status));
	strbuf_release(&where);
	return ret;
}

static int gate_tree_create(struct gate_tree *t, const char *commit, const char *top, const char *prefix,
			    const char *build, const char *head, struct err *err)
{
	char real[PATH_MAX];
	const char *path = gate_tree_inside(head, top, real);
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (!path)
		return err_set(
			err, -EINVAL,
			"'%s' is no file in the repository '%s'\n  --base-rev looks for the base at the "
			"same place of its tree",
			head, top);
	ret = check_out(t, commit, err);
	if (!ret)
		ret = build_it(t, prefix, build, err);
	if (ret)
		return ret;
	strbuf_printf(&sb, "%s/%s", t->tree, path);
	t->base = strbuf_detach(&sb);
	if (access(t->base, X_OK))
		return err_set(err, -EINVAL, "the build of the base, '%s', makes no program '%s'", build,
			       path);
	return 0;
}

int gate_tree_make(struct gate_tree *t, const char *revision, const char *build, const char *head,
		   struct err *err)
{
	char *commit = NULL, *top = NULL, *prefix = NULL;
	int ret = find_commit(&commit, revision, err);

	if (!ret)
		ret = ask_git(&top, "--show-toplevel", NULL, err);
	if (!ret)
		ret = ask_git(&prefix, "--show-prefix", NULL, err);
	if (!ret)
		ret = gate_tree_create(t, commit, top, prefix, build, head, err);
	free(commit);
	free(top);
	free(prefix);
	return ret;
}

void gate_tree_remove(struct gate_tree *t)
{
	struct err err = ERR_INIT;
	int status;

	if (t->tree)
		gate_tree_run((char *const[]){(char *)"git", (char *)"worktree", (char *)"remove",
					      (char *)"--force", t->tree, NULL},
			      STDERR_FILENO, &status, &err);
	if (t->dir)
		rmdir(t->dir);
	free(t->dir);
	free(t->tree);
	free(t->base);
	*t = (struct gate_tree){NULL};
}
