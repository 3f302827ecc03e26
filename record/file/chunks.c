/* SPDX-License-Identifier: MIT */
/* From bytes to chunks: nothing behind this file meets an offset or count that was not checked. */
#include <errno.h>

#include "perseus/counter.h"
#include "record/file/file.h"

struct chunk_form {
	const char *name;
	uint32_t bytes; /* of an entry as this reader knows it; 0: raw */
};

static const struct chunk_form *form_of(uint16_t type)
{
	static const struct chunk_form forms[] = {
		[PRS_CHUNK_MODULE] = {"module", sizeof(struct prs_module)},
		[PRS_CHUNK_UNIT] = {"unit", sizeof(struct prs_unit)},
		[PRS_CHUNK_THREAD] = {"thread", sizeof(struct prs_thread)},
		[PRS_CHUNK_BLOCK] = {"block", 0},
		[PRS_CHUNK_CALL] = {"call", sizeof(struct prs_call_0)},
		[PRS_CHUNK_LOG] = {"log", sizeof(struct prs_log)},
		[PRS_CHUNK_EVENT] = {"event", sizeof(struct prs_event)},
		[PRS_CHUNK_LINE] = {"line", PRS_LINE_BYTES_0},
		[PRS_CHUNK_NOTE] = {"note", sizeof(struct prs_note)},
		[PRS_CHUNK_COUNTER] = {"counter", sizeof(struct prs_counter)},
		[PRS_CHUNK_TEXT] = {"text", 0},
		[PRS_CHUNK_WAIT] = {"wait", sizeof(struct prs_wait)},
		[PRS_CHUNK_SHARED] = {"shared", sizeof(struct prs_shared)},
	};

	return type < sizeof(forms) / sizeof(forms[0]) && forms[type].name ? &forms[type] : NULL;
}

const void *chunk_entry(const struct run_process *p, const struct chunk_ref *c, uint64_t i)
{
	return (const unsigned char *)p->map + c->offset + sizeof(struct prs_chunk) + i * c->stride;
}

#define BAD_NAMED 3 /* chunks; how many there are says more than where each of them is */

struct walk {
	struct run_process *p;
	const struct image *image;
	size_t extent; /* of the image, at or behind the place of the walk */
	struct chunk_list *out;
	bool sealed;     /* every chunk has a checksum, and the header says how many there are */
	uint64_t budget; /* bytes that may still be checked: a small file keeps no reader busy for hours */
	uint32_t seen;
	uint32_t bad; /* wrong checksums */
};

/*
 * Bytes of a chunk's content up to the end of its data.  What lies in the hole
 * behind it are entries that nobody ever wrote: there may be any number of
 * them in a small file.
 */
static uint64_t written_bytes(const struct walk *w, uint64_t offset, uint64_t bytes)
{
	const struct extent_list *data = &w->image->data;
	uint64_t first = offset + sizeof(struct prs_chunk), end = first;

	for (size_t i = w->extent; i < data->n && data->at[i].begin < offset + bytes; i++)
		end = data->at[i].end;
	if (end > offset + bytes)
		end = offset + bytes;
	return end > first ? end - first : 0;
}

/* Take one chunk over if its type is known and its entries have a size that makes sense. */
static void take(struct walk *w, const struct prs_chunk *h, uint64_t offset)
{
	struct run_process *p = w->p;
	struct chunk_ref c = {.offset = offset,
			      .bytes = h->bytes,
			      .used = h->used,
			      .thread = h->thread,
			      .stride = h->entry_bytes,
			      .type = h->type};
	const struct chunk_form *form = form_of(h->type);
	uint64_t room = h->bytes - sizeof(*h), written;

	if (!form)
		return;
	if (!form->bytes) {
		c.used = c.stride = 0;
	} else if (c.stride < form->bytes || c.stride % 8) {
		process_damage(p, "the %s chunk at byte %llu has entries of %u bytes, expected %u",
			       form->name, (unsigned long long)offset, c.stride, form->bytes);
		return;
	} else if (c.used > room / c.stride) {
		process_damage(p, "the %s chunk at byte %llu claims %llu entries and has room for %llu",
			       form->name, (unsigned long long)offset, (unsigned long long)c.used,
			       (unsigned long long)(room / c.stride));
		c.used = room / c.stride;
	}
	written = written_bytes(w, offset, h->bytes);
	if (c.stride && c.used > written / c.stride + 1)
		c.used = written / c.stride + 1;
	vec_push(w->out, c);
}

static uint64_t check_budget(const struct image *image)
{
	uint64_t data = 0;

	for (size_t i = 0; i < image->data.n; i++)
		data += image->data.at[i].end - image->data.at[i].begin;
	return 4 * data + (64u << 20);
}

static const char *name_of(uint16_t type)
{
	const struct chunk_form *form = form_of(type);

	return form ? form->name : "unknown";
}

/* False: the chunk is not what was written, and nothing of it is to be used. */
static bool sum_holds(struct walk *w, const struct prs_chunk *h, uint64_t at)
{
	uint64_t covers = sum_covers(h);

	if (!h->crc && !w->sealed)
		return true;
	if (covers > w->budget) {
		if (w->budget)
			process_damage(w->p,
				       "checksums from byte %llu on were not looked at: there is more "
				       "to check than the file has",
				       (unsigned long long)at);
		w->budget = 0;
		return true;
	}
	w->budget -= covers;
	if (h->crc == sum_in_image(w->image, at))
		return true;
	if (w->bad++ < BAD_NAMED)
		process_damage(w->p,
			       "the %s chunk at byte %llu has a wrong checksum: its entries are not used",
			       name_of(h->type), (unsigned long long)at);
	return false;
}

static bool sane_length(struct walk *w, const struct prs_chunk *h, uint64_t at)
{
	if (h->bytes >= PRS_PAGE_BYTES && h->bytes % PRS_PAGE_BYTES == 0 && h->bytes <= w->image->bytes - at)
		return true;
	process_damage(w->p, "the chunk at byte %llu is %llu bytes long", (unsigned long long)at,
		       (unsigned long long)h->bytes);
	return false;
}

/* A chunk that runs over the end of a file that is as long as it was sealed has a damaged length. */
static bool truncated(const struct walk *w, const struct prs_chunk *h, uint64_t at)
{
	return h->bytes % PRS_PAGE_BYTES == 0 && h->bytes > w->image->bytes - at &&
	       !(w->sealed && w->image->bytes >= w->p->header->next);
}

/* Bytes to the next chunk.  The length of a damaged one may be the damage: then it is a page. */
static uint64_t step(struct walk *w, const struct prs_chunk *h, uint64_t at)
{
	w->seen++;
	if (!sane_length(w, h, at) || !sum_holds(w, h, at))
		return PRS_PAGE_BYTES;
	take(w, h, at);
	return h->bytes;
}

int chunks_walk(struct run_process *p, const struct image *image, bool sealed, struct chunk_list *out,
		struct err *err)
{
	struct walk w = {.p = p, .image = image, .out = out, .sealed = sealed, .budget = check_budget(image)};
	uint64_t at = PRS_PAGE_BYTES;

	while ((at = image_skip_hole(image, at, &w.extent)) + PRS_PAGE_BYTES <= image->bytes) {
		const struct prs_chunk *h = (const void *)(image->base + at);

		if (h->magic != PRS_CHUNK_MAGIC)
			at += PRS_PAGE_BYTES;
		else if (truncated(&w, h, at))
			return err_set(
				err, -EINVAL,
				"is truncated: the chunk at byte %llu is %llu bytes long, the file ends "
				"at %zu",
				(unsigned long long)at, (unsigned long long)h->bytes, image->bytes);
		else
			at += step(&w, h, at);
	}
	if (w.bad > BAD_NAMED)
		process_damage(p, "%u more chunks have wrong checksums", w.bad - BAD_NAMED);
	if (sealed && w.seen != p->header->n_chunks)
		process_damage(p, "%u chunks were found, %u were sealed", w.seen, p->header->n_chunks);
	return 0;
}

bool chunk_holds(uint64_t base, uint64_t n, uint64_t bytes)
{
	return base <= bytes && base % 8 == 0 && n <= (bytes - base) / 8;
}
