/* SPDX-License-Identifier: MIT */
#include "verify/arch/reloc.h"

#include <elf.h>
#include <stddef.h>

const char *const reloc_machine = "x86-64";

bool reloc_is_machine(uint16_t machine)
{
	return machine == EM_X86_64;
}

enum reloc reloc_of(uint32_t type)
{
	static const uint8_t meaning[] = {
		[R_X86_64_NONE] = RELOC_NONE,           [R_X86_64_64] = RELOC_ADDRESS,
		[R_X86_64_RELATIVE] = RELOC_RELATIVE,   [R_X86_64_IRELATIVE] = RELOC_RESOLVED,
		[R_X86_64_COPY] = RELOC_COPY,           [R_X86_64_GLOB_DAT] = RELOC_DATA_SLOT,
		[R_X86_64_JUMP_SLOT] = RELOC_CALL_SLOT, [R_X86_64_DTPMOD64] = RELOC_MODULE,
		[R_X86_64_DTPOFF64] = RELOC_IN_MODULE,  [R_X86_64_TPOFF64] = RELOC_FROM_THREAD,
		[R_X86_64_TLSDESC] = RELOC_DESCRIPTOR,  [R_X86_64_32] = RELOC_ADDRESS4,
		[R_X86_64_32S] = RELOC_ADDRESS4,        [R_X86_64_PC32] = RELOC_DISTANCE,
		[R_X86_64_PC64] = RELOC_DISTANCE8,      [R_X86_64_PLT32] = RELOC_CALL,
		[R_X86_64_GOTPCRELX] = RELOC_SLOT_CALL,
	};

	return type < sizeof(meaning) ? (enum reloc)meaning[type] : RELOC_OTHER;
}

uint64_t reloc_bytes(uint32_t type)
{
	switch (type) {
	case R_X86_64_32:
	case R_X86_64_32S:
	case R_X86_64_PC32:
	case R_X86_64_TPOFF32:
		return 4;
	case R_X86_64_TLSDESC:
		return 16;
	default:
		return 8;
	}
}

const char *const reloc_loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-musl-x86_64.so.1", NULL};

const char *const reloc_libraries[] = {"ld-linux-x86-64.so.2", "libc.musl-x86_64.so.1", NULL};

const char *const reloc_folders[] = {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", NULL};
