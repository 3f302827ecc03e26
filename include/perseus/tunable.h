/* SPDX-License-Identifier: MIT */
/*
 * A number in the source that perseus tune may choose:
 *
 *	int tile = perseus_tunable("tile", 8, 512, 64);
 *
 * The last one is the value as long as nobody tunes: the expression is that
 * constant, and nothing else of this header is in the program.  Compiled with
 * -DPERSEUS_TUNE it is the value that perseus tune hands over in the environment
 * (PERSEUS_TUNE_tile), if it lies in the range, read at each evaluation: keep it out
 * of hot loops.  perseus monitor --workers changes a tunable while the program runs: what
 * stands as NAME=VALUE in the file that PERSEUS_TUNE_LIVE names comes first.
 * Compiled with -DPERSEUS_TUNED='"FILE"', the constants that perseus tune --header=FILE
 * wrote, it is the constant found.  C and C++, no library.
 */
#ifndef PERSEUS_TUNABLE_H
#define PERSEUS_TUNABLE_H

#if defined(PERSEUS_TUNE)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of @name in the live file, in @line; NULL: there is none. */
static inline const char *perseus_tunable_live_(const char *name, char *line, int size)
{
	const char *path = getenv("PERSEUS_TUNE_LIVE"), *found = NULL;
	FILE *f = path && *path ? fopen(path, "re") : NULL;
	size_t len = strlen(name);

	while (f && !found && fgets(line, size, f))
		if (!strncmp(line, name, len) && line[len] == '=') {
			line[strcspn(line, "\n")] = 0;
			found = line + len + 1;
		}
	if (f)
		fclose(f);
	return found;
}

static inline long perseus_tunable_(const char *name, long low, long high, long otherwise)
{
	char variable[80] = "PERSEUS_TUNE_", line[128];
	const char *text;
	char *end;
	long value;

	if (strlen(name) > 60)
		return otherwise;
	strcat(variable, name);
	text = perseus_tunable_live_(name, line, (int)sizeof(line));
	if (!text)
		text = getenv(variable);
	if (!text || !*text)
		return otherwise;
	value = strtol(text, &end, 10);
	return *end || value < low || value > high ? otherwise : value;
}
#define perseus_tunable(name, low, high, otherwise) perseus_tunable_(name, low, high, otherwise)

#elif defined(PERSEUS_TUNED)

/* Defines PERSEUS_TUNED_VALUE(name, otherwise): a constant for each name. */
#include PERSEUS_TUNED
#define perseus_tunable(name, low, high, otherwise) PERSEUS_TUNED_VALUE(name, otherwise)

#else

#define perseus_tunable(name, low, high, otherwise) (otherwise)

#endif

#endif
