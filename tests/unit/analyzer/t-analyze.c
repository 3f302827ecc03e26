/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/analyze.h"

/* main creates two workers and joins them; each works @cpu ms. */
static struct fake *program(uint32_t purpose, const char *name, uint64_t cpu)
{
	struct fake *f = fake_new(purpose, name, 600);

	fake_main(f, 1);
	fake_create(f, 0, 0, 1, 590, cpu, 0);
	fake_create(f, 0, 1, 1, 590, cpu, 0);
	fake_join(f, 0, 1, 2, 590, 1, 1);
	fake_join(f, 0, 2, 590, 590, 1, 2);
	return f;
}

static struct fake *sharing(const char *name)
{
	struct fake *f = program(PRS_PURPOSE_SHARING, name, 580);

	fake_line(f, 1, MEM_RX, ADDR_STATS, 100000000, 60000, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, 50000000, 60000, 1);
	return f;
}

static int run_analysis(struct analysis *a, struct fake *const *f, size_t n, bool partial, struct err *err)
{
	const struct run *runs[4];

	for (size_t i = 0; i < n; i++)
		runs[i] = &f[i]->run;
	*err = (struct err)ERR_INIT;
	return analyze(a, runs, n, partial, err);
}

static void free_all(struct fake **f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fake_free(f[i]);
}

static void model_joins_timing_and_sharing_runs_in_any_order(void **state)
{
	struct fake *f[2] = {sharing("d/net-s"), program(PRS_PURPOSE_TIMING, "d/net-t", 500)};
	const struct model_conflict *c;
	struct analysis a;
	struct err err;

	(void)state;
	assert_int_equal(run_analysis(&a, f, 2, false, &err), 0);
	assert_int_equal(a.n_timing, 1);
	assert_int_equal(a.n_sharing, 1);
	assert_int_equal(a.model.n_threads, 3);
	assert_int_equal(a.model.n_phases, 1);
	assert_string_equal(a.model.runs[0], "net-t");
	assert_int_equal(a.model.hz, 1000000000);
	assert_int_equal(a.model.n_conflicts, 1);
	c = &a.model.conflicts[0];
	assert_true(c->is_false);
	assert_string_equal(c->object, "stats");
	assert_string_equal(c->a.field, "rx");
	assert_string_equal(c->b.field, "tx");
	assert_string_equal(c->a.function, "rx_thread");
	assert_string_equal(c->a.file, "src/net.c");
	assert_int_equal(c->a.line, 57);
	/* Rates are compared with the work of the timing run, not the inflated one. */
	assert_float_equal(model_rate(&c->a), 200, 0.01);
	assert_float_equal(model_rate(&c->b), 100, 0.01);
	analysis_release(&a);
	free_all(f, 2);
}

/* Two that share a line need @partners ms, a third one @other ms; the run @wall ms. */
static struct fake *three(const char *name, uint64_t partners, uint64_t other, uint64_t wall)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, name, 600);

	fake_main(f, 1);
	for (uint32_t i = 0; i < 3; i++)
		fake_create(f, 0, i, 1, 590, i < 2 ? partners : other, 0);
	for (uint32_t i = 0; i < 3; i++)
		fake_join(f, 0, i + 1, i ? 590 : 2, 590, 1, i + 1);
	f->run.manifest.wall_ns = wall * MS;
	return f;
}

static double work_of(const struct model *m, uint32_t thread)
{
	for (size_t i = 0; i < m->phases[0].n_work; i++)
		if (m->phases[0].work[i].thread == thread)
			return (double)m->phases[0].work[i].cycles;
	return 0;
}

static void waiting_that_chance_deals_out_is_taken_out_of_work_and_noise(void **state)
{
	struct fake *f[3] = {three("d/t1", 400, 380, 500), three("d/t2", 460, 380, 560), sharing("d/s")};
	struct analysis a;
	struct err err;

	(void)state;
	assert_int_equal(run_analysis(&a, f, 3, false, &err), 0);
	assert_in_range(a.model.wall_sd_ns, 42000000, 43000000);
	assert_in_range(a.model.waited_ns, 29900000, 30100000);
	assert_in_range(a.model.wall_rest_sd_ns, 1, 100000);
	assert_float_equal(work_of(&a.model, 1), 400e6, 1e5);
	assert_float_equal(work_of(&a.model, 2), 400e6, 1e5);
	assert_float_equal(work_of(&a.model, 3), 380e6, 1e5);
	analysis_release(&a);
	free_all(f, 3);
}

/* All did more: that is other input, or a slower core.  And sleep is no waiting for lines. */
static void other_noise_stays(void **state)
{
	static const uint64_t second[2][2] = {{460, 437}, {400, 380}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fake *f[3] = {three("d/t1", 400, 380, 500),
				     three("d/t2", second[i][0], second[i][1], 560), sharing("d/s")};
		struct analysis a;
		struct err err;

		assert_int_equal(run_analysis(&a, f, 3, false, &err), 0);
		assert_in_range(a.model.wall_sd_ns, 42000000, 43000000);
		assert_int_equal(a.model.waited_ns, 0);
		assert_int_equal(a.model.wall_rest_sd_ns, 0);
		assert_float_equal(work_of(&a.model, 1), i ? 400e6 : 430e6, 1e5);
		analysis_release(&a);
		free_all(f, 3);
	}
}

/* Which elements the threads used was not seen: nothing that a plan may act on. */
static void unclear_pair_is_left_out_of_the_model(void **state)
{
	struct fake *f[2] = {program(PRS_PURPOSE_TIMING, "d/net-t", 500), sharing("d/net-s")};
	struct prs_line *l[2] = {fake_line(f[1], 1, MEM_SLOT, ADDR_SLOTS, 100000000, 60000, 2),
				 fake_line(f[1], 2, MEM_SLOT, ADDR_SLOTS + 8, 100000000, 60000, 1)};
	struct analysis a;
	struct err err;
	bool said = false;

	(void)state;
	for (int i = 0; i < 2; i++)
		l[i]->watched = l[i]->read_mask = l[i]->write_mask = 0;
	assert_int_equal(run_analysis(&a, f, 2, false, &err), 0);
	assert_int_equal(a.model.n_conflicts, 1);
	assert_string_equal(a.model.conflicts[0].object, "stats");
	for (size_t i = 0; i < a.rejected.n; i++)
		said |= strstr(a.rejected.at[i],
			       " unclear-sharing slots[] left out: the bytes are not known") != NULL;
	assert_true(said);
	analysis_release(&a);
	free_all(f, 2);
}

static void model_can_be_written_and_read_back(void **state)
{
	struct fake *f[2] = {program(PRS_PURPOSE_TIMING, "d/net-t", 500), sharing("d/net-s")};
	char path[] = "/tmp/perseus-model-XXXXXX", before[65], after[65];
	struct analysis a;
	struct model m;
	struct err err;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(run_analysis(&a, f, 2, false, &err), 0);
	if (model_save(&a.model, path, &err) || model_load(&m, path, &err))
		fail_msg("%s", err.msg);
	model_hash(&a.model, before);
	model_hash(&m, after);
	assert_string_equal(before, after);
	assert_int_equal(m.phases[0].n_work, 3);
	assert_true(m.phases[0].work[1].starts);
	unlink(path);
	model_release(&m);
	analysis_release(&a);
	free_all(f, 2);
}

static void sharing_run_alone_makes_no_model(void **state)
{
	struct fake *f[1] = {sharing("d/net-s")};
	struct analysis a;
	struct err err;

	(void)state;
	assert_int_equal(run_analysis(&a, f, 1, false, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "--purpose=timing"));
	free_all(f, 1);
}

static void run_named_twice_is_refused(void **state)
{
	struct fake *f[3] = {program(PRS_PURPOSE_TIMING, "d/net-1", 500),
			     program(PRS_PURPOSE_TIMING, "d/net-2", 500),
			     program(PRS_PURPOSE_TIMING, "d/net-1", 500)};
	struct analysis a;
	struct err err;

	(void)state;
	f[2]->run.path = (char *)"elsewhere/copy";
	assert_int_equal(run_analysis(&a, f, 3, false, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'d/net-1' and 'elsewhere/copy' are the same run"));
	assert_int_equal(run_analysis(&a, f, 2, false, &err), 0);
	analysis_release(&a);
	free_all(f, 3);
}

static void runs_of_other_builds_are_refused(void **state)
{
	struct fake *f[2] = {program(PRS_PURPOSE_TIMING, "d/net-1", 500),
			     program(PRS_PURPOSE_TIMING, "d/net-2", 500)};
	struct analysis a;
	struct err err;

	(void)state;
	assert_int_equal(run_analysis(&a, f, 2, false, &err), 0);
	analysis_release(&a);
	f[1]->manifest_module.build_id = (char *)"00bb";
	assert_int_equal(run_analysis(&a, f, 2, false, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "build"));
	f[1]->manifest_module.build_id = NULL;
	f[1]->manifest_module.sites_sha256 = (char *)"ff";
	assert_int_equal(run_analysis(&a, f, 2, false, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "site tables"));
	f[1]->run.manifest.program = (char *)"other";
	assert_int_equal(run_analysis(&a, f, 2, false, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'other'"));
	free_all(f, 2);
}

/* Built once with call probes only, for times, and once with all, for sharing. */
static void builds_that_differ_in_memory_probes_only_belong_together(void **state)
{
	struct fake *f[2] = {program(PRS_PURPOSE_TIMING, "d/net-1", 500), sharing("d/net-2")};
	struct sites_unit *unit = f[0]->module.sites.units;
	struct analysis a;
	struct err err;

	(void)state;
	f[0]->manifest_module.build_id = (char *)"00bb";
	f[0]->manifest_module.sites_sha256 = (char *)"ff";
	unit->n_mems = 0;
	assert_int_equal(run_analysis(&a, f, 2, false, &err), 0);
	assert_int_equal(a.model.n_conflicts, 1);
	analysis_release(&a);
	/* Another call site: another program. */
	unit->calls[2].id[3] = 'f';
	assert_int_equal(run_analysis(&a, f, 2, false, &err), -EINVAL);
	free_all(f, 2);
}

static void incomplete_run_needs_partial(void **state)
{
	struct fake *f[1] = {program(PRS_PURPOSE_TIMING, "d/net-1", 500)};
	struct analysis a;
	struct err err;

	(void)state;
	f[0]->run.complete = false;
	f[0]->run.incomplete_why = (char *)"the program was killed by SIGKILL";
	f[0]->raw[1].end_tsc = 0;
	assert_int_equal(run_analysis(&a, f, 1, false, &err), -ENODATA);
	assert_non_null(strstr(err.msg, "SIGKILL"));
	assert_non_null(strstr(err.msg, "--partial"));
	assert_int_equal(run_analysis(&a, f, 1, true, &err), 0);
	assert_int_equal(a.model.n_threads, 3);
	analysis_release(&a);
	free_all(f, 1);
}

static void thread_that_one_run_lacks_is_not_plannable(void **state)
{
	struct fake *f[2] = {program(PRS_PURPOSE_TIMING, "d/net-1", 500),
			     program(PRS_PURPOSE_TIMING, "d/net-2", 500)};
	struct analysis a;
	struct err err;

	(void)state;
	fake_create(f[1], 0, 2, 1, 590, 10, 0);
	assert_int_equal(run_analysis(&a, f, 2, false, &err), 0);
	assert_int_equal(a.model.n_threads, 4);
	assert_true(a.model.threads[1].plannable);
	assert_false(a.model.threads[3].plannable);
	assert_string_equal(a.model.threads[3].reason, "seen in 1 of 2 timing runs");
	analysis_release(&a);
	free_all(f, 2);
}

static void unknown_core_frequency_is_said(void **state)
{
	struct fake *f[1] = {program(PRS_PURPOSE_TIMING, "d/net-1", 500)};
	struct analysis a;
	struct err err;

	(void)state;
	f[0]->run.manifest.core_khz = 0;
	f[0]->p.ns_per_tick = 0.5;
	assert_int_equal(run_analysis(&a, f, 1, false, &err), 0);
	assert_int_equal(a.model.hz, 2000000000);
	assert_non_null(strstr(a.model.clock, "time-stamp counter"));
	analysis_release(&a);
	free_all(f, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(model_joins_timing_and_sharing_runs_in_any_order),
		cmocka_unit_test(waiting_that_chance_deals_out_is_taken_out_of_work_and_noise),
		cmocka_unit_test(other_noise_stays),
		cmocka_unit_test(unclear_pair_is_left_out_of_the_model),
		cmocka_unit_test(model_can_be_written_and_read_back),
		cmocka_unit_test(sharing_run_alone_makes_no_model),
		cmocka_unit_test(run_named_twice_is_refused),
		cmocka_unit_test(runs_of_other_builds_are_refused),
		cmocka_unit_test(builds_that_differ_in_memory_probes_only_belong_together),
		cmocka_unit_test(incomplete_run_needs_partial),
		cmocka_unit_test(thread_that_one_run_lacks_is_not_plannable),
		cmocka_unit_test(unknown_core_frequency_is_said),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
