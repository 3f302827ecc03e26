/* SPDX-License-Identifier: MIT */
/* Code that linkers write for calls into libraries: the PLT of bfd, gold, lld and mold. */
#ifndef PERSEUS_VERIFY_ARCH_PLT_H
#define PERSEUS_VERIFY_ARCH_PLT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLT_ENTRY_BYTES  16
#define PLT_NUMBER_BYTES 6 /* of the instruction that loads the number of an entry */
#define PLT_BOUND        SIZE_MAX

/*
 * An entry at @p, @size bytes that are loaded at @address: nothing but a jump by a fixed slot.  *loose: where in
 * it the jump stands if no number is loaded in front of it, else PLT_BOUND.
 */
bool plt_entry(const uint8_t *p, size_t size, uint64_t address, uint64_t *slot, size_t *loose);

/* Do the PLT_NUMBER_BYTES at @p load a number? */
bool plt_is_number(const uint8_t *p);

/*
 * The part that asks the loader for a function: it hands over the word at *handed and jumps by *slot.  @left
 * bytes at @p are loaded at @address.
 */
bool plt_head(const uint8_t *p, size_t left, uint64_t address, uint64_t *handed, uint64_t *slot);

/* Code of a slot that is not bound yet: it hands over *number and goes on at *head. */
bool plt_asks(const uint8_t *p, size_t left, uint64_t address, uint32_t *number, uint64_t *head);

/* mold's entry of PLT_ENTRY_BYTES: it loads *number, and jumps by *slot. */
bool plt_numbered(const uint8_t *p, uint64_t address, uint32_t *number, uint64_t *slot);

#endif
