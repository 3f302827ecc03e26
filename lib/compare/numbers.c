/* SPDX-License-Identifier: MIT */
#include "lib/compare/numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 63 /* characters */

/* A piece of text: a number, a word, or a single character of another kind. */
struct piece {
	const char *at;
	size_t len;
	bool number;
	double value;
};

static bool is_text(const char *s, size_t len)
{
	return !memchr(s, '\0', len);
}

/* The number that begins at @s, if one does. */
static bool number_at(const char *s, size_t len, struct piece *p)
{
	char buf[NUMBER_MAX + 1], *end;
	size_t n = len < NUMBER_MAX ? len : NUMBER_MAX, digits = 0;

	memcpy(buf, s, n);
	buf[n] = '\0';
	digits = strspn(buf, "+-.");
	if (!isdigit((unsigned char)buf[digits]) && strncasecmp(buf + digits, "nan", 3) &&
	    strncasecmp(buf + digits, "inf", 3))
		return false;
	p->value = strtod(buf, &end);
	/* A letter behind it makes a word of it, as in 3rd or infinite. */
	if (end == buf || isalpha((unsigned char)*end) || *end == '_')
		return false;
	p->len = (size_t)(end - buf);
	p->number = true;
	return true;
}

static bool next(const char **s, const char *end, struct piece *p)
{
	while (*s < end && isspace((unsigned char)**s))
		(*s)++;
	if (*s == end)
		return false;
	*p = (struct piece){.at = *s};
	if (!number_at(*s, (size_t)(end - *s), p)) {
		p->len = 1;
		while (isalnum((unsigned char)**s) && *s + p->len < end &&
		       (isalnum((unsigned char)(*s)[p->len]) || (*s)[p->len] == '_'))
			p->len++;
	}
	*s += p->len;
	return true;
}

/* Order of doubles as whole numbers, so that neighbours differ by one. */
static int64_t place_of(double x)
{
	int64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static int64_t float_place_of(float x)
{
	int32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

static uint64_t apart(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static void numbers_add(struct numbers_change *c, double a, double b)
{
	double absolute = fabs(a - b), larger = fmax(fabs(a), fabs(b)), relative;
	uint64_t ulp, float_ulp;

	c->n++;
	if (a == b || (isnan(a) && isnan(b)))
		return;
	c->differ++;
	relative = isfinite(a) && isfinite(b) ? absolute / larger : INFINITY;
	if (!isfinite(absolute))
		absolute = INFINITY;
	ulp = isnan(a) || isnan(b) ? UINT64_MAX : apart(place_of(a), place_of(b));
	float_ulp =
		isnan(a) || isnan(b) ? UINT64_MAX : apart(float_place_of((float)a), float_place_of((float)b));
	if (relative > c->relative) {
		c->relative = relative;
		c->a = a;
		c->b = b;
		c->at = c->n;
	}
	c->absolute = fmax(c->absolute, absolute);
	c->ulp = ulp > c->ulp ? ulp : c->ulp;
	c->float_ulp = float_ulp > c->float_ulp ? float_ulp : c->float_ulp;
}

static void compare_text(const char *a, const char *a_end, const char *b, const char *b_end,
			 struct numbers_change *c)
{
	struct piece x, y;

	for (;;) {
		bool more_a = next(&a, a_end, &x), more_b = next(&b, b_end, &y);

		if (!more_a || !more_b) {
			c->words_differ |= more_a != more_b;
			return;
		}
		if (x.number && y.number)
			numbers_add(c, x.value, y.value);
		else if (x.number != y.number || x.len != y.len || memcmp(x.at, y.at, x.len))
			c->words_differ = true;
	}
}

void numbers_compare(const char *a, size_t a_len, const char *b, size_t b_len, struct numbers_change *c)
{
	size_t both = a_len < b_len ? a_len : b_len;

	*c = (struct numbers_change){.equal = a_len == b_len && !memcmp(a, b, both),
				     .text = is_text(a, a_len) && is_text(b, b_len)};
	for (size_t i = 0; i < both; i++)
		c->bits += (uint64_t)__builtin_popcount((unsigned char)(a[i] ^ b[i]));
	if (c->text)
		compare_text(a, a + a_len, b, b + b_len, c);
	else
		c->words_differ = a_len != b_len;
}
