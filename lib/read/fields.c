/* SPDX-License-Identifier: MIT */
#include "lib/read/fields.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/mem.h"

#define BUFFER (1u << 20) /* also the longest line */

struct fields {
	gzFile file; /* reads plain files as they are */
	char *path;
	char separator;
	char *head;           /* the line of names, */
	uint64_t line, names; /* ... and its number */
	size_t begin, end;    /* of what is read and not used */
	char mark;            /* decimal one that was met, 0: none yet */
	bool proven;          /* a comma that is none of thousands was met */
	uint64_t doubtful;    /* the line of the first one that might be, 0 */
	char buffer[BUFFER + 1];
};

int fields_open(struct fields **in, const char *path, struct err *err)
{
	struct fields *new;
	gzFile file = strcmp(path, "-") ? gzopen(path, "rb") : gzdopen(dup(STDIN_FILENO), "rb");

	*in = NULL;
	if (!file)
		return err_set(err, errno ? -errno : -ENOMEM, "'%s': %s", path, strerror(errno));
	gzbuffer(file, 1u << 18);
	new = mem_new(1, sizeof(*new));
	new->file = file;
	new->path = mem_strdup(path);
	*in = new;
	return 0;
}

void fields_close(struct fields *in)
{
	if (!in)
		return;
	gzclose(in->file);
	free(in->path);
	free(in->head);
	free(in);
}

uint64_t fields_line(const struct fields *in)
{
	return in->line;
}

char fields_separator(const struct fields *in)
{
	return in->separator;
}

const char *fields_path(const struct fields *in)
{
	return in->path;
}

/* Read more behind what is left: 1, 0 at the end, or an error. */
static int fill(struct fields *in, struct err *err)
{
	int got, why;

	memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
	in->end -= in->begin;
	in->begin = 0;
	if (in->end == BUFFER)
		return err_set(err, -EINVAL, "'%s', line %llu: longer than %u bytes: no table", in->path,
			       (unsigned long long)in->line + 1, BUFFER);
	got = gzread(in->file, in->buffer + in->end, (unsigned)(BUFFER - in->end));
	/* A compressed file that was cut ends as if it were whole, but for what this says. */
	if (got <= 0) {
		const char *message = gzerror(in->file, &why);

		if (!got && (why == Z_OK || why == Z_STREAM_END))
			return 0;
		message = why == Z_ERRNO       ? strerror(errno)
			  : why == Z_BUF_ERROR ? "the compressed file ends too early"
					       : message;
		if (!in->line)
			return err_set(err, -EIO, "'%s': %s", in->path, message);
		return err_set(err, -EIO, "'%s', behind line %llu: %s", in->path,
			       (unsigned long long)in->line, message);
	}
	in->end += (size_t)got;
	return got > 0;
}

/* The next line, NUL-terminated, or NULL: *ret is 0 at the end. */
static char *next_line(struct fields *in, size_t *length, int *ret, struct err *err)
{
	for (;;) {
		char *begin = in->buffer + in->begin;
		char *stop = memchr(begin, '\n', in->end - in->begin);

		if (!stop) {
			*ret = fill(in, err);
			if (*ret > 0)
				continue;
			begin = in->buffer + in->begin;
			if (*ret < 0 || in->begin == in->end)
				return NULL;
			stop = in->buffer + in->end; /* the last line has no end */
			in->begin = in->end;
		} else {
			in->begin = (size_t)(stop - in->buffer) + 1;
		}
		in->line++;
		*stop = '\0';
		*length = (size_t)(stop - begin);
		return begin;
	}
}

/* The next line with something in it; NULL as next_line(). */
static char *next_full(struct fields *in, int *ret, struct err *err)
{
	size_t length;
	char *line;

	do {
		line = next_line(in, &length, ret, err);
		if (line && strlen(line) != length) {
			*ret = err_set(err, -EINVAL, "'%s', line %llu: a NUL byte: no table", in->path,
				       (unsigned long long)in->line);
			return NULL;
		}
	} while (line && !line[strspn(line, " \t\r")]);
	return line;
}

/* @s without blanks around it. */
static char *trimmed(char *s)
{
	char *end;

	while (*s == ' ' || *s == '\t')
		s++;
	end = s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*end = '\0';
	return s;
}

/*
 * The field in quotes that begins at @s, its quotes taken off and two of them made
 * one; *stop is what comes behind it.  NULL: it does not end, or something
 * stands behind its end.
 */
static char *unquoted(char *s, char separator, char **stop)
{
	char *to = ++s, *begin = s;

	for (; *s && (*s != '"' || s[1] == '"'); *to++ = *s++)
		s += *s == '"';
	if (!*s)
		return NULL;
	for (s++; *s == ' ' || *s == '\r' || (*s == '\t' && separator != '\t'); s++)
		;
	if (*s && *s != separator)
		return NULL;
	*stop = *s ? s + 1 : NULL;
	*to = '\0';
	return begin;
}

/* Cut @line: the number of its fields, or -EINVAL. */
static int cut(const struct fields *in, char *line, char **field, struct err *err)
{
	int n = 0;

	for (char *stop; line; line = stop) {
		char *s = line + strspn(line, in->separator == '\t' ? " " : " \t");

		if (n == FIELDS_MAX)
			return err_set(err, -EINVAL, "'%s', line %llu: more than %d columns", in->path,
				       (unsigned long long)in->line, FIELDS_MAX);
		if (*s == '"') {
			field[n] = unquoted(s, in->separator, &stop);
			if (!field[n])
				return err_set(err, -EINVAL,
					       "'%s', line %llu, column %d: a quote that does not end, or "
					       "text behind it\n  a quote inside of quotes is written twice",
					       in->path, (unsigned long long)in->line, n + 1);
			n++;
			continue;
		}
		stop = strchr(line, in->separator);
		if (stop)
			*stop++ = '\0';
		field[n++] = trimmed(line);
	}
	return n;
}

/* The separator that @line has most of, outside of quotes, and how often. */
static char separator_of(const char *line, size_t *most)
{
	static const char candidates[] = "\t;,";
	char best = '\t';

	*most = 0;
	for (const char *c = candidates; *c; c++) {
		bool quoted = false;
		size_t n = 0;

		for (const char *p = line; *p; p++) {
			quoted ^= *p == '"';
			n += !quoted && *p == *c;
		}
		if (n > *most) {
			*most = n;
			best = *c;
		}
	}
	return best;
}

/* What is behind a mark of some spreadsheets. */
static char *behind_mark(char *line)
{
	return line + (strncmp(line, "\xef\xbb\xbf", 3) ? 0 : 3);
}

static int again(struct fields *in, struct err *err)
{
	if (gzrewind(in->file))
		return err_set(err, -ESPIPE, "'%s' cannot be read twice\n  put it into a file and name that",
			       in->path);
	in->line = 0;
	in->begin = in->end = 0;
	in->mark = 0;
	in->proven = false;
	in->doubtful = 0;
	return 0;
}

/* A line in front of the rows. */
struct head {
	uint64_t line;
	size_t separators;
	char separator;
	bool numbers; /* a field that is one */
};

/* Look at @text, which is cut. */
static struct head fields_look_at(struct fields *in, char *text)
{
	struct head h = {.line = in->line};
	char *field[FIELDS_MAX];
	struct err ignored;
	double x;
	int n;

	h.separator = in->separator = separator_of(text, &h.separators);
	n = cut(in, text, field, &ignored);
	for (int i = 0; i < n; i++)
		h.numbers |= !fields_number(in, field[i], &x);
	return h;
}

/* @line, which was read last, is read again. */
static void put_back(struct fields *in, const char *line)
{
	size_t stop = (size_t)(line - in->buffer) + strlen(line);

	if (stop < in->begin)
		in->buffer[stop] = '\n';
	in->begin = (size_t)(line - in->buffer);
	in->line--;
}

/* in->head becomes the line that has the names: 1, 0 if there is none, or an error. */
static int find_names(struct fields *in, struct err *err)
{
	struct head last = {0}, now;
	bool comment = true;
	int ret = 0;
	char *line;

	while (comment && (line = next_full(in, &ret, err))) {
		char *text = behind_mark(line), *copy;

		comment = *text == '#';
		text += comment;
		copy = mem_strdup(text);
		now = fields_look_at(in, copy);
		free(copy);
		if (!comment && last.line && last.separators && last.separators == now.separators &&
		    !last.numbers && now.numbers) {
			put_back(in, line);
			break;
		}
		free(in->head);
		in->head = mem_strdup(text);
		last = now;
	}
	in->names = last.line;
	in->separator = last.separator;
	in->mark = 0;
	in->proven = false;
	in->doubtful = 0;
	return ret < 0 ? ret : last.line > 0;
}

int fields_names(struct fields *in, char **field, struct err *err)
{
	int ret = find_names(in, err);

	return ret <= 0 ? ret : cut(in, in->head, field, err);
}

int fields_rewind(struct fields *in, struct err *err)
{
	int ret = again(in, err);

	while (ret >= 0 && in->line < in->names && next_full(in, &ret, err))
		;
	return ret < 0 ? ret : 0;
}

/* All that had a comma may have been whole numbers in groups of three. */
static int check_commas(const struct fields *in, struct err *err)
{
	if (!in->doubtful || in->proven)
		return 0;
	return err_set(err, -EINVAL,
		       "'%s', line %llu: the comma may be a decimal one or one of thousands, and no other "
		       "number says which\n  write decimal points, and no commas of thousands",
		       in->path, (unsigned long long)in->doubtful);
}

int fields_next(struct fields *in, char **field, struct err *err)
{
	int ret = 0;
	char *line;

	do
		line = next_full(in, &ret, err);
	while (line && *line == '#');
	if (!line)
		return ret ? ret : check_commas(in, err);
	return cut(in, line, field, err);
}

/* What needs no rounding but one: up to 15 digits, and a power of ten that is exact. */
static int plain_number(const char *s, char mark, double *out)
{
	static const double ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	uint64_t digits = 0;
	int n = 0, behind = -1;

	for (; *s; s++) {
		if (*s == mark && behind < 0) {
			behind = 0;
			continue;
		}
		if (*s < '0' || *s > '9' || ++n > 15)
			return -EINVAL;
		digits = digits * 10 + (uint64_t)(*s - '0');
		behind += behind >= 0;
	}
	if (!n)
		return -EINVAL;
	*out = (double)digits / ten[behind > 0 ? behind : 0];
	return 0;
}

static int any_number(const char *text, double *out)
{
	char *end;

	if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
		return -EINVAL;
	*out = strtod(text, &end);
	return *end || !isfinite(*out) ? -EINVAL : 0;
}

/* A number with one comma, for which a point is put and taken back. */
static int comma_number(struct fields *in, const char *text, const char *comma, double *out)
{
	char copy[64];
	size_t whole = (size_t)(comma - text) - (*text == '-' || *text == '+');

	if (strlen(text) >= sizeof(copy) || strpbrk(text, ".") || strchr(comma + 1, ','))
		return -EINVAL;
	memcpy(copy, text, strlen(text) + 1);
	copy[comma - text] = '.';
	if (any_number(copy, out))
		return -EINVAL;
	if (in->mark == '.')
		return -EDOM;
	in->mark = ',';
	/* "1,234" may be either; "0,512", "1234,5" and "1,5" are not. */
	if (strspn(comma + 1, "0123456789") != 3 || comma[4] || whole < 1 || whole > 3 ||
	    comma[-(ptrdiff_t)whole] == '0')
		in->proven = true;
	else if (!in->doubtful)
		in->doubtful = in->line;
	return 0;
}

int fields_number(struct fields *in, const char *text, double *out)
{
	const char *mark = strpbrk(text, ".,");
	int ret;

	if (mark && *mark == ',')
		return in->separator == ',' ? -EINVAL : comma_number(in, text, mark, out);
	ret = plain_number(text, '.', out) ? any_number(text, out) : 0;
	if (ret || !mark)
		return ret;
	if (in->mark == ',')
		return -EDOM;
	in->mark = '.';
	return 0;
}
