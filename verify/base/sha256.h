/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4); a copy of its own, so that the verifiers share no code with what they check. */
#ifndef PERSEUS_VERIFY_BASE_SHA256_H
#define PERSEUS_VERIFY_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* Hash of @len bytes; @hex gets 64 lower case digits and NUL. */
void vsha256(const uint8_t *data, size_t len, char hex[65]);

#endif
