/* SPDX-License-Identifier: MIT */
/* CRC-32C (Castagnoli), the checksum of record files: finds every burst of up to 32 bits. */
#ifndef PERSEUS_LIB_CRC32C_H
#define PERSEUS_LIB_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * Go on from @crc (0 to begin with) over @len bytes: one piece gives the same
 * as the same bytes in several.  By the processor's instruction if it has one.
 */
uint32_t crc32c(uint32_t crc, const void *data, size_t len);

/* The same over @len bytes that are zero, without a look at each: it takes as long for 1 as for 2^63. */
uint32_t crc32c_zeros(uint32_t crc, uint64_t len);

/* crc32c() without the instruction. */
uint32_t crc32c_plain(uint32_t crc, const void *data, size_t len);

#endif
