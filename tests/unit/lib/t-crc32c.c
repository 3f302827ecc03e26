/* SPDX-License-Identifier: MIT */
/* CRC-32C against the known answers of RFC 3720, and the two ways against each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/crc32c.h"

static void known_answers(void **state)
{
	unsigned char bytes[32];

	(void)state;
	assert_int_equal(crc32c(0, "", 0), 0);
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(crc32c(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(crc32c(0, bytes, 32), 0x62a8ab43);
	for (unsigned i = 0; i < 32; i++)
		bytes[i] = (unsigned char)i;
	assert_int_equal(crc32c(0, bytes, 32), 0x46dd794e);
}

static void with_and_without_the_instruction(void **state)
{
	unsigned char bytes[200];

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * i + 7 * i);
	for (unsigned from = 0; from < 9; from++)
		for (unsigned len = 0; from + len <= sizeof(bytes); len++)
			assert_int_equal(crc32c(from, bytes + from, len),
					 crc32c_plain(from, bytes + from, len));
}

static void in_pieces(void **state)
{
	static const char text[] = "the same in one piece or in several";
	uint32_t whole = crc32c(0, text, sizeof(text));

	(void)state;
	for (size_t cut = 0; cut <= sizeof(text); cut++)
		assert_int_equal(crc32c(crc32c(0, text, cut), text + cut, sizeof(text) - cut), whole);
}

static void zeros(void **state)
{
	static const unsigned char none[70000];

	(void)state;
	for (uint32_t len = 0; len <= sizeof(none); len += len < 300 ? 1 : 4999) {
		for (uint32_t crc = 0; crc < 5; crc++)
			assert_int_equal(crc32c_zeros(crc * 0x3779b9u, len),
					 crc32c(crc * 0x3779b9u, none, len));
	}
	/* Beyond 2^32: in two halves as in one. */
	assert_int_equal(crc32c_zeros(crc32c_zeros(7, (1ull << 40) + 3), 1ull << 40),
			 crc32c_zeros(7, (2ull << 40) + 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(with_and_without_the_instruction),
		cmocka_unit_test(in_pieces),
		cmocka_unit_test(zeros),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
