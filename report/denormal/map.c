/* SPDX-License-Identifier: MIT */
/*
 * The picture of a run: for each array, busiest first, its heat map over all
 * the run, and beside it the epochs in four lines of four; last, from which
 * array (line) to which (column) denormals went.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"
#include "report/denormal/parts.h"
#include "report/denormal/png.h"

#define SIDE   256 /* of one picture */
#define GAP    8
#define MOST   8 /* arrays */
#define WIDTH  (2 * SIDE + 3 * GAP)
#define FRAMES 4 /* in a line */

struct canvas {
	unsigned char *at;
	uint32_t height;
};

/* Of one array: the counts of all epochs, then each alone. */
struct heat {
	const struct denormal_map *map;
	const char *name;
	uint32_t columns, rows; /* of tiles, as they are shown */
	uint64_t sum[PRS_DEN_TILES];
};

/* A line of tiles is shown as a square. */
static void shape(struct heat *h)
{
	h->rows = h->map->raw.rows;
	h->columns = h->map->raw.columns;
	if (h->rows > 1)
		return;
	h->columns = (uint32_t)ceil(sqrt(h->map->raw.columns));
	h->rows = (h->map->raw.columns + h->columns - 1) / h->columns;
}

static unsigned char shade(uint64_t n, uint64_t most)
{
	return n ? (unsigned char)(32 + 223 * log1p((double)n) / log1p((double)most)) : 0;
}

/* A square of @side points at (@x, @y): tiles @n, in @columns. */
static void draw(struct canvas *c, uint32_t x, uint32_t y, uint32_t side, const uint64_t *n, uint32_t columns,
		 uint32_t rows, uint32_t tiles, uint64_t most)
{
	for (uint32_t v = 0; v < side; v++)
		for (uint32_t u = 0; u < side; u++) {
			uint32_t tile = v * rows / side * columns + u * columns / side;
			uint64_t count = tile < tiles ? n[tile] : 0;

			c->at[(size_t)(y + v) * WIDTH + x + u] = shade(count, most);
		}
}

static uint64_t largest(const uint64_t *n, size_t of)
{
	uint64_t most = 0;

	for (size_t i = 0; i < of; i++)
		most = n[i] > most ? n[i] : most;
	return most;
}

static void draw_heat(struct canvas *c, uint32_t y, struct heat *h)
{
	uint32_t tiles = h->map->raw.rows * h->map->raw.columns, small = SIDE / FRAMES;
	uint64_t frame[PRS_DEN_TILES], most = 0;

	for (uint32_t e = 0; e < h->map->raw.epochs; e++)
		for (uint32_t t = 0; t < tiles; t++) {
			uint32_t n = h->map->count[(size_t)e * tiles + t];

			h->sum[t] += n;
			most = n > most ? n : most;
		}
	shape(h);
	draw(c, GAP, y, SIDE, h->sum, h->columns, h->rows, tiles, largest(h->sum, tiles));
	for (uint32_t e = 0; e < h->map->raw.epochs; e++) {
		for (uint32_t t = 0; t < tiles; t++)
			frame[t] = h->map->count[(size_t)e * tiles + t];
		draw(c, 2 * GAP + SIDE + e % FRAMES * small, y + e / FRAMES * small, small - 1, frame,
		     h->columns, h->rows, tiles, most);
	}
}

static const struct denormal_map *map_of(const struct denormal *d, size_t object)
{
	for (size_t i = 0; i < d->maps.n; i++)
		if (d->maps.at[i].object == object)
			return &d->maps.at[i];
	return NULL;
}

/* From which of the first arrays to which. */
static void draw_ways(struct canvas *c, uint32_t y, const struct denormal_report *r, size_t n)
{
	const struct denormal *d = &r->run->counts;
	uint64_t way[MOST * MOST] = {0};

	for (size_t i = 0; i < d->flows.n; i++)
		for (size_t a = 0; d->flows.at[i].kind == PRS_DEN_FLOW_EDGE && a < n; a++)
			for (size_t b = 0; b < n; b++)
				if (r->arrays.at[a].object == d->flows.at[i].from &&
				    r->arrays.at[b].object == d->flows.at[i].to)
					way[a * n + b] += d->flows.at[i].count;
	draw(c, GAP, y, SIDE, way, (uint32_t)n, (uint32_t)n, (uint32_t)(n * n), largest(way, n * n));
}

static void legend_of(const struct denormal_map *m, const char *name, uint32_t y, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	char time[32], n[32];

	strbuf_printf(&sb, "line %u: %s, ", y, name);
	if (m->raw.rows > 1)
		strbuf_printf(&sb, "lines of %s bytes, ", num_group(n, sizeof(n), m->raw.pitch));
	strbuf_printf(&sb, "%u x %u tiles; beside it %u epochs of %s", m->raw.rows, m->raw.columns,
		      m->raw.epochs, num_time(time, sizeof(time), (double)m->raw.epoch_ns * 1e-9));
	if (m->raw.outside)
		strbuf_printf(&sb, "; %s stores before it was known how long its lines are are not in it",
			      num_group(n, sizeof(n), m->raw.outside));
	denormal_sentence(out, y == GAP ? "map" : "", sb.s);
	strbuf_release(&sb);
}

int denormal_map_png(const struct denormal_report *r, struct strbuf *png, struct strbuf *legend,
		     struct err *err)
{
	const struct denormal *d = &r->run->counts;
	size_t arrays = r->arrays.n < MOST ? r->arrays.n : MOST;
	struct canvas c = {NULL, (uint32_t)(arrays + 1) * (SIDE + GAP) + GAP};
	uint32_t y = GAP;
	int ret;

	c.at = mem_new((size_t)WIDTH * c.height, 1);
	memset(c.at, 16, (size_t)WIDTH * c.height);
	for (size_t i = 0; i < arrays; i++) {
		const struct denormal_map *m = map_of(d, r->arrays.at[i].object);
		struct heat h = {.map = m, .name = r->arrays.at[i].name};

		if (!m)
			continue;
		draw_heat(&c, y, &h);
		legend_of(m, h.name, y, legend);
		y += SIDE + GAP;
	}
	if (arrays) {
		struct strbuf sb = STRBUF_INIT;

		draw_ways(&c, y, r, arrays);
		strbuf_printf(&sb, "line %u: which way they went, from (down) and to (across)", y);
		for (size_t i = 0; i < arrays; i++)
			strbuf_printf(&sb, "%s %s", i ? "," : "", r->arrays.at[i].name);
		denormal_sentence(legend, y == GAP ? "map" : "", sb.s);
		strbuf_release(&sb);
		y += SIDE + GAP;
	}
	ret = png_write(png, c.at, WIDTH, y, err);
	free(c.at);
	return ret;
}
