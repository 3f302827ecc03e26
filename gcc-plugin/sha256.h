/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PERSEUS_PLUGIN_SHA256_H
#define PERSEUS_PLUGIN_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 of @len bytes as 64 lower case hex digits and a NUL. */
void sha256_hex(const uint8_t *data, size_t len, char hex[65]);

#endif
