/* SPDX-License-Identifier: MIT */
#include "lib/inspect/x86.h"

#include <errno.h>
#include <string.h>

#define MAX_LENGTH 15

struct reader {
	const uint8_t *at, *end;
	bool short_of; /* wanted more than there is */
	uint8_t rex;
	uint8_t rex_x, rex_b, rex_r; /* bits to add to register numbers: 0 or 8 */
	bool address32;
};

static uint8_t x86_take(struct reader *r)
{
	if (r->at < r->end)
		return *r->at++;
	r->short_of = true;
	return 0;
}

static uint8_t peek(const struct reader *r, size_t n)
{
	return (size_t)(r->end - r->at) > n ? r->at[n] : 0;
}

/* @n bytes, little-endian, sign extended. */
static int64_t take_signed(struct reader *r, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)x86_take(r) << 8 * i;
	return n && n < 8 ? (int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n) : (int64_t)v;
}

static void prefixes(struct reader *r, struct x86_insn *x)
{
	for (;; r->at++) {
		switch (peek(r, 0)) {
		case 0x66:
			x->data16 = true;
			break;
		case 0x67:
			r->address32 = true;
			break;
		case 0xf0:
			x->lock = true;
			break;
		case 0xf2:
			x->repne = true;
			break;
		case 0xf3:
			x->rep = true;
			break;
		case 0x64:
		case 0x65:
			x->segment = *r->at;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e: /* no meaning, or a hint */
			break;
		default:
			return;
		}
	}
}

static void set_rex(struct reader *r, bool reg, bool index, bool base)
{
	r->rex_r = reg ? 8 : 0;
	r->rex_x = index ? 8 : 0;
	r->rex_b = base ? 8 : 0;
}

/* The `pp` field of VEX, EVEX and XOP stands for a prefix. */
static void implied_prefix(struct x86_insn *x, uint8_t pp)
{
	x->data16 = pp == 1;
	x->rep = pp == 2;
	x->repne = pp == 3;
}

static void read_vex2(struct reader *r, struct x86_insn *x)
{
	uint8_t p = (x86_take(r), x86_take(r));

	x->form = X86_VEX;
	x->map = 1;
	set_rex(r, !(p & 0x80), false, false);
	implied_prefix(x, p & 3);
}

/* Three bytes of VEX or XOP; they differ in the first one only. */
static void read_vex3(struct reader *r, struct x86_insn *x, enum x86_form form)
{
	uint8_t p0 = (x86_take(r), x86_take(r)), p1 = x86_take(r);

	x->form = form;
	x->map = p0 & 0x1f;
	set_rex(r, !(p0 & 0x80), !(p0 & 0x40), !(p0 & 0x20));
	x->wide = p1 >> 7;
	implied_prefix(x, p1 & 3);
}

static void read_evex(struct reader *r, struct x86_insn *x)
{
	uint8_t p0 = (x86_take(r), x86_take(r)), p1 = x86_take(r);

	x86_take(r);
	x->form = X86_EVEX;
	x->map = p0 & 7;
	set_rex(r, !(p0 & 0x80), !(p0 & 0x40), !(p0 & 0x20));
	x->wide = p1 >> 7;
	implied_prefix(x, p1 & 3);
}

static void read_rex(struct reader *r, struct x86_insn *x)
{
	if ((peek(r, 0) & 0xf0) != 0x40)
		return;
	r->rex = x86_take(r);
	x->wide = r->rex & 8;
	set_rex(r, r->rex & 4, r->rex & 2, r->rex & 1);
}

/* What stands before the opcode; -EINVAL: no such instruction. */
static int read_opcode(struct reader *r, struct x86_insn *x)
{
	uint8_t op;

	prefixes(r, x);
	read_rex(r, x);
	op = peek(r, 0);
	if (op == 0xc5)
		read_vex2(r, x);
	else if (op == 0xc4)
		read_vex3(r, x, X86_VEX);
	else if (op == 0x62)
		read_evex(r, x);
	else if (op == 0x8f && (peek(r, 1) & 0x1f) >= 8)
		read_vex3(r, x, X86_XOP);
	else if (op == 0x0f)
		x->map = 1;
	if (x->form != X86_LEGACY && (r->rex || x->lock))
		return -EINVAL;
	if (x->form == X86_LEGACY && x->map == 1) {
		x86_take(r);
		op = peek(r, 0);
		x->map = op == 0x38 ? 2 : op == 0x3a ? 3 : 1;
		r->at += x->map > 1;
	}
	x->opcode = x86_take(r);
	return r->short_of ? -EINVAL : 0;
}

/* Opcodes of the one-byte map that 64-bit code does not have; prefixes are gone already. */
static bool one_byte_invalid(uint8_t op)
{
	static const uint8_t gone[] = {0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f,
				       0x60, 0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea, 0x0f};

	return memchr(gone, op, sizeof(gone)) != NULL;
}

static bool one_byte_modrm(uint8_t op)
{
	static const uint8_t more[] = {0x63, 0x69, 0x6b, 0xc0, 0xc1, 0xc6, 0xc7, 0xf6, 0xf7, 0xfe, 0xff};

	if (op < 0x40)
		return (op & 7) < 4;
	if ((op >= 0x80 && op <= 0x8f) || (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf))
		return true;
	return memchr(more, op, sizeof(more)) != NULL;
}

static bool two_byte_modrm(uint8_t op)
{
	static const uint8_t without[] = {0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x0e, 0x30, 0x31, 0x32, 0x33,
					  0x34, 0x35, 0x37, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa};

	if ((op >= 0x80 && op <= 0x8f) || (op >= 0xc8 && op <= 0xcf))
		return false;
	return memchr(without, op, sizeof(without)) == NULL;
}

static bool has_modrm(const struct x86_insn *x)
{
	if (x->form == X86_VEX && x->map == 1)
		return x->opcode != 0x77; /* vzeroupper */
	if (x->form != X86_LEGACY || x->map > 1)
		return true;
	return x->map ? two_byte_modrm(x->opcode) : one_byte_modrm(x->opcode);
}

static void read_sib(struct reader *r, struct x86_insn *x, uint8_t mod, unsigned *disp)
{
	uint8_t sib = x86_take(r), index = (uint8_t)((sib >> 3 & 7) | r->rex_x);

	x->index = index == 4 ? X86_NONE : index;
	x->base = (uint8_t)((sib & 7) | r->rex_b);
	if ((sib & 7) == 5 && mod == 0) {
		x->base = X86_NONE;
		*disp = 4;
	}
}

static void read_modrm(struct reader *r, struct x86_insn *x)
{
	uint8_t b = x86_take(r), mod = b >> 6;
	unsigned disp = mod == 1 ? 1 : mod == 2 ? 4 : 0;

	x->has_modrm = true;
	x->reg = (uint8_t)((b >> 3 & 7) | r->rex_r);
	x->rm = (uint8_t)((b & 7) | r->rex_b);
	x->memory = mod != 3;
	if (!x->memory)
		return;
	x->base = x->rm;
	if ((b & 7) == 4) {
		read_sib(r, x, mod, &disp);
	} else if ((b & 7) == 5 && mod == 0) {
		x->base = X86_RIP;
		disp = 4;
	}
	x->disp = take_signed(r, disp);
}

/* Bytes of an immediate as wide as the operand, at most 4. */
static unsigned operand_imm(const struct x86_insn *x)
{
	return x->data16 && !x->wide ? 2 : 4;
}

static unsigned one_byte_imm(const struct reader *r, const struct x86_insn *x)
{
	uint8_t op = x->opcode;

	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? operand_imm(x) : 0;
	if (op >= 0xb8 && op <= 0xbf)
		return x->wide ? 8 : operand_imm(x);
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe7))
		return 1;
	if (op >= 0xa0 && op <= 0xa3)
		return r->address32 ? 4 : 8;
	switch (op) {
	case 0x6a:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xa8:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xeb:
		return 1;
	case 0xc2:
	case 0xca:
		return 2;
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7:
		return operand_imm(x);
	case 0xe8:
	case 0xe9:
		return 4;
	case 0xf6:
		return (x->reg & 7) < 2 ? 1 : 0;
	case 0xf7:
		return (x->reg & 7) < 2 ? operand_imm(x) : 0;
	default:
		return 0;
	}
}

/* Map 0f, whose immediates VEX and EVEX share. */
static unsigned two_byte_imm(const struct x86_insn *x)
{
	uint8_t op = x->opcode;

	if (x->form == X86_LEGACY) {
		if (op >= 0x80 && op <= 0x8f)
			return 4;
		if (op == 0x78 && (x->data16 || x->repne)) /* extrq, insertq */
			return 2;
		if (op == 0x0f || op == 0xa4 || op == 0xac || op == 0xba)
			return 1;
	}
	return (op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ? 1 : 0;
}

static unsigned imm_bytes(const struct reader *r, const struct x86_insn *x)
{
	if (x->form == X86_XOP)
		return x->map == 8 ? 1 : x->map == 10 ? 4 : 0;
	if (x->map == 0)
		return one_byte_imm(r, x);
	if (x->map == 1)
		return two_byte_imm(x);
	return x->map == 3 ? 1 : 0;
}

/* enter has two immediates, of three bytes in all. */
static void read_imm(struct reader *r, struct x86_insn *x)
{
	bool legacy = x->form == X86_LEGACY && !x->map;

	x->imm_bytes = imm_bytes(r, x);
	x->imm = take_signed(r, x->imm_bytes);
	if (legacy && x->opcode == 0xc8) {
		x->imm_bytes = 2;
		x->imm = take_signed(r, 2);
		x86_take(r);
	}
}

static bool is_valid(const struct x86_insn *x)
{
	if (x->form == X86_LEGACY)
		return x->map || !one_byte_invalid(x->opcode);
	if (x->form == X86_XOP)
		return x->map >= 8 && x->map <= 10;
	return x->map >= 1 && x->map <= (x->form == X86_EVEX ? 6 : 3) && x->map != 4;
}

int x86_decode(const uint8_t *code, size_t size, struct x86_insn *out)
{
	struct reader r = {.at = code, .end = code + (size < MAX_LENGTH ? size : MAX_LENGTH)};

	*out = (struct x86_insn){.base = X86_NONE, .index = X86_NONE};
	if (read_opcode(&r, out) || !is_valid(out))
		return -EINVAL;
	if (has_modrm(out))
		read_modrm(&r, out);
	read_imm(&r, out);
	if (r.short_of)
		return -EINVAL;
	out->length = (unsigned)(r.at - code);
	return 0;
}
