/* SPDX-License-Identifier: MIT */
/* What threads do under locks that they share, as the model has it; and what it says that it does not have. */
#include "fake.h"

#include "analyzer/analyze.h"

/* Two workers from 50 to 400 ms, 100 ms of CPU time each; they meet at 200 ms, after 30 and 60 ms of it. */
static struct fake *workers(void)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, "d/net-t", 600);

	fake_main(f, 100);
	fake_create(f, 0, 0, 50, 400, 100, 50);
	fake_create(f, 0, 1, 50, 400, 100, 50);
	fake_barrier(f, 1, 0xb0, 150, 200, 30, 1);
	fake_barrier(f, 2, 0xb0, 200, 200, 60, 1);
	fake_join(f, 0, 1, 52, 420, 50, 1);
	fake_join(f, 0, 2, 420, 420, 50, 2);
	return f;
}

static struct prs_wait held(uint64_t object, uint64_t count, uint64_t each_ns, uint64_t from_ms)
{
	return (struct prs_wait){.object = object,
				 .kind = PRS_EV_MUTEX,
				 .flags = PRS_WAIT_TAKEN,
				 .count = count,
				 .timed = 4,
				 .ticks = 4 * each_ns,
				 .max = each_ns,
				 .first = FAKE_START + from_ms * MS,
				 .site = PRS_NO_SITE,
				 .other = PRS_NO_THREAD};
}

/* Waits @a of the first worker, @b of the second; the caller releases @out. */
static void analyze_waits(struct analysis *out, struct prs_wait *a, size_t n_a, struct prs_wait *b,
			  size_t n_b)
{
	struct fake *f = workers();
	const struct run *runs[1] = {&f->run};
	struct err err = ERR_INIT;

	f->thread[1].waits = a;
	f->thread[1].n_waits = n_a;
	f->thread[2].waits = b;
	f->thread[2].n_waits = n_b;
	if (analyze(out, runs, 1, false, &err))
		fail_msg("%s", err.msg);
	f->thread[1].n_waits = f->thread[2].n_waits = 0;
	fake_free(f);
}

static const struct model_work *work_of(const struct model_phase *ph, uint32_t thread)
{
	for (size_t i = 0; i < ph->n_work; i++)
		if (ph->work[i].thread == thread)
			return &ph->work[i];
	return NULL;
}

/* Percent of its work in @ph that @thread does under the phase's only lock. */
static unsigned percent(const struct model_phase *ph, uint32_t thread)
{
	assert_int_equal(ph->n_serial, 1);
	for (size_t i = 0; i < ph->serial[0].n_held; i++)
		if (ph->serial[0].held[i].thread == thread)
			return (unsigned)(100 * ph->serial[0].held[i].cycles / work_of(ph, thread)->cycles);
	return 0;
}

static bool says(const struct analysis *a, const char *text)
{
	for (size_t i = 0; i < a->rejected.n; i++)
		if (strstr(a->rejected.at[i], text))
			return true;
	return false;
}

static void what_is_done_under_a_lock_is_a_part_of_the_work_of_each_phase(void **state)
{
	struct prs_wait one = held(0xa0, 100, MS / 2, 50), two = held(0xa0, 100, MS / 4, 50);
	struct analysis a;
	size_t with = 0;

	(void)state;
	analyze_waits(&a, &one, 1, &two, 1);
	for (size_t p = 0; p < a.model.n_phases; p++) {
		const struct model_phase *ph = &a.model.phases[p];

		if (!ph->n_serial)
			continue;
		with++;
		assert_int_equal(ph->serial[0].lock, 0);
		assert_non_null(strstr(ph->serial[0].object, "mutex"));
		assert_in_range(percent(ph, 1), 46, 50);
		assert_in_range(percent(ph, 2), 22, 25);
	}
	/* From their creation to the barrier, and from there to their end. */
	assert_int_equal(with, 2);
	analysis_release(&a);
}

static void a_lock_that_is_taken_late_is_not_in_earlier_phases(void **state)
{
	struct prs_wait one = held(0xa0, 100, MS / 2, 200), two = held(0xa0, 100, MS / 4, 200);
	struct analysis a;
	size_t with = 0;

	(void)state;
	analyze_waits(&a, &one, 1, &two, 1);
	for (size_t p = 0; p < a.model.n_phases; p++)
		with += a.model.phases[p].n_serial;
	assert_int_equal(with, 1);
	analysis_release(&a);
}

static size_t locks_of(struct prs_wait one, struct prs_wait two)
{
	struct analysis a;
	size_t n = 0;

	analyze_waits(&a, &one, 1, &two, 1);
	for (size_t p = 0; p < a.model.n_phases; p++)
		n += a.model.phases[p].n_serial;
	analysis_release(&a);
	return n;
}

static void locks_that_hold_nobody_up_are_left_out(void **state)
{
	struct prs_wait mine = held(0xa0, 100, MS / 2, 50), yours = held(0xc0, 100, MS / 2, 50);
	struct prs_wait short_ones = held(0xa0, 100, MS / 50, 50), untimed = held(0xa0, 100, MS / 2, 50);

	(void)state;
	assert_int_equal(locks_of(mine, yours), 0);
	assert_int_equal(locks_of(short_ones, short_ones), 0);
	untimed.timed = 0;
	assert_int_equal(locks_of(untimed, untimed), 0);
	assert_int_equal(locks_of(mine, mine), 2);
}

/* Long holds lose their core, as their threads do: 100 ms of CPU time in 350 ms. */
static void time_without_a_core_is_not_held(void **state)
{
	struct prs_wait one = held(0xa0, 10, 17 * MS, 50);
	struct analysis a;

	(void)state;
	analyze_waits(&a, &one, 1, &one, 1);
	for (size_t p = 0; p < a.model.n_phases; p++)
		if (a.model.phases[p].n_serial)
			assert_in_range(percent(&a.model.phases[p], 1), 44, 52);
	analysis_release(&a);
}

static struct prs_wait waited(uint32_t kind, uint64_t count, uint64_t ms, uint32_t other)
{
	return (struct prs_wait){.object = 0xd0 + kind,
				 .kind = kind,
				 .count = count,
				 .ticks = ms * MS,
				 .max = ms * MS,
				 .first = FAKE_START + 60 * MS,
				 .last = FAKE_START + 390 * MS,
				 .site = PRS_NO_SITE,
				 .other = other};
}

static void what_is_not_in_the_model_is_named(void **state)
{
	struct prs_wait none[1], one[2] = {waited(PRS_EV_COND, 50, 120, 2)},
				 two[1] = {waited(PRS_EV_COND, 40, 120, 1)};
	struct analysis a;

	(void)state;
	analyze_waits(&a, none, 0, none, 0);
	assert_false(says(&a, "not in the model"));
	assert_false(says(&a, "in turns"));
	analysis_release(&a);
	/* Each waits while the other works. */
	analyze_waits(&a, one, 1, two, 1);
	assert_true(says(&a, "condition variables"));
	assert_true(says(&a, "may work in turns"));
	analysis_release(&a);
	/* One of them seldom: a stream. */
	two[0] = waited(PRS_EV_COND, 40, 5, 1);
	analyze_waits(&a, one, 1, two, 1);
	assert_true(says(&a, "condition variables"));
	assert_false(says(&a, "in turns"));
	analysis_release(&a);
	/* Or both seldom, for long: there is room between them. */
	two[0] = waited(PRS_EV_COND, 40, 120, 1);
	one[1] = (struct prs_wait){.object = two[0].object,
				   .kind = PRS_EV_SIGNAL_COND,
				   .flags = PRS_WAIT_TAKEN,
				   .count = 1000,
				   .site = PRS_NO_SITE,
				   .other = PRS_NO_THREAD};
	analyze_waits(&a, one, 2, two, 1);
	assert_false(says(&a, "in turns"));
	analysis_release(&a);
	one[0] = waited(PRS_EV_RWLOCK, 4, 100, PRS_NO_THREAD);
	analyze_waits(&a, one, 1, none, 0);
	assert_true(says(&a, "read-write locks"));
	analysis_release(&a);
}

#define ROUNDS 20u
#define HALF   8u /* ms that each works in a round */

/* Rounds of @thread, whose work begins @late ms after that of the other; it signals @before ms before it waits. */
static void take_turns(struct fake *f, uint32_t thread, uint64_t late, uint64_t before)
{
	for (uint64_t r = 0; r < ROUNDS; r++) {
		uint64_t from = 60 + 2 * HALF * r + late, to = from + HALF, cpu = (r + 1) * HALF;

		fake_event(f, thread, PRS_EV_SIGNAL_COND, to - before, to - before, cpu, PRS_NO_SITE, 0);
		fake_event(f, thread, PRS_EV_COND, to, to + HALF, cpu, PRS_NO_SITE, 0)->other = 3 - thread;
	}
}

struct turns_case {
	uint64_t before[2]; /* ms from signal to wait, of each */
	uint64_t signals;   /* for a wait */
	uint64_t elsewhere; /* waits of the first worker for somebody else */
};

/* What each waits for, what it signals, and its waits for main. */
static void fill_waits(struct prs_wait w[2][3], const struct turns_case *c)
{
	for (uint32_t i = 0; i < 2; i++) {
		w[i][0] = waited(PRS_EV_COND, ROUNDS, ROUNDS * HALF, 2 - i);
		w[i][0].object = 0xe0 + i;
		w[i][1] = (struct prs_wait){.object = 0xe1 - i,
					    .kind = PRS_EV_SIGNAL_COND,
					    .flags = PRS_WAIT_TAKEN,
					    .count = ROUNDS * c->signals,
					    .site = PRS_NO_SITE,
					    .other = PRS_NO_THREAD};
		w[i][2] = waited(PRS_EV_SEM, i ? 0 : c->elsewhere, 0, 0);
	}
}

/* Two workers that wait for each other all the time, as @c says; the caller releases @a. */
static void analyze_turns(struct analysis *a, const struct turns_case *c)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, "d/net-t", 600);
	const struct run *runs[1] = {&f->run};
	struct err err = ERR_INIT;
	struct prs_wait w[2][3];

	fake_main(f, 100);
	fake_create(f, 0, 0, 50, 400, ROUNDS * HALF, 50);
	fake_create(f, 0, 1, 50, 400, ROUNDS * HALF, 50);
	take_turns(f, 1, 0, c->before[0]);
	take_turns(f, 2, HALF, c->before[1]);
	fake_join(f, 0, 1, 52, 420, 50, 1);
	fake_join(f, 0, 2, 420, 420, 50, 2);
	fill_waits(w, c);
	for (uint32_t i = 0; i < 2; i++) {
		f->thread[i + 1].waits = w[i];
		f->thread[i + 1].n_waits = 3;
	}
	if (analyze(a, runs, 1, false, &err))
		fail_msg("%s", err.msg);
	f->thread[1].n_waits = f->thread[2].n_waits = 0;
	fake_free(f);
}

static size_t serial_parts(const struct analysis *a)
{
	size_t n = 0;

	for (size_t p = 0; p < a->model.n_phases; p++)
		n += a->model.phases[p].n_serial;
	return n;
}

static void work_in_turns_is_done_one_after_the_other(void **state)
{
	static const struct turns_case strict = {{0, 0}, 1, 0};
	struct analysis a;
	size_t with = 0;

	(void)state;
	analyze_turns(&a, &strict);
	for (size_t p = 0; p < a.model.n_phases; p++) {
		const struct model_phase *ph = &a.model.phases[p];

		if (!ph->n_serial)
			continue;
		with++;
		assert_string_equal(ph->serial[0].object, "turns of rx_thread 0 and rx_thread 1");
		assert_in_range(percent(ph, 1), 90, 100);
		assert_in_range(percent(ph, 2), 90, 100);
	}
	assert_int_equal(with, 1);
	assert_false(says(&a, "in turns"));
	assert_false(says(&a, "not in the model"));
	analysis_release(&a);
}

/* All waits are as before, so these are said to be possible, or to be what the model takes them for. */
static void a_stream_is_not_done_one_after_the_other(void **state)
{
	static const struct turns_case streams[] = {
		{{HALF, 0}, 1, 0},       /* one makes the next item before it waits */
		{{0, HALF}, 1, 0},       /* the other one does */
		{{0, 0}, 2, 0},          /* two items for a wait */
		{{0, 0}, 1, ROUNDS / 2}, /* somebody else has a part in it */
	};
	struct analysis a;

	(void)state;
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
		analyze_turns(&a, &streams[i]);
		assert_int_equal(serial_parts(&a), 0);
		assert_true(says(&a, "may work in turns"));
		assert_true(says(&a, "condition variables"));
		analysis_release(&a);
	}
}

/*
 * The first worker waits from @from to @to ms in @kind; the other is ready, on a core or in line for one,
 * until @ready; the caller releases @a.
 */
static void analyze_sleep(struct analysis *a, uint32_t kind, uint64_t object, uint64_t from, uint64_t to,
			  uint64_t ready)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, "d/net-t", 600);
	const struct run *runs[1] = {&f->run};
	struct err err = ERR_INIT;

	fake_main(f, 60);
	fake_create(f, 0, 0, 50, 400, 100, 50);
	fake_create(f, 0, 1, 50, ready, 50, 50);
	if (kind)
		fake_event(f, 1, kind, from, to, 50, PRS_NO_SITE, 0)->object = object;
	fake_join(f, 0, 1, 52, 420, 50, 1);
	fake_join(f, 0, 2, 420, 420, 50, 2);
	if (analyze(a, runs, 1, false, &err))
		fail_msg("%s", err.msg);
	fake_free(f);
}

static void sleep_that_makes_the_run_longer_is_named(void **state)
{
	const struct {
		uint32_t kind;
		uint64_t object, from, to;
		const char *says; /* NULL: nothing */
	} cases[] = {
		{0, 0, 0, 0, NULL},
		{PRS_EV_SLEEP, 0, 100, 300,
		 "threads slept 200 ms in 1 call while nobody worked, 33 % of the run:"},
		{PRS_EV_SLEEP, 0, 100, 120, NULL}, /* a thirtieth */
		{PRS_EV_POLL, 0, 100, 300, "slept 200 ms"},
		{PRS_EV_POLL, 7, 100, 300, NULL}, /* somebody had written */
		{PRS_EV_WAITPID, 0, 100, 300, "slept or waited for what is outside of the program, 200 ms"},
		{PRS_EV_BARRIER, 7, 100, 300, NULL},
	};
	struct analysis a;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		analyze_sleep(&a, cases[i].kind, cases[i].object, cases[i].from, cases[i].to, 100);
		assert_int_equal(says(&a, "while nobody worked"), cases[i].says != NULL);
		assert_true(!cases[i].says || says(&a, cases[i].says));
		analysis_release(&a);
	}
	/* The other one only got no core. */
	analyze_sleep(&a, PRS_EV_SLEEP, 0, 100, 300, 400);
	assert_false(says(&a, "while nobody worked"));
	analysis_release(&a);
}

/* A watcher that sleeps while another works makes nothing longer. */
static void sleep_beside_work_is_not_named(void **state)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, "d/net-t", 600);
	const struct run *runs[1] = {&f->run};
	struct err err = ERR_INIT;
	struct analysis a;

	(void)state;
	fake_main(f, 60);
	fake_create(f, 0, 0, 50, 400, 5, 50);
	fake_create(f, 0, 1, 50, 400, 350, 50);
	for (uint64_t i = 0; i < 3; i++)
		fake_event(f, 1, PRS_EV_SLEEP, 60 + 100 * i, 155 + 100 * i, 1 + i, PRS_NO_SITE, 0);
	fake_join(f, 0, 1, 52, 420, 50, 1);
	fake_join(f, 0, 2, 420, 420, 50, 2);
	if (analyze(&a, runs, 1, false, &err))
		fail_msg("%s", err.msg);
	assert_false(says(&a, "slept"));
	analysis_release(&a);
	fake_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_done_under_a_lock_is_a_part_of_the_work_of_each_phase),
		cmocka_unit_test(a_lock_that_is_taken_late_is_not_in_earlier_phases),
		cmocka_unit_test(locks_that_hold_nobody_up_are_left_out),
		cmocka_unit_test(time_without_a_core_is_not_held),
		cmocka_unit_test(what_is_not_in_the_model_is_named),
		cmocka_unit_test(work_in_turns_is_done_one_after_the_other),
		cmocka_unit_test(a_stream_is_not_done_one_after_the_other),
		cmocka_unit_test(sleep_that_makes_the_run_longer_is_named),
		cmocka_unit_test(sleep_beside_work_is_not_named),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
