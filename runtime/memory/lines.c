/* SPDX-License-Identifier: MIT */
/*
 * Tables of lines, per thread, keyed by line and site.
 *
 * Buckets of a few neighbours instead of free probing: a table that is full
 * of lines that changed hands once (a queue, a buffer passed on) must let in
 * the line that two threads fight for, so the entry with the fewest misses of
 * the bucket gives way: at once if it has one or two, else by a chance of one in
 * that many, which what comes often meets soon and what comes seldom does not.
 * Tables grow by adding a larger one; nothing moves, and a reader may come at
 * any moment.
 */
#include "runtime/base/file.h"
#include "runtime/base/lock.h"
#include "runtime/memory/lines.h"
#include "runtime/memory/mem.h"
#include "runtime/memory/note.h"
#include "runtime/memory/sharing.h"

#define BUCKET      8u
#define LEAVE_BYTES 65536u /* smaller tables go with their slab */

static const uint32_t table_bytes[RT_LINE_TABLES] = {4096, 16384, 65536, 262144, 1u << 20};

static uint64_t lines_hash_of(uint64_t line, uint32_t site)
{
	uint64_t h = (line ^ (uint64_t)site << 40) * 0x9e3779b97f4a7c15ull;

	return h ^ h >> 29;
}

static struct prs_line *bucket_of(struct prs_chunk *c, uint64_t hash)
{
	uint64_t buckets = c->used / BUCKET;

	return (struct prs_line *)(c + 1) + ((hash & 0xffffffffu) * buckets >> 32) * BUCKET;
}

static struct prs_line *memory_lines_find(struct prs_line *b, uint64_t line, uint32_t site, uint32_t owner)
{
	for (uint32_t i = 0; i < BUCKET; i++)
		if (b[i].line == line && b[i].site == site && b[i].generation == owner)
			return &b[i];
	return NULL;
}

static struct prs_line *find_empty(struct prs_line *b)
{
	for (uint32_t i = 0; i < BUCKET; i++)
		if (!b[i].line)
			return &b[i];
	return NULL;
}

static bool lines_grow(struct rt_thread *t)
{
	struct rt_lines *l = t->lines;
	struct prs_chunk *c;
	uint64_t bytes;

	if (l->n == RT_LINE_TABLES)
		return false;
	bytes = table_bytes[l->n];
	c = file_chunk(PRS_CHUNK_LINE, sizeof(struct prs_line), t->index, bytes, bytes);
	if (!c)
		return false;
	c->used = c->pad[1];
	file_publish(c);
	l->table[l->n] = c;
	rt_barrier();
	l->n++;
	return true;
}

/* The entry that matters least. */
static struct prs_line *least_of(struct prs_line *b)
{
	struct prs_line *least = b;

	for (uint32_t i = 1; i < BUCKET; i++)
		if (b[i].misses < least->misses)
			least = &b[i];
	return least;
}

/* In a table that cannot grow; NULL: the newcomer finds no room this time. */
static struct prs_line *displace(struct rt_thread *t, uint64_t hash, bool matters)
{
	struct prs_line *e = least_of(bucket_of(t->lines->table[t->lines->n - 1], hash));
	uint32_t seen = (uint32_t)(e->misses / t->weight);

	if (matters)
		rt_add(seen <= PRS_FEW_MISSES ? &rt.header->passed_lines : &rt.header->lost_lines, t->weight);
	if (seen > PRS_FEW_MISSES && !(matters && mem_draw(t, seen)))
		return NULL;
	rt_publish(&e->line, 0);
	*e = (struct prs_line){0};
	return e;
}

static RT_COLD struct prs_line *lines_place(struct rt_thread *t, uint64_t hash, uint32_t tables)
{
	struct rt_lines *l = t->lines;
	struct prs_line *e = NULL;

	if (l->n)
		e = find_empty(bucket_of(l->table[l->n - 1], hash));
	if (!e && l->n < tables && lines_grow(t))
		e = bucket_of(l->table[l->n - 1], hash);
	if (e)
		return e;
	return l->n ? displace(t, hash, tables == RT_LINE_TABLES) : NULL;
}

static RT_COLD bool lines_setup(struct rt_thread *t)
{
	uint64_t old;

	if (t->lines)
		return true;
	rt_lock(&old);
	t->lines = t->lines_kept;
	if (!t->lines)
		t->lines = t->lines_kept = sys_anon(sizeof(*t->lines));
	if (t->lines)
		t->lines->n = 0;
	rt_unlock(&old);
	return t->lines;
}

void lines_end(struct rt_thread *t)
{
	struct rt_lines *l = t->lines;

	for (uint32_t i = 0; l && i < l->n; i++)
		if (l->table[i]->bytes >= LEAVE_BYTES)
			file_leave(l->table[i], l->table[i]->bytes);
}

struct prs_line *lines_find(const struct rt_thread *t, uint64_t line, uint32_t site)
{
	uint64_t hash = lines_hash_of(line, site);
	uint32_t owner = note_owner(line);
	struct prs_line *e;

	for (uint32_t i = t->lines ? t->lines->n : 0; i-- > 0;) {
		e = memory_lines_find(bucket_of(t->lines->table[i], hash), line, site, owner);
		if (e)
			return e;
	}
	return NULL;
}

struct prs_line *lines_get(struct rt_thread *t, uint64_t line, uint32_t site, uint32_t access,
			   uint32_t tables)
{
	struct prs_line *e = lines_find(t, line, site);
	const struct prs_open *open;

	if (e || !lines_setup(t))
		return e;
	e = lines_place(t, lines_hash_of(line, site), tables);
	if (!e)
		return NULL;
	open = rt_innermost(t);
	e->site = site;
	e->generation = note_owner(line);
	e->kind = PRS_ACCESS_KIND(access);
	e->bytes = PRS_ACCESS_BYTES(access);
	e->path = open ? 64ull * open->record : 0;
	e->first = rt_ticks();
	rt_publish(&e->line, line);
	return e;
}

/* Keep the four threads it was taken from most: the rarest gives way by losing what the newcomer brings. */
static void add_peer(struct prs_line *e, uint32_t thread, uint32_t times)
{
	uint32_t least = 0;

	for (uint32_t i = 0; i < 4; i++) {
		if (!e->peer_count[i] || e->peer[i] == thread) {
			e->peer[i] = thread;
			e->peer_count[i] += times;
			return;
		}
		if (e->peer_count[i] < e->peer_count[least])
			least = i;
	}
	e->peer_count[least] = e->peer_count[least] > times ? e->peer_count[least] - times : 0;
}

void lines_peers(struct prs_line *e, uint32_t from, uint32_t times)
{
	e->peers |= from;
	while (from) {
		add_peer(e, rt_load(&sharing.slot_owner[__builtin_ctz(from)]), times);
		from &= from - 1;
	}
}

void lines_mark(struct prs_line *e, uint32_t access, uint64_t mask)
{
	if (PRS_ACCESS_KIND(access) != PRS_KIND_STORE)
		e->read_mask |= mask;
	if (PRS_ACCESS_KIND(access) != PRS_KIND_LOAD)
		e->write_mask |= mask;
}
