/* SPDX-License-Identifier: MIT */
/* From bytes to chunks: nothing behind this file meets an offset or count that was not checked. */
#include <errno.h>

#include "record/parts.h"

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
		[PRS_CHUNK_CALL] = {"call", sizeof(struct prs_call)},
		[PRS_CHUNK_LOG] = {"log", sizeof(struct prs_log)},
		[PRS_CHUNK_EVENT] = {"event", sizeof(struct prs_event)},
		[PRS_CHUNK_LINE] = {"line", sizeof(struct prs_line)},
		[PRS_CHUNK_NOTE] = {"note", sizeof(struct prs_note)},
	};

	return type < sizeof(forms) / sizeof(forms[0]) && forms[type].name ? &forms[type] : NULL;
}

const void *chunk_entry(const struct run_process *p, const struct chunk_ref *c, uint64_t i)
{
	return (const unsigned char *)p->map + c->offset + sizeof(struct prs_chunk) + i * c->stride;
}

/* Take one chunk over if its type is known and its entries have a size that makes sense. */
static void take(struct run_process *p, const struct prs_chunk *h, uint64_t offset, struct chunk_list *out)
{
	struct chunk_ref c = {.offset = offset,
			      .bytes = h->bytes,
			      .used = h->used,
			      .thread = h->thread,
			      .stride = h->entry_bytes,
			      .type = h->type};
	const struct chunk_form *form = form_of(h->type);
	uint64_t room = h->bytes - sizeof(*h);

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
	vec_push(out, c);
}

/* The first page at or after @at that may hold data. */
static uint64_t skip_hole(const struct image *image, uint64_t at, size_t *extent)
{
	while (*extent < image->data.n && image->data.at[*extent].end <= at)
		++*extent;
	if (*extent == image->data.n)
		return image->bytes;
	if (image->data.at[*extent].begin > at)
		at = image->data.at[*extent].begin / PRS_PAGE_BYTES * PRS_PAGE_BYTES;
	return at;
}

int chunks_walk(struct run_process *p, const struct image *image, struct chunk_list *out, struct err *err)
{
	uint64_t at = PRS_PAGE_BYTES;
	size_t extent = 0;

	while ((at = skip_hole(image, at, &extent)) + PRS_PAGE_BYTES <= image->bytes) {
		const struct prs_chunk *h = (const void *)(image->base + at);

		if (h->magic != PRS_CHUNK_MAGIC) {
			at += PRS_PAGE_BYTES;
		} else if (h->bytes < PRS_PAGE_BYTES || h->bytes % PRS_PAGE_BYTES) {
			process_damage(p, "the chunk at byte %llu is %llu bytes long", (unsigned long long)at,
				       (unsigned long long)h->bytes);
			at += PRS_PAGE_BYTES;
		} else if (h->bytes > image->bytes - at) {
			return err_set(
				err, -EINVAL,
				"is truncated: the chunk at byte %llu is %llu bytes long, the file ends "
				"at %zu",
				(unsigned long long)at, (unsigned long long)h->bytes, image->bytes);
		} else {
			take(p, h, at, out);
			at += h->bytes;
		}
	}
	return 0;
}
