/* SPDX-License-Identifier: MIT */
/* Looks at a program, from records made by hand, and what machine code they are at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "platform/probe-text.h"
#include "platform/samples.h"

struct ring {
	unsigned char bytes[4096];
	size_t n;
};

static void put(struct ring *r, const void *data, size_t n)
{
	memcpy(r->bytes + r->n, data, n);
	r->n += n;
}

static void put_map(struct ring *r, uint64_t start, uint64_t bytes, const char *path)
{
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
		uint64_t start, bytes, offset;
		char path[64];
	} e = {{PERF_RECORD_MMAP, 0, sizeof(e)}, 1, 1, start, bytes, 0, ""};

	strncpy(e.path, path, sizeof(e.path) - 1);
	put(r, &e, sizeof(e));
}

static void put_look(struct ring *r, uint64_t ip)
{
	struct {
		struct perf_event_header head;
		uint32_t pid, tid;
		uint64_t abi, ip;
	} e = {{PERF_RECORD_SAMPLE, 0, sizeof(e)}, 1, 1, ip != 0, ip};

	put(r, &e, sizeof(e));
}

static struct samples_totals take(const struct ring *r)
{
	struct samples *s = samples_new("libsome");
	struct samples_totals t;
	struct samples_maps maps;

	samples_take(s, r->bytes, r->n, true);
	samples_take(s, r->bytes, r->n, false);
	samples_stop(s, &t, &maps);
	samples_maps_release(&maps);
	return t;
}

static void looks_in_the_library_are_inside(void **state)
{
	struct ring r = {.n = 0};
	struct samples_totals t;

	(void)state;
	put_map(&r, 0x1000, 0x1000, "/none/program");
	put_map(&r, 0x8000, 0x2000, "/none/libsome-thing.so");
	put_look(&r, 0x1800);
	put_look(&r, 0x8000);
	put_look(&r, 0x9fff);
	put_look(&r, 0xa000);
	put_look(&r, 0); /* nothing of the program */
	t = take(&r);
	assert_int_equal(t.all, 5);
	assert_int_equal(t.inside, 2);
	assert_int_equal(t.resting, 0);
}

static void without_the_library_nothing_is_known(void **state)
{
	struct ring r = {.n = 0};

	(void)state;
	put_map(&r, 0x1000, 0x1000, "/none/libsome.d/program");
	put_look(&r, 0x1800);
	assert_int_equal(take(&r).all, 0);
}

static void the_last_mapping_of_an_address_counts(void **state)
{
	struct ring r = {.n = 0};

	(void)state;
	put_map(&r, 0x8000, 0x2000, "libsome.so");
	put_map(&r, 0x9000, 0x1000, "/none/plugin.so");
	put_look(&r, 0x8800);
	put_look(&r, 0x9800);
	assert_int_equal(take(&r).inside, 1);
}

static void damaged_records_end_the_ring(void **state)
{
	struct perf_event_header none = {PERF_RECORD_SAMPLE, 0, 0}, late = {PERF_RECORD_SAMPLE, 0, 4000};
	struct ring r = {.n = 0};

	(void)state;
	put_map(&r, 0x8000, 0x2000, "libsome.so");
	put_look(&r, 0x8800);
	put(&r, &late, sizeof(late));
	put(&r, &none, sizeof(none));
	put_look(&r, 0x8800);
	assert_int_equal(take(&r).all, 1);
}

/* A loop of two probes at rest and six other instructions, as GCC made it. */
static const uint8_t loop[] = {
	0x0f, 0x1f, 0x84, 0xe8, 0x73, 0, 0, 0, /* nopl 0x73(%rax,%rbp,8) */
	0x0f, 0x1f, 0x84, 0xe8, 0x78, 0, 0, 0, /* nopl 0x78(%rax,%rbp,8) */
	0xf2, 0x0f, 0x10, 0x04, 0x07,          /* movsd (%rdi,%rax,1),%xmm0 */
	0xf2, 0x0f, 0x59, 0x04, 0x06,          /* mulsd (%rsi,%rax,1),%xmm0 */
	0x48, 0x83, 0xc0, 0x08,                /* add $8,%rax */
	0xf2, 0x0f, 0x58, 0xc8,                /* addsd %xmm0,%xmm1 */
	0x48, 0x39, 0xd0,                      /* cmp %rdx,%rax */
	0x75, 0xd9,                            /* jne loop */
	0xc3,
};

static void probes_at_rest_are_a_part_of_a_loop(void **state)
{
	(void)state;
	assert_true(probe_text_rest(loop, sizeof(loop), 0) == 0.25);
	assert_true(probe_text_rest(loop, sizeof(loop), 26) == 0.25);
	assert_true(probe_text_rest(loop, sizeof(loop), sizeof(loop) - 1) == 0);
	assert_true(probe_text_rest(loop, sizeof(loop), sizeof(loop)) == 0);
}

static void a_probe_that_is_awake_looks_at_its_thread(void **state)
{
	uint8_t code[256];

	(void)state;
	memset(code, 0x90, sizeof(code));
	assert_false(probe_text_awake(code, sizeof(code), 100));
	memcpy(code + 110, "\x64\x4d\x8b\x12", 4); /* mov %fs:(%r10),%r10 */
	assert_true(probe_text_awake(code, sizeof(code), 100));
	assert_true(probe_text_awake(code, sizeof(code), 130));
	assert_false(probe_text_awake(code, sizeof(code), 20));
	assert_false(probe_text_awake(code, sizeof(code), 200));
	assert_false(probe_text_awake(code, sizeof(code), 5000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_in_the_library_are_inside),
		cmocka_unit_test(without_the_library_nothing_is_known),
		cmocka_unit_test(the_last_mapping_of_an_address_counts),
		cmocka_unit_test(damaged_records_end_the_ring),
		cmocka_unit_test(probes_at_rest_are_a_part_of_a_loop),
		cmocka_unit_test(a_probe_that_is_awake_looks_at_its_thread),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
