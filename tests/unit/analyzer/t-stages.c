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
	assert_int_equal(phase_of(102, 599, 60000, even), 1);
	/* Where they missed each other in one turn of five, one turn of another phase may be chance, too. */
	assert_int_equal(phase_of(102, 499, 60000, even), MODEL_NONE);
}

/* ---- stages in turn, the first turn from where the threads start ---- */

#define STAGES_MOST 3

/* Stages of @ms each (0: no more), @rounds times; behind each but the last a barrier, @same: by one call. */
struct rounds {
	uint64_t before; /* another stage, ms, in front of the loop; 0: none */
	uint64_t ms[STAGES_MOST];
	uint32_t rounds;
	bool same;
	uint64_t main; /* that main works when it has created them, ms */
};

static uint64_t turn_ms(const struct rounds *r)
{
	return r->ms[0] + r->ms[1] + r->ms[2];
}

static void all_pass(struct fake *f, uint32_t site, uint64_t at, uint32_t visit)
{
	for (uint32_t t = 1; t <= 2; t++)
		fake_event(f, t, PRS_EV_BARRIER, at, at, at - 1, site, visit)->object = 0xb0;
}

static struct fake *in_rounds(uint32_t purpose, const char *name, const struct rounds *r)
{
	static const uint32_t sites[STAGES_MOST] = {CALL_BARRIER, CALL_SECOND_BARRIER, CALL_THIRD_BARRIER};
	uint64_t end = r->before + r->rounds * turn_ms(r), at = r->before;
	struct fake *f = fake_new(purpose, name, end + 10);
	uint32_t visit = 0;

	fake_main(f, 1 + r->main);
	fake_create(f, 0, 0, 1, end, end - 1, 0);
	fake_create(f, 0, 1, 1, end, end - 1, 0);
	if (at)
		all_pass(f, r->same ? sites[0] : CALL_THIRD_BARRIER, at, ++visit);
	for (uint32_t i = 0; i < r->rounds; i++)
		for (uint32_t s = 0; s < STAGES_MOST && r->ms[s]; s++) {
			at += r->ms[s];
			visit++;
			if (at < end)
				all_pass(f, sites[r->same ? 0 : s], at, r->same ? visit : i + 1);
		}
	fake_join(f, 0, 1, 2 + r->main, end, 1 + r->main, 1);
	fake_join(f, 0, 2, end, end, 1 + r->main, 2);
	return f;
}

/* Both come to the line @moves times from @from to @to ms, from the usual place or another one; @watched: windows saw. */
static void meet_at(struct fake *f, bool again, uint64_t from, uint64_t to, uint32_t moves, uint64_t watched)
{
	struct prs_line *l[2] = {
		fake_line(f, 1, again ? MEM_RX_AGAIN : MEM_RX, ADDR_STATS, 10000000, moves, 2),
		fake_line(f, 2, again ? MEM_TX_AGAIN : MEM_TX, ADDR_STATS + 8, 10000000, moves, 1)};

	for (int i = 0; i < 2; i++) {
		l[i]->first = FAKE_START + from * MS;
		l[i]->last = FAKE_START + to * MS;
		l[i]->watched = watched;
	}
}

/* The conflict of the two in @a, of which @meet says when they were there. */
static const struct model_conflict *meet_in_rounds(struct analysis *a, const struct rounds *r,
						   const uint64_t (*at)[2], const uint32_t *moves,
						   const uint64_t *watched, size_t n)
{
	struct fake *f[2] = {in_rounds(PRS_PURPOSE_TIMING, "d/t", r),
			     in_rounds(PRS_PURPOSE_SHARING, "d/s", r)};

	for (size_t i = 0; i < n; i++)
		meet_at(f[1], i > 0, at[i][0], at[i][1], moves[i], watched ? watched[i] : 0);
	analyze_all(a, f, 1);
	assert_int_equal(a->model.n_conflicts, 1);
	return &a->model.conflicts[0];
}

/* They are in these phases of the model, ascending, one bit each. */
static unsigned phases_of(const struct model_conflict *c)
{
	unsigned set = c->phase == MODEL_NONE ? 0 : 1u << c->phase;

	for (size_t i = 0; i < c->n_phases; i++)
		set |= 1u << c->phases[i].phase;
	return set;
}

/* ... of conflicts that are seen from one place only. */
static unsigned phases_between(const struct rounds *r, uint64_t from, uint64_t to)
{
	const uint64_t at[1][2] = {{from, to}};
	const uint32_t moves = 60000;
	const struct model_conflict *c;
	struct analysis a;
	unsigned set;

	c = meet_in_rounds(&a, r, at, &moves, NULL, 1);
	set = phases_of(c);
	analysis_release(&a);
	return set;
}

/* Phases: 0 the first turn's first stage, 1 the second stage, 2 the first stage of later turns. */
static void the_first_turn_is_as_the_later_ones(void **state)
{
	static const struct rounds each[] = {{0, {100, 60}, 6, false, 0},
					     {0, {100, 100}, 6, false, 0},
					     {0, {100, 60}, 6, true, 0},
					     {0, {100, 60}, 6, false, 15}};

	(void)state;
	for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++) {
		uint64_t turn = turn_ms(&each[i]), end = 6 * turn;

		assert_int_equal(phases_between(&each[i], 2, end - each[i].ms[1] - 1), 1 | 4);
		assert_int_equal(phases_between(&each[i], 101, end - 1), 2);
		/* In all of them. */
		assert_int_equal(phases_between(&each[i], 2, end - 1), 0);
	}
}

/* What stands before a loop is another phase: in the loop's second one they may have met all the time. */
static void what_is_before_a_loop_is_no_turn_of_it(void **state)
{
	static const struct rounds first = {100, {60, 100}, 3, false, 0};
	static const struct rounds one_call = {100, {60, 100}, 3, true, 0};
	const struct rounds *each[] = {&first, &one_call};

	(void)state;
	for (int i = 0; i < 2; i++)
		/* From the first to the last of the loop's first stage; the second follows on that once more. */
		assert_int_equal(phases_between(each[i], 102, 479) & 1, 0);
	/* Its end in the second stage: both are certain, and the one before is out. */
	assert_int_equal(phases_between(&first, 102, 579) & 1, 0);
}

static void stages_from_several_places_have_their_shares(void **state)
{
	static const struct rounds r = {0, {100, 60, 80}, 4, false, 0};
	static const uint64_t at[][2] = {{2, 819}, {161, 959}};
	static const uint32_t moves[] = {60000, 20000};
	const struct model_conflict *c;
	struct analysis a;

	(void)state;
	c = meet_in_rounds(&a, &r, at, moves, NULL, 2);
	/* 0 and 3 the first stage, 2 the last one */
	assert_int_equal(c->n_phases, 3);
	assert_int_equal(phases_of(c), 1 | 4 | 8);
	assert_float_equal(c->phases[0].share + c->phases[2].share, 0.75, 0.01);
	assert_float_equal(c->phases[1].share, 0.25, 0.01);
	/* Per cycle of its work it is in the first stage 0.75 / 400 of all, in the last 0.25 / 320. */
	assert_float_equal(model_density(&a.model, c, &c->a, 3) / model_density(&a.model, c, &c->a, 2), 2.4,
			   0.05);
	assert_true(model_density(&a.model, c, &c->a, 1) == 0);
	analysis_release(&a);
}

/* From one place in two of three stages: in which how often is not known. */
static void stages_from_one_place_have_no_shares(void **state)
{
	static const struct rounds r = {0, {100, 60, 80}, 4, false, 0};
	static const uint64_t at[][2] = {{2, 879}}, open[][2] = {{2, 959}};
	static const uint32_t moves[] = {60000};
	const struct model_conflict *c;
	struct analysis a;

	(void)state;
	c = meet_in_rounds(&a, &r, at, moves, NULL, 1);
	assert_int_equal(phases_of(c), 1 | 2 | 8);
	for (size_t i = 0; i < c->n_phases; i++)
		assert_true(c->phases[i].share == 0);
	analysis_release(&a);
	/* From the first stage to the last: of the one between nothing is known, and that is said. */
	c = meet_in_rounds(&a, &r, open, moves, NULL, 1);
	assert_int_equal(phases_of(c), 0);
	assert_non_null(strstr(c->phase_reason, "between"));
	analysis_release(&a);
}

/* A place that hardly takes the line is no reason to say that they meet there. */
static void a_touch_is_no_phase(void **state)
{
	static const struct rounds r = {0, {100, 60, 80}, 4, false, 0};
	static const uint64_t at[][2] = {{2, 819}, {180, 959}};
	static const uint32_t moves[] = {60000, 100};
	const struct model_conflict *c;
	struct analysis a;

	(void)state;
	c = meet_in_rounds(&a, &r, at, moves, NULL, 2);
	assert_int_equal(phases_of(c), 1 | 8);
	analysis_release(&a);
}

/* Windows saw many accesses where few transfers were: they meet there, and how much is not known. */
static void many_accesses_are_no_touch(void **state)
{
	static const struct rounds r = {0, {100, 60, 80}, 4, false, 0};
	static const uint64_t at[][2] = {{2, 819}, {180, 959}}, watched[] = {12000, 8000};
	static const uint32_t moves[] = {60000, 500};
	const struct model_conflict *c;
	struct analysis a;

	(void)state;
	c = meet_in_rounds(&a, &r, at, moves, watched, 2);
	assert_int_equal(phases_of(c) & 4, 4);
	for (size_t i = 0; i < c->n_phases; i++)
		assert_true(c->phases[i].share == 0);
	analysis_release(&a);
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
		cmocka_unit_test(the_first_turn_is_as_the_later_ones),
		cmocka_unit_test(what_is_before_a_loop_is_no_turn_of_it),
		cmocka_unit_test(stages_from_several_places_have_their_shares),
		cmocka_unit_test(stages_from_one_place_have_no_shares),
		cmocka_unit_test(a_touch_is_no_phase),
		cmocka_unit_test(many_accesses_are_no_touch),
		cmocka_unit_test(windows_may_have_missed_it),
		cmocka_unit_test(runs_have_to_agree),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
