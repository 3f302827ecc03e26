/* SPDX-License-Identifier: MIT */
/* Which word was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/nearest.h"

static const char *const verbs[] = {"doctor", "record",    "report", "sites",  "waits",
				    "plan",   "conflicts", "prove",  "codegen"};

static const char *meant(const char *word)
{
	const char *found = nearest_word(word, verbs, sizeof(verbs) / sizeof(verbs[0]));

	return found ? found : "-";
}

static void edits_are_counted(void **state)
{
	(void)state;
	assert_int_equal(nearest_edits("", ""), 0);
	assert_int_equal(nearest_edits("abc", ""), 3);
	assert_int_equal(nearest_edits("", "abc"), 3);
	assert_int_equal(nearest_edits("kitten", "sitting"), 3);
	assert_int_equal(nearest_edits("ab", "ba"), 1); /* exchanged */
	assert_int_equal(nearest_edits("abcd", "bacd"), 1);
	assert_int_equal(nearest_edits("ca", "abc"), 3); /* nothing is edited twice */
}

static void a_long_word_is_nothing_mistyped(void **state)
{
	char word[NEAREST_LONGEST + 2];

	(void)state;
	memset(word, 'a', sizeof(word));
	word[NEAREST_LONGEST] = '\0';
	assert_int_equal(nearest_edits(word, word), 0);
	word[NEAREST_LONGEST] = 'a';
	word[NEAREST_LONGEST + 1] = '\0';
	assert_int_equal(nearest_edits(word, "a"), SIZE_MAX);
	assert_int_equal(nearest_edits("a", word), SIZE_MAX);
	assert_string_equal(meant(word), "-");
}

static void a_typing_error_has_its_word(void **state)
{
	(void)state;
	assert_string_equal(meant("confilcts"), "conflicts");
	assert_string_equal(meant("recrod"), "record");
	assert_string_equal(meant("report"), "report");
	assert_string_equal(meant("paln"), "plan");
	assert_string_equal(meant("site"), "sites");
	assert_string_equal(meant("conf"), "conflicts"); /* it begins so */
}

static void what_is_like_nothing_has_none(void **state)
{
	(void)state;
	assert_string_equal(meant("frobnicate"), "-");
	assert_string_equal(meant(""), "-");
	assert_string_equal(meant("re"), "-"); /* record or report */
	assert_string_equal(meant("x"), "-");
	assert_null(nearest_word("plan", NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_are_counted),
		cmocka_unit_test(a_long_word_is_nothing_mistyped),
		cmocka_unit_test(a_typing_error_has_its_word),
		cmocka_unit_test(what_is_like_nothing_has_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
