/* SPDX-License-Identifier: MIT */
#include "record/probes/image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/inspect/x86.h"
#include "lib/search.h"
#include "perseus/abi.h"

#define FILE_MAX    ((size_t)4 << 30)
#define HEAD_ALIGN  8
#define RED_ZONE    128
#define VERSION_MAX 64 /* of the hook ABI; a word that is larger is no version */

static bool one_byte(const struct x86_insn *x, uint8_t opcode)
{
	return x->form == X86_LEGACY && x->map == 0 && x->opcode == opcode;
}

/* `test r, r` of 64 bits. */
static bool tests_register(const struct x86_insn *x, uint8_t reg)
{
	return one_byte(x, 0x85) && x->wide && !x->memory && x->reg == reg && x->rm == reg;
}

/* A conditional jump on @condition (low digit of its opcode), short or long. */
static bool jumps_if(const struct x86_insn *x, uint8_t condition)
{
	return one_byte(x, 0x70 | condition) ||
	       (x->form == X86_LEGACY && x->map == 1 && x->opcode == (0x80 | condition));
}

static uint64_t target(uint64_t at, const struct x86_insn *x)
{
	return at + x->length + (uint64_t)x->imm;
}

/* Address of an operand relative to the instruction pointer. */
static uint64_t pointed(uint64_t at, const struct x86_insn *x)
{
	return at + x->length + (uint64_t)x->disp;
}

static bool operates(const struct x86_insn *x, uint8_t opcode, uint8_t reg, uint8_t base)
{
	return one_byte(x, opcode) && x->wide && x->memory && x->reg == reg && x->base == base &&
	       x->index == X86_NONE;
}

/* Step over the instruction at *@at, which @x gets. */
static bool next(const struct sites_image *img, uint64_t *at, struct x86_insn *x, uint64_t *begin)
{
	*begin = *at;
	if (!sites_image_insn(img, *at, x))
		return false;
	*at += x->length;
	return true;
}

/*
 * The enter probe at @at, after its first instruction, which loaded the word
 * of @desc into register @r: test, je back, load the block, test, je cold, add
 * the base, count down, js cold, clear, back.
 */
static bool parse_enter(const struct sites_image *img, const struct image_desc *desc, uint64_t at, uint8_t r,
			struct image_enter *out)
{
	struct x86_insn x;
	uint64_t begin, back;

	if (!next(img, &at, &x, &begin) || !tests_register(&x, r))
		return false;
	if (!next(img, &at, &x, &begin) || !jumps_if(&x, 4))
		return false;
	back = target(begin, &x);
	if (!next(img, &at, &x, &begin) || x.segment != 0x64 || !operates(&x, 0x8b, r, r))
		return false;
	if (!next(img, &at, &x, &begin) || !tests_register(&x, r))
		return false;
	if (!next(img, &at, &x, &begin) || !jumps_if(&x, 4))
		return false;
	if (!next(img, &at, &x, &begin) || !operates(&x, 0x03, r, X86_RIP) ||
	    pointed(begin, &x) != desc->address + PRS_DESC_BASE)
		return false;
	if (!next(img, &at, &x, &begin) || !(one_byte(&x, 0x83) || one_byte(&x, 0x81)) || (x.reg & 7) != 5 ||
	    !x.memory || x.base != r || x.imm != 1 || x.disp < 0 || x.disp % (int64_t)sizeof(struct prs_slot))
		return false;
	out->site = (uint32_t)(x.disp / (int64_t)sizeof(struct prs_slot));
	if (!next(img, &at, &x, &begin) || !jumps_if(&x, 8))
		return false;
	if (!next(img, &at, &x, &begin) || !(one_byte(&x, 0x31) || one_byte(&x, 0x33)) || x.memory ||
	    x.reg != r || x.rm != r)
		return false;
	out->after = at;
	out->token = r;
	out->unit = desc->unit;
	return back == at;
}

/* Over an addition of @bytes to the stack pointer, if there is one. */
static uint64_t over_step(const struct sites_image *img, uint64_t at, int bytes)
{
	struct x86_insn x;
	int64_t sign;

	if (!sites_image_insn(img, at, &x) || !(one_byte(&x, 0x83) || one_byte(&x, 0x81)) || x.memory ||
	    x.rm != X86_RSP)
		return at;
	sign = (x.reg & 7) == 0 ? 1 : (x.reg & 7) == 5 ? -1 : 0;
	return sign * x.imm == bytes ? at + x.length : at;
}

/* The register that a push (@first 0x50) or pop (0x58) at @at has, -1: it is none. */
static int stacked(const struct sites_image *img, uint64_t at, uint8_t first, unsigned *length)
{
	struct x86_insn x;

	if (!sites_image_insn(img, at, &x) || !one_byte(&x, first | (x.opcode & 7)))
		return -1;
	*length = x.length;
	return (x.opcode & 7) | (x.length > 1 ? 8 : 0);
}

/* Registers that the function needs, saved; as many as there can be. */
struct saved {
	int reg[9];
	unsigned n;
};

static uint64_t over_pushes(const struct sites_image *img, uint64_t at, struct saved *s)
{
	unsigned length;

	for (s->n = 0; s->n < sizeof(s->reg) / sizeof(*s->reg); s->n++, at += length) {
		s->reg[s->n] = stacked(img, at, 0x50, &length);
		if (s->reg[s->n] < 0)
			break;
	}
	return at;
}

/* Over the pops of @s, last first; false: they are not there. */
static bool over_pops(const struct sites_image *img, uint64_t *at, const struct saved *s)
{
	unsigned length = 0;

	for (unsigned i = s->n; i-- > 0; *at += length)
		if (stacked(img, *at, 0x58, &length) != s->reg[i])
			return false;
	return true;
}

/* The cold part at @at that calls a stub for a site and goes on at @back. */
static bool parse_cold(const struct sites_image *img, uint64_t at, uint64_t back, uint32_t *site)
{
	struct x86_insn x;
	struct saved saved;
	uint64_t begin;

	at = over_pushes(img, over_step(img, at, -RED_ZONE), &saved);
	if (!next(img, &at, &x, &begin) || !one_byte(&x, 0xe8))
		return false;
	if (!next(img, &at, &x, &begin) || !one_byte(&x, PRS_TEST_OPCODE) || x.imm_bytes != 4)
		return false;
	*site = (uint32_t)x.imm;
	if (!over_pops(img, &at, &saved))
		return false;
	at = over_step(img, at, RED_ZONE);
	if (!next(img, &at, &x, &begin) || !(one_byte(&x, 0xe9) || one_byte(&x, 0xeb)))
		return false;
	return target(begin, &x) == back;
}

bool sites_image_choice(const struct sites_image *img, const struct image_enter *e, uint64_t address,
			uint64_t *timed)
{
	struct x86_insn x;
	uint64_t begin, at = address;

	if (!next(img, &at, &x, &begin) || !tests_register(&x, e->token))
		return false;
	if (!next(img, &at, &x, &begin) || !(jumps_if(&x, 4) || jumps_if(&x, 5)))
		return false;
	*timed = jumps_if(&x, 5) ? target(begin, &x) : at;
	return true;
}

bool sites_image_leave(const struct sites_image *img, uint64_t address, struct image_leave *leave)
{
	struct x86_insn x;
	uint64_t begin, at = address;

	if (!next(img, &at, &x, &begin) || !tests_register(&x, x.reg))
		return false;
	if (!next(img, &at, &x, &begin) || !jumps_if(&x, 5))
		return false;
	leave->after = at;
	return parse_cold(img, target(begin, &x), at, &leave->site);
}

static const struct image_desc *desc_at(const struct sites_image *img, uint64_t address)
{
	size_t lo = search_first(img->descs.n, i, img->descs.at[i].address < address);

	return lo < img->descs.n && img->descs.at[lo].address == address ? &img->descs.at[lo] : NULL;
}

/* `movq desc(%rip), r` at byte @i of @part: 48 or 4c, 8b, 00 rrr 101, displacement. */
static void look_at(struct sites_image *img, const struct image_part *part, uint64_t i)
{
	const uint8_t *b = part->bytes + i;
	uint64_t at = part->address + i;
	struct image_enter e = {.address = at};
	const struct image_desc *desc;
	int32_t disp;

	if ((b[0] & 0xfb) != 0x48 || b[1] != 0x8b || (b[2] & 0xc7) != 0x05)
		return;
	memcpy(&disp, b + 3, sizeof(disp));
	desc = desc_at(img, at + 7 + (uint64_t)(int64_t)disp);
	if (desc && parse_enter(img, desc, at + 7, (uint8_t)((b[2] >> 3 & 7) | (b[0] & 4 ? 8 : 0)), &e))
		vec_push(&img->enters, e);
}

static void find_enters(struct sites_image *img)
{
	if (!img->descs.n)
		return;
	for (size_t k = 0; k < img->parts.n; k++) {
		const struct image_part *part = &img->parts.at[k];

		for (uint64_t i = 0; part->code && i + 7 <= part->size; i++)
			look_at(img, part, i);
	}
}

/* The first unit with this id and these counts that has no descriptor yet; equal objects share an id. */
static void add_desc(struct sites_image *img, const struct sites *sites, const struct prs_head *h,
		     uint64_t address, bool *taken)
{
	for (size_t i = 0; i < sites->n_units; i++) {
		const struct sites_unit *u = &sites->units[i];

		if (taken[i] || u->unit_id != h->unit_id || u->n_calls != h->n_calls ||
		    u->n_mems != h->n_mems)
			continue;
		taken[i] = true;
		vec_push(&img->descs, ((struct image_desc){.address = address, .unit = i}));
		return;
	}
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct image_desc *)a)->address, y = ((const struct image_desc *)b)->address;

	return (x > y) - (x < y);
}

/* A descriptor has no bytes in the file; the head among the object's code says where it is. */
static void find_descs(struct sites_image *img, const struct sites *sites)
{
	bool *taken = mem_new(sites->n_units + 1, sizeof(*taken));
	struct prs_head h;

	for (size_t k = 0; k < img->parts.n; k++) {
		const struct image_part *part = &img->parts.at[k];
		uint64_t i = -part->address & (HEAD_ALIGN - 1);

		for (; part->code && i + sizeof(h) <= part->size; i += HEAD_ALIGN) {
			memcpy(&h, part->bytes + i, sizeof(h));
			if (h.magic == PRS_HEAD_MAGIC && h.version && h.version <= VERSION_MAX)
				add_desc(img, sites, &h, part->address + i + (uint64_t)(int64_t)h.desc,
					 taken);
		}
	}
	if (img->descs.n)
		qsort(img->descs.at, img->descs.n, sizeof(*img->descs.at), by_address);
	free(taken);
}

const uint8_t *sites_image_code(const struct sites_image *img, uint64_t address, size_t *size)
{
	for (size_t i = 0; i < img->parts.n; i++) {
		const struct image_part *p = &img->parts.at[i];

		if (!p->code || address < p->address || address - p->address >= p->size)
			continue;
		*size = p->size - (address - p->address);
		return p->bytes + (address - p->address);
	}
	return NULL;
}

static bool inside(const struct image_parts *parts, uint64_t address, bool any)
{
	for (size_t i = 0; i < parts->n; i++)
		if ((any || parts->at[i].constant) && address >= parts->at[i].address &&
		    address - parts->at[i].address < parts->at[i].size)
			return true;
	return false;
}

bool sites_image_constant(const struct sites_image *img, uint64_t address)
{
	return inside(&img->parts, address, false) || inside(&img->frozen, address, true);
}

bool sites_image_enters(const struct sites_image *img, uint64_t address)
{
	size_t lo = search_first(img->enters.n, i, img->enters.at[i].address < address);

	return lo < img->enters.n && img->enters.at[lo].address == address;
}

/* ---- the file ---- */

static int damaged(const char *path, const char *what, struct err *err)
{
	return err_set(err, -EINVAL, "'%s' is damaged: %s outside of the file", path, what);
}

/* @n entries of @size bytes at @offset; NULL: not inside the file. */
static const void *table(const struct sites_image *img, uint64_t offset, uint64_t n, uint64_t size)
{
	uint64_t len = img->file.len;

	if (offset > len || n > (len - offset) / size)
		return NULL;
	return img->file.s + offset;
}

static int check_header(const struct sites_image *img, const char *path, Elf64_Ehdr *h, struct err *err)
{
	if (img->file.len < sizeof(*h) || memcmp(img->file.s, ELFMAG, SELFMAG) != 0)
		return err_set(err, -ENOEXEC, "'%s' is not an ELF file", path);
	memcpy(h, img->file.s, sizeof(*h));
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
	    h->e_machine != EM_X86_64)
		return err_set(err, -ENOTSUP, "'%s' is not for x86-64, which is what can be checked", path);
	if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return err_set(err, -ENOTSUP,
			       "'%s' is not linked yet, and addresses are missing in it\n"
			       "  check the program or library that it becomes a part of",
			       path);
	if (h->e_phentsize != sizeof(Elf64_Phdr) || !h->e_phnum)
		return err_set(err, -EINVAL, "'%s' is damaged: it has no program headers", path);
	return 0;
}

static int read_segments(struct sites_image *img, const char *path, const Elf64_Ehdr *h, struct err *err)
{
	const char *at = table(img, h->e_phoff, h->e_phnum, sizeof(Elf64_Phdr));

	if (!at)
		return damaged(path, "program headers lie", err);
	for (unsigned i = 0; i < h->e_phnum; i++) {
		struct image_part part;
		Elf64_Phdr p;

		memcpy(&p, at + i * sizeof(p), sizeof(p));
		if (p.p_type != PT_LOAD && p.p_type != PT_GNU_RELRO)
			continue;
		part = (struct image_part){.address = p.p_vaddr, .size = p.p_memsz, .constant = true};
		if (p.p_type == PT_GNU_RELRO) {
			vec_push(&img->frozen, part);
			continue;
		}
		part.bytes = table(img, p.p_offset, p.p_filesz, 1);
		if (!part.bytes)
			return damaged(path, "a segment lies", err);
		part.size = p.p_filesz;
		part.code = p.p_flags & PF_X;
		part.constant = !(p.p_flags & PF_W);
		vec_push(&img->parts, part);
	}
	return 0;
}

/* The tables of addresses that the dynamic linker fills; without relro they stay writable. */
static void read_got(struct sites_image *img, const Elf64_Ehdr *h)
{
	const char *at = table(img, h->e_shoff, h->e_shnum, sizeof(Elf64_Shdr)), *names;
	Elf64_Shdr s, strings;

	if (!at || h->e_shentsize != sizeof(s) || h->e_shstrndx >= h->e_shnum)
		return;
	memcpy(&strings, at + h->e_shstrndx * sizeof(s), sizeof(s));
	names = table(img, strings.sh_offset, strings.sh_size, 1);
	for (unsigned i = 0; names && i < h->e_shnum; i++) {
		memcpy(&s, at + i * sizeof(s), sizeof(s));
		if (strings.sh_size < 5 || s.sh_name > strings.sh_size - 5 ||
		    memcmp(names + s.sh_name, ".got", 4) != 0)
			continue;
		vec_push(&img->frozen,
			 ((struct image_part){.address = s.sh_addr, .size = s.sh_size, .constant = true}));
	}
}

int sites_image_open(struct sites_image *img, const char *path, const struct sites *sites, struct err *err)
{
	Elf64_Ehdr h;
	int ret;

	*img = (struct sites_image){.file = STRBUF_INIT};
	ret = fs_read(path, FILE_MAX, &img->file, err);
	if (!ret)
		ret = check_header(img, path, &h, err);
	if (!ret)
		ret = read_segments(img, path, &h, err);
	if (ret) {
		sites_image_release(img);
		return ret;
	}
	read_got(img, &h);
	find_descs(img, sites);
	find_enters(img);
	return 0;
}

void sites_image_release(struct sites_image *img)
{
	strbuf_release(&img->file);
	vec_release(&img->parts);
	vec_release(&img->frozen);
	vec_release(&img->descs);
	vec_release(&img->enters);
}

bool sites_image_insn(const struct sites_image *img, uint64_t at, struct x86_insn *x)
{
	size_t size;
	const uint8_t *code = sites_image_code(img, at, &size);

	return code && !x86_decode(code, size, x);
}
