/* SPDX-License-Identifier: MIT */
/*
 * Lengths and control flow of instructions.  What they compute is of no
 * interest here; each byte that is not in the tables is refused.
 */
#ifndef PERSEUS_VERIFY_ARCH_INSN_H
#define PERSEUS_VERIFY_ARCH_INSN_H

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
	bool is_return;
	bool computes; /* with floating-point numbers, by the register that has the bits of a flush */
	bool is_nop;   /* as stands between blocks that are aligned */
};

/* Decode the instruction at @p, @left bytes long at most, that is loaded at @address; false: unknown. */
bool insn_decode(const uint8_t *p, size_t left, uint64_t address, struct insn *out);

/* A byte with which linkers fill space between pieces of code: zero, trap, or one that is a no-op by itself. */
bool insn_is_filler(uint8_t byte);

/* Whether the instruction at @p calls the system. */
bool insn_is_system(const uint8_t *p, const struct insn *insn);

/* Bytes in front of the 4-byte distance of a direct call or jump at @p of @left bytes; 0: it is none. */
size_t insn_branch(const uint8_t *p, size_t left);

/* Does an instruction without prefix at @p, or the rest of one behind it, form the address *to of a place at a
 * distance? */
bool insn_near(const uint8_t *p, size_t left, uint64_t address, uint64_t *to);

/* The distance from the thread pointer at which the first such access in the @size bytes of code at @p is;
 * false: there is none. */
bool insn_by_thread(const uint8_t *p, size_t size, int32_t *distance);

#endif
