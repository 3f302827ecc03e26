/* SPDX-License-Identifier: MIT */
#include "lib/read/words.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

int words_bad(const struct words *w, struct err *err, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(err, -EINVAL, "%s line %u: %s", w->path, w->line, text);
}

int words_open(struct words *w, const char *path, const char *text, size_t len, const char *name,
	       struct err *err)
{
	int ret;

	*w = (struct words){.path = path, .text = mem_new(len + 1, 1)};
	w->at = w->text;
	if (len)
		memcpy(w->text, text, len);
	if (memchr(w->text, 0, len)) {
		ret = err_set(err, -EINVAL, "%s has a NUL in it: expected text", path);
	} else {
		ret = words_next(w, err);
		if (ret >= 0 &&
		    (ret == 0 || w->n != 2 || strcmp(w->word[0], name) || strcmp(w->word[1], "1")))
			ret = words_bad(w, err, "expected '%s 1' as the first line", name);
	}
	if (ret < 0)
		words_close(w);
	return ret < 0 ? ret : 0;
}

void words_close(struct words *w)
{
	free(w->text);
	w->text = w->at = NULL;
}

/* Cut the line @at; false: it has too many words. */
static bool words_cut(struct words *w, char *at)
{
	char *save = NULL;

	w->n = 0;
	for (char *p = strtok_r(at, " \t\r", &save); p; p = strtok_r(NULL, " \t\r", &save)) {
		if (w->n == WORDS_MAX)
			return false;
		w->word[w->n++] = p;
	}
	return true;
}

int words_next(struct words *w, struct err *err)
{
	while (*w->at) {
		char *line = w->at, *end = strchr(line, '\n');

		w->at = end ? end + 1 : strchr(line, 0);
		if (end)
			*end = 0;
		w->line++;
		if (!words_cut(w, line))
			return words_bad(w, err, "more than %d words", WORDS_MAX);
		if (w->n && *w->word[0] != '#')
			return 1;
	}
	w->n = 0;
	return 0;
}

char *words_rest(struct words *w, size_t i)
{
	char *to = i < w->n ? w->word[i] : NULL, *start = to;

	if (!start)
		return mem_strdup("");
	for (; i < w->n; i++) {
		size_t len = strlen(w->word[i]);

		if (to != start)
			*to++ = ' ';
		memmove(to, w->word[i], len + 1);
		to += len;
	}
	w->n = 0;
	return mem_strdup(start);
}
