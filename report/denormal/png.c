/* SPDX-License-Identifier: MIT */
#include "report/denormal/png.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/mem.h"

static void put_u32(struct strbuf *out, uint32_t v)
{
	unsigned char b[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16), (unsigned char)(v >> 8),
			      (unsigned char)v};

	strbuf_add(out, (const char *)b, 4);
}

static void put_chunk(struct strbuf *out, const char *type, const void *data, size_t len)
{
	uLong crc = crc32(crc32(0, NULL, 0), (const Bytef *)type, 4);

	put_u32(out, (uint32_t)len);
	strbuf_add(out, type, 4);
	strbuf_add(out, data, len);
	put_u32(out, (uint32_t)(len ? crc32(crc, data, (uInt)len) : crc));
}

/* Black, violet, orange, white. */
static void palette(unsigned char rgb[256][3])
{
	static const int stop[4][3] = {{0, 0, 0}, {110, 20, 130}, {250, 140, 20}, {255, 255, 230}};

	for (int i = 0; i < 256; i++)
		for (int c = 0; c < 3; c++) {
			int part = i * 3 / 256, in = i * 3 - part * 256;

			rgb[i][c] = (unsigned char)(stop[part][c] +
						    (stop[part + 1][c] - stop[part][c]) * in / 256);
		}
}

int png_write(struct strbuf *out, const unsigned char *pixels, uint32_t width, uint32_t height,
	      struct err *err)
{
	static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
	unsigned char head[13] = {0}, rgb[256][3], *raw;
	size_t line = (size_t)width + 1;
	uLongf len = compressBound((uLong)(line * height));
	unsigned char *packed = mem_new(len, 1);

	raw = mem_new(line * height + 1, 1);
	for (uint32_t y = 0; y < height; y++)
		memcpy(raw + y * line + 1, pixels + (size_t)y * width, width);
	if (compress2(packed, &len, raw, (uLong)(line * height), 9) != Z_OK) {
		free(raw);
		free(packed);
		return err_set(err, -EIO, "the picture cannot be packed");
	}
	for (int i = 0; i < 4; i++) {
		head[i] = (unsigned char)(width >> (24 - 8 * i));
		head[4 + i] = (unsigned char)(height >> (24 - 8 * i));
	}
	head[8] = 8; /* bits */
	head[9] = 3; /* colours by number */
	palette(rgb);
	strbuf_add(out, (const char *)magic, sizeof(magic));
	put_chunk(out, "IHDR", head, sizeof(head));
	put_chunk(out, "PLTE", rgb, sizeof(rgb));
	put_chunk(out, "IDAT", packed, len);
	put_chunk(out, "IEND", "", 0);
	free(raw);
	free(packed);
	return 0;
}
