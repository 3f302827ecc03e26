/* SPDX-License-Identifier: MIT */
#include "platform/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"

#define MAX_HELD 64

/* The kernel may apply what was written to a limit a little later. */
#define READ_TRIES    8
#define READ_PAUSE_NS 1000000

enum { LOW, HIGH, ENDS };
enum { GUARD_DONE, GUARD_CHANGED, GUARD_FAILED };

/* A domain, in the page that the guard sees too. */
struct held {
	uint32_t core;
	uint32_t old[ENDS];   /* what its files said */
	uint32_t wrote[ENDS]; /* what was written last ... */
	uint32_t read[ENDS];  /* ... and what they said then: drivers round */
};

struct page {
	uint32_t n; /* of held[], counted up before the first write */
	struct held held[MAX_HELD];
};

struct hold {
	char sysroot[PATH_MAX];
	struct page *page;
};

static const char *const files[ENDS] = {"scaling_min_freq", "scaling_max_freq"};
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#define N_ENDING (sizeof(ending) / sizeof(ending[0]))

/* For the handler; there is one guard at a time. */
static volatile sig_atomic_t guard_pipe = -1;
static pid_t guard_pid;
static struct sigaction before[N_ENDING];

/* ---- files ---- */

static void hold_path_of(const char *sysroot, uint32_t core, int end, char *path, size_t size)
{
	snprintf(path, size, "%s/sys/devices/system/cpu/cpu%" PRIu32 "/cpufreq/%s", sysroot, core,
		 files[end]);
}

static int read_khz(const char *sysroot, uint32_t core, int end, uint32_t *khz)
{
	char path[PATH_MAX + 96], text[32];
	uint64_t value;
	int ret;

	hold_path_of(sysroot, core, end, path, sizeof(path));
	ret = fs_read_small("", path, text, sizeof(text));
	if (ret)
		return ret;
	ret = num_u64(text, 0, UINT32_MAX, &value);
	*khz = (uint32_t)value;
	return ret;
}

static int write_khz(const char *sysroot, uint32_t core, int end, uint32_t khz)
{
	char path[PATH_MAX + 96], text[16];
	int len = snprintf(text, sizeof(text), "%" PRIu32 "\n", khz);
	int fd, ret;

	hold_path_of(sysroot, core, end, path, sizeof(path));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, text, (size_t)len) == len ? 0 : -errno;
	/* On a made-up machine the end of a longer number would stay; sysfs has no lengths. */
	if (!ret && ftruncate(fd, len))
		errno = 0;
	close(fd);
	return ret;
}

/* ---- the guard ---- */

/*
 * True if a file says what this process made of it.  That may still be what it
 * said before: the request is known to the kernel and comes into force later,
 * so the old value has to be written all the same.
 */
static bool hold_is_ours(const char *sysroot, const struct held *d, int end)
{
	static const struct timespec pause = {0, READ_PAUSE_NS};
	uint32_t now;

	for (int n = 0; n < READ_TRIES; n++) {
		if (n)
			nanosleep(&pause, NULL);
		if (!read_khz(sysroot, d->core, end, &now) &&
		    (now == d->old[end] || now == d->wrote[end] || now == d->read[end]))
			return true;
	}
	return false;
}

static int put_back(const char *sysroot, const struct held *d, int end)
{
	if (d->wrote[end] == d->old[end] && d->read[end] == d->old[end])
		return GUARD_DONE;
	if (!hold_is_ours(sysroot, d, end))
		return GUARD_CHANGED;
	return write_khz(sysroot, d->core, end, d->old[end]) ? GUARD_FAILED : GUARD_DONE;
}

static int put_all_back(const char *sysroot, const struct page *page)
{
	int worst = GUARD_DONE;

	for (uint32_t i = 0; i < page->n; i++)
		/* The upper one first: it is never below the lower one that is still set. */
		for (int end = HIGH; end >= LOW; end--) {
			int ret = put_back(sysroot, &page->held[i], end);

			if (ret > worst)
				worst = ret;
		}
	return worst;
}

static void guard(const char *sysroot, const struct page *page, int end_of_pipe)
{
	char byte;
	ssize_t n;

	do
		n = read(end_of_pipe, &byte, 1);
	while (n > 0 || (n < 0 && errno == EINTR));
	_exit(put_all_back(sysroot, page));
}

/* The guard is deaf to all signals that can be refused from its first instruction on. */
static int start_guard(const struct hold *h, struct err *err)
{
	sigset_t all, old;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	guard_pid = fork();
	if (!guard_pid) {
		close(ends[1]);
		guard(h->sysroot, h->page, ends[0]);
	}
	guard_pipe = ends[1];
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[0]);
	if (guard_pid > 0)
		return 0;
	close(ends[1]);
	guard_pipe = -1;
	return err_set(err, -errno, "cannot start the process that restores frequencies: %s",
		       strerror(errno));
}

/* Its exit status; only what a signal handler may call. */
static int end_guard(void)
{
	int status = 0;

	if (guard_pipe < 0)
		return GUARD_DONE;
	close(guard_pipe);
	guard_pipe = -1;
	while (waitpid(guard_pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : GUARD_FAILED;
}

static void on_signal(int sig)
{
	end_guard();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void take_signals(void)
{
	struct sigaction act = {.sa_handler = on_signal};

	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < N_ENDING; i++) {
		sigaction(ending[i], NULL, &before[i]);
		if (before[i].sa_handler == SIG_DFL)
			sigaction(ending[i], &act, NULL);
	}
}

static void leave_signals(void)
{
	for (size_t i = 0; i < N_ENDING; i++)
		if (before[i].sa_handler == SIG_DFL)
			sigaction(ending[i], &before[i], NULL);
}

/* ---- this side ---- */

static int check_files(const struct hold *h, uint32_t core, struct err *err)
{
	char path[PATH_MAX + 96];

	for (int end = LOW; end < ENDS; end++) {
		hold_path_of(h->sysroot, core, end, path, sizeof(path));
		if (access(path, R_OK | W_OK))
			return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	}
	return 0;
}

int hold_open(struct hold **out, const char *sysroot, uint32_t core, struct err *err)
{
	struct hold *h = mem_new(1, sizeof(*h));
	int ret;

	snprintf(h->sysroot, sizeof(h->sysroot), "%s", sysroot);
	h->page = mmap(NULL, sizeof(*h->page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (h->page == MAP_FAILED)
		ret = err_set(err, -errno, "cannot share memory: %s", strerror(errno));
	else
		ret = check_files(h, core, err);
	if (!ret)
		ret = start_guard(h, err);
	if (ret) {
		if (h->page != MAP_FAILED)
			munmap(h->page, sizeof(*h->page));
		free(h);
		return ret;
	}
	take_signals();
	*out = h;
	return 0;
}

static int find_held(struct hold *h, uint32_t core, struct held **out, struct err *err)
{
	struct page *page = h->page;
	struct held *d;
	int ret;

	for (uint32_t i = 0; i < page->n; i++)
		if (page->held[i].core == core) {
			*out = &page->held[i];
			return 0;
		}
	if (page->n == MAX_HELD)
		return err_set(err, -ENOSPC, "more than %d frequency domains at once", MAX_HELD);
	d = &page->held[page->n];
	*d = (struct held){.core = core};
	for (int end = LOW; end < ENDS; end++) {
		ret = read_khz(h->sysroot, core, end, &d->old[end]);
		if (ret)
			return err_set(err, ret, "cannot read %s of core %" PRIu32 ": %s", files[end], core,
				       strerror(-ret));
		d->wrote[end] = d->read[end] = d->old[end];
	}
	__atomic_store_n(&page->n, page->n + 1, __ATOMIC_RELEASE);
	*out = d;
	return 0;
}

/* The guard is told before the file is. */
static int set_end(const struct hold *h, struct held *d, int end, uint32_t khz, struct err *err)
{
	int ret;

	__atomic_store_n(&d->wrote[end], khz, __ATOMIC_RELEASE);
	ret = write_khz(h->sysroot, d->core, end, khz);
	if (ret)
		return err_set(err, ret, "cannot set %s of core %" PRIu32 " to %" PRIu32 " kHz: %s",
			       files[end], d->core, khz, strerror(-ret));
	return 0;
}

/* What the files say now; true if both say @khz. */
static bool is_in_force(const struct hold *h, struct held *d, uint32_t khz)
{
	for (int end = LOW; end < ENDS; end++) {
		uint32_t now;

		if (!read_khz(h->sysroot, d->core, end, &now))
			__atomic_store_n(&d->read[end], now, __ATOMIC_RELEASE);
	}
	return d->read[LOW] == khz && d->read[HIGH] == khz;
}

static bool comes_into_force(const struct hold *h, struct held *d, uint32_t khz)
{
	static const struct timespec pause = {0, READ_PAUSE_NS};

	for (int n = 0; n < READ_TRIES; n++) {
		if (n)
			nanosleep(&pause, NULL);
		if (is_in_force(h, d, khz))
			return true;
	}
	return false;
}

int hold_set(struct hold *h, uint32_t core, uint32_t khz, struct err *err)
{
	struct held *d = NULL;
	int ret = find_held(h, core, &d, err), first;

	if (ret)
		return ret;
	for (int end = LOW; end < ENDS; end++)
		if (!hold_is_ours(h->sysroot, d, end))
			return err_set(err, -EBUSY, "somebody else has set %s of core %" PRIu32 " meanwhile",
				       files[end], core);
	/* In such an order that the lower one is never above the upper one. */
	first = khz > d->read[HIGH] ? HIGH : LOW;
	ret = set_end(h, d, first, khz, err);
	if (!ret)
		ret = set_end(h, d, HIGH - first, khz, err);
	return ret ? ret : !comes_into_force(h, d, khz);
}

int hold_close(struct hold *h, struct err *err)
{
	int status = end_guard();

	leave_signals();
	munmap(h->page, sizeof(*h->page));
	free(h);
	if (status == GUARD_CHANGED)
		return err_set(err, -EBUSY,
			       "somebody else changed a frequency limit meanwhile: it was left as it is");
	if (status != GUARD_DONE)
		return err_set(err, -EIO, "a frequency limit did not take its old value");
	return 0;
}
