/* SPDX-License-Identifier: MIT */
/* What the processor's part of the ELF standard numbers, by its meaning. */
#ifndef PERSEUS_VERIFY_ARCH_RELOC_H
#define PERSEUS_VERIFY_ARCH_RELOC_H

#include <stdbool.h>
#include <stdint.h>

/* What a relocation stores. */
enum reloc {
	RELOC_OTHER, /* what no reader asks for */
	RELOC_NONE,
	RELOC_ADDRESS, /* 8 bytes */
	/* By the loader: */
	RELOC_RELATIVE,    /* a distance from the program's begin */
	RELOC_RESOLVED,    /* what a function returns that the loader calls */
	RELOC_COPY,        /* a library's variable */
	RELOC_DATA_SLOT,   /* an address in the GOT */
	RELOC_CALL_SLOT,   /* the same, perhaps at the first call */
	RELOC_MODULE,      /* the module of a thread-local variable */
	RELOC_IN_MODULE,   /* its distance from the module's block */
	RELOC_FROM_THREAD, /* its distance from the thread pointer */
	RELOC_DESCRIPTOR,  /* the function that finds it, and what it is told */
	/* By the linker: */
	RELOC_ADDRESS4,  /* 4 bytes */
	RELOC_DISTANCE,  /* 4 bytes */
	RELOC_DISTANCE8, /* 8 bytes */
	RELOC_CALL,      /* the distance of a function, or of its entry in the PLT */
	RELOC_SLOT_CALL, /* that of a slot of the GOT, of a call among others, which may become direct */
};

/* The meaning of @type, as Elf64_Rela has it. */
enum reloc reloc_of(uint32_t type);

/* Bytes that one of @type writes. */
uint64_t reloc_bytes(uint32_t type);

/* The processor: its name for messages, and whether a file's e_machine is it. */
extern const char *const reloc_machine;
bool reloc_is_machine(uint16_t machine);

/* Names that the processor is part of, each list up to NULL: loaders and their paths, libraries of
 * toolchains, folders in which a system has libraries. */
extern const char *const reloc_loaders[];
extern const char *const reloc_libraries[];
extern const char *const reloc_folders[];

#endif
