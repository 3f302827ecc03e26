/* SPDX-License-Identifier: MIT */
#include "recorder/trace-drain.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/spawn/child.h"
#include "perseus/record.h"
#include "perseus/trace.h"
#include "recorder/trace-sums.h"

#define SLEEP_MS    10          /* between two rounds, unless a thread rings the bell */
#define REAP_ROUNDS 5u          /* rounds between two looks at who is still alive */
#define LAST_ROUNDS 4           /* after the program's end, for what others of its processes still write */
#define SPACE_STEP  (8u << 20)  /* bytes written between two looks at the disk */
#define SPACE_MIN   (16u << 20) /* left free on the disk, for the program and the record */
#define NICE        (-10)
#define HIGH_FD     1000 /* descriptors that programs do not count on lie above */

/* The file behind one slot. */
struct output {
	int fd; /* -1: none yet */
	bool live, broken;
	struct prs_packet packet; /* what the next one begins as */
	struct sums *sums;        /* of its calls */
	uint64_t bytes;
};

struct drain {
	char dir[PATH_MAX];
	int fd;
	uint64_t inode, bytes, pid_ns;
	struct prs_trace *head; /* the program may write there: what must not change is kept here */
	struct prs_ring *rings;
	unsigned char *data;
	uint32_t slots;
	uint64_t ring_bytes;
	struct output *outputs;
	uint64_t *tails;
	struct drain_processes processes;
	struct drain_totals totals;
	uint64_t next_look; /* totals.bytes at which to look at the disk */
	uint8_t uuid[16];
	drain_news *news;
	void *context;
	pthread_t thread;
	_Atomic bool stop;
};

static void futex(uint32_t *word, int op, uint32_t value, long ms)
{
	struct timespec limit = {ms / 1000, ms % 1000 * 1000000};

	syscall(SYS_futex, word, op, value, &limit, NULL, 0);
}

/* ---- one packet -------------------------------------------------------------------- */

/* The records between two positions of a ring: one piece, or two where it wraps. */
struct piece {
	unsigned char *at;
	size_t bytes;
};

static void trace_drain_cut(struct drain *d, uint32_t slot, uint64_t from, uint64_t to, struct piece piece[2])
{
	unsigned char *ring = d->data + slot * d->ring_bytes;
	uint64_t begin = from & (d->ring_bytes - 1), left = d->ring_bytes - begin;

	piece[0] = (struct piece){ring + begin, to - from < left ? to - from : left};
	piece[1] = (struct piece){ring, to - from - piece[0].bytes};
}

static uint64_t first_word(const unsigned char *unit)
{
	return __atomic_load_n((const uint64_t *)(const void *)unit, __ATOMIC_RELAXED);
}

/* Records of each class. */
struct tally {
	uint64_t n[4];
};

/* Make the calls what they are in the file, and count all; the thread has no more business with them. */
static void trace_drain_take(struct sums *sums, const struct piece *p, struct tally *t)
{
	for (size_t i = 0; i < p->bytes; i += PRS_UNIT_BYTES) {
		uint64_t *unit = (uint64_t *)(void *)(p->at + i);
		uint64_t first = first_word(p->at + i);

		t->n[first >> PRS_CLASS_SHIFT]++;
		if (first >> PRS_CLASS_SHIFT != PRS_CLASS_CALL)
			continue;
		if (first & PRS_TRACE_DONE)
			unit[0] = first & PRS_TRACE_TIME_MASK;
		else
			unit[1] = sums_call(sums, unit[1]);
	}
}

/* Ticks of the last record that ends at position @to. */
static uint64_t last_ticks(const struct drain *d, uint32_t slot, uint64_t from, uint64_t to)
{
	const unsigned char *ring = d->data + slot * d->ring_bytes;
	uint64_t mask = d->ring_bytes - 1;
	uint64_t word = first_word(ring + ((to - PRS_UNIT_BYTES) & mask));

	if (word >> PRS_CLASS_SHIFT == PRS_CLASS_MORE && to - from >= 2 * PRS_UNIT_BYTES)
		word = first_word(ring + ((to - 2 * PRS_UNIT_BYTES) & mask));
	return word & PRS_TRACE_TIME_MASK;
}

static int write_pieces(int fd, struct iovec *iov, int n)
{
	while (n) {
		ssize_t done = writev(fd, iov, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? errno : ENOSPC;
		while (n && (size_t)done >= iov->iov_len) {
			done -= (ssize_t)iov->iov_len;
			iov++;
			n--;
		}
		if (n) {
			iov->iov_base = (char *)iov->iov_base + done;
			iov->iov_len -= (size_t)done;
		}
	}
	return 0;
}

/* Filling the disk would harm the program that is being looked at. */
static int look_at_disk(struct drain *d)
{
	struct statvfs vfs;

	if (d->totals.bytes < d->next_look)
		return 0;
	d->next_look = d->totals.bytes + SPACE_STEP;
	if (statvfs(d->dir, &vfs))
		return 0;
	return (uint64_t)vfs.f_bavail * vfs.f_frsize < SPACE_MIN + SPACE_STEP ? ENOSPC : 0;
}

static int open_stream(struct drain *d, struct output *o)
{
	char path[PATH_MAX + 48];

	if (o->fd >= 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%u.%u.%u", d->dir, o->packet.pid, o->packet.epoch, o->packet.thread);
	o->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (o->fd < 0)
		return errno;
	d->totals.streams++;
	return 0;
}

/* Nothing more goes to the disk; the threads are told, and what comes meanwhile is counted as lost. */
static void give_up(struct drain *d, struct output *o, int why)
{
	if (!d->totals.error)
		d->totals.error = why;
	/* Half a packet would make the whole file unreadable. */
	if (o->fd >= 0 && ftruncate(o->fd, (off_t)o->bytes))
		o->broken = true;
	__atomic_store_n(&d->head->state, PRS_TRACE_ENDED, __ATOMIC_RELEASE);
}

static int write_packet(struct drain *d, struct output *o, struct piece piece[2])
{
	struct iovec iov[3] = {{&o->packet, sizeof(o->packet)},
			       {piece[0].at, piece[0].bytes},
			       {piece[1].at, piece[1].bytes}};
	uint64_t bytes = sizeof(o->packet) + piece[0].bytes + piece[1].bytes;
	int why = d->totals.error;

	if (!why)
		why = look_at_disk(d);
	if (!why)
		why = open_stream(d, o);
	if (why) {
		give_up(d, o, why);
		return why;
	}
	o->packet.bits = o->packet.all_bits = bytes * 8;
	why = write_pieces(o->fd, iov, 3);
	if (why) {
		give_up(d, o, why);
		return why;
	}
	o->bytes += bytes;
	d->totals.bytes += bytes;
	return 0;
}

/* The records of one slot from its tail up to @head. */
static void trace_drain_copy(struct drain *d, uint32_t slot, uint64_t head)
{
	struct prs_ring *s = &d->rings[slot];
	struct output *o = &d->outputs[slot];
	struct piece piece[2];
	struct tally t = {{0}};

	trace_drain_cut(d, slot, d->tails[slot], head, piece);
	trace_drain_take(o->sums, &piece[0], &t);
	trace_drain_take(o->sums, &piece[1], &t);
	o->packet.begin = first_word(piece[0].at) & PRS_TRACE_TIME_MASK;
	o->packet.end = last_ticks(d, slot, d->tails[slot], head);
	o->packet.discarded = __atomic_load_n(&s->lost_calls, __ATOMIC_RELAXED) +
			      __atomic_load_n(&s->lost_mems, __ATOMIC_RELAXED);
	if (write_packet(d, o, piece)) {
		d->totals.lost_calls += t.n[PRS_CLASS_CALL];
		d->totals.lost_mems += t.n[PRS_CLASS_MEMORY] + t.n[PRS_CLASS_NOTE];
		return;
	}
	d->totals.calls += t.n[PRS_CLASS_CALL];
	d->totals.mems += t.n[PRS_CLASS_MEMORY];
	d->totals.notes += t.n[PRS_CLASS_NOTE];
}

/* ---- slots ------------------------------------------------------------------------- */

static uint32_t process_number(struct drain *d, uint32_t pid, uint32_t epoch)
{
	for (size_t i = d->processes.n; i-- > 0;)
		if (d->processes.at[i].pid == pid && d->processes.at[i].epoch == epoch)
			return (uint32_t)i;
	vec_push(&d->processes, ((struct drain_process){pid, epoch}));
	d->news(d->context, &d->processes);
	return (uint32_t)d->processes.n - 1;
}

static void trace_drain_begin(struct drain *d, uint32_t slot)
{
	const struct prs_ring *s = &d->rings[slot];
	struct output *o = &d->outputs[slot];

	*o = (struct output){.fd = -1, .live = true};
	o->packet.magic = PRS_CTF_MAGIC;
	memcpy(o->packet.uuid, d->uuid, sizeof(d->uuid));
	o->packet.pid = s->owner;
	o->packet.epoch = s->epoch;
	o->packet.thread = s->thread;
	o->packet.tid = s->tid;
	o->packet.stream_id = process_number(d, s->owner, s->epoch);
	o->sums = sums_begin(d->dir, o->packet.pid, o->packet.epoch, o->packet.thread);
}

/* What was lost behind the last packet is said in one without records. */
static void say_rest(struct drain *d, struct output *o, uint64_t lost)
{
	struct piece none[2] = {{NULL, 0}, {NULL, 0}};

	if (o->packet.discarded == lost || o->fd < 0 || d->totals.error)
		return;
	o->packet.discarded = lost;
	o->packet.begin = o->packet.end;
	write_packet(d, o, none);
}

/* Its thread has ended and everything is copied: the slot is free for another. */
static void trace_drain_give_back(struct drain *d, uint32_t slot)
{
	struct prs_ring *s = &d->rings[slot];
	struct output *o = &d->outputs[slot];

	if (o->live) {
		say_rest(d, o, s->lost_calls + s->lost_mems);
		if (o->fd >= 0 && close(o->fd) && !d->totals.error)
			d->totals.error = errno;
		d->totals.lost_calls += s->lost_calls;
		d->totals.lost_mems += s->lost_mems;
		d->totals.gaps += s->gaps;
		d->totals.blocked_ticks += s->blocked_ticks;
		d->totals.without_time += sums_end(o->sums);
	}
	*o = (struct output){.fd = -1};
	s->uses++;
	s->stage = PRS_RING_FILLING;
	__atomic_store_n(&s->owner, 0, __ATOMIC_RELEASE);
}

/* Only what the process itself says, or the kernel where both mean the same by a pid. */
static bool has_died(const struct drain *d, const struct prs_ring *s, uint32_t owner)
{
	if (s->stage == PRS_RING_FILLING || s->pid_ns != d->pid_ns || !d->pid_ns)
		return false;
	return kill((pid_t)owner, 0) && errno == ESRCH;
}

/* Records copied; a program may write anything into its rings. */
static uint64_t trace_drain_visit(struct drain *d, uint32_t slot, bool reap)
{
	struct prs_ring *s = &d->rings[slot];
	struct output *o = &d->outputs[slot];
	uint32_t owner = __atomic_load_n(&s->owner, __ATOMIC_ACQUIRE);
	uint32_t stage = __atomic_load_n(&s->stage, __ATOMIC_ACQUIRE);
	uint64_t head, moved;
	bool ended;

	if (!owner || stage == PRS_RING_FILLING || o->broken)
		return 0;
	ended = stage == PRS_RING_ENDED || (reap && has_died(d, s, owner));
	if (!o->live)
		trace_drain_begin(d, slot);
	head = __atomic_load_n(&s->head, __ATOMIC_ACQUIRE);
	moved = head - d->tails[slot];
	if ((int64_t)moved < 0) /* a handler's publication was overtaken by an older one: soon right again */
		moved = 0;
	if (moved > d->ring_bytes || moved % PRS_UNIT_BYTES) {
		o->broken = true;
		d->totals.damaged++;
		return 0;
	}
	if (moved) {
		trace_drain_copy(d, slot, head);
		d->tails[slot] = head;
		__atomic_store_n(&s->tail, head, __ATOMIC_SEQ_CST);
		if (__atomic_exchange_n(&s->waiting, 0, __ATOMIC_SEQ_CST))
			futex((uint32_t *)(void *)&s->tail, FUTEX_WAKE, 1, 0);
	}
	if (ended)
		trace_drain_give_back(d, slot);
	return moved;
}

static uint64_t round_all(struct drain *d, bool reap)
{
	uint64_t moved = 0;

	__atomic_store_n(&d->head->beat_ns, child_clock_ns(), __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < d->slots; i++)
		moved += trace_drain_visit(d, i, reap);
	return moved;
}

/* A thread that fills a quarter of its ring rings the bell. */
static void doze(struct drain *d)
{
	__atomic_store_n(&d->head->bell, 1, __ATOMIC_SEQ_CST);
	if (!atomic_load(&d->stop))
		futex(&d->head->bell, FUTEX_WAIT, 1, SLEEP_MS);
	__atomic_store_n(&d->head->bell, 0, __ATOMIC_SEQ_CST);
}

static void *drain_main(void *context)
{
	struct drain *d = context;

	/* Of the thread alone, where that is allowed: its work is short, and a full ring costs the program more. */
	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	for (unsigned n = 0; !atomic_load(&d->stop); n++) {
		round_all(d, n % REAP_ROUNDS == 0);
		doze(d);
	}
	__atomic_store_n(&d->head->state, PRS_TRACE_ENDED, __ATOMIC_SEQ_CST);
	for (int i = 0; i < LAST_ROUNDS && round_all(d, true); i++)
		;
	for (uint32_t i = 0; i < d->slots; i++)
		if (d->outputs[i].live)
			trace_drain_give_back(d, i);
	return NULL;
}

/* ---- beginning and end --------------------------------------------------------------- */

/*
 * For processes of our user, who come and get it by /proc.  If what we execute
 * inherited it, it would hand it on to whoever it becomes or executes.
 */
static int make_file(struct drain *d, uint64_t bytes)
{
	int fd = memfd_create("perseus-trace", MFD_ALLOW_SEALING | MFD_CLOEXEC), high = -1;
	struct stat st;

	if (fd < 0)
		return -errno;
	for (int floor = HIGH_FD; high < 0 && floor > 10; floor /= 2)
		high = fcntl(fd, F_DUPFD_CLOEXEC, floor);
	d->fd = high;
	if (high < 0 || fchmod(fd, 0600) || ftruncate(fd, (off_t)bytes) || fstat(fd, &st) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	close(fd);
	d->inode = st.st_ino;
	d->bytes = bytes;
	return 0;
}

static int make_rings(struct drain *d, uint32_t slots, uint64_t ring_bytes)
{
	uint64_t rings = PRS_PAGE_BYTES + slots * sizeof(struct prs_ring);
	struct prs_trace *h;
	void *base;
	int ret;

	d->slots = slots;
	d->ring_bytes = ring_bytes;
	rings = (rings + PRS_PAGE_BYTES - 1) & ~(uint64_t)(PRS_PAGE_BYTES - 1);
	ret = make_file(d, rings + slots * ring_bytes);
	if (ret)
		return ret;
	base = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	h = d->head = base;
	d->rings = (void *)((unsigned char *)base + PRS_PAGE_BYTES);
	d->data = (unsigned char *)base + rings;
	memcpy(h->magic, PRS_TRACE_MAGIC, sizeof(h->magic));
	h->version = PRS_TRACE_VERSION;
	h->slots = slots;
	h->ring_bytes = ring_bytes;
	h->rings = rings;
	h->bytes = d->bytes;
	h->beat_ns = child_clock_ns();
	for (uint32_t i = 0; i < slots; i++) /* a position is never 0 */
		d->tails[i] = d->rings[i].head = d->rings[i].tail = ring_bytes;
	return 0;
}

/* Signals are for the main thread; a file that grows beyond a limit is an error, not a death. */
static int make_thread(struct drain *d)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ret = pthread_create(&d->thread, NULL, drain_main, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -ret;
}

static void drain_free(struct drain *d)
{
	if (d->head)
		munmap(d->head, d->bytes);
	if (d->fd >= 0)
		close(d->fd);
	vec_release(&d->processes);
	free(d->outputs);
	free(d->tails);
	free(d);
}

struct drain *drain_start(const char *dir, const uint8_t uuid[16], uint32_t slots, uint64_t ring_bytes,
			  drain_news *news, void *context, struct err *err)
{
	struct drain *d = mem_new(1, sizeof(*d));
	struct stat st;
	int ret;

	d->fd = -1;
	d->outputs = mem_new(slots, sizeof(*d->outputs));
	d->tails = mem_new(slots, sizeof(*d->tails));
	for (uint32_t i = 0; i < slots; i++)
		d->outputs[i].fd = -1;
	d->news = news;
	d->context = context;
	d->pid_ns = stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
	snprintf(d->dir, sizeof(d->dir), "%s", dir);
	memcpy(d->uuid, uuid, sizeof(d->uuid));
	ret = make_rings(d, slots, ring_bytes);
	if (ret) {
		err_set(err, ret, "cannot make %u trace buffers of %llu kB: %s", slots,
			(unsigned long long)(ring_bytes >> 10), strerror(-ret));
		err_advise(err, "--trace-buffer=1 asks for less memory");
		drain_free(d);
		return NULL;
	}
	ret = make_thread(d);
	if (!ret)
		return d;
	err_set(err, ret, "cannot start the thread that writes the trace: %s", strerror(-ret));
	drain_free(d);
	return NULL;
}

int drain_fd(const struct drain *d)
{
	return d->fd;
}

uint64_t drain_inode(const struct drain *d)
{
	return d->inode;
}

void drain_stop(struct drain *d, struct drain_totals *totals, struct drain_processes *processes)
{
	atomic_store(&d->stop, true);
	if (__atomic_exchange_n(&d->head->bell, 0, __ATOMIC_SEQ_CST))
		futex(&d->head->bell, FUTEX_WAKE, 1, 0);
	pthread_join(d->thread, NULL);
	d->totals.refused = __atomic_load_n(&d->head->refused, __ATOMIC_RELAXED);
	*totals = d->totals;
	*processes = d->processes;
	d->processes = (struct drain_processes)VEC_INIT;
	drain_free(d);
}
