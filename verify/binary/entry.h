/* SPDX-License-Identifier: MIT */
/*
 * How functions of the program are entered: those of the generated code, and
 * those that call it, by their first instruction only, since what stands
 * before a call was looked at from there; and those that hold a trigger by
 * somebody, else it is never executed.
 */
#ifndef PERSEUS_VERIFY_BINARY_ENTRY_H
#define PERSEUS_VERIFY_BINARY_ENTRY_H

#include "verify/binary/binary.h"

/* After places_check() of all: ways into the middle are lines in @list, what is not shown is a note. */
void entry_check(struct binary *b, struct findings *list);

#endif
