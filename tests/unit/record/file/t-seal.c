/* SPDX-License-Identifier: MIT */
/* Checksums: what is sealed, what is left alone, and what a reader says of damage. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/record/build.h"
#include "record/file/seal.h"
#include "record/parts.h"
#include "record/run.h"

#define NOBODY     0x3fffffffu /* no process has this id */
#define LOG_AT     (3 * PRS_PAGE_BYTES)
#define EVENT_AT   (4 * PRS_PAGE_BYTES)
#define BLOCK_AT   (5 * PRS_PAGE_BYTES)
#define FILE_BYTES (7 * PRS_PAGE_BYTES)

static int setup(void **state)
{
	*state = build_dir();
	return 0;
}

static int teardown(void **state)
{
	build_remove(*state);
	return 0;
}

static void path_of(const char *dir, char path[400])
{
	snprintf(path, 400, "%s/%u.0.prec", dir, NOBODY);
}

/* One thread with a block log, events and a block that has content. */
static void write_record(const char *dir)
{
	struct prs_module mod = build_module();
	struct prs_thread thread = {.creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = 1000};
	struct prs_log log[3] = {{.end = 2000, .ticks = 100, .cpu_ns = 1},
				 {.end = 3000, .ticks = 200},
				 {.end = 4000, .ticks = 300}};
	struct prs_event event = {.begin = 5, .end = 50, .kind = PRS_EV_SLEEP, .other = PRS_NO_THREAD};
	struct prec r;

	prec_start(&r, NOBODY);
	prec_chunk(&r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&r, PRS_CHUNK_THREAD, PRS_NO_THREAD, &thread, sizeof(thread), 1, 1);
	prec_chunk(&r, PRS_CHUNK_LOG, 0, log, sizeof(log[0]), 3, 1);
	prec_chunk(&r, PRS_CHUNK_EVENT, 0, &event, sizeof(event), 1, 1);
	prec_chunk(&r, PRS_CHUNK_BLOCK, 0, NULL, 0, 0, 2);
	r.file.s[BLOCK_AT + sizeof(struct prs_chunk) + 777] = 1;
	prec_header(&r)->n_threads = 1;
	prec_header(&r)->n_calls = 1;
	prec_save(&r, dir);
	build_manifest(dir, "exited", 0, NULL);
}

static void seals(const char *dir, int want)
{
	struct err err = ERR_INIT;
	char path[400];

	path_of(dir, path);
	if (seal_record(path, &err) != want)
		fail_msg("%d expected: %s", want, err.msg);
}

/* Read or write @len bytes of the record. */
static void io(const char *dir, void *data, size_t len, off_t at, bool put)
{
	char path[400];
	int fd;

	path_of(dir, path);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(put ? pwrite(fd, data, len, at) : pread(fd, data, len, at), len);
	close(fd);
}

static void flip(const char *dir, off_t at, unsigned char bits)
{
	unsigned char b;

	io(dir, &b, 1, at, false);
	b ^= bits;
	io(dir, &b, 1, at, true);
}

/* @damage NULL: whole; @n_log what must be left of the log. */
static void reads(const char *dir, const char *damage, size_t n_log)
{
	struct err err = ERR_INIT;
	struct run run;

	if (run_open(&run, dir, &err))
		fail_msg("%s", err.msg);
	if (!damage && run.processes[0].damage)
		fail_msg("found damaged: %s", run.processes[0].damage);
	if (damage && (!run.processes[0].damage || !strstr(run.processes[0].damage, damage)))
		fail_msg("'%s' does not say '%s'", run.processes[0].damage, damage);
	assert_int_equal(run.complete, !damage);
	assert_int_equal(run.processes[0].threads[0].n_log, n_log);
	run_close(&run);
}

static void sealed_records_read_as_before(void **state)
{
	struct prs_rec_header h;
	struct prs_chunk c;

	write_record(*state);
	reads(*state, NULL, 3);
	seals(*state, 0);
	io(*state, &h, sizeof(h), 0, false);
	assert_int_equal(h.checksum_kind, PRS_SUM_SEALED);
	assert_int_equal(h.n_chunks, 5);
	io(*state, &c, sizeof(c), BLOCK_AT, false);
	assert_int_not_equal(c.crc, 0);
	assert_int_equal(c.used, 784); /* 778 bytes of content, in words */
	reads(*state, NULL, 3);
	seals(*state, 1); /* once is enough */
}

static void damaged_content_is_named_and_not_used(void **state)
{
	write_record(*state);
	seals(*state, 0);
	flip(*state, LOG_AT + 64 + 8, 4);
	reads(*state, "log chunk at byte 12288 has a wrong checksum", 0);
	flip(*state, LOG_AT + 64 + 8, 4);
	reads(*state, NULL, 3);
	flip(*state, BLOCK_AT + 64 + 777, 1);
	reads(*state, "block chunk at byte 20480", 3);
}

static void damaged_chunk_headers_do_not_take_the_rest_along(void **state)
{
	write_record(*state);
	seals(*state, 0);
	flip(*state, LOG_AT + 17, 0x80); /* bytes: far over the end */
	reads(*state, "the chunk at byte 12288 is 36864 bytes long", 0);
	flip(*state, LOG_AT + 17, 0x80);
	flip(*state, LOG_AT + 17, 0x20); /* two pages more: over the chunks behind it */
	reads(*state, "log chunk at byte 12288 has a wrong checksum", 0);
	flip(*state, LOG_AT + 17, 0x20);
	flip(*state, LOG_AT, 1); /* magic: no chunk at all */
	reads(*state, "4 chunks were found, 5 were sealed", 0);
	flip(*state, LOG_AT, 1);
	flip(*state, LOG_AT + 4, 0x20); /* a type that there is not */
	reads(*state, "unknown chunk at byte 12288 has a wrong checksum", 0);
	flip(*state, LOG_AT + 4, 0x20);
	flip(*state, LOG_AT + 24, 1); /* used: one entry less */
	reads(*state, "wrong checksum", 0);
	flip(*state, LOG_AT + 24, 1);
	reads(*state, NULL, 3);
}

/* A block of the disk that was written to another place: each chunk is right in itself. */
static void displaced_chunks_are_noticed(void **state)
{
	char log[PRS_PAGE_BYTES], event[PRS_PAGE_BYTES];

	write_record(*state);
	seals(*state, 0);
	io(*state, log, sizeof(log), LOG_AT, false);
	io(*state, event, sizeof(event), EVENT_AT, false);
	io(*state, event, sizeof(event), LOG_AT, true);
	reads(*state, "event chunk at byte 12288 has a wrong checksum", 0);
	io(*state, log, sizeof(log), EVENT_AT, true);
	reads(*state, "log chunk at byte 16384 has a wrong checksum", 0);
}

static void damaged_headers_are_named(void **state)
{
	write_record(*state);
	seals(*state, 0);
	flip(*state, offsetof(struct prs_rec_header, tsc_end), 1);
	reads(*state, "the header has a wrong checksum", 3);
	flip(*state, offsetof(struct prs_rec_header, tsc_end), 1);
	for (unsigned bit = 0; bit < 8; bit++) {
		flip(*state, offsetof(struct prs_rec_header, checksum_kind), (unsigned char)(1u << bit));
		reads(*state, "checksum of kind", 3);
		flip(*state, offsetof(struct prs_rec_header, checksum_kind), (unsigned char)(1u << bit));
	}
	flip(*state, PRS_PAGE_BYTES - 1, 1);
	reads(*state, "the header has a wrong checksum", 3);
}

/* A record that was not sealed may still have checksums, of what the runtime knew to be finished. */
static void checksums_of_the_runtime_are_looked_at(void **state)
{
	union {
		struct prs_rec_header header;
		char page[PRS_PAGE_BYTES];
	} front;
	union {
		struct prs_chunk chunk;
		char page[PRS_PAGE_BYTES];
	} log;

	write_record(*state);
	io(*state, &front, sizeof(front), 0, false);
	front.header.checksum_kind = PRS_SUM_START;
	front.header.header_crc = sum_of_header(&front, PRS_SUM_START);
	io(*state, &front, sizeof(front), 0, true);
	io(*state, &log, sizeof(log), LOG_AT, false);
	log.chunk.crc = sum_of_chunk(&log.chunk, LOG_AT);
	io(*state, &log, sizeof(log), LOG_AT, true);
	reads(*state, NULL, 3);
	flip(*state, offsetof(struct prs_rec_header, heartbeat_ns), 1); /* changes all the time */
	reads(*state, NULL, 3);
	flip(*state, LOG_AT + 64, 1);
	reads(*state, "log chunk at byte 12288 has a wrong checksum", 0);
	flip(*state, LOG_AT + 64, 1);
	flip(*state, offsetof(struct prs_rec_header, tsc_start), 1);
	reads(*state, "the header has a wrong checksum", 3);
	flip(*state, offsetof(struct prs_rec_header, tsc_start), 1);
	seals(*state, 0);
	reads(*state, NULL, 3);
}

/* What was damaged before it was sealed must not be whole afterwards. */
static void sealing_heals_nothing(void **state)
{
	uint32_t wrong = 0x12345678;

	write_record(*state);
	io(*state, &wrong, sizeof(wrong), EVENT_AT + offsetof(struct prs_chunk, crc), true);
	reads(*state, "event chunk at byte 16384", 3);
	seals(*state, 0);
	reads(*state, "event chunk at byte 16384", 3);
}

static void records_in_use_are_left_alone(void **state)
{
	struct prs_rec_header h;
	uint32_t me = (uint32_t)getpid();
	char path[400];
	void *map;
	int fd;

	write_record(*state);
	path_of(*state, path);
	fd = open(path, O_RDWR);
	seals(*state, 1); /* open for writing */
	map = mmap(NULL, PRS_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	seals(*state, 1); /* mapped, the descriptor closed */
	munmap(map, PRS_PAGE_BYTES);
	io(*state, &me, sizeof(me), offsetof(struct prs_rec_header, pid), true);
	seals(*state, 1); /* its process lives */
	me = NOBODY;
	io(*state, &me, sizeof(me), offsetof(struct prs_rec_header, pid), true);
	io(*state, &h, sizeof(h), 0, false);
	assert_int_equal(h.checksum_kind, PRS_SUM_NONE);
	seals(*state, 0);
}

/* A small file that claims to be huge costs neither memory nor time. */
static void holes_are_neither_read_nor_summed(void **state)
{
	struct prs_chunk huge = {.magic = PRS_CHUNK_MAGIC,
				 .type = PRS_CHUNK_NOTE,
				 .entry_bytes = sizeof(struct prs_note),
				 .bytes = 16ull << 30,
				 .used = 500000000,
				 .crc = 1};
	struct prs_note note = {.tsc = 5, .address = 64, .bytes = 8};
	struct err err = ERR_INIT;
	char path[400];
	struct run run;

	write_record(*state);
	path_of(*state, path);
	assert_int_equal(truncate(path, FILE_BYTES + (16ll << 30)), 0);
	io(*state, &huge, sizeof(huge), FILE_BYTES, true);
	io(*state, &note, sizeof(note), FILE_BYTES + sizeof(huge), true);
	if (run_open(&run, *state, &err))
		fail_msg("%s", err.msg);
	assert_non_null(strstr(run.processes[0].damage, "were not looked at"));
	assert_in_range(run.processes[0].threads[0].n_notes, 1, PRS_PAGE_BYTES / sizeof(note));
	assert_int_equal(run.processes[0].threads[0].notes[0].tsc, 5);
	run_close(&run);
}

/* Data wherever it may begin and end: in the header, in the content, behind it. */
static void a_sum_with_holes_is_the_sum_of_all(void **state)
{
	static _Alignas(struct prs_chunk) unsigned char file[3 * PRS_PAGE_BYTES];
	struct image image = {.base = file, .bytes = sizeof(file)};
	struct prs_chunk *c = (void *)(file + PRS_PAGE_BYTES);

	(void)state;
	for (unsigned turn = 0; turn < 2000; turn++) {
		size_t at = turn * 37 % 5000;

		memset(file, 0, sizeof(file));
		image.data.n = 0;
		for (unsigned i = 0; i < turn % 5; i++, at += 1 + turn * 7 % 900) {
			struct extent e = {at, at + 1 + turn * 13 % 1500};

			vec_push(&image.data, e);
			memset(file + e.begin, (int)(turn + i) | 1, e.end - e.begin);
			at = e.end;
		}
		*c = (struct prs_chunk){.bytes = 2 * PRS_PAGE_BYTES, .entry_bytes = 8, .used = turn % 1100};
		assert_int_equal(sum_in_image(&image, PRS_PAGE_BYTES), sum_of_chunk(c, PRS_PAGE_BYTES));
	}
	vec_release(&image.data);
}

static void what_is_no_record_is_refused(void **state)
{
	struct err err = ERR_INIT;
	char path[400];
	size_t left = 0;

	write_record(*state);
	path_of(*state, path);
	flip(*state, 0, 1);
	assert_int_equal(seal_run(*state, &left, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "is not a Perseus record"));
	flip(*state, 0, 1);
	flip(*state, LOG_AT + 17, 0x80);
	seals(*state, -EINVAL);
	flip(*state, LOG_AT + 17, 0x80);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(seal_run(*state, &left, NULL), 0);
	assert_int_equal(left, 1);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	seals(*state, -EINVAL);
	assert_int_equal(unlink(path), 0);
	seals(*state, -ENOENT);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(sealed_records_read_as_before),
		T(damaged_content_is_named_and_not_used),
		T(damaged_chunk_headers_do_not_take_the_rest_along),
		T(displaced_chunks_are_noticed),
		T(damaged_headers_are_named),
		T(checksums_of_the_runtime_are_looked_at),
		T(sealing_heals_nothing),
		T(records_in_use_are_left_alone),
		T(holes_are_neither_read_nor_summed),
		T(a_sum_with_holes_is_the_sum_of_all),
		T(what_is_no_record_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
