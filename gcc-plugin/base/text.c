/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/sites.h"
#include "gcc-plugin/base/text.h"

static void reserve(struct text *t, size_t more)
{
	if (t->n + more + 1 <= t->cap)
		return;
	t->cap = (t->n + more + 1) * 2;
	t->s = XRESIZEVEC(char, t->s, t->cap);
}

void text_bytes(struct text *t, const char *s, size_t n)
{
	reserve(t, n);
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = 0;
}

void text_str(struct text *t, const char *s)
{
	text_bytes(t, s, strlen(s));
}

void text_add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	reserve(t, 120);
	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
	va_end(ap);
	if (t->n + (size_t)n >= t->cap) {
		reserve(t, (size_t)n);
		va_start(ap, fmt);
		vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
		va_end(ap);
	}
	t->n += (size_t)n;
}

void text_field(struct text *t, const char *s)
{
	if (!*s)
		text_str(t, "-");
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7f || c == '\\')
			text_add(t, "\\x%02x", c);
		else
			text_bytes(t, s, 1);
	}
}

void text_quoted(struct text *t, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			text_add(t, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			text_add(t, "\\%03o", c);
		else
			text_bytes(t, s, 1);
	}
}

static bool base_text_is_plain(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f || *s == '\\')
			return false;
	return true;
}

const char *text_path(const char *file)
{
	static struct text last;
	const char *mapped = file ? remap_debug_filename(file) : NULL;

	if (!mapped || base_text_is_plain(mapped))
		return mapped;
	text_clear(&last);
	text_field(&last, mapped);
	return IDENTIFIER_POINTER(get_identifier(last.s));
}

void text_clear(struct text *t)
{
	t->n = 0;
	if (t->s)
		t->s[0] = 0;
}

void text_release(struct text *t)
{
	free(t->s);
	t->s = NULL;
	t->n = t->cap = 0;
}

const char *text_get(const struct text *t)
{
	return t->s ? t->s : "";
}

FILE *text_open(const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	FILE *f;

	*why = NULL;
	if (fd >= 0 && !fstat(fd, &st) && !S_ISREG(st.st_mode))
		*why = S_ISDIR(st.st_mode) ? "it is a directory" : "it is not a regular file";
	f = fd >= 0 && !*why ? fdopen(fd, "r") : NULL;
	if (f)
		return f;
	if (!*why)
		*why = xstrerror(errno);
	if (fd >= 0)
		close(fd);
	return NULL;
}

char *text_read(const char *path, size_t *size, const char **why)
{
	FILE *f = text_open(path, why);
	struct text all = {NULL, 0, 0};
	char part[4096];
	size_t n;
	bool failed;

	if (!f)
		return NULL;
	text_str(&all, "");
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		text_bytes(&all, part, n);
	failed = ferror(f);
	*why = xstrerror(errno);
	fclose(f);
	*size = all.n;
	if (failed)
		text_release(&all);
	return failed ? NULL : all.s;
}

bool text_undo_percent(char *s)
{
	char *to = s;
	unsigned c;

	for (; *s; s++) {
		if (*s == '%') {
			if (!ISXDIGIT(s[1]) || !ISXDIGIT(s[2]) || sscanf(s + 1, "%2x", &c) != 1 || !c)
				return false;
			*to++ = (char)c;
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
	return true;
}
