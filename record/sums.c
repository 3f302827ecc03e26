/* SPDX-License-Identifier: MIT */
/* What the recorder of a trace added up for call records, PID.EPOCH.sums beside PID.EPOCH.prec. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lib/crc32c.h"
#include "perseus/sums.h"
#include "record/parts.h"

bool sums_load(struct run_process *p, struct image *sums, const char *dir)
{
	int stem = (int)strlen(p->file) - (int)strlen(".prec");
	struct err err = ERR_INIT;
	char path[PATH_MAX];
	int ret;

	*sums = (struct image){0};
	if (snprintf(path, sizeof(path), "%s/%.*s.sums", dir, stem, p->file) >= (int)sizeof(path))
		return false;
	ret = image_load(sums, path, &err);
	if (ret && ret != -ENOENT && ret != -ENODATA)
		process_damage(p, "the times of traced calls cannot be read: %s", err.msg);
	return ret != -ENOENT;
}

/* The recorder may have been killed between two of the steps by which it adds a call. */
static bool plausible(const struct prs_sum *s, const struct rec_call *r)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < PRS_HIST_BUCKETS; i++)
		n += s->hist[i];
	return n <= s->timed + 1 && s->timed <= n + 1 && s->min <= s->max && s->timed <= r->count &&
	       r->timed <= r->count - s->timed;
}

static void add(struct rec_call *r, const struct prs_sum *s)
{
	if (!r->timed || s->min < r->min)
		r->min = s->min;
	if (s->max > r->max)
		r->max = s->max;
	r->timed += s->timed;
	r->sum += s->sum;
	for (unsigned i = 0; i < PRS_HIST_BUCKETS; i++)
		r->hist[i] += s->hist[i];
}

static void add_entry(struct run_process *p, struct run_thread *t, const struct prs_sum *s)
{
	struct rec_call *r = calls_find(t, 64 * (uint64_t)s->record);

	if (!s->timed)
		return;
	if (r && r->site == s->site && plausible(s, r))
		add(r, s);
	else
		process_damage(p, "the sums of traced calls do not fit call record %u of thread %u",
			       s->record, t->raw->index);
}

/* What it says of whose calls it has, and its checksum if it is finished. */
static bool page_fits(const struct run_process *p, const struct prs_sums_page *page)
{
	static const uint32_t zero;
	const unsigned char *at = (const void *)page;
	size_t front = offsetof(struct prs_sums_page, crc), behind = front + sizeof(zero);
	uint32_t crc = crc32c(0, at, front);

	crc = crc32c(crc, &zero, sizeof(zero));
	crc = crc32c(crc, at + behind, PRS_PAGE_BYTES - behind);
	return !memcmp(page->magic, PRS_SUMS_MAGIC, sizeof(page->magic)) && page->pid == p->header->pid &&
	       page->epoch == p->header->epoch && page->thread < p->n_threads &&
	       page->n_entries <= PRS_SUMS_PER_PAGE && (!page->crc || page->crc == (crc ? crc : 1));
}

static void say_missing(struct run_process *p)
{
	bool traced = false;

	for (size_t i = 0; i < p->n_threads; i++)
		traced |= p->threads[i].raw->traced == 1;
	if (traced)
		process_damage(p, "the times of traced calls are missing, %.*s.sums is not there",
			       (int)strlen(p->file) - (int)strlen(".prec"), p->file);
}

void sums_merge(struct run_process *p, const struct image *sums)
{
	static const char zeros[sizeof(((struct prs_sums_page *)0)->magic)];

	if (!sums) {
		say_missing(p);
		return;
	}
	for (size_t at = 0; at + PRS_PAGE_BYTES <= sums->bytes; at += PRS_PAGE_BYTES) {
		const struct prs_sums_page *page = (const void *)(sums->base + at);
		const struct prs_sum *s = (const void *)(page + 1);

		if (!memcmp(page->magic, zeros, sizeof(zeros))) /* handed out, and not begun */
			continue;
		if (!page_fits(p, page)) {
			process_damage(p, "page %zu of the sums of traced calls is damaged",
				       at / PRS_PAGE_BYTES);
			continue;
		}
		for (uint32_t i = 0; i < page->n_entries; i++)
			add_entry(p, &p->threads[page->thread], &s[i]);
	}
	if (sums->bytes % PRS_PAGE_BYTES)
		process_damage(p, "the sums of traced calls are cut off after %zu bytes", sums->bytes);
}
