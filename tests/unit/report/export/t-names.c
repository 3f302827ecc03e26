/* SPDX-License-Identifier: MIT */
/* Names that mean something to a format, or to a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/json.h"
#include "report/export/out.h"

static void is_name(const char *name, const char * not, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	export_name(&out, name, not );
	assert_string_equal(out.s, expected);
	strbuf_release(&out);
}

static void what_may_not_be_shown_is_a_question_mark(void **state)
{
	(void)state;
	is_name("a\tb\nc\033[31m", "", "a?b?c?[31m");
	is_name("right\342\200\256left", "", "right?left");
	is_name("cut \303", "", "cut ?");
	is_name("\377\376", "", "??");
	is_name("na\303\257ve", "", "na\303\257ve");
	is_name("a;b c", "; ", "a?b?c");
	is_name(NULL, "", "?");
}

static void is_json(const char *text, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	json_quote(&out, text);
	assert_string_equal(out.s, expected);
	strbuf_release(&out);
}

static void json_has_escapes_for_all_of_it(void **state)
{
	(void)state;
	is_json("a\"b\\c\td", "\"a\\\"b\\\\c\\u0009d\"");
	is_json("right\342\200\256left", "\"right\\u202eleft\"");
	is_json("\377", "\"\\ufffd\"");
	is_json("</script><!--", "\"\\u003c/script>\\u003c!--\"");
	is_json("std::vector<int>", "\"std::vector<int>\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_may_not_be_shown_is_a_question_mark),
		cmocka_unit_test(json_has_escapes_for_all_of_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
