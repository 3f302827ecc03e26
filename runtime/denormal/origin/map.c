// SPDX-License-Identifier: MIT
/*
 * Maps: where in an object denormals were stored, and when.  An object gets one
 * when it is known how long its lines are, by the distance of two loops over it.
 * When all epochs are used, two become one.
 */
#include <sched.h>
#include <string.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "runtime/denormal/origin/origin.h"

#define CHAINS    1024
#define BYTES_MAX (32u << 20) /* of all maps together */
#define SIDE      64
#define EPOCH_NS  1000000

struct known_map {
	struct known_map *next;
	uint32_t object;
	int held;                /* lock of the map */
	struct prs_den_map *map; /* NULL: not yet, or never */
	bool never;
	uint64_t now;     /* ... at which its epoch was looked up last; under the lock of the map */
	uint32_t *counts; /* ... the counts of that */
	uint64_t first,
		before; /* address of the loop that began the object; denormals that are in no map yet */
};

static struct known_map *maps[CHAINS];
static uint64_t taken;

static struct known_map *known_of(uint32_t object)
{
	struct known_map *m = __atomic_load_n(&maps[object % CHAINS], __ATOMIC_ACQUIRE);

	while (m && m->object != object)
		m = m->next;
	return m;
}

static struct known_map *make_known(uint32_t object, uint64_t first)
{
	struct known_map *m;
	sigset_t old;

	den_lock(&old);
	m = known_of(object);
	if (!m) {
		m = den_alloc(&den.arena, sizeof(*m));
		if (m) {
			m->next = maps[object % CHAINS];
			m->object = object;
			m->first = first;
			__atomic_store_n(&maps[object % CHAINS], m, __ATOMIC_RELEASE);
		}
	}
	den_unlock(&old);
	return m;
}

static uint32_t parts(uint64_t n, uint64_t most)
{
	return (uint32_t)((n + most - 1) / most);
}

/* How @bytes from @start on, with lines of @pitch, 0: not known, are cut into tiles. */
static struct prs_den_map layout(uint64_t start, uint64_t bytes, uint64_t pitch)
{
	struct prs_den_map m = {.start = start, .bytes = bytes, .pitch = pitch ? pitch : bytes};
	uint64_t lines = (bytes + m.pitch - 1) / m.pitch;

	m.row_lines = parts(lines, SIDE);
	m.rows = parts(lines, m.row_lines);
	m.column_bytes = (parts(m.pitch, m.rows > 1 ? SIDE : PRS_DEN_TILES) + 7) & ~7u;
	m.columns = parts(m.pitch, m.column_bytes);
	return m;
}

/* Under the lock. */
static void make_map(struct known_map *k, uint64_t start, uint64_t end, uint64_t pitch)
{
	struct prs_den_map plan, *m;
	uint64_t bytes;

	k->never = true;
	/* Of 2^44 bytes and more a tile would not have 32 bits. */
	if (end <= start || (end - start) >> 44)
		return;
	plan = layout(start, end - start, pitch);
	bytes = sizeof(*m) + (uint64_t)PRS_DEN_EPOCHS * plan.rows * plan.columns * 4;
	m = taken + bytes <= BYTES_MAX ? den_take(PRS_DEN_ITEM_MAP, bytes) : NULL;
	if (!m)
		return;
	taken += bytes;
	plan.item = m->item;
	*m = plan;
	m->object = k->object;
	m->begin_ns = den_now();
	m->epoch_ns = EPOCH_NS;
	m->epochs = 1;
	m->outside = k->before;
	den_publish(m);
	__atomic_store_n(&k->map, m, __ATOMIC_RELEASE);
}

void map_line(uint32_t object, uint64_t start, uint64_t end, uint64_t address, int64_t step, uint64_t n)
{
	struct known_map *k = object == DEN_NONE ? NULL : known_of(object);
	uint64_t size = (uint64_t)(step < 0 ? -step : step) * n, pitch;
	bool whole = n == 1 || size * 2 > end - start;
	sigset_t old;

	if (object == DEN_NONE || (k && (k->map || k->never)))
		return;
	if (!k && !(k = make_known(object, address)))
		return;
	pitch = address > k->first ? address - k->first : k->first - address;
	if (!whole && !pitch)
		return; /* the first loop, or the same again */
	if (pitch < size || pitch * 2 > end - start)
		pitch = 0;
	den_lock(&old);
	if (!k->map && !k->never)
		make_map(k, start, end, whole ? 0 : pitch);
	den_unlock(&old);
}

/* The lock of a map, which takes as long as all else; false: nobody else is there. */
static bool hold(int *held)
{
#if __has_include(<sys/single_threaded.h>)
	if (__libc_single_threaded)
		return false;
#endif
	while (__atomic_exchange_n(held, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	return true;
}

static void let_go(int *held, bool was_held)
{
	if (was_held)
		__atomic_store_n(held, 0, __ATOMIC_RELEASE);
}

/* The counts of the epoch of @now. */
static uint32_t *epoch_at(struct prs_den_map *m, uint64_t now)
{
	size_t tiles = (size_t)m->rows * m->columns;
	uint64_t i = now > m->begin_ns ? (now - m->begin_ns) / m->epoch_ns : 0;

	while (i >= PRS_DEN_EPOCHS) {
		for (size_t e = 0; e < PRS_DEN_EPOCHS / 2; e++)
			for (size_t t = 0; t < tiles; t++) {
				uint64_t sum = (uint64_t)m->count[2 * e * tiles + t] +
					       m->count[(2 * e + 1) * tiles + t];

				m->count[e * tiles + t] = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
			}
		memset(m->count + PRS_DEN_EPOCHS / 2 * tiles, 0, PRS_DEN_EPOCHS / 2 * tiles * 4);
		m->epoch_ns *= 2;
		m->epochs = PRS_DEN_EPOCHS / 2;
		i /= 2;
	}
	if (m->epochs <= i)
		m->epochs = (uint32_t)i + 1;
	return m->count + i * tiles;
}

/* The same, looked up once for each reading of the clock.  Under the lock of the map. */
static uint32_t *counts_at(struct known_map *k, uint64_t now)
{
	if (!k->counts || k->now != now) {
		k->counts = epoch_at(k->map, now);
		k->now = now;
	}
	return k->counts;
}

/* The first of @is that is set, from @i on; or @n. */
static uint32_t next_set(const uint16_t *is, uint32_t i, uint32_t n)
{
	uint64_t four = 0;

	for (; i + 4 <= n && !four; i += 4)
		__builtin_memcpy(&four, is + i, sizeof(four));
	if (four)
		i -= 4;
	while (i < n && !is[i])
		i++;
	return i;
}

/* Sizes are powers of two mostly, and a division takes as long as all the rest. */
static inline uint64_t over(uint64_t n, uint64_t by)
{
	return by & (by - 1) ? n / by : n >> __builtin_ctzll(by);
}

/* The line and the tile that the last element lay in, by their bytes in the object; and the tile's number. */
struct cursor {
	uint64_t begin, end, low, high, first, column; /* first: the number of the line's first tile */
};

/* @at lies in the object. */
static void go_to(const struct prs_den_map *m, struct cursor *c, uint64_t at)
{
	if (at < c->begin || at >= c->end) {
		uint64_t line = over(at, m->pitch);

		c->begin = line * m->pitch;
		c->end = c->begin + m->pitch;
		c->first = over(line, m->row_lines) * m->columns;
		c->low = c->high = c->end;
	}
	if (at >= c->low && at < c->high)
		return;
	if (at >= c->high && at - c->high < m->column_bytes) {
		c->column++;
		c->low = c->high;
	} else {
		c->column = over(at - c->begin, m->column_bytes);
		c->low = c->begin + c->column * m->column_bytes;
	}
	c->high = c->low + m->column_bytes < c->end ? c->low + m->column_bytes : c->end;
}

/* How many elements from @at on lie before @end, if they are @step apart. */
static uint64_t elements_to(uint64_t at, uint64_t end, int64_t step)
{
	if (step <= 0)
		return step ? 1 : ORIGIN_CHUNK;
	return over(end - at + (uint64_t)step - 1, (uint64_t)step);
}

/* How many of @is are set, from @i on and before @end. */
static uint32_t set_between(const uint16_t *is, uint32_t i, uint32_t end)
{
	const uint64_t ones = 0x0001000100010001ull;
	uint32_t sum = 0;
	uint64_t four;

	for (; i + 4 <= end; i += 4) {
		__builtin_memcpy(&four, is + i, sizeof(four));
		sum += (uint32_t)((four & ones) * ones >> 48);
	}
	for (; i < end; i++)
		sum += is[i] & 1u;
	return sum;
}

static void add_to(struct prs_den_map *m, uint32_t *counts, uint64_t address, int64_t step,
		   const uint16_t *is, uint32_t n)
{
	struct cursor c = {1, 0, 0, 0, 0, 0};

	for (uint32_t i = next_set(is, 0, n), last; i < n; i = next_set(is, last, n)) {
		uint64_t at = address + (uint64_t)((int64_t)i * step) - m->start, left;
		uint32_t sum, *count;

		if (at >= m->bytes) {
			m->outside++;
			last = i + 1;
			continue;
		}
		go_to(m, &c, at);
		left = elements_to(at, c.high, step);
		last = left < n - i ? i + (uint32_t)left : n;
		sum = set_between(is, i, last);
		count = &counts[c.first + c.column];
		*count = *count + sum < sum ? UINT32_MAX : *count + sum;
	}
}

void map_add(struct den_origin *o, uint32_t object, uint64_t address, int64_t step, const uint16_t *is,
	     uint32_t n)
{
	struct known_map *k = object == DEN_NONE ? NULL : known_of(object);
	struct prs_den_map *m = k ? __atomic_load_n(&k->map, __ATOMIC_ACQUIRE) : NULL;
	bool held;

	if (!k)
		return;
	if (!m) {
		__atomic_fetch_add(&k->before, set_between(is, 0, n), __ATOMIC_RELAXED);
		return;
	}
	held = hold(&k->held);
	add_to(m, counts_at(k, o->now), address, step, is, n);
	let_go(&k->held, held);
}

/* Which tile @address lies in, and until when its counter is that of now.  Under the lock of the map. */
static void remember(struct den_origin *o, struct known_map *k, uint64_t address)
{
	struct prs_den_map *m = k->map;
	uint32_t *counts = counts_at(k, o->now);
	uint64_t epoch = (uint64_t)(counts - m->count) / ((uint64_t)m->rows * m->columns);
	uint64_t at = address - m->start, line = at / m->pitch, column = at % m->pitch / m->column_bytes;
	uint64_t begin = m->start + line * m->pitch, low = begin + column * m->column_bytes;

	if (at >= m->bytes)
		return;
	o->tile = (struct origin_tile){
		.map = m,
		.low = low,
		.high = low + m->column_bytes < begin + m->pitch ? low + m->column_bytes : begin + m->pitch,
		.until = m->begin_ns + (epoch + 1) * m->epoch_ns,
		.epoch_ns = m->epoch_ns,
		.object = k->object,
		.count = &counts[line / m->row_lines * m->columns + column],
		.held = &k->held,
	};
}

/* The store before lay in the same tile. */
static bool add_to_tile(struct den_origin *o, uint32_t object, uint64_t address)
{
	struct origin_tile *t = &o->tile;
	bool same, held;

	if (!t->map || t->object != object || address - t->low >= t->high - t->low || o->now >= t->until)
		return false;
	held = hold(t->held);
	same = t->map->epoch_ns == t->epoch_ns;
	if (same && *t->count != UINT32_MAX)
		++*t->count;
	let_go(t->held, held);
	return same;
}

void map_one(struct den_origin *o, uint32_t object, uint64_t start, uint64_t end, uint64_t address)
{
	struct known_map *k;
	uint16_t one = 1;
	bool held;

	if (object == DEN_NONE || add_to_tile(o, object, address))
		return;
	map_line(object, start, end, address, 0, 1);
	map_add(o, object, address, 0, &one, 1);
	k = known_of(object);
	o->tile.map = NULL;
	if (!k || !__atomic_load_n(&k->map, __ATOMIC_ACQUIRE))
		return;
	held = hold(&k->held);
	remember(o, k, address);
	let_go(&k->held, held);
}

void map_outside(uint32_t object, uint64_t address)
{
	struct known_map *k = object == DEN_NONE ? NULL : known_of(object);
	struct prs_den_map *m;

	if (object == DEN_NONE || (!k && !(k = make_known(object, address))))
		return;
	m = __atomic_load_n(&k->map, __ATOMIC_ACQUIRE);
	__atomic_fetch_add(m ? &m->outside : &k->before, 1, __ATOMIC_RELAXED);
}

void map_fork(void)
{
	for (int i = 0; i < CHAINS; i++)
		for (struct known_map *k = maps[i]; k; k = k->next)
			k->held = 0;
}
