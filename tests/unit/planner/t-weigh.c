/* SPDX-License-Identifier: MIT */
/* Layouts weighed against placement. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "planner/weigh.h"
#include "small.h"

#define MOST 8

static const struct planner_options quick = {.seed = 1, .worth_set = true, .threads = 1, .evaluations = 2000};

struct made {
	struct platform pf;
	struct maker k;
	struct plan_layout at[MOST];
	struct plan from;
	struct weighing w;
};

/* Variable @i, aligned for @evidence, takes @bytes more. */
static struct plan_layout variable(uint32_t i, char *evidence, uint64_t bytes)
{
	static char names[MOST][2] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	static char file[] = "v.c";

	return (struct plan_layout){.kind = PLAN_LAYOUT_VARIABLE,
				    .variable = names[i],
				    .file = file,
				    .line = i + 1,
				    .align = 64,
				    .size = 64 - bytes,
				    .size_after = 64,
				    .bytes = bytes,
				    .evidence = evidence};
}

/* A program of @n threads and @conflicts conflicts, and a layout for each of them. */
static void make(struct made *x, uint64_t seed, uint32_t n, uint32_t conflicts)
{
	struct rng rng = rng_keyed(seed, 7, 0, 0);

	*x = (struct made){.from = {.n_layouts = conflicts}};
	small_platform(&x->pf, 2, 1, 2, 1, CLOCK_ALL);
	small_model(&x->k, &rng, n, conflicts, 2);
	for (uint32_t i = 0; i < conflicts; i++)
		x->at[i] = variable(i, x->k.m.conflicts[i].evidence, 8 + rng_below(&rng, 50));
	x->from.layouts = x->at;
}

static void weigh(struct made *x, const struct weigh_options *limits)
{
	assert_int_equal(weigh_run(&x->w, &x->k.m, &x->pf, &x->from, &quick, limits, NULL), 0);
}

static void release(struct made *x)
{
	weigh_release(&x->w);
	model_release(&x->k.m);
	platform_release(&x->pf);
}

/* What the planner reaches without the conflicts of @set, made here. */
static uint64_t reached(const struct made *x, uint64_t set)
{
	struct model m = x->k.m;
	struct planner p;
	uint64_t time;

	m.conflicts = mem_new(m.n_conflicts + 1, sizeof(*m.conflicts));
	m.n_conflicts = 0;
	for (uint32_t i = 0; i < x->k.m.n_conflicts; i++)
		if (!(set >> i & 1))
			m.conflicts[m.n_conflicts++] = x->k.m.conflicts[i];
	assert_int_equal(planner_run(&p, &m, &x->pf, &quick, NULL), 0);
	time = p.out.verdict == PLANNER_GAIN ? p.out.best_ev.total.time_ns : p.out.base_ev.total.time_ns;
	planner_release(&p);
	free(m.conflicts);
	return time;
}

static uint64_t bytes_of(const struct made *x, uint64_t set)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < x->from.n_layouts; i++)
		sum += set >> i & 1 ? x->at[i].bytes : 0;
	return sum;
}

/* Each point of the front has the least time that its bytes buy, tried one set after the other. */
static void compare_front(const struct made *x, uint64_t most)
{
	uint64_t n = x->from.n_layouts, least_of_all = UINT64_MAX, last = UINT64_MAX;
	struct weigh_point at;

	for (size_t i = 0; weigh_front(&x->w, i, &at); i++) {
		uint64_t least = UINT64_MAX;

		assert_true(!most || at.bytes <= most);
		assert_true(at.time_ns < last);
		for (uint64_t set = 0; set < 1ull << n; set++) {
			uint64_t time = reached(x, set), bytes = bytes_of(x, set);

			least = bytes <= at.bytes && time < least ? time : least;
			if ((!most || bytes <= most) && time < least_of_all)
				least_of_all = time;
		}
		assert_int_equal(at.time_ns, least);
		last = at.time_ns;
	}
	assert_int_equal(last, least_of_all);
}

static void the_front_is_that_of_all_sets(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct made x;

		make(&x, seed, 4, 3);
		weigh(&x, &(struct weigh_options){0});
		assert_true(x.w.exact);
		assert_false(x.w.rises);
		compare_front(&x, 0);
		release(&x);
	}
}

static void bytes_are_kept_within_their_limit(void **state)
{
	uint32_t cut = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct made x;
		uint64_t most;

		make(&x, seed, 4, 3);
		most = (x.at[0].bytes + x.at[1].bytes + x.at[2].bytes) / 2;
		weigh(&x, &(struct weigh_options){.max_bytes = most});
		assert_true(weigh_bytes(&x.w, x.w.chosen) <= most);
		assert_true(weigh_bytes(&x.w, x.w.padding) <= most);
		compare_front(&x, most);
		for (uint32_t i = 0; i < x.w.n_items; i++)
			cut += x.w.items[i].fate == WEIGH_NO_ROOM || x.w.items[i].fate == WEIGH_BYTES;
		release(&x);
	}
	assert_true(cut > 0);
}

static void what_ends_no_conflict_is_not_taken(void **state)
{
	static char other[] = "share-999999";
	struct made x;

	(void)state;
	for (int with = 0; with < 2; with++) {
		make(&x, 2, 2, 1);
		x.k.m.conflicts[0].a.accesses_per_kcycle = x.k.m.conflicts[0].b.accesses_per_kcycle = 80;
		x.at[0].evidence = with ? x.k.m.conflicts[0].evidence : other;
		weigh(&x, &(struct weigh_options){0});
		assert_int_equal(x.w.items[0].fate, with ? WEIGH_TAKEN : WEIGH_NO_CONFLICT);
		assert_int_equal(x.w.model.n_conflicts, with ? 0 : 1);
		release(&x);
	}
}

static void no_sharing_run_gives_no_layouts(void **state)
{
	struct made x;

	(void)state;
	make(&x, 3, 3, 2);
	for (size_t i = 0; i < x.k.m.n_conflicts; i++) {
		x.at[i].evidence = mem_strdup(x.k.m.conflicts[i].evidence);
		x.k.m.conflicts[i].is_false = false; /* true sharing is nothing that a layout ends */
	}
	weigh(&x, &(struct weigh_options){0});
	assert_int_equal(x.w.n_open, 0);
	assert_int_equal(x.w.chosen, 0);
	weigh_release(&x.w);
	for (size_t i = 0; i < x.k.m.n_conflicts; i++)
		x.k.m.conflicts[i].is_false = true;
	weigh(&x, &(struct weigh_options){0});
	assert_int_equal(x.w.n_open, 2);
	for (size_t i = 0; i < x.k.m.n_conflicts; i++)
		free(x.at[i].evidence);
	release(&x);
}

static void what_saves_next_to_nothing_is_not_taken(void **state)
{
	struct planner_options careful = quick;
	struct made x;

	(void)state;
	careful.worth_set = false; /* 0.05 % */
	for (int much = 0; much < 2; much++) {
		make(&x, 2, 2, 1);
		x.k.m.conflicts[0].a.accesses_per_kcycle = x.k.m.conflicts[0].b.accesses_per_kcycle =
			much ? 80 : 0.0002;
		assert_int_equal(
			weigh_run(&x.w, &x.k.m, &x.pf, &x.from, &careful, &(struct weigh_options){0}, NULL),
			0);
		assert_int_equal(x.w.items[0].fate, much ? WEIGH_TAKEN : WEIGH_NO_WORTH);
		release(&x);
	}
}

/* Fields of one type have its size with both, so they are one item; those of two types are two. */
static void layouts_of_one_type_go_together(void **state)
{
	static char type[] = "stats", second[] = "counts", names[2][8] = {"rx", "tx"};
	struct made x;

	(void)state;
	for (int same = 0; same < 2; same++) {
		make(&x, 4, 4, 2);
		for (uint32_t i = 0; i < 2; i++) {
			x.at[i].kind = PLAN_LAYOUT_FIELD;
			x.at[i].type = i && !same ? second : type;
			x.at[i].field = names[i];
			x.at[i].size = 16;
			x.at[i].size_after = 192;
			x.at[i].bytes = 88;
		}
		weigh(&x, &(struct weigh_options){0});
		assert_int_equal(x.w.n_items, same ? 1 : 2);
		assert_int_equal(x.w.items[0].bytes, same ? 176 : 88);
		assert_int_equal(x.w.items[0].before, same ? 16 : 0); /* half an object is none */
		release(&x);
	}
}

static void what_leaves_a_cache_is_taken_only_if_asked(void **state)
{
	struct made x;

	(void)state;
	for (int any = 0; any < 3; any++) {
		make(&x, 2, 2, 1);
		x.k.m.conflicts[0].a.accesses_per_kcycle = x.k.m.conflicts[0].b.accesses_per_kcycle = 80;
		x.at[0].size = 8 << 10;
		x.at[0].size_after = (8 << 10) + 56;
		x.at[0].bytes = 56;
		x.pf.core_cache_bytes = any < 2 ? 8 << 10 : 9 << 10;
		weigh(&x, &(struct weigh_options){.any_cache = any == 1});
		assert_int_equal(x.w.items[0].fate, any ? WEIGH_TAKEN : WEIGH_CACHE);
		assert_int_equal(x.w.items[0].cache, any < 2 ? 8 << 10 : 0);
		release(&x);
	}
}

/* Above WEIGH_EXACT items are taken one after the other; the set of all is searched all the same. */
static void many_items_are_taken_in_turn(void **state)
{
	static char names[16][8], ids[16][16];
	struct plan_layout at[16];
	struct made x;

	(void)state;
	make(&x, 5, 5, 4);
	for (uint32_t i = 0; i < 13; i++) {
		maker_conflict(&x.k, 1 + i % 4, 2 + i % 4, 5 + i);
		snprintf(names[i], sizeof(names[i]), "v%u", i);
		snprintf(ids[i], sizeof(ids[i]), "%s", x.k.m.conflicts[x.k.m.n_conflicts - 1].evidence);
		at[i] = variable(0, ids[i], 8 + i);
		at[i].variable = names[i];
	}
	x.from = (struct plan){.layouts = at, .n_layouts = 13};
	weigh(&x, &(struct weigh_options){0});
	assert_int_equal(x.w.n_open, 13);
	assert_false(x.w.exact);
	assert_true(x.w.points.n >= 13);
	assert_true(x.w.points.at[1].time_ns <= x.w.points.at[0].time_ns);
	release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_front_is_that_of_all_sets),
		cmocka_unit_test(bytes_are_kept_within_their_limit),
		cmocka_unit_test(what_ends_no_conflict_is_not_taken),
		cmocka_unit_test(no_sharing_run_gives_no_layouts),
		cmocka_unit_test(what_saves_next_to_nothing_is_not_taken),
		cmocka_unit_test(layouts_of_one_type_go_together),
		cmocka_unit_test(what_leaves_a_cache_is_taken_only_if_asked),
		cmocka_unit_test(many_items_are_taken_in_turn),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
