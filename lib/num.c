/* SPDX-License-Identifier: MIT */
#include "lib/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int num_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -EINVAL;
		if (n > (UINT64_MAX - (uint64_t)(*s - '0')) / 10)
			return -ERANGE;
		n = n * 10 + (uint64_t)(*s - '0');
	}
	if (n < min || n > max)
		return -ERANGE;
	*out = n;
	return 0;
}

int num_hex(const char *s, int digits, uint64_t *out)
{
	uint64_t n = 0;

	if ((int)strlen(s) != digits)
		return -EINVAL;
	for (; *s; s++) {
		if (*s >= '0' && *s <= '9')
			n = n << 4 | (uint64_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			n = n << 4 | (uint64_t)(*s - 'a' + 10);
		else
			return -EINVAL;
	}
	*out = n;
	return 0;
}

int num_double(const char *s, double min, double max, double *out)
{
	char *end;
	double x;

	if (!*s || *s == ' ')
		return -EINVAL;
	x = strtod(s, &end);
	if (*end || !isfinite(x))
		return -EINVAL;
	if (x < min || x > max)
		return -ERANGE;
	*out = x;
	return 0;
}

const char *num_group(char *buf, size_t size, uint64_t n)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	size_t at = 0;

	for (int i = 0; i < len && at + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

static void three_digits(char *buf, size_t size, double x, const char *unit)
{
	double a = fabs(x);

	snprintf(buf, size, "%.*f%s", a >= 99.95 || a == 0 ? 0 : a >= 9.995 ? 1 : 2, x, unit);
}

const char *num_time(char *buf, size_t size, double seconds)
{
	double a = fabs(seconds);

	if (a >= 0.9995 || a == 0)
		three_digits(buf, size, seconds, " s");
	else if (a >= 0.9995e-3)
		three_digits(buf, size, seconds * 1e3, " ms");
	else if (a >= 0.9995e-6)
		three_digits(buf, size, seconds * 1e6, " us");
	else
		three_digits(buf, size, seconds * 1e9, " ns");
	return buf;
}

const char *num_si(char *buf, size_t size, double n)
{
	double a = fabs(n);

	if (a >= 0.9995e9)
		three_digits(buf, size, n / 1e9, " G");
	else if (a >= 0.9995e6)
		three_digits(buf, size, n / 1e6, " M");
	else if (a >= 0.9995e3)
		three_digits(buf, size, n / 1e3, " k");
	else
		three_digits(buf, size, n, "");
	return buf;
}
