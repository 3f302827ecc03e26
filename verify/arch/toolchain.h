/* SPDX-License-Identifier: MIT */
/* The start-up code of known toolchains. */
#ifndef PERSEUS_VERIFY_ARCH_TOOLCHAIN_H
#define PERSEUS_VERIFY_ARCH_TOOLCHAIN_H

#include <stddef.h>
#include <stdint.h>

/*
 * Code by its bytes in hex.  '~': perhaps a landing in front.  {name}: distance
 * to the symbol; {*name}: to the slot that holds its address; {!name}: to its
 * code, perhaps by the PLT; {=name}: its address itself.  {?name}, {=?name}: the same, or if
 * the program names no such symbol, some place in one of its sections.
 * {^}: distance to the address zero, in a program that the loader does not move.
 * {-name}: distance of one byte.  A digit in front counts the bytes between the distance and the end of the
 * instruction.
 */
struct startup_code {
	const char *name; /* of the symbol; NULL ends the list */
	const char *code;
};
extern const struct startup_code startup_known[];

/* Bytes of .init and .fini at most that are the toolchain's alone. */
extern const uint64_t startup_init_most, startup_fini_most;

/* Bytes of the instruction at @p, of @left bytes, that only says that jumps by pointers land here; 0: none. */
size_t startup_landing(const uint8_t *p, size_t left);

#endif
