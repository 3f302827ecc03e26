/* SPDX-License-Identifier: MIT */
/*
 * The recorder says when: it writes a word into the control page of the run
 * (perseus/control.h) and wakes who sleeps on it.  The signal of
 * --start-signal is taken by this process and not handed on, so that the
 * program may use the same one for itself.
 */
#include "cmd/record/start.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cmd/base/print.h"
#include "lib/fs.h"
#include "lib/num.h"
#include "lib/spawn/child.h"
#include "perseus/record.h"

#define SECONDS_MAX   (366.0 * 86400)
#define MISSES_MAX    3
#define CLOSE_WAITS   200 /* for processes to close their records */
#define CLOSE_WAIT_NS 5000000

/* ---- options ---------------------------------------------------------------------- */

/* By name, with or without SIG in front, or by number. */
static int signal_of(const char *text)
{
	const char *name = strncmp(text, "SIG", 3) ? text : text + 3;
	uint64_t n;

	if (!num_u64(text, 1, (uint64_t)SIGRTMAX, &n))
		return (int)n;
	for (int i = 1; i < NSIG && i < SIGRTMIN; i++)
		if (sigabbrev_np(i) && !strcmp(sigabbrev_np(i), name))
			return i;
	if (!strncmp(name, "RTMIN+", 6) && !num_u64(name + 6, 0, (uint64_t)(SIGRTMAX - SIGRTMIN), &n))
		return SIGRTMIN + (int)n;
	return strcmp(name, "RTMIN") ? 0 : SIGRTMIN;
}

/* Signals that mean something else here, or cannot be waited for. */
static bool taken(int sig)
{
	switch (sig) {
	case SIGKILL:
	case SIGSTOP:
	case SIGCHLD:
	case SIGINT:
	case SIGTERM:
	case SIGQUIT:
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
		return true;
	default:
		return sig > 31 && sig < SIGRTMIN;
	}
}

static int take_signal(struct record_start *s, const char *value, struct err *err)
{
	s->signal = signal_of(value);
	if (!s->signal)
		return err_set(err, -EINVAL, "--start-signal=%s: expected a signal, for instance USR1 or 10",
			       value);
	if (taken(s->signal))
		return err_set(err, -EINVAL,
			       "--start-signal=%s: this one is needed for other things; USR1 is free", value);
	return 0;
}

static int take_seconds(const char *name, const char *value, uint64_t *out, struct err *err)
{
	double seconds;

	if (num_double(value, 0.001, SECONDS_MAX, &seconds))
		return err_set(err, -EINVAL, "--%s=%s: expected seconds, 0.001 or more", name, value);
	*out = (uint64_t)(seconds * 1e9);
	return 0;
}

int record_start_option(struct record_start *s, const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "start-signal"))
		return take_signal(s, value, err);
	return take_seconds(name, value, strcmp(name, "delay") ? &s->duration_ns : &s->delay_ns, err);
}

int record_start_check(const struct record_start *s, struct err *err)
{
	if (s->signal && s->delay_ns)
		return err_set(err, -EINVAL,
			       "--start-signal and --delay exclude one another: which of them begins?");
	return 0;
}

/* ---- the control page ---------------------------------------------------------------- */

static int control_path(const struct record_start *s, char *path, size_t size, struct err *err)
{
	if (snprintf(path, size, "%s/" PRS_CONTROL_FILE, s->dir) >= (int)size)
		return err_set(err, -ENAMETOOLONG, "the path of the run directory is too long");
	return 0;
}

/* The whole page is written: a hole could not be filled on a full disk. */
static int control_write(const struct record_start *s, const char *path, struct err *err)
{
	struct {
		struct prs_control c;
		char rest[PRS_PAGE_BYTES - sizeof(struct prs_control)];
	} page = {.c = {PRS_CONTROL_MAGIC, s->signal || s->delay_ns ? PRS_CONTROL_WAIT : PRS_CONTROL_OPEN}};

	return fs_write(path, &page, sizeof(page), err);
}

int record_start_prepare(struct record_start *s, const char *dir, struct err *err)
{
	char path[PATH_MAX];
	int fd, ret;

	if (!s->signal && !s->delay_ns && !s->duration_ns)
		return 0;
	snprintf(s->dir, sizeof(s->dir), "%s", dir);
	ret = control_path(s, path, sizeof(path), err);
	if (!ret)
		ret = control_write(s, path, err);
	if (ret)
		return ret;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	s->page = fd < 0 ? MAP_FAILED : mmap(NULL, PRS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ret = s->page == MAP_FAILED ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (!ret)
		return 0;
	s->page = NULL;
	return err_set(err, ret, "cannot map '%s': %s", path, strerror(-ret));
}

static void say(struct record_start *s, uint32_t word)
{
	__atomic_store_n(&s->page->word, word, __ATOMIC_RELEASE);
	syscall(SYS_futex, &s->page->word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- records ---------------------------------------------------------------------------- */

static bool is_record(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, ".prec");
}

static bool read_header(int dir, const char *name, struct prs_rec_header *h)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool done = fd >= 0 && pread(fd, h, sizeof(*h), 0) == (ssize_t)sizeof(*h);

	if (fd >= 0)
		close(fd);
	return done;
}

struct tally {
	unsigned begun; /* records in which recording began */
	unsigned open;  /* of these, not closed yet, and their process is there */
	unsigned alive; /* not closed, begun or not, and their process is there */
};

static void start_add(struct tally *t, const struct prs_rec_header *h)
{
	bool runs = h->state == PRS_REC_RUNNING && h->off_reason != PRS_OFF_START &&
		    (!kill((pid_t)h->pid, 0) || errno == EPERM);

	t->alive += runs;
	t->begun += h->tsc_start != 0;
	t->open += runs && h->tsc_start;
}

/* Look at all records; with @remove those in which nothing ever began are removed. */
static struct tally start_look(const struct record_start *s, bool remove)
{
	struct tally t = {0, 0, 0};
	DIR *d = opendir(s->dir);
	struct prs_rec_header h;
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		if (!is_record(e->d_name) || !read_header(dirfd(d), e->d_name, &h))
			continue;
		if (!h.tsc_start && remove)
			unlinkat(dirfd(d), e->d_name, 0);
		start_add(&t, &h);
	}
	if (d)
		closedir(d);
	return t;
}

/* Each process closes its record as soon as it is woken; one that is stopped or swapped out may not. */
static void wait_closed(const struct record_start *s)
{
	const struct timespec pause = {0, CLOSE_WAIT_NS};

	for (int i = 0; i < CLOSE_WAITS && start_look(s, false).open; i++)
		nanosleep(&pause, NULL);
}

/* ---- while the program runs ----------------------------------------------------------------- */

static void chat(const struct record_start *s, const char *what)
{
	if (!s->quiet)
		cmd_say(stderr, "perseus record: %s\n", what);
}

static void greet(const struct record_start *s)
{
	char name[32];

	if (s->quiet || !s->signal)
		return;
	if (sigabbrev_np(s->signal))
		snprintf(name, sizeof(name), "%s", sigabbrev_np(s->signal));
	else
		snprintf(name, sizeof(name), "%d", s->signal);
	cmd_say(stderr, "perseus record: waiting: kill -%s %ld begins the recording, and once more ends it\n",
		name, (long)getpid());
}

static void start_begin(struct record_start *s, uint64_t now)
{
	s->opened_ns = now;
	s->next_ns = s->duration_ns ? now + s->duration_ns : 0;
	if (s->page->word != PRS_CONTROL_WAIT)
		return;
	say(s, PRS_CONTROL_OPEN);
	chat(s, "recording");
}

static void start_end(struct record_start *s, uint64_t now)
{
	s->closed_ns = now;
	s->next_ns = 0;
	say(s, PRS_CONTROL_STOP);
	wait_closed(s);
	chat(s, "stopped; the program goes on");
	s->stopped(s->arg);
}

static uint64_t wake(void *arg, int sig, uint64_t now)
{
	struct record_start *s = arg;
	bool due = sig || (s->next_ns && now >= s->next_ns);

	if (s->closed_ns)
		return 0;
	if (s->opened_ns) {
		if (due)
			start_end(s, now);
	} else if (due || s->page->word == PRS_CONTROL_OPEN) {
		start_begin(s, now);
	} else if (!s->next_ns) {
		greet(s);
		s->next_ns = s->delay_ns ? now + s->delay_ns : 0;
	}
	return s->next_ns;
}

/*
 * A daemon goes on when the program that made it has ended.  It may be just
 * about to open its record: only when none was found a few times there is none.
 */
static bool others(void *arg)
{
	struct record_start *s = arg;

	if (s->closed_ns)
		return false;
	if (start_look(s, false).alive)
		s->misses = 0;
	else if (!s->misses++)
		s->gone_ns = child_clock_ns();
	return s->misses < MISSES_MAX;
}

struct child_watch record_start_watch(struct record_start *s)
{
	return (struct child_watch){s->signal, s->page ? wake : NULL, s->page ? others : NULL, s, NULL};
}

/* ---- afterwards ------------------------------------------------------------------------------- */

bool record_start_end(struct record_start *s)
{
	char path[PATH_MAX];
	struct err err;

	if (!s->page)
		return true;
	if (!s->closed_ns) { /* what is left of it is not waited for any more */
		s->closed_ns = s->misses ? s->gone_ns : child_clock_ns();
		say(s, PRS_CONTROL_STOP);
		wait_closed(s);
	}
	munmap(s->page, PRS_PAGE_BYTES);
	s->page = NULL;
	if (!control_path(s, path, sizeof(path), &err))
		unlink(path);
	return start_look(s, true).begun;
}

void record_start_explain(const struct record_start *s, const char *program, int status)
{
	const char *why = s->opened_ns ? "none of its instrumented code was there when the recording began"
			  : s->signal  ? "it ended before the signal came"
				       : "it ended before --delay was over";

	cmd_say(stderr,
		"perseus record: nothing of '%s' was recorded: %s; no run is kept\n"
		"  (the program ended with %d)\n",
		program, why, status);
}
