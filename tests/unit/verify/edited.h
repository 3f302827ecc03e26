/* SPDX-License-Identifier: MIT */
/* Documents with one word changed. */
#ifndef PERSEUS_TESTS_VERIFY_EDITED_H
#define PERSEUS_TESTS_VERIFY_EDITED_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "verify/base/input.h"

/* A copy of @path in which the first @from is @to; the caller unlinks @name. */
__attribute__((unused)) static void edited(const char *path, const char *from, const char *to, char name[32])
{
	struct input in;
	struct fault f;
	const char *at;
	FILE *out;

	assert_int_equal(input_read(&in, path, 1 << 20, &f), 0);
	at = strstr((const char *)in.data, from);
	if (!at)
		fail_msg("no '%s' in %s", from, path);
	strcpy(name, "/tmp/perseus-XXXXXX");
	out = fdopen(mkstemp(name), "w");
	fprintf(out, "%.*s%s%s", (int)(at - (const char *)in.data), (const char *)in.data, to,
		at + strlen(from));
	fclose(out);
	input_release(&in);
}

#endif
