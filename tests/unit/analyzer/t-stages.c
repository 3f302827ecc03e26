/* SPDX-License-Identifier: MIT */
/* In which phase two threads meet at a line, and when that is not known. */
#include "fake.h"

#include "analyzer/analyze.h"

/* Two workers from 1 ms to @end ms; a barrier at each of @barriers (ascending ms, 0: no more). */
static struct fake *program(uint32_t purpose, const char *name, uint64_t end, const uint64_t *barriers)
{
	struct fake *f = fake_new(purpose, name, end + 10);

	fake_main(f, 1);
	fake_create(f, 0, 0, 1, end, end - 1, 0);
	fake_create(f, 0, 1, 1, end, end - 1, 0);
	for (uint32_t i = 0; barriers[i]; i++)
		for (uint32_t t = 1; t <= 2; t++)
			fake_barrier(f, t, 0xb0, barriers[i], barriers[i], barriers[i] - 1, i + 1);
	fake_join(f, 0, 1, 2, end, 1, 1);
	fake_join(f, 0, 2, end, end, 1, 2);
	return f;
}

/* Both use a line from @from to @to ms, of which @moves transfers were seen. */
static void meet(struct fake *f, uint64_t from, uint64_t to, uint32_t moves)
{
	struct prs_line *l[2] = {fake_line(f, 1, MEM_RX, ADDR_STATS, 10000000, moves, 2),
				 fake_line(f, 2, MEM_TX, ADDR_STATS + 8, 10000000, moves, 1)};

	for (int i = 0; i < 2; i++) {
		l[i]->first = FAKE_START + from * MS;
		l[i]->last = FAKE_START + to * MS;
	}
}

/* Of a timing run and @n sharing runs, which it frees. */
static void analyze_all(struct analysis *a, struct fake **f, size_t n)
{
	const struct run *runs[4];
	struct err err = ERR_INIT;

	for (size_t i = 0; i <= n; i++)
		runs[i] = &f[i]->run;
	assert_int_equal(analyze(a, runs, n + 1, false, &err), 0);
	for (size_t i = 0; i <= n; i++)
		fake_free(f[i]);
}

static const uint64_t two_stages[] = {300, 0}, short_second[] = {580, 0}, none[] = {0};

/* One sharing run like the timing run, in which they meet so; gives the phase of the conflict. */
static uint32_t phase_of(uint64_t from, uint64_t to, uint32_t moves, const uint64_t *barriers)
{
	struct fake *f[2] = {program(PRS_PURPOSE_TIMING, "d/t", 600, barriers),
			     program(PRS_PURPOSE_SHARING, "d/s", 600, barriers)};
	struct analysis a;
	uint32_t phase;

	meet(f[1], from, to, moves);
	analyze_all(&a, f, 1);
	assert_int_equal(a.model.n_conflicts, 1);
	phase = a.model.conflicts[0].phase;
	analysis_release(&a);
	return phase;
}

static void who_meets_in_one_stage_has_a_conflict_in_that_phase(void **state)
{
	(void)state;
	assert_int_equal(phase_of(2, 299, 60000, two_stages), 0);
	assert_int_equal(phase_of(301, 599, 60000, two_stages), 1);
	assert_int_equal(phase_of(2, 599, 60000, two_stages), MODEL_NONE);
	/* A time at the boundary is of either side. */
	assert_int_equal(phase_of(2, 300, 60000, two_stages), 0);
	assert_int_equal(phase_of(300, 599, 60000, two_stages), 1);
}

static void all_accesses_are_made_in_the_phase(void **state)
{
	struct fake *f[2] = {program(PRS_PURPOSE_TIMING, "d/t", 600, two_stages),
			     program(PRS_PURPOSE_SHARING, "d/s", 600, two_stages)};
	const struct model_conflict *c;
	struct analysis a;

	(void)state;
	meet(f[1], 2, 299, 60000);
	analyze_all(&a, f, 1);
	c = &a.model.conflicts[0];
	/* 10,000,000 in 299 of 599 ms of work at 1 GHz. */
	assert_float_equal(c->a.accesses_per_kcycle, 1e7 / 299e3, 0.2);
	assert_float_equal(c->b.accesses_per_kcycle, 1e7 / 299e3, 0.2);
	analysis_release(&a);
}

/* So seldom, or for so short a time, that it may be chance that they did not meet in the other one. */
static void what_may_be_chance_says_nothing(void **state)
{
	(void)state;
	assert_int_equal(phase_of(2, 299, 8, two_stages), MODEL_NONE);
	assert_int_equal(phase_of(2, 579, 60000, short_second), MODEL_NONE);
	/* All there is in one phase: that is no other one than all phases. */
	assert_int_equal(phase_of(2, 599, 60000, none), MODEL_NONE);
}

/* Stages of 60 and of 100 ms in turn: from where they met first and last follows where they do in between. */
static void stages_in_turn_are_told_by_their_edges(void **state)
{
	static const uint64_t turns[] = {100, 160, 260, 320, 420, 500, 0};
	static const uint64_t even[] = {100, 200, 300, 400, 500, 0};

	(void)state;
	assert_int_equal(phase_of(102, 499, 60000, turns), 1);
	assert_int_equal(phase_of(162, 599, 60000, turns), 2);
	assert_int_equal(phase_of(102, 599, 60000, turns), MODEL_NONE);
	assert_int_equal(phase_of(2, 599, 60000, turns), MODEL_NONE);
	/* Of 30 transfers in 200 ms there would have been 15 in the last 100. */
	assert_int_equal(phase_of(102, 499, 15, turns), MODEL_NONE);
	/* Equal stages are one phase. */
	assert_int_equal(phase_of(102, 499, 60000, even), 1);
}

/* Where the run was watched in windows only for most of the time. */
static void windows_may_have_missed_it(void **state)
{
	static const uint64_t long_second[] = {300, 0};
	uint64_t ends[] = {600, 900};
	uint32_t phases[] = {MODEL_NONE, 0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fake *f[2] = {program(PRS_PURPOSE_TIMING, "d/t", ends[i], long_second),
				     program(PRS_PURPOSE_SHARING, "d/s", ends[i], long_second)};
		struct analysis a;

		meet(f[1], 2, 299, 60000);
		f[1]->header.sharing_mode = PRS_SHARING_ADAPTIVE;
		f[1]->header.first_tsc = FAKE_START;
		f[1]->header.settled_tsc = FAKE_START + 100 * MS;
		f[1]->header.burst_ticks = 10 * MS;
		analyze_all(&a, f, 1);
		assert_int_equal(a.model.conflicts[0].phase, phases[i]);
		analysis_release(&a);
	}
}

static void runs_have_to_agree(void **state)
{
	static const struct {
		uint64_t from, to;
		const uint64_t *barriers;
		uint32_t phase;
	} second[] = {
		{2, 290, two_stages, 0}, {301, 599, two_stages, MODEL_NONE}, {2, 299, none, MODEL_NONE}};

	(void)state;
	for (size_t i = 0; i < sizeof(second) / sizeof(second[0]); i++) {
		struct fake *f[3] = {program(PRS_PURPOSE_TIMING, "d/t", 600, two_stages),
				     program(PRS_PURPOSE_SHARING, "d/s1", 600, two_stages),
				     program(PRS_PURPOSE_SHARING, "d/s2", 600, second[i].barriers)};
		struct analysis a;

		meet(f[1], 2, 299, 60000);
		meet(f[2], second[i].from, second[i].to, 60000);
		analyze_all(&a, f, 2);
		assert_int_equal(a.model.n_conflicts, 1);
		assert_int_equal(a.model.conflicts[0].phase, second[i].phase);
		analysis_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_meets_in_one_stage_has_a_conflict_in_that_phase),
		cmocka_unit_test(all_accesses_are_made_in_the_phase),
		cmocka_unit_test(what_may_be_chance_says_nothing),
		cmocka_unit_test(stages_in_turn_are_told_by_their_edges),
		cmocka_unit_test(windows_may_have_missed_it),
		cmocka_unit_test(runs_have_to_agree),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
