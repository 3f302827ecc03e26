/* SPDX-License-Identifier: MIT */
#include "verify/loading.h"

#include <string.h>

#define SEGMENTS_MAX 128 /* linkers write about a dozen */

static bool segment(const struct image *e, size_t i, Elf64_Phdr *p)
{
	uint64_t at = e->head.e_phoff + i * sizeof(*p);

	if (i >= e->head.e_phnum || i >= SEGMENTS_MAX || e->head.e_phentsize != sizeof(*p) ||
	    e->head.e_phoff > e->in.size || at > e->in.size || sizeof(*p) > e->in.size - at)
		return false;
	memcpy(p, e->in.data + at, sizeof(*p));
	return true;
}

/* Are the bytes of section @s where a segment takes those for its addresses from? */
static bool is_loaded(const struct image *e, const Elf64_Shdr *s)
{
	size_t covering = 0;
	bool right = false;
	Elf64_Phdr p;

	for (size_t i = 0; segment(e, i, &p); i++) {
		if (p.p_type != PT_LOAD || s->sh_addr < p.p_vaddr || s->sh_addr - p.p_vaddr >= p.p_memsz)
			continue;
		covering++;
		right = s->sh_addr - p.p_vaddr + s->sh_size <= p.p_filesz &&
			p.p_offset + (s->sh_addr - p.p_vaddr) == s->sh_offset;
	}
	return covering == 1 && right;
}

static void check_sections(const struct image *e, struct findings *list)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i];

		if (!(s->sh_flags & SHF_ALLOC) || s->sh_type == SHT_NOBITS || !s->sh_size)
			continue;
		if (!is_loaded(e, s))
			findings_add(list, "section %s is not what the program loads at its address",
				     image_section_name(e, i));
	}
}

/* Where the head or the section that has @offset ends; @offset itself if none has it. */
static uint64_t covered(const struct image *e, uint64_t offset)
{
	uint64_t end = e->head.e_phoff + (uint64_t)e->head.e_phnum * e->head.e_phentsize;

	if (offset < sizeof(e->head))
		return sizeof(e->head);
	if (offset >= e->head.e_phoff && offset < end)
		return end;
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i];

		if (s->sh_flags & SHF_ALLOC && s->sh_type != SHT_NOBITS && offset >= s->sh_offset &&
		    offset - s->sh_offset < s->sh_size)
			return s->sh_offset + s->sh_size;
	}
	return offset;
}

/* Code that no section shows; the linker fills with zero, nops or traps. */
static void check_rest(const struct image *e, const Elf64_Phdr *p, struct findings *list)
{
	uint64_t at = p->p_offset;

	while (at < e->in.size && at - p->p_offset < p->p_filesz) {
		uint8_t byte = e->in.data[at];
		uint64_t end = byte == 0 || byte == 0x90 || byte == 0xcc ? at + 1 : covered(e, at);

		if (end <= at) {
			findings_add(list, "the file holds code at offset 0x%llx that is in no section",
				     (unsigned long long)at);
			return;
		}
		at = end;
	}
}

static void check_segments(const struct image *e, struct findings *list)
{
	Elf64_Phdr p;

	if (e->head.e_phnum > SEGMENTS_MAX)
		findings_add(list, "it has %u segments, expected at most %u", e->head.e_phnum, SEGMENTS_MAX);
	for (size_t i = 0; segment(e, i, &p); i++) {
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		if (p.p_flags & PF_W)
			findings_add(list, "it loads code that it can write to");
		check_rest(e, &p, list);
	}
}

static void check_entry(const struct image *e, const struct symbols *s, struct findings *list)
{
	for (size_t i = symbols_at(s, e->head.e_entry);
	     i < s->n_places && s->place[i].address == e->head.e_entry; i++)
		if (!strcmp(s->place[i].name, "_start"))
			return;
	findings_add(list, "it does not begin at _start");
}

/* Libraries that the loader takes in to watch or change calls. */
static void check_audit(const struct image *e, struct findings *list)
{
	size_t i = image_find(e, SHT_DYNAMIC, 0), size = 0;
	const uint8_t *data = i < e->n_sections ? image_bytes(e, i, &size) : NULL;
	Elf64_Dyn d;

	for (size_t at = 0; data && at + sizeof(d) <= size; at += sizeof(d)) {
		memcpy(&d, data + at, sizeof(d));
		if (d.d_tag == DT_AUDIT || d.d_tag == DT_DEPAUDIT)
			findings_add(list, "it asks for a library that audits its calls");
	}
}

void loading_check(const struct image *e, const struct symbols *s, struct findings *list)
{
	check_sections(e, list);
	check_segments(e, list);
	check_entry(e, s, list);
	check_audit(e, list);
}
