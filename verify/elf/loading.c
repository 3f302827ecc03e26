/* SPDX-License-Identifier: MIT */
#include "verify/elf/loading.h"

#include <stdlib.h>
#include <string.h>

#include "verify/arch/insn.h"
#include "verify/arch/reloc.h"

#define PAGE UINT64_C(4096) /* the smallest there is, by which the system maps files */

static uint64_t down(uint64_t address)
{
	return address / PAGE * PAGE;
}

static uint64_t up(uint64_t address)
{
	return down(address + PAGE - 1);
}

static bool is_on_disk(const Elf64_Shdr *s)
{
	return s->sh_flags & SHF_ALLOC && s->sh_type != SHT_NOBITS && s->sh_size;
}

/* Thread-local variables without first value take no room in memory. */
static bool is_in_memory(const Elf64_Shdr *s)
{
	return s->sh_flags & SHF_ALLOC && s->sh_size && !(s->sh_type == SHT_NOBITS && s->sh_flags & SHF_TLS);
}

/* Is the section where the segment takes the bytes for its addresses from, or fills in zero? */
static bool loading_is_there(const Elf64_Shdr *s, const Elf64_Phdr *p)
{
	uint64_t at = s->sh_addr - p->p_vaddr;

	if (s->sh_size > p->p_memsz - at)
		return false;
	if (s->sh_type == SHT_NOBITS)
		return at >= p->p_filesz;
	return s->sh_size <= p->p_filesz && at <= p->p_filesz - s->sh_size &&
	       p->p_offset + at == s->sh_offset;
}

/* The segment that loads section @s, if it is the only one; false if not. */
static bool segment_of(const struct image *e, const Elf64_Shdr *s, Elf64_Phdr *out)
{
	size_t covering = 0;
	bool right = false;
	Elf64_Phdr p;

	for (size_t i = 0; image_segment(e, i, &p); i++) {
		if (p.p_type != PT_LOAD || s->sh_addr < p.p_vaddr || s->sh_addr - p.p_vaddr >= p.p_memsz)
			continue;
		covering++;
		right = loading_is_there(s, &p);
		*out = p;
	}
	return covering == 1 && right;
}

/* Made read-only by the loader when it is done: whole pages of it. */
static bool is_sealed(const struct image *e, const Elf64_Shdr *s)
{
	Elf64_Phdr p;

	for (size_t i = 0; image_segment(e, i, &p); i++)
		if (p.p_type == PT_GNU_RELRO && s->sh_addr >= down(p.p_vaddr) &&
		    s->sh_addr + s->sh_size <= down(p.p_vaddr + p.p_memsz))
			return true;
	return false;
}

static void check_access(const struct image *e, size_t i, const Elf64_Phdr *p, struct findings *list)
{
	const Elf64_Shdr *s = &e->section[i];
	const char *name = image_section_name(e, i);

	if (s->sh_flags & SHF_WRITE && !(p->p_flags & PF_W))
		findings_add(list, "section %s cannot be written to when it is loaded", name);
	if (!(s->sh_flags & SHF_WRITE) && p->p_flags & PF_W && !is_sealed(e, s))
		findings_add(list, "section %s can be written to when it is loaded", name);
	if (s->sh_flags & SHF_EXECINSTR && !(p->p_flags & PF_X))
		findings_add(list, "section %s cannot be executed when it is loaded", name);
	if (!(p->p_flags & PF_R))
		findings_add(list, "section %s cannot be read when it is loaded", name);
}

static int loading_by_address(const void *a, const void *b)
{
	const Elf64_Shdr *x = *(const Elf64_Shdr *const *)a, *y = *(const Elf64_Shdr *const *)b;

	return x->sh_addr < y->sh_addr ? -1 : x->sh_addr > y->sh_addr;
}

/* No two sections show bytes for one address. */
static void check_overlaps(const struct image *e, struct findings *list)
{
	const Elf64_Shdr **s = need(e->n_sections, sizeof(*s));
	size_t n = 0;

	for (size_t i = 0; i < e->n_sections; i++)
		if (is_in_memory(&e->section[i]))
			s[n++] = &e->section[i];
	if (n)
		qsort(s, n, sizeof(*s), loading_by_address);
	for (size_t i = 1; i < n; i++)
		if (s[i]->sh_addr - s[i - 1]->sh_addr < s[i - 1]->sh_size) {
			findings_add(list, "sections %s and %s have addresses in common",
				     image_section_name(e, (size_t)(s[i - 1] - e->section)),
				     image_section_name(e, (size_t)(s[i] - e->section)));
			break;
		}
	free(s);
}

static void check_sections(const struct image *e, struct findings *list)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i];
		Elf64_Phdr p = {0};

		if (!is_in_memory(s))
			continue;
		if (segment_of(e, s, &p))
			check_access(e, i, &p, list);
		else
			findings_add(list, "section %s is not what the program loads at its address",
				     image_section_name(e, i));
	}
	check_overlaps(e, list);
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

		if (is_on_disk(s) && offset >= s->sh_offset && offset - s->sh_offset < s->sh_size)
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
		uint64_t end = insn_is_filler(byte) ? at + 1 : covered(e, at);

		if (end <= at) {
			findings_add(list, "the file holds code at offset 0x%llx that is in no section",
				     (unsigned long long)at);
			return;
		}
		at = end;
	}
}

/* Where the last section in the segment ends, or the tables in front of all sections. */
static uint64_t last_of(const struct image *e, const Elf64_Phdr *p)
{
	uint64_t last = p->p_vaddr + p->p_filesz;

	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i];

		if (is_in_memory(s) && s->sh_addr >= p->p_vaddr && s->sh_addr - p->p_vaddr < p->p_memsz &&
		    s->sh_addr + s->sh_size > last)
			last = s->sh_addr + s->sh_size;
	}
	return last;
}

/* Files are mapped by whole pages: a later segment of one byte replaces the page of an earlier one. */
static void check_load(const struct image *e, const Elf64_Phdr *p, uint64_t *end, struct findings *list)
{
	if (p->p_filesz > p->p_memsz || p->p_offset > e->in.size || p->p_filesz > e->in.size - p->p_offset ||
	    p->p_offset % PAGE != p->p_vaddr % PAGE || p->p_memsz > UINT64_MAX / 4 ||
	    p->p_vaddr > UINT64_MAX / 4) {
		findings_add(list, "the segment at 0x%llx cannot be loaded as it is described",
			     (unsigned long long)p->p_vaddr);
		return;
	}
	if (down(p->p_vaddr) < *end)
		findings_add(list, "two segments have the page at 0x%llx: the later one replaces it",
			     (unsigned long long)down(p->p_vaddr));
	*end = up(p->p_vaddr + p->p_memsz);
	if (*end > up(last_of(e, p)) + 2 * PAGE)
		findings_add(list, "the segment at 0x%llx is larger than all that is in it",
			     (unsigned long long)p->p_vaddr);
	if (!(p->p_flags & PF_X))
		return;
	if (p->p_flags & PF_W)
		findings_add(list, "it loads code that it can write to");
	check_rest(e, p, list);
}

static const char *last_part(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

/* The program that loads this one. */
static void check_interpreter(const struct image *e, const Elf64_Phdr *p, struct findings *list,
			      struct findings *notes)
{
	const char *name = NULL;

	if (p->p_offset < e->in.size && p->p_filesz && p->p_filesz <= e->in.size - p->p_offset)
		name = (const char *)e->in.data + p->p_offset;
	if (!name || name[p->p_filesz - 1]) {
		findings_add(list, "the name of the program that loads it is damaged");
		return;
	}
	for (size_t i = 0; reloc_loaders[i]; i++) {
		if (!strcmp(name, reloc_loaders[i]))
			return;
		if (name[0] == '/' && !strcmp(last_part(name), last_part(reloc_loaders[i]))) {
			findings_add(notes, "that '%s', which loads it, is the system's loader", name);
			return;
		}
	}
	findings_add(list, "it is loaded by '%s', expected %s", name, reloc_loaders[0]);
}

/* First values of thread-local variables: those of the sections, and all of them. */
static void check_thread_local(const struct image *e, const Elf64_Phdr *p, struct findings *list)
{
	uint64_t low = UINT64_MAX, disk = 0, high = 0, align = 1;

	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i];
		uint64_t end = s->sh_addr + s->sh_size;

		if (!(s->sh_flags & SHF_TLS) || !(s->sh_flags & SHF_ALLOC))
			continue;
		low = s->sh_addr < low ? s->sh_addr : low;
		disk = s->sh_type != SHT_NOBITS && end > disk ? end : disk;
		high = end > high ? end : high;
		align = s->sh_addralign > align ? s->sh_addralign : align;
	}
	disk = disk < low ? low : disk;
	if (p->p_vaddr != low || p->p_filesz != disk - low || p->p_align != align ||
	    p->p_memsz < high - low || p->p_memsz - (high - low) >= align)
		findings_add(list, "the segment of thread-local variables is not that of their sections");
}

static bool is_sealable(const struct image *e, size_t i)
{
	static const char *const kinds[] = {".tdata",       ".tbss",  ".preinit_array", ".init_array",
					    ".fini_array",  ".ctors", ".dtors",         ".jcr",
					    ".data.rel.ro", ".got",   ".relro_padding", ".bss.rel.ro",
					    ".dynamic",     ".toc",   ".copyrel.rel.ro"};
	const char *name = image_section_name(e, i);

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		if (!strncmp(name, kinds[k], strlen(kinds[k])))
			return true;
	return false;
}

/* What is read-only from the start of the program on is nothing that it writes to. */
static void check_seal(const struct image *e, const Elf64_Phdr *p, struct findings *list)
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *s = &e->section[i];

		if (is_in_memory(s) && s->sh_flags & SHF_WRITE && !is_sealable(e, i) &&
		    s->sh_addr < down(p->p_vaddr + p->p_memsz) &&
		    s->sh_addr + s->sh_size > down(p->p_vaddr)) {
			findings_add(list, "section %s is read-only when the program runs",
				     image_section_name(e, i));
			return;
		}
	}
}

/* The table of segments is where the loader is told that it is. */
static void check_headers(const struct image *e, const Elf64_Phdr *p, struct findings *list)
{
	Elf64_Phdr load;

	for (size_t i = 0; image_segment(e, i, &load); i++)
		if (load.p_type == PT_LOAD && e->head.e_phoff >= load.p_offset &&
		    e->head.e_phoff - load.p_offset < load.p_filesz &&
		    p->p_vaddr == load.p_vaddr + (e->head.e_phoff - load.p_offset))
			return;
	findings_add(list, "its table of segments is not where it says");
}

/* One note, with properties of the machine: which of its features the code uses does no harm, others may. */
static void check_properties(const struct image *e, const Elf64_Phdr *p, struct findings *notes)
{
	const uint8_t *data = image_at(e, p->p_vaddr, (size_t)p->p_filesz);
	uint32_t head[4], property[3] = {0};
	bool right = data && p->p_filesz >= 16;

	if (right)
		memcpy(head, data, sizeof(head));
	right = right && head[0] == 4 && head[2] == 5 && !memcmp(data + 12, "GNU", 4) &&
		head[1] == p->p_filesz - 16;
	for (uint64_t at = 16; right && at < p->p_filesz; at += 8 + ((uint64_t)property[1] + 7) / 8 * 8) {
		right = p->p_filesz - at >= 16;
		if (right)
			memcpy(property, data + at, sizeof(property));
		/* GNU_PROPERTY_X86_FEATURE_1_AND, ..._FEATURE_2_USED, ..._ISA_1_USED, ..._ISA_1_NEEDED: the oldest */
		right = right && property[1] == 4 &&
			(property[0] == 0xc0000002 || property[0] == 0xc0010001 ||
			 property[0] == 0xc0010002 || (property[0] == 0xc0008002 && property[2] == 1));
	}
	if (!right)
		findings_add(notes,
			     "that the loader takes the program on this machine: it asks for features");
}

/* What a segment describes is loaded from there; some need memory that the file does not hold. */
static void check_inside(const struct image *e, const Elf64_Phdr *p, struct findings *list)
{
	bool more = p->p_type == PT_TLS || p->p_type == PT_GNU_RELRO;
	Elf64_Phdr load;

	for (size_t i = 0; image_segment(e, i, &load); i++) {
		uint64_t at = p->p_vaddr - load.p_vaddr;

		if (load.p_type == PT_LOAD && p->p_vaddr >= load.p_vaddr && at <= load.p_filesz &&
		    p->p_filesz <= load.p_filesz - at && p->p_offset == load.p_offset + at &&
		    (more || p->p_memsz == p->p_filesz))
			return;
	}
	findings_add(list, "the segment of type 0x%x at 0x%llx describes what is not loaded there", p->p_type,
		     (unsigned long long)p->p_vaddr);
}

static void check_segment(const struct image *e, const Elf64_Phdr *p, struct findings *list,
			  struct findings *notes)
{
	if (p->p_type != PT_LOAD && p->p_type != PT_NULL && p->p_type != PT_GNU_STACK && p->p_memsz)
		check_inside(e, p, list);
	switch (p->p_type) {
	case PT_NULL:
	case PT_LOAD:
	case PT_DYNAMIC: /* see dynamic.c */
	case PT_NOTE:
	case PT_GNU_EH_FRAME:
		break;
	case 0x6474e553: /* PT_GNU_PROPERTY */
		check_properties(e, p, notes);
		break;
	case PT_INTERP:
		check_interpreter(e, p, list, notes);
		break;
	case PT_PHDR:
		check_headers(e, p, list);
		break;
	case PT_TLS:
		check_thread_local(e, p, list);
		break;
	case PT_GNU_STACK:
		if (p->p_flags & PF_X)
			findings_add(notes, "that no code is made when it runs: its stack can be executed");
		break;
	case PT_GNU_RELRO:
		check_seal(e, p, list);
		break;
	default:
		findings_add(notes, "what the segment of the unknown type 0x%x does", p->p_type);
	}
}

/* Each of them stands once; without some of them the program is another one. */
static void check_kinds(const struct image *e, struct findings *list, struct findings *notes)
{
	static const uint32_t once[] = {PT_INTERP, PT_DYNAMIC, PT_PHDR, PT_TLS, PT_GNU_STACK, PT_GNU_RELRO};
	size_t count[sizeof(once) / sizeof(*once)] = {0};
	bool thread_local = false;
	Elf64_Phdr p;

	for (size_t i = 0; image_segment(e, i, &p); i++)
		for (size_t k = 0; k < sizeof(once) / sizeof(*once); k++)
			count[k] += p.p_type == once[k];
	for (size_t k = 0; k < sizeof(once) / sizeof(*once); k++)
		if (count[k] > 1)
			findings_add(list, "it has %zu segments of type 0x%x, expected one", count[k],
				     once[k]);
	for (size_t i = 0; i < e->n_sections; i++)
		thread_local |= e->section[i].sh_flags & SHF_TLS && e->section[i].sh_flags & SHF_ALLOC &&
				e->section[i].sh_size;
	if (thread_local && !count[3])
		findings_add(list, "it has thread-local variables, but no segment of them");
	if (!count[0] && image_named(e, ".interp") < e->n_sections)
		findings_add(list, "it names a program that loads it, but has no segment of that");
	if (count[0] && !count[2])
		findings_add(list, "the loader is not told where its table of segments is");
	if (!count[4])
		findings_add(notes, "that no code is made when it runs: its stack can be executed");
}

static void check_segments(const struct image *e, struct findings *list, struct findings *notes)
{
	uint64_t end = 0;
	Elf64_Phdr p;

	if (e->head.e_phnum > SEGMENTS_MAX)
		findings_add(list, "it has %u segments, expected at most %u", e->head.e_phnum, SEGMENTS_MAX);
	if (!image_segment(e, 0, &p))
		findings_add(list, "its table of segments is damaged");
	for (size_t i = 0; image_segment(e, i, &p); i++) {
		if (p.p_type == PT_LOAD)
			check_load(e, &p, &end, list);
		check_segment(e, &p, list, notes);
	}
	check_kinds(e, list, notes);
}

static void loading_check_entry(const struct image *e, const struct symbols *s, struct findings *list)
{
	for (size_t i = symbols_at(s, e->head.e_entry);
	     i < s->n_places && s->place[i].address == e->head.e_entry; i++)
		if (!strcmp(s->place[i].name, "_start"))
			return;
	findings_add(list, "it does not begin at _start");
}

void loading_check(const struct image *e, const struct symbols *s, struct findings *list,
		   struct findings *notes)
{
	check_sections(e, list);
	check_segments(e, list, notes);
	loading_check_entry(e, s, list);
}
