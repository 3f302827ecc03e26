/* SPDX-License-Identifier: MIT */
/*
 * Data points of multi-core energy accounting: a header, then chunks, each with
 * the time of its first point, all in Protocol Buffers:
 *
 *   03 01 86 01, version 1, u32 length, MeasuredData
 *   03 01 86 02, u32 length, DataSet                    for each chunk
 *
 *   MeasuredData: 1 shot id, 2 sampling rate (double), 3 channels, 6 channel names
 *   DataSet: 1 time (1 s, 2 ns), 2 DataPoints (1 doubles, packed; 2 number; 3 name)
 *
 * The device's clock is even; the time of a chunk is when the host had it. What stays
 * late from one chunk on is points that were lost, early ones that are there twice.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "record/power/meter-file.h"

#define MOST_BYTES    ((size_t)2 << 30)
#define MOST_CHANNELS 64
#define JITTER        6.0 /* times the median of the distances of chunks from where they should be */

/* A part of a message. */
struct wire {
	const unsigned char *at, *end;
};

/* One field of a message. */
struct field {
	uint64_t number, value; /* value: of a varint */
	struct wire bytes;      /* of a text, a message, 8 or 4 bytes */
	unsigned type;
};

static bool varint(struct wire *w, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; w->at < w->end && shift < 64; shift += 7) {
		*out |= (uint64_t)(*w->at & 0x7f) << shift;
		if (!(*w->at++ & 0x80))
			return true;
	}
	return false;
}

/* The next field of @w: 1, 0 at the end, -EINVAL. */
static int next_field(struct wire *w, struct field *f)
{
	uint64_t key, length;

	if (w->at == w->end)
		return 0;
	if (!varint(w, &key))
		return -EINVAL;
	f->number = key >> 3;
	f->type = key & 7;
	length = f->type == 1 ? 8 : 4;
	if (f->type == 0)
		return varint(w, &f->value) ? 1 : -EINVAL;
	if (f->type != 1 && f->type != 5 && (f->type != 2 || !varint(w, &length)))
		return -EINVAL;
	if (length > (uint64_t)(w->end - w->at))
		return -EINVAL;
	f->bytes = (struct wire){w->at, w->at + length};
	w->at += length;
	return 1;
}

static double real(const unsigned char *at)
{
	double x;

	memcpy(&x, at, sizeof(x));
	return x;
}

struct chunk {
	double time;  /* s since the first one */
	size_t first; /* point */
	size_t n;
};

struct points {
	const struct meter_file_options *o;
	double rate;
	char *names[MOST_CHANNELS];
	size_t n_names;
	int channel, trigger; /* numbers; trigger -1: none */
	struct VEC(float) volts, level;
	struct VEC(struct chunk) chunks;
	int64_t sec0, nsec0;
};

bool points_are(const void *data, size_t n)
{
	static const unsigned char magic[] = {3, 1, 0x86, 1};

	return n >= sizeof(magic) && !memcmp(data, magic, sizeof(magic));
}

static int take_header(struct points *p, struct wire w, struct err *err)
{
	struct field f;
	int ret;

	while ((ret = next_field(&w, &f)) > 0) {
		if (f.number == 2 && f.type == 1)
			p->rate = real(f.bytes.at);
		if (f.number == 6 && f.type == 2 && p->n_names < MOST_CHANNELS)
			p->names[p->n_names++] =
				mem_strndup((const char *)f.bytes.at, (size_t)(f.bytes.end - f.bytes.at));
	}
	if (ret || !(p->rate > 0) || p->rate > 1e9)
		return err_set(err, -EINVAL, "'%s': the header has no sampling rate that makes sense",
			       p->o->path);
	return 0;
}

static int channel_called(const struct points *p, const char *name)
{
	for (size_t i = 0; i < p->n_names; i++)
		if (!strcasecmp(p->names[i], name))
			return (int)i;
	return -1;
}

static int choose_channels(struct points *p, struct err *err)
{
	const char *channel = p->o->channel ? p->o->channel : "CPU";

	p->channel = channel_called(p, channel);
	p->trigger = channel_called(p, p->o->trigger ? p->o->trigger : "TRIGGER");
	if (p->channel < 0 || (p->trigger < 0 && p->o->trigger)) {
		err_set(err, -EINVAL, "'%s' has no channel '%s'", p->o->path,
			p->channel < 0 ? channel : p->o->trigger);
		for (size_t i = 0; i < p->n_names && i < 8; i++)
			err_advise(err, "it has: %.40s", p->names[i]);
		return err->code;
	}
	if (!(p->o->resistor > 0) || !(p->o->volts > 0))
		return err_set(
			err, -EINVAL,
			"'%s' has voltages at a sense resistor: how large it is, and the voltage of the "
			"supply?\n  --meter=%s,resistor=0.01,volts=12",
			p->o->path, p->o->path);
	return 0;
}

/* The points of one channel in one chunk. */
static int take_points(struct points *p, struct wire w, int nth, size_t *n, struct err *err)
{
	struct wire data = {NULL, NULL};
	struct field f;
	int number = nth, ret;

	while ((ret = next_field(&w, &f)) > 0) {
		if (f.number == 1 && f.type == 2)
			data = f.bytes;
		if (f.number == 2 && f.type == 0)
			number = f.value < MOST_CHANNELS ? (int)f.value : -1;
		if (f.number == 3 && f.type == 2) {
			char *name =
				mem_strndup((const char *)f.bytes.at, (size_t)(f.bytes.end - f.bytes.at));

			number = channel_called(p, name);
			free(name);
		}
	}
	if (ret || (data.end - data.at) % 8)
		return err_set(err, -EINVAL, "its points are no doubles");
	if (number != p->channel && number != p->trigger)
		return 0;
	*n = (size_t)(data.end - data.at) / 8;
	for (; data.at < data.end; data.at += 8) {
		double x = real(data.at);

		if (!isfinite(x))
			return err_set(err, -EINVAL, "a point of it is no number");
		if (number == p->channel)
			vec_push(&p->volts, (float)x);
		else
			vec_push(&p->level, (float)x);
	}
	return 0;
}

static int take_time(struct points *p, struct wire w, struct chunk *c)
{
	int64_t sec = 0, nsec = 0;
	struct field f;
	int ret;

	while ((ret = next_field(&w, &f)) > 0) {
		if (f.number == 1 && f.type == 0)
			sec = (int64_t)f.value;
		if (f.number == 2 && f.type == 0)
			nsec = (int64_t)f.value;
	}
	if (!p->chunks.n) {
		p->sec0 = sec;
		p->nsec0 = nsec;
	}
	c->time = (double)(sec - p->sec0) + 1e-9 * (double)(nsec - p->nsec0);
	return ret;
}

static int take_chunk(struct points *p, struct wire w, struct err *err)
{
	struct chunk c = {.first = p->volts.n};
	struct field f;
	int ret, nth = 0;

	while ((ret = next_field(&w, &f)) > 0) {
		if (f.number == 1 && f.type == 2 && take_time(p, f.bytes, &c))
			return err_set(err, -EINVAL, "its time cannot be read");
		if (f.number == 2 && f.type == 2 && take_points(p, f.bytes, nth++, &c.n, err))
			return err->code;
	}
	if (ret)
		return err_set(err, -EINVAL, "it is damaged");
	if (p->volts.n != c.first + c.n || (p->trigger >= 0 && p->level.n != p->volts.n))
		return err_set(err, -EINVAL, "its channels have different numbers of points");
	vec_push(&p->chunks, c);
	return 0;
}

static int take_chunks(struct points *p, struct wire w, const unsigned char *begin, struct err *err)
{
	static const unsigned char magic[] = {3, 1, 0x86, 2};

	while (w.at < w.end) {
		size_t at = (size_t)(w.at - begin);
		uint32_t length;

		if (w.end - w.at < 8 || memcmp(w.at, magic, 4))
			return err_set(err, -EINVAL, "'%s', byte %zu: expected a chunk", p->o->path, at);
		memcpy(&length, w.at + 4, 4);
		w.at += 8;
		if (length > (size_t)(w.end - w.at))
			return err_set(err, -EINVAL, "'%s', byte %zu: chunk %zu is cut off", p->o->path, at,
				       p->chunks.n + 1);
		if (take_chunk(p, (struct wire){w.at, w.at + length}, err))
			return err_prefix(err, "'%s', byte %zu, chunk %zu", p->o->path, at, p->chunks.n + 1);
		w.at += length;
	}
	return p->chunks.n ? 0 : err_set(err, -ENODATA, "'%s' has no chunk", p->o->path);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How far each chunk is from where the one before says, and what of that is jitter. */
static double *steps_of(const struct points *p, double *tolerance)
{
	size_t n = p->chunks.n;
	double *d = mem_new(n, sizeof(*d)), *size = mem_new(n, sizeof(*size));

	for (size_t i = 1; i < n; i++) {
		const struct chunk *a = &p->chunks.at[i - 1], *b = &p->chunks.at[i];

		d[i] = b->time - a->time - (double)a->n / p->rate;
		size[i - 1] = fabs(d[i]);
	}
	qsort(size, n - 1, sizeof(*size), by_size);
	*tolerance = fmax(1.5 / p->rate, n > 1 ? JITTER * size[(n - 1) / 2] : 0);
	free(size);
	return d;
}

/* Readings at even distances, apart where points were lost; those that are there twice once. */
static int make_series(struct points *p, struct series *s, struct err *err)
{
	double tolerance, shift = 0, scale = p->o->volts / p->o->resistor;
	double *d = steps_of(p, &tolerance);
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; i < p->chunks.n && !ret; i++) {
		const struct chunk *c = &p->chunks.at[i];
		double back = i + 1 < p->chunks.n ? d[i + 1] : 0;
		size_t twice = 0;

		if (i && fabs(d[i]) > tolerance && fabs(d[i] + back) > tolerance) {
			double lost = round(d[i] * p->rate);

			shift += lost / p->rate;
			twice = lost < 0 ? (size_t)fmin(-lost, (double)c->n) : 0;
			s->doubled += twice;
		}
		for (size_t k = twice; k < c->n && !ret; k++, kept++) {
			size_t at = c->first + k;

			ret = series_add(s, (double)at / p->rate + shift, (double)p->volts.at[at] * scale,
					 err);
			if (p->trigger >= 0)
				p->level.at[kept] = p->level.at[at];
		}
	}
	free(d);
	if (!ret && p->trigger >= 0)
		meter_file_edges(s, p->level.at, s->n);
	return ret ? err_prefix(err, "'%s'", p->o->path) : 0;
}

static int read_all(struct points *p, const struct strbuf *text, struct series *s, struct err *err)
{
	const unsigned char *at = (const unsigned char *)text->s;
	struct wire w = {at, at + text->len};
	uint32_t length;
	int ret;

	if (text->len < 9 || at[4] != 1)
		return err_set(err, -EINVAL, "'%s': data points of another version than 1, or cut off",
			       p->o->path);
	memcpy(&length, at + 5, 4);
	if (length > text->len - 9)
		return err_set(err, -EINVAL, "'%s', byte 9: the header is cut off", p->o->path);
	w.at += 9;
	ret = take_header(p, (struct wire){w.at, w.at + length}, err);
	w.at += length;
	if (!ret)
		ret = choose_channels(p, err);
	if (!ret)
		ret = take_chunks(p, w, at, err);
	return ret ? ret : make_series(p, s, err);
}

int points_read(struct series *s, const struct meter_file_options *o, struct err *err)
{
	struct points p = {.o = o};
	struct strbuf text = STRBUF_INIT;
	int ret = fs_read(o->path, MOST_BYTES, &text, err);

	if (!ret)
		ret = read_all(&p, &text, s, err);
	for (size_t i = 0; i < p.n_names; i++)
		free(p.names[i]);
	vec_release(&p.volts);
	vec_release(&p.level);
	vec_release(&p.chunks);
	strbuf_release(&text);
	return ret;
}
