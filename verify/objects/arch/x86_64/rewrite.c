/* SPDX-License-Identifier: MIT */
#include "verify/objects/arch/x86_64/rewrite.h"

#include <string.h>

/* Bytes before and from the place that the linker may write. */
static void reach(const struct place *p, uint64_t *before, uint64_t *from)
{
	*before = 0;
	*from = 4;
	switch (ELF64_R_TYPE(p->r.r_info)) {
	case R_X86_64_64:
		*from = 8;
		return;
	case R_X86_64_GOTPCRELX:
		*before = 2;
		return;
	case R_X86_64_REX_GOTPCRELX:
	case R_X86_64_GOTTPOFF:
	case R_X86_64_GOTPC32_TLSDESC:
		*before = 3;
		return;
	case R_X86_64_TLSDESC_CALL:
		*from = 2;
		return;
	case R_X86_64_TLSGD:
		*before = 4;
		*from = 12;
		return;
	case R_X86_64_TLSLD: /* behind it a call, direct or by the GOT */
		*before = 3;
		*from = p->at->size - p->k > 4 && p->ours[p->k + 4] == 0xff ? 10 : 9;
		return;
	default:
		return;
	}
}

void reference_mark(uint8_t *mask, const struct place *p)
{
	uint64_t before, from;

	reach(p, &before, &from);
	for (uint64_t k = p->k < before ? 0 : p->k - before; k < p->at->size && k < p->k + from; k++)
		mask[k] = 1;
}

/* Does the stretch hold all that is looked at? */
static bool rewrite_is_there(const struct place *p)
{
	uint64_t before, from;

	reach(p, &before, &from);
	return p->k >= before && p->at->size - p->k >= from;
}

/* The register that R and the reg field name, named by B and the r/m field. */
static uint8_t moved(uint8_t rex)
{
	return (uint8_t)((rex & ~4u) | (rex >> 2 & 1u));
}

/* mov, test or an operation with the number in the place of the load: @rex bytes in front. */
static bool rewrite_is_number(const uint8_t *ours, const uint8_t *theirs, bool rex)
{
	uint8_t reg = (uint8_t)(0xc0 | (ours[-1] >> 3 & 7));
	bool is_mov = ours[-2] == 0x8b && theirs[-2] == 0xc7 && theirs[-1] == reg;

	/* A number that is not negative needs no 64 bits in mov. */
	if (rex && theirs[-3] != moved(ours[-3]) &&
	    !(is_mov && !(theirs[3] & 0x80) && theirs[-3] == (moved(ours[-3]) & ~8u)))
		return false;
	return is_mov || (ours[-2] == 0x85 && theirs[-2] == 0xf7 && theirs[-1] == reg) ||
	       ((ours[-2] & 0xc7) == 0x03 && theirs[-2] == 0x81 && theirs[-1] == (reg | (ours[-2] & 0x38)));
}

/* call or jmp *slot(%rip) became one of the distance, behind a byte without effect: addr32, nop, or rex. */
static bool is_direct(const uint8_t *ours, const uint8_t *theirs)
{
	if (!memcmp(ours - 2, "\xff\x15", 2))
		return theirs[-1] == 0xe8 && (theirs[-2] == 0x67 || theirs[-2] == 0x90 || theirs[-2] == 0x40);
	return !memcmp(ours - 2, "\xff\x25", 2) && theirs[-1] == 0xe9 &&
	       (theirs[-2] == 0x90 || theirs[-2] == 0x40);
}

enum rewrite rewrite_of_got(const struct place *p)
{
	const uint8_t *ours = p->ours + p->k, *theirs = p->theirs + p->k;
	uint32_t type = ELF64_R_TYPE(p->r.r_info);
	size_t rex = type == R_X86_64_REX_GOTPCRELX;

	if (!rewrite_is_there(p))
		return REWRITE_OTHER;
	if (type == R_X86_64_GOTPCREL || !memcmp(ours - 2 - rex, theirs - 2 - rex, 2 + rex))
		return REWRITE_NONE;
	if (ours[-2] == 0x8b && theirs[-2] == 0x8d && theirs[-1] == ours[-1] &&
	    (!rex || theirs[-3] == ours[-3]))
		return REWRITE_NEAR;
	if (is_direct(ours, theirs))
		return REWRITE_NEAR;
	if ((!memcmp(ours - 2, "\xff\x15", 2) && theirs[-2] == 0xe8 && theirs[3] == 0x90) ||
	    (!memcmp(ours - 2, "\xff\x25", 2) && theirs[-2] == 0xe9 && theirs[3] == 0x90))
		return REWRITE_EARLIER;
	return rewrite_is_number(ours, theirs, rex) ? REWRITE_NUMBER : REWRITE_OTHER;
}

/* mov or add slot(%rip), %reg */
static enum rewrite of_gottpoff(const uint8_t *ours, const uint8_t *theirs)
{
	uint8_t reg = ours[-1] >> 3 & 7;

	if (!memcmp(ours - 3, theirs - 3, 3))
		return REWRITE_NONE;
	/* lea distance(%reg), %reg, or an addition where that has no such form */
	if (ours[-2] == 0x03 && theirs[-2] == 0x8d && theirs[-1] == (0x80 | reg | reg << 3) &&
	    theirs[-3] == (ours[-3] | (ours[-3] >> 2 & 1)))
		return REWRITE_NUMBER;
	return rewrite_is_number(ours, theirs, true) && theirs[-3] & 8 ? REWRITE_NUMBER : REWRITE_OTHER;
}

#define BASE "\x64\x48\x8b\x04\x25\x00\x00\x00\x00" /* mov %fs:0, %rax */

/* lea slots(%rip), %rdi; call __tls_get_addr */
static enum rewrite of_tlsgd(const uint8_t *ours, const uint8_t *theirs)
{
	if (memcmp(ours - 4, "\x66\x48\x8d\x3d", 4) != 0 ||
	    (memcmp(ours + 4, "\x66\x66\x48\xe8", 4) != 0 && memcmp(ours + 4, "\x66\x48\xff\x15", 4) != 0))
		return REWRITE_OTHER;
	if (!memcmp(ours - 4, theirs - 4, 4))
		return REWRITE_NONE;
	if (memcmp(theirs - 4, BASE, 9) != 0)
		return REWRITE_OTHER;
	if (!memcmp(theirs + 5, "\x48\x8d\x80", 3) || !memcmp(theirs + 5, "\x48\x81\xc0", 3))
		return REWRITE_LATER;
	return !memcmp(theirs + 5, "\x48\x03\x05", 3) ? REWRITE_LATER_SLOT : REWRITE_OTHER;
}

/* lea slots(%rip), %rdi; call __tls_get_addr, for all variables of the unit */
static enum rewrite of_tlsld(const uint8_t *ours, const uint8_t *theirs)
{
	bool is_long = !memcmp(ours + 4, "\xff\x15", 2);

	if (memcmp(ours - 3, "\x48\x8d\x3d", 3) != 0 || (!is_long && ours[4] != 0xe8))
		return REWRITE_OTHER;
	if (!memcmp(theirs - 3, "\x66\x66\x66\x66", (size_t)3 + is_long) &&
	    !memcmp(theirs + is_long, BASE, 9))
		return REWRITE_BASE;
	/* xor %eax, %eax; mov %fs:(%rax), %rax; sub $size, %rax */
	if (!memcmp(theirs - 3, "\x31\xc0\x64\x48\x8b\x00\x48\x2d", 8) && (!is_long || theirs[9] == 0x90))
		return REWRITE_BEGIN;
	/* the same, xor %rax, %rax */
	if (is_long && !memcmp(theirs - 3, "\x48\x31\xc0\x64\x48\x8b\x00\x48\x2d", 9))
		return REWRITE_BEGIN_LATER;
	return REWRITE_OTHER;
}

/* lea descriptor(%rip), %reg */
static enum rewrite of_tlsdesc(const uint8_t *ours, const uint8_t *theirs)
{
	uint8_t reg = ours[-1] >> 3 & 7;

	if (ours[-2] != 0x8d)
		return REWRITE_OTHER;
	if (theirs[-2] == 0xc7 && theirs[-1] == (0xc0 | reg) && theirs[-3] == moved(ours[-3]))
		return REWRITE_NUMBER;
	if (theirs[-2] == 0x8b && theirs[-1] == ours[-1] && theirs[-3] == ours[-3])
		return REWRITE_SLOT;
	return REWRITE_OTHER;
}

enum rewrite rewrite_of_thread(const struct place *p)
{
	const uint8_t *ours = p->ours + p->k, *theirs = p->theirs + p->k;

	if (!rewrite_is_there(p))
		return REWRITE_OTHER;
	switch (ELF64_R_TYPE(p->r.r_info)) {
	case R_X86_64_GOTTPOFF:
		return of_gottpoff(ours, theirs);
	case R_X86_64_TLSGD:
		return of_tlsgd(ours, theirs);
	case R_X86_64_TLSLD:
		return of_tlsld(ours, theirs);
	case R_X86_64_GOTPC32_TLSDESC:
		return of_tlsdesc(ours, theirs);
	case R_X86_64_TLSDESC_CALL: /* call *(%rax) became a nop */
		return !memcmp(ours, "\xff\x10", 2) && !memcmp(theirs, "\x66\x90", 2) ? REWRITE_BASE
										      : REWRITE_OTHER;
	default:
		return REWRITE_OTHER;
	}
}
