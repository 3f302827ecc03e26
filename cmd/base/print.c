/* SPDX-License-Identifier: MIT */
/* The one place where perseus prints: what others chose does not rule the terminal. */
#include "cmd/base/print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/pager.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "lib/shown.h"

/* @text is changed. */
static void base_print_show(FILE *to, char *text)
{
	shown_make(text, "\n\t");
	fputs(text, to);
}

void cmd_vsay(FILE *to, const char *fmt, va_list ap)
{
	char *text = mem_vprintf(fmt, ap);

	base_print_show(to, text);
	free(text);
}

void cmd_say(FILE *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cmd_vsay(to, fmt, ap);
	va_end(ap);
}

void cmd_print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cmd_vsay(stdout, fmt, ap);
	va_end(ap);
}

void cmd_put(FILE *to, const char *text)
{
	char *copy = text ? mem_strdup(text) : NULL;

	if (copy)
		base_print_show(to, copy);
	free(copy);
}

void cmd_raw(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

static enum cmd_colours colours;

bool cmd_colours_set(const char *word)
{
	static const char *const words[] = {
		[CMD_COLOURS_AUTO] = "auto", [CMD_COLOURS_ALWAYS] = "always", [CMD_COLOURS_NEVER] = "never"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i])) {
			colours = (enum cmd_colours)i;
			return true;
		}
	return false;
}

int cmd_colour(FILE *out)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");

	if (colours != CMD_COLOURS_AUTO)
		return colours == CMD_COLOURS_ALWAYS;
	return (isatty(fileno(out)) || pager_runs()) && !(none && *none) && term && strcmp(term, "dumb");
}

void cmd_mark(FILE *to, bool well, const char *word)
{
	if (cmd_colour(to))
		fprintf(to, "\033[%sm%s\033[0m", well ? "34" : "38;5;208", word);
	else
		cmd_put(to, word);
}

void cmd_again(FILE *to)
{
	fputs("\r\033[K", to);
}

void cmd_verdict_json(const char *verdict, int status, const char *text)
{
	struct strbuf out = STRBUF_INIT, line = STRBUF_INIT;
	struct json j;

	json_init(&j, &out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "verdict", verdict);
	json_u64(&j, "status", (uint64_t)status);
	json_array(&j, "lines");
	for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
		line.len = 0;
		strbuf_add(&line, text, strcspn(text, "\n"));
		json_string(&j, NULL, line.s);
	}
	json_end(&j);
	json_end(&j);
	cmd_put(stdout, out.s);
	strbuf_release(&line);
	strbuf_release(&out);
}
