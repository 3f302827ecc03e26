/* SPDX-License-Identifier: MIT */
#include "platform/events/probe-text.h"

#include <string.h>

#include "lib/inspect/x86.h"
#include "perseus/abi.h"

#define INSTRUCTIONS 96    /* that are followed */
#define BODY         60    /* bytes of a test behind its look at the thread's tags, at most */
#define WAY          24    /* instructions of a test before that */
#define COLD_FAR     16384 /* bytes from a no-op to its cold part that are searched */
#define TEST         6     /* instructions of a test in place: lea, ror, mov, and, cmp, jne */

/* mov %fs:(r), r: the block of the thread; its length, or 0. */
static size_t thread_block(const uint8_t *p, size_t left)
{
	if (left < 5 || p[0] != 0x64 || (p[1] & 0xfa) != 0x48 || p[2] != 0x8b)
		return 0;
	if ((p[3] & 0xc0) == 0 && (p[3] & 7) != 4 && (p[3] & 7) != 5)
		return 4;
	if ((p[3] & 0xc0) == 0 && (p[3] & 7) == 4) /* r12 has a SIB byte, rbp and r13 a distance */
		return 5;
	return (p[3] & 0xc7) == 0x45 && !p[4] ? 5 : 0;
}

/* ror $6, r: an address becomes the number of its line. */
static bool is_line_number(const uint8_t *p, size_t left)
{
	return left >= 4 && (p[0] & 0xfe) == 0x48 && p[1] == 0xc1 && (p[2] & 0xf8) == 0xc8 &&
	       p[3] == PRS_LINE_SHIFT;
}

/* mov r, r; and $PRS_TAGS - 1, r: the place of a line's tag. */
static bool is_tag_place(const uint8_t *p, size_t left)
{
	static const uint8_t mask[] = {0xff, 0xff, 0x03, 0x00};
	struct x86_insn i;

	if (x86_decode(p, left, &i) || i.map || i.opcode != 0x89 || i.memory || left < i.length + 7u)
		return false;
	p += i.length;
	p += (p[0] & 0xf0) == 0x40;
	return p[0] == 0x81 && (p[1] & 0xf8) == 0xe0 && !memcmp(p + 2, mask, sizeof(mask));
}

/* The cold part of a memory probe takes its thread's tags (add _(%rip), r) just before it looks into them. */
static bool takes_tags(const uint8_t *p, size_t left)
{
	size_t n = thread_block(p, left);

	if (!n || left < n + 7 || (p[n] & 0xfb) != 0x48 || p[n + 1] != 0x03 || (p[n + 2] & 0xc7) != 5)
		return false;
	p += n + 7, left -= n + 7;
	return is_line_number(p, left) || is_tag_place(p, left);
}

static bool decode(const uint8_t *code, size_t size, size_t at, struct x86_insn *i)
{
	return at < size && !x86_decode(code + at, size - at, i);
}

/* [mov r, rcx] lea descriptor(%rip), r; jmp *_(r): on to the runtime. */
static bool is_stub(const uint8_t *code, size_t size, size_t at)
{
	struct x86_insn i;
	bool through = false;

	for (int n = 0; n < 3 && decode(code, size, at, &i); n++, at += i.length) {
		if (i.map == 0 && i.opcode == 0xff && (i.reg & 7) == 4 && i.memory && i.base != X86_RIP)
			return through && i.index == X86_NONE && i.disp > 0;
		through |= i.map == 0 && i.opcode == 0x8d && i.base == X86_RIP;
		if (i.map || (i.opcode != 0x8d && i.opcode != 0x89))
			return false;
	}
	return false;
}

/* test $site, %eax, which nobody asks for the result; [mov rax, r;] jmp back. */
static bool is_return(const uint8_t *code, size_t size, size_t at)
{
	struct x86_insn i;

	if (!decode(code, size, at, &i) || i.map || i.opcode != 0xa9)
		return false;
	for (int n = 0; n < 3; n++) {
		at += i.length;
		if (!decode(code, size, at, &i) || i.map)
			return false;
		if (i.opcode == 0xe9 || i.opcode == 0xeb)
			return true;
		if (i.opcode != 0x89 && (i.opcode & 0xf8) != 0x58)
			return false;
	}
	return false;
}

static bool goes(const struct x86_insn *i)
{
	return i->map == 0 && (i->opcode == 0xe9 || i->opcode == 0xeb);
}

/* From @at on the program comes to a look at the thread's tags. */
static bool before_tags(const uint8_t *code, size_t size, size_t at)
{
	struct x86_insn i;

	for (int n = 0; n < WAY && decode(code, size, at, &i); n++) {
		if (takes_tags(code + at, size - at))
			return true;
		if (i.map == 0 && (i.opcode == 0xc3 || i.opcode == 0xe8 || i.opcode == 0xff))
			return false;
		at += i.length + (goes(&i) ? (size_t)i.imm : 0);
	}
	return false;
}

/* It is behind one: the test ends with a jump to where misses are told. */
static bool behind_tags(const uint8_t *code, size_t size, size_t at)
{
	struct x86_insn i;

	for (size_t from = at > BODY ? at - BODY : 0; from < at; from++) {
		size_t next = from;

		if (!takes_tags(code + from, size - from))
			continue;
		while (next < at && decode(code, size, next, &i) && !goes(&i))
			next += i.length;
		if (next == at)
			return true;
	}
	return false;
}

/* nopl disp32(%rax or %rcx,%rbp,8) */
static bool is_resting(const uint8_t *p, size_t left)
{
	return left >= 8 && p[0] == 0x0f && p[1] == 0x1f && p[2] == 0x84 && (p[3] == 0xe8 || p[3] == 0xe9);
}

/* The code that the no-op of a memory probe names, which is where it goes once it is enabled. */
static bool is_cold_start(const uint8_t *code, size_t at)
{
	for (size_t from = at > COLD_FAR ? at - COLD_FAR : 0; from + 8 <= at; from++) {
		int32_t way;

		if (!is_resting(code + from, 8))
			continue;
		memcpy(&way, code + from + 4, sizeof(way));
		if (way >= 0 && from + 8 + (size_t)way == at)
			return true;
	}
	return false;
}

bool probe_text_test(const uint8_t *code, size_t size, size_t at)
{
	return at < size && !is_cold_start(code, at) &&
	       (before_tags(code, size, at) || behind_tags(code, size, at));
}

bool probe_text_stub(const uint8_t *code, size_t size, size_t at)
{
	return at < size && (is_stub(code, size, at) || is_return(code, size, at));
}

#define ENTRY       10 /* instructions in front of a probed call: the last sets or clears its token */
#define ENTRY_BYTES 64

static bool is_jump_on(const struct x86_insn *i)
{
	return (i->map == 0 && i->opcode >= 0x70 && i->opcode <= 0x7f) ||
	       (i->map == 1 && i->opcode >= 0x80 && i->opcode <= 0x8f);
}

/* mov descriptor(%rip), r; test r, r; je; mov %fs:(r), r: how a probed call begins. */
static bool is_entry(const uint8_t *code, size_t size, size_t at)
{
	struct x86_insn i;

	if (!decode(code, size, at, &i) || i.map || i.opcode != 0x8b || i.base != X86_RIP)
		return false;
	at += i.length;
	if (!decode(code, size, at, &i) || i.map || i.opcode != 0x85 || i.memory)
		return false;
	at += i.length;
	if (!decode(code, size, at, &i) || !is_jump_on(&i))
		return false;
	at += i.length;
	return at < size && thread_block(code + at, size - at);
}

/* From the entry at @from on @at is reached, within the probe. */
static bool within_entry(const uint8_t *code, size_t size, size_t from, size_t at)
{
	struct x86_insn i;

	for (int n = 0; n < ENTRY && from < at && decode(code, size, from, &i); n++)
		from += i.length;
	return from == at;
}

enum probe_part probe_text_behind(const uint8_t *code, size_t size, size_t at)
{
	if (at > size)
		return PROBE_NONE;
	if (at >= 8 && is_resting(code + at - 8, 8))
		return PROBE_RESTING;
	for (size_t from = at > ENTRY_BYTES ? at - ENTRY_BYTES : 0; from < at; from++)
		if (is_entry(code, size, from) && within_entry(code, size, from, at))
			return PROBE_COUNTING;
	return PROBE_NONE;
}

#define STEADY 4 /* instructions after which decoding from anywhere has found their places */

/* Reads what its operand in memory names; so does all that is not a store, an address or a hint. */
static bool is_load(const struct x86_insn *i)
{
	static const uint8_t other[2][8] = {{0x88, 0x89, 0x8d, 0xc6, 0xc7},
					    {0x0d, 0x11, 0x18, 0x1f, 0x29, 0x7f, 0xd6, 0xe7}};

	return i->memory && (i->map > 1 || !memchr(other[i->map], i->opcode, sizeof(other[0])));
}

bool probe_text_loaded(const uint8_t *code, size_t size, size_t at)
{
	for (size_t from = at > ENTRY_BYTES ? at - ENTRY_BYTES : 0; from + STEADY < at && at <= size;
	     from++) {
		struct x86_insn i = {0};
		size_t next = from;
		int n = 0;

		for (; next < at && decode(code, size, next, &i); n++)
			next += i.length;
		if (next == at && n >= STEADY)
			return is_load(&i);
	}
	return false;
}

/* Where a jump that is likely to be taken goes: all of them, but for conditions that lead onwards. */
static bool jumps(const struct x86_insn *i, size_t next, size_t size, size_t *to)
{
	int64_t target = (int64_t)next + i->imm;

	if (!(goes(i) || (is_jump_on(i) && i->imm < 0)) || target < 0 || target >= (int64_t)size)
		return false;
	*to = (size_t)target;
	return true;
}

struct probe_text probe_text_at(const uint8_t *code, size_t size, size_t first)
{
	struct probe_text parts = {0};
	unsigned all = 0;
	size_t at = first;
	struct x86_insn i;

	for (; all < INSTRUCTIONS && decode(code, size, at, &i) && (!all || at != first); all++) {
		parts.watching += is_line_number(code + at, size - at) ? TEST : 0;
		if (i.map == 0 && (i.opcode == 0xc3 || i.opcode == 0xc2)) /* return */
			break;
		if (!jumps(&i, at + i.length, size, &at))
			at += i.length;
	}
	if (!all)
		return parts;
	parts.watching = parts.watching < all ? parts.watching / all : 1;
	return parts;
}
