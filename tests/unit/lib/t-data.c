/* SPDX-License-Identifier: MIT */
/* vec, rng, hash, fs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/rng.h"
#include "lib/vec.h"

static void sha256_gives_the_published_vectors(void **state)
{
	char hex[SHA256_HEX], million[1000];
	struct sha256 s;

	(void)state;
	sha256_of("", 0, hex);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256_of("abc", 3, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	memset(million, 'a', sizeof(million));
	sha256_init(&s);
	for (int i = 0; i < 1000; i++)
		sha256_add(&s, million, sizeof(million));
	sha256_hex(&s, hex);
	assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void an_evidence_id_depends_on_kind_and_key_only(void **state)
{
	char a[32], b[32];

	(void)state;
	evidence_id(a, sizeof(a), "share", "stats.rx/tx", 0);
	evidence_id(b, sizeof(b), "share", "stats.rx/tx", 0);
	assert_string_equal(a, b);
	assert_int_equal(strlen(a), strlen("share-") + 6);
	evidence_id(b, sizeof(b), "share", "stats.rx/tx", 1);
	assert_string_not_equal(a, b);
	evidence_id(b, sizeof(b), "wait", "stats.rx/tx", 0);
	assert_string_not_equal(a + 6, b + 5);
}

static void a_keyed_generator_is_repeatable_and_spread(void **state)
{
	struct rng a = rng_keyed(1, 2, 3, 4), b = rng_keyed(1, 2, 3, 4), c = rng_keyed(1, 2, 4, 3);
	int seen[10] = {0};

	(void)state;
	assert_true(rng_u64(&a) == rng_u64(&b));
	assert_true(rng_u64(&a) != rng_u64(&c));
	for (int i = 0; i < 100000; i++)
		seen[rng_below(&a, 10)]++;
	for (int i = 0; i < 10; i++)
		assert_in_range(seen[i], 9500, 10500);
	for (int i = 0; i < 1000; i++)
		assert_true(rng_unit(&a) < 1.0);
}

static void a_vec_keeps_what_is_pushed(void **state)
{
	struct VEC(int) v = VEC_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++)
		vec_push(&v, i);
	*vec_add(&v) += 5;
	assert_int_equal(v.n, 1001);
	assert_int_equal(v.at[999], 999);
	assert_int_equal(v.at[1000], 5);
	vec_release(&v);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
	char dir[] = "/tmp/perseus-unit.XXXXXX", path[64], missing[80];
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/f", dir);
	assert_int_equal(fs_write(path, "one", 3, &err), 0);
	assert_int_equal(fs_write(path, "two", 3, &err), 0);
	assert_int_equal(fs_read(path, 0, &sb, &err), 0);
	assert_string_equal(sb.s, "two");
	snprintf(missing, sizeof(missing), "%s/no/f", dir);
	assert_int_equal(fs_write(missing, "x", 1, &err), -ENOENT);
	assert_non_null(strstr(err.msg, missing));
	strbuf_release(&sb);
	assert_int_equal(fs_read(path, 2, &sb, &err), -EFBIG);
	snprintf(missing, sizeof(missing), "%s/a/b/c", dir);
	assert_int_equal(fs_mkdirs(missing, &err), 0);
	assert_int_equal(fs_mkdirs(path, &err), -ENOTDIR);
	assert_int_equal(fs_read(dir, 0, &sb, &err), -EISDIR);
	strbuf_release(&sb);
	assert_int_equal(rmdir(missing), 0);
	strrchr(missing, '/')[0] = '\0';
	assert_int_equal(rmdir(missing), 0);
	strrchr(missing, '/')[0] = '\0';
	assert_int_equal(rmdir(missing), 0);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_gives_the_published_vectors),
		cmocka_unit_test(an_evidence_id_depends_on_kind_and_key_only),
		cmocka_unit_test(a_keyed_generator_is_repeatable_and_spread),
		cmocka_unit_test(a_vec_keeps_what_is_pushed),
		cmocka_unit_test(a_failed_write_leaves_the_old_file),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
