/* SPDX-License-Identifier: MIT */
#include "verify/elf/archive.h"

#include <ar.h>
#include <stdio.h>
#include <string.h>

#define ARCHIVE_BYTES ((size_t)4 << 30)
#define THIN          "!<thin>\n"

bool archive_is(const char *path)
{
	char begin[SARMAG] = "";
	FILE *in = fopen(path, "re");
	bool is = in && fread(begin, sizeof(begin), 1, in) == 1 &&
		  (!memcmp(begin, ARMAG, SARMAG) || !memcmp(begin, THIN, SARMAG));

	if (in)
		fclose(in);
	return is;
}

int archive_open(struct archive *a, const char *path, struct fault *f)
{
	*a = (struct archive){.path = path, .at = SARMAG};
	if (input_read(&a->in, path, ARCHIVE_BYTES, f))
		return -1;
	if (a->in.size < SARMAG || memcmp(a->in.data, ARMAG, SARMAG) != 0)
		return fault_set(f, "'%s' only names its members, which have to be given themselves", path);
	return 0;
}

/* A number in decimal digits with blanks behind; SIZE_MAX if it is none. */
static size_t archive_number(const char *text, size_t n)
{
	size_t value = 0, i = 0;

	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		value = value * 10 + (size_t)(text[i] - '0');
	return i && i < 16 ? value : SIZE_MAX;
}

/* A long name stands in a member of its own. */
static void set_name(struct archive *a, const struct ar_hdr *h)
{
	const char *name = h->ar_name;
	size_t n = sizeof(h->ar_name), at;

	if (name[0] == '/' && (at = archive_number(name + 1, n - 1)) < a->names_size) {
		name = (const char *)a->in.data + a->names + at;
		n = a->names_size - at;
	}
	snprintf(a->member, sizeof(a->member), "%.250s(%.*s)", a->path,
		 (int)(strcspn(name, "/\n ") < n ? strcspn(name, "/\n ") : n), name);
}

int archive_next(struct archive *a, struct image *e, struct fault *f)
{
	struct ar_hdr h;

	while (a->at < a->in.size) {
		size_t begin = a->at + sizeof(h), size;

		if (a->in.size - a->at < sizeof(h))
			return fault_set(f, "'%s' ends within the header of a member, at %zu", a->path,
					 a->at);
		memcpy(&h, a->in.data + a->at, sizeof(h));
		size = archive_number(h.ar_size, sizeof(h.ar_size));
		if (memcmp(h.ar_fmag, ARFMAG, sizeof(h.ar_fmag)) != 0 || size > a->in.size - begin)
			return fault_set(f, "'%s': the member at %zu is damaged", a->path, a->at);
		a->at = begin + size + (size & 1 && size < a->in.size - begin);
		if (!memcmp(h.ar_name, "// ", 3)) {
			a->names = begin;
			a->names_size = size;
			continue;
		}
		if (size < SELFMAG || memcmp(a->in.data + begin, ELFMAG, SELFMAG) != 0)
			continue;
		set_name(a, &h);
		return image_take(e, a->member, a->in.data + begin, size, f) ? -1 : 1;
	}
	return 0;
}

void archive_release(struct archive *a)
{
	input_release(&a->in);
}
