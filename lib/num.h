/* SPDX-License-Identifier: MIT */
/* Numbers from text, whole and in range or not at all; numbers for people. */
#ifndef PERSEUS_LIB_NUM_H
#define PERSEUS_LIB_NUM_H

#include <stddef.h>
#include <stdint.h>

/* Parse all of @s as an unsigned decimal in [min, max]: 0, -EINVAL or -ERANGE. */
int num_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/* Parse all of @s as lower case hexadecimal of exactly @digits digits. */
int num_hex(const char *s, int digits, uint64_t *out);

/* Parse all of @s as a finite decimal number in [min, max]. */
int num_double(const char *s, double min, double max, double *out);

/* "612,400": digits in groups of three.  Returns @buf. */
const char *num_group(char *buf, size_t size, uint64_t n);

/* "1.84 s", "41 us", "17.0 ns": three digits and a unit.  Returns @buf. */
const char *num_time(char *buf, size_t size, double seconds);

/* "2.1 M", "310 k": three digits and a factor.  Returns @buf. */
const char *num_si(char *buf, size_t size, double n);

#endif
