/* SPDX-License-Identifier: MIT */
/* On which cores the recorder saw threads. */
#include "fake.h"

#include "analyzer/pairs/turns.h"
#include "analyzer/sharing/doubts.h"

#define LOOKS 30u

/* Two threads of a second and half of its time, seen LOOKS times each on cores @a and @b. */
static struct fake *seen(struct core_looks *looks, uint32_t a, uint32_t b)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1000);
	uint32_t core[2] = {a, b};

	fake_main(f, 1);
	fake_create(f, 0, 0, 0, 1000, 500, 1);
	fake_create(f, 0, 1, 0, 1000, 500, 1);
	*looks = (struct core_looks)VEC_INIT;
	for (uint32_t t = 0; t < 2; t++)
		for (uint64_t i = 1; i <= LOOKS; i++)
			vec_push(looks, ((struct core_look){f->header.mono_start_ns + i * 20 * MS,
							    f->header.pid, f->raw[t + 1].tid, core[t]}));
	return f;
}

static void threads_of_one_core_are_known(void **state)
{
	struct core_looks same, apart;
	struct fake *f = seen(&same, 1, 1), *g = seen(&apart, 1, 0);

	(void)state;
	assert_true(turns_one_core(&f->p, &same));
	assert_true(turns_one_core_of(&f->p, &same, 1, 2));
	assert_false(turns_one_core(&g->p, &apart));
	assert_false(turns_one_core_of(&g->p, &apart, 1, 2));
	same.at[7].core = 0; /* it went away once */
	assert_false(turns_one_core(&f->p, &same));
	vec_release(&same);
	vec_release(&apart);
	fake_free(f);
	fake_free(g);
}

static void few_looks_and_those_at_others_say_nothing(void **state)
{
	struct core_looks looks;
	struct fake *f = seen(&looks, 1, 1);

	(void)state;
	looks.n = LOOKS + 10;
	assert_false(turns_one_core(&f->p, &looks));
	assert_false(turns_one_core_of(&f->p, &looks, 1, 2));
	looks.n = 2 * LOOKS;
	for (size_t i = LOOKS; i < looks.n; i++)
		looks.at[i].ns += 2000 * MS; /* another thread with its id */
	assert_false(turns_one_core(&f->p, &looks));
	looks.n = 0;
	assert_false(turns_one_core(&f->p, &looks));
	vec_release(&looks);
	fake_free(f);
}

/* The reason is told once, and only of what matters. */
static void one_core_is_a_doubt_about_what_matters(void **state)
{
	struct sharing_finding f[2] = {{.evidence = "share-000001", .one_core = true},
				       {.evidence = "share-000002", .significant = true}};
	struct notes doubts = {0};

	(void)state;
	doubts_one_core_of(&doubts, f, 2);
	assert_int_equal(doubts.n, 0);
	f[0].significant = true;
	doubts_one_core_of(&doubts, f, 2);
	assert_int_equal(doubts.n, 1);
	assert_non_null(strstr(doubts.at[0], "share-000001 were seen on one core only"));
	notes_release(&doubts);
	notes_add(&doubts, "(%s)", "all of them were seen on one core");
	doubts_one_core_of(&doubts, f, 2);
	assert_int_equal(doubts.n, 1);
	notes_release(&doubts);
}

/* Calls and waits say how often it left its core; a thread without that may have been there all the time. */
static void turns_need_switches(void **state)
{
	struct core_looks looks;
	struct fake *f = seen(&looks, 0, 1);

	(void)state;
	assert_false(turns_only(&f->p, 1, 2, 1));
	f->raw[1].switches = 10;
	assert_false(turns_only(&f->p, 1, 2, 1));
	f->raw[2].switches = 20;
	assert_true(turns_only(&f->p, 1, 2, 120));
	assert_false(turns_only(&f->p, 1, 2, 124));
	vec_release(&looks);
	fake_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_one_core_are_known),
		cmocka_unit_test(few_looks_and_those_at_others_say_nothing),
		cmocka_unit_test(one_core_is_a_doubt_about_what_matters),
		cmocka_unit_test(turns_need_switches),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
