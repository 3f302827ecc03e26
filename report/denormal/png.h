/* SPDX-License-Identifier: MIT */
/* Pictures of one number a point. */
#ifndef PERSEUS_REPORT_DENORMAL_PNG_H
#define PERSEUS_REPORT_DENORMAL_PNG_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"

/* Append to @out a PNG of @width * @height @pixels, line by line: 0 is black, 255 white.  -EIO: zlib failed. */
int png_write(struct strbuf *out, const unsigned char *pixels, uint32_t width, uint32_t height,
	      struct err *err);

#endif
