/* SPDX-License-Identifier: MIT */
#include "verify/arch/plt.h"

#include <string.h>

#include "verify/arch/insn.h"

#define ENDBR "\xf3\x0f\x1e\xfa"

static uint32_t word(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof(w));
	return w;
}

/* Where a distance of four bytes at @p leads, which the instruction ends with. */
static uint64_t behind(const uint8_t *p, uint64_t address)
{
	return address + 4 + (uint64_t)(int64_t)(int32_t)word(p);
}

/* mov $number, %r11d */
bool plt_is_number(const uint8_t *p)
{
	return !memcmp(p, "\x41\xbb", 2);
}

/* Before the jump of an entry: endbr64, or its number. */
static bool is_lead(const uint8_t *code, const struct insn *insn)
{
	return (insn->size == 4 && !memcmp(code, ENDBR, 4)) ||
	       (insn->size == PLT_NUMBER_BYTES && plt_is_number(code));
}

bool plt_entry(const uint8_t *p, size_t size, uint64_t address, uint64_t *slot, size_t *loose)
{
	bool number = false;
	struct insn insn;

	for (size_t at = 0; at < size; at += insn.size) {
		if (!insn_decode(p + at, size - at, address + at, &insn))
			return false;
		if (insn.flow == FLOW_JUMP_BY && insn.slot && insn.size <= 7 &&
		    (p[at] == 0xff || (p[at] == 0xf2 && p[at + 1] == 0xff))) {
			*slot = insn.slot;
			*loose = number ? PLT_BOUND : at;
			return true;
		}
		if (insn.flow != FLOW_NEXT || !is_lead(p + at, &insn))
			return false;
		number |= insn.size == PLT_NUMBER_BYTES;
	}
	return false;
}

bool plt_head(const uint8_t *p, size_t left, uint64_t address, uint64_t *handed, uint64_t *slot)
{
	static const uint8_t mold[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x53}; /* endbr64; push %r11 */
	struct insn push, jump;

	if (left < 16)
		return false;
	if (!memcmp(p, mold, sizeof(mold))) {
		p += sizeof(mold);
		left -= sizeof(mold);
		address += sizeof(mold);
	}
	if (p[0] != 0xff || p[1] != 0x35 || !insn_decode(p, left, address, &push) ||
	    !insn_decode(p + push.size, left - push.size, address + push.size, &jump) ||
	    jump.flow != FLOW_JUMP_BY)
		return false;
	*handed = push.data;
	*slot = jump.slot;
	return true;
}

bool plt_asks(const uint8_t *p, size_t left, uint64_t address, uint32_t *number, uint64_t *head)
{
	size_t k;

	if (left < 10)
		return false;
	if (left == 16 && !memcmp(p, ENDBR "\x68", 5)) { /* endbr64; push $n; bnd jmp */
		p += 4;
		address += 4;
	}
	k = p[5] == 0xf2 ? 6 : 5;
	if (p[0] != 0x68 || p[k] != 0xe9)
		return false;
	*number = word(p + 1);
	*head = behind(p + k + 1, address + k + 1);
	return true;
}

/* endbr64, which newer versions leave out; mov $number, %r11d; jmp *slot(%rip) */
bool plt_numbered(const uint8_t *p, uint64_t address, uint32_t *number, uint64_t *slot)
{
	size_t k = memcmp(p, ENDBR, 4) ? 0 : 4;

	if (!plt_is_number(p + k) || p[k + 6] != 0xff || p[k + 7] != 0x25)
		return false;
	*number = word(p + k + 2);
	*slot = behind(p + k + 8, address + k + 8);
	return true;
}
