/* SPDX-License-Identifier: MIT */
/* Pictures: what is written can be read again, point by point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "report/denormal/png.h"

static uint32_t u32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The chunk @type of @png, whose checksum must be right; its length is *@len. */
static const unsigned char *chunk(const struct strbuf *png, const char *type, uint32_t *len)
{
	const unsigned char *p = (const unsigned char *)png->s;

	for (size_t at = 8; at + 12 <= png->len; at += 12 + *len) {
		*len = u32(p + at);
		assert_true(at + 12 + *len <= png->len);
		assert_int_equal(u32(p + at + 8 + *len), (uint32_t)crc32(0, p + at + 4, *len + 4));
		if (!memcmp(p + at + 4, type, 4))
			return p + at + 8;
	}
	return NULL;
}

static void a_picture_has_each_point_that_was_given(void **state)
{
	unsigned char pixels[7 * 5], raw[8 * 5];
	struct strbuf png = STRBUF_INIT;
	struct err err = ERR_INIT;
	uLongf size = sizeof(raw);
	const unsigned char *at;
	uint32_t len;

	(void)state;
	for (int i = 0; i < 35; i++)
		pixels[i] = (unsigned char)(i * 7);
	assert_int_equal(png_write(&png, pixels, 7, 5, &err), 0);
	assert_memory_equal(png.s, "\x89PNG\r\n\x1a\n", 8);
	at = chunk(&png, "IHDR", &len);
	assert_non_null(at);
	assert_int_equal(len, 13);
	assert_int_equal(u32(at), 7);
	assert_int_equal(u32(at + 4), 5);
	at = chunk(&png, "PLTE", &len);
	assert_non_null(at);
	assert_int_equal(len, 768);
	assert_memory_equal(at, "\0\0\0", 3);
	at = chunk(&png, "IDAT", &len);
	assert_non_null(at);
	assert_int_equal(uncompress(raw, &size, at, len), Z_OK);
	assert_int_equal(size, sizeof(raw));
	for (int y = 0; y < 5; y++) {
		assert_int_equal(raw[y * 8], 0);
		assert_memory_equal(raw + y * 8 + 1, pixels + y * 7, 7);
	}
	assert_non_null(chunk(&png, "IEND", &len));
	strbuf_release(&png);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_picture_has_each_point_that_was_given)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
