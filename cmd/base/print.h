/* SPDX-License-Identifier: MIT */
/*
 * What users see.  Names that others chose do not rule the terminal
 * (lib/shown.h); `make lint` holds that nothing else in cmd/ prints.
 */
#ifndef PERSEUS_CMD_BASE_PRINT_H
#define PERSEUS_CMD_BASE_PRINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* On standard output; to a stream; a text as it is, NULL is nothing. */
void cmd_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cmd_say(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cmd_vsay(FILE *to, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void cmd_put(FILE *to, const char *text);

/* On standard output, for a shell: nothing is replaced. */
void cmd_raw(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A word of our own: blue if all is well, else orange, where there are colours. */
void cmd_mark(FILE *to, bool well, const char *word);

/* The line of a terminal is written anew. */
void cmd_again(FILE *to);

/*
 * The verdict of a checker as JSON, schema 1: @verdict in one word, the exit
 * status that goes with it, and the lines that it wrote.
 */
void cmd_verdict_json(const char *verdict, int status, const char *text);

/* What --color says; false: @word is none of auto, always, never. */
enum cmd_colours { CMD_COLOURS_AUTO, CMD_COLOURS_ALWAYS, CMD_COLOURS_NEVER };
bool cmd_colours_set(const char *word);

/* True if output may be coloured: by --color; else a terminal, no NO_COLOR, TERM not dumb. */
int cmd_colour(FILE *out);

#endif
