/* SPDX-License-Identifier: MIT */
/* Numbers of triggers outlast changes elsewhere in the plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/mem.h"
#include "planner/result/number.h"

#define NOBODY 0xffffffffu

/* Eight workers, created one after the other at site 0, and two calls at which they may change. */
static void make(struct plan *p)
{
	*p = (struct plan){.n_threads = 9, .n_sites = 3};
	p->threads = mem_new(p->n_threads, sizeof(*p->threads));
	p->sites = mem_new(p->n_sites, sizeof(*p->sites));
	for (uint32_t i = 0; i < p->n_threads; i++)
		p->threads[i] = (struct plan_thread){.creator = i ? 0 : PLAN_NONE,
						     .create_site = i ? 0 : PLAN_NONE,
						     .ordinal = i ? i - 1 : 0,
						     .core = PLAN_NONE};
	for (uint32_t i = 0; i < p->n_sites; i++) {
		char id[24];

		snprintf(id, sizeof(id), "%016x", 0x1000u + i);
		p->sites[i] = (struct plan_site){.id = mem_strdup(id), .instance = mem_strdup("00000000")};
	}
}

static void add(struct plan *p, enum plan_point at, uint32_t thread, uint32_t site, uint32_t first,
		uint32_t every)
{
	p->triggers = mem_resize(p->triggers, p->n_triggers + 1, sizeof(*p->triggers));
	p->triggers[p->n_triggers++] = (struct plan_trigger){.at = at,
							     .thread = thread,
							     .site = at == PLAN_AT_CALL ? site : PLAN_NONE,
							     .after = at == PLAN_AT_CALL,
							     .first = first,
							     .every = every};
}

static void add_call(struct plan *p, uint32_t thread, uint32_t site, uint32_t first)
{
	add(p, PLAN_AT_CALL, thread, site, first, 0);
}

/* Program start, and @visits visits of each of the calls by all workers but @without. */
static void fill(struct plan *p, uint32_t visits, uint32_t without)
{
	add(p, PLAN_AT_PROGRAM_START, 0, PLAN_NONE, 0, 0);
	for (uint32_t v = 1; v <= visits; v++)
		for (uint32_t t = 1; t < 9; t++)
			for (uint32_t s = 1; t != without && s < 3; s++)
				add_call(p, t, s, v);
}

/* Number of the trigger of worker @thread at @site on visit @first; 0: there is none. */
static uint32_t number_of(const struct plan *p, uint32_t thread, uint32_t site, uint32_t first)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].at == PLAN_AT_CALL && p->triggers[i].thread == thread &&
		    p->triggers[i].site == site && p->triggers[i].first == first)
			return p->triggers[i].number;
	return 0;
}

static uint32_t lowest_at(const struct plan *p, uint32_t site)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].at == PLAN_AT_CALL && p->triggers[i].site == site)
			return p->triggers[i].number;
	return 0;
}

/* How many triggers at calls that both plans have changed their numbers. */
static unsigned changed(const struct plan *a, const struct plan *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < a->n_triggers; i++) {
		const struct plan_trigger *t = &a->triggers[i];
		uint32_t other = t->at == PLAN_AT_CALL ? number_of(b, t->thread, t->site, t->first) : 0;

		n += other && other != t->number;
	}
	return n;
}

static void check_numbers(const struct plan *p)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		assert_in_range(p->triggers[i].number, 1, NUMBER_MAX);
		if (i)
			assert_true(p->triggers[i].number > p->triggers[i - 1].number);
	}
}

static void numbers_are_unique_and_ascend(void **state)
{
	struct plan p;

	(void)state;
	make(&p);
	fill(&p, 20, NOBODY);
	number_triggers(&p);
	assert_int_equal(p.n_triggers, 1 + 20 * 8 * 2);
	check_numbers(&p);
	plan_release(&p);
}

static void no_trigger_has_no_number(void **state)
{
	struct plan p;

	(void)state;
	make(&p);
	number_triggers(&p);
	assert_int_equal(p.n_triggers, 0);
	plan_release(&p);
}

static void the_order_in_which_they_were_found_does_not_matter(void **state)
{
	struct plan a, b;

	(void)state;
	make(&a);
	make(&b);
	fill(&a, 10, NOBODY);
	fill(&b, 10, NOBODY);
	for (size_t i = 0; i < b.n_triggers / 2; i++) {
		struct plan_trigger t = b.triggers[i];

		b.triggers[i] = b.triggers[b.n_triggers - 1 - i];
		b.triggers[b.n_triggers - 1 - i] = t;
	}
	number_triggers(&a);
	number_triggers(&b);
	for (size_t i = 0; i < a.n_triggers; i++)
		assert_memory_equal(&a.triggers[i], &b.triggers[i], sizeof(a.triggers[i]));
	plan_release(&a);
	plan_release(&b);
}

static void one_more_trigger_leaves_the_others_their_numbers(void **state)
{
	struct plan a, b;

	(void)state;
	for (uint32_t thread = 1; thread < 9; thread++) {
		make(&a);
		make(&b);
		fill(&a, 4, NOBODY);
		fill(&b, 4, NOBODY);
		add_call(&b, thread, 2, 77);
		number_triggers(&a);
		number_triggers(&b);
		assert_int_not_equal(number_of(&b, thread, 2, 77), 0);
		assert_int_equal(changed(&a, &b), 0);
		plan_release(&a);
		plan_release(&b);
	}
}

static void a_thread_less_takes_its_own_numbers_only(void **state)
{
	struct plan a, b;

	(void)state;
	make(&a);
	make(&b);
	fill(&a, 4, NOBODY);
	fill(&b, 4, 5);
	number_triggers(&a);
	number_triggers(&b);
	assert_int_equal(changed(&a, &b), 0);
	plan_release(&a);
	plan_release(&b);
}

/* The function of a call keeps its name; who came first is one of the others now. */
static void a_new_first_trigger_of_a_call_moves_one_other_alone(void **state)
{
	struct plan a, b;

	(void)state;
	make(&a);
	make(&b);
	fill(&a, 4, 1);
	fill(&b, 4, 1);
	add_call(&b, 1, 2, 3);
	number_triggers(&a);
	number_triggers(&b);
	assert_int_equal(changed(&a, &b), 1);
	assert_int_not_equal(number_of(&a, 2, 2, 1), number_of(&b, 2, 2, 1));
	assert_int_equal(number_of(&a, 2, 2, 1), number_of(&b, 1, 2, 3));
	assert_int_equal(lowest_at(&a, 2), lowest_at(&b, 2));
	assert_int_equal(lowest_at(&a, 1), lowest_at(&b, 1));
	plan_release(&a);
	plan_release(&b);
}

static void a_thread_before_changes_indices_but_no_number(void **state)
{
	struct plan a, b;
	uint32_t before[3];

	(void)state;
	make(&a);
	make(&b);
	for (uint32_t s = 1; s < 3; s++) {
		add_call(&a, 4, s, 1);
		add_call(&a, 5, s, 1);
		/* The same two workers behind one that another site creates. */
		add_call(&b, 5, s, 1);
		add_call(&b, 6, s, 1);
	}
	b.threads[1].create_site = 1;
	for (uint32_t i = 2; i < b.n_threads; i++)
		b.threads[i].ordinal = i - 2;
	number_triggers(&a);
	number_triggers(&b);
	before[1] = number_of(&a, 5, 1, 1);
	before[2] = number_of(&a, 5, 2, 1);
	assert_int_equal(number_of(&b, 6, 1, 1), before[1]);
	assert_int_equal(number_of(&b, 6, 2, 1), before[2]);
	assert_int_equal(number_of(&b, 5, 1, 1), number_of(&a, 4, 1, 1));
	plan_release(&a);
	plan_release(&b);
}

static void what_is_set_and_how_often_is_no_part_of_the_number(void **state)
{
	struct plan a, b;

	(void)state;
	make(&a);
	make(&b);
	add_call(&a, 1, 1, 1);
	add_call(&a, 2, 1, 1);
	add(&b, PLAN_AT_CALL, 1, 1, 1, 4);
	add(&b, PLAN_AT_CALL, 2, 1, 1, 6);
	b.triggers[1].actions = mem_new(1, sizeof(struct plan_action));
	b.triggers[1].n_actions = 1;
	number_triggers(&a);
	number_triggers(&b);
	assert_int_equal(changed(&a, &b), 0);
	plan_release(&a);
	plan_release(&b);
}

/* The twin: thread, visit, call, side and copy of the call are all of it. */
static void another_trigger_has_another_number(void **state)
{
	struct plan p, other;

	(void)state;
	make(&p);
	for (uint32_t t = 1; t < 4; t++)
		for (uint32_t s = 1; s < 3; s++)
			for (uint32_t v = 1; v < 3; v++)
				add_call(&p, t, s, v);
	number_triggers(&p);
	check_numbers(&p);
	make(&other);
	free(other.sites[1].instance);
	other.sites[1].instance = mem_strdup("12345678");
	add_call(&other, 1, 1, 1);
	number_triggers(&other);
	assert_int_not_equal(number_of(&other, 1, 1, 1), number_of(&p, 1, 1, 1));
	other.triggers[0].after = false;
	other.triggers[0].site = 2;
	number_triggers(&other);
	assert_int_not_equal(number_of(&other, 1, 2, 1), number_of(&p, 1, 2, 1));
	plan_release(&p);
	plan_release(&other);
}

static void many_triggers_share_the_numbers_and_few_give_way(void **state)
{
	struct plan a, b;

	(void)state;
	make(&a);
	make(&b);
	fill(&a, 125, NOBODY); /* 2001 triggers: hundreds of numbers are asked for twice */
	fill(&b, 125, NOBODY);
	add_call(&b, 3, 1, 1000);
	number_triggers(&a);
	number_triggers(&b);
	check_numbers(&a);
	check_numbers(&b);
	assert_in_range(changed(&a, &b), 0, 4);
	plan_release(&a);
	plan_release(&b);
}

static void as_many_as_there_are_numbers_get_one_each(void **state)
{
	struct plan p;

	(void)state;
	make(&p);
	for (uint32_t i = 0; i < NUMBER_MAX; i++)
		add_call(&p, 1 + i % 8, 1, 1 + i / 8);
	number_triggers(&p);
	check_numbers(&p);
	assert_int_equal(p.triggers[0].number, 1);
	assert_int_equal(p.triggers[NUMBER_MAX - 1].number, NUMBER_MAX);
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_unique_and_ascend),
		cmocka_unit_test(no_trigger_has_no_number),
		cmocka_unit_test(the_order_in_which_they_were_found_does_not_matter),
		cmocka_unit_test(one_more_trigger_leaves_the_others_their_numbers),
		cmocka_unit_test(a_thread_less_takes_its_own_numbers_only),
		cmocka_unit_test(a_new_first_trigger_of_a_call_moves_one_other_alone),
		cmocka_unit_test(a_thread_before_changes_indices_but_no_number),
		cmocka_unit_test(what_is_set_and_how_often_is_no_part_of_the_number),
		cmocka_unit_test(another_trigger_has_another_number),
		cmocka_unit_test(many_triggers_share_the_numbers_and_few_give_way),
		cmocka_unit_test(as_many_as_there_are_numbers_get_one_each),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
