/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/sharing/sharing.h"

#define MANY  200000000ull /* accesses */
#define MOVES 60000u

/* Two threads that run at the same time for a second. */
static struct fake *two_threads(void)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1010);

	fake_main(f, 1);
	fake_create(f, 0, 0, 5, 1005, 1000, 1);
	fake_create(f, 0, 1, 5, 1005, 1000, 1);
	return f;
}

static void judge(struct sharing_report *rep, const struct fake *f, const struct platform *pf)
{
	struct sharing_opts opts = {.platform = pf};
	struct err err = ERR_INIT;

	if (sharing_make(rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
}

/* Thread 1 counts stats.rx, thread 2 stats.tx; @apart bytes more lie between them. */
static struct fake *counters(uint64_t apart)
{
	struct fake *f = two_threads();
	uint32_t moves = apart >= 64 ? 0 : MOVES;

	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, moves, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8 + apart, MANY, moves, 1);
	return f;
}

static void packed_fields_are_false_sharing(void **state)
{
	struct fake *f = counters(0);
	struct sharing_report rep;
	const struct sharing_finding *x;

	(void)state;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	x = &rep.findings[0];
	assert_int_equal(x->verdict, SHARING_FALSE);
	assert_true(x->significant);
	assert_int_equal(rep.n_false_significant, 1);
	assert_string_equal(x->subject, "stats.rx/tx");
	assert_string_equal(x->object, "`stats`, struct traffic, 16 bytes, global, src/net.c:21");
	assert_int_equal(x->pad_bytes, 56);
	assert_int_equal(x->n_pairs, 1);
	assert_string_equal(x->pairs[0].a.site->pretty, "rx_thread");
	assert_string_equal(x->pairs[0].b.site->pretty, "tx_thread");
	assert_int_equal(x->pairs[0].a.kind, PRS_KIND_RMW);
	assert_float_equal(x->pairs[0].a.per_kcycle, 200, 0.01);
	assert_int_equal(x->transfers, 2 * MOVES);
	assert_non_null(strstr(rep.unpriced_why, "perseus calibrate"));
	sharing_release(&rep);
	fake_free(f);
}

static void padded_fields_are_nothing(void **state)
{
	struct fake *f = counters(64);
	struct sharing_report rep;

	(void)state;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 0);
	sharing_release(&rep);
	fake_free(f);
}

/* Thread 1 touches rx and reads tx, thread 2 writes tx. */
static void field_that_both_use_is_true_sharing(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES / 2, 2);
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS + 8, MANY, MOVES / 2, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_TRUE);
	assert_string_equal(rep.findings[0].subject, "stats.tx");
	assert_true(rep.findings[0].significant);
	assert_int_equal(rep.n_false_significant, 0);
	assert_int_equal(rep.findings[0].pad_bytes, 0);
	sharing_release(&rep);
	fake_free(f);
}

/* The same, but thread 1 looks at tx once in a hundred times only. */
static void rare_common_field_does_not_hide_false_sharing(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS + 8, MANY / 100, MOVES / 100, 2)->watched = 5;
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_FALSE);
	sharing_release(&rep);
	fake_free(f);
}

/* One word that both add to, and beside it one that each has alone: thread 1 rx, thread 2 tx. */
static void word_of_both_beside_words_of_each_is_both(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_LEFT, ADDR_STATS + 16, MANY, MOVES, 2)->kind = PRS_KIND_RMW;
	fake_line(f, 2, MEM_RIGHT, ADDR_STATS + 16, MANY, MOVES, 1)->kind = PRS_KIND_RMW;
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 2);
	for (size_t i = 0; i < 2; i++) {
		bool is_false = rep.findings[i].verdict == SHARING_FALSE;

		assert_true(is_false || rep.findings[i].verdict == SHARING_TRUE);
		assert_int_equal(is_false, !strcmp(rep.findings[i].subject, "stats.rx/tx"));
		assert_int_equal(rep.findings[i].transfers, 2 * MOVES);
	}
	assert_int_not_equal(rep.findings[0].verdict, rep.findings[1].verdict);
	sharing_release(&rep);
	fake_free(f);
}

/* The words of each lie in another line than that of both. */
static void word_of_both_alone_is_true_sharing_only(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_TOTAL, ADDR_TOTAL, MANY, MOVES, 2);
	fake_line(f, 2, MEM_TOTAL, ADDR_TOTAL, MANY, MOVES, 1);
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_TRUE);
	sharing_release(&rep);
	fake_free(f);
}

/* What was allocated later at the same place is another object, though site and line are the same. */
static void generations_of_a_line_are_told_apart(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1)->generation = 5;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 0);
	sharing_release(&rep);
	fake_free(f);
}

static void same_word_is_true_sharing(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_TOTAL, ADDR_TOTAL, MANY, MOVES, 2);
	fake_line(f, 2, MEM_TOTAL, ADDR_TOTAL, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_TRUE);
	assert_string_equal(rep.findings[0].subject, "total");
	assert_int_equal(rep.findings[0].pairs[0].a.kind, PRS_KIND_ATOMIC);
	/* As many as the plain increments of others, but none takes less than six cycles. */
	assert_float_equal(rep.findings[0].pairs[0].a.per_kcycle, 1000.0 / 6, 0.01);
	sharing_release(&rep);
	fake_free(f);
}

static void readers_do_not_conflict(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS + 8, MANY, 40, 2);
	fake_line(f, 2, MEM_READ_RX, ADDR_STATS, MANY, 40, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 0);
	sharing_release(&rep);
	fake_free(f);
}

/* main fills what the thread then uses: a few transfers. */
static void hand_over_is_folded_away(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 0, MEM_TX, ADDR_STATS + 8, 5000, 2, 1);
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, 3, 0);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 0);
	assert_int_equal(rep.handovers, 1);
	sharing_release(&rep);
	fake_free(f);
}

/*
 * Two busy threads on a machine that seldom runs both: the line moves ten
 * times only, and no synchronisation explains it.
 */
static void few_transfers_of_two_busy_threads_are_no_hand_over(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, 6, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, 6, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_true(rep.findings[0].significant);
	sharing_release(&rep);
	fake_free(f);
}

/* @moves transfers to each of two busy threads that got a core a hundred times. */
static struct fake *by_turns(uint32_t moves)
{
	struct fake *f = two_threads();

	f->raw[1].switches = f->raw[2].switches = 100;
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, moves, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, moves, 1);
	return f;
}

/* Each transfer came with a switch: they were never at the line together, and had the cores for it. */
static void threads_that_take_turns_are_no_candidate(void **state)
{
	struct fake *turns = by_turns(100), *met = by_turns(3000);
	struct sharing_report rep;

	(void)state;
	judge(&rep, turns, NULL);
	assert_int_equal(rep.n, 1);
	assert_true(rep.findings[0].pairs[0].by_turns);
	assert_false(rep.findings[0].significant);
	assert_int_equal(rep.doubts.n, 0);
	sharing_release(&rep);
	judge(&rep, met, NULL);
	assert_false(rep.findings[0].pairs[0].by_turns);
	assert_true(rep.findings[0].significant);
	sharing_release(&rep);
	fake_free(turns);
	fake_free(met);
}

/* Where others had the cores, turns are the machine's. */
static void turns_on_a_busy_machine_say_nothing(void **state)
{
	struct fake *f = by_turns(100);
	struct sharing_report rep;

	(void)state;
	f->raw[1].cpu_end_ns = f->raw[2].cpu_end_ns = 300 * MS;
	judge(&rep, f, NULL);
	assert_false(rep.findings[0].pairs[0].by_turns);
	assert_true(rep.findings[0].significant);
	assert_non_null(strstr(rep.doubts.at[0], "(the machine was busy)"));
	sharing_release(&rep);
	fake_free(f);
}

static void no_more_transfers_than_accesses_are_told(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, 50, 90, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, 50, 90, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_true((double)rep.findings[0].transfers <=
		    rep.findings[0].pairs[0].a.accesses + rep.findings[0].pairs[0].b.accesses);
	sharing_release(&rep);
	fake_free(f);
}

/* One thread comes ten times to a line that the other uses all the time: it moves there and back as often. */
static void who_comes_seldom_bounds_the_transfers(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;
	struct prs_line *often, *seldom;

	(void)state;
	often = fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, 90, 2);
	seldom = fake_line(f, 2, MEM_TX, ADDR_STATS + 8, 10, 10, 1);
	seldom->watched = 0;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_true(rep.findings[0].transfers <= 2 * 10 + 1);
	sharing_release(&rep);
	/* Its twin comes as often. */
	seldom->misses = seldom->from_modified = seldom->peer_count[0] = often->misses;
	judge(&rep, f, NULL);
	assert_int_equal(rep.findings[0].transfers, 2 * 90);
	sharing_release(&rep);
	fake_free(f);
}

/* `struct {long rx; char pad[0];} stats[2]`: the array without a bound goes on in no element. */
static void an_array_of_structs_with_room_behind_has_elements(void **state)
{
	struct fake *f = two_threads();
	struct run_type *t = f->module.sites.types;
	struct run_variable *v = f->module.sites.vars;
	struct sharing_report rep;
	const struct sharing_pair *p;

	(void)state;
	while (strcmp(t->name, "struct traffic"))
		t++;
	while (strcmp(v->name, "stats"))
		v++;
	t->bytes = 8;
	t->fields[1] = (struct run_field){"pad[]", 8, 1};
	v->dims = "[2]";
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	fake_line(f, 2, MEM_RX, ADDR_STATS + 8, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	p = &rep.findings[0].pairs[0];
	assert_string_equal(p->a.what, "stats[0].rx");
	assert_string_equal(p->b.what, "stats[1].rx");
	assert_int_equal(p->b.offset, 0);
	sharing_release(&rep);
	/* One struct, and room behind it: there it does go on. */
	v->dims = "";
	judge(&rep, f, NULL);
	p = &rep.findings[0].pairs[0];
	assert_string_equal(p->a.what, "stats.rx");
	sharing_release(&rep);
	fake_free(f);
}

/* The same twelve transfers, but the threads meet at a barrier as often. */
static void transfers_that_synchronisation_explains_are_a_hand_over(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, 6, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, 6, 1);
	for (uint32_t t = 1; t <= 2; t++)
		for (uint32_t i = 1; i <= 6; i++)
			fake_barrier(f, t, 0xb0, 100 * i, 100 * i, 100 * i, i);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 0);
	assert_int_equal(rep.handovers, 1);
	sharing_release(&rep);
	fake_free(f);
}

/* Site @to stands where site @from does. */
static void stand_with(struct fake *f, uint32_t to, uint32_t from)
{
	struct run_mem_site *m = f->module.sites.units[0].mems;

	m[to].function = m[from].function;
	m[to].file = m[from].file;
	m[to].line = m[from].line;
}

/* A load and a store that the compiler did not merge are one read-modify-write. */
static void load_and_store_of_one_place_count_once(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	stand_with(f, MEM_JOB_A, MEM_READ_TX);
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS + 8, MANY, MOVES / 2, 2);
	fake_line(f, 1, MEM_JOB_A, ADDR_STATS + 8, MANY, MOVES / 2, 2);
	fake_line(f, 2, MEM_RX, ADDR_STATS, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].pairs[0].a.kind, PRS_KIND_RMW);
	assert_float_equal(rep.findings[0].pairs[0].a.accesses, MANY, 1);
	sharing_release(&rep);
	fake_free(f);
}

/* One function reads the word, another one writes it: that one is named, and nobody adds to it. */
static void who_writes_is_named_and_not_who_reads(void **state)
{
	struct fake *f = two_threads();
	const struct sharing_pair *p;
	struct sharing_report rep;

	(void)state;
	f->module.sites.units[0].mems[MEM_TX].kind = PRS_KIND_STORE;
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS + 8, 2 * MANY, MOVES / 2, 2);
	fake_line(f, 1, MEM_TX, ADDR_STATS + 8, MANY, MOVES / 2, 2);
	fake_line(f, 2, MEM_RX, ADDR_STATS, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	p = &rep.findings[0].pairs[0];
	assert_int_equal(p->a.kind, PRS_KIND_STORE);
	assert_int_equal(p->a.uses, PRS_KIND_STORE);
	assert_int_equal(p->a.line, f->module.sites.units[0].mems[MEM_TX].line);
	assert_float_equal(p->a.accesses, 3 * MANY, 1);
	sharing_release(&rep);
	fake_free(f);
}

/* Of each line for itself nothing is known but that it may have been used all the time. */
static void no_thread_comes_more_often_than_once_a_cycle(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;
	double most = 0;

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		for (uint32_t t = 1; t <= 2; t++)
			fake_line(f, t, MEM_RX, ADDR_HEAP + 64 * i, 0, MOVES, 3 - t)->watched = 0;
	fake_note(f, 0, 1, ADDR_HEAP, 320);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	for (size_t i = 0; i < rep.findings[0].n_pairs; i++)
		most += rep.findings[0].pairs[i].a.per_s_high;
	assert_true(most > 0.9e9); /* a cycle is a nanosecond here */
	assert_true(most <= 1e9);
	sharing_release(&rep);
	fake_free(f);
}

static void rare_transfers_are_not_significant(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, 20000, 900, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, 20000, 900, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_false(rep.findings[0].significant);
	assert_int_equal(rep.n_false_significant, 0);
	sharing_release(&rep);
	fake_free(f);
}

/* Blocks of one allocation site, two in a line: named by site, type and field. */
static struct fake *jobs(uint64_t at)
{
	struct fake *f = two_threads();

	fake_note(f, 0, 1, at, 16);
	fake_line(f, 1, MEM_JOB_A, at, MANY, MOVES, 2);
	fake_line(f, 2, MEM_JOB_B, at + 8, MANY, MOVES, 1);
	return f;
}

static void heap_object_is_named_by_allocation_site_and_type(void **state)
{
	struct fake *f = jobs(ADDR_HEAP + 16), *g = jobs(ADDR_HEAP + 0x9920);
	struct sharing_report rep, other;

	(void)state;
	judge(&rep, f, NULL);
	judge(&other, g, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_FALSE);
	assert_string_equal(rep.findings[0].subject, "job.a/b");
	assert_string_equal(rep.findings[0].object_name, "heap net.c:105 struct job");
	/* Other addresses, same finding. */
	assert_string_equal(rep.findings[0].evidence, other.findings[0].evidence);
	sharing_release(&rep);
	sharing_release(&other);
	fake_free(f);
	fake_free(g);
}

/*
 * Thread 1 fills a and b of each block, thread 2 takes b: after the first access to a, that to b
 * leaves no trace but in a window.  The line moves @per times for each of eight blocks.
 */
static enum sharing_verdict taken(unsigned per, uint64_t accesses)
{
	struct fake *f = two_threads();
	struct sharing_report rep;
	enum sharing_verdict v;

	for (unsigned i = 0; i < 8; i++)
		fake_note(f, 0, 1 + 10 * i, ADDR_HEAP, 16);
	fake_line(f, 1, MEM_JOB_A, ADDR_HEAP, accesses, 4 * per, 2)->watched = accesses / 5;
	fake_line(f, 1, MEM_JOB_B, ADDR_HEAP + 8, 1, 0, 2)->watched = 1;
	fake_line(f, 2, MEM_JOB_B, ADDR_HEAP + 8, accesses, 4 * per, 1)->watched = accesses / 5;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	v = rep.findings[0].verdict;
	sharing_release(&rep);
	fake_free(f);
	return v;
}

static void blocks_that_are_handed_over_are_true_sharing(void **state)
{
	(void)state;
	assert_int_equal(taken(2, 40), SHARING_TRUE);
	/* Both go on with it for long: had they run side by side, they might have met more often. */
	assert_int_equal(taken(2, 40000), SHARING_UNCLEAR);
	/* The line goes to and fro in each of them. */
	assert_int_equal(taken(200, 40000), SHARING_FALSE);
}

static void block_that_was_freed_before_does_not_name_the_line(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_note(f, 0, 1, ADDR_HEAP, 16);
	fake_note(f, 0, 2, ADDR_HEAP, 0);
	fake_note(f, 0, 3, ADDR_HEAP - 64, 4096);
	fake_line(f, 1, MEM_JOB_A, ADDR_HEAP, MANY, MOVES, 2);
	fake_line(f, 2, MEM_JOB_B, ADDR_HEAP + 8, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_string_equal(rep.findings[0].subject, "job[].a/b");
	sharing_release(&rep);
	fake_free(f);
}

static void elements_of_an_array_are_one_finding(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_create(f, 0, 2, 5, 1005, 1000, 1);
	for (uint32_t t = 1; t <= 3; t++) {
		struct prs_line *l = fake_line(f, t, MEM_SLOT, ADDR_SLOTS + 8 * t, MANY, MOVES, t % 3 + 1);

		l->peer[1] = (t + 1) % 3 + 1;
		l->peer_count[1] = MOVES / 2;
		l->peer_count[0] = MOVES / 2;
	}
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_FALSE);
	assert_string_equal(rep.findings[0].subject, "slots[]");
	assert_int_equal(rep.findings[0].n_pairs, 3);
	assert_int_equal(rep.findings[0].pad_bytes, 56);
	/* An access counts for one of the thread's two partners. */
	assert_float_equal(rep.findings[0].pairs[0].a.per_kcycle, 100, 1);
	sharing_release(&rep);
	fake_free(f);
}

/* Thread 1 uses the elements of @a, bits of a line of numbers, thread 2 those of @b. */
static struct fake *elements(uint32_t a, uint32_t b)
{
	uint32_t of[2] = {a, b};
	struct fake *f = two_threads();

	for (uint32_t t = 0; t < 2; t++) {
		struct prs_line *l = fake_line(f, t + 1, MEM_SLOT, ADDR_SLOTS, MANY, MOVES, 2 - t);
		uint64_t mask = 0;

		for (unsigned i = 0; i < 8; i++)
			mask |= (of[t] >> i & 1 ? 0xffull : 0) << 8 * i;
		l->read_mask = l->write_mask = mask;
	}
	return f;
}

static void all_elements_that_a_side_uses_are_named(void **state)
{
	struct fake *f = elements(0x55, 0xaa);
	struct sharing_report rep;

	(void)state;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_FALSE);
	assert_string_equal(rep.findings[0].pairs[0].a.what, "slots[0..6]");
	assert_string_equal(rep.findings[0].pairs[0].b.what, "slots[1..7]");
	sharing_release(&rep);
	fake_free(f);
	/* What one uses alone is no part of what both fight for. */
	f = elements(0x0f, 0x3c);
	judge(&rep, f, NULL);
	assert_int_equal(rep.findings[0].verdict, SHARING_TRUE);
	assert_string_equal(rep.findings[0].pairs[0].a.what, "slots[2..3]");
	assert_string_equal(rep.findings[0].pairs[0].b.what, "slots[2..3]");
	sharing_release(&rep);
	fake_free(f);
}

static void a_site_that_comes_to_several_fields_names_them(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_note(f, 0, 1, ADDR_HEAP, 32);
	for (uint32_t t = 0; t < 2; t++)
		fake_line(f, t + 1, MEM_JOB_A, ADDR_HEAP + 16 * t, MANY, MOVES, 2 - t)->write_mask =
			0xffffull << 16 * t;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_string_equal(rep.findings[0].fields, "a, b");
	assert_string_equal(rep.findings[0].pairs[0].b.element, "[1]");
	sharing_release(&rep);
	fake_free(f);
}

/* No watch window saw the line: the site table distinguishes the fields. */
static void unseen_bytes_are_judged_by_the_site_table(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l[4];
	struct sharing_report rep;

	(void)state;
	l[0] = fake_line(f, 1, MEM_RX, ADDR_STATS, MANY, MOVES, 2);
	l[1] = fake_line(f, 2, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 1);
	l[2] = fake_line(f, 1, MEM_JOB_A, 0x7f1111110000, MANY, MOVES, 2);
	l[3] = fake_line(f, 2, MEM_JOB_B, 0x7f1111110000 + 24, MANY, MOVES, 1);
	for (int i = 0; i < 4; i++)
		l[i]->watched = l[i]->read_mask = l[i]->write_mask = 0;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 2);
	assert_int_equal(rep.findings[0].verdict, SHARING_FALSE);
	assert_int_equal(rep.findings[1].verdict, SHARING_FALSE);
	sharing_release(&rep);
	fake_free(f);
}

/* One finding, whoever's bytes were seen: @seen is a set of the sides, 1 and 2. */
static void id_of(char *id, size_t size, unsigned seen, int a, int b, uint64_t at, uint32_t apart)
{
	struct fake *f = two_threads();
	struct sharing_report rep;
	struct prs_line *l[2];

	if (a == MEM_JOB_A || a == MEM_LEFT)
		fake_note(f, 0, 1, at, 16);
	if (a == MEM_LEFT)
		f->thread[0].notes[0].site = CALL_CRATE;
	l[0] = fake_line(f, 1, a, at, MANY, MOVES, 2);
	l[1] = fake_line(f, 2, b, at + apart, MANY, MOVES, 1);
	for (int i = 0; i < 2; i++)
		if (!(seen & 1u << i))
			l[i]->watched = l[i]->read_mask = l[i]->write_mask = 0;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	snprintf(id, size, "%s %s", rep.findings[0].evidence, rep.findings[0].subject);
	sharing_release(&rep);
	fake_free(f);
}

static void an_id_does_not_depend_on_whose_bytes_were_seen(void **state)
{
	static const struct {
		int a, b;
		uint64_t at;
		uint32_t apart;
	} cases[] = {{MEM_RX, MEM_TX, ADDR_STATS, 8},
		     {MEM_JOB_A, MEM_JOB_B, ADDR_HEAP, 8},
		     {MEM_JOB_A, MEM_JOB_B, ADDR_HEAP + 16, 8},
		     {MEM_LEFT, MEM_RIGHT, ADDR_HEAP, 8}}; /* through pointers to structs inside */

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		char all[120], some[120];

		id_of(all, sizeof(all), 3, cases[k].a, cases[k].b, cases[k].at, cases[k].apart);
		for (unsigned seen = 0; seen < 3; seen++) {
			id_of(some, sizeof(some), seen, cases[k].a, cases[k].b, cases[k].at, cases[k].apart);
			assert_string_equal(some, all);
		}
	}
	/* The twin: other fields are another finding. */
	{
		char one[120], other[120];

		id_of(one, sizeof(one), 1, MEM_RX, MEM_TX, ADDR_STATS, 8);
		id_of(other, sizeof(other), 1, MEM_RX, MEM_RX, ADDR_STATS, 0);
		assert_string_not_equal(one, other);
	}
}

/* Which elements the threads used is not known: no verdict is invented. */
static void unseen_elements_stay_unclear(void **state)
{
	struct fake *f = two_threads();
	struct prs_line *l[2];
	struct sharing_report rep;

	(void)state;
	l[0] = fake_line(f, 1, MEM_SLOT, ADDR_SLOTS, MANY, MOVES, 2);
	l[1] = fake_line(f, 2, MEM_SLOT, ADDR_SLOTS + 8, MANY, MOVES, 1);
	for (int i = 0; i < 2; i++)
		l[i]->watched = l[i]->read_mask = l[i]->write_mask = 0;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	assert_int_equal(rep.findings[0].verdict, SHARING_UNCLEAR);
	assert_int_equal(rep.n_false_significant, 0);
	sharing_release(&rep);
	fake_free(f);
}

/* Both read all the time and write now and then: what they write is what they fight with. */
static void rare_writes_below_many_loads_are_the_conflict(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;
	const struct sharing_pair *p;

	(void)state;
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS + 8, MANY, MOVES, 2);
	fake_line(f, 1, MEM_JOB_A, ADDR_STATS, MANY / 100, MOVES / 100, 2)->watched = 5;
	fake_line(f, 2, MEM_READ_RX, ADDR_STATS, MANY, MOVES, 1);
	fake_line(f, 2, MEM_JOB_B, ADDR_STATS + 8, MANY / 100, MOVES / 100, 1)->watched = 5;
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 1);
	p = &rep.findings[0].pairs[0];
	assert_int_equal(p->a.kind, PRS_KIND_STORE);
	assert_int_equal(p->b.kind, PRS_KIND_STORE);
	assert_int_equal(p->a.site->line, 70);
	assert_int_equal(p->b.site->line, 95);
	assert_float_equal(p->a.accesses * p->a.counts, MANY / 100, 1);
	sharing_release(&rep);
	fake_free(f);
}

/* One thread writes a word, the other reads its neighbour, and seldom writes anything. */
static void partner_that_is_only_read_is_named(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;
	const struct sharing_pair *p;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, MANY / 40, MOVES, 2);
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS + 8, MANY, 5, 2);
	fake_line(f, 2, MEM_RX, ADDR_STATS, MANY / 40, MOVES, 1);
	fake_line(f, 2, MEM_READ_TX, ADDR_STATS + 8, MANY, 5, 1);
	judge(&rep, f, NULL);
	assert_true(rep.n >= 1);
	for (size_t i = 0; i < rep.n; i++) {
		if (rep.findings[i].verdict != SHARING_FALSE)
			continue;
		p = &rep.findings[i].pairs[0];
		assert_true(strcmp(p->a.what, p->b.what));
		assert_true(p->a.uses == PRS_KIND_LOAD || p->b.uses == PRS_KIND_LOAD);
		assert_true(p->a.uses != PRS_KIND_LOAD || p->b.uses != PRS_KIND_LOAD);
	}
	sharing_release(&rep);
	fake_free(f);
}

/* A thread that uses both fields has them from two places: each field keeps its own line and offset. */
static void a_field_keeps_its_own_place(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;
	const struct sharing_side *s;

	(void)state;
	fake_line(f, 1, MEM_JOB_A, ADDR_STATS, MANY / 2, 5, 2);
	fake_line(f, 1, MEM_TX, ADDR_STATS + 8, MANY, MOVES, 2);
	fake_line(f, 2, MEM_RX, ADDR_STATS, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	for (size_t i = 0; i < rep.n; i++)
		for (int b = 0; b < 2; b++) {
			s = b ? &rep.findings[i].pairs[0].b : &rep.findings[i].pairs[0].a;
			assert_true(s->placed);
			assert_int_equal(s->offset, strcmp(s->field, "rx") ? 8 : 0);
			assert_ptr_equal(strstr(s->what, "stats."), s->what);
			if (!strcmp(s->field, "tx"))
				assert_int_equal(s->site->offset, 8);
		}
	sharing_release(&rep);
	fake_free(f);
}

/* However often the line moved: without a writer nobody takes it from anybody. */
static void pair_without_a_writing_side_is_dropped(void **state)
{
	struct fake *f = two_threads();
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_READ_TX, ADDR_STATS + 8, MANY, MOVES, 2);
	fake_line(f, 2, MEM_READ_RX, ADDR_STATS, MANY, MOVES, 1);
	judge(&rep, f, NULL);
	assert_int_equal(rep.n, 0);
	sharing_release(&rep);
	fake_free(f);
}

/* Two cores that share a cache; a shared access costs @extra ps more. */
static void make_platform(struct platform *pf, struct platform_core cores[2], uint64_t extra)
{
	*pf = (struct platform){.n_cores = 2, .cores = cores, .n_packages = 1, .n_domains = 1};
	cores[0] = (struct platform_core){.id = 0, .physical = 0, .usable = true};
	cores[1] = (struct platform_core){.id = 1, .physical = 1, .domain = 0, .usable = true};
	for (int k = 0; k < PRS_KIND_N; k++) {
		pf->price[k].alone_ps = 250;
		for (int d = 0; d < DIST_N; d++)
			pf->price[k].shared_ps[d] = 250 + extra;
	}
}

static void price_decides_what_is_significant(void **state)
{
	struct fake *f = counters(0);
	struct platform_core cores[2];
	struct platform pf;
	struct sharing_report rep;

	(void)state;
	make_platform(&pf, cores, 500); /* 200 M accesses x 0.5 ns = 100 ms on top of 1 s */
	judge(&rep, f, &pf);
	assert_true(rep.findings[0].priced);
	assert_float_equal(rep.findings[0].cost, 9.1, 0.3);
	assert_true(rep.findings[0].cost_low < 6.5 && rep.findings[0].cost_high > 15);
	assert_true(rep.findings[0].significant);
	sharing_release(&rep);

	/* 0.9 %, if the prices are right; it may be more. */
	make_platform(&pf, cores, 45);
	judge(&rep, f, &pf);
	assert_float_equal(rep.findings[0].cost, 0.9, 0.05);
	assert_true(rep.findings[0].cost_high > SHARING_COST_PERCENT);
	assert_false(rep.findings[0].significant);
	assert_true(rep.findings[0].perhaps);
	assert_int_equal(rep.n_perhaps, 1);
	sharing_release(&rep);

	make_platform(&pf, cores, 0);
	judge(&rep, f, &pf);
	assert_true(rep.findings[0].priced);
	assert_float_equal(rep.findings[0].cost, 0, 0.001);
	assert_false(rep.findings[0].significant);
	assert_false(rep.findings[0].perhaps);
	sharing_release(&rep);
	fake_free(f);
}

/* Two threads of which each counts for 10 ms, then both sleep; @works: the second does not. */
static double cost_beside_sleep(bool works, uint64_t extra_ps)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1010);
	struct platform_core cores[2];
	struct sharing_report rep;
	struct platform pf;
	struct prs_wait sleep = {.kind = PRS_EV_SLEEP, .ticks = 990 * MS, .count = 1};
	double cost;

	fake_main(f, 1);
	fake_create(f, 0, 0, 5, 1005, 10, 1);
	fake_create(f, 0, 1, 5, 1005, 10, 1);
	fake_join(f, 0, 1, 5, 1005, 1, 1);
	fake_event(f, 1, PRS_EV_SLEEP, 15, 1005, 10, PRS_NO_SITE, 1);
	for (uint32_t t = 1; t < 3; t++) {
		f->thread[t].waits = &sleep;
		f->thread[t].n_waits = 1;
	}
	if (!works)
		fake_event(f, 2, PRS_EV_SLEEP, 15, 1005, 10, PRS_NO_SITE, 1);
	fake_line(f, 1, MEM_RX, ADDR_STATS, 4000000, MOVES, 2);
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, 4000000, MOVES, 1);
	make_platform(&pf, cores, extra_ps);
	judge(&rep, f, &pf);
	cost = rep.findings[0].cost;
	assert_true(works || rep.findings[0].cost_high < 2);
	sharing_release(&rep);
	fake_free(f);
	return cost;
}

/* Nothing that threads do to each other shortens the time in which all sleep. */
static void sleep_is_part_of_the_run(void **state)
{
	(void)state;
	assert_float_equal(cost_beside_sleep(false, 2000), 0.8, 0.1); /* 4 M accesses x 2 ns = 8 ms */
	assert_true(cost_beside_sleep(true, 2000) > 40);
	/* 400 ms, of threads that ran for 10 ms: no more than all of these. */
	assert_true(cost_beside_sleep(false, 100000) < 1.1);
}

/* Near at one time and far at another: the cost is one of both, the interval holds both. */
static void cores_that_move_make_a_range(void **state)
{
	struct fake *f = counters(0);
	struct platform_core cores[2];
	struct platform near, far;
	struct sharing_report rep;
	double cost, high;

	(void)state;
	make_platform(&near, cores, 100);
	make_platform(&far, cores, 1000);
	near.transfer_ps[DIST_CACHE] = near.transfer_ps[DIST_PACKAGE] = 30000;
	far.transfer_ps[DIST_CACHE] = far.transfer_ps[DIST_PACKAGE] = 160000;
	judge(&rep, f, &near);
	cost = rep.findings[0].cost;
	high = rep.findings[0].cost_high;
	sharing_release(&rep);
	assert_true(platform_keep_moved(&near, &far));
	judge(&rep, f, &near);
	assert_float_equal(rep.findings[0].cost, cost, 0.01); /* nobody knows where the run's cores were */
	assert_true(rep.findings[0].cost_high > 2 * high);
	sharing_release(&rep);
	judge(&rep, f, &far);
	high = rep.findings[0].cost_high;
	sharing_release(&rep);
	assert_true(platform_keep_moved(&far, &near));
	judge(&rep, f, &far);
	assert_float_equal(rep.findings[0].cost_high, high, 0.01);
	assert_true(rep.findings[0].cost_low < cost + 0.01);
	sharing_release(&rep);
	fake_free(f);
}

/* On one core nothing is paid for; what two would pay is the upper end, and nobody says it is nothing. */
static void turns_on_one_core_are_priced_as_on_two(void **state)
{
	struct fake *f = counters(0);
	struct platform_core cores[2];
	struct platform pf;
	struct sharing_report rep;

	(void)state;
	make_platform(&pf, cores, 500);
	f->run.manifest.cores = 1;
	judge(&rep, f, &pf);
	assert_true(rep.findings[0].cost_high > 10);
	assert_int_equal(rep.doubts.n, 1);
	sharing_release(&rep);
	fake_free(f);
}

/* Few transfers on a busy machine: the accesses that found the line at hand left no trace. */
static void what_was_hardly_seen_on_a_busy_machine_is_open_to_above(void **state)
{
	struct fake *f = two_threads();
	struct platform_core cores[2];
	struct platform pf;
	struct sharing_report rep;

	(void)state;
	fake_line(f, 1, MEM_RX, ADDR_STATS, 0, 60, 2)->watched = 0;
	fake_line(f, 2, MEM_TX, ADDR_STATS + 8, 0, 60, 1)->watched = 0;
	make_platform(&pf, cores, 500);
	judge(&rep, f, &pf);
	assert_true(rep.findings[0].cost_high < 0.1);
	assert_int_equal(rep.findings[0].pairs[0].a.how, EVIDENCE_SEEN);
	sharing_release(&rep);
	f->run.manifest.cores = 1;
	judge(&rep, f, &pf);
	assert_true(rep.findings[0].cost_high > 5 && rep.findings[0].perhaps);
	sharing_release(&rep);
	fake_free(f);
}

static void watched_at(struct fake *f, uint32_t thread, uint32_t site, uint64_t at, uint32_t peer)
{
	struct prs_line *l = fake_line(f, thread, site, at, 0, MOVES, peer);

	l->gaps = 500;
	l->gap_ticks = 500 * 200;
}

/* Four lines by turns, each every 200 ns: the thread has one second, not four. */
static void lines_used_by_turns_take_the_threads_time_once(void **state)
{
	struct fake *f = two_threads();
	struct platform_core cores[2];
	const struct sharing_side *a;
	struct platform pf;
	struct sharing_report rep;

	(void)state;
	for (uint64_t i = 0; i < 4; i++) {
		watched_at(f, 1, MEM_RX, ADDR_STATS + 64 * i, 2);
		watched_at(f, 2, MEM_TX, ADDR_STATS + 64 * i + 8, 1);
	}
	make_platform(&pf, cores, 500);
	judge(&rep, f, &pf);
	a = &rep.findings[0].pairs[0].a;
	assert_true(rep.findings[0].pairs[0].lines >= 2);
	assert_true(a->active_ns <= 1.01e9);
	assert_true(a->gap_ns < 120);
	assert_true(a->wide >= 8); /* several accesses each time, perhaps */
	sharing_release(&rep);
	fake_free(f);
}

static void one_usable_core_has_no_price(void **state)
{
	struct fake *f = counters(0);
	struct platform_core cores[2];
	struct platform pf;
	struct sharing_report rep;

	(void)state;
	make_platform(&pf, cores, 500);
	cores[1].usable = false;
	judge(&rep, f, &pf);
	assert_false(rep.priced);
	assert_non_null(rep.unpriced_why);
	sharing_release(&rep);
	fake_free(f);
}

/* A blind spot is said only of as many moves as may have cost something. */
static size_t blind_of(uint64_t passed)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/net-1", 1000);
	struct sharing_opts opts = {.platform = NULL};
	struct sharing_report rep;
	struct err err = ERR_INIT;
	size_t found = 0;

	fake_main(f, 1);
	f->header.passed_lines = passed;
	assert_int_equal(sharing_make(&rep, &f->run, &opts, &err), 0);
	for (size_t i = 0; i < rep.blind.n; i++)
		found += strstr(rep.blind.at[i], "gave way to others") != NULL;
	sharing_release(&rep);
	fake_free(f);
	return found;
}

static void lines_that_gave_way_are_told_where_they_may_matter(void **state)
{
	(void)state;
	assert_int_equal(blind_of(0), 0);
	assert_int_equal(blind_of(1000), 0);
	assert_int_equal(blind_of(100000), 1);
}

static void timing_run_is_refused(void **state)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, "runs/net-2", 100);
	struct sharing_opts opts = {.platform = NULL};
	struct sharing_report rep;
	struct err err = ERR_INIT;

	(void)state;
	fake_main(f, 1);
	assert_int_equal(sharing_make(&rep, &f->run, &opts, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "--purpose=sharing"));
	fake_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_fields_are_false_sharing),
		cmocka_unit_test(padded_fields_are_nothing),
		cmocka_unit_test(field_that_both_use_is_true_sharing),
		cmocka_unit_test(rare_common_field_does_not_hide_false_sharing),
		cmocka_unit_test(word_of_both_beside_words_of_each_is_both),
		cmocka_unit_test(word_of_both_alone_is_true_sharing_only),
		cmocka_unit_test(generations_of_a_line_are_told_apart),
		cmocka_unit_test(same_word_is_true_sharing),
		cmocka_unit_test(readers_do_not_conflict),
		cmocka_unit_test(hand_over_is_folded_away),
		cmocka_unit_test(few_transfers_of_two_busy_threads_are_no_hand_over),
		cmocka_unit_test(transfers_that_synchronisation_explains_are_a_hand_over),
		cmocka_unit_test(threads_that_take_turns_are_no_candidate),
		cmocka_unit_test(turns_on_a_busy_machine_say_nothing),
		cmocka_unit_test(no_more_transfers_than_accesses_are_told),
		cmocka_unit_test(who_comes_seldom_bounds_the_transfers),
		cmocka_unit_test(an_array_of_structs_with_room_behind_has_elements),
		cmocka_unit_test(load_and_store_of_one_place_count_once),
		cmocka_unit_test(who_writes_is_named_and_not_who_reads),
		cmocka_unit_test(no_thread_comes_more_often_than_once_a_cycle),
		cmocka_unit_test(rare_transfers_are_not_significant),
		cmocka_unit_test(heap_object_is_named_by_allocation_site_and_type),
		cmocka_unit_test(blocks_that_are_handed_over_are_true_sharing),
		cmocka_unit_test(block_that_was_freed_before_does_not_name_the_line),
		cmocka_unit_test(elements_of_an_array_are_one_finding),
		cmocka_unit_test(all_elements_that_a_side_uses_are_named),
		cmocka_unit_test(a_site_that_comes_to_several_fields_names_them),
		cmocka_unit_test(unseen_bytes_are_judged_by_the_site_table),
		cmocka_unit_test(unseen_elements_stay_unclear),
		cmocka_unit_test(an_id_does_not_depend_on_whose_bytes_were_seen),
		cmocka_unit_test(rare_writes_below_many_loads_are_the_conflict),
		cmocka_unit_test(partner_that_is_only_read_is_named),
		cmocka_unit_test(a_field_keeps_its_own_place),
		cmocka_unit_test(pair_without_a_writing_side_is_dropped),
		cmocka_unit_test(price_decides_what_is_significant),
		cmocka_unit_test(sleep_is_part_of_the_run),
		cmocka_unit_test(cores_that_move_make_a_range),
		cmocka_unit_test(turns_on_one_core_are_priced_as_on_two),
		cmocka_unit_test(what_was_hardly_seen_on_a_busy_machine_is_open_to_above),
		cmocka_unit_test(lines_used_by_turns_take_the_threads_time_once),
		cmocka_unit_test(one_usable_core_has_no_price),
		cmocka_unit_test(lines_that_gave_way_are_told_where_they_may_matter),
		cmocka_unit_test(timing_run_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
