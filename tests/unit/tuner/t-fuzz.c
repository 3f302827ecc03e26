/* SPDX-License-Identifier: MIT */
/* Documents of tunables with faults: refused with a message, or a space that holds together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "tests/unit/fuzz.h"
#include "tuner/space/space.h"

static const char *const seeds[] = {
	"perseus: tunables\nversion: 1\ntunables:\n"
	"  - {name: a, kind: integer, low: 1, high: 9, step: 2, default: 5}\n"
	"  - {name: w, kind: list, values: [x, y], when: \"a > 3\"}\n"
	"constraints: [\"a * 2 <= 18 || !(w == 'x')\"]\n",
	"perseus: tunables\nversion: 1\ntunables:\n"
	"  - {name: p, kind: power, low: 1, high: 64}\n"
	"  - {name: o, kind: order, values: [i, j, k], default: \"k,i,j\", environment: E}\n"
	"constraints: [\"p % 3 + -1 < 4 && o != 'i,j,k' == 1\"]\n",
};
static const char *const pieces[] = {"0", "99999999999", "-1", "'",  "\"", "(", ")",     "!",   "||",
				     "a", "[",           "{",  ": ", "\n", "%", "order", "list"};

static char *mutated(const char *seed, struct rng *rng)
{
	size_t len = strlen(seed), at = rng_below(rng, len), gone = rng_below(rng, 4), n;
	const char *piece = pieces[rng_below(rng, sizeof(pieces) / sizeof(pieces[0]))];
	struct strbuf out = STRBUF_INIT;

	n = at + gone < len ? at + gone : len;
	strbuf_add(&out, seed, at);
	if (rng_below(rng, 3))
		strbuf_puts(&out, piece);
	strbuf_puts(&out, seed + n);
	return strbuf_detach(&out);
}

static void a_mutant_is_refused_or_is_a_space(void **state)
{
	unsigned long rounds = fuzz_rounds(1500), accepted = 0;

	(void)state;
	for (unsigned long k = 0; k < rounds; k++) {
		struct rng rng = rng_keyed(1, k, 0, fuzz_seed());
		char *text = mutated(seeds[k % 2], &rng);
		struct err err = ERR_INIT;
		struct space s;
		int ret = space_parse(&s, text, strlen(text), "mutant", &err);

		if (ret) {
			assert_true(ret == -EINVAL || ret == -ENOTSUP);
			assert_true(err.msg[0]);
		} else {
			struct setting x = space_default(&s), y;
			struct strbuf words = STRBUF_INIT;

			accepted++;
			assert_true(space_allowed(&s, &x));
			assert_true(space_random(&s, &rng, &y));
			for (size_t j = 0; j < s.n_tunables; j++) {
				space_value(&s, &y, j, &words);
				assert_int_equal(tunable_find(&s.tunables[j], words.s), y.at[j]);
				words.len = 0;
			}
			strbuf_release(&words);
			space_release(&s);
		}
		free(text);
	}
	print_message("# %lu of %lu are spaces\n", accepted, rounds);
	assert_true(accepted > 20 && accepted < rounds / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mutant_is_refused_or_is_a_space),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
