/* SPDX-License-Identifier: MIT */
/* Lines that two processes share by memory that both have mapped. */
#include "fake.h"

#include "analyzer/pairs/cross.h"

#define HERE   0x7f1000000000ull /* where the first process has the memory, */
#define THERE  0x7f2000000000ull /* ... and the second */
#define ANY    (~0ull)
#define NUMBER 42

/* Two processes with a thread each, which access a word of memory that they have mapped. */
struct two {
	struct fake *f[2];
	struct run_process p[2];
	struct prs_shared map[2];
	struct prs_line *line[2];
	struct run run;
	struct cross *c;
};

static void two_new(struct two *w, uint32_t site_a, uint32_t site_b)
{
	const uint32_t sites[2] = {site_a, site_b};
	const uint64_t at[2] = {HERE, THERE};

	*w = (struct two){0};
	for (int i = 0; i < 2; i++) {
		w->f[i] = fake_new(PRS_PURPOSE_SHARING, "run", 100);
		fake_main(w->f[i], 90);
		w->map[i] = (struct prs_shared){.start = at[i], .bytes = 4096, .dev = ANY, .ino = NUMBER};
		w->map[i].from = FAKE_START;
		w->map[i].site = PRS_NO_SITE;
		w->line[i] = fake_line(w->f[i], 0, sites[i], at[i] + 8ull * (uint64_t)i, 1000, 0, 0);
		/* Every microsecond. */
		w->line[i]->watched = 101;
		w->line[i]->gaps = 100;
		w->line[i]->gap_ticks = 100000;
		w->f[i]->p.shared = &w->map[i];
		w->f[i]->p.n_shared = 1;
	}
}

static void two_join(struct two *w)
{
	for (int i = 0; i < 2; i++)
		w->p[i] = w->f[i]->p;
	w->run = w->f[0]->run;
	w->run.processes = w->p;
	w->run.n_processes = 2;
	w->c = cross_make(&w->run);
}

static void two_free(struct two *w)
{
	cross_free(w->c);
	fake_free(w->f[0]);
	fake_free(w->f[1]);
}

/* Transfers that are said of the thread of process @i. */
static uint64_t moves(const struct two *w, size_t i)
{
	uint64_t n = 0;

	assert_non_null(w->c);
	assert_true(w->c->p.n_threads == 2);
	for (size_t k = 0; k < w->c->p.threads[i].n_lines; k++)
		n += w->c->p.threads[i].lines[k]->misses;
	return n;
}

static void one_memory_has_two_addresses(void **state)
{
	struct two w;

	(void)state;
	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	two_join(&w);
	/* As often as the rarer comes: 100 ms, one each microsecond. */
	for (size_t i = 0; i < 2; i++)
		assert_true(moves(&w, i) > 90000 && moves(&w, i) < 110000);
	assert_true(w.c->p.threads[0].lines[0]->line == w.c->p.threads[1].lines[0]->line);
	assert_true(w.c->p.threads[0].lines[0]->peer[0] == 1);
	assert_true(w.c->p.threads[1].lines[0]->site == MEM_JOB_B + N_MEMS);
	assert_ptr_equal(w.c->of[1], &w.run.processes[1]);
	/* It counts as allocated where it was mapped. */
	assert_true(w.c->p.threads[0].n_notes == 1 && w.c->p.threads[0].notes[0].bytes == 4096);
	two_free(&w);
}

static void another_page_is_another_line(void **state)
{
	struct two w;

	(void)state;
	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	w.map[1].offset = 4096; /* another page of one file */
	two_join(&w);
	assert_true(moves(&w, 0) == 0 && moves(&w, 1) == 0);
	assert_true(w.c->p.threads[1].lines[0]->line - w.c->p.threads[0].lines[0]->line == 64);
	two_free(&w);
}

static void loads_take_nothing_away(void **state)
{
	struct two w;

	(void)state;
	two_new(&w, MEM_READ_RX, MEM_READ_TX);
	two_join(&w);
	assert_true(moves(&w, 0) == 0 && moves(&w, 1) == 0);
	two_free(&w);
}

static void one_after_the_other_takes_nothing(void **state)
{
	struct two w;

	(void)state;
	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	w.line[0]->last = FAKE_START + 40 * MS;
	w.line[1]->first = FAKE_START + 50 * MS;
	two_join(&w);
	assert_true(moves(&w, 0) == 0 && moves(&w, 1) == 0);
	two_free(&w);
}

static void the_rarer_of_both_counts(void **state)
{
	struct two w;

	(void)state;
	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	w.line[0]->gap_ticks = 100; /* each nanosecond */
	two_join(&w);
	assert_true(moves(&w, 0) < 110000);
	two_free(&w);
}

/* A word that is used at two places at once, each 10 ms: so little that all of it was looked at. */
static void what_comes_seldom_is_counted(void **state)
{
	struct two w;

	(void)state;
	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	for (int i = 0; i < 2; i++) {
		struct prs_line *l =
			fake_line(w.f[i], 0, i ? MEM_JOB_A : MEM_JOB_B, w.line[i]->line * 64, 0, 0, 0);

		/* The other place comes 10 ns later; the gap to the next time is longer than any that is measured. */
		w.line[i]->watched = w.line[i]->gaps = 10;
		w.line[i]->gap_ticks = 100;
		l->watched = 10;
	}
	two_join(&w);
	for (size_t i = 0; i < 2; i++)
		assert_true(moves(&w, i) >= 10 && moves(&w, i) <= 20);
	two_free(&w);
}

/* Its twin: such gaps are no more than windows that began. */
static void windows_that_begin_are_no_long_gaps(void **state)
{
	struct two w;

	(void)state;
	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	for (int i = 0; i < 2; i++) {
		w.line[i]->watched = 5120;
		w.line[i]->gaps = 5110;
		w.line[i]->gap_ticks = 5110000;
	}
	two_join(&w);
	for (size_t i = 0; i < 2; i++)
		assert_true(moves(&w, i) > 90000 && moves(&w, i) < 110000);
	two_free(&w);
}

/* Twins: other memory, memory of one process, a mapping that was gone before. */
static void memory_of_one_process_is_left_alone(void **state)
{
	struct two w;

	(void)state;
	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	w.map[1].ino = NUMBER + 1;
	two_join(&w);
	assert_null(w.c);
	two_free(&w);

	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	w.f[1]->p.n_shared = 0;
	two_join(&w);
	assert_null(w.c);
	two_free(&w);

	two_new(&w, MEM_JOB_A, MEM_JOB_B);
	w.map[1].to = FAKE_START + 10 * MS;
	w.line[1]->first = FAKE_START + 20 * MS;
	two_join(&w);
	assert_true(moves(&w, 0) == 0 && w.c->p.threads[1].n_lines == 0);
	two_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_memory_has_two_addresses),
		cmocka_unit_test(another_page_is_another_line),
		cmocka_unit_test(loads_take_nothing_away),
		cmocka_unit_test(one_after_the_other_takes_nothing),
		cmocka_unit_test(the_rarer_of_both_counts),
		cmocka_unit_test(what_comes_seldom_is_counted),
		cmocka_unit_test(windows_that_begin_are_no_long_gaps),
		cmocka_unit_test(memory_of_one_process_is_left_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
