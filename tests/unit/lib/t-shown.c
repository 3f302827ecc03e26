/* SPDX-License-Identifier: MIT */
/* What of others' names gets onto a terminal, and into files of ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/err.h"
#include "lib/json.h"
#include "lib/shown.h"

static void becomes(const char *text, const char *expected)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%s", text);
	shown_make(buf, "");
	assert_string_equal(buf, expected);
}

static void what_rules_a_terminal_is_not_shown(void **state)
{
	(void)state;
	becomes("a\033[33mb", "a?[33mb");
	becomes("\033]52;c;AAAA\007", "?]52;c;AAAA?");
	becomes("x\r\ny\tz\177", "x??y?z?");
	/* C1 as bytes, and as UTF-8. */
	becomes("\2332Jx\235y", "?2Jx?y");
	becomes("\302\2332J", "??2J");
	becomes("\302\205", "??");
}

static void what_turns_text_round_is_not_shown(void **state)
{
	(void)state;
	becomes("a\342\200\256b", "a???b"); /* U+202E */
	becomes("\342\201\246x\342\201\251", "???x???");
	becomes("\342\200\217\330\234", "?????");
	becomes("\342\200\250\357\273\277", "??????");
	becomes("\363\240\201\201", "????");
}

static void what_is_no_text_is_not_shown(void **state)
{
	(void)state;
	becomes("\300\233", "??"); /* ESC, too long */
	becomes("\340\200\233x", "???x");
	becomes("\355\240\200", "???");
	becomes("\364\220\200\200", "????");
	becomes("\342\200", "??");
	becomes("\303(", "?(");
	becomes("\377", "?");
}

/* Names as people write them. */
static void all_else_is(void **state)
{
	static const char *const texts[] = {"",
					    "std::vector<int>::at(unsigned long)",
					    "Gr\303\266\303\237e.c",
					    "\346\227\245\346\234\254",
					    "\360\237\230\200",
					    "a b~!\"'"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		becomes(texts[i], texts[i]);
}

static void lines_can_be_kept(void **state)
{
	char text[] = "a\n\tb\033\302\205";

	(void)state;
	shown_make(text, "\n\t");
	assert_string_equal(text, "a\n\tb???");
}

static void messages_show_nothing_else(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, -1, "no '%s'", "x\033\302\233\342\200\256");
	err_advise(&err, "try '%s'", "\235y");
	assert_string_equal(err.msg, "no 'x??????\x27\n  try '?y\x27");
}

/* JSON keeps what was there, in letters. */
static void json_has_it_in_letters(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct json j;

	(void)state;
	json_init(&j, &out);
	json_object(&j, NULL);
	json_string(&j, "a", "\033\177\302\233\342\200\256\303\266");
	json_end(&j);
	assert_non_null(strstr(out.s, "\"\\u001b\\u007f\\u009b\\u202e\303\266\""));
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rules_a_terminal_is_not_shown),
		cmocka_unit_test(what_turns_text_round_is_not_shown),
		cmocka_unit_test(what_is_no_text_is_not_shown),
		cmocka_unit_test(all_else_is),
		cmocka_unit_test(lines_can_be_kept),
		cmocka_unit_test(messages_show_nothing_else),
		cmocka_unit_test(json_has_it_in_letters),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
