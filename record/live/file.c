/* SPDX-License-Identifier: MIT */
/*
 * One record while its process writes it: chunks are only ever added, and entries only
 * appended or counted up, so a look reads what has an end and believes no more than that.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/mem.h"
#include "record/live/parts.h"

#define LINES_A_LOOK (4u << 20) /* bytes of line tables that a look reads; threads take turns */
#define MOVES_TURN   4          /* looks between two readings of a thread's moves */
#define PIECE        65536u
#define SECOND       1000000000u

struct piece { /* a chunk */
	uint64_t offset, bytes;
	uint32_t thread;
	uint16_t type, stride;
	uint64_t *seen; /* WAIT: ticks of each entry at the last look */
	uint64_t n_seen;
};

struct thread_sums {
	uint64_t calls, waited; /* waited: in ticks, with the wait that is going on */
	struct live_lines lines;
	double transfer_rate;
};

struct watched { /* a thread that is there */
	struct prs_thread raw;
	struct task task;
	struct task_look kernel, kernel_before;
	struct thread_sums now, before;
	uint64_t moves, moves_ns; /* from core to core, and when that was read; 0: never */
	double move_rate;
	unsigned n_moves;                       /* readings */
	struct VEC(uint64_t) lost, lost_before; /* by each thread to this one, when lines were added up */
	uint32_t loser;
	struct live_thread out;
	bool looked, ended;
};

struct live_file {
	char *name;
	int fd;
	bool foreign;        /* its process has gone, and another has its number */
	uint64_t size, hole; /* the first page that was no chunk, or the end */
	struct prs_rec_header header;
	struct VEC(struct piece) pieces;    /* ascending */
	struct VEC(struct watched) threads; /* by index */
	size_t turn;                        /* the piece whose lines are the next to be read */
	uint64_t looked_ns;
	size_t looks;
	unsigned char buf[PIECE];
};

/* ---- chunks ------------------------------------------------------------------------------------- */

static bool read_at(struct live_file *f, void *to, size_t bytes, uint64_t offset)
{
	return pread(f->fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static int by_offset(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static struct piece *piece_at(const struct live_file *f, uint64_t offset)
{
	const struct piece key = {.offset = offset};

	return f->pieces.n ? bsearch(&key, f->pieces.at, f->pieces.n, sizeof(key), by_offset) : NULL;
}

/* Bytes of the chunk at @offset, which is taken; a page if there is none. */
static uint64_t take_chunk(struct live_file *f, uint64_t offset, struct piece *new)
{
	struct prs_chunk c;

	new->bytes = 0;
	if (!read_at(f, &c, sizeof(c), offset) || c.magic != PRS_CHUNK_MAGIC || c.bytes < PRS_PAGE_BYTES ||
	    c.bytes % PRS_PAGE_BYTES || c.bytes > f->size - offset)
		return PRS_PAGE_BYTES;
	*new = (struct piece){.offset = offset,
			      .bytes = c.bytes,
			      .thread = c.thread,
			      .type = c.type,
			      .stride = c.entry_bytes};
	return c.bytes;
}

/* New chunks, from the first page on that was none: one that was begun first may be published last. */
static void find_chunks(struct live_file *f)
{
	struct stat st;
	uint64_t end, at = f->hole, hole = 0;
	size_t had = f->pieces.n;

	f->size = !fstat(f->fd, &st) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	end = f->header.next < f->size ? f->header.next : f->size;
	for (uint64_t bytes; at + PRS_PAGE_BYTES <= end; at += bytes) {
		const struct piece *known = at < f->hole ? NULL : piece_at(f, at);
		struct piece new;

		bytes = known ? known->bytes : take_chunk(f, at, &new);
		if (known)
			continue;
		if (!new.bytes && !hole)
			hole = at;
		if (new.bytes)
			vec_push(&f->pieces, new);
	}
	f->hole = hole ? hole : at;
	if (f->pieces.n > had)
		qsort(f->pieces.at, f->pieces.n, sizeof(*f->pieces.at), by_offset);
}

/* How many entries @p has now. */
static uint64_t entries(struct live_file *f, const struct piece *p, size_t least)
{
	uint64_t used, room = p->bytes - sizeof(struct prs_chunk);

	if (p->stride < least ||
	    !read_at(f, &used, sizeof(used), p->offset + offsetof(struct prs_chunk, used)))
		return 0;
	return used < room / p->stride ? used : room / p->stride;
}

typedef void use_entry(struct live_file *f, struct piece *p, uint64_t i, const void *entry, void *to);

/* Each entry of @p, in pieces that fit into the buffer. */
static void each(struct live_file *f, struct piece *p, size_t least, use_entry *use, void *to)
{
	uint64_t n = entries(f, p, least), at_once = PIECE / (p->stride ? p->stride : 1);

	for (uint64_t i = 0; i < n; i += at_once) {
		uint64_t k = n - i < at_once ? n - i : at_once;

		if (!at_once ||
		    !read_at(f, f->buf, k * p->stride, p->offset + sizeof(struct prs_chunk) + i * p->stride))
			return;
		for (uint64_t e = 0; e < k; e++)
			use(f, p, i + e, f->buf + e * p->stride, to);
	}
}

/* ---- entries --------------------------------------------------------------------------------------- */

static void use_thread(struct live_file *f, struct piece *p, uint64_t i, const void *entry, void *to)
{
	const struct prs_thread *raw = entry;

	(void)p;
	(void)i;
	(void)to;
	if (raw->index > f->threads.n + 4096) /* numbers follow each other; a few are on their way */
		return;
	while (f->threads.n <= raw->index)
		vec_add(&f->threads);
	f->threads.at[raw->index].raw = *raw;
}

static void use_call(struct live_file *f, struct piece *p, uint64_t i, const void *entry, void *to)
{
	const struct prs_call *c = entry;

	(void)f;
	(void)p;
	(void)i;
	((struct watched *)to)->now.calls += c->count;
}

static void use_line(struct live_file *f, struct piece *p, uint64_t i, const void *entry, void *to)
{
	const struct prs_line *l = entry;
	struct watched *w = to;

	(void)p;
	(void)i;
	if (!l->line)
		return;
	w->now.lines.transfers += prs_line_moves(l);
	w->now.lines.from_modified += l->from_modified;
	w->now.lines.invalidated += l->invalidated;
	for (size_t k = 0; k < 4; k++) {
		if (!l->peer_count[k] || l->peer[k] >= f->threads.n)
			continue;
		while (w->lost.n <= l->peer[k])
			vec_push(&w->lost, 0);
		w->lost.at[l->peer[k]] += l->peer_count[k];
	}
}

/* Whose count of lost lines rose most since lines were added up before. */
static void find_loser(struct watched *w)
{
	uint64_t most = 0;

	for (size_t i = 0; i < w->lost.n; i++) {
		uint64_t before = i < w->lost_before.n ? w->lost_before.at[i] : 0;
		uint64_t more = w->lost.at[i] > before ? w->lost.at[i] - before : 0;

		if (more > most) {
			most = more;
			w->loser = (uint32_t)i;
		}
	}
	w->lost_before.n = 0;
	for (size_t i = 0; i < w->lost.n; i++)
		vec_push(&w->lost_before, w->lost.at[i]);
}

/* Ticks of the record at @ns. */
static uint64_t ticks_at(const struct live_file *f, uint64_t ns)
{
	const struct prs_rec_header *h = &f->header;
	double hz = h->clock_kind ? 1e9 : (double)h->tsc_hz;

	return ns > h->mono_start_ns ? h->tsc_start + (uint64_t)((double)(ns - h->mono_start_ns) * hz / 1e9)
				     : h->tsc_start;
}

static double ns_of(const struct live_file *f, uint64_t ticks)
{
	return f->header.clock_kind ? (double)ticks : (double)ticks * 1e9 / (double)f->header.tsc_hz;
}

struct wait_look {
	struct watched *w;
	uint64_t now;     /* ticks */
	uint64_t longest; /* of the waits that ended since the last look */
	bool first;
};

static void note_wait(struct live_thread *out, const struct prs_wait *x, bool open)
{
	out->wait_kind = x->kind;
	out->wait_object = x->object;
	out->wait_fd = x->fd;
	out->wait_open = open;
	out->wait_for = x->other;
}

static void use_wait(struct live_file *f, struct piece *p, uint64_t i, const void *entry, void *to)
{
	const struct prs_wait *x = entry;
	struct wait_look *look = to;
	struct watched *w = look->w;
	uint64_t more;

	(void)f;
	if (x->flags & PRS_WAIT_TAKEN)
		return;
	if (x->flags & PRS_WAIT_OPEN) {
		if (!x->first || x->first > look->now)
			return;
		w->now.waited += look->now - x->first;
		note_wait(&w->out, x, true);
		return;
	}
	w->now.waited += x->ticks;
	if (i >= p->n_seen) {
		p->seen = mem_resize(p->seen, i + 1, sizeof(*p->seen));
		memset(p->seen + p->n_seen, 0, (i + 1 - p->n_seen) * sizeof(*p->seen));
		p->n_seen = i + 1;
	}
	more = x->ticks - p->seen[i];
	p->seen[i] = x->ticks;
	if (more > look->longest && !look->first && !w->out.wait_open) {
		look->longest = more;
		note_wait(&w->out, x, false);
	}
}

/* ---- threads ----------------------------------------------------------------------------------------- */

static struct watched *owner(struct live_file *f, const struct piece *p)
{
	struct watched *w = p->thread < f->threads.n ? &f->threads.at[p->thread] : NULL;

	return w && !w->ended ? w : NULL;
}

static void look_at_kernel(struct live_file *f)
{
	for (size_t i = 0; i < f->threads.n; i++) {
		struct watched *w = &f->threads.at[i];
		bool moves;

		if (w->ended || !w->raw.tid)
			continue;
		w->kernel_before = w->kernel;
		moves = w->n_moves < 2 || (f->looks + i) % MOVES_TURN == 0;
		w->ended =
			w->raw.end_tsc || !task_look(&w->task, f->header.pid, w->raw.tid, moves, &w->kernel);
		if (w->ended)
			task_close(&w->task);
		w->before = w->now;
		w->now.calls = w->now.waited = 0;
		w->out = (struct live_thread){
			.wait_for = PRS_NO_THREAD, .loser = PRS_NO_THREAD, .wait_fd = -1};
	}
}

static void look_at_lines(struct live_file *f, uint64_t now_ns)
{
	uint64_t left = LINES_A_LOOK;
	size_t at = f->turn;

	for (size_t k = 0; k < f->pieces.n; k++) {
		struct piece *p = &f->pieces.at[(at + k) % f->pieces.n];
		struct watched *w = p->type == PRS_CHUNK_LINE ? owner(f, p) : NULL;

		if (!w || w->now.lines.at_ns == now_ns)
			continue;
		if (left < p->bytes && left < LINES_A_LOOK)
			break;
		left -= left < p->bytes ? left : p->bytes;
		w->now.lines = (struct live_lines){.at_ns = now_ns};
		w->lost.n = 0;
		/* A thread's tables lie where they lie: all of them, each time it is its turn. */
		for (size_t m = 0; m < f->pieces.n; m++)
			if (f->pieces.at[m].type == PRS_CHUNK_LINE && f->pieces.at[m].thread == p->thread)
				each(f, &f->pieces.at[m], PRS_LINE_BYTES_0, use_line, w);
		find_loser(w);
		f->turn = (at + k + 1) % f->pieces.n;
	}
}

static void look_at_record(struct live_file *f, uint64_t now_ns)
{
	uint64_t now = ticks_at(f, now_ns);

	for (size_t i = 0; i < f->pieces.n; i++) {
		struct piece *p = &f->pieces.at[i];
		struct watched *w = owner(f, p);
		struct wait_look look = {.w = w, .now = now, .first = w && !w->looked};

		if (!w)
			continue;
		if (p->type == PRS_CHUNK_CALL)
			each(f, p, offsetof(struct prs_call, hist), use_call, w);
		if (p->type == PRS_CHUNK_WAIT)
			each(f, p, sizeof(struct prs_wait), use_wait, &look);
	}
}

static double share(uint64_t now, uint64_t before, double ns)
{
	double x = now == UINT64_MAX || before == UINT64_MAX || now < before ? LIVE_UNKNOWN
									     : (double)(now - before) / ns;

	return x > 1 ? 1 : x;
}

static double rate(uint64_t now, uint64_t before, double ns)
{
	if (now == UINT64_MAX || before == UINT64_MAX || now < before)
		return LIVE_UNKNOWN;
	return (double)(now - before) / (ns / 1e9);
}

/* Transfers of a thread are added up when it is its turn: the rate is that of then. */
static double transfer_rate(struct watched *w, bool sharing)
{
	struct thread_sums *now = &w->now;
	const struct thread_sums *old = &w->before;

	if (!now->lines.at_ns) /* a thread that never missed has no table */
		return w->looked && sharing ? 0 : LIVE_UNKNOWN;
	if (now->lines.at_ns != old->lines.at_ns)
		now->transfer_rate = old->lines.at_ns ? rate(now->lines.transfers, old->lines.transfers,
							     (double)(now->lines.at_ns - old->lines.at_ns))
						      : LIVE_UNKNOWN;
	return now->transfer_rate;
}

/* The same of moves between cores, which are read in turn. */
static double move_rate(struct watched *w, uint64_t now_ns)
{
	if (w->kernel.moves == UINT64_MAX)
		return w->n_moves > 1 ? w->move_rate : LIVE_UNKNOWN;
	w->move_rate =
		w->n_moves++ ? rate(w->kernel.moves, w->moves, (double)(now_ns - w->moves_ns)) : LIVE_UNKNOWN;
	w->moves = w->kernel.moves;
	w->moves_ns = now_ns;
	return w->move_rate;
}

static void fill(struct live_file *f, struct watched *w, double ns, uint64_t now_ns)
{
	struct live_thread *t = &w->out;
	bool two = w->looked && ns > 0, clock = f->header.clock_kind || f->header.tsc_hz;

	t->pid = f->header.pid;
	t->index = w->raw.index;
	t->tid = w->raw.tid;
	memcpy(t->name, w->kernel.name, sizeof(t->name));
	t->state = w->kernel.state;
	t->core = w->kernel.core;
	t->running = two ? share(w->kernel.run_ns, w->kernel_before.run_ns, ns) : LIVE_UNKNOWN;
	t->ready = two ? share(w->kernel.ready_ns, w->kernel_before.ready_ns, ns) : LIVE_UNKNOWN;
	t->migrations = move_rate(w, now_ns);
	t->calls = two && f->header.purpose == PRS_PURPOSE_TIMING ? rate(w->now.calls, w->before.calls, ns)
								  : LIVE_UNKNOWN;
	t->waiting = two && clock && w->now.waited >= w->before.waited
			     ? share((uint64_t)ns_of(f, w->now.waited - w->before.waited), 0, ns)
			     : LIVE_UNKNOWN;
	t->transfers = transfer_rate(w, f->header.purpose == PRS_PURPOSE_SHARING);
	t->lines = w->now.lines;
	if (!t->lines.at_ns && f->header.purpose == PRS_PURPOSE_SHARING)
		t->lines.at_ns = now_ns; /* it never took one */
	t->loser = w->lost.n ? w->loser : PRS_NO_THREAD;
	w->looked = true;
}

/* ---- the file --------------------------------------------------------------------------------------- */

/* Has another process the number by now?  The one that wrote the record was there when it began to. */
static bool number_was_given_again(const struct live_file *f)
{
	struct task t = {.opened = false};
	struct task_look look;
	bool there = task_look(&t, f->header.pid, f->header.pid, false, &look);

	task_close(&t);
	return there && look.start_ns > f->header.mono_start_ns + SECOND;
}

struct live_file *live_file_open(const char *dir, const char *name)
{
	char path[PATH_MAX + 256];
	struct live_file *f;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	f = mem_new(1, sizeof(*f));
	f->fd = fd;
	f->name = mem_strdup(name);
	f->hole = PRS_PAGE_BYTES;
	if (read_at(f, &f->header, sizeof(f->header), 0) &&
	    !memcmp(f->header.magic, PRS_REC_MAGIC, sizeof(f->header.magic)) &&
	    f->header.major == PRS_REC_MAJOR) {
		f->foreign = number_was_given_again(f);
		return f;
	}
	live_file_free(f);
	return NULL;
}

void live_file_free(struct live_file *f)
{
	for (size_t i = 0; i < f->pieces.n; i++)
		free(f->pieces.at[i].seen);
	for (size_t i = 0; i < f->threads.n; i++) {
		task_close(&f->threads.at[i].task);
		vec_release(&f->threads.at[i].lost);
		vec_release(&f->threads.at[i].lost_before);
	}
	vec_release(&f->pieces);
	vec_release(&f->threads);
	close(f->fd);
	free(f->name);
	free(f);
}

const char *live_file_name(const struct live_file *f)
{
	return f->name;
}

bool live_file_is_over(const struct live_file *f, const struct live_file *other)
{
	return f->header.state == PRS_REC_CLOSED || f->foreign ||
	       (other->header.pid == f->header.pid && other->header.epoch > f->header.epoch);
}

void live_file_look(struct live_file *f, struct live *l, uint64_t now_ns)
{
	double ns = f->looked_ns ? (double)(now_ns - f->looked_ns) : 0;
	bool there = false;

	if (!read_at(f, &f->header, sizeof(f->header), 0))
		return;
	find_chunks(f);
	for (size_t i = 0; i < f->pieces.n; i++)
		if (f->pieces.at[i].type == PRS_CHUNK_THREAD)
			each(f, &f->pieces.at[i], sizeof(struct prs_thread), use_thread, NULL);
	look_at_kernel(f);
	look_at_record(f, now_ns);
	look_at_lines(f, now_ns);
	for (size_t i = 0; i < f->threads.n; i++) {
		struct watched *w = &f->threads.at[i];

		l->n_ended += w->ended;
		if (w->ended || !w->raw.tid)
			continue;
		fill(f, w, ns, now_ns);
		vec_push(&l->threads, w->out);
		there = true;
	}
	l->n_processes += there;
	l->sharing |= there && f->header.purpose == PRS_PURPOSE_SHARING;
	l->in_bursts |= there && f->header.purpose == PRS_PURPOSE_SHARING &&
			f->header.sharing_mode != PRS_SHARING_PRECISE;
	l->counted |= there && f->header.purpose == PRS_PURPOSE_TIMING;
	f->looked_ns = now_ns;
	f->looks++;
}
