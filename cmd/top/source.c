/* SPDX-License-Identifier: MIT */
#include "cmd/top/source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/strbuf.h"
#include "perseus/record.h"
#include "record/file/folder.h"

#define ENVIRON_MAX (4u << 20)
#define RUNS_MAX    100000

int top_source_run(struct top_source *s, const char *name, struct err *err)
{
	*s = (struct top_source){.recorder = 0};
	return run_folder(name, s->dir, sizeof(s->dir), err);
}

/* The value of @name among strings that end with NUL each. */
static const char *variable(const struct strbuf *sb, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = sb->s; at && at < sb->s + sb->len; at += strlen(at) + 1)
		if (!strncmp(at, name, len) && at[len] == '=')
			return at + len + 1;
	return NULL;
}

int top_source_process(struct top_source *s, unsigned pid, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;
	char path[64];
	const char *dir;
	int ret;

	*s = (struct top_source){.recorder = 0};
	snprintf(path, sizeof(path), "/proc/%u/environ", pid);
	ret = fs_read(path, ENVIRON_MAX, &sb, err);
	if (ret == -ENOENT)
		ret = err_set(err, ret, "there is no process %u", pid);
	else if (ret == -EACCES)
		ret = err_set(err, ret, "process %u may not be looked at: it is another user's", pid);
	dir = ret ? NULL : variable(&sb, PRS_ENV_DIR);
	if (!ret && (!dir || strlen(dir) >= sizeof(s->dir)))
		ret = err_advise((err_set(err, -ENODATA, "process %u is not recorded", pid), err),
				 "perseus top -- PROGRAM starts one that is; perseus record PROGRAM, and "
				 "then perseus top -p, too");
	if (!ret)
		snprintf(s->dir, sizeof(s->dir), "%s", dir);
	strbuf_release(&sb);
	return ret;
}

/* perseus.data/NAME-top-N that is free. */
static int free_name(struct top_source *s, const char *program, struct err *err)
{
	int ret = fs_mkdirs(RUNS_DIR, err);

	for (unsigned n = 1; !ret && n < RUNS_MAX; n++) {
		struct stat st;

		snprintf(s->dir, sizeof(s->dir), RUNS_DIR "/%.200s-top-%u", fs_base_name(program), n);
		snprintf(s->output, sizeof(s->output), "%s.out", s->dir);
		if (lstat(s->dir, &st) && lstat(s->output, &st))
			return 0;
	}
	return ret ? ret : err_set(err, -EEXIST, RUNS_DIR " has too many runs of %s", program);
}

static void run_recorder(const struct top_source *s, char *const *argv, const char *purpose, int out)
{
	size_t n = 0;
	char what[64], **words;

	while (argv[n])
		n++;
	words = mem_new(n + 8, sizeof(*words));
	snprintf(what, sizeof(what), "--purpose=%s", purpose);
	words[0] = mem_strdup("perseus");
	words[1] = mem_strdup("record");
	words[2] = what;
	words[3] = mem_strdup("-o");
	words[4] = mem_strdup(s->dir);
	words[5] = mem_strdup("--");
	memcpy(words + 6, argv, n * sizeof(*words));
	setpgid(0, 0); /* Ctrl-C of the terminal ends the looking, not the program */
	dup2(out, 1);
	dup2(out, 2);
	execv("/proc/self/exe", words);
	_exit(127);
}

int top_source_start(struct top_source *s, char *const *argv, const char *purpose, struct err *err)
{
	int ret, out;

	*s = (struct top_source){.recorder = 0};
	ret = free_name(s, argv[0], err);
	if (ret)
		return ret;
	out = open(s->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (out < 0)
		return err_set(err, -errno, "%s: %s", s->output, strerror(errno));
	fflush(NULL);
	s->recorder = fork();
	if (!s->recorder)
		run_recorder(s, argv, purpose, out);
	close(out);
	return s->recorder < 0 ? err_set(err, -errno, "fork: %s", strerror(errno)) : 0;
}

bool top_source_goes_on(struct top_source *s)
{
	if (s->recorder > 0 && waitpid(s->recorder, &s->status, WNOHANG) == s->recorder)
		s->recorder = 0;
	return s->recorder > 0;
}
