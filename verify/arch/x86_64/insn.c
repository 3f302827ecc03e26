/* SPDX-License-Identifier: MIT */
#include "verify/arch/insn.h"

#include <string.h>

/* What stands behind an opcode. */
enum {
	NONE,      /* nothing */
	MODRM,     /* register or memory operand */
	BYTE,      /* 8-bit constant */
	WORD,      /* constant of 32 bits, or 16 with prefix 66 */
	MOD_BYTE,  /* operand and 8-bit constant */
	MOD_WORD,  /* operand and WORD */
	SHORT,     /* 16-bit constant */
	LONG,      /* WORD, or 64 bits with REX.W */
	OFFSET,    /* address of 64 bits, or 32 with prefix 67 */
	ENTER,     /* 16 and 8 bits */
	REL8,      /* distance of a branch */
	REL32,     /* the same, 32 bits */
	GROUP,     /* f6, f7: a constant if it is `test` */
	MOD_BYTES, /* operand and two bytes */
	BAD,
};

struct cursor {
	const uint8_t *p;
	size_t left, at;
	uint64_t address;
	bool wide, operand16, address32, repne;
	uint8_t modrm, opcode, rex;
	int base;
	bool has_modrm;
	unsigned map;   /* of opcodes: 0 one byte, 1 behind 0f, 2, 3 */
	bool has_fixed; /* operand is at a distance from the next instruction */
	int32_t fixed;
};

/* The one-byte opcodes, sixteen to a line. */
static const uint8_t one[256] = {
#define ALU MODRM, MODRM, MODRM, MODRM, BYTE, WORD, BAD, BAD
	ALU,      ALU,      ALU,      ALU,      ALU,   ALU,   ALU,      ALU,
#undef ALU
#define BAD8 BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD
	BAD8,     BAD8,
#define NONE8 NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE
	NONE8,    NONE8,    BAD,      BAD,      BAD,   MODRM, BAD,      BAD,      BAD,    BAD,    WORD,
	MOD_WORD, BYTE,     MOD_BYTE, NONE,     NONE,  NONE,  NONE,
#define REL8_8 REL8, REL8, REL8, REL8, REL8, REL8, REL8, REL8
	REL8_8,   REL8_8,
#define MODRM8 MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM
	MOD_BYTE, MOD_WORD, BAD,      MOD_BYTE, MODRM, MODRM, MODRM,    MODRM,    MODRM8, NONE8,  NONE,
	NONE,     BAD,      NONE,     NONE,     NONE,  NONE,  NONE,     OFFSET,   OFFSET, OFFSET, OFFSET,
	NONE,     NONE,     NONE,     NONE,     BYTE,  WORD,  NONE,     NONE,     NONE,   NONE,   NONE,
	NONE,     BYTE,     BYTE,     BYTE,     BYTE,  BYTE,  BYTE,     BYTE,     BYTE,   LONG,   LONG,
	LONG,     LONG,     LONG,     LONG,     LONG,  LONG,  MOD_BYTE, MOD_BYTE, SHORT,  NONE,   BAD,
	BAD,      MOD_BYTE, MOD_WORD, ENTER,    NONE,  SHORT, NONE,     NONE,     BYTE,   BAD,    NONE,
	MODRM,    MODRM,    MODRM,    MODRM,    BAD,   BAD,   BAD,      NONE,     MODRM8, REL8,   REL8,
	REL8,     REL8,     BYTE,     BYTE,     BYTE,  BYTE,  REL32,    REL32,    BAD,    REL8,   NONE,
	NONE,     NONE,     NONE,     BAD,      NONE,  BAD,   BAD,      NONE,     NONE,   GROUP,  GROUP,
	NONE,     NONE,     NONE,     NONE,     NONE,  NONE,  MODRM,    MODRM,
};

/* Those behind 0f. */
static const uint8_t two[256] = {
	MODRM,    MODRM,    MODRM,    MODRM,    BAD,      NONE,     NONE,   NONE,     NONE,   NONE,
	BAD,      NONE,     BAD,      MODRM,    NONE,     MOD_BYTE, MODRM8, MODRM8,   MODRM,  MODRM,
	MODRM,    MODRM,    BAD,      BAD,      BAD,      BAD,      MODRM8, NONE,     NONE,   NONE,
	NONE,     NONE,     NONE,     BAD,      NONE,     BAD,      BAD,    BAD,      BAD,    BAD,
	BAD,      BAD,      BAD,      MODRM8,   MODRM8,   MODRM8,   MODRM8, MODRM8,   MODRM8, MOD_BYTE,
	MOD_BYTE, MOD_BYTE, MOD_BYTE, MODRM,    MODRM,    MODRM,    NONE,   MODRM,    MODRM,  BAD,
	BAD,      MODRM,    MODRM,    MODRM,    MODRM,    REL32,    REL32,  REL32,    REL32,  REL32,
	REL32,    REL32,    REL32,    REL32,    REL32,    REL32,    REL32,  REL32,    REL32,  REL32,
	REL32,    MODRM8,   MODRM8,   NONE,     NONE,     NONE,     MODRM,  MOD_BYTE, MODRM,  BAD,
	BAD,      NONE,     NONE,     NONE,     MODRM,    MOD_BYTE, MODRM,  MODRM,    MODRM,  MODRM8,
	MODRM,    MODRM,    MOD_BYTE, MODRM,    MODRM,    MODRM,    MODRM,  MODRM,    MODRM,  MODRM,
	MOD_BYTE, MODRM,    MOD_BYTE, MOD_BYTE, MOD_BYTE, MODRM,    NONE8,  MODRM8,   MODRM8, MODRM8,
	MODRM8,   MODRM8,   MODRM8,
};

static bool insn_take(struct cursor *c, size_t n)
{
	if (n > c->left - c->at)
		return false;
	c->at += n;
	return true;
}

static int32_t signed32(const uint8_t *p)
{
	int32_t n;

	memcpy(&n, p, sizeof(n));
	return n;
}

/* Bytes of the displacement that the operand byte and its second byte ask for. */
static size_t displacement(struct cursor *c, uint8_t mod, uint8_t rm)
{
	bool none = mod == 0;

	if (rm == 4) {
		if (!insn_take(c, 1))
			return SIZE_MAX;
		rm = c->p[c->at - 1] & 7;
	} else if (none && rm == 5) {
		c->has_fixed = true;
	}
	if (none)
		return rm == 5 ? 4 : 0;
	return mod == 1 ? 1 : 4;
}

static bool operand(struct cursor *c)
{
	uint8_t mod, rm;
	size_t n;

	if (!insn_take(c, 1))
		return false;
	c->modrm = c->p[c->at - 1];
	c->has_modrm = true;
	mod = c->modrm >> 6;
	rm = c->modrm & 7;
	if (mod == 3)
		return true;
	n = displacement(c, mod, rm);
	if (n == SIZE_MAX || !insn_take(c, n))
		return false;
	if (rm != 4 && !c->has_fixed)
		c->base = rm | (c->rex & 1) << 3;
	if (c->has_fixed)
		c->fixed = signed32(c->p + c->at - 4);
	return true;
}

static size_t word_bytes(const struct cursor *c)
{
	return c->operand16 && !c->wide ? 2 : 4;
}

static bool insn_behind(struct cursor *c, uint8_t kind, uint8_t opcode)
{
	switch (kind) {
	case NONE:
		return true;
	case MODRM:
		return operand(c);
	case BYTE:
	case REL8:
		return insn_take(c, 1);
	case WORD:
		return insn_take(c, word_bytes(c));
	case MOD_BYTE:
		return operand(c) && insn_take(c, 1);
	case MOD_WORD:
		return operand(c) && insn_take(c, word_bytes(c));
	case SHORT:
		return insn_take(c, 2);
	case LONG:
		return insn_take(c, c->wide ? 8 : word_bytes(c));
	case OFFSET:
		return insn_take(c, c->address32 ? 4 : 8);
	case ENTER:
		return insn_take(c, 3);
	case REL32:
		return insn_take(c, 4);
	case GROUP:
		if (!operand(c))
			return false;
		return (c->modrm >> 3 & 7) > 1 || insn_take(c, opcode == 0xf6 ? 1 : word_bytes(c));
	case MOD_BYTES:
		return operand(c) && insn_take(c, 2);
	default:
		return false;
	}
}

static void flow_by(struct cursor *c, struct insn *out)
{
	uint8_t reg = c->modrm >> 3 & 7;

	if (reg < 2 || reg > 5)
		return;
	out->flow = reg < 4 ? FLOW_CALL_BY : FLOW_JUMP_BY;
	/* Those to other segments (3 and 5) go by more than an address. */
	out->slot = c->has_fixed && !(reg & 1) ? c->address + c->at + (uint64_t)(int64_t)c->fixed : 0;
}

static uint64_t distant(const struct cursor *c, bool is_short)
{
	int64_t n = is_short ? (int8_t)c->p[c->at - 1] : signed32(c->p + c->at - 4);

	return c->address + c->at + (uint64_t)n;
}

static void flow_of(struct cursor *c, uint8_t opcode, struct insn *out)
{
	uint8_t kind = one[opcode];

	if (opcode == 0xff) {
		flow_by(c, out);
	} else if (opcode == 0xe8 || opcode == 0xe9) {
		out->flow = opcode == 0xe8 ? FLOW_CALL : FLOW_JUMP;
		out->target = distant(c, false);
	} else if (kind == REL8) {
		out->flow = opcode == 0xeb ? FLOW_JUMP : FLOW_BRANCH;
		out->target = distant(c, true);
	} else if (opcode == 0xc7 && c->modrm == 0xf8) { /* xbegin */
		out->flow = FLOW_BRANCH;
		out->target = distant(c, false);
	} else if (opcode == 0xc2 || opcode == 0xc3 || (opcode >= 0xca && opcode <= 0xcb) || opcode == 0xcf ||
		   opcode == 0xf4 || (opcode >= 0xcc && opcode <= 0xce) || opcode == 0xf1) {
		out->flow = FLOW_STOP; /* traps, too: who goes on, and where, is said by a handler */
	}
}

/* Behind 0f 38 and 0f 3a, and in maps 2 and 3 of the vector prefixes. */
static bool in_map(struct cursor *c, unsigned map, bool vector)
{
	uint8_t opcode, kind;

	if (!insn_take(c, 1))
		return false;
	opcode = c->p[c->at - 1];
	c->opcode = opcode;
	c->map = map;
	if (map == 1) {
		kind = two[opcode];
		if (kind != MOD_BYTE && kind != BAD && !(vector && opcode == 0x77))
			kind = MODRM;
		return insn_behind(c, kind, opcode);
	}
	if (map == 2 || map == 5 || map == 6)
		return insn_behind(c, MODRM, opcode);
	return map == 3 && insn_behind(c, MOD_BYTE, opcode);
}

static bool escaped(struct cursor *c, struct insn *out)
{
	uint8_t opcode, kind;

	if (!insn_take(c, 1))
		return false;
	opcode = c->p[c->at - 1];
	if (opcode == 0x38 || opcode == 0x3a)
		return in_map(c, opcode == 0x38 ? 2 : 3, false);
	c->opcode = opcode;
	c->map = 1;
	kind = two[opcode];
	if (opcode == 0x78 && (c->operand16 || c->repne))
		kind = MOD_BYTES;
	if (!insn_behind(c, kind, opcode))
		return false;
	if (kind == REL32) {
		out->flow = FLOW_BRANCH;
		out->target = distant(c, false);
	} else if (opcode == 0x0b) {
		out->flow = FLOW_STOP;
	}
	out->is_nop = opcode == 0x1f;
	return true;
}

/* c5, c4, 62 and AMD's 8f: the prefixes of vector instructions, of 1, 2 or 3 bytes behind the first. */
static bool vector(struct cursor *c, uint8_t first)
{
	size_t n = first == 0xc5 ? 1 : first == 0x62 ? 3 : 2;
	unsigned map;

	if (!insn_take(c, n))
		return false;
	map = first == 0xc5 ? 1 : c->p[c->at - n] & (first == 0x62 ? 7 : 0x1f);
	if (first != 0x8f)
		return map && in_map(c, map, true);
	if (!insn_take(c, 1) || !operand(c))
		return false;
	return map == 8 ? insn_take(c, 1) : map == 9 ? true : map == 10 && insn_take(c, 4);
}

static bool is_vector_byte(uint8_t first)
{
	return first == 0xc4 || first == 0xc5 || first == 0x62;
}

static bool is_vector(const struct cursor *c, uint8_t first)
{
	if (is_vector_byte(first))
		return true;
	return first == 0x8f && c->at < c->left && (c->p[c->at] & 0x1f) >= 8;
}

/* The first byte that is no prefix. */
static bool prefixes(struct cursor *c, uint8_t *first)
{
	for (;;) {
		if (!insn_take(c, 1))
			return false;
		*first = c->p[c->at - 1];
		if ((*first & 0xf0) == 0x40) {
			c->wide = *first & 8;
			c->rex = *first;
			continue;
		}
		c->operand16 |= *first == 0x66;
		c->address32 |= *first == 0x67;
		c->repne |= *first == 0xf2;
		if (!memchr("\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65", *first, 11))
			return true;
		c->rex = 0;
		c->wide = false; /* REX counts only right before the opcode */
	}
}

/* Instructions of one opcode byte that only read their operand. */
static bool reads_one(uint8_t opcode, uint8_t reg)
{
	if (opcode < 0x40)
		return (opcode & 6) == 2 || (opcode & 0xfe) == 0x38;
	if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83)
		return reg == 7;
	if (opcode == 0xf6 || opcode == 0xf7)
		return reg != 2 && reg != 3;
	return opcode == 0x8a || opcode == 0x8b || opcode == 0x63 || opcode == 0x69 || opcode == 0x6b ||
	       opcode == 0x84 || opcode == 0x85 || (opcode == 0xff && reg >= 2);
}

/* The same of those behind 0f. */
static bool reads_two(uint8_t opcode)
{
	static const uint8_t stores[] = {0x11, 0x13, 0x17, 0x29, 0x2b, 0x7e, 0x7f, 0xab,
					 0xb0, 0xb1, 0xb3, 0xba, 0xbb, 0xc0, 0xc1, 0xc3,
					 0xc7, 0xd6, 0xe7, 0xa4, 0xa5, 0xac, 0xad, 0xae};

	return (opcode & 0xf0) != 0x90 && !memchr(stores, opcode, sizeof(stores));
}

static enum access access_of(const struct cursor *c)
{
	if (c->map == 0 && c->opcode == 0x8d)
		return ACCESS_ADDRESS;
	if (c->map > 1)
		return ACCESS_LOAD;
	return (c->map ? reads_two(c->opcode) : reads_one(c->opcode, c->modrm >> 3 & 7)) ? ACCESS_LOAD
											 : ACCESS_STORE;
}

/*
 * Arithmetic, comparisons and conversions of SSE, AVX and AVX-512, as MXCSR rules them.  Those of the x87 unit
 * have another register, and moves, shuffles and logic none.
 */
static bool computes(const struct cursor *c, bool vector)
{
	uint8_t o = c->opcode;

	switch (c->map) {
	case 1:
		return (o >= 0x51 && o <= 0x53) || (o >= 0x58 && o <= 0x5f) || (o >= 0x2c && o <= 0x2f) ||
		       o == 0x7c || o == 0x7d || o == 0xc2 || o == 0xd0 || o == 0xe6 ||
		       (vector && o >= 0x78 && o <= 0x7b);
	case 2:
		return vector &&
		       ((o >= 0x96 && o <= 0xbf && (o & 15) >= 6) || o == 0x13 || o == 0x2c || o == 0x2d ||
			o == 0x42 || o == 0x43 || (o >= 0x4c && o <= 0x4f) || (o >= 0xc8 && o <= 0xcd));
	case 3:
		return (o >= 0x08 && o <= 0x0b) || o == 0x1d || (o >= 0x40 && o <= 0x41) ||
		       (vector && (o == 0x26 || o == 0x27 || (o >= 0x50 && o <= 0x57) || o == 0xc2));
	default:
		return c->map > 3;
	}
}

bool insn_decode(const uint8_t *p, size_t left, uint64_t address, struct insn *out)
{
	struct cursor c = {.p = p, .left = left < 15 ? left : 15, .address = address, .base = -1};
	uint8_t first;
	bool known;

	*out = (struct insn){0};
	if (!prefixes(&c, &first))
		return false;
	if (first == 0x0f) {
		known = escaped(&c, out);
	} else if (is_vector(&c, first)) {
		known = vector(&c, first);
	} else {
		c.opcode = first;
		known = insn_behind(&c, one[first], first);
		out->is_nop = first == 0x90;
		if (known)
			flow_of(&c, first, out);
	}
	out->size = (uint32_t)c.at;
	out->is_return = !c.map && !is_vector(&c, first) && (first == 0xc2 || first == 0xc3);
	out->computes = known && c.map && computes(&c, is_vector_byte(first));
	out->data = known && c.has_fixed ? address + c.at + (uint64_t)(int64_t)c.fixed : 0;
	out->access = access_of(&c);
	out->reg = c.has_modrm ? (c.modrm >> 3 & 7) | (c.rex & 4) << 1 : (c.opcode & 7) | (c.rex & 1) << 3;
	/* Vector prefixes hold these bits elsewhere. */
	out->base = is_vector_byte(first) ? -1 : c.base;
	out->constant = known && c.at >= 5 ? (uint32_t)signed32(p + c.at - 4) : 0;
	return known;
}

bool insn_is_filler(uint8_t byte)
{
	return byte == 0 || byte == 0x90 || byte == 0xcc;
}

bool insn_is_system(const uint8_t *p, const struct insn *insn)
{
	return insn->size == 2 && p[0] == 0x0f && p[1] == 0x05;
}

/* call, jmp or jcc rel32 */
size_t insn_branch(const uint8_t *p, size_t left)
{
	if (p[0] == 0xe8 || p[0] == 0xe9)
		return left >= 5 ? 1 : 0;
	return left >= 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80 ? 2 : 0;
}

/* lea disp32(%rip) */
bool insn_near(const uint8_t *p, size_t left, uint64_t address, uint64_t *to)
{
	if (left < 6 || p[0] != 0x8d || (p[1] & 0xc7) != 0x05)
		return false;
	*to = address + 6 + (uint64_t)(int64_t)signed32(p + 2);
	return true;
}

/* %fs:DISTANCE, as a constant */
bool insn_by_thread(const uint8_t *p, size_t size, int32_t *distance)
{
	bool by_thread = false;

	for (size_t i = 0; i + 6 <= size; i++) {
		by_thread |= p[i] == 0x64;
		if (!by_thread || (p[i] & 0xc7) != 0x04 || p[i + 1] != 0x25)
			continue;
		*distance = signed32(p + i + 2);
		return true;
	}
	return false;
}
