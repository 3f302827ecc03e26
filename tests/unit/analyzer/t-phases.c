/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/analyze.h"

#include "analyzer/time/clock.h"
#include "analyzer/time/phases.h"
#include "record/counters.h"

/* Runs cut and folded, with everything that must outlive the classes. */
struct folded {
	struct instances ins;
	struct intervals iv[3];
	size_t n;
	struct phase_classes classes;
	struct notes notes;
};

static void fold(struct folded *d, struct fake *const *f, size_t n)
{
	const struct run *runs[3];
	const struct run_process *procs[3];

	*d = (struct folded){.n = n};
	for (size_t i = 0; i < n; i++) {
		runs[i] = &f[i]->run;
		procs[i] = &f[i]->p;
	}
	instances_match(&d->ins, runs, procs, n);
	for (size_t i = 0; i < n; i++) {
		struct timeline tl;
		struct bounds b;

		timeline_make(&tl, runs[i], procs[i], &d->ins, i);
		bounds_find(&b, &tl, &d->notes);
		intervals_make(&d->iv[i], &tl, &b, 1000000, runs[i]->path);
		bounds_release(&b);
		timeline_release(&tl);
	}
	phases_fold(&d->classes, d->iv, n, &d->ins, &d->notes);
}

static void unfold(struct folded *d)
{
	phases_release(&d->classes);
	for (size_t i = 0; i < d->n; i++)
		intervals_release(&d->iv[i]);
	instances_release(&d->ins);
	notes_release(&d->notes);
}

static const struct class_part *part(const struct folded *d, size_t class, uint32_t instance)
{
	for (size_t i = 0; i < d->classes.at[class].n_parts; i++)
		if (d->classes.at[class].parts[i].instance == instance)
			return &d->classes.at[class].parts[i];
	return NULL;
}

static bool noted(const struct notes *notes, const char *text)
{
	for (size_t i = 0; i < notes->n; i++)
		if (strstr(notes->at[i], text))
			return true;
	return false;
}

/* main works 50 ms, creates @n workers, joins them at 550 ms, works 50 ms, ends at 600 ms. */
static struct fake *fork_join(const char *name, unsigned n, uint64_t cpu)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, name, 600);

	fake_main(f, 100);
	for (unsigned i = 0; i < n; i++)
		fake_create(f, 0, i, 50 + i, 540, cpu, 50);
	for (unsigned i = 0; i < n; i++)
		fake_join(f, 0, 1 + i, i ? 550 : 52, 550, 50, i + 1);
	return f;
}

static void program_without_events_has_one_phase(void **state)
{
	struct fake *f[1] = {fake_new(PRS_PURPOSE_TIMING, "r", 500)};
	struct folded d;

	(void)state;
	fake_main(f[0], 400);
	fold(&d, f, 1);
	assert_int_equal(d.classes.n, 1);
	assert_int_equal(d.classes.at[0].kind, BOUND_START);
	assert_true(part(&d, 0, 0)->starts);
	assert_float_equal(part(&d, 0, 0)->cycles, 400e6, 1);
	unfold(&d);
	fake_free(f[0]);
}

static void bursts_of_creations_and_joins_are_one_boundary_each(void **state)
{
	struct fake *f[1] = {fork_join("r", 4, 400)};
	struct folded d;

	(void)state;
	fold(&d, f, 1);
	assert_int_equal(d.classes.n, 3);
	assert_int_equal(d.classes.at[1].kind, BOUND_CREATE);
	assert_int_equal(d.classes.at[2].kind, BOUND_JOIN);
	assert_float_equal(part(&d, 0, 0)->cycles, 50e6, 1);
	assert_null(part(&d, 0, 1));
	for (uint32_t i = 1; i <= 4; i++) {
		assert_float_equal(part(&d, 1, i)->cycles, 400e6, 1);
		assert_true(part(&d, 1, i)->starts);
	}
	assert_true(part(&d, 1, 0)->waits);
	assert_false(part(&d, 2, 0)->waits);
	assert_float_equal(part(&d, 2, 0)->cycles, 50e6, 1);
	assert_string_equal(part(&d, 2, 0)->site->callee, "pthread_join");
	assert_int_equal(part(&d, 2, 0)->visit, 4);
	unfold(&d);
	fake_free(f[0]);
}

/* What the processor counted in each thread of a run; 2 GHz while main computes. */
struct counted {
	struct run_counters c;
	struct run_counts threads[3];
	uint64_t ticks[3][3];
	double sums[3][3];
};

/* Main and two workers of fork_join(): readings at 50 ms, 550 ms and the end. */
static void count(struct counted *x, struct fake *f)
{
	static const double sums[3][3] = {{100e6, 100e6, 200e6}, {0, 700e6, 700e6}, {0, 900e6, 900e6}};

	*x = (struct counted){.c = {.n_events = 1, .n_threads = 3, .threads = x->threads}};
	x->c.events[0] = (struct run_event){.name = "cycles", .counted = true};
	for (int i = 0; i < 3; i++) {
		x->threads[i] =
			(struct run_counts){.ticks = x->ticks[i], .sums = x->sums[i], .n = 3, .share = {1}};
		x->ticks[i][0] = FAKE_START + 50 * MS;
		x->ticks[i][1] = FAKE_START + 550 * MS;
		x->ticks[i][2] = FAKE_START + 600 * MS;
		memcpy(x->sums[i], sums[i], sizeof(sums[i]));
	}
	f->p.counters = &x->c;
}

static void counted_cycles_come_before_estimates(void **state)
{
	struct fake *f = fork_join("r", 2, 400);
	const struct run *run = &f->run;
	const struct run_process *p = &f->p;
	struct instances ins;
	struct intervals iv;
	struct notes notes = {0};
	struct timeline tl;
	struct counted x;
	struct bounds b;

	(void)state;
	count(&x, f);
	assert_int_equal(counted_cycles(&f->p), 0);
	instances_match(&ins, &run, &p, 1);
	timeline_make(&tl, &f->run, &f->p, &ins, 0);
	assert_int_equal(tl.cycles, -1);
	tl.cycles = 0;
	bounds_find(&b, &tl, &notes);
	intervals_make(&iv, &tl, &b, 1000000, "r");
	assert_int_equal(iv.n, 3);
	assert_float_equal(iv.at[0].parts[0].cycles, 100e6, 1);
	assert_float_equal(iv.at[1].parts[0].cycles, 0, 1);
	assert_float_equal(iv.at[1].parts[1].cycles, 700e6, 20e6);
	assert_float_equal(iv.at[1].parts[2].cycles, 900e6, 20e6);
	assert_float_equal(iv.at[2].parts[0].cycles, 100e6, 1);
	intervals_release(&iv);
	bounds_release(&b);
	timeline_release(&tl);
	instances_release(&ins);
	notes_release(&notes);
	fake_free(f);
}

static void cycles_of_some_threads_are_none(void **state)
{
	struct fake *f = fork_join("r", 2, 400);
	struct counted x;

	(void)state;
	assert_int_equal(counted_cycles(&f->p), -1);
	count(&x, f);
	x.threads[2].n = 0;
	assert_int_equal(counted_cycles(&f->p), -1);
	count(&x, f);
	x.threads[1].refused[0] = EMFILE;
	assert_int_equal(counted_cycles(&f->p), -1);
	count(&x, f);
	x.threads[1].share[0] = 0.3;
	assert_int_equal(counted_cycles(&f->p), -1);
	count(&x, f);
	x.c.events[0].name = "instructions";
	assert_int_equal(counted_cycles(&f->p), -1);
	count(&x, f);
	x.c.events[0].name = "cycles:u";
	assert_int_equal(counted_cycles(&f->p), 0);
	fake_free(f);
}

static void creations_with_work_between_are_two_boundaries(void **state)
{
	struct fake *f[1] = {fake_new(PRS_PURPOSE_TIMING, "r", 600)};
	struct folded d;

	(void)state;
	fake_main(f[0], 300);
	fake_create(f[0], 0, 0, 50, 540, 400, 50);
	fake_create(f[0], 0, 1, 150, 540, 300, 150);
	fold(&d, f, 1);
	assert_int_equal(d.classes.n, 3);
	assert_float_equal(part(&d, 1, 0)->cycles, 100e6, 1);
	assert_null(part(&d, 1, 2));
	assert_true(part(&d, 2, 2)->starts);
	unfold(&d);
	fake_free(f[0]);
}

/* A start-up of 7 ms in which the machine gave main 0.5 ms is no phase. */
static void phase_without_work_is_merged(void **state)
{
	struct fake *f[1] = {fake_new(PRS_PURPOSE_TIMING, "r", 600)};
	struct folded d;

	(void)state;
	fake_main(f[0], 1);
	fake_create(f[0], 0, 0, 7, 590, 500, 0);
	fold(&d, f, 1);
	assert_int_equal(d.classes.n, 1);
	assert_int_equal(d.classes.at[0].kind, BOUND_CREATE);
	unfold(&d);
	fake_free(f[0]);
}

/*
 * Two workers, @rounds rounds of 20 ms through a barrier; odd rounds give
 * worker 0 @odd ms of work, even ones 18 ms.
 */
static struct fake *rounds(const char *name, unsigned n, uint64_t odd, uint32_t skip)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, name, 10 + 20 * n);
	uint64_t a = 0, b = 0, t = 10;

	fake_main(f, 1);
	fake_create(f, 0, 0, 10, 10 + 20 * n, 0, 1);
	fake_create(f, 0, 1, 10, 10 + 20 * n, 0, 1);
	for (unsigned i = 0; i < n; i++, t += 20) {
		uint64_t w = i % 2 ? odd : 18;

		a += w;
		b += 18;
		if (i + 1 == n)
			break; /* the last round ends with the threads */
		fake_barrier(f, 1, 0xb0, t + w, t + 20, a, i + 1);
		fake_barrier(f, 2, 0xb0, t + 20, t + 20, b, i + 1 + (i > 2 ? skip : 0));
	}
	f->raw[1].cpu_end_ns = a * MS;
	f->raw[2].cpu_end_ns = b * MS;
	fake_join(f, 0, 1, 11, 10 + 20 * n, 1, 1);
	fake_join(f, 0, 2, 10 + 20 * n, 10 + 20 * n, 1, 2);
	return f;
}

static void equal_rounds_fold_into_one_class(void **state)
{
	struct fake *f[1] = {rounds("r", 6, 18, 0)};
	struct folded d;

	(void)state;
	fold(&d, f, 1);
	/* start, the first round (threads start in it), five more; the rest is too short. */
	assert_int_equal(d.classes.n, 3);
	assert_int_equal(d.classes.at[1].kind, BOUND_CREATE);
	assert_int_equal(d.classes.at[2].kind, BOUND_BARRIER);
	assert_int_equal(d.classes.at[2].repeats, 5);
	assert_float_equal(part(&d, 2, 1)->cycles, 18e6, 1);
	assert_string_equal(part(&d, 2, 1)->site->callee, "pthread_barrier_wait");
	assert_int_equal(part(&d, 2, 1)->visit, 1);
	assert_int_equal(part(&d, 2, 1)->every, 1);
	assert_true(part(&d, 2, 0)->waits);
	unfold(&d);
	fake_free(f[0]);
}

static void alternating_rounds_are_two_classes(void **state)
{
	struct fake *f[1] = {rounds("r", 7, 6, 0)};
	struct folded d;

	(void)state;
	fold(&d, f, 1);
	assert_int_equal(d.classes.n, 4);
	assert_int_equal(d.classes.at[2].repeats, 3);
	assert_int_equal(d.classes.at[3].repeats, 3);
	assert_float_equal(part(&d, 2, 1)->cycles, 6e6, 1);
	assert_float_equal(part(&d, 3, 1)->cycles, 18e6, 1);
	assert_int_equal(part(&d, 2, 1)->visit, 1);
	assert_int_equal(part(&d, 2, 1)->every, 2);
	assert_int_equal(part(&d, 3, 1)->visit, 2);
	assert_int_equal(part(&d, 3, 1)->every, 2);
	unfold(&d);
	fake_free(f[0]);
}

static void irregular_visits_give_no_entry_and_are_said(void **state)
{
	struct fake *f[1] = {rounds("r", 7, 18, 3)};
	struct folded d;

	(void)state;
	fold(&d, f, 1);
	assert_int_equal(d.classes.at[2].repeats, 6);
	assert_non_null(part(&d, 2, 1)->site);
	assert_null(part(&d, 2, 2)->site);
	assert_false(part(&d, 2, 1)->other_visits);
	assert_true(part(&d, 2, 2)->other_visits);
	unfold(&d);
	fake_free(f[0]);
}

/* A third thread works through the release: the barrier is between two of three. */
static void barrier_of_some_working_threads_is_no_boundary(void **state)
{
	struct fake *f[1] = {rounds("r", 6, 18, 0)};
	struct folded d;

	(void)state;
	fake_create(f[0], 0, 2, 10, 130, 110, 1);
	fold(&d, f, 1);
	for (size_t i = 0; i < d.classes.n; i++)
		assert_int_not_equal(d.classes.at[i].kind, BOUND_BARRIER);
	unfold(&d);
	fake_free(f[0]);
}

/* The same, but the third sleeps. */
static void idle_thread_does_not_hide_a_barrier(void **state)
{
	struct fake *f[1] = {rounds("r", 6, 18, 0)};
	struct folded d;

	(void)state;
	fake_create(f[0], 0, 2, 10, 130, 0, 1);
	fold(&d, f, 1);
	assert_int_equal(d.classes.at[d.classes.n - 1].kind, BOUND_BARRIER);
	unfold(&d);
	fake_free(f[0]);
}

static void frequent_barrier_is_passed_over_and_said(void **state)
{
	struct fake *f[1] = {fork_join("r", 2, 400)};
	struct folded d;

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		for (uint32_t t = 1; t <= 2; t++) {
			struct prs_event *ev =
				fake_event(f[0], t, PRS_EV_BARRIER, 100, 100, 0, CALL_BARRIER, i);

			ev->begin = ev->end = FAKE_START + 100 * MS + i * MS / 2;
			ev->cpu_ns = 0;
			ev->object = 0xb0;
		}
	fold(&d, f, 1);
	assert_int_equal(d.classes.n, 3);
	assert_true(noted(&d.notes, "too often to be a phase boundary"));
	assert_true(noted(&d.notes, "src/net.c:61"));
	unfold(&d);
	fake_free(f[0]);
}

static void runs_that_agree_are_averaged(void **state)
{
	struct fake *f[2] = {fork_join("a", 2, 400), fork_join("b", 2, 440)};
	struct folded d;

	(void)state;
	fold(&d, f, 2);
	assert_int_equal(d.classes.n, 3);
	assert_true(d.classes.at[1].accepted);
	assert_float_equal(part(&d, 1, 1)->cycles, 420e6, 1);
	assert_float_equal(part(&d, 1, 1)->sd, 28284271.2, 1);
	unfold(&d);
	fake_free(f[0]);
	fake_free(f[1]);
}

static void phase_whose_work_differs_between_runs_is_rejected(void **state)
{
	struct fake *f[2] = {fork_join("a", 2, 400), fork_join("b", 2, 150)};
	struct folded d;

	(void)state;
	fold(&d, f, 2);
	assert_false(d.classes.at[1].accepted);
	assert_non_null(strstr(d.classes.at[1].reason, "differs between runs: 150 M to 400 M cycles"));
	assert_true(d.classes.at[0].accepted);
	unfold(&d);
	fake_free(f[0]);
	fake_free(f[1]);
}

static void phase_with_other_repeats_in_another_run_is_rejected(void **state)
{
	struct fake *f[2] = {rounds("a", 6, 18, 0), rounds("b", 9, 18, 0)};
	struct folded d;

	(void)state;
	fold(&d, f, 2);
	assert_false(d.classes.at[2].accepted);
	assert_string_equal(d.classes.at[2].reason, "occurs 5 times in run a and 8 times in run b");
	assert_true(d.classes.at[1].accepted);
	unfold(&d);
	fake_free(f[0]);
	fake_free(f[1]);
}

static void a_phase_is_told_by_what_opens_it(void **state)
{
	const struct run_call_site site = {.file = "a.c", .line = 5};
	char text[80];

	(void)state;
	phase_opening(text, sizeof(text), BOUND_START, NULL);
	assert_string_equal(text, "(from the start of the program on)");
	phase_opening(text, sizeof(text), BOUND_BARRIER, &site);
	assert_string_equal(text, "(opened by the barrier at a.c:5)");
	phase_opening(text, sizeof(text), BOUND_JOIN, NULL);
	assert_string_equal(text, "(opened by a join in code without probes)");
}

static void what_is_said_of_several_is_one_line(void **state)
{
	struct notes notes = {0}, lines = {0};

	(void)state;
	notes_add(&notes, "thread a: it is late");
	notes_add(&notes, "run r is incomplete");
	for (int i = 1; i <= 6; i++)
		notes_add(&notes, "thread b%d: it is late", i);
	notes_add(&notes, "thread c: it is early");
	notes_add(&notes, "run s is incomplete");
	notes_grouped(&notes, &lines);
	assert_int_equal(lines.n, 4);
	assert_string_equal(lines.at[0], "thread a: it is late (the same for 6 more: thread b1, thread b2, "
					 "thread b3, thread b4, ...)");
	assert_string_equal(lines.at[1], "run r is incomplete");
	assert_string_equal(lines.at[2], "thread c: it is early");
	assert_string_equal(lines.at[3], "run s is incomplete");
	notes_release(&notes);
	notes_release(&lines);
}

static void thread_whose_visit_differs_between_runs_loses_its_entry(void **state)
{
	struct fake *f[2] = {fork_join("a", 2, 400), fork_join("b", 2, 400)};
	struct folded d;

	(void)state;
	for (size_t i = 0; i < f[1]->thread[0].n_events; i++)
		if (f[1]->thread[0].events[i].kind == PRS_EV_JOIN)
			f[1]->thread[0].events[i].visit += 7;
	fold(&d, f, 2);
	assert_null(part(&d, 2, 0)->site);
	assert_true(part(&d, 2, 0)->other_visits);
	unfold(&d);
	fake_free(f[0]);
	fake_free(f[1]);
}

/* By its name, for a plan may well move the thread into another phase that the same call opens. */
static void phase_that_is_entered_at_other_visits_is_named(void **state)
{
	struct fake *f = rounds("r", 7, 18, 3);
	const struct run *runs[1] = {&f->run};
	struct err err = ERR_INIT;
	struct analysis a;
	char named[80];

	(void)state;
	if (analyze(&a, runs, 1, false, &err))
		fail_msg("%s", err.msg);
	snprintf(named, sizeof(named), ": it enters %s after ", a.model.phases[2].name);
	assert_true(noted(&a.rejected, named));
	snprintf(named, sizeof(named), ": it enters %s after ", a.model.phases[1].name);
	assert_false(noted(&a.rejected, named));
	analysis_release(&a);
	fake_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_without_events_has_one_phase),
		cmocka_unit_test(bursts_of_creations_and_joins_are_one_boundary_each),
		cmocka_unit_test(counted_cycles_come_before_estimates),
		cmocka_unit_test(cycles_of_some_threads_are_none),
		cmocka_unit_test(creations_with_work_between_are_two_boundaries),
		cmocka_unit_test(phase_without_work_is_merged),
		cmocka_unit_test(equal_rounds_fold_into_one_class),
		cmocka_unit_test(alternating_rounds_are_two_classes),
		cmocka_unit_test(irregular_visits_give_no_entry_and_are_said),
		cmocka_unit_test(barrier_of_some_working_threads_is_no_boundary),
		cmocka_unit_test(idle_thread_does_not_hide_a_barrier),
		cmocka_unit_test(frequent_barrier_is_passed_over_and_said),
		cmocka_unit_test(runs_that_agree_are_averaged),
		cmocka_unit_test(phase_whose_work_differs_between_runs_is_rejected),
		cmocka_unit_test(a_phase_is_told_by_what_opens_it),
		cmocka_unit_test(what_is_said_of_several_is_one_line),
		cmocka_unit_test(phase_with_other_repeats_in_another_run_is_rejected),
		cmocka_unit_test(thread_whose_visit_differs_between_runs_loses_its_entry),
		cmocka_unit_test(phase_that_is_entered_at_other_visits_is_named),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
