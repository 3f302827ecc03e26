/* SPDX-License-Identifier: MIT */
#include "cmd/base/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "lib/nearest.h"
#include "lib/num.h"

int cmd_usage(const struct cmd *cmd, const char *fmt, ...)
{
	va_list ap;

	cmd_say(stderr, "perseus %s: ", cmd->name);
	va_start(ap, fmt);
	cmd_vsay(stderr, fmt, ap);
	va_end(ap);
	cmd_say(stderr, "\n  perseus %s --help shows how it is used\n", cmd->name);
	return CMD_USAGE;
}

/* In a cluster of short options getopt_long() has not yet passed the word that holds the unknown one. */
static int in_cluster(const char *word, int option)
{
	return word && word[0] == '-' && word[1] && word[1] != '-' && strchr(word + 1, option);
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

int cmd_bad_option(const struct cmd *cmd, int c, char **argv)
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

int cmd_wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return 1;
	return 0;
}

int cmd_fail_on(const struct cmd *cmd, const char *text, double *percent)
{
	size_t n = strlen(text);
	char number[32];

	if (n && text[n - 1] == '%')
		n--;
	if (n < sizeof(number)) {
		memcpy(number, text, n);
		number[n] = '\0';
		if (!num_double(number, 0, 100, percent))
			return CMD_OK;
	}
	return cmd_usage(cmd, "--fail-on: '%s' is no percentage from 0 to 100", text);
}

int cmd_fail(const struct cmd *cmd, const struct err *err, int status)
{
	cmd_say(stderr, "perseus %s: %s\n", cmd->name, err->msg);
	return status;
}

int cmd_status(const struct err *err)
{
	switch (-err->code) {
	case ENOTSUP:
	case EACCES:
	case EPERM:
	case EROFS:
	case ENOSPC:
	case ENODEV:
	case ENOSYS:
		return CMD_MACHINE;
	default:
		return CMD_DATA;
	}
}

int cmd_write_status(const struct err *err)
{
	return err->code == -EINVAL ? CMD_DATA : CMD_MACHINE;
}
