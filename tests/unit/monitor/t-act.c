/* SPDX-License-Identifier: MIT */
/* monitor/act: on a made-up machine each answer is carried out, kept if it helped, and else taken back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/strbuf.h"
#include "monitor/act/act.h"

#define MS 1000000u

/* Four cores in two pairs; threads 11, 12, 13 of process 10 on cores 0, 2, 3. */
static struct world {
	struct act_cores may[3];
	int core[3];
	uint64_t workers;
	bool leased, refuses;
	struct strbuf audit;
	struct rules rules;
	struct counts_events events;
	struct judge judge;
	struct act act;
	uint64_t ns;
} w;

static struct act_cores cores(const char *list)
{
	struct act_cores c = {{0}};

	for (; *list; list++)
		act_cores_add(&c, (unsigned)(*list - '0'));
	return c;
}

static int where(void *arg, uint32_t tid, struct act_cores *out)
{
	(void)arg;
	if (tid < 11 || tid > 13)
		return -ESRCH;
	*out = w.may[tid - 11];
	return 0;
}

static int place(void *arg, uint32_t tid, const struct act_cores *to)
{
	(void)arg;
	if (w.refuses)
		return -EPERM;
	if (tid < 11 || tid > 13)
		return -ESRCH;
	w.may[tid - 11] = *to;
	for (int c = 0; c < 4 && !act_cores_has(to, (unsigned)w.core[tid - 11]); c++)
		if (act_cores_has(to, (unsigned)c))
			w.core[tid - 11] = c;
	return 0;
}

static unsigned distance(void *arg, unsigned a, unsigned b)
{
	(void)arg;
	return a == b ? 0 : a / 2 == b / 2 ? 1 : 2;
}

static int workers(void *arg, uint64_t n)
{
	(void)arg;
	w.workers = n;
	return 0;
}

static void audit(void *arg, const char *line)
{
	(void)arg;
	strbuf_printf(&w.audit, "%s\n", line);
}

static bool leased(void *arg)
{
	(void)arg;
	return w.leased;
}

static const struct act_hands hands = {where, place, distance, workers, audit, leased, NULL};

static const char *w_event = "a.b";

static void begin(const char *answer, const char *lent, uint64_t n_workers)
{
	static char *names[] = {(char *)"a.b", (char *)"directory.b"};
	struct act_options o = {.cores = cores(lent), .lease = 7, .workers = n_workers, .least_workers = 2};
	struct err err = ERR_INIT;
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "perseus-rules 1\nrule r %s above 1000 for 0 below 500 for 0 answer %s helps 20 "
			 "within 300\n",
			 w_event, answer);

	w = (struct world){
		.core = {0, 2, 3}, .leased = true, .workers = n_workers, .ns = 1000 * (uint64_t)MS};
	for (int i = 0; i < 3; i++)
		w.may[i] = cores("0123");
	assert_int_equal(rules_read(&w.rules, "test", text, (size_t)n, &err), 0);
	w.events = (struct counts_events){names + !strcmp(w_event, names[1]), 1, 1};
	judge_init(&w.judge, &w.rules, &w.events);
	act_init(&w.act, &hands, &o);
}

/* 100 ms in which thread 11 had @rate; @partner lost its lines to it, 0: nobody knows. */
static void window(double rate, uint32_t partner)
{
	struct counts_thread threads[3];
	struct rate at[3] = {{0, rate, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}};
	struct rates r = {.ns = w.ns += 100 * MS, .seconds = 0.1, .n_events = 1};

	for (unsigned i = 0; i < 3; i++) {
		threads[i] = (struct counts_thread){.pid = 10, .tid = 11 + i, .core = w.core[i]};
		snprintf(threads[i].name, sizeof(threads[i].name), "t%u", i);
	}
	threads[0].partner = partner;
	r.threads.at = threads;
	r.threads.n = 3;
	r.at.at = at;
	r.at.n = 3;
	judge_window(&w.judge, &r);
	act_window(&w.act, &w.judge, &r);
}

static void may(const char *a, const char *b, const char *c)
{
	const char *expected[3] = {a, b, c};
	char text[32];

	for (int i = 0; i < 3; i++)
		assert_string_equal(act_cores_text(text, sizeof(text), &w.may[i]), expected[i]);
}

static void says(const char *text)
{
	if (!w.audit.s || !strstr(w.audit.s, text))
		fail_msg("expected '%s' in:\n%s", text, w.audit.s ? w.audit.s : "");
}

static void end(void)
{
	act_end(&w.act);
	may("0-3", "0-3", "0-3"); /* whatever happened */
	judge_release(&w.judge);
	rules_release(&w.rules);
	strbuf_release(&w.audit);
}

static void a_thread_is_moved_to_its_partner_and_stays_if_that_helped(void **state)
{
	(void)state;
	begin("move", "0123", 0);
	window(2000, 12);
	may("3", "0-3", "0-3"); /* core 3 is beside core 2 */
	says("move thread 11 (t0) of 10: from core 0 to 3: rate 2000 in 10 ms; lease 7");
	for (int i = 0; i < 3; i++)
		window(1600, 12);
	says("helped: rate 1600, before 2000");
	for (int i = 0; i < 10; i++)
		window(1600, 12); /* it goes on, and is not done again */
	may("3", "0-3", "0-3");
	end();
}

static void what_did_not_help_is_taken_back_and_not_tried_again(void **state)
{
	(void)state;
	begin("move", "0123", 0);
	window(2000, 12);
	window(1601, 12);
	window(1601, 12);
	may("3", "0-3", "0-3");
	window(1601, 12);
	may("0-3", "0-3", "0-3");
	says("taken back: rate 1601 in 300 ms, before 2000, wanted 20 % less; lease 7");
	for (int i = 0; i < 10; i++)
		window(2000, 12);
	may("0-3", "0-3", "0-3");
	end();
}

static void no_move_is_made_to_a_core_that_is_not_leased_or_no_nearer(void **state)
{
	(void)state;
	begin("move", "01", 0);
	window(2000, 12); /* core 1 is as far from core 2 as core 0 is */
	may("0-3", "0-3", "0-3");
	says("not done: no leased core is nearer to its partner");
	end();
	begin("move", "02", 0);
	window(2000, 0); /* nobody knows its partner: the core with the fewest threads */
	may("2", "0-3", "0-3");
	end();
}

static void partners_run_one_at_a_time_on_one_core(void **state)
{
	(void)state;
	begin("apart-in-time", "0123", 0);
	window(2000, 13);
	may("3", "0-3", "3");
	for (int i = 0; i < 3; i++)
		window(1900, 13);
	may("0-3", "0-3", "0-3");
	end();
	begin("apart-in-time", "0123", 0);
	window(2000, 0);
	says("not done: nobody knows its partner");
	may("0-3", "0-3", "0-3");
	end();
	begin("apart-in-time", "01", 0);
	window(2000, 13);
	says("not done: its partner's core is not leased");
	end();
}

static void fewer_cores_or_fewer_workers(void **state)
{
	(void)state;
	begin("reduce", "0123", 0);
	window(2000, 0);
	may("0-2", "0-2", "0-2");
	says("its process on cores 0-2");
	for (int i = 0; i < 3; i++)
		window(2000, 0);
	may("0-3", "0-3", "0-3");
	end();
	begin("reduce", "0123", 3);
	window(2000, 0);
	may("0-3", "0-3", "0-3");
	assert_int_equal(w.workers, 2);
	says("from 3 to 2 workers");
	for (int i = 0; i < 3; i++)
		window(2000, 0);
	assert_int_equal(w.workers, 3);
	end();
	begin("reduce", "0123", 2);
	window(2000, 0);
	assert_int_equal(w.workers, 2);
	says("not done: no fewer workers are allowed");
	end();
	begin("reduce", "1", 0);
	window(2000, 0);
	says("not done: one core is left");
	end();
}

static void a_lease_that_ends_takes_all_back_and_ends_acting(void **state)
{
	(void)state;
	begin("move", "0123", 0);
	window(2000, 12);
	may("3", "0-3", "0-3");
	w.leased = false;
	window(100, 12);
	may("0-3", "0-3", "0-3");
	says("taken back: the lease has ended");
	window(100, 12);
	window(2000, 12);
	may("0-3", "0-3", "0-3");
	end();
}

static void the_directory_cannot_tell_whether_a_move_helped(void **state)
{
	(void)state;
	w_event = "directory.b";
	begin("move", "0123", 0);
	window(2000, 12);
	says("not done: the directory counts by thread");
	end();
	begin("apart-in-time", "0123", 0);
	window(2000, 12);
	may("2", "2", "0-3"); /* that changes who comes between */
	end();
	w_event = "a.b";
}

static void what_is_refused_is_said_and_left(void **state)
{
	(void)state;
	begin("move", "0123", 0);
	w.refuses = true;
	window(2000, 12);
	says("not done: Operation not permitted");
	w.refuses = false;
	window(2000, 12);
	may("0-3", "0-3", "0-3");
	end();
}

static void sets_of_cores_are_ranges_and_may_be_cut(void **state)
{
	struct act_cores c = {{0}};
	char text[32], small[10];

	(void)state;
	assert_string_equal(act_cores_text(text, sizeof(text), &c), "");
	act_cores_add(&c, 1023);
	act_cores_add(&c, 63);
	act_cores_add(&c, 64);
	act_cores_add(&c, 0);
	act_cores_add(&c, 1024);
	assert_int_equal(act_cores_count(&c), 4);
	assert_string_equal(act_cores_text(text, sizeof(text), &c), "0,63-64,1023");
	assert_string_equal(act_cores_text(small, sizeof(small), &c), "0,63-64..");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_moved_to_its_partner_and_stays_if_that_helped),
		cmocka_unit_test(what_did_not_help_is_taken_back_and_not_tried_again),
		cmocka_unit_test(no_move_is_made_to_a_core_that_is_not_leased_or_no_nearer),
		cmocka_unit_test(partners_run_one_at_a_time_on_one_core),
		cmocka_unit_test(fewer_cores_or_fewer_workers),
		cmocka_unit_test(a_lease_that_ends_takes_all_back_and_ends_acting),
		cmocka_unit_test(the_directory_cannot_tell_whether_a_move_helped),
		cmocka_unit_test(what_is_refused_is_said_and_left),
		cmocka_unit_test(sets_of_cores_are_ranges_and_may_be_cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
