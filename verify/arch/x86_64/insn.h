/* SPDX-License-Identifier: MIT */
/*
 * Lengths and control flow of x86-64 instructions.  What they compute is of
 * no interest here; each byte that is not in the tables is refused.
 */
#ifndef PERSEUS_VERIFY_ARCH_X86_64_INSN_H
#define PERSEUS_VERIFY_ARCH_X86_64_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flow {
	FLOW_NEXT,
	FLOW_CALL,   /* direct: target */
	FLOW_JUMP,   /* direct: target */
	FLOW_BRANCH, /* to target or on */
	FLOW_CALL_BY,
	FLOW_JUMP_BY, /* by register or memory: slot, if it is a fixed place */
	FLOW_STOP,    /* return, trap */
};

enum access {
	ACCESS_LOAD,
	ACCESS_STORE,   /* or both, or not known */
	ACCESS_ADDRESS, /* computes it only */
};

struct insn {
	uint32_t size;
	enum flow flow;
	uint64_t target;
	uint64_t slot; /* address of the pointer, 0: not fixed */
	uint64_t data; /* address of its operand in memory, 0: none, or not fixed */
	enum access access;
	int reg;           /* register of the operand byte or the opcode, -1: none */
	int base;          /* of a register its memory operand counts from, -1: none, or not known */
	uint32_t constant; /* its last four bytes */
	bool is_nop;       /* as stands between blocks that are aligned */
};

/* Decode the instruction at @p, @left bytes long at most, that is loaded at @address; false: unknown. */
bool insn_decode(const uint8_t *p, size_t left, uint64_t address, struct insn *out);

#endif
