/* SPDX-License-Identifier: MIT */
#include "cmd/base/option.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/nearest.h"
#include "lib/num.h"
#include "lib/strbuf.h"

#define LONG_FORM 256 /* of row i getopt_long() answers with LONG_FORM + i */

static int has_arg(enum option_kind kind)
{
	switch (kind) {
	case OPTION_IS_FLAG:
	case OPTION_IS_BARE:
		return no_argument;
	case OPTION_IS_MAYBE:
		return optional_argument;
	default:
		return required_argument;
	}
}

int option_choice(const struct cmd *cmd, const char *name, const char *value, const char *const *words)
{
	struct strbuf list = STRBUF_INIT;

	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], value))
			return i;
	for (int i = 0; words[i]; i++)
		strbuf_printf(&list, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	cmd_usage(cmd, "--%s=%s: expected %s", name, value, list.s);
	strbuf_release(&list);
	return -1;
}

int option_count(const struct cmd *cmd, const char *name, const char *value, uint64_t min, uint64_t max,
		 const char *unit, uint64_t *to)
{
	if (!num_u64(value, min, max, to))
		return 0;
	if (max == UINT64_MAX)
		return cmd_usage(cmd, "--%s=%s: expected a number", name, value);
	return cmd_usage(cmd, "--%s=%s: expected %" PRIu64 " to %" PRIu64 "%s%s%s", name, value, min, max,
			 unit ? " (" : "", unit ? unit : "", unit ? ")" : "");
}

int option_real(const struct cmd *cmd, const char *name, const char *value, double least, double most,
		const char *unit, double *to)
{
	if (!num_double(value, least, most, to))
		return 0;
	return cmd_usage(cmd, "--%s=%s: expected %g to %g%s%s%s", name, value, least, most, unit ? " (" : "",
			 unit ? unit : "", unit ? ")" : "");
}

static int take_word(const struct cmd *cmd, const struct option_row *row, const char *value)
{
	int i = option_choice(cmd, row->name, value, row->words);

	if (i >= 0)
		*row->to.word = (unsigned)i;
	return i < 0 ? CMD_USAGE : 0;
}

static int base_option_take(const struct cmd *cmd, const struct option_row *row, const char *value)
{
	switch (row->kind) {
	case OPTION_IS_FLAG:
		*row->to.flag = true;
		return 0;
	case OPTION_IS_TEXT:
		*row->to.text = value;
		return 0;
	case OPTION_IS_LIST:
		vec_push(row->to.list, value);
		return 0;
	case OPTION_IS_COUNT:
		return option_count(cmd, row->name, value, row->min, row->max, row->unit, row->to.count);
	case OPTION_IS_REAL:
		return option_real(cmd, row->name, value, row->least, row->most, row->unit, row->to.real);
	case OPTION_IS_WORD:
		return take_word(cmd, row, value);
	default:
		return row->take(cmd, row->name, value, row->to.other);
	}
}

/* The row that getopt_long() answered with @c, NULL: none. */
static const struct option_row *option_find(const struct option_row *rows, size_t n, int c)
{
	if (c >= LONG_FORM)
		return &rows[c - LONG_FORM];
	for (size_t i = 0; i < n; i++)
		if (rows[i].letter == c)
			return &rows[i];
	return NULL;
}

/* In a cluster of short options getopt_long() has not yet passed the word that holds the unknown one. */
static int in_cluster(const char *word, int option)
{
	return option < LONG_FORM && word && word[0] == '-' && word[1] && word[1] != '-' &&
	       strchr(word + 1, option);
}

/* The long options that the help of @cmd names, without dashes, in @names[0..@max); @text holds them. */
static size_t options_of(const struct cmd *cmd, char *text, size_t size, const char **names, size_t max)
{
	const char *p = cmd->usage;
	size_t n = 0;

	while (n < max && (p = strstr(p, "--")) != NULL) {
		size_t len = strspn(p += 2, "abcdefghijklmnopqrstuvwxyz-");

		if (len && len + 1 < size) {
			memcpy(text, p, len);
			text[len] = '\0';
			names[n++] = text;
			text += len + 1;
			size -= len + 1;
		}
		p += len;
	}
	return n;
}

/* An option that nobody has; the one that was meant, if there is one like it. */
static int unknown_option(const struct cmd *cmd, const char *word)
{
	const char *names[128], *meant;
	char text[2048], bare[NEAREST_LONGEST + 1] = "";
	size_t n = options_of(cmd, text, sizeof(text), names, sizeof(names) / sizeof(names[0]));
	size_t len = strcspn(word + 2, "=");

	if (len < sizeof(bare))
		memcpy(bare, word + 2, len);
	meant = nearest_word(bare, names, n);
	if (meant)
		return cmd_usage(cmd, "unknown option '%s'; did you mean --%s?", word, meant);
	return cmd_usage(cmd, "unknown option '%s'", word);
}

/*
 * What getopt_long() answered with @c, '?' or ':', said by name: an unknown
 * option, a value that is missing or not wanted.  CMD_USAGE, or CMD_HELP if it
 * was `--help` or `-h`.
 */
static int bad_option(const struct cmd *cmd, int c, char **argv)
{
	const char *word = argv[optind - 1];
	bool is_long = !strncmp(word, "--", 2) && (c == ':' || !optopt || !in_cluster(argv[optind], optopt));

	if (is_long && !strcmp(word, "--help"))
		return CMD_HELP;
	if (!is_long && c == '?' && optopt == 'h')
		return CMD_HELP;
	if (!is_long)
		return cmd_usage(cmd, c == ':' ? "option '-%c' needs a value" : "unknown option '-%c'",
				 optopt);
	if (c == '?' && optopt)
		return cmd_usage(cmd, "option '%.*s' takes no value", (int)strcspn(word, "="), word);
	return c == ':' ? cmd_usage(cmd, "option '%s' needs a value", word) : unknown_option(cmd, word);
}

/*
 * For `--list-options`: a line for each row, "KIND LETTER NAME [WORD...]".  What words
 * OPTION_CALL takes its function alone knows, and says on stderr of a value that is none.
 */
static int list_options(const struct cmd *cmd, const struct option_row *rows)
{
	static const char kinds[] = {
		[OPTION_IS_FLAG] = 'f',  [OPTION_IS_TEXT] = 't', [OPTION_IS_LIST] = 't',
		[OPTION_IS_COUNT] = 'n', [OPTION_IS_REAL] = 'n', [OPTION_IS_WORD] = 'w',
		[OPTION_IS_CALL] = 'c',  [OPTION_IS_BARE] = 'f', [OPTION_IS_MAYBE] = 'm',
	};

	for (; rows->kind != OPTION_IS_END; rows++) {
		cmd_print("%c %c %s", kinds[rows->kind], rows->letter ? rows->letter : '-', rows->name);
		for (int i = 0; rows->kind == OPTION_IS_WORD && rows->words[i]; i++)
			cmd_print(" %s", rows->words[i]);
		cmd_print("\n");
		if (rows->kind == OPTION_IS_CALL || rows->kind == OPTION_IS_MAYBE)
			rows->take(cmd, rows->name, OPTION_NO_VALUE, rows->to.other);
	}
	return CMD_HELP;
}

int option_read(const struct cmd *cmd, const struct option_row *rows, int argc, char **argv,
		enum option_words words)
{
	struct strbuf letters = STRBUF_INIT;
	struct option *longs;
	size_t n = 0;
	int c, ret = 0;

	if (argc == 2 && !strcmp(argv[1], OPTION_LIST_WORD))
		return list_options(cmd, rows);
	while (rows[n].kind != OPTION_IS_END)
		n++;
	longs = mem_new(n + 1, sizeof(*longs));
	strbuf_puts(&letters, words == OPTION_PROGRAM ? "+:" : ":");
	for (size_t i = 0; i < n; i++) {
		longs[i] = (struct option){rows[i].name, has_arg(rows[i].kind), NULL, LONG_FORM + (int)i};
		if (rows[i].letter)
			strbuf_printf(&letters, "%c%s", rows[i].letter,
				      has_arg(rows[i].kind) == required_argument ? ":" : "");
	}
	opterr = 0;
	optind = 0; /* all anew: 1 would keep where operands stand from the last time */
	while (!ret && (c = getopt_long(argc, argv, letters.s, longs, NULL)) != -1) {
		const struct option_row *row = c == ':' || c == '?' ? NULL : option_find(rows, n, c);

		ret = row ? base_option_take(cmd, row, optarg) : bad_option(cmd, c, argv);
	}
	free(longs);
	strbuf_release(&letters);
	return ret;
}
