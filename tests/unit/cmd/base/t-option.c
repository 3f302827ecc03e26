/* SPDX-License-Identifier: MIT */
/* Options as a table: what each kind of row takes, and what is said of words that no row takes. */
#include <fcntl.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/base/option.h"

static const struct cmd verb = {.name = "verb",
				.usage = "usage: perseus verb\n  --json  --output=FILE  --pairs=N  --share=N "
					 " --add=WORD  --patch[=FILE]"};

struct taken {
	bool json;
	const char *output, *patch;
	uint64_t pairs;
	double share;
	struct option_values words;
	int bare;
};

static int take_patch(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	assert_ptr_equal(cmd, &verb);
	assert_string_equal(name, "patch");
	*(const char **)to = value ? value : "-";
	return 0;
}

static int take_bare(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	(void)cmd, (void)name;
	assert_null(value);
	++*(int *)to;
	return 0;
}

/* What stderr got meanwhile. */
static char said[4096];

static int read_words(struct taken *t, enum option_words words, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_FLAG('j', "json", &t->json),
		OPTION_TEXT('o', "output", &t->output),
		OPTION_COUNT("pairs", &t->pairs, 5, 100, NULL),
		OPTION_REAL("share", &t->share, 0, 1, "part"),
		OPTION_LIST(0, "add", &t->words),
		OPTION_MAYBE("patch", take_patch, &t->patch),
		OPTION_BARE("bare", take_bare, &t->bare),
		OPTION_END,
	};
	char path[] = "/tmp/t-option.XXXXXX";
	int saved = dup(STDERR_FILENO), fd = mkstemp(path), ret;
	ssize_t n;

	assert_true(saved >= 0 && fd >= 0);
	*t = (struct taken){.pairs = 7};
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	ret = option_read(&verb, rows, argc, argv, words);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = pread(fd, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(fd);
	unlink(path);
	return ret;
}

/* The words, which end with NULL. */
#define WORDS(...) ((const char *[]){"verb", __VA_ARGS__, NULL})
#define READ(t, how, ...)                                                                                    \
	read_words(t, how, (int)(sizeof(WORDS(__VA_ARGS__)) / sizeof(char *)) - 1,                           \
		   (char **)(uintptr_t)WORDS(__VA_ARGS__))

static void each_kind_of_row_takes_its_value(void **state)
{
	struct taken t;

	(void)state;
	assert_int_equal(READ(&t, OPTION_OPERANDS, "-j", "-oFILE", "--pairs=9", "--share", "0.5", "--add=a",
			      "--add=b", "--bare", "--patch", "operand"),
			 0);
	assert_true(t.json);
	assert_string_equal(t.output, "FILE");
	assert_int_equal(t.pairs, 9);
	assert_true(t.share == 0.5);
	assert_int_equal(t.words.n, 2);
	assert_string_equal(t.words.at[1], "b");
	assert_int_equal(t.bare, 1);
	assert_string_equal(t.patch, "-");
	assert_int_equal(optind, 10);
	assert_string_equal(said, "");
	vec_release(&t.words);
}

static void what_is_not_given_stays_as_it_was(void **state)
{
	struct taken t;

	(void)state;
	assert_int_equal(READ(&t, OPTION_OPERANDS, "operand"), 0);
	assert_int_equal(t.pairs, 7);
	assert_false(t.json || t.output || t.patch || t.bare || t.words.n);
}

static void a_value_behind_equals_is_the_optional_ones(void **state)
{
	struct taken t;

	(void)state;
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--patch=x", "y"), 0);
	assert_string_equal(t.patch, "x");
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--patch", "y"), 0);
	assert_string_equal(t.patch, "-");
	assert_int_equal(optind, 2);
}

static void options_of_the_program_are_left_to_it(void **state)
{
	struct taken t;

	(void)state;
	assert_int_equal(READ(&t, OPTION_PROGRAM, "-j", "program", "--pairs=9"), 0);
	assert_true(t.json && t.pairs == 7);
	assert_int_equal(optind, 2);
	assert_int_equal(READ(&t, OPTION_OPERANDS, "-j", "operand", "--pairs=9"), 0);
	assert_int_equal(t.pairs, 9);
}

static void numbers_out_of_range_are_refused_with_the_range(void **state)
{
	struct taken t;

	(void)state;
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--pairs=4"), CMD_USAGE);
	assert_non_null(strstr(said, "perseus verb: --pairs=4: expected 5 to 100"));
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--pairs=100"), 0);
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--pairs=9x"), CMD_USAGE);
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--share=1.5"), CMD_USAGE);
	assert_non_null(strstr(said, "expected 0 to 1 (part)"));
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--share=nan"), CMD_USAGE);
}

static void wrong_words_are_said_by_name(void **state)
{
	struct taken t;

	(void)state;
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--pears=9"), CMD_USAGE);
	assert_non_null(strstr(said, "unknown option '--pears=9'; did you mean --pairs?"));
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--zzzzzzzz"), CMD_USAGE);
	assert_non_null(strstr(said, "unknown option '--zzzzzzzz'"));
	assert_null(strstr(said, "did you mean"));
	assert_int_equal(READ(&t, OPTION_OPERANDS, "-jq"), CMD_USAGE);
	assert_non_null(strstr(said, "unknown option '-q'"));
	assert_int_equal(READ(&t, OPTION_OPERANDS, "-o"), CMD_USAGE);
	assert_non_null(strstr(said, "option '-o' needs a value"));
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--output"), CMD_USAGE);
	assert_non_null(strstr(said, "option '--output' needs a value"));
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--json=1"), CMD_USAGE);
	assert_non_null(strstr(said, "option '--json' takes no value"));
}

static void help_is_asked_for_by_either_form(void **state)
{
	struct taken t;

	(void)state;
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--help"), CMD_HELP);
	assert_int_equal(READ(&t, OPTION_OPERANDS, "-h"), CMD_HELP);
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--", "--help"), 0);
	assert_string_equal(said, "");
}

static void the_list_of_rows_is_asked_for_alone(void **state)
{
	struct taken t;

	(void)state;
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--list-options"), CMD_HELP);
	assert_string_equal(t.patch, OPTION_NO_VALUE);
	assert_false(t.json || t.output || t.bare || t.words.n);
	assert_int_equal(READ(&t, OPTION_PROGRAM, "program", "--list-options"), 0);
	assert_int_equal(READ(&t, OPTION_OPERANDS, "--list-options", "operand"), CMD_USAGE);
}

static void any_words_end_in_a_verdict(void **state)
{
	static const char letters[] = "-=johpairs.x1";
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		char word[6][8], *argv[8] = {(char *)"verb"};
		struct taken t;
		int ret;

		for (int k = 0; k < 6; k++) {
			size_t n = (seed >> 40) % 7;

			for (size_t c = 0; c < n; c++) {
				seed = seed * 6364136223846793005ull + 1442695040888963407ull;
				word[k][c] = letters[(seed >> 33) % (sizeof(letters) - 1)];
			}
			word[k][n] = '\0';
			argv[k + 1] = word[k];
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		}
		ret = read_words(&t, OPTION_OPERANDS, 7, argv);
		assert_true(ret == 0 || ret == CMD_USAGE || ret == CMD_HELP);
		assert_true((ret == CMD_USAGE) == (said[0] != '\0'));
		assert_true(optind >= 1 && optind <= 7);
		vec_release(&t.words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_row_takes_its_value),
		cmocka_unit_test(what_is_not_given_stays_as_it_was),
		cmocka_unit_test(a_value_behind_equals_is_the_optional_ones),
		cmocka_unit_test(options_of_the_program_are_left_to_it),
		cmocka_unit_test(numbers_out_of_range_are_refused_with_the_range),
		cmocka_unit_test(wrong_words_are_said_by_name),
		cmocka_unit_test(help_is_asked_for_by_either_form),
		cmocka_unit_test(the_list_of_rows_is_asked_for_alone),
		cmocka_unit_test(any_words_end_in_a_verdict),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
