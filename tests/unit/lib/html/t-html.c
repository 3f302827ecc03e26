/* SPDX-License-Identifier: MIT */
/* What of others' names gets into a page, and tables that travel in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "lib/html/columns.h"
#include "lib/html/html.h"
#include "lib/rng.h"

static void text_is(const char *text, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, "");
	html_text(&sb, text);
	assert_string_equal(sb.s, expected);
	strbuf_release(&sb);
}

static void no_name_is_markup(void **state)
{
	(void)state;
	text_is("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;");
	text_is("x\x1b[31m\ny", "x.[31m.y");
	text_is("\xe2\x80\xae"
		"abc",
		".abc"); /* right to left */
	text_is("bad \xff utf-8", "bad . utf-8");
	text_is("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	text_is(NULL, "");
}

static void a_name_is_broken_at_its_joints(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	html_name(&sb, "__a_b::c<_d>_");
	assert_string_equal(sb.s, "__<wbr>a_<wbr>b::<wbr>c&lt;_<wbr>d&gt;_");
	strbuf_release(&sb);
}

static void json_cannot_end_its_element(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	html_json(&sb, "{\"a\": \"</script><!--\"}");
	assert_string_equal(sb.s, "{\"a\": \"\\u003c/script>\\u003c!--\"}");
	strbuf_release(&sb);
}

static void base64_of(const char *text, size_t len, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	html_base64(&sb, text, len);
	assert_string_equal(sb.s ? sb.s : "", expected);
	strbuf_release(&sb);
}

static void base64_is_rfc_4648(void **state)
{
	(void)state;
	base64_of("", 0, "");
	base64_of("f", 1, "Zg==");
	base64_of("fo", 2, "Zm8=");
	base64_of("foo", 3, "Zm9v");
	base64_of("foobar", 6, "Zm9vYmFy");
	base64_of("\xfb\xff\xbf", 3, "+/+/");
}

static int digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return (int)(strchr(digits, c) - digits);
}

/* The bytes of the element in @sb, unpacked; the caller frees them. */
static unsigned char *unpacked(const struct strbuf *sb, size_t most, size_t *n)
{
	const char *s = strchr(sb->s, '>') + 1;
	size_t len = strcspn(s, "<") / 4 * 3;
	unsigned char *packed = malloc(len + 3), *out = malloc(most + 1);
	z_stream z = {.next_in = packed, .avail_in = (uInt)len, .next_out = out, .avail_out = (uInt)most + 1};

	for (size_t i = 0; i < len; i += 3, s += 4) {
		uint32_t v = (uint32_t)digit(s[0]) << 18 | (uint32_t)digit(s[1]) << 12;

		v |= s[2] == '=' ? 0 : (uint32_t)digit(s[2]) << 6;
		v |= s[3] == '=' ? 0 : (uint32_t)digit(s[3]);
		packed[i] = (unsigned char)(v >> 16);
		packed[i + 1] = (unsigned char)(v >> 8);
		packed[i + 2] = (unsigned char)v;
	}
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	*n = z.total_out;
	inflateEnd(&z);
	free(packed);
	return out;
}

/* Column at @raw of @planes planes equals @values. */
static void column_is(const unsigned char *raw, unsigned planes, const int64_t *values, size_t rows)
{
	int64_t sum = 0;

	for (size_t i = 0; i < rows; i++) {
		uint64_t v = 0;

		for (unsigned b = planes; b-- > 0;)
			v = v << 8 | raw[b * rows + i];
		sum += (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
		assert_int_equal(sum, values[i]);
	}
}

static void tables_come_back(void **state)
{
	static const char *const names[] = {"small", "big", NULL};
	size_t rows = 100000, n;
	int64_t *a = malloc(rows * sizeof(*a)), *b = malloc(rows * sizeof(*b));
	struct strbuf sb = STRBUF_INIT;
	struct columns c;
	unsigned char *raw;
	struct rng rng = rng_keyed(1, 0, 0, 0);

	(void)state;
	columns_init(&c, names);
	for (size_t i = 0; i < rows; i++) {
		a[i] = (int64_t)(rng_u64(&rng) % 60) - 30;
		b[i] = (int64_t)(rng_u64(&rng) >> 11) - (INT64_C(1) << 52);
		columns_add(&c, (const int64_t[]){a[i], b[i]});
	}
	columns_write(&c, "x", &sb);
	assert_non_null(strstr(sb.s, "<script type=\"text/plain\" id=\"x\" data-rows=\"100000\" "
				     "data-columns=\"small:1:8 big:8:64\">"));
	raw = unpacked(&sb, 9 * rows, &n);
	assert_int_equal(n, 9 * rows);
	column_is(raw, 1, a, rows);
	column_is(raw + rows, 8, b, rows);
	free(raw);
	free(a);
	free(b);
	columns_release(&c);
	strbuf_release(&sb);
}

/* Two threads take turns in no order; what each does is steady, and the last column is noise. */
static void rows_of_one_kind_are_near_each_other(void **state)
{
	static const char *const names[] = {"thread", "at/thread", "turn/thread+thread", "noise/thread",
					    NULL};
	size_t rows = 20000, n;
	int64_t *v[4], last[2] = {0, 0}, turn[2] = {0, 0};
	struct strbuf sb = STRBUF_INIT;
	struct columns c;
	unsigned char *raw;
	struct rng rng = rng_keyed(2, 0, 0, 0);

	(void)state;
	columns_init(&c, names);
	for (int k = 0; k < 4; k++)
		v[k] = malloc(rows * sizeof(**v));
	for (size_t i = 0; i < rows; i++) {
		v[0][i] = (int64_t)(rng_u64(&rng) & 1);
		v[1][i] = last[v[0][i]] += 3 + v[0][i];
		v[2][i] = turn[v[0][i]] += 7;
		v[3][i] = (int64_t)(rng_u64(&rng) & 1023);
		columns_add(&c, (const int64_t[]){v[0][i], v[1][i], v[2][i], v[3][i]});
	}
	columns_write(&c, "x", &sb);
	assert_non_null(strstr(
		sb.s, "data-columns=\"thread:1:8 at:1:32:thread turn:1:32:thread+thread noise:2:16:.\">"));
	raw = unpacked(&sb, 5 * rows, &n);
	assert_int_equal(n, 5 * rows);
	column_is(raw, 1, v[0], rows);
	for (size_t i = 0; i < rows; i++) {
		assert_int_equal(raw[rows + i], 2 * (3 + v[0][i]));
		assert_int_equal(raw[2 * rows + i], 2 * 7);
	}
	for (size_t i = 0; i < rows; i++)
		assert_int_equal(raw[3 * rows + i] | raw[4 * rows + i] << 8, 2 * v[3][i]);
	free(raw);
	for (int k = 0; k < 4; k++)
		free(v[k]);
	columns_release(&c);
	strbuf_release(&sb);
}

static void ends_of_the_range_are_cut(void **state)
{
	static const char *const names[] = {"v", NULL};
	static const int64_t in[] = {INT64_MAX, INT64_MIN, 0, INT32_MAX, INT32_MIN};
	static const int64_t kept[] = {COLUMNS_MAX, -COLUMNS_MAX, 0, INT32_MAX, INT32_MIN};
	struct strbuf sb = STRBUF_INIT;
	struct columns c;
	unsigned char *raw;
	size_t n;

	(void)state;
	columns_init(&c, names);
	for (size_t i = 0; i < 5; i++)
		columns_add(&c, &in[i]);
	columns_write(&c, "x", &sb);
	raw = unpacked(&sb, 40, &n);
	assert_int_equal(n, 40);
	column_is(raw, 8, kept, 5);
	free(raw);
	columns_release(&c);
	strbuf_release(&sb);
}

/* Nothing but its value; the column behind it is found all the same. */
static void a_constant_takes_no_room(void **state)
{
	static const char *const names[] = {"same", "v", NULL};
	static const int64_t v[] = {7, -300, 7, 299, 7, 0};
	static const int64_t kept[] = {-300, 299, 0};
	struct strbuf sb = STRBUF_INIT;
	struct columns c;
	unsigned char *raw;
	size_t n;

	(void)state;
	columns_init(&c, names);
	for (size_t i = 0; i < 6; i += 2)
		columns_add(&c, &v[i]);
	columns_write(&c, "x", &sb);
	assert_non_null(strstr(sb.s, "data-columns=\"same:0:8:7 v:2:16\">"));
	raw = unpacked(&sb, 6, &n);
	assert_int_equal(n, 6);
	column_is(raw, 2, kept, 3);
	free(raw);
	columns_release(&c);
	strbuf_release(&sb);
}

static void an_empty_table_is_one(void **state)
{
	static const char *const names[] = {"v", NULL};
	struct strbuf sb = STRBUF_INIT;
	struct columns c;
	unsigned char *raw;
	size_t n;

	(void)state;
	columns_init(&c, names);
	columns_write(&c, "x", &sb);
	raw = unpacked(&sb, 0, &n);
	assert_int_equal(n, 0);
	free(raw);
	columns_release(&c);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_name_is_markup),
		cmocka_unit_test(a_name_is_broken_at_its_joints),
		cmocka_unit_test(json_cannot_end_its_element),
		cmocka_unit_test(base64_is_rfc_4648),
		cmocka_unit_test(tables_come_back),
		cmocka_unit_test(ends_of_the_range_are_cut),
		cmocka_unit_test(a_constant_takes_no_room),
		cmocka_unit_test(an_empty_table_is_one),
		cmocka_unit_test(rows_of_one_kind_are_near_each_other),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
