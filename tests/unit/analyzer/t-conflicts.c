/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/conflicts.h"
#include "analyzer/time/notes.h"

/* Two sharing runs of one process, in which threads 1 and 2 meet; in the second they came in the other order. */
struct runs {
	struct run run;
	struct run_process process;
	uint32_t of[2][3];
	struct instance_map maps[2];
	struct instances ins;
	struct run_mem_site site;
	struct model m;
	struct stages stages;
	struct notes notes;
};

static void make(struct runs *r)
{
	static const uint32_t of[2][3] = {{0, 1, 2}, {0, 2, 1}};

	memset(r, 0, sizeof(*r));
	r->run.processes = &r->process;
	r->run.n_processes = 1;
	memcpy(r->of, of, sizeof(of));
	for (int i = 0; i < 2; i++)
		r->maps[i] = (struct instance_map){r->of[i], 3};
	r->ins = (struct instances){.maps = r->maps, .n_maps = 2};
	strcpy(r->site.id, "0123456789abcdef");
}

/* What run @number shows of the pair: a line that thread 1 uses as `left`; gap 0: not known. */
static void add(struct runs *r, size_t number, double accesses, double visits, double gap)
{
	static char left[] = "left", right[] = "right", here[] = "count_left", there[] = "count_right";
	struct sharing_side sides[2] = {
		{.field = left, .function = here, .file = "src/p.c", .line = 7, .site = &r->site},
		{.field = right, .function = there, .file = "src/q.c", .line = 9},
	};
	struct sharing_pair pair = {.verdict = SHARING_FALSE};
	struct sharing_finding f = {
		.verdict = SHARING_FALSE, .process = &r->process, .pairs = &pair, .n_pairs = 1};
	struct sharing_report rep = {.findings = &f, .n = 1};
	static char object[] = "pairs";

	for (int i = 0; i < 2; i++) {
		sides[i].kind = PRS_KIND_ATOMIC;
		sides[i].per_kcycle = accesses;
		sides[i].visits_per_kcycle = visits;
		sides[i].gap_cycles = gap;
	}
	pair.a = sides[number];
	pair.b = sides[!number];
	pair.a.thread = 1;
	pair.b.thread = 2;
	strcpy(f.evidence, "share-000001");
	f.object_name = f.subject = object;
	conflicts_add(&r->m, &rep, &r->run, &r->ins, number, number, &r->stages, &r->notes);
}

static void release(struct runs *r)
{
	model_release(&r->m);
	stages_release(&r->stages);
	notes_release(&r->notes);
}

static void a_side_keeps_its_place_whatever_the_order_of_threads(void **state)
{
	struct runs r;

	(void)state;
	make(&r);
	add(&r, 0, 80, 0, 0);
	add(&r, 1, 40, 0, 0);
	assert_int_equal(r.m.n_conflicts, 1);
	assert_int_equal(r.m.conflicts[0].a.thread, 1);
	assert_string_equal(r.m.conflicts[0].a.field, "left");
	assert_string_equal(r.m.conflicts[0].a.site, "0123456789abcdef");
	assert_string_equal(r.m.conflicts[0].a.function, "count_left");
	assert_string_equal(r.m.conflicts[0].a.file, "src/p.c");
	assert_int_equal(r.m.conflicts[0].a.line, 7);
	assert_int_equal(r.m.conflicts[0].b.thread, 2);
	assert_string_equal(r.m.conflicts[0].b.file, "src/q.c");
	assert_null(r.m.conflicts[0].b.site);
	assert_float_equal(r.m.conflicts[0].b.accesses_per_kcycle, 60, 1e-9);
	assert_float_equal(model_rate(&r.m.conflicts[0].b), 60, 1e-9);
	release(&r);
}

static void a_gap_that_one_run_does_not_know_is_no_gap_of_zero(void **state)
{
	struct runs r;

	(void)state;
	make(&r);
	add(&r, 0, 80, 0, 0);
	add(&r, 1, 40, 20, 50);
	assert_float_equal(r.m.conflicts[0].a.gap_cycles, 50, 1e-9);
	assert_float_equal(r.m.conflicts[0].a.visits_per_kcycle, 20, 1e-9);
	release(&r);
	make(&r);
	add(&r, 0, 40, 20, 50);
	add(&r, 1, 80, 0, 0);
	assert_float_equal(r.m.conflicts[0].a.gap_cycles, 50, 1e-9);
	assert_float_equal(r.m.conflicts[0].a.visits_per_kcycle, 20, 1e-9);
	assert_float_equal(r.m.conflicts[0].a.accesses_per_kcycle, 60, 1e-9);
	release(&r);
}

static void gaps_that_both_runs_know_are_averaged(void **state)
{
	struct runs r;

	(void)state;
	make(&r);
	add(&r, 0, 40, 20, 50);
	add(&r, 1, 40, 10, 100);
	assert_float_equal(r.m.conflicts[0].a.gap_cycles, 75, 1e-9);
	assert_float_equal(model_rate(&r.m.conflicts[0].a), 15, 1e-9);
	release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_side_keeps_its_place_whatever_the_order_of_threads),
		cmocka_unit_test(a_gap_that_one_run_does_not_know_is_no_gap_of_zero),
		cmocka_unit_test(gaps_that_both_runs_know_are_averaged),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
