/* SPDX-License-Identifier: MIT */
/*
 * The options of a verb as a table, in which each row says where its value goes:
 *
 *	const struct option_row rows[] = {
 *		OPTION_TEXT('o', "output", &o->output),
 *		OPTION_FLAG(0, "json", &o->json),
 *		OPTION_COUNT("pairs", &o->pairs, 5, 100000, NULL),
 *		OPTION_REAL("max-load", &o->max_load, 0, 100, "percent"),
 *		OPTION_WORD("form", forms, &o->form),
 *		OPTION_CALL("sort", take_sort, o),
 *		OPTION_END,
 *	};
 *	int ret = option_read(&cmd_prove, rows, argc, argv, OPTION_OPERANDS);
 *
 * The order of rows is the order of the help.  `--help` and `-h` need none, nor
 * `--list-options`, alone: the rows for scripts/completions.sh, and the help.
 */
#ifndef PERSEUS_CMD_OPTION_H
#define PERSEUS_CMD_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/base/cmd.h"
#include "lib/vec.h"

#define OPTION_LIST_WORD "--list-options"
#define OPTION_NO_VALUE  "?" /* no option with a choice of words has this one */

/* The values of an option that may be given several times, in order; they are words of argv. */
struct option_values VEC(const char *);

/*
 * Take the @value of option --@name.  Returns 0, or CMD_USAGE with the message
 * said by cmd_usage().
 */
typedef int option_take(const struct cmd *cmd, const char *name, const char *value, void *to);

enum option_kind {
	OPTION_IS_END,
	OPTION_IS_FLAG,  /* without a value: true */
	OPTION_IS_TEXT,  /* any value; the last one counts */
	OPTION_IS_LIST,  /* any value; all count */
	OPTION_IS_COUNT, /* a whole number from .min to .max */
	OPTION_IS_REAL,  /* a number from .least to .most */
	OPTION_IS_WORD,  /* one of .words, whose index is taken */
	OPTION_IS_CALL,  /* .take() looks at the value */
	OPTION_IS_BARE,  /* .take() without a value: NULL */
	OPTION_IS_MAYBE, /* .take() with a value behind '=', or NULL */
};

struct option_row {
	enum option_kind kind;
	char letter;      /* 0: it has none */
	const char *name; /* of the long form, without dashes */
	union {
		bool *flag;
		const char **text;
		struct option_values *list;
		uint64_t *count;
		double *real;
		unsigned *word;
		void *other; /* for .take() */
	} to;
	union {
		struct {
			uint64_t min, max;
		};
		struct {
			double least, most;
		};
		const char *const *words; /* the last is NULL */
		option_take *take;
	};
	const char *unit; /* behind the range in a message, NULL */
};

/* clang-format off */
#define OPTION_FLAG(c, s, p) {OPTION_IS_FLAG, c, s, {.flag = (p)}, {{0, 0}}, NULL}
#define OPTION_TEXT(c, s, p) {OPTION_IS_TEXT, c, s, {.text = (p)}, {{0, 0}}, NULL}
#define OPTION_LIST(c, s, p) {OPTION_IS_LIST, c, s, {.list = (p)}, {{0, 0}}, NULL}
#define OPTION_COUNT(s, p, lo, hi, u) {OPTION_IS_COUNT, 0, s, {.count = (p)}, {.min = (lo), .max = (hi)}, u}
#define OPTION_REAL(s, p, lo, hi, u) {OPTION_IS_REAL, 0, s, {.real = (p)}, {.least = (lo), .most = (hi)}, u}
/* @p: of an enum, whose values are the indices of @w */
#define OPTION_WORD(s, w, p) {OPTION_IS_WORD, 0, s, {.word = (unsigned *)(p)}, {.words = (w)}, NULL}
#define OPTION_CALL(s, f, p) {OPTION_IS_CALL, 0, s, {.other = (p)}, {.take = (f)}, NULL}
#define OPTION_CALL_LETTER(c, s, f, p) {OPTION_IS_CALL, c, s, {.other = (p)}, {.take = (f)}, NULL}
#define OPTION_BARE(s, f, p) {OPTION_IS_BARE, 0, s, {.other = (p)}, {.take = (f)}, NULL}
#define OPTION_MAYBE(s, f, p) {OPTION_IS_MAYBE, 0, s, {.other = (p)}, {.take = (f)}, NULL}
#define OPTION_END {OPTION_IS_END, 0, NULL, {NULL}, {{0, 0}}, NULL}
/* clang-format on */

_Static_assert(sizeof(enum option_kind) == sizeof(unsigned), "OPTION_WORD");

enum option_words {
	OPTION_OPERANDS, /* options may stand behind operands */
	OPTION_PROGRAM,  /* the first operand is a program, and what follows is its own */
};

/*
 * Read the options of argv[1..] into @rows; optind is then the first operand.
 * Returns 0, CMD_HELP, or CMD_USAGE with the message said.
 */
int option_read(const struct cmd *cmd, const struct option_row *rows, int argc, char **argv,
		enum option_words words);

/*
 * For option_take: the index of @value in @words, which ends with NULL, or -1
 * with "--NAME=VALUE: expected A, B or C" said.
 */
int option_choice(const struct cmd *cmd, const char *name, const char *value, const char *const *words);

/* For option_take: 0, or CMD_USAGE with "--NAME=VALUE: expected MIN to MAX (UNIT)" said. */
int option_count(const struct cmd *cmd, const char *name, const char *value, uint64_t min, uint64_t max,
		 const char *unit, uint64_t *to);
int option_real(const struct cmd *cmd, const char *name, const char *value, double least, double most,
		const char *unit, double *to);

#endif
