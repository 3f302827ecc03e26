// SPDX-License-Identifier: MIT
/*
 * The file: one mapping, never moved, grown by fallocate() before it is
 * touched, so a full disk is an error return.  An item is filled first and then
 * covered by `used`; a file is given its name when its head is whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/denormal/den.h"

#define SPACE_MAX (16ull << 30)
#define SPACE_MIN (256ull << 10)
#define STEP_MIN  (256ull << 10)
#define STEP_MAX  (16ull << 20)
#define FD_MIN    1000

struct den_state den;

static struct {
	char dir[PATH_MAX];
	unsigned char *base;
	uint64_t space, grown, taken; /* taken: behind the last item, seen or not */
	int fd;
	dev_t dev;
	ino_t ino;
	uint32_t numbers[PRS_DEN_ITEM_TYPES];
} file = {.fd = -1};

static int locked;

void den_lock(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, old);
	while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void den_unlock(const sigset_t *old)
{
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
	sigprocmask(SIG_SETMASK, old, NULL);
}

uint64_t den_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void *den_alloc(struct den_arena *a, size_t bytes)
{
	size_t chunk = bytes > 32768 ? bytes : 65536;
	unsigned char *p = a->at;

	bytes = (bytes + 15) & ~(size_t)15;
	if (!p || bytes > (size_t)(a->end - p)) {
		p = mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
		if (chunk != 65536)
			return p;
		a->end = p + chunk;
	}
	a->at = p + bytes;
	return p;
}

/* A quarter of what the address space may still grow by. */
static uint64_t space_allowed(void)
{
	struct rlimit limit;
	unsigned long pages = 0;
	char text[64] = "";
	int fd;
	ssize_t n;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return SPACE_MAX;
	fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		pages = pages * 10 + (unsigned long)(text[i] - '0');
	return pages * 4096 < limit.rlim_cur ? (limit.rlim_cur - pages * 4096) / 4 : 0;
}

static bool ours(void)
{
	struct stat st;

	return file.fd >= 0 && !fstat(file.fd, &st) && st.st_dev == file.dev && st.st_ino == file.ino;
}

static bool grow_by_zeros(uint64_t from, uint64_t bytes)
{
	static const char zeros[4096];

	for (uint64_t at = 0; at < bytes; at += sizeof(zeros))
		if (pwrite(file.fd, zeros, sizeof(zeros), (off_t)(from + at)) != (ssize_t)sizeof(zeros))
			return false;
	return true;
}

/* Room up to @end. */
static bool grow(uint64_t end)
{
	uint64_t step = file.grown / 4;
	struct rlimit limit;

	if (end <= file.grown)
		return true;
	step = step < STEP_MIN ? STEP_MIN : step > STEP_MAX ? STEP_MAX : step;
	if (end > file.space || !ours())
		return false;
	if (end - file.grown > step || file.grown + step > file.space)
		step = (end - file.grown + 4095) & ~4095ull;
	if (getrlimit(RLIMIT_FSIZE, &limit) || file.grown + step > limit.rlim_cur)
		return false;
	if (fallocate(file.fd, 0, (off_t)file.grown, (off_t)step) &&
	    ((errno != EOPNOTSUPP && errno != ENOSYS) || !grow_by_zeros(file.grown, step)))
		return false;
	file.grown += step;
	return true;
}

/* An unnamed file, at a high number, since programs close what is not theirs. */
static bool create(char *path, size_t size)
{
	struct stat st;
	int fd, high;

	if (snprintf(path, size, "%s/.%d.den", file.dir, (int)getpid()) >= (int)size)
		return false;
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	high = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	if (fstat(fd, &st)) {
		close(fd);
		return false;
	}
	file.fd = fd;
	file.dev = st.st_dev;
	file.ino = st.st_ino;
	file.grown = 0;
	return true;
}

/* The next free epoch; a program has one for each image. */
static bool name(const char *from, uint32_t *epoch)
{
	char path[PATH_MAX];

	for (uint32_t e = 0; e < 100000; e++) {
		snprintf(path, sizeof(path), "%s/%d.%u.pden", file.dir, (int)getpid(), e);
		*epoch = e;
		den.head->epoch = e;
		if (!link(from, path)) {
			unlink(from);
			return true;
		}
		if (errno != EEXIST)
			return rename(from, path) == 0;
	}
	return false;
}

static void fill_head(struct prs_den_head *h, uint64_t used)
{
	ssize_t n;

	h->version = PRS_DEN_VERSION;
	h->pid = (uint32_t)getpid();
	h->parent = (uint32_t)getppid();
	h->begin_ns = den_now();
	h->end_ns = h->lost = h->traps = 0;
	n = readlink("/proc/self/exe", h->exe, sizeof(h->exe) - 1);
	h->exe[n > 0 ? n : 0] = '\0';
	h->used = used;
	memcpy(h->magic, PRS_DEN_MAGIC, sizeof(h->magic));
}

static bool map(void)
{
	uint64_t allowed = space_allowed(), size = SPACE_MAX;
	void *p = MAP_FAILED;

	for (; size >= SPACE_MIN && p == MAP_FAILED; size /= 2)
		if (size <= allowed)
			p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.fd, 0);
	if (p == MAP_FAILED)
		return false;
	file.base = p;
	file.space = size * 2;
	return true;
}

static void give_up(const char *path)
{
	if (file.fd >= 0)
		close(file.fd);
	file.fd = -1;
	unlink(path);
}

bool den_file_open(const char *dir)
{
	char path[PATH_MAX];
	uint32_t epoch;

	if (snprintf(file.dir, sizeof(file.dir), "%s", dir) >= (int)sizeof(file.dir) - 64)
		return false;
	if (!create(path, sizeof(path)))
		return false;
	if (!map()) {
		give_up(path);
		return false;
	}
	den.head = (struct prs_den_head *)file.base;
	if (grow(PRS_DEN_HEAD_SIZE)) {
		fill_head(den.head, PRS_DEN_HEAD_SIZE);
		file.taken = PRS_DEN_HEAD_SIZE;
		if (name(path, &epoch))
			return true;
	}
	munmap(file.base, file.space);
	den.head = NULL;
	give_up(path);
	return false;
}

void *den_take(enum prs_den_item_type type, size_t bytes)
{
	struct prs_den_item *item;

	bytes = (bytes + 63) & ~(size_t)63;
	if (!grow(file.taken + bytes)) {
		den.head->lost++;
		return NULL;
	}
	item = (struct prs_den_item *)(file.base + file.taken);
	item->type = type;
	item->number = file.numbers[type]++;
	item->bytes = bytes;
	file.taken += bytes;
	return item;
}

void den_publish(const void *item)
{
	(void)item;
	__atomic_store_n(&den.head->used, file.taken, __ATOMIC_RELEASE);
}

/* What the parent counted is not the child's. */
static void forget_item(struct prs_den_item *item)
{
	struct prs_den_arrays *a = (struct prs_den_arrays *)item;
	struct prs_den_map *m = (struct prs_den_map *)item;

	if (item->type == PRS_DEN_ITEM_FLOWS)
		for (uint32_t i = 0; i < a->n; i++)
			((struct prs_den_flow_row *)(a + 1))[i].count = 0;
	if (item->type == PRS_DEN_ITEM_STATES)
		for (uint32_t i = 0; i < a->n; i++) {
			struct prs_den_state *s = (struct prs_den_state *)(a + 1) + i;

			s->count = s->run = s->most = 0;
		}
	if (item->type == PRS_DEN_ITEM_MAP) {
		m->outside = 0;
		memset(m->count, 0, item->bytes - sizeof(*m));
	}
}

static void forget_counts(void)
{
	uint64_t at = PRS_DEN_HEAD_SIZE;

	while (at < file.taken) {
		struct prs_den_item *item = (struct prs_den_item *)(file.base + at);

		if (item->type == PRS_DEN_ITEM_TABLE) {
			struct prs_den_table *t = (struct prs_den_table *)item;

			memset(t->count, 0, item->bytes - sizeof(*t));
		} else if (item->type == PRS_DEN_ITEM_ARRAYS) {
			struct prs_den_arrays *a = (struct prs_den_arrays *)item;
			struct prs_den_array_row *row = (struct prs_den_array_row *)(a + 1);

			for (uint32_t i = 0; i < a->n; i++)
				row[i].count = 0;
		} else if (item->type == PRS_DEN_ITEM_TRAPS) {
			struct prs_den_traps *t = (struct prs_den_traps *)item;
			struct prs_den_trap_row *row = (struct prs_den_trap_row *)(t + 1);

			for (uint32_t i = 0; i < t->n; i++)
				row[i].operands = row[i].results = row[i].lanes = 0;
		}
		forget_item(item);
		at += item->bytes;
	}
}

static bool copy(void)
{
	uint64_t at = 0;

	if (!grow(file.taken))
		return false;
	while (at < file.taken) {
		ssize_t n = pwrite(file.fd, file.base + at, file.taken - at, (off_t)at);

		if (n <= 0)
			return false;
		at += (uint64_t)n;
	}
	return true;
}

void den_file_fork(void)
{
	char path[PATH_MAX] = "";
	uint64_t grown = file.grown;
	uint32_t epoch;
	int old = file.fd;
	bool made = create(path, sizeof(path)) && copy();

	if (old >= 0 && made)
		close(old);
	if (made && mmap(file.base, file.space, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file.fd, 0) == file.base) {
		forget_counts();
		fill_head(den.head, file.taken);
		if (name(path, &epoch))
			return;
	}
	/* No file: the program goes on and nobody reads what it counts. */
	if (*path)
		give_up(path);
	file.grown = grown;
	if (mmap(file.base, file.space, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != file.base)
		_exit(127);
}
