/* SPDX-License-Identifier: MIT */
/* The reader of traces: what it takes, and what it names as damage. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/blocks/ctf.h"
#include "tests/unit/record/build-trace.h"

struct fixture {
	char *dir;
	struct ctf ctf;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->dir = build_dir();
	ctf_metadata(f->dir, BUILD_TRACE_STATE("complete"));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	ctf_close(&f->ctf);
	build_remove(f->dir);
	free(f);
	return 0;
}

/* Records of the one stream, and what was wrong with it. */
static size_t read_all(struct fixture *f, char damage[160], uint64_t *discarded)
{
	struct err err = ERR_INIT;
	struct ctf_cursor c;
	const uint64_t *u;
	size_t n, records = 0;

	assert_int_equal(ctf_open(&f->ctf, f->dir, &err), 0);
	assert_int_equal(f->ctf.n_streams, 1);
	assert_int_equal(ctf_cursor_open(&c, &f->ctf, f->ctf.streams, &err), 0);
	while ((n = ctf_read(&c, &u)) > 0)
		for (size_t i = 0; i < n; i += ctf_units(u + 2 * i))
			records++;
	strcpy(damage, c.damage);
	if (discarded)
		*discarded = c.discarded;
	ctf_cursor_close(&c);
	return records;
}

static void reads_records_of_all_classes(void **state)
{
	struct fixture *f = *state;
	struct ctf_build b = {0};
	uint64_t discarded;
	char damage[160];

	ctf_begin(&b, 1, 0);
	ctf_call(&b, 5, 1000, 1100);
	ctf_long(&b, PRS_CLASS_MEMORY, 1200, 7 | (uint64_t)8 << 32, 0x7fff1234, 0);
	ctf_begin(&b, 1, 4);
	ctf_long(&b, PRS_CLASS_NOTE, 1300, (uint64_t)PRS_TRACE_GAP << 32, 1250, 4);
	ctf_call(&b, 6, 1290, 1400);
	ctf_begin(&b, 1, 9);
	ctf_packet(&b)->begin = ctf_packet(&b)->end = 1400;
	ctf_save(&b, f->dir, "100.0.1");
	assert_int_equal(read_all(f, damage, &discarded), 4);
	assert_string_equal(damage, "");
	assert_int_equal(discarded, 9);
	assert_int_equal(f->ctf.streams[0].thread, 1);
	assert_string_equal(f->ctf.state, "complete");
	assert_int_equal(f->ctf.refused, 3);
}

static void decodes_a_call(void **state)
{
	uint64_t brief[2] = {5000, 77 | (uint64_t)(9 | PRS_TRACE_MOVED) << 32};
	uint64_t lasting[2] = {1ull << 40, (3u | 20u << PRS_LENGTH_BITS) | 1ull << 32};

	(void)state;
	assert_int_equal(ctf_length(brief), 77);
	assert_int_equal(ctf_call_site(brief), 9);
	assert_int_equal(ctf_time(brief), 5000);
	assert_int_equal(ctf_length(lasting), 3ull << 20);
}

/* More than one piece of the reader's buffer, with a long record across the border. */
static void reads_packets_larger_than_its_buffer(void **state)
{
	struct fixture *f = *state;
	struct ctf_build b = {0};
	char damage[160];

	ctf_begin(&b, 0, 0);
	ctf_call(&b, 0, 10, 20);
	for (uint64_t i = 0; i < 70000; i++)
		ctf_long(&b, PRS_CLASS_MEMORY, 100 + i, i, i, 0);
	ctf_save(&b, f->dir, "100.0.0");
	assert_int_equal(read_all(f, damage, NULL), 70001);
	assert_string_equal(damage, "");
}

static void names_a_cut_packet(void **state)
{
	struct fixture *f = *state;
	struct ctf_build b = {0};
	char damage[160];

	ctf_begin(&b, 0, 0);
	ctf_call(&b, 0, 10, 20);
	ctf_begin(&b, 0, 0);
	ctf_call(&b, 0, 30, 40);
	b.file.len -= 8;
	ctf_save(&b, f->dir, "100.0.0");
	assert_int_equal(read_all(f, damage, NULL), 1);
	assert_non_null(strstr(damage, "cut off"));
}

static void names_time_that_goes_back(void **state)
{
	struct fixture *f = *state;
	struct ctf_build b = {0};
	char damage[160];

	ctf_begin(&b, 0, 0);
	ctf_call(&b, 0, 10, 200);
	ctf_call(&b, 0, 10, 100);
	ctf_packet(&b)->end = 200;
	ctf_save(&b, f->dir, "100.0.0");
	assert_int_equal(read_all(f, damage, NULL), 1);
	assert_non_null(strstr(damage, "back in time"));
}

static void names_half_a_record(void **state)
{
	struct fixture *f = *state;
	struct ctf_build b = {0};
	uint64_t half[2] = {100 | (uint64_t)PRS_CLASS_MEMORY << PRS_CLASS_SHIFT, 0};
	char damage[160];

	ctf_begin(&b, 0, 0);
	ctf_call(&b, 0, 10, 20);
	ctf_add(&b, 100, half, 2);
	ctf_save(&b, f->dir, "100.0.0");
	assert_int_equal(read_all(f, damage, NULL), 1);
	assert_non_null(strstr(damage, "cut off by the end of its packet"));
}

static void leaves_out_what_is_no_stream(void **state)
{
	struct fixture *f = *state;
	struct ctf_build b = {0}, other = {0};
	char damage[160];

	ctf_begin(&b, 0, 0);
	ctf_call(&b, 0, 10, 20);
	ctf_save(&b, f->dir, "100.0.0");
	ctf_begin(&other, 1, 0);
	ctf_packet(&other)->uuid[3] ^= 1;
	ctf_save(&other, f->dir, "100.0.1");
	build_write(f->dir, "trace/notes", "hello", 5);
	assert_int_equal(read_all(f, damage, NULL), 1);
	assert_int_equal(f->ctf.n_unreadable, 2);
	assert_non_null(f->ctf.unreadable);
}

static void says_that_there_is_no_trace(void **state)
{
	char *dir = build_dir();
	struct err err = ERR_INIT;
	struct ctf t;

	(void)state;
	assert_int_equal(ctf_open(&t, dir, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "record --trace"));
	ctf_metadata(dir, "/* CTF 1.8 */\nenv { tracer_name = \"lttng-ust\"; };\n");
	assert_int_equal(ctf_open(&t, dir, &err), -EINVAL);
	build_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_records_of_all_classes, set_up, tear_down),
		cmocka_unit_test(decodes_a_call),
		cmocka_unit_test_setup_teardown(reads_packets_larger_than_its_buffer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_a_cut_packet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_time_that_goes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_half_a_record, set_up, tear_down),
		cmocka_unit_test_setup_teardown(leaves_out_what_is_no_stream, set_up, tear_down),
		cmocka_unit_test(says_that_there_is_no_trace),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
