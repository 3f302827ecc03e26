/* SPDX-License-Identifier: MIT */
#include "lib/shown.h"

#include <string.h>

#define NO_CHARACTER 0xfffdu

/* Bytes of a sequence by its first one, 0: it begins none. */
static size_t length_of(unsigned char c)
{
	if (c < 0x80)
		return c != 0;
	return (c & 0xe0) == 0xc0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : (c & 0xf8) == 0xf0 ? 4 : 0;
}

uint32_t shown_char(const char *text, size_t *n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)text;
	size_t length = length_of(*s);
	uint32_t c = length > 1 ? *s & (0x7fu >> length) : *s;

	*n = *s != 0;
	if (*s < 0x80)
		return *s;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return NO_CHARACTER;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (!length || c < least[length] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return NO_CHARACTER;
	*n = length;
	return c;
}

/* Of no width; marks, embeddings, overrides and isolates of direction; ends of lines and paragraphs; tags. */
static bool moves_text(uint32_t c)
{
	return c == 0x61c || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
	       (c >= 0xe0000 && c <= 0xe007f);
}

bool shown_not(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == NO_CHARACTER || moves_text(c);
}

void shown_make(char *s, const char *keep)
{
	size_t n;

	for (; *s; s += n) {
		uint32_t c = shown_char(s, &n);

		if (shown_not(c) && !(c < 0x80 && strchr(keep, (int)c)))
			memset(s, '?', n);
	}
}
