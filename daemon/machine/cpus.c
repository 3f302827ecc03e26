/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/machine/cpus.h"

prs_u32 cpus_next(const struct cpus *set, prs_u32 from)
{
	for (prs_u32 cpu = from; cpu < PRS_CTL_CPUS; cpu++) {
		if (!(cpu % 8) && !set->bits[cpu / 8])
			cpu += 7;
		else if (cpus_has(set, cpu))
			return cpu;
	}
	return PRS_CTL_CPUS;
}

prs_u32 cpus_first_outside(const struct cpus *set, const struct cpus *other)
{
	struct cpus left = *set;

	cpus_remove(&left, other);
	return cpus_next(&left, 0);
}

/* A number below PRS_CTL_CPUS at *text, which moves behind it; false if there is none. */
static bool take_number(const char **text, prs_u32 *out)
{
	const char *p = *text;

	*out = 0;
	while (*p >= '0' && *p <= '9' && *out < PRS_CTL_CPUS)
		*out = *out * 10 + (prs_u32)(*p++ - '0');
	if (p == *text || *out >= PRS_CTL_CPUS)
		return false;
	*text = p;
	return true;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\n')
		p++;
	return p;
}

int cpus_parse(struct cpus *set, const char *list)
{
	const char *p = skip_blanks(list);

	memset(set, 0, sizeof(*set));
	while (*p) {
		const char *end;
		prs_u32 first, last;

		if (!take_number(&p, &first))
			return -EINVAL;
		last = first;
		if (*p == '-' && (p++, !take_number(&p, &last) || last < first))
			return -EINVAL;
		for (prs_u32 cpu = first; cpu <= last; cpu++)
			cpus_add(set, cpu);
		end = p;
		p = skip_blanks(p);
		if (*p == ',') {
			p++;
			if (*p < '0' || *p > '9')
				return -EINVAL;
		} else if (*p && p == end) {
			return -EINVAL;
		}
	}
	return 0;
}

size_t cpus_print(const struct cpus *set, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (prs_u32 cpu = cpus_next(set, 0); cpu < PRS_CTL_CPUS && n < size;) {
		prs_u32 last = cpu;

		while (cpus_has(set, last + 1))
			last++;
		n += (size_t)snprintf(out + n, size - n, last > cpu ? "%s%u-%u" : "%s%u", n ? "," : "", cpu,
				      last);
		cpu = cpus_next(set, last + 1);
	}
	return n;
}
