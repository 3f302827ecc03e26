/* SPDX-License-Identifier: MIT */
/* What part of the machine code at a place is memory probes, as compiled (perseus/abi.h). */
#ifndef PERSEUS_PLATFORM_PROBE_TEXT_H
#define PERSEUS_PLATFORM_PROBE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Byte @at of @code lies in the part of a memory probe that only runs while the probe is awake. */
bool probe_text_awake(const uint8_t *code, size_t size, size_t at);

/*
 * Of the instructions that are executed from @at on, round loops, so much are
 * memory probes at rest: 0 to 1.
 */
double probe_text_rest(const uint8_t *code, size_t size, size_t at);

#endif
