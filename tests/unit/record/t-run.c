/* SPDX-License-Identifier: MIT */
/* run_open() on runs that are whole, incomplete, and wrong. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "build.h"
#include "lib/fs.h"
#include "record/callees.h"
#include "record/run.h"

#define BLOCK_BASE 256 /* where the unit's slots begin in a thread's block */

static const char sites_text[] =
	"U\t1\t00000000000000aa\t2\t1\tGNU C17 12\tprog.c\t-\n"
	"F\t0\tprog.c\n"
	"N\t0\tmain\tmain\t0\t10\n"
	"N\t1\t_Z4workv\twork()\t0\t3\n"
	"C\t0\t1111111111111111\t00000000\t0\t_Z4workv\t0\t12\t2\t0\t-\t-\n"
	"C\t1\t2222222222222222\t0000beef\t1\tindirect\t0\t5\t7\t0\twait\tmain:12\n"
	"M\t0\t3333333333333333\t00000000\t1\tR\t8\t0\t6\t3\tpair[].a\tstruct pair\ta\t8\tnear\n"
	"T\tstruct pair\t16\tb:0:8\ta:8:8\n"
	"G\ttotals\tstruct pair\t16\t0\t1\n"
	"Z\t00000000000000aa\n";

/* Two threads; thread 1 called site 0 four times (one prepaid more), site 1 through two callees. */
static void add_two_threads(struct prec *r)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {
		.unit_id = 0xaa, .n_calls = 2, .n_mems = 1, .base = BLOCK_BASE, .mem_base = BLOCK_BASE + 64};
	struct prs_thread threads[2] = {
		{.index = 0, .creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = 1000},
		{.index = 1, .creator = 0, .create_site = 0, .start_tsc = 2000, .end_tsc = 90000, .state = 1},
	};
	struct prs_call calls[3] = {
		{.site = 1, .parent = 0, .callee = 0x400100, .count = 7, .timed = 7, .sum = 700},
		{.site = 0, .parent = 99, .count = 16, .timed = 3, .sum = 30000, .child = 700},
		{.site = 1, .parent = 0, .callee = 0x400200, .count = 1, .timed = 1, .sum = 100},
	};
	struct prs_event events[2] = {
		{.begin = 500, .end = 800, .kind = PRS_EV_MUTEX, .other = 77, .site = 1},
		{.begin = 300, .end = 400, .kind = PRS_EV_SLEEP, .other = PRS_NO_THREAD, .site = 5},
	};
	struct prs_slot slots[2] = {{.left = 12}, {.left = 0}};
	uint64_t block, call;

	prec_chunk(r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 8);
	block = prec_chunk(r, PRS_CHUNK_BLOCK, 1, NULL, 0, 0, 2);
	r->file.s[block + sizeof(struct prs_chunk) + BLOCK_BASE + 64] = 55;
	threads[1].block = block;
	prec_chunk(r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(r, PRS_CHUNK_THREAD, PRS_NO_THREAD, threads, sizeof(threads[0]), 2, 1);
	call = prec_chunk(r, PRS_CHUNK_CALL, 1, calls, sizeof(calls[0]), 3, 1);
	slots[0].record = (uint32_t)((call + sizeof(struct prs_chunk) + sizeof(calls[0])) / 64);
	memcpy(r->file.s + block + sizeof(struct prs_chunk) + BLOCK_BASE, slots, sizeof(slots));
	prec_chunk(r, PRS_CHUNK_EVENT, 1, events, sizeof(events[0]), 2, 1);
	prec_header(r)->n_threads = 2;
	prec_header(r)->n_units = 1;
	prec_header(r)->n_calls = 2;
	prec_header(r)->n_mems = 1;
}

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

static void make_run(const char *dir, struct prec *r)
{
	prec_start(r, 100);
	add_two_threads(r);
	build_manifest(dir, "exited", 0, sites_text);
}

static void opens(struct run *run, const char *dir)
{
	struct err err = ERR_INIT;

	if (run_open(run, dir, &err))
		fail_msg("%s", err.msg);
}

static void refuses(const char *dir, int code, const char *says)
{
	struct err err = ERR_INIT;
	struct run run;

	assert_int_equal(run_open(&run, dir, &err), code);
	if (!strstr(err.msg, says))
		fail_msg("'%s' does not say '%s'", err.msg, says);
}

static void whole_run_is_complete_and_resolved(void **state)
{
	const struct run_call_site *site;
	const struct run_thread *t;
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_save(&r, *state);
	opens(&run, *state);
	assert_true(run.complete);
	assert_null(run.incomplete_why);
	assert_int_equal(run.n_processes, 1);
	assert_int_equal(run.processes[0].n_threads, 2);
	assert_int_equal(run.sites_compiled, 2);
	assert_int_equal(run.sites_registered, 2);
	assert_int_equal(run.sites_hit, 2);
	site = run_call_site(&run.processes[0], 0);
	assert_string_equal(site->id, "1111111111111111");
	assert_string_equal(site->callee, "_Z4workv");
	assert_string_equal(run_function(&run, site->callee)->pretty, "work()");
	assert_null(run_call_site(&run.processes[0], 2));
	assert_string_equal(run_mem_site(&run.processes[0], 0)->base, "pair[].a");
	assert_true(run_mem_site(&run.processes[0], 0)->near);
	t = &run.processes[0].threads[1];
	assert_int_equal(t->n_calls, 3);
	assert_int_equal(run_ns(&run.processes[0], 1000 + 2000), 1000);
	run_close(&run);
}

static void prepaid_calls_are_taken_off(void **state)
{
	const struct run_thread *t;
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_save(&r, *state);
	opens(&run, *state);
	t = &run.processes[0].threads[1];
	assert_int_equal(t->calls[0]->site, 0);
	assert_int_equal(t->totals[0], 4); /* 16 paid for, 12 left */
	assert_int_equal(t->totals[1], 7);
	assert_int_equal(t->totals[2], 1);
	run_close(&run);
}

static void prepaid_rest_never_exceeds_what_was_counted(void **state)
{
	struct prec r;
	struct run run;
	uint64_t block;

	make_run(*state, &r);
	/* The block chunk follows the module chunk of 8 pages. */
	block = PRS_PAGE_BYTES * 9 + sizeof(struct prs_chunk) + BLOCK_BASE;
	((struct prs_slot *)(void *)(r.file.s + block))->left = INT32_MAX;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_int_equal(run.processes[0].threads[1].totals[0], 3); /* the timed ones happened */
	run_close(&run);
}

static void quiet_slot_without_a_record_takes_nothing_off(void **state)
{
	struct prec r;
	struct run run;
	uint64_t block;

	make_run(*state, &r);
	block = PRS_PAGE_BYTES * 9 + sizeof(struct prs_chunk) + BLOCK_BASE;
	((struct prs_slot *)(void *)(r.file.s + block))->record = 0;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_int_equal(run.processes[0].threads[1].totals[0], 16);
	run_close(&run);
}

static void references_outside_become_none(void **state)
{
	const struct run_thread *t;
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_save(&r, *state);
	opens(&run, *state);
	t = &run.processes[0].threads[1];
	assert_int_equal(t->calls[0]->parent, PRS_NO_SITE);
	assert_int_equal(t->n_events, 2);
	assert_int_equal(t->events[0].end, 400); /* in order of end */
	assert_int_equal(t->events[0].site, PRS_NO_SITE);
	assert_int_equal(t->events[1].site, 1);
	assert_int_equal(t->events[1].other, PRS_NO_THREAD);
	run_close(&run);
}

static void timing_run_has_no_memory_counters(void **state)
{
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_save(&r, *state);
	opens(&run, *state);
	assert_null(run.processes[0].threads[1].mem_counts);
	run_close(&run);
}

static void sharing_run_has_memory_counters_by_number(void **state)
{
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_header(&r)->purpose = PRS_PURPOSE_SHARING;
	prec_header(&r)->minor = 1;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_int_equal(run.processes[0].threads[1].mem_counts[0], 55);
	assert_null(run.processes[0].threads[0].mem_counts); /* it has no block */
	run_close(&run);

	make_run(*state, &r);
	prec_header(&r)->purpose = PRS_PURPOSE_SHARING;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_null(run.processes[0].threads[1].mem_counts); /* there are none any more */
	run_close(&run);
}

/* As minor 1 wrote them: what came later is 0, whatever lies behind. */
static void short_lines_are_filled_up(void **state)
{
	unsigned char old[2 * PRS_LINE_BYTES_0];
	struct prs_line l[2] = {{.line = 77, .site = 0, .misses = 5, .peer = {9}},
				{.line = 78, .kind = PRS_KIND_STORE, .peer_count = {3}}};
	const struct run_thread *t;
	struct prec r;
	struct run run;

	for (int i = 0; i < 2; i++)
		memcpy(old + i * PRS_LINE_BYTES_0, &l[i], PRS_LINE_BYTES_0);
	make_run(*state, &r);
	prec_header(&r)->minor = 1;
	prec_chunk(&r, PRS_CHUNK_LINE, 1, old, PRS_LINE_BYTES_0, 2, 1);
	prec_save(&r, *state);
	opens(&run, *state);
	t = &run.processes[0].threads[1];
	assert_int_equal(t->n_lines, 2);
	assert_int_equal(t->lines[0]->misses, 5);
	assert_int_equal(t->lines[0]->peer[0], PRS_NO_THREAD);
	assert_int_equal(t->lines[1]->line, 78);
	assert_int_equal(t->lines[1]->peer_count[0], 3);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(t->lines[i]->burst_misses, 0);
		assert_int_equal(t->lines[i]->trips, 0);
		assert_int_equal(t->lines[i]->gap_own, 0);
	}
	run_close(&run);
}

static void paths_that_lead_nowhere_are_none(void **state)
{
	struct prs_line l[3] = {{.line = 77, .path = 8192, .trips = 9},
				{.line = 78, .path = 8200},
				{.line = 79, .path = 1ull << 40}};
	struct prs_note n[2] = {{.tsc = 1, .address = 64, .path = 128},
				{.tsc = 2, .address = 64, .path = ~0u}};
	const struct run_thread *t;
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_chunk(&r, PRS_CHUNK_LINE, 1, l, sizeof(l[0]), 3, 1);
	prec_chunk(&r, PRS_CHUNK_NOTE, 1, n, sizeof(n[0]), 2, 1);
	prec_save(&r, *state);
	opens(&run, *state);
	t = &run.processes[0].threads[1];
	assert_int_equal(t->lines[0]->path, 8192);
	assert_int_equal(t->lines[0]->trips, 9);
	assert_int_equal(t->lines[1]->path, 0);
	assert_int_equal(t->lines[2]->path, 0);
	assert_int_equal(t->notes[0].path, 128);
	assert_int_equal(t->notes[1].path, 0);
	run_close(&run);
}

static void killed_program_is_incomplete_and_says_so(void **state)
{
	struct prec r;
	struct run run;

	prec_start(&r, 100);
	add_two_threads(&r);
	prec_header(&r)->state = PRS_REC_RUNNING;
	prec_header(&r)->tsc_end = prec_header(&r)->mono_end_ns = 0;
	prec_header(&r)->tsc_hz = 2000000000;
	prec_save(&r, *state);
	build_manifest(*state, "killed", SIGKILL, sites_text);
	opens(&run, *state);
	assert_false(run.complete);
	assert_false(run.processes[0].complete);
	assert_non_null(strstr(run.incomplete_why, "SIGKILL"));
	assert_int_equal(run.processes[0].end, 90000);
	assert_int_equal(run_span_ns(&run.processes[0], 2000), 1000);
	run_close(&run);
}

static void program_that_called_exec_is_complete(void **state)
{
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_header(&r)->state = PRS_REC_RUNNING;
	prec_header(&r)->mono_start_ns = 1;
	prec_header(&r)->tsc_hz = 2000000000;
	strcpy(prec_header(&r)->exe, "/usr/bin/launcher");
	prec_save(&r, *state);
	prec_start(&r, 100);
	prec_header(&r)->epoch = 1;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_int_equal(run.n_processes, 2);
	assert_int_equal(run.processes[0].header->epoch, 0);
	assert_true(run.complete);
	run_close(&run);
}

static void forked_child_that_never_closed_is_noted(void **state)
{
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_save(&r, *state);
	prec_start(&r, 101);
	prec_header(&r)->ppid = 100;
	prec_header(&r)->state = PRS_REC_RUNNING;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_true(run.complete);
	assert_false(run.processes[1].complete);
	run_close(&run);
}

static void other_program_that_was_killed_makes_the_run_incomplete(void **state)
{
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_save(&r, *state);
	prec_start(&r, 101);
	prec_header(&r)->state = PRS_REC_RUNNING;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_false(run.complete);
	assert_non_null(strstr(run.incomplete_why, "process 101"));
	run_close(&run);
}

static void missing_manifest_opens_incomplete_with_tables_by_build_id(void **state)
{
	struct prec r;
	struct run run;

	prec_start(&r, 100);
	add_two_threads(&r);
	prec_save(&r, *state);
	build_write(*state, "modules/" BUILD_BUILD_ID ".sites", sites_text, strlen(sites_text));
	opens(&run, *state);
	assert_false(run.complete);
	assert_non_null(strstr(run.incomplete_why, "manifest.yaml"));
	assert_non_null(run_call_site(&run.processes[0], 1));
	run_close(&run);
}

static void full_disk_is_named(void **state)
{
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_header(&r)->off_reason = PRS_OFF_DISK;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_false(run.complete);
	assert_non_null(strstr(run.incomplete_why, "disk"));
	run_close(&run);
}

static void program_without_probes_is_told_how_to_build(void **state)
{
	build_manifest(*state, "exited", 0, NULL);
	refuses(*state, -ENODATA, "built without -fplugin=perseus.so");
}

static void probes_without_a_runtime_are_told_apart(void **state)
{
	build_manifest(*state, "exited", 0, sites_text);
	refuses(*state, -ENODATA, "it was removed, or the runtime was not loaded");
}

/* Its probes were seen in samples: so there was a record. */
static void a_record_that_was_removed_is_missed(void **state)
{
	char path[4096];
	FILE *f;

	build_manifest(*state, "exited", 0, sites_text);
	snprintf(path, sizeof(path), "%s/manifest.yaml", (const char *)*state);
	f = fopen(path, "a");
	assert_non_null(f);
	fputs("samples: 900\nsamples_runtime: 34\n", f);
	fclose(f);
	refuses(*state, -ENODATA, "is missing (PID.0.prec)");
}

static void empty_directory_is_no_run(void **state)
{
	refuses(*state, -ENOENT, "is not a run");
	refuses("/nonexistent/run", -ENOENT, "there is no run");
	refuses("@nosuch", -ENOENT, "there is no run '@nosuch'");
}

static void other_major_is_refused_with_both_versions(void **state)
{
	struct prec r;

	make_run(*state, &r);
	prec_header(&r)->major = 7;
	prec_header(&r)->minor = 3;
	prec_save(&r, *state);
	refuses(*state, -EINVAL, "version 7.3, this reader knows 1.x");
}

static void larger_minor_and_unknown_chunks_are_accepted(void **state)
{
	uint64_t odd[4] = {1, 2, 3, 4};
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_header(&r)->minor = 9;
	PREC_ADD(&r, 4711, PRS_NO_THREAD, odd);
	prec_save(&r, *state);
	opens(&run, *state);
	assert_true(run.complete);
	run_close(&run);
}

static void foreign_file_is_refused(void **state)
{
	struct prec r;

	make_run(*state, &r);
	r.file.s[0] = 'p';
	prec_save(&r, *state);
	refuses(*state, -EINVAL, "not a Perseus record");
}

static void truncated_files_are_refused(void **state)
{
	struct prec r;

	make_run(*state, &r);
	r.file.len = 100;
	prec_save(&r, *state);
	refuses(*state, -EINVAL, "truncated");
	make_run(*state, &r);
	r.file.len -= 17;
	prec_save(&r, *state);
	refuses(*state, -EINVAL, "truncated");
	make_run(*state, &r);
	r.file.len = 5 * PRS_PAGE_BYTES; /* in the middle of the module chunk */
	prec_header(&r)->state = PRS_REC_RUNNING;
	prec_save(&r, *state);
	refuses(*state, -EINVAL, "truncated");
}

static void unpublished_pages_are_skipped(void **state)
{
	struct prec r;
	struct run run;
	uint64_t at;

	make_run(*state, &r);
	at = prec_chunk(&r, PRS_CHUNK_CALL, 1, NULL, 0, 0, 3);
	((struct prs_chunk *)(void *)(r.file.s + at))->magic = 0;
	add_two_threads(&r); /* and what follows is still found: a second thread table, refused as such */
	prec_save(&r, *state);
	opens(&run, *state);
	assert_int_equal(run.processes[0].n_threads, 2);
	assert_int_equal(run.processes[0].n_modules, 2);
	assert_non_null(strstr(run.processes[0].damage, "index 0"));
	run_close(&run);
}

static void entry_counts_beyond_the_chunk_are_cut(void **state)
{
	struct prec r;
	struct run run;
	uint64_t at;

	make_run(*state, &r);
	at = prec_chunk(&r, PRS_CHUNK_NOTE, 0, NULL, sizeof(struct prs_note), 0, 1);
	((struct prs_chunk *)(void *)(r.file.s + at))->used = UINT64_MAX;
	prec_save(&r, *state);
	opens(&run, *state);
	assert_int_equal(run.processes[0].threads[0].n_notes, (4096 - 64) / 32);
	assert_false(run.complete);
	assert_non_null(strstr(run.incomplete_why, "damaged"));
	run_close(&run);
}

static void changed_site_table_is_noticed(void **state)
{
	struct prec r;

	make_run(*state, &r);
	prec_save(&r, *state);
	build_write(*state, "modules/" BUILD_BUILD_ID ".sites", "U\t\n", 3);
	refuses(*state, -EINVAL, "changed after recording");
}

static void missing_site_table_leaves_sites_unknown(void **state)
{
	struct prec r;
	struct run run;
	char path[300];

	make_run(*state, &r);
	prec_save(&r, *state);
	snprintf(path, sizeof(path), "%s/modules/" BUILD_BUILD_ID ".sites", (char *)*state);
	unlink(path);
	opens(&run, *state);
	assert_false(run.complete);
	assert_null(run_call_site(&run.processes[0], 0));
	run_close(&run);
}

static void symbols_are_found_by_run_time_address(void **state)
{
	static const char syms[] = "400100 20 T work\n400100 20 t local_alias\n400200 8 T other\n"
				   "400300 0 B __TMC_END__\n400300 8 b counter\n400308 0 d label\n"
				   "400400 0 B __bss_start\n";
	uint64_t offset = 0;
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_save(&r, *state);
	build_write(*state, "modules/" BUILD_BUILD_ID ".symbols", syms, strlen(syms));
	opens(&run, *state);
	assert_string_equal(run_symbol(&run, &run.processes[0], 0x400110, &offset)->name, "work");
	assert_int_equal(offset, 0x10);
	assert_null(run_symbol(&run, &run.processes[0], 0x400120, NULL));
	assert_null(run_symbol(&run, &run.processes[0], 0x3fffff, NULL));
	/* The linker's marks name no object; what lies there may have a name or not. */
	assert_string_equal(run_symbol(&run, &run.processes[0], 0x400300, NULL)->name, "counter");
	assert_string_equal(run_symbol(&run, &run.processes[0], 0x400308, NULL)->name, "label");
	assert_null(run_symbol(&run, &run.processes[0], 0x400400, NULL));
	run_close(&run);
}

static void fields_are_named_by_offset(void **state)
{
	struct prec r;
	struct run run;
	char name[64];

	make_run(*state, &r);
	prec_save(&r, *state);
	opens(&run, *state);
	assert_null(run_type(&run, "struct nobody"));
	assert_int_equal(run_field_name(run_type(&run, "struct pair"), 12, name, sizeof(name)), 0);
	assert_string_equal(name, "a");
	assert_int_equal(run_field_name(run_type(&run, "struct pair"), 16, name, sizeof(name)), -ENOENT);
	run_close(&run);
}

static void write_callees(const char *dir, const char *text)
{
	struct err err = ERR_INIT;
	char path[4096];

	snprintf(path, sizeof(path), "%s/" CALLEES_FILE, dir);
	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}

static void callees_of_libraries_have_names(void **state)
{
	struct err err = ERR_INIT;
	struct prec r;
	struct run run;

	make_run(*state, &r);
	prec_save(&r, *state);
	opens(&run, *state);
	assert_null(callees_name(&run, 100, 0x400100));
	run_close(&run);
	write_callees(*state, "100 7f0010 strlen\n7 400100 other process\n100 400100 free\n");
	opens(&run, *state);
	assert_string_equal(callees_name(&run, 100, 0x400100), "free");
	assert_string_equal(callees_name(&run, 100, 0x7f0010), "strlen");
	assert_string_equal(callees_name(&run, 7, 0x400100), "other process");
	assert_null(callees_name(&run, 100, 0x400101));
	assert_null(callees_name(&run, 8, 0x400100));
	run_close(&run);
	write_callees(*state, "100 7f0010 strlen\n100 zz\n");
	assert_int_equal(run_open(&run, *state, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "line 2 is '100 zz'"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(whole_run_is_complete_and_resolved),
		T(callees_of_libraries_have_names),
		T(prepaid_calls_are_taken_off),
		T(prepaid_rest_never_exceeds_what_was_counted),
		T(quiet_slot_without_a_record_takes_nothing_off),
		T(references_outside_become_none),
		T(timing_run_has_no_memory_counters),
		T(sharing_run_has_memory_counters_by_number),
		T(short_lines_are_filled_up),
		T(paths_that_lead_nowhere_are_none),
		T(killed_program_is_incomplete_and_says_so),
		T(program_that_called_exec_is_complete),
		T(forked_child_that_never_closed_is_noted),
		T(other_program_that_was_killed_makes_the_run_incomplete),
		T(missing_manifest_opens_incomplete_with_tables_by_build_id),
		T(full_disk_is_named),
		T(program_without_probes_is_told_how_to_build),
		T(probes_without_a_runtime_are_told_apart),
		T(a_record_that_was_removed_is_missed),
		T(empty_directory_is_no_run),
		T(other_major_is_refused_with_both_versions),
		T(larger_minor_and_unknown_chunks_are_accepted),
		T(foreign_file_is_refused),
		T(truncated_files_are_refused),
		T(unpublished_pages_are_skipped),
		T(entry_counts_beyond_the_chunk_are_cut),
		T(changed_site_table_is_noticed),
		T(missing_site_table_leaves_sites_unknown),
		T(symbols_are_found_by_run_time_address),
		T(fields_are_named_by_offset),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
