/* SPDX-License-Identifier: MIT */
/* One record file: header, clock, life and release of a run_process. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record/parts.h"

/* More slots than any program has; what a thread's block holds is checked again against its size. */
#define SITES_MAX (1u << 26)

static int check_header(struct prs_rec_header *h, size_t bytes, struct err *err)
{
	static const char zeros[sizeof(h->magic)];

	if (!memcmp(h->magic, zeros, sizeof(zeros)))
		return 1;
	if (memcmp(h->magic, PRS_REC_MAGIC, sizeof(h->magic)))
		return err_set(err, -EINVAL, "is not a Perseus record: it does not begin with its magic");
	if (h->major != PRS_REC_MAJOR)
		return err_set(err, -EINVAL,
			       "is of format version %u.%u, this reader knows %u.x\n"
			       "  record again, or use the perseus that recorded it",
			       h->major, h->minor, PRS_REC_MAJOR);
	if (h->header_bytes != PRS_PAGE_BYTES)
		return err_set(err, -EINVAL, "has a header of %u bytes, expected %u", h->header_bytes,
			       PRS_PAGE_BYTES);
	if (bytes % PRS_PAGE_BYTES)
		return err_set(err, -EINVAL, "is truncated: %zu bytes are not a multiple of %u", bytes,
			       PRS_PAGE_BYTES);
	if (h->n_calls > SITES_MAX || h->n_mems > SITES_MAX)
		return err_set(err, -EINVAL, "has %u call and %u memory sites, expected at most %u",
			       h->n_calls, h->n_mems, SITES_MAX);
	h->exe[sizeof(h->exe) - 1] = '\0';
	return 0;
}

/* True: the file is sealed, and the header is what was sealed.  A wrong header is named and used with care. */
static bool check_sum(struct run_process *p)
{
	const struct prs_rec_header *h = p->header;

	if (h->checksum_kind == PRS_SUM_NONE)
		return false;
	if (h->checksum_kind != PRS_SUM_START && h->checksum_kind != PRS_SUM_SEALED) {
		if (h->minor <= PRS_REC_MINOR)
			process_damage(p, "the header has a checksum of kind %u, which there is not",
				       h->checksum_kind);
		return false;
	}
	if (h->header_crc != sum_of_header(h, h->checksum_kind)) {
		process_damage(p,
			       "the header has a wrong checksum: the clock, limits and counts may be wrong");
		return false;
	}
	return h->checksum_kind == PRS_SUM_SEALED;
}

/* Over a shorter run reading the two clocks one after the other weighs too much. */
#define PAIR_MIN_NS 20000000u

/* A rate of 50 MHz to 20 GHz, or exact nanoseconds; anything else is a broken pair. */
static bool plausible(double ns_per_tick)
{
	return ns_per_tick >= 0.05 && ns_per_tick <= 20.0;
}

double clock_calibrate(const struct run_process *p, const char **how)
{
	const struct prs_rec_header *h = p->header;
	uint64_t ns = h->mono_end_ns > h->mono_start_ns ? h->mono_end_ns - h->mono_start_ns : 0;
	double ratio = 0, rate = h->tsc_hz ? 1e9 / (double)h->tsc_hz : 0;

	if (h->clock_kind == 1) {
		*how = "clock_gettime";
		return 1.0;
	}
	if (h->tsc_end > h->tsc_start)
		ratio = (double)ns / (double)(h->tsc_end - h->tsc_start);
	*how = "time-stamp counter, calibrated over the run";
	if (plausible(ratio) && (ns >= PAIR_MIN_NS || !plausible(rate)))
		return ratio;
	*how = "time-stamp counter, frequency as the runtime found it";
	if (plausible(rate))
		return rate;
	*how = NULL;
	return 0;
}

/* When the last thing that the record tells of happened. */
static uint64_t last_tick(const struct run_process *p)
{
	uint64_t end = p->header->tsc_end > p->header->tsc_start ? p->header->tsc_end : p->header->tsc_start;

	for (size_t i = 0; i < p->n_threads; i++) {
		const struct run_thread *t = &p->threads[i];

		if (t->raw->end_tsc > end)
			end = t->raw->end_tsc;
		if (t->raw->start_tsc > end)
			end = t->raw->start_tsc;
		if (t->n_log && t->log[t->n_log - 1].end > end)
			end = t->log[t->n_log - 1].end;
		if (t->n_events && t->events[t->n_events - 1].end > end)
			end = t->events[t->n_events - 1].end;
		for (size_t k = 0; k < t->n_waits; k++)
			if (t->waits[k].last > end)
				end = t->waits[k].last;
			else if (t->waits[k].flags == PRS_WAIT_OPEN && t->waits[k].first > end)
				end = t->waits[k].first;
	}
	return end;
}

static int load_image(struct run_process *p, const struct image *image, const struct image *sums,
		      struct err *err)
{
	struct chunk_list chunks = VEC_INIT;
	int ret;

	if (image->bytes < PRS_PAGE_BYTES)
		return err_set(err, -EINVAL, "is truncated: %zu bytes, the header alone has %u", image->bytes,
			       PRS_PAGE_BYTES);
	ret = check_header((void *)image->base, image->bytes, err);
	if (ret)
		return ret;
	p->map = image->base;
	p->map_bytes = image->bytes;
	p->header = p->map;
	ret = chunks_walk(p, image, check_sum(p), &chunks, err);
	if (!ret) {
		if (p->header->state == PRS_REC_CLOSED && !p->header->off_reason &&
		    p->header->next > image->bytes)
			process_damage(p, "%zu of %llu bytes are there", image->bytes,
				       (unsigned long long)p->header->next);
		gather_tables(p, &chunks);
		gather_threads(p, &chunks, sums);
		gather_text(p, &chunks);
		gather_counts(p, &chunks);
		p->end = last_tick(p);
		run_process_waits(p);
		p->ns_per_tick = clock_calibrate(p, &p->clock);
	}
	vec_release(&chunks);
	return ret;
}

int process_load(struct run_process *p, const char *dir, const char *file, struct err *err)
{
	struct image image, sums;
	bool traced;
	char path[PATH_MAX];
	int ret;

	*p = (struct run_process){0};
	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the path of record '%s' is too long", file);
	ret = image_load(&image, path, err);
	if (ret == -ENODATA)
		return 1;
	if (ret)
		return ret;
	p->file = mem_strdup(file);
	traced = sums_load(p, &sums, dir);
	ret = load_image(p, &image, traced ? &sums : NULL, err);
	image_release(&sums);
	if (ret < 0) {
		char what[sizeof(err->msg)];

		snprintf(what, sizeof(what), "%s", err->msg);
		err_set(err, ret, "'%s' %s", path, what);
	}
	if (!ret) {
		image.base = NULL; /* the process keeps the copy */
	} else {
		p->map = NULL;
		process_release(p);
	}
	image_release(&image);
	return ret;
}

static void thread_release(struct run_thread *t)
{
	free(t->calls);
	free(t->records);
	free(t->open);
	free(t->totals);
	free(t->log);
	free(t->events);
	free(t->lines);
	free(t->line_copies);
	free(t->notes);
	free(t->waits);
	free((void *)t->mem_counts);
}

void process_release(struct run_process *p)
{
	for (size_t i = 0; i < p->n_threads; i++)
		thread_release(&p->threads[i]);
	free(p->threads);
	free(p->thread_entries);
	free(p->units);
	free(p->unit_entries);
	free(p->shared);
	free(p->modules);
	free(p->module_tables);
	free(p->by_call);
	free(p->by_mem);
	free((void *)p->exited_counts);
	counts_release(p);
	free(p->file);
	free(p->damage);
	if (p->map)
		munmap(p->map, p->map_bytes);
	*p = (struct run_process){0};
}
