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

#include "cmd/base/cmd.h"
#include "cmd/base/print.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "lib/strbuf.h"
#include "perseus/record.h"
#include "record/file/folder.h"

#define ENVIRON_MAX (4u << 20)
#define RUNS_MAX    100000
#define OUTPUT_MAX  (1u << 20)

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

int top_source_process(struct top_source *s, unsigned pid, const char *verb, struct err *err)
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
				 "perseus %s -- PROGRAM starts one that is; perseus record PROGRAM, and "
				 "then perseus %s -p, too",
				 verb, verb);
	if (!ret)
		snprintf(s->dir, sizeof(s->dir), "%s", dir);
	strbuf_release(&sb);
	return ret;
}

/* perseus.data/NAME-VERB-N that is free. */
static int free_name(struct top_source *s, const char *program, const char *verb, struct err *err)
{
	int ret = fs_mkdirs(RUNS_DIR, err);

	for (unsigned n = 1; !ret && n < RUNS_MAX; n++) {
		struct stat st;

		snprintf(s->dir, sizeof(s->dir), RUNS_DIR "/%.200s-%s-%u", fs_base_name(program), verb, n);
		snprintf(s->output, sizeof(s->output), "%s.out", s->dir);
		if (lstat(s->dir, &st) && lstat(s->output, &st))
			return 0;
	}
	return ret ? ret : err_set(err, -EEXIST, RUNS_DIR " has too many runs of %s", program);
}

static void exec_recorder(const struct top_source *s, char *const *argv, const struct top_start *how)
{
	char purpose[64], sharing[64], **words;
	size_t n = 0, at = 0;

	while (argv[n])
		n++;
	words = mem_new(n + 8, sizeof(*words));
	snprintf(purpose, sizeof(purpose), "--purpose=%s", how->purpose);
	words[at++] = mem_strdup("perseus");
	words[at++] = mem_strdup("record");
	words[at++] = purpose;
	if (how->sharing) {
		snprintf(sharing, sizeof(sharing), "--sharing=%s", how->sharing);
		words[at++] = sharing;
	}
	words[at++] = mem_strdup("-o");
	words[at++] = mem_strdup(s->dir);
	words[at++] = mem_strdup("--");
	memcpy(words + at, argv, n * sizeof(*words));
	execv("/proc/self/exe", words);
}

static void run_started(const struct top_source *s, char *const *argv, const struct top_start *how, int out)
{
	char byte;

	setpgid(0, 0); /* Ctrl-C of the terminal ends the looking, not the program */
	dup2(out, 1);
	dup2(out, 2);
	if (how->hold[1]) {
		close(how->hold[1]); /* or the end of who holds it would not be seen */
		if (read(how->hold[0], &byte, 1) != 1)
			_exit(126);
	}
	if (how->purpose)
		exec_recorder(s, argv, how);
	else
		execvp(argv[0], argv);
	cmd_say(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int top_source_start(struct top_source *s, char *const *argv, const struct top_start *how, struct err *err)
{
	int ret, out;

	*s = (struct top_source){.recorder = 0};
	ret = free_name(s, argv[0], how->verb, err);
	if (ret)
		return ret;
	out = open(s->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (out < 0)
		return err_set(err, -errno, "%s: %s", s->output, strerror(errno));
	fflush(NULL);
	s->recorder = fork();
	if (!s->recorder)
		run_started(s, argv, how, out);
	close(out);
	return s->recorder < 0 ? err_set(err, -errno, "fork: %s", strerror(errno)) : 0;
}

/* The first line that @text has of its own, and what it is continued by. */
static size_t first_words(const char *text)
{
	size_t len = strcspn(text, "\n");

	while (text[len] == '\n' && text[len + 1] == ' ')
		len += 1 + strcspn(text + len + 1, "\n");
	return len;
}

int top_source_failed(const struct top_source *s, struct err *err)
{
	static const char own[] = "perseus record: ";
	bool machine = WIFEXITED(s->status) && WEXITSTATUS(s->status) == CMD_MACHINE;
	struct strbuf text = STRBUF_INIT;
	struct err ignored = ERR_INIT;
	const char *why;

	fs_read(s->output, OUTPUT_MAX, &text, &ignored);
	strbuf_puts(&text, "");
	why = strstr(text.s, own);
	why = why ? why + strlen(own) : "nothing was recorded";
	err_set(err, machine ? -ENOSYS : -ENODATA, "%.*s", (int)first_words(why), why);
	strbuf_release(&text);
	return err_advise(err, "all that it said is in %s", s->output);
}

int top_source_signal(const struct top_source *s)
{
	int status = child_exit_status(s->status);

	/* A recorder ends as its program, by the status of a shell. */
	return s->recorder <= 0 && status > 128 && status < 128 + 65 ? status : 0;
}

void top_source_end(const struct top_source *s, struct strbuf *out)
{
	int status = child_exit_status(s->status), signal = top_source_signal(s);

	if (signal)
		strbuf_printf(out, ", by signal %d (%s)", signal - 128, strsignal(signal - 128));
	else if (status)
		strbuf_printf(out, ", with status %d", status);
}

bool top_source_goes_on(struct top_source *s)
{
	if (s->recorder > 0 && waitpid(s->recorder, &s->status, WNOHANG) == s->recorder)
		s->recorder = 0;
	return s->recorder > 0;
}
