/* SPDX-License-Identifier: MIT */
/* scheduler/slurm: what Slurm prints is read; the journal tells again what was written, and no more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scheduler/slurm/journal.h"

static void jobs_of_the_run_are_read(void **state)
{
	struct slurm_jobs jobs = VEC_INIT;

	(void)state;
	slurm_read_jobs("12|PENDING|perseus:0123456789abcdef:4\n"
			"13|RUNNING|perseus:ffffffffffffffff:5\n"
			"14|COMPLETED|(null)\n"
			"squeue: error: something else\n"
			"15|CANCELLED by 0|perseus:0123456789abcdef:6\n"
			"16|COMPLETED|perseus:0123456789abcdef:7",
			"0123456789abcdef", &jobs);
	assert_int_equal(jobs.n, 3);
	assert_true(jobs.at[0].id == 12 && jobs.at[0].task == 4 && jobs.at[0].state == SLURM_WAITS);
	assert_true(jobs.at[1].id == 15 && jobs.at[1].task == 6 && jobs.at[1].state == SLURM_CANCELLED);
	assert_true(jobs.at[2].id == 16 && jobs.at[2].task == 7 && jobs.at[2].state == SLURM_DONE);
	vec_release(&jobs);
}

static void states_are_read(void **state)
{
	(void)state;
	assert_int_equal(slurm_read_state("FAILED"), SLURM_FAILED);
	assert_int_equal(slurm_read_state("COMPLETED\n"), SLURM_DONE);
	assert_int_equal(slurm_read_state("NODE_FAIL"), SLURM_FAILED);
	assert_int_equal(slurm_read_state("COMPLETEDLY"), SLURM_UNKNOWN);
	assert_int_equal(slurm_read_state(""), SLURM_UNKNOWN);
}

static void nodes_are_read(void **state)
{
	static const struct {
		const char *state;
		bool usable;
	} cases[] = {
		{"IDLE", true},
		{"ALLOCATED", true},
		{"MIXED+CLOUD", true},
		{"IDLE+DRAIN", false},
		{"MIXED+DRAIN", false},
		{"DOWN*", false},
		{"IDLE*", true},
		{"DOWN+NOT_RESPONDING", false},
		{"ALLOCATED+FAIL", false},
		{"FUTURE", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct slurm_nodes nodes = VEC_INIT;
		char text[200];

		snprintf(text, sizeof(text),
			 "NodeName=n1 Arch=x86_64 CoresPerSocket=1  State=%s ThreadsPerCore=1\n"
			 "NodeName=n2 Comment=State State=IDLE\n",
			 cases[i].state);
		slurm_read_nodes(text, &nodes);
		assert_int_equal(nodes.n, 2);
		assert_string_equal(nodes.at[0].name, "n1");
		assert_int_equal(nodes.at[0].usable, cases[i].usable);
		assert_true(nodes.at[1].usable);
		slurm_nodes_release(&nodes);
	}
}

static const char three[] =
	"workflow: 1\nnodes:\n  - {name: a}\n  - {name: b}\ntasks:\n"
	"  - {name: x, seconds: 3}\n  - {name: y, seconds: 4}\n  - {name: z, seconds: 4}\n";

static char path[64];

static struct workflow work_read(void)
{
	struct err err = ERR_INIT;
	struct workflow w;

	assert_int_equal(work_parse(&w, three, sizeof(three) - 1, "three", &err), 0);
	snprintf(path, sizeof(path), "/tmp/t-slurm.%d", (int)getpid());
	unlink(path);
	return w;
}

static void a_journal_goes_on(void **state)
{
	struct workflow w = work_read();
	struct err err = ERR_INIT;
	struct journal j, again;
	char key[JOURNAL_KEY];

	(void)state;
	assert_int_equal(journal_open(&j, path, &w, &err), 0);
	assert_int_equal(j.plan.n, 0);
	strcpy(key, j.key);
	assert_int_equal(journal_open(&again, path, &w, &err), -EWOULDBLOCK);
	journal_close(&again);
	assert_int_equal(journal_add(&j, &err, "plan 2\norder 1 a\norder 0 a,b\nplanned 2\nmoving 1\n"), 0);
	assert_int_equal(journal_add(&j, &err, "submit 1\njob 1 77\nsubmit 0\n\nended 1 3\nstate 1 failed\n"),
			 0);
	/* A plan that is not whole, and a line that was cut off. */
	assert_int_equal(journal_add(&j, &err, "plan 2\norder 2 b\nsubmit 2"), 0);
	journal_close(&j);
	assert_int_equal(journal_open(&j, path, &w, &err), 0);
	assert_string_equal(j.key, key);
	assert_int_equal(j.plan.n, 2);
	assert_int_equal(j.plan.order[0], 1);
	assert_string_equal(j.plan.nodes[0], "a,b");
	assert_null(j.plan.nodes[2]);
	assert_true(j.moving);
	assert_true(j.task[1].id == 77 && j.task[1].ended && j.task[1].status == 3);
	assert_true(j.task[1].is_final && j.task[1].state == SLURM_FAILED);
	assert_true(j.task[0].submitted && !j.task[0].id && !j.task[0].is_final);
	assert_int_equal(journal_add(&j, &err, "moved 1\nplan 1\norder 0 b\nplanned 1\n"), 0);
	assert_int_equal(journal_read(&j, &err), 0);
	/* Of the half plan nothing is left. */
	assert_true(j.plan.n == 1 && j.plan.order[0] == 0 && !j.plan.nodes[2] && !j.moving);
	journal_close(&j);
	unlink(path);
	work_release(&w);
}

static void other_files_are_refused(void **state)
{
	static const char *const texts[] = {"hello\n", "perseus-journal 1 0123456789abcdef 00\n", "\n"};
	struct workflow w = work_read();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		FILE *f = fopen(path, "w");
		struct err err = ERR_INIT;
		struct journal j;

		assert_non_null(f);
		fputs(texts[i], f);
		fclose(f);
		assert_int_equal(journal_open(&j, path, &w, &err), -EINVAL);
		assert_true(err.msg[0]);
		journal_close(&j);
	}
	unlink(path);
	work_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_of_the_run_are_read), cmocka_unit_test(states_are_read),
		cmocka_unit_test(nodes_are_read),           cmocka_unit_test(a_journal_goes_on),
		cmocka_unit_test(other_files_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
