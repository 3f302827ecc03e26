/* SPDX-License-Identifier: MIT */
#include "record/file/escape.h"

#include <errno.h>
#include <string.h>

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool escape_is_control(int c)
{
	return (c >= 0 && c < ' ') || c == 0x7f;
}

int escape_undo(char *s)
{
	char *out = strchr(s, '\\');

	if (!out)
		return 0;
	for (s = out; *s; s++) {
		int hi, lo;

		if (*s != '\\') {
			*out++ = *s;
			continue;
		}
		if (s[1] != 'x' || (hi = hex_digit(s[2])) < 0 || (lo = hex_digit(s[3])) < 0 || !(hi | lo))
			return -EINVAL;
		if (escape_is_control(hi << 4 | lo))
			memmove(out, s, 4);
		else
			*out = (char)(hi << 4 | lo);
		out += escape_is_control(hi << 4 | lo) ? 4 : 1;
		s += 3;
	}
	*out = '\0';
	return 0;
}
