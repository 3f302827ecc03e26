/* SPDX-License-Identifier: MIT */
/* Texts of the monitor, events, rules and counts, mutated: read or refused, and no harm done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"
#include "monitor/counts/file.h"
#include "monitor/counts/window.h"
#include "monitor/families/families.h"
#include "monitor/rules/rules.h"
#include "tests/unit/fuzz.h"

static const char events[] =
	"perseus-families 1\n# a\nmachine m V 6 1,3-7\nevent a b thread X the book, page 3\n"
	"event a c package Y s\nmachine n - 0 -\nevent k d kernel perf::Z s\n";
static const char rules[] = "perseus-rules 1\nrule a b.c above 1000 for 100 below 5.5 for 1e3 answer move\n"
			    "rule d e.f above 2 for 0 below 1 for 0 answer reduce helps 20 within 30\n";
static const char counts[] =
	"perseus-counts 1\nevents b.c e.f\nat 1000\nthread 7 7 0 - m%20n 5 10 10 6 10 5\n"
	"thread 7 8 - 7 x 0 0 0 1 2 1\nat 2000\nthread 7 7 1 8 m 7 20 20 9 20 15\nat 3000\n";

/* Some bytes changed, taken out, or put in twice; the end may be cut off. */
static size_t mutate(char *text, size_t len, size_t room, struct rng *rng)
{
	static const char some[] = "\n \t#-.,%0159aeE\xff:";

	for (uint64_t k = 1 + rng_below(rng, 4); k && len; k--) {
		size_t at = rng_below(rng, len), n = 1 + rng_below(rng, 12);

		n = n < len - at ? n : len - at;
		switch (rng_below(rng, 4)) {
		case 0:
			text[at] = some[rng_below(rng, sizeof(some))];
			break;
		case 1:
			text[at] = (char)rng_u64(rng);
			break;
		case 2:
			memmove(text + at, text + at + n, len - at - n);
			len -= n;
			break;
		default:
			if (len + n > room)
				break;
			memmove(text + at + n, text + at, len - at);
			len += n;
		}
	}
	return rng_below(rng, 8) ? len : rng_below(rng, len + 1);
}

static int read_events(const char *text, size_t len, struct err *err)
{
	struct family_sets sets;
	struct families f;
	int ret = families_read(&f, "fuzz", text, len, err);

	for (size_t i = 0; !ret && i < f.n; i++) {
		family_sets_make(&sets, &f.at[i], NULL, 2);
		family_sets_release(&sets);
	}
	if (!ret)
		families_release(&f);
	return ret;
}

static int read_rules(const char *text, size_t len, struct err *err)
{
	struct rules r;
	int ret = rules_read(&r, "fuzz", text, len, err);

	if (!ret)
		rules_release(&r);
	return ret;
}

/* As far as perseus monitor --replay goes with it. */
static int read_counts(const char *text, size_t len, struct err *err)
{
	struct counts_look look = {.ns = 0};
	struct err no = ERR_INIT;
	struct rates r = {.ns = 0};
	struct counts_file f;
	struct window w;
	struct judge j;
	struct rules rules_;
	int ret = counts_file_open(&f, "fuzz", text, len, err);

	if (ret)
		return ret;
	assert_int_equal(rules_read(&rules_, "rules", rules, sizeof(rules) - 1, &no), 0);
	judge_init(&j, &rules_, &f.events);
	window_init(&w, &f.events);
	while ((ret = counts_file_next(&f, &look, err)) > 0) {
		window_add(&w, &look);
		window_end(&w, &r);
		judge_window(&j, &r);
	}
	window_release(&w);
	judge_release(&j);
	rules_release(&rules_);
	rates_release(&r);
	counts_look_release(&look);
	counts_file_close(&f);
	return ret;
}

/* In a block of exactly its length, so that a sanitizer sees a byte read behind it. */
static void harmless(const char *example, size_t len, int (*read)(const char *, size_t, struct err *))
{
	unsigned long rounds = fuzz_rounds(5000), well = 0;

	for (unsigned long round = 0; round < rounds; round++) {
		struct rng rng = rng_keyed(24, round, 0, fuzz_seed());
		char *text = malloc(2 * len), *exact;
		struct err err = ERR_INIT;
		size_t n;

		memcpy(text, example, len);
		n = mutate(text, len, 2 * len, &rng);
		exact = malloc(n + !n);
		memcpy(exact, text, n);
		if (!read(exact, n, &err))
			well++;
		else
			assert_true(err.code < 0 && *err.msg);
		free(exact);
		free(text);
	}
	assert_in_range(well, rounds / 100, rounds - rounds / 10);
}

static void mutated_events_do_no_harm(void **state)
{
	(void)state;
	harmless(events, sizeof(events) - 1, read_events);
}

static void mutated_rules_do_no_harm(void **state)
{
	(void)state;
	harmless(rules, sizeof(rules) - 1, read_rules);
}

static void mutated_counts_do_no_harm(void **state)
{
	(void)state;
	harmless(counts, sizeof(counts) - 1, read_counts);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated_events_do_no_harm),
		cmocka_unit_test(mutated_rules_do_no_harm),
		cmocka_unit_test(mutated_counts_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
