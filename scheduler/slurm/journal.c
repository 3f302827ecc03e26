/* SPDX-License-Identifier: MIT */
#include "scheduler/slurm/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

static void plan_init(struct journal_plan *p, size_t tasks)
{
	p->order = mem_new(tasks, sizeof(*p->order));
	p->nodes = mem_new(tasks, sizeof(*p->nodes));
}

static void plan_clear(struct journal_plan *p, size_t tasks)
{
	for (size_t i = 0; i < tasks; i++) {
		free(p->nodes[i]);
		p->nodes[i] = NULL;
	}
	p->n = 0;
}

static void read_order(struct journal *j, size_t task, const char *nodes)
{
	if (j->next.n == j->tasks)
		return;
	free(j->next.nodes[task]);
	j->next.nodes[task] = mem_strdup(nodes);
	j->next.order[j->next.n++] = task;
}

/* A plan is whole: it counts. */
static void read_planned(struct journal *j, size_t n)
{
	struct journal_plan old = j->plan;

	if (n == j->next.n) {
		j->plan = j->next;
		j->next = old;
	}
	plan_clear(&j->next, j->tasks);
}

static void read_state(struct journal_task *t, const char *word)
{
	t->is_final = true;
	t->state = SLURM_UNKNOWN;
	for (int k = 0; slurm_states[k]; k++)
		if (!strcmp(slurm_states[k], word))
			t->state = (enum slurm_state)k;
}

static void journal_line(struct journal *j, const char *line)
{
	char word[16];
	const char *rest;
	size_t number;
	int at = 0;
	struct journal_task *t;

	if (sscanf(line, "%15s %zu%n", word, &number, &at) != 2)
		return;
	rest = line + at + strspn(line + at, " ");
	t = number < j->tasks ? &j->task[number] : NULL;
	if (!strcmp(word, "plan"))
		plan_clear(&j->next, j->tasks);
	else if (!strcmp(word, "planned"))
		read_planned(j, number);
	else if (!strcmp(word, "moving") || !strcmp(word, "moved"))
		j->moving = !strcmp(word, "moving");
	else if (t && !strcmp(word, "submit"))
		*t = (struct journal_task){.submitted = true};
	else if (t && *rest && !strcmp(word, "order"))
		read_order(j, number, rest);
	else if (t && *rest && !strcmp(word, "job"))
		t->id = strtoull(rest, NULL, 10);
	else if (t && *rest && !strcmp(word, "state"))
		read_state(t, rest);
	if (t && *rest) {
		t->started = t->started || !strcmp(word, "started");
		t->skipped = t->skipped || !strcmp(word, "skipped");
	}
	if (t && *rest && !strcmp(word, "ended")) {
		t->ended = true;
		t->status = atoi(rest);
	}
}

int journal_read(struct journal *j, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char buf[65536], *line, *end;
	ssize_t n;

	while ((n = pread(j->fd, buf, sizeof(buf), (off_t)(j->read + text.len))) > 0)
		strbuf_add(&text, buf, (size_t)n);
	strbuf_puts(&text, "");
	for (line = text.s; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		journal_line(j, line);
	}
	j->read += (size_t)(line - text.s);
	strbuf_release(&text);
	return n < 0 ? err_set(err, -errno, "%s: %s", j->path, strerror(errno)) : 0;
}

static int write_line(struct journal *j, const char *line, size_t len, struct err *err)
{
	if (write(j->fd, line, len) != (ssize_t)len || fdatasync(j->fd))
		return err_set(err, errno ? -errno : -EIO, "cannot write %s: %s", j->path, strerror(errno));
	return 0;
}

int journal_add(struct journal *j, struct err *err, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int ret;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	ret = write_line(j, text, strlen(text), err);
	free(text);
	return ret;
}

/* The head of the file: written if it is empty, else it has to be that of this workflow. */
static int read_head(struct journal *j, const struct workflow *w, struct err *err)
{
	char head[256] = "", hash[SHA256_HEX] = "";
	ssize_t n = pread(j->fd, head, sizeof(head) - 1, 0);
	uint64_t key;

	if (n < 0)
		return err_set(err, -errno, "%s: %s", j->path, strerror(errno));
	if (!n) {
		if (getrandom(&key, sizeof(key), 0) != sizeof(key))
			return err_set(err, -EIO, "no random number for the name of this run");
		snprintf(j->key, sizeof(j->key), "%016" PRIx64, key);
		return journal_add(j, err, "perseus-journal 1 %s %s\n", j->key, w->hash);
	}
	if (sscanf(head, "perseus-journal 1 %16s %64s", j->key, hash) != 2)
		return err_set(err, -EINVAL, "%s is no journal of a run on Slurm", j->path);
	if (strcmp(hash, w->hash))
		return err_set(err, -EINVAL,
			       "%s is the journal of another workflow, or of another version of this one",
			       j->path);
	return 0;
}

/* A line that was cut off is ended, so that the next one begins anew. */
static int end_line(struct journal *j, struct err *err)
{
	off_t size = lseek(j->fd, 0, SEEK_END);
	char last = '\n';

	if (size > 0 && pread(j->fd, &last, 1, size - 1) != 1)
		return err_set(err, -EIO, "cannot read %s", j->path);
	return last == '\n' ? 0 : write_line(j, "\n", 1, err);
}

int journal_open(struct journal *j, const char *path, const struct workflow *w, struct err *err)
{
	char real[PATH_MAX];
	int ret;

	*j = (struct journal){.fd = open(path, O_RDWR | O_APPEND | O_CREAT, 0666), .tasks = w->tasks.n};
	j->task = mem_new(j->tasks, sizeof(*j->task));
	plan_init(&j->plan, j->tasks);
	plan_init(&j->next, j->tasks);
	if (j->fd < 0)
		return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	j->path = mem_strdup(realpath(path, real) ? real : path);
	if (flock(j->fd, LOCK_EX | LOCK_NB))
		return err_set(err, -EWOULDBLOCK, "%s belongs to another run that goes on", path);
	ret = end_line(j, err);
	if (!ret)
		ret = read_head(j, w, err);
	return ret ? ret : journal_read(j, err);
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	if (j->task) {
		plan_clear(&j->plan, j->tasks);
		plan_clear(&j->next, j->tasks);
	}
	free(j->plan.order);
	free(j->plan.nodes);
	free(j->next.order);
	free(j->next.nodes);
	free(j->task);
	free(j->path);
	*j = (struct journal){.fd = -1};
}
