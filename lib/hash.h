/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4) and the evidence id. */
#ifndef PERSEUS_LIB_HASH_H
#define PERSEUS_LIB_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX 65 /* 64 digits and NUL */

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;
	uint8_t block[64];
};

/* Start, feed in pieces, finish: @hex gets 64 lower case digits and NUL. */
void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
void sha256_hex(struct sha256 *s, char hex[SHA256_HEX]);

/* The hash of one piece of memory. */
void sha256_of(const void *data, size_t len, char hex[SHA256_HEX]);

/*
 * Evidence ids: "kind-" and six decimal digits of a hash over @kind and
 * @key (object and fields, in a form that does not change from run to run).
 * @step is added for collisions, which are resolved in the order of the keys.
 */
void evidence_id(char *out, size_t size, const char *kind, const char *key, unsigned step);

#endif
