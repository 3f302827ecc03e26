/* SPDX-License-Identifier: MIT */
/*
 * The record file.
 *
 * The mapping is made once, over far more than the file has, so that no
 * address ever moves.  Space is allocated before a page is touched: a full
 * disk is an error return here and not a SIGBUS in the user's program.
 * Ranges that nobody touches stay holes.
 */
#include <errno.h>

#include "arch/crc.h"
#include "runtime/base/file.h"

#define PAGE       ((uint64_t)PRS_PAGE_BYTES)
#define SLAB_FIRST (128u << 10)
#define SLAB_MAX   (1u << 20)
#define SLAB_CHUNK (64u << 10) /* larger chunks get a range of their own */

/* Whether the processor computes checksums. */
enum crc { CRC_UNKNOWN = 0, CRC_NONE = 1, CRC_HERE = 2 };

/* Written by all threads, though seldom: a line that no probe reads. */
static struct {
	uint64_t allocated __attribute__((aligned(64))); /* bytes of disk */
	uint64_t beat;                                   /* ticks of the last heartbeat */
	uint64_t slab_next; /* small chunks are cut from a slab, under slab_lock */
	uint64_t slab_end;
	uint64_t slab_bytes; /* of the next slab */
	uint32_t slab_lock;
	uint32_t crc;  /* enum crc */
	uint32_t full; /* a chunk was refused: ask no more */
	uint64_t dev, ino;
} file;

static uint64_t page_up(uint64_t v)
{
	return (v + PAGE - 1) & ~(PAGE - 1);
}

__attribute__((noinline)) void file_note_off(uint32_t reason)
{
	uint32_t none = PRS_OFF_NONE;

	__atomic_compare_exchange_n(&rt.header->off_reason, &none, reason, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

static void base_file_refuse(uint32_t reason)
{
	rt_store(&file.full, 1);
	file_note_off(reason);
}

static bool same_file(int fd)
{
	struct stat st;

	return fd >= 0 && !sys_fstat(fd, &st) && st.st_dev == file.dev && st.st_ino == file.ino;
}

/*
 * A descriptor of the record.  Programs close descriptors that are not
 * theirs and then reuse the number, so it is looked at before each use.
 */
static int record_fd(bool *opened)
{
	int fd;

	*opened = false;
	if (same_file(rt.fd))
		return rt.fd;
	fd = sys_open(rt.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	if (!same_file(fd)) {
		sys_close(fd);
		return -EBADF;
	}
	*opened = true;
	return fd;
}

static int write_zeros(int fd, uint64_t at, uint64_t bytes)
{
	static const char zeros[65536];

	while (bytes) {
		long n = sys_pwrite(fd, zeros, bytes < sizeof(zeros) ? bytes : sizeof(zeros), at);

		if (n == -EINTR)
			continue;
		if (n <= 0)
			return n ? (int)n : -ENOSPC;
		at += (uint64_t)n;
		bytes -= (uint64_t)n;
	}
	return 0;
}

static int allocate(int fd, uint64_t at, uint64_t bytes)
{
	int ret;

	if (at + bytes > sys_file_limit())
		return -EFBIG;
	do
		ret = sys_fallocate(fd, at, bytes);
	while (ret == -EINTR);
	if (ret == -EOPNOTSUPP || ret == -ENOSYS)
		ret = write_zeros(fd, at, bytes);
	return ret;
}

/*
 * A @fresh range, of which nothing was written yet, is written as zeros: then
 * its pages are there, in large pieces, when the first store comes.  A store to
 * a page that is not there takes 24 us of ext4, the writing 0.6 us a page.
 */
static bool back(uint64_t at, uint64_t bytes, bool fresh)
{
	uint64_t begin = at & ~(PAGE - 1), len = page_up(at + bytes) - begin;
	bool opened;
	int fd, ret;

	if (rt_load(&file.full))
		return false;
	if (rt_add(&file.allocated, len) + len > rt.limit) {
		base_file_refuse(PRS_OFF_LIMIT);
		return false;
	}
	fd = record_fd(&opened);
	ret = fd < 0 ? fd : allocate(fd, begin, len);
	if (!ret && fresh)
		ret = write_zeros(fd, at, bytes);
	if (opened)
		sys_close(fd);
	if (ret)
		base_file_refuse(PRS_OFF_DISK);
	return !ret;
}

bool file_back(uint64_t at, uint64_t bytes)
{
	return back(at, bytes, false);
}

/* Space for the front of a chunk, and for its last page: the file must reach to its end. */
static bool back_chunk(uint64_t at, uint64_t bytes, uint64_t backed)
{
	if (!back(at, backed, true))
		return false;
	return page_up(backed) >= bytes || file_back(at + bytes - PAGE, PAGE);
}

/* A range of its own; 0: no room. */
static uint64_t range_take(uint64_t bytes, uint64_t backed)
{
	uint64_t at;

	if (rt_load(&file.full))
		return 0;
	at = __atomic_fetch_add(&rt.header->next, bytes, __ATOMIC_RELAXED);
	if (at + bytes > rt.map_bytes) {
		base_file_refuse(PRS_OFF_MAP);
		return 0;
	}
	return back_chunk(at, bytes, backed) ? at : 0;
}

/*
 * Most threads of a full slab have ended: what the others still use of it
 * comes back page by page.  A timing run would pay for that, and writes little.
 */
void file_leave(const void *from, uint64_t bytes)
{
	if (rt.purpose == PRS_PURPOSE_SHARING)
		sys_madvise((void *)from, bytes, MADV_DONTNEED);
}

/*
 * Small chunks come from slabs that get their space at one stroke: a thread
 * that lives for a millisecond must not spend it on growing the file.  All
 * signals are blocked here, by the caller.
 */
static uint64_t slab_take(uint64_t bytes)
{
	uint64_t at = 0;

	while (__atomic_exchange_n(&file.slab_lock, 1, __ATOMIC_ACQUIRE))
		sys_sched_yield();
	if (file.slab_end - file.slab_next < bytes) {
		if (file.slab_end)
			file_leave(rt.base + file.slab_end - file.slab_bytes, file.slab_bytes);
		if (file.slab_bytes < SLAB_MAX)
			file.slab_bytes *= 2;
		file.slab_next = range_take(file.slab_bytes, file.slab_bytes);
		file.slab_end = file.slab_next ? file.slab_next + file.slab_bytes : 0;
	}
	if (file.slab_next) {
		at = file.slab_next;
		file.slab_next += bytes;
	}
	__atomic_store_n(&file.slab_lock, 0, __ATOMIC_RELEASE);
	return at;
}

struct prs_chunk *file_chunk(uint32_t type, uint32_t entry_bytes, uint32_t thread, uint64_t bytes,
			     uint64_t backed)
{
	bool small = bytes == backed && bytes <= SLAB_CHUNK;
	struct prs_chunk *c;
	uint64_t at, old;

	sys_signals_block(&old);
	at = small ? slab_take(bytes) : range_take(bytes, backed);
	sys_signals_restore(&old);
	if (!at)
		return NULL;
	c = (struct prs_chunk *)(rt.base + at);
	c->type = (uint16_t)type;
	c->entry_bytes = (uint16_t)entry_bytes;
	c->thread = thread;
	c->bytes = bytes;
	c->pad[1] = entry_bytes ? (bytes - sizeof(*c)) / entry_bytes : 0;
	return c;
}

void file_publish(struct prs_chunk *c)
{
	rt_publish(&c->magic, PRS_CHUNK_MAGIC);
}

void file_beat(uint64_t now)
{
	uint64_t last = rt_load(&file.beat);

	if (now - last < rt.tick_hz / 100 && last)
		return;
	rt_store(&file.beat, now);
	rt_store(&rt.header->heartbeat_ns, sys_clock(CLOCK_MONOTONIC_RAW));
}

/* ---- checksums ------------------------------------------------------------- */

static __attribute__((noinline)) uint32_t crc_on(uint32_t crc, const void *data, uint64_t bytes)
{
	return arch_crc32c(crc, data, bytes);
}

static bool crc_here(void)
{
	if (!file.crc)
		file.crc = arch_has_crc32() ? CRC_HERE : CRC_NONE;
	return file.crc == CRC_HERE;
}

/* Log and events are only ever appended; all else is counted up, taken back or used again. */
static bool lasting(const struct prs_chunk *c)
{
	return c->type == PRS_CHUNK_LOG || c->type == PRS_CHUNK_EVENT;
}

void file_seal(struct prs_chunk *c)
{
	struct prs_chunk front;
	uint64_t taken, at;
	uint32_t crc;

	if (!c || !lasting(c) || !crc_here())
		return;
	front = *c;
	taken = front.pad[0] < front.pad[1] ? front.pad[0] : front.pad[1];
	if (front.used != taken) /* an entry is being filled below us */
		return;
	front.crc = 0;
	at = file_offset(c);
	crc = crc_on(0, &at, sizeof(at));
	crc = crc_on(crc, &front, offsetof(struct prs_chunk, pad));
	crc = crc_on(crc, c + 1, taken * front.entry_bytes);
	rt_store(&c->crc, crc ? crc : 1);
}

void file_seal_start(struct prs_rec_header *h)
{
	static const uint16_t range[][2] = PRS_SUM_START_RANGES;
	uint32_t crc = 0;

	if (!crc_here())
		return;
	for (unsigned i = 0; i < sizeof(range) / sizeof(range[0]); i++)
		crc = crc_on(crc, (unsigned char *)h + range[i][0], (uint64_t)range[i][1] - range[i][0]);
	h->header_crc = crc;
	rt_publish(&h->checksum_kind, PRS_SUM_START);
}

/* ---- streams --------------------------------------------------------------- */

/* Chunks double from one page to 64 kB: short threads stay small, long ones rarely come here. */
static uint64_t next_bytes(const struct rt_stream *s, uint64_t max)
{
	uint64_t bytes = s->chunk ? s->chunk->bytes * 2 : PAGE;

	if (bytes > 65536)
		bytes = 65536;
	return s->spent + bytes > max ? 0 : bytes;
}

static bool stream_grow(struct rt_stream *s, uint32_t type, uint32_t entry_bytes, uint32_t owner,
			uint64_t max)
{
	struct prs_chunk *c = s->chunk;
	uint64_t bytes, old;
	bool done = false;

	/* What is full stays full, and is asked for more again and again: no system calls for that. */
	if (!next_bytes(s, max) && rt_load(&c->pad[0]) >= c->pad[1])
		return false;
	sys_signals_block(&old);
	if (c && rt_load(&c->pad[0]) < c->pad[1]) {
		done = true; /* a handler was here first */
	} else if ((bytes = next_bytes(s, max))) {
		c = file_chunk(type, entry_bytes, owner, bytes, bytes);
		if (c) {
			file_publish(c);
			s->spent += bytes;
			file_seal(s->chunk);
			rt_publish(&s->chunk, c);
			done = true;
		}
	}
	sys_signals_restore(&old);
	return done;
}

void *stream_take(struct rt_stream *s, uint32_t type, uint32_t entry_bytes, uint32_t owner, uint64_t max,
		  struct prs_chunk **at)
{
	for (;;) {
		struct prs_chunk *c = s->chunk;

		if (c && c->pad[0] < c->pad[1]) {
			uint64_t i = local_fetch_add64(&c->pad[0], 1);

			if (i < c->pad[1]) {
				*at = c;
				return (unsigned char *)(c + 1) + i * entry_bytes;
			}
		}
		if (!stream_grow(s, type, entry_bytes, owner, max))
			return NULL;
	}
}

/* ---- opening ---------------------------------------------------------------- */

char *file_put_text(char *out, const char *end, const char *text)
{
	while (*text && out < end)
		*out++ = *text++;
	return out;
}

char *file_put_number(char *out, const char *end, uint32_t v)
{
	char digits[10];
	int n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n && out < end)
		*out++ = digits[--n];
	return out;
}

static void make_path(uint32_t epoch)
{
	const char *end = rt.path + sizeof(rt.path) - 1;
	char *p = file_put_text(rt.path, end, rt.dir);

	p = file_put_text(p, end, "/");
	p = file_put_number(p, end, rt.pid);
	p = file_put_text(p, end, ".");
	p = file_put_number(p, end, epoch);
	p = file_put_text(p, end, ".prec");
	*p = '\0';
}

/* An exec of the same process finds the name taken and counts on. */
static int create(uint32_t *epoch)
{
	int fd = -EEXIST;

	for (*epoch = 0; *epoch < 1u << 20; ++*epoch) {
		make_path(*epoch);
		fd = sys_open(rt.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd != -EEXIST)
			break;
	}
	return fd;
}

static bool reserve(int fd)
{
	static const uint64_t sizes[] = {64ull << 30, 8ull << 30, 1ull << 30, 256ull << 20, 64ull << 20, 0};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t bytes = sizes[i] && sizes[i] < rt.map_max ? sizes[i] : rt.map_max;

		if (sizes[i] > rt.map_max)
			continue;
		rt.base = sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd);
		rt.map_bytes = bytes;
		if (rt.base)
			return true;
	}
	return false;
}

static void fill_header(struct prs_rec_header *h, uint32_t epoch)
{
	static const char magic[] = PRS_REC_MAGIC;
	long n;

	h->major = PRS_REC_MAJOR;
	h->minor = PRS_REC_MINOR;
	h->header_bytes = PRS_PAGE_BYTES;
	h->pid = rt.pid;
	h->ppid = sys_getppid();
	h->epoch = epoch;
	h->purpose = rt.purpose;
	h->limit = rt.limit;
	h->next = PRS_PAGE_BYTES;
	h->clock_kind = rt.tsc ? 0 : 1;
	h->tsc_hz = rt.tick_hz;
	h->block_ticks = rt.block_ticks = rt.block_us * (rt.tick_hz / 1000) / 1000;
	n = sys_readlink("/proc/self/exe", h->exe, sizeof(h->exe) - 1);
	h->exe[n > 0 ? n : 0] = '\0';
	for (int i = 7; i >= 0; i--)
		h->magic[i] = magic[i];
}

bool file_open(void)
{
	uint32_t epoch;
	struct stat st;
	int fd;

	rt.pid = sys_getpid();
	file.full = 0;
	file.slab_next = file.slab_end = 0;
	file.slab_bytes = SLAB_FIRST / 2;
	file.slab_lock = 0;
	file.allocated = PAGE;
	fd = create(&epoch);
	if (fd < 0)
		return false;
	rt.fd = sys_raise_fd(fd);
	if (sys_fstat(rt.fd, &st) || allocate(rt.fd, 0, PAGE) || !reserve(rt.fd)) {
		sys_unlink(rt.path);
		sys_close(rt.fd);
		return false;
	}
	file.dev = st.st_dev;
	file.ino = st.st_ino;
	rt.header = (struct prs_rec_header *)rt.base;
	fill_header(rt.header, epoch);
	return true;
}

void file_drop(void)
{
	sys_munmap(rt.base, rt.map_bytes);
	if (same_file(rt.fd))
		sys_close(rt.fd);
	rt.base = NULL;
	rt.header = NULL;
}
