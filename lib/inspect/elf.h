/* SPDX-License-Identifier: MIT */
/*
 * What the tools need to know of ELF files: sections, build id, symbols.  On
 * libelf; any file may be handed in, nothing in it is believed unchecked.
 */
#ifndef PERSEUS_LIB_INSPECT_ELF_H
#define PERSEUS_LIB_INSPECT_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"

#define ELF_BUILD_ID_HEX 129 /* 64 bytes as hex digits, and NUL */

struct elf_facts {
	uint16_t machine;                /* EM_* */
	uint16_t type;                   /* ET_* */
	bool bits64;                     /* ELFCLASS64 */
	bool interpreter;                /* loaded by ld.so: LD_PRELOAD reaches it */
	bool has_sites;                  /* a non-empty .perseus.sites: built with the plugin */
	bool has_hooks;                  /* defines __prs_attach: the runtime is linked in */
	bool needs_asan;                 /* linked with the shared AddressSanitizer runtime */
	char build_id[ELF_BUILD_ID_HEX]; /* "" if there is none */
};

/*
 * Read the facts of the ELF file @path.  Fails with -ENOENT, -EACCES, ...
 * (cannot be opened), -ENOEXEC (not an ELF file) or -EINVAL (damaged).
 */
int elf_facts(const char *path, struct elf_facts *facts, struct err *err);

/*
 * Append the contents of all sections called @name, uncompressed, in file
 * order.  Fails as elf_facts(), or with -ENODATA: there is no such section.
 * -EFBIG: more than 1 GiB.
 */
int elf_section(const char *path, const char *name, struct strbuf *out, struct err *err);

/*
 * Append the functions and variables of .symtab, else of .dynsym, one
 * `address size type name` a line: hexadecimal link-time address and bytes,
 * the type letter of nm, the name with control characters as '?'; ascending
 * by address.  A file without symbols appends nothing and succeeds.
 */
int elf_symbols(const char *path, struct strbuf *out, struct err *err);

#endif
