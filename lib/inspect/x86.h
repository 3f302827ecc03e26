/* SPDX-License-Identifier: MIT */
/*
 * One x86-64 instruction at a time: its length, and what one needs to say
 * what it moves.  Zydis decodes; here is what the readers of code ask for: the
 * opcode and its map, registers as numbers.  Any bytes may be handed in.
 */
#ifndef PERSEUS_LIB_INSPECT_X86_H
#define PERSEUS_LIB_INSPECT_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_RSP  4
#define X86_RBP  5
#define X86_RIP  16 /* base of an operand relative to the next instruction */
#define X86_NONE 17 /* no base, no index */

enum x86_form { X86_LEGACY, X86_VEX, X86_EVEX, X86_XOP };

struct x86_insn {
	unsigned length; /* bytes, 1 to 15 */
	enum x86_form form;
	unsigned map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a; others of VEX, EVEX, XOP as encoded */
	uint8_t opcode;
	bool wide;          /* REX.W or its like */
	bool data16;        /* prefix 66, or its like in VEX */
	bool rep, repne;    /* prefixes f3, f2, or their likes in VEX */
	bool lock;          /* prefix f0 */
	uint8_t segment;    /* prefix 64 or 65, else 0 */
	bool has_modrm;     /* then: */
	uint8_t reg;        /* register operand or extension of the opcode, 0 to 15 */
	uint8_t rm;         /* the other register, 0 to 15; if not `memory` */
	bool memory;        /* the other operand is in memory: */
	uint8_t base;       /* 0 to 15, X86_RIP, X86_NONE */
	uint8_t index;      /* 0 to 15, X86_NONE */
	int64_t disp;       /* of EVEX as encoded, not scaled */
	unsigned imm_bytes; /* 0, 1, 2, 4, 8; an address that stands in the instruction is no constant */
	int64_t imm;        /* sign extended; of a jump or call: relative to the next instruction */
};

/* Decode what is at @code, of which @size bytes may be read.  0, or -EINVAL: no instruction of 64-bit code. */
int x86_decode(const uint8_t *code, size_t size, struct x86_insn *out);

#endif
