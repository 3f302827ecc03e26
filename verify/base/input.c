/* SPDX-License-Identifier: MIT */
#include "verify/base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *need(size_t n, size_t bytes)
{
	void *p = calloc(n ? n : 1, bytes);

	if (!p) {
		fputs("out of memory\n", stderr);
		exit(VERDICT_UNREADABLE);
	}
	return p;
}

void *need_more(void *array, size_t n, size_t bytes)
{
	void *p;

	if (n && (n & (n - 1)))
		return array;
	p = n > SIZE_MAX / 2 / bytes ? NULL : realloc(array, (n ? 2 * n : 1) * bytes);
	if (!p) {
		fputs("out of memory\n", stderr);
		exit(VERDICT_UNREADABLE);
	}
	return p;
}

size_t shown_bytes(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	/* Two bytes: from U+00A0 on, and no mark that turns text round. */
	if (s[0] >= 0xc2 && s[0] <= 0xdf && (s[1] & 0xc0) == 0x80)
		return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c) ? 0 : 2;
	/* Three: nothing of U+2000 to U+207F, which has all the others, nor what is no letter anywhere. */
	if (s[0] >= 0xe1 && s[0] <= 0xee && s[0] != 0xed && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80)
		return s[0] == 0xe2 && s[1] <= 0x81 ? 0 : 3;
	return 0;
}

/* Names come from files that anybody may have made: no control character, and no order of their own. */
static void make_harmless(char *s)
{
	while (*s) {
		size_t n = shown_bytes(s);

		if (!n)
			*s = '?';
		s += n ? n : 1;
	}
}

int fault_set(struct fault *f, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(f->text, sizeof(f->text), format, ap);
	va_end(ap);
	make_harmless(f->text);
	return -1;
}

static int input_read_all(int fd, struct input *in)
{
	size_t done = 0;

	while (done < in->size) {
		ssize_t n = read(fd, in->data + done, in->size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	in->size = done;
	in->data[done] = 0;
	return 0;
}

int input_read(struct input *in, const char *path, size_t max, struct fault *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int ret;

	*in = (struct input){0};
	if (fd < 0)
		return fault_set(f, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return fault_set(f, "'%s' is not a regular file", path);
	}
	if ((uintmax_t)st.st_size > max) {
		close(fd);
		return fault_set(f, "'%s' has %jd bytes, more than the %zu expected at most", path,
				 (intmax_t)st.st_size, max);
	}
	in->size = (size_t)st.st_size;
	in->data = need(in->size + 1, 1);
	ret = input_read_all(fd, in);
	close(fd);
	if (!ret)
		return 0;
	input_release(in);
	return fault_set(f, "cannot read '%s': %s", path, strerror(-ret));
}

void input_release(struct input *in)
{
	free(in->data);
	*in = (struct input){0};
}

void findings_add(struct findings *list, const char *format, ...)
{
	char text[1024];
	va_list ap;
	size_t n;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	make_harmless(text);
	n = strlen(text) + 1;
	list->line = need_more(list->line, list->n, sizeof(*list->line));
	list->line[list->n] = need(n, 1);
	memcpy(list->line[list->n++], text, n);
}

void findings_print(const struct findings *list)
{
	for (size_t i = 0; i < list->n; i++)
		printf("  %s\n", list->line[i]);
}

void findings_release(struct findings *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->line[i]);
	free(list->line);
	*list = (struct findings){0};
}
