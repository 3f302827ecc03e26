/* SPDX-License-Identifier: MIT */
/* decode FILE: the address of each instruction in the code sections of an ELF file, one a line. */
#include <inttypes.h>
#include <stdio.h>

#include "verify/elf/image.h"
#include "verify/arch/insn.h"

static void section(const struct image *e, size_t i)
{
	size_t size;
	const uint8_t *data = image_bytes(e, i, &size);

	for (size_t at = 0; data && at < size;) {
		struct insn insn;

		printf("%" PRIx64 "\n", e->section[i].sh_addr + at);
		at += insn_decode(data + at, size - at, e->section[i].sh_addr + at, &insn) ? insn.size : 1;
	}
}

int main(int argc, char **argv)
{
	struct image e;
	struct fault f;

	if (argc != 2 || image_open(&e, argv[1], &f))
		return 1;
	for (size_t i = 0; i < e.n_sections; i++)
		if (e.section[i].sh_flags & SHF_EXECINSTR)
			section(&e, i);
	image_release(&e);
	return 0;
}
