/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/data/input.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/mem.h"

#define BUFFER (1u << 20) /* also the longest line */

struct energy_input {
	gzFile file; /* reads plain files as they are */
	char *path;
	uint64_t line;
	size_t begin, end; /* of what is read and not used */
	char buffer[BUFFER + 1];
};

int energy_input_open(struct energy_input **in, const char *path, struct err *err)
{
	struct energy_input *new;
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

void energy_input_close(struct energy_input *in)
{
	if (!in)
		return;
	gzclose(in->file);
	free(in->path);
	free(in);
}

int energy_input_rewind(struct energy_input *in, struct err *err)
{
	if (gzrewind(in->file))
		return err_set(err, -ESPIPE, "'%s' cannot be read twice\n  put it into a file and name that",
			       in->path);
	in->line = 0;
	in->begin = in->end = 0;
	return 0;
}

uint64_t energy_input_line(const struct energy_input *in)
{
	return in->line;
}

/* Read more behind what is left: 1, 0 at the end, or an error. */
static int fill(struct energy_input *in, struct err *err)
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
		return err_set(err, -EIO, "'%s', behind line %llu: %s", in->path,
			       (unsigned long long)in->line,
			       why == Z_ERRNO       ? strerror(errno)
			       : why == Z_BUF_ERROR ? "the compressed file ends too early"
						    : message);
	}
	in->end += (size_t)got;
	return got > 0;
}

/* The next line, NUL-terminated, or NULL: *ret is 0 at the end. */
static char *next_line(struct energy_input *in, size_t *length, int *ret, struct err *err)
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

/* @s without blanks around it, and without quotes that a spreadsheet put there. */
static char *trimmed(char *s)
{
	char *end;

	while (*s == ' ' || *s == '\t')
		s++;
	end = s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*end = '\0';
	if (end - s >= 2 && *s == '"' && end[-1] == '"') {
		end[-1] = '\0';
		s++;
	}
	return s;
}

int energy_input_next(struct energy_input *in, char separator, char **field, struct err *err)
{
	size_t length;
	int ret = 0, n = 0;
	char *line, *stop;

	do {
		line = next_line(in, &length, &ret, err);
		if (!line)
			return ret;
		if (strlen(line) != length)
			return err_set(err, -EINVAL, "'%s', line %llu: a NUL byte: no table", in->path,
				       (unsigned long long)in->line);
	} while (!line[strspn(line, " \t\r")]);
	for (; line; line = stop) {
		stop = strchr(line, separator);
		if (stop)
			*stop++ = '\0';
		if (n == ENERGY_MAX_COLUMNS)
			return err_set(err, -EINVAL, "'%s', line %llu: more than %d columns", in->path,
				       (unsigned long long)in->line, ENERGY_MAX_COLUMNS);
		field[n++] = trimmed(line);
	}
	return n;
}

/* What needs no rounding but one: up to 15 digits, and a power of ten that is exact. */
static int plain_number(const char *s, double *out)
{
	static const double ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	uint64_t digits = 0;
	int n = 0, behind = -1;

	for (; *s; s++) {
		if (*s == '.' && behind < 0) {
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

int energy_number(const char *text, double *out)
{
	char *end;

	if (!plain_number(text, out))
		return 0;
	if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
		return -EINVAL;
	*out = strtod(text, &end);
	return *end || !isfinite(*out) ? -EINVAL : 0;
}
