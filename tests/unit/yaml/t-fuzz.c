/* SPDX-License-Identifier: MIT */
/*
 * Mutated documents never crash the reader, and what it accepts it writes
 * and reads again to the same bytes.  Deterministic: the mutation is a
 * function of the round.  PERSEUS_FUZZ_ROUNDS sets the number of rounds;
 * tests/yaml/fuzz.sh runs it under the address sanitizer.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/rng.h"
#include "tests/unit/fuzz.h"
#include "yaml/manifest.h"
#include "yaml/model.h"
#include "yaml/plan.h"
#include "yaml/platform.h"

/* Pieces that mean something to YAML or to the documents. */
static const char *const tokens[] = {
	"\n",         "  ",           "- ",      ": ",         "{",        "}",           "[",
	"]",          "\"",           "'",       "#",          "&a ",      "*a",          "!!str",
	"|\n",        ">-\n",         "? ",      "---",        "...",      "%YAML 1.1\n", "0",
	"4294967295", "-1",           "1e400",   "nan",        "null",     "true",        "\\u0000",
	"\xff",       "\xef\xbb\xbf", "index: ", "threads:\n", "core: 99", ",",
};

static void mutate(struct strbuf *text, struct rng *rng)
{
	uint64_t edits = 1 + rng_below(rng, 4);

	while (edits-- && text->len > 8) {
		size_t at = rng_below(rng, text->len), n = 1 + rng_below(rng, 24);
		const char *token = tokens[rng_below(rng, sizeof(tokens) / sizeof(tokens[0]))];
		struct strbuf out = STRBUF_INIT;

		if (n > text->len - at)
			n = text->len - at;
		strbuf_add(&out, text->s, at);
		switch (rng_below(rng, 5)) {
		case 0: /* delete */
			break;
		case 1: /* a bit */
			strbuf_printf(&out, "%c", text->s[at] ^ (1 << rng_below(rng, 7)));
			n = 1;
			break;
		case 2: /* a token in between */
			strbuf_puts(&out, token);
			n = 0;
			break;
		case 3: /* a token instead */
			strbuf_puts(&out, token);
			break;
		default: /* twice */
			strbuf_add(&out, text->s + at, n);
			n = 0;
		}
		strbuf_add(&out, text->s + at + n, text->len - at - n);
		strbuf_release(text);
		*text = out;
	}
}

#define TRY(type, text)                                                                                      \
	do {                                                                                                 \
		struct strbuf one_ = STRBUF_INIT, two_ = STRBUF_INIT;                                        \
		struct err err_ = ERR_INIT;                                                                  \
		struct type a_, b_;                                                                          \
		if (type##_parse(&a_, (text)->s, (text)->len, "fuzz.yaml", &err_)) {                         \
			assert_true(*err_.msg &&err_.code < 0);                                              \
			refused++;                                                                           \
			break;                                                                               \
		}                                                                                            \
		type##_text(&a_, &one_);                                                                     \
		if (type##_parse(&b_, one_.s, one_.len, "again.yaml", &err_))                                \
			fail_msg("round %lu: %s", round, err_.msg);                                          \
		type##_text(&b_, &two_);                                                                     \
		assert_string_equal(one_.s, two_.s);                                                         \
		type##_release(&a_);                                                                         \
		type##_release(&b_);                                                                         \
		strbuf_release(&one_);                                                                       \
		strbuf_release(&two_);                                                                       \
	} while (0)

static void mutated_documents_are_refused_or_round_trip(void **state)
{
	static const char *const kinds[] = {"model", "platform", "plan", "manifest"};
	unsigned long rounds = fuzz_rounds(4000), refused = 0;
	struct strbuf example[4] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};

	(void)state;
	for (int k = 0; k < 4; k++) {
		char path[64];

		snprintf(path, sizeof(path), "yaml/examples/%s.yaml", kinds[k]);
		assert_int_equal(fs_read(path, 0, &example[k], NULL), 0);
	}
	for (unsigned long round = 0; round < rounds; round++) {
		struct rng rng = rng_keyed(1, round, 0, fuzz_seed());
		struct strbuf text = STRBUF_INIT;

		strbuf_add(&text, example[round % 4].s, example[round % 4].len);
		mutate(&text, &rng);
		if (round % 4 == 0)
			TRY(model, &text);
		else if (round % 4 == 1)
			TRY(platform, &text);
		else if (round % 4 == 2)
			TRY(plan, &text);
		else
			TRY(manifest, &text);
		strbuf_release(&text);
	}
	/* A reader that refuses all or takes all would pass the rest. */
	assert_in_range(refused, rounds / 4, rounds - rounds / 50);
	for (int k = 0; k < 4; k++)
		strbuf_release(&example[k]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated_documents_are_refused_or_round_trip),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
