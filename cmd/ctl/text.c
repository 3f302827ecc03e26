/* SPDX-License-Identifier: MIT */
/* perseus ctl: sets of cpus and frequencies, from and for people. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/ctl/ctl.h"

#define KHZ_MAX 100000000u

uint32_t ctl_first(const prs_u8 cpus[PRS_CTL_CPUS / 8])
{
	uint32_t cpu = 0;

	while (cpu < PRS_CTL_CPUS && !ctl_cpus_has(cpus, cpu))
		cpu++;
	return cpu;
}

const char *ctl_cpus_noun(const prs_u8 cpus[PRS_CTL_CPUS / 8])
{
	uint32_t first = ctl_first(cpus);

	for (uint32_t c = first + 1; c < PRS_CTL_CPUS; c++)
		if (ctl_cpus_has(cpus, c))
			return "cpus";
	return first < PRS_CTL_CPUS ? "cpu" : "cpus";
}

uint32_t ctl_first_outside(const prs_u8 cpus[PRS_CTL_CPUS / 8], const prs_u8 all[PRS_CTL_CPUS / 8])
{
	uint32_t cpu = 0;

	while (cpu < PRS_CTL_CPUS && (!ctl_cpus_has(cpus, cpu) || ctl_cpus_has(all, cpu)))
		cpu++;
	return cpu;
}

/* Digits up to @end: -1 if there are none, or if it is no cpu number. */
static long take_cpu(const char *text, char **end)
{
	unsigned long n;

	*end = (char *)text;
	if (!isdigit((unsigned char)*text))
		return -1;
	n = strtoul(text, end, 10);
	return n < PRS_CTL_CPUS ? (long)n : -1;
}

int ctl_parse_cpus(const char *text, prs_u8 cpus[PRS_CTL_CPUS / 8], struct err *err)
{
	const char *at = text;

	memset(cpus, 0, PRS_CTL_CPUS / 8);
	for (;;) {
		char *end;
		long first = take_cpu(at, &end), last = first;

		if (first >= 0 && *end == '-')
			last = take_cpu(end + 1, &end);
		if (first < 0 || last < first || (*end && *end != ','))
			return err_set(err, -EINVAL,
				       "'%.80s' is no list of cpus: expected numbers below %u and ranges, "
				       "rising, for instance 0-3,8",
				       text, PRS_CTL_CPUS);
		for (long c = first; c <= last; c++)
			ctl_cpus_add(cpus, (uint32_t)c);
		if (!*end)
			return 0;
		at = end + 1;
	}
}

const char *ctl_cpus_text(char *buf, const prs_u8 cpus[PRS_CTL_CPUS / 8])
{
	size_t used = 0;

	strcpy(buf, "none");
	for (uint32_t first = 0, last; first < PRS_CTL_CPUS; first = last + 1) {
		last = first;
		if (!ctl_cpus_has(cpus, first))
			continue;
		while (ctl_cpus_has(cpus, last + 1))
			last++;
		used += (size_t)snprintf(buf + used, CTL_LIST_BYTES - used, used ? ",%" PRIu32 : "%" PRIu32,
					 first);
		if (last > first && used < CTL_LIST_BYTES)
			used += (size_t)snprintf(buf + used, CTL_LIST_BYTES - used, "-%" PRIu32, last);
		if (used >= CTL_LIST_BYTES)
			break;
	}
	return buf;
}

/* One frequency up to @end; 0 if it is none. */
static uint32_t take_khz(const char *text, char **end)
{
	double khz;

	*end = (char *)text;
	if (!isdigit((unsigned char)*text))
		return 0;
	khz = strtod(text, end);
	if (!strncasecmp(*end, "GHz", 3) || !strncasecmp(*end, "MHz", 3) || !strncasecmp(*end, "kHz", 3)) {
		khz *= tolower((unsigned char)**end) == 'g'   ? 1e6
		       : tolower((unsigned char)**end) == 'm' ? 1e3
							      : 1;
		*end += 3;
	}
	return khz >= 1 && khz <= KHZ_MAX ? (uint32_t)(khz + 0.5) : 0;
}

int ctl_parse_khz(const char *text, uint32_t *min, uint32_t *max, struct err *err)
{
	char *end;

	*min = *max = take_khz(text, &end);
	if (*min && *end == '-')
		*max = take_khz(end + 1, &end);
	if (!*min || !*max || *end)
		return err_set(
			err, -EINVAL,
			"'%.80s' is no frequency: expected kHz, or a number with GHz or MHz, or two of them, "
			"for instance 1200000-2400000 or 1.2GHz-2.4GHz",
			text);
	if (*min > *max)
		return err_set(err, -EINVAL, "'%.80s': the lower frequency comes first", text);
	return 0;
}

/* Two decimals, and more where they would hide something: what is shown can be asked for. */
static const char *ghz(char buf[24], uint32_t khz)
{
	int end = snprintf(buf, 24, "%" PRIu32 ".%06" PRIu32, khz / 1000000, khz % 1000000);

	for (int n = 0; n < 4 && buf[end - 1] == '0'; n++)
		buf[--end] = '\0';
	return buf;
}

const char *ctl_khz_text(char *buf, size_t size, uint32_t min, uint32_t max)
{
	char low[24], high[24];

	if (min == max)
		snprintf(buf, size, "%s GHz", ghz(high, max));
	else
		snprintf(buf, size, "%s to %s GHz", ghz(low, min), ghz(high, max));
	return buf;
}

const char *ctl_plan_text(char *buf, size_t size, const prs_u8 plan[32])
{
	static const prs_u8 none[32];

	*buf = '\0';
	if (size >= 16 && memcmp(plan, none, sizeof(none)))
		snprintf(buf, size, "%02x%02x%02x%02x%02x..", plan[0], plan[1], plan[2], plan[3], plan[4]);
	return buf;
}
