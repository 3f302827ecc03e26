/* SPDX-License-Identifier: MIT */
#include "verify/elf/frame-index.h"

#include <stdlib.h>
#include <string.h>

#define HEAD 12 /* bytes in front of the rows: version, encodings, address of .eh_frame, number of rows */

static uint64_t frame_index_number(const uint8_t *p)
{
	int32_t n;

	memcpy(&n, p, sizeof(n));
	return (uint64_t)(int64_t)n;
}

bool frame_index_exists(const struct image *e)
{
	Elf64_Phdr p;

	for (size_t i = 0; image_segment(e, i, &p); i++)
		if (p.p_type == PT_GNU_EH_FRAME)
			return true;
	return image_named(e, ".eh_frame_hdr") < e->n_sections;
}

/* The unwinder asks the loader for the segment: one, and the section's. */
static bool is_segment(const struct image *e, const Elf64_Shdr *h)
{
	size_t n = 0;
	Elf64_Phdr p;

	for (size_t i = 0; image_segment(e, i, &p); i++) {
		if (p.p_type != PT_GNU_EH_FRAME)
			continue;
		if (p.p_vaddr != h->sh_addr || p.p_memsz != h->sh_size)
			return false;
		n++;
	}
	return n == 1;
}

/* Another entry for the same code is found: the linker folded equal functions. */
static bool is_shadowed(const struct frames *f, const bool *found, const struct frame *frame)
{
	for (size_t i = frames_from(f, frame->from); i < f->n && f->by_code[i]->from == frame->from; i++)
		if (found[f->by_code[i] - f->frame])
			return true;
	return false;
}

static const char *check_rows(const struct frames *f, const uint8_t *rows, uint64_t n, uint64_t address,
			      bool *found)
{
	uint64_t last = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t from = address + frame_index_number(rows + 8 * i);
		uint64_t at = address + frame_index_number(rows + 8 * i + 4);
		const struct frame *frame = frames_at(f, (size_t)(at - f->address));

		if (!frame || frame->from != from)
			return "leads to an entry that is not for its code";
		if (from < last)
			return "is not in order";
		last = from;
		found[frame - f->frame] = true;
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->frame[i].size && !found[i] && !is_shadowed(f, found, &f->frame[i]))
			return "leaves an entry out";
	return NULL;
}

const char *frame_index_fault(const struct image *e, const struct frames *f)
{
	size_t i = image_named(e, ".eh_frame_hdr"), size = 0;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	uint64_t address = data ? e->section[i].sh_addr : 0, n;
	/* Version, then pcrel sdata4, udata4, datarel sdata4. */
	static const uint8_t known[] = {0x01, 0x1b, 0x03, 0x3b};
	const char *fault;
	bool *found;

	if (!data || size < HEAD || !is_segment(e, &e->section[i]))
		return "is not where the loader is told that it is";
	if (memcmp(data, known, sizeof(known)) != 0)
		return "has an unknown form";
	n = frame_index_number(data + 8) & UINT32_MAX;
	if (address + 4 + frame_index_number(data + 4) != f->address || n > (size - HEAD) / 8)
		return "is not that of .eh_frame";
	found = need(f->n + 1, sizeof(*found));
	fault = check_rows(f, data + HEAD, n, address, found);
	free(found);
	return fault;
}
