/* SPDX-License-Identifier: MIT */
#include "platform/probe-text.h"

#include <string.h>

#include "lib/x86.h"

#define INSTRUCTIONS 32 /* that are followed */
#define BODY         48 /* bytes of an awake probe before and behind its look at the thread's tags, at most */

/* mov %fs:(%r10),%r10: the thread's block. */
static const uint8_t look_at_thread[] = {0x64, 0x4d, 0x8b, 0x12};

bool probe_text_awake(const uint8_t *code, size_t size, size_t at)
{
	size_t first = at > BODY ? at - BODY : 0, last = at + BODY < size ? at + BODY : size;

	return first < last && memmem(code + first, last - first, look_at_thread, sizeof(look_at_thread));
}

/* nopl disp32(%rax or %rcx,%rbp,8) */
static bool is_probe(const uint8_t *p, size_t left)
{
	return left >= 8 && p[0] == 0x0f && p[1] == 0x1f && p[2] == 0x84 && (p[3] == 0xe8 || p[3] == 0xe9);
}

/* Where a jump that is likely to be taken goes: all of them, but for conditions that lead onwards. */
static bool jumps(const struct x86_insn *i, size_t next, size_t size, size_t *to)
{
	bool always = i->map == 0 && (i->opcode == 0xe9 || i->opcode == 0xeb),
	     on_condition = (i->map == 0 && i->opcode >= 0x70 && i->opcode <= 0x7f) ||
			    (i->map == 1 && i->opcode >= 0x80 && i->opcode <= 0x8f);
	int64_t target = (int64_t)next + i->imm;

	if (!(always || (on_condition && i->imm < 0)) || target < 0 || target >= (int64_t)size)
		return false;
	*to = (size_t)target;
	return true;
}

double probe_text_rest(const uint8_t *code, size_t size, size_t at)
{
	unsigned all = 0, probes = 0;
	struct x86_insn i;

	for (; all < INSTRUCTIONS && at < size && !x86_decode(code + at, size - at, &i); all++) {
		probes += is_probe(code + at, size - at);
		if (i.map == 0 && (i.opcode == 0xc3 || i.opcode == 0xc2)) /* return */
			break;
		if (!jumps(&i, at + i.length, size, &at))
			at += i.length;
	}
	return all ? (double)probes / all : 0;
}
