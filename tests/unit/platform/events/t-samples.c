/* SPDX-License-Identifier: MIT */
/* Looks at a program, from records made by hand, and what machine code they are at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "platform/events/probe-text.h"
#include "platform/events/samples.h"

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
		uint64_t ns;
		uint32_t core, reserved;
		uint64_t period_ns, abi, ip;
	} e = {{PERF_RECORD_SAMPLE, 0, sizeof(e)}, 1, 1, 500, 3, 0, 1000, ip != 0, ip};

	put(r, &e, sizeof(e));
}

static struct samples_totals take(const struct ring *r)
{
	struct samples *s = samples_new("libsome");
	struct samples_totals t;
	struct samples_maps maps;
	struct samples_cores cores;

	samples_take(s, r->bytes, r->n, true);
	samples_take(s, r->bytes, r->n, false);
	samples_stop(s, &t, &maps, &cores);
	vec_release(&cores);
	samples_maps_release(&maps);
	return t;
}

static void cores_are_thinned_out(void **state)
{
	struct samples *s = samples_new("libsome");
	struct ring r = {.n = 0};
	struct samples_totals t;
	struct samples_maps maps;
	struct samples_cores cores;

	(void)state;
	for (int i = 0; i < 10; i++)
		put_look(&r, 0x1800);
	for (int i = 0; i < 10000; i++)
		samples_take(s, r.bytes, r.n, false);
	samples_stop(s, &t, &maps, &cores);
	samples_maps_release(&maps);
	assert_true(cores.n > 49000 && cores.n < 51000);
	assert_int_equal(cores.at[cores.n - 1].core, 3);
	assert_int_equal(cores.at[0].ns, 500);
	vec_release(&cores);
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

static void a_look_is_of_what_stands_before_it(void **state)
{
	(void)state;
	assert_int_equal(probe_text_behind(loop, sizeof(loop), 0), PROBE_NONE);
	assert_int_equal(probe_text_behind(loop, sizeof(loop), 8), PROBE_RESTING);
	assert_int_equal(probe_text_behind(loop, sizeof(loop), 16), PROBE_RESTING);
	assert_int_equal(probe_text_behind(loop, sizeof(loop), 21), PROBE_NONE);
	assert_int_equal(probe_text_behind(loop, sizeof(loop), sizeof(loop)), PROBE_NONE);
	assert_int_equal(probe_text_behind(loop, sizeof(loop), 1000), PROBE_NONE);
}

static void loads_are_told_from_stores(void **state)
{
	(void)state;
	assert_true(probe_text_loaded(loop, sizeof(loop), 26));  /* behind mulsd (%rsi,%rax,1) */
	assert_false(probe_text_loaded(loop, sizeof(loop), 30)); /* behind add $8,%rax */
	assert_false(probe_text_loaded(loop, sizeof(loop), 0));  /* nothing is known */
	assert_false(probe_text_loaded(loop, sizeof(loop), sizeof(loop) + 1)); /* outside */
}

static void the_start_of_a_cold_part_is_the_program_s(void **state)
{
	uint8_t code[256];

	(void)state;
	memset(code, 0x90, sizeof(code));
	memcpy(code + 100,
	       "\x64\x4d\x8b\x12"             /* mov %fs:(%r10),%r10 */
	       "\x4c\x03\x15\x9e\x27\x00\x00" /* add 0x279e(%rip),%r10 */
	       "\x49\xc1\xcb\x06",            /* ror $6,%r11 */
	       15);
	assert_true(probe_text_test(code, sizeof(code), 96));
	memcpy(code + 8, "\x0f\x1f\x84\xe8\x50\x00\x00\x00", 8); /* nopl 96 - 16(%rax,%rbp,8) */
	assert_false(probe_text_test(code, sizeof(code), 96));
	assert_true(probe_text_test(code, sizeof(code), 97));
}

/* What stands in front of a probed call, as GCC made it. */
static const uint8_t entry[] = {
	0x48, 0x85, 0xdb,                   /* test %rbx,%rbx */
	0x48, 0x8b, 0x1d, 0x30, 0x2f, 0, 0, /* mov __prs_desc(%rip),%rbx */
	0x48, 0x85, 0xdb,                   /* test %rbx,%rbx */
	0x74, 0x1c,                         /* je: the call */
	0x64, 0x48, 0x8b, 0x1b,             /* mov %fs:(%rbx),%rbx */
	0x48, 0x85, 0xdb,                   /* test %rbx,%rbx */
	0x0f, 0x84, 0x89, 0,    0,    0,    /* je: cold part */
	0x48, 0x03, 0x1d, 0x1f, 0x2f, 0, 0, /* add __prs_desc+8(%rip),%rbx */
	0x83, 0x6b, 0x20, 0x01,             /* subl $1,0x20(%rbx) */
	0x78, 0x7c,                         /* js: cold part */
	0x31, 0xdb,                         /* xor %ebx,%ebx */
	0x48, 0x8d, 0x3d, 0xcc, 0x0e, 0, 0, /* lea text(%rip),%rdi */
	0xe8, 0xf1, 0xfe, 0xff, 0xff,       /* call */
};

static void counting_is_in_front_of_a_call(void **state)
{
	uint8_t none[sizeof(entry)];

	(void)state;
	assert_int_equal(probe_text_behind(entry, sizeof(entry), 3), PROBE_NONE);
	assert_int_equal(probe_text_behind(entry, sizeof(entry), 10), PROBE_COUNTING);
	assert_int_equal(probe_text_behind(entry, sizeof(entry), 41), PROBE_COUNTING);
	assert_int_equal(probe_text_behind(entry, sizeof(entry), 43), PROBE_COUNTING);
	assert_int_equal(probe_text_behind(entry, sizeof(entry), 50), PROBE_NONE);
	assert_int_equal(probe_text_behind(entry, sizeof(entry), 40),
			 PROBE_NONE); /* inside of an instruction */
	memcpy(none, entry, sizeof(none));
	none[15] = 0x90; /* not the block of the thread */
	assert_int_equal(probe_text_behind(none, sizeof(none), 41), PROBE_NONE);
}

/* A loop of one store and its test, behind the look at the thread's tags, as GCC made it. */
static const uint8_t watched[] = {
	0x64, 0x48, 0x8b, 0x00,                         /* mov %fs:(%rax),%rax */
	0x48, 0x03, 0x05, 0xfe, 0xc7, 0,    0,          /* add 0xc7fe(%rip),%rax */
	0x66, 0x0f, 0x1f, 0x44, 0,    0,                /* nopw */
	0x48, 0x8d, 0x34, 0x11,                         /* loop: lea (%rcx,%rdx,1),%rsi */
	0x48, 0xc1, 0xce, 0x06,                         /* ror $6,%rsi */
	0x41, 0x89, 0xf0,                               /* mov %esi,%r8d */
	0x41, 0x81, 0xe0, 0xff, 0xff, 0x03, 0,          /* and $0x3ffff,%r8d */
	0x42, 0x39, 0xb4, 0x80, 0x40, 0x00, 0x10, 0x00, /* cmp %esi,0x100040(%rax,%r8,4) */
	0x75, 0x1e,                                     /* jne: miss */
	0xc6, 0x04, 0x11, 0x01,                         /* movb $1,(%rcx,%rdx,1) */
	0x48, 0x01, 0xfa,                               /* add %rdi,%rdx */
	0x48, 0x81, 0xfa, 0x1f, 0x4e, 0,    0,          /* cmp $0x4e1f,%rdx */
	0x7e, 0xd4,                                     /* jle loop */
	0xc3,
};

static void a_test_in_a_loop_is_a_part_of_it(void **state)
{
	(void)state;
	assert_false(probe_text_test(watched, sizeof(watched), 17));
	assert_true(probe_text_at(watched, sizeof(watched), 17).watching == 0.6);
	assert_true(probe_text_at(watched, sizeof(watched), 45).watching == 0.6);
}

/* Into @code at @at. */
static void put_shared_test(uint8_t *code, size_t at)
{
	memcpy(code + at,
	       "\x64\x4d\x8b\x12"             /* mov %fs:(%r10),%r10 */
	       "\x4c\x03\x15\x9e\x27\x00\x00" /* add 0x279e(%rip),%r10 */
	       "\x49\xc1\xcb\x06",            /* ror $6,%r11 */
	       15);
}

static void a_test_out_of_line_is_all_probe(void **state)
{
	uint8_t code[512];

	(void)state;
	memset(code, 0x90, sizeof(code));
	assert_false(probe_text_test(code, sizeof(code), 100));
	put_shared_test(code, 110);
	assert_true(probe_text_test(code, sizeof(code), 100));
	assert_true(probe_text_test(code, sizeof(code), 121));
	assert_true(probe_text_test(code, sizeof(code), 130));
	assert_false(probe_text_test(code, sizeof(code), 20));
	memcpy(code + 140, "\xeb\x10", 2); /* it ends there */
	assert_false(probe_text_test(code, sizeof(code), 142));
	assert_false(probe_text_test(code, sizeof(code), 200));
	assert_false(probe_text_test(code, sizeof(code), 5000));
	memcpy(code + 300, "\x4c\x8d\x1f\xe9\x35\xff\xff\xff", 8); /* lea (%rdi),%r11; jmp to 104 */
	assert_true(probe_text_test(code, sizeof(code), 300));
	assert_true(probe_text_test(code, sizeof(code), 303));
	assert_false(probe_text_test(code, sizeof(code), 308));
}

static void calls_of_the_runtime_are_probe(void **state)
{
	static const uint8_t stub[] = {0x48, 0x89, 0xd9,                   /* mov %rbx,%rcx */
				       0x4c, 0x8d, 0x0d, 1,   2, 3, 0,     /* lea 0x30201(%rip),%r9 */
				       0x41, 0xff, 0x61, 0x28},            /* jmp *0x28(%r9) */
		back[] = {0xa9, 3, 0, 0, 0, 0x48, 0x89, 0xc5, 0xeb, 0xf0}, /* test; mov %rax,%rbp; jmp */
		other[] = {0xa9, 3, 0, 0, 0, 0x75, 0x10, 0xeb, 0xf0};      /* test; jne */

	(void)state;
	assert_true(probe_text_stub(stub, sizeof(stub), 0));
	assert_true(probe_text_stub(stub, sizeof(stub), 3));
	assert_true(probe_text_stub(back, sizeof(back), 0));
	assert_false(probe_text_stub(other, sizeof(other), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_are_thinned_out),
		cmocka_unit_test(looks_in_the_library_are_inside),
		cmocka_unit_test(without_the_library_nothing_is_known),
		cmocka_unit_test(the_last_mapping_of_an_address_counts),
		cmocka_unit_test(damaged_records_end_the_ring),
		cmocka_unit_test(a_look_is_of_what_stands_before_it),
		cmocka_unit_test(loads_are_told_from_stores),
		cmocka_unit_test(the_start_of_a_cold_part_is_the_program_s),
		cmocka_unit_test(counting_is_in_front_of_a_call),
		cmocka_unit_test(a_test_in_a_loop_is_a_part_of_it),
		cmocka_unit_test(a_test_out_of_line_is_all_probe),
		cmocka_unit_test(calls_of_the_runtime_are_probe),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
