/* SPDX-License-Identifier: MIT */
#include "cmd/denormals/region.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/inspect/demangle.h"
#include "lib/inspect/elf.h"
#include "lib/inspect/x86.h"
#include "perseus/flush.h"

#define JUMP 5 /* bytes of the jump to the stub */

/* Jumps, calls and returns: what they say is relative to where they are, or ends the function. */
static bool leaves(const struct x86_insn *i)
{
	if (i->form != X86_LEGACY)
		return false;
	if (i->map == 1)
		return (i->opcode & 0xf0) == 0x80 || i->opcode == 0x05;
	if (i->map)
		return false;
	return (i->opcode & 0xf0) == 0x70 || (i->opcode >= 0xe0 && i->opcode <= 0xe3) ||
	       (i->opcode >= 0xe8 && i->opcode <= 0xeb) || i->opcode == 0xc2 || i->opcode == 0xc3 ||
	       i->opcode == 0xcc || i->opcode == 0xf4 || (i->opcode == 0xff && i->reg >= 2 && i->reg <= 5);
}

/* A relative jump, of which @to is the place behind the instruction plus its distance. */
static bool jumps(const struct x86_insn *i)
{
	if (i->form != X86_LEGACY)
		return false;
	if (i->map == 1)
		return (i->opcode & 0xf0) == 0x80;
	return !i->map && ((i->opcode & 0xf0) == 0x70 || (i->opcode >= 0xe0 && i->opcode <= 0xe3) ||
			   i->opcode == 0xe9 || i->opcode == 0xeb);
}

unsigned region_movable(const unsigned char *code, size_t size, struct strbuf *distances, const char **why)
{
	struct x86_insn insn;
	unsigned moved = 0;

	for (; moved < JUMP; moved += insn.length) {
		*why = "it has fewer than 5 bytes";
		if (moved >= size)
			return 0;
		*why = "it begins with an instruction that is not known";
		if (x86_decode(code + moved, size - moved, &insn))
			return 0;
		*why = "it begins with a jump, call or return";
		if (leaves(&insn))
			return 0;
		if (insn.has_modrm && insn.memory && insn.base == X86_RIP)
			strbuf_printf(distances, ":%x", moved + insn.length - insn.imm_bytes - 4);
	}
	/* A loop back to an instruction that is no more where it was. */
	for (size_t at = 0; at < size; at += insn.length) {
		int64_t to;

		*why = "its code cannot be followed to its end";
		if (x86_decode(code + at, size - at, &insn))
			return 0;
		to = (int64_t)at + insn.length + insn.imm;
		*why = "it jumps back to its first instructions";
		if (jumps(&insn) && to > 0 && to < (int64_t)moved)
			return 0;
	}
	return moved;
}

/* The bytes at link-time address @at of the file @elf; NULL: it has none there. */
static const unsigned char *code_at(const struct strbuf *elf, uint64_t at, uint64_t size)
{
	const Elf64_Ehdr *e = (const void *)elf->s;

	if (elf->len < sizeof(*e) || e->e_phentsize != sizeof(Elf64_Phdr) || e->e_phoff > elf->len ||
	    e->e_phnum > (elf->len - e->e_phoff) / sizeof(Elf64_Phdr) || e->e_phoff % 8)
		return NULL;
	for (unsigned i = 0; i < e->e_phnum; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(elf->s + e->e_phoff) + i;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && at >= p->p_vaddr &&
		    at - p->p_vaddr < p->p_filesz && size <= p->p_filesz - (at - p->p_vaddr) &&
		    p->p_offset <= elf->len && p->p_filesz <= elf->len - p->p_offset)
			return (const unsigned char *)elf->s + p->p_offset + (at - p->p_vaddr);
	}
	return NULL;
}

static bool is_called(const char *symbol, const char *function)
{
	char *people;
	bool same = !strcmp(symbol, function);

	if (same)
		return true;
	people = demangle_short(symbol);
	same = people && !strcmp(people, function);
	free(people);
	return same;
}

static int region_add(const struct strbuf *elf, const char *function, uint64_t at, uint64_t size,
		      struct strbuf *out, struct err *err)
{
	const unsigned char *code = code_at(elf, at, size);
	const char *why = "its code is not in the file";
	struct strbuf distances = STRBUF_INIT;
	unsigned moved = code ? region_movable(code, size, &distances, &why) : 0;

	if (!moved || moved > PRS_FLUSH_MOVED) {
		strbuf_release(&distances);
		err_set(err, -ENOTSUP, "flush-to-zero cannot be tried in %s() alone: %s", function, why);
		return err_advise(err,
				  "--what-if=ftz tries the whole program; or name a function that calls it");
	}
	strbuf_printf(out, "%s%" PRIx64 ":%x%s", out->len ? " " : "", at, moved,
		      distances.len ? distances.s : "");
	strbuf_release(&distances);
	return 0;
}

/* The lines `address size type name` of @symbols that are functions of that name. */
static int add_all(const struct strbuf *elf, const struct strbuf *symbols, const char *function,
		   struct strbuf *out, struct err *err)
{
	uint64_t last = 0;
	int n = 0, ret = 0;

	for (char *line = symbols->s; line && *line && !ret;) {
		char *end = strchr(line, '\n'), *name;
		uint64_t at = strtoull(line, &name, 16), size = strtoull(name, &name, 16);
		char type = name[0] == ' ' ? name[1] : '\0';

		if (end)
			*end = '\0';
		if (type && strchr("TtWw", type) && name[2] == ' ' && at != last &&
		    is_called(name + 3, function)) {
			if (n++ == PRS_FLUSH_REGIONS)
				return err_set(err, -ENOTSUP, "more than %d functions are called %s",
					       PRS_FLUSH_REGIONS, function);
			ret = region_add(elf, function, at, size, out, err);
			last = at;
		}
		line = end ? end + 1 : NULL;
	}
	return ret;
}

int region_find(const char *path, const char *function, struct strbuf *out, struct err *err)
{
	struct strbuf elf = STRBUF_INIT, symbols = STRBUF_INIT;
	int ret = fs_read(path, 0, &elf, err);

	if (!ret)
		ret = elf_symbols(path, &symbols, err);
	if (!ret)
		ret = add_all(&elf, &symbols, function, out, err);
	if (!ret && !out->len) {
		err_set(err, -ENOENT, "'%s' has no function %s()", path, function);
		ret = err_advise(err,
				 "it was inlined everywhere, is in a library, or its symbols were stripped");
	}
	strbuf_release(&elf);
	strbuf_release(&symbols);
	return ret;
}
