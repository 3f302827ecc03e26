/* SPDX-License-Identifier: MIT */
/*
 * What part of the machine code at a place is probes, as compiled (perseus/abi.h):
 * what the program has on its way onwards, round loops.
 */
#ifndef PERSEUS_PLATFORM_EVENTS_PROBE_TEXT_H
#define PERSEUS_PLATFORM_EVENTS_PROBE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parts of the instructions, 0 to 1. */
struct probe_text {
	double watching; /* memory probes that are enabled, in loops that were compiled twice */
};

enum probe_part { PROBE_NONE, PROBE_RESTING, PROBE_COUNTING };

/*
 * What stands just before byte @at of @code: an interrupt comes when what the
 * core waited for is done, so a look finds the instruction behind it.
 */
enum probe_part probe_text_behind(const uint8_t *code, size_t size, size_t at);

/* The instruction before byte @at reads memory: the core waited for that. */
bool probe_text_loaded(const uint8_t *code, size_t size, size_t at);

/* Byte @at of @code lies in the test of memory probes that are enabled, out of the program's way, behind its first instruction. */
bool probe_text_test(const uint8_t *code, size_t size, size_t at);

/* ... or in what goes from a probe to the runtime, or comes back. */
bool probe_text_stub(const uint8_t *code, size_t size, size_t at);

/* What is executed from @at on: a round of a loop, or as far as is followed. */
struct probe_text probe_text_at(const uint8_t *code, size_t size, size_t at);

#endif
