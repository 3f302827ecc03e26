/* SPDX-License-Identifier: MIT */
#include "verify/base/triggers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The character at *field; its last byte is *field then. */
static unsigned character(const char **field)
{
	const char *s = *field;

	if (*s == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2])) {
		const char digits[] = {s[1], s[2], '\0'};

		*field += 2;
		return (unsigned)strtoul(digits, NULL, 16);
	}
	return (unsigned char)*s;
}

char *triggers_plain(char *field)
{
	char *to = field;

	for (const char *s = field; *s; s++)
		*to++ = (char)character(&s);
	*to = '\0';
	return field;
}

bool triggers_is_text(const char *field, const char *text)
{
	for (; *field && *text; field++, text++) {
		unsigned code = character(&field);

		if (code != (unsigned char)*text)
			return false;
	}
	return *field == *text;
}

static bool is_number(const char *field, uint64_t number)
{
	char *end;

	return *field >= '0' && *field <= '9' && strtoull(field, &end, 10) == number && !*end;
}

/* layout field TYPE FIELD FILE LINE ALIGN SIZE OFFSET SIZE-THEN OFFSET-THEN, or variable NAME UNIT .. SIZE-THEN; its EVIDENCE, and whether it is accepted */
bool triggers_is_layout(const struct vplan_layout *l, char *const *field, int n)
{
	bool of_type = l->kind == VPLAN_FIELD, accepted = l->accept != NULL;
	bool told = accepted || (l->evidence && *l->evidence);
	int last = of_type ? 11 : 9;

	if (n != last + told + accepted ||
	    (told && !triggers_is_text(field[last], l->evidence && *l->evidence ? l->evidence : "-")) ||
	    (accepted && strcmp(field[last + 1], "accepted") != 0) ||
	    strcmp(field[1], of_type ? "field" : "variable") || !triggers_is_text(field[4], l->file) ||
	    !is_number(field[5], l->source_line) || !is_number(field[6], l->align) ||
	    !is_number(field[7], l->size))
		return false;
	if (of_type)
		return triggers_is_text(field[2], l->type) && triggers_is_text(field[3], l->name) &&
		       is_number(field[8], l->offset) && is_number(field[9], l->size_after) &&
		       is_number(field[10], l->offset_after);
	return triggers_is_text(field[2], l->name) && triggers_is_text(field[3], l->unit ? l->unit : "-") &&
	       is_number(field[8], l->size_after);
}
