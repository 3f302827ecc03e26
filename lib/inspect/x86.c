/* SPDX-License-Identifier: MIT */
#include "lib/inspect/x86.h"

#include <Zydis/Zydis.h>
#include <errno.h>

/* Prefixes of their own, in any order. */
static void own_prefixes(const ZydisDecodedInstruction *i, struct x86_insn *x)
{
	for (unsigned k = 0; k < i->raw.prefix_count; k++) {
		uint8_t p = i->raw.prefixes[k].value;

		x->data16 |= p == 0x66;
		x->repne |= p == 0xf2;
		x->rep |= p == 0xf3;
		x->lock |= p == 0xf0;
		if (p == 0x64 || p == 0x65)
			x->segment = p;
	}
}

/* The `pp` field of VEX, EVEX and XOP stands for a prefix. */
static void implied_prefix(struct x86_insn *x, enum x86_form form, uint8_t pp)
{
	x->form = form;
	x->data16 = pp == 1;
	x->rep = pp == 2;
	x->repne = pp == 3;
}

/* The form, and which map of opcodes; -EINVAL: one that we do not know. */
static int set_form(const ZydisDecodedInstruction *i, struct x86_insn *x)
{
	switch (i->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
	case ZYDIS_INSTRUCTION_ENCODING_3DNOW:
		own_prefixes(i, x);
		x->map = i->opcode_map <= ZYDIS_OPCODE_MAP_0F3A ? i->opcode_map : 1;
		return 0;
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
		implied_prefix(x, X86_VEX, i->raw.vex.pp);
		x->map = i->raw.vex.m_mmmm;
		break;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		implied_prefix(x, X86_EVEX, i->raw.evex.pp);
		x->map = i->raw.evex.mmm;
		break;
	case ZYDIS_INSTRUCTION_ENCODING_XOP:
		implied_prefix(x, X86_XOP, i->raw.xop.pp);
		x->map = i->raw.xop.m_mmmm;
		break;
	default:
		return -EINVAL;
	}
	return 0;
}

/* The operand that ModRM names, and its place in memory. */
static void set_modrm(const ZydisDecodedInstruction *i, const ZydisDecoderContext *c, struct x86_insn *x)
{
	uint8_t mod = i->raw.modrm.mod, rm = i->raw.modrm.rm;
	uint8_t base = c->vector_unified.B ? 8 : 0, index = c->vector_unified.X ? 8 : 0;

	x->has_modrm = true;
	x->reg = i->raw.modrm.reg | (c->vector_unified.R ? 8 : 0);
	x->rm = rm | base;
	x->memory = !c->reg_info.is_mod_reg;
	if (!x->memory)
		return;
	x->base = x->rm;
	x->disp = i->raw.disp.value;
	if (rm == 5 && mod == 0)
		x->base = X86_RIP;
	if (rm != 4)
		return;
	index |= i->raw.sib.index;
	x->index = index == 4 ? X86_NONE : index;
	x->base = i->raw.sib.base == 5 && mod == 0 ? X86_NONE : i->raw.sib.base | base;
}

/* Constants are as wide as they are written, and signed. */
static void set_imm(const ZydisDecodedInstruction *i, struct x86_insn *x)
{
	unsigned bits = i->raw.imm[0].size;

	x->imm_bytes = bits / 8;
	if (bits)
		x->imm = (int64_t)(i->raw.imm[0].value.u << (64 - bits)) >> (64 - bits);
}

int x86_decode(const uint8_t *code, size_t size, struct x86_insn *out)
{
	ZydisDecodedInstruction i;
	ZydisDecoderContext c;
	ZydisDecoder d;

	*out = (struct x86_insn){.base = X86_NONE, .index = X86_NONE};
	if (ZYAN_FAILED(ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    ZYAN_FAILED(ZydisDecoderDecodeInstruction(&d, &c, code, size, &i)) || set_form(&i, out))
		return -EINVAL;
	out->length = i.length;
	out->opcode = i.opcode;
	out->wide = c.vector_unified.W;
	if (i.attributes & ZYDIS_ATTRIB_HAS_MODRM)
		set_modrm(&i, &c, out);
	set_imm(&i, out);
	return 0;
}
