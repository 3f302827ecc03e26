/* SPDX-License-Identifier: MIT */
/* monitor/rules: texts that are none; each answer begins, holds between its limits, and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "monitor/rules/rules.h"

#define HEAD "perseus-rules 1\n"
#define MS   1000000u

static void refused(const char *text, const char *message)
{
	struct err err = ERR_INIT;
	struct rules r;

	assert_int_equal(rules_read(&r, "test", text, strlen(text), &err), -22);
	if (!strstr(err.msg, message))
		fail_msg("'%s', expected '%s'", err.msg, message);
}

static void a_text_that_is_none_is_refused_with_its_line(void **state)
{
	(void)state;
	refused("", "expected 'perseus-rules 1'");
	refused(HEAD "rules\n", "line 2: 'rules': expected rule");
	refused(HEAD "rule a b above 1 for 1 below 1 for 1 answer\n", "12 words");
	refused(HEAD "rule a b over 1 for 1 below 1 for 1 answer move\n", "'over' where 'above'");
	refused(HEAD "rule a b above x for 1 below 1 for 1 answer move\n", "'x' behind 'above'");
	refused(HEAD "rule a b above nan for 1 below 1 for 1 answer move\n", "'nan' behind 'above'");
	refused(HEAD "rule a b above 1 for -1 below 1 for 1 answer move\n", "'-1' behind 'for'");
	refused(HEAD "rule a b above 1 for 1 below 2 for 1 answer move\n", "below 2 is not below above 1");
	refused(HEAD "rule a b above 0 for 1 below 0 for 1 answer move\n", "below 0 is not below above 0");
	refused(HEAD "rule a b above 1 for 1 below 1 for 1 answer stop\n", "'stop' is no answer");
	refused(HEAD "rule a b above 1 for 1 below 1 for 1 answer move helps 101 within 1\n",
		"'101' behind 'helps'");
	refused(HEAD "rule a b above 1 for 1 below 1 for 1 answer move helps 1 in 1\n",
		"'in' where 'within'");
	refused(HEAD "rule a b above 1 for 1 below 1 for 1 answer move\n"
		     "rule a c above 1 for 1 below 1 for 1 answer move\n",
		"line 3: rule 'a' stands twice");
}

static void the_rules_that_are_in_the_program_have_all_answers_and_look_at_known_events(void **state)
{
	bool has[RULE_ANSWERS] = {false};
	struct err err = ERR_INIT;
	struct rules r;

	(void)state;
	assert_int_equal(rules_builtin(&r, &err), 0);
	for (size_t i = 0; i < r.n; i++) {
		has[r.at[i].answer] = true;
		assert_true(!strncmp(r.at[i].event, "directory.", 10) ||
			    !strncmp(r.at[i].event, "coherence.", 10));
		assert_true(r.at[i].below < r.at[i].above && r.at[i].within_ns > 0);
	}
	for (size_t i = 0; i < RULE_ANSWERS; i++)
		assert_true(has[i]);
	rules_release(&r);
}

/* ---- windows of 100 ms -------------------------------------------------------------------- */

struct course {
	struct rules rules;
	struct counts_events events;
	struct judge judge;
	uint64_t ns;
};

static void begin(struct course *c, const char *answer)
{
	static char *names[] = {(char *)"x.other", (char *)"a.b"};
	struct err err = ERR_INIT;
	char text[256];
	int n = snprintf(text, sizeof(text),
			 HEAD "rule r a.b above 1000 for 200 below 500 for 300 answer %s\n"
			      "rule blind no.such above 1 for 0 below 1 for 0 answer move\n",
			 answer);

	c->ns = 1000 * (uint64_t)MS;
	assert_int_equal(rules_read(&c->rules, "test", text, (size_t)n, &err), 0);
	c->events = (struct counts_events){names, 2, 2};
	judge_init(&c->judge, &c->rules, &c->events);
}

static void end(struct course *c)
{
	judge_release(&c->judge);
	rules_release(&c->rules);
}

/* One more window in which thread 5 had @rate +- @error; thread 6, its partner, is quiet. */
static void window(struct course *c, double rate, double error)
{
	struct counts_thread threads[2] = {{.pid = 1, .tid = 5, .partner = 6, .core = 1, .name = "worker"},
					   {.pid = 1, .tid = 6, .core = 0, .name = "other"}};
	struct rate at[4] = {{0, 0, 0, 1}, {rate * 10, rate, error, 1}, {9e9, 9e9, 0, 1}, {0, 1, 0, 1}};
	struct rates r = {.ns = c->ns += 100 * MS, .seconds = 0.1, .n_events = 2};

	r.threads.at = threads;
	r.threads.n = 2;
	r.at.at = at;
	r.at.n = 4;
	judge_window(&c->judge, &r);
}

/* "" nothing, "b" begun, "h" holds, "e" ended. */
static void is(struct course *c, double rate, double error, const char *expected)
{
	const char *found = "";

	window(c, rate, error);
	for (size_t i = 0; i < c->judge.advice.n; i++) {
		const struct advice *a = &c->judge.advice.at[i];

		if (a->begun || a->ended || advice_holds(a)) {
			assert_string_equal(found, "");
			assert_string_equal(a->is.name, "worker");
			assert_string_equal(a->partner, "other");
			found = a->begun ? "b" : a->ended ? "e" : "h";
		}
	}
	if (strcmp(found, expected))
		fail_msg("rate %g at %lu ms: '%s', expected '%s'", rate, (unsigned long)(c->ns / MS), found,
			 expected);
}

static void each_answer_begins_holds_between_the_limits_and_ends(void **state)
{
	(void)state;
	for (enum rule_answer answer = 0; answer < RULE_ANSWERS; answer++) {
		struct course c;

		begin(&c, rule_words[answer]);
		is(&c, 999, 0, "");
		is(&c, 1000, 0, "");
		is(&c, 999, 0, ""); /* broken: from the beginning */
		is(&c, 1000, 0, "");
		is(&c, 5000, 0, "b");
		assert_int_equal(c.judge.advice.at[0].rule->answer, answer);
		is(&c, 700, 0, "h"); /* between: nothing changes */
		is(&c, 500, 0, "h");
		is(&c, 499, 0, "h");
		is(&c, 499, 0, "h");
		is(&c, 500, 0, "h"); /* broken */
		is(&c, 0, 0, "h");
		is(&c, 0, 0, "h");
		is(&c, 0, 0, "e");
		is(&c, 0, 0, "");
		is(&c, 2000, 0, "");
		is(&c, 2000, 0, "b"); /* it can begin again */
		end(&c);
	}
}

static void what_is_not_known_surely_begins_nothing_and_ends_nothing(void **state)
{
	struct course c;

	(void)state;
	begin(&c, "move");
	for (int i = 0; i < 5; i++)
		is(&c, 1500, 501, ""); /* its lower end is below */
	for (int i = 0; i < 5; i++)
		is(&c, 1500, RATE_UNKNOWN, "");
	for (int i = 0; i < 5; i++)
		is(&c, RATE_UNKNOWN, RATE_UNKNOWN, "");
	is(&c, 1500, 500, "");
	is(&c, 1500, 500, "b");
	for (int i = 0; i < 5; i++)
		is(&c, 400, 100, "h"); /* its upper end is not below */
	for (int i = 0; i < 5; i++)
		is(&c, 0, RATE_UNKNOWN, "h");
	is(&c, 400, 99, "h");
	is(&c, 400, 99, "h");
	is(&c, 400, 99, "e");
	end(&c);
}

static void a_thread_that_ended_ends_its_advice(void **state)
{
	struct rates none = {.n_events = 2, .seconds = 0.1};
	struct course c;

	(void)state;
	begin(&c, "move");
	is(&c, 2000, 0, "");
	is(&c, 2000, 0, "b");
	none.ns = c.ns += 100 * MS;
	judge_window(&c.judge, &none);
	assert_int_equal(c.judge.advice.n, 1);
	assert_true(c.judge.advice.at[0].ended);
	none.ns = c.ns += 100 * MS;
	judge_window(&c.judge, &none);
	assert_int_equal(c.judge.advice.n, 0);
	end(&c);
}

static void a_rule_whose_event_nobody_counts_cannot_be_judged(void **state)
{
	struct course c;

	(void)state;
	begin(&c, "move");
	assert_true(judge_can(&c.judge, &c.rules.at[0]));
	assert_false(judge_can(&c.judge, &c.rules.at[1]));
	end(&c);
}

static void the_id_is_of_names_alone(void **state)
{
	char first[24] = "";

	(void)state;
	for (int run = 0; run < 2; run++) {
		struct course c;

		begin(&c, run ? "reduce" : "move");
		window(&c, run ? 3000 : 2000, 0);
		assert_true(!strncmp(c.judge.advice.at[0].id, "rate-", 5));
		if (run)
			assert_string_equal(first, c.judge.advice.at[0].id);
		strcpy(first, c.judge.advice.at[0].id);
		end(&c);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_that_is_none_is_refused_with_its_line),
		cmocka_unit_test(the_rules_that_are_in_the_program_have_all_answers_and_look_at_known_events),
		cmocka_unit_test(each_answer_begins_holds_between_the_limits_and_ends),
		cmocka_unit_test(what_is_not_known_surely_begins_nothing_and_ends_nothing),
		cmocka_unit_test(a_thread_that_ended_ends_its_advice),
		cmocka_unit_test(a_rule_whose_event_nobody_counts_cannot_be_judged),
		cmocka_unit_test(the_id_is_of_names_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
