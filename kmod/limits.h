/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What perseus.c decides, over plain integers: is a request well-formed, what
 * of it lies inside the hard limits, and what do two ranges have in common.
 * No lock, no allocation, no kernel type, so that the same text is tested and
 * fuzzed as a program of the host (tests/unit/kmod/, tests/kmod/fuzz-limits.c).
 */
#ifndef PRS_KMOD_LIMITS_H
#define PRS_KMOD_LIMITS_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#endif

#include "perseus/ctl.h"

#define PRS_LIMIT_ENTRIES 64u
#define PRS_KHZ_MAX       0x7fffffffu /* the kernel's requests are s32 */

/* Frequencies from min_khz to max_khz, both included. */
struct prs_range {
	prs_u32 min_khz;
	prs_u32 max_khz;
};

/* One entry of the `limits` parameter: for the policy that has this cpu. */
struct prs_limit {
	prs_u32 cpu;
	struct prs_range range;
};

struct prs_limits {
	struct prs_limit entry[PRS_LIMIT_ENTRIES];
	unsigned int n;
};

static inline bool prs_range_valid(const struct prs_range *r)
{
	return r->min_khz && r->min_khz <= r->max_khz && r->max_khz <= PRS_KHZ_MAX;
}

static inline prs_u32 prs_clamp(prs_u32 khz, const struct prs_range *r)
{
	if (khz < r->min_khz)
		return r->min_khz;
	return khz > r->max_khz ? r->max_khz : khz;
}

static inline bool prs_range_has(const struct prs_range *r, prs_u32 khz)
{
	return khz >= r->min_khz && khz <= r->max_khz;
}

/* True if `inner` leaves `outer` nowhere. */
static inline bool prs_range_inside(const struct prs_range *inner, const struct prs_range *outer)
{
	return inner->min_khz >= outer->min_khz && inner->max_khz <= outer->max_khz;
}

/* Narrow @r to what it shares with @other; false, and @r as it was, if that is nothing. */
static inline bool prs_range_meet(struct prs_range *r, const struct prs_range *other)
{
	struct prs_range both = *r;

	if (both.min_khz < other->min_khz)
		both.min_khz = other->min_khz;
	if (both.max_khz > other->max_khz)
		both.max_khz = other->max_khz;
	if (both.min_khz > both.max_khz)
		return false;
	*r = both;
	return true;
}

/* A configured limit beyond the hardware's is the hardware's: never empty. */
static inline void prs_range_narrow(struct prs_range *r, const struct prs_range *limit)
{
	struct prs_range hard = *r;

	r->min_khz = prs_clamp(limit->min_khz, &hard);
	r->max_khz = prs_clamp(limit->max_khz, &hard);
}

/*
 * The range that is granted of a request for @min_khz to @max_khz (0: not
 * bounded) under @limits.  Returns PRS_CTL_CLAMPED if a bound was moved.
 */
static inline prs_u32 prs_grant(const struct prs_range *limits, prs_u32 min_khz, prs_u32 max_khz,
				struct prs_range *granted)
{
	granted->min_khz = min_khz ? prs_clamp(min_khz, limits) : limits->min_khz;
	granted->max_khz = max_khz ? prs_clamp(max_khz, limits) : limits->max_khz;
	if ((min_khz && granted->min_khz != min_khz) || (max_khz && granted->max_khz != max_khz))
		return PRS_CTL_CLAMPED;
	return 0;
}

/*
 * The two bounds of a hold are replaced one after the other, and between the
 * two the minimum must not be above the maximum: the kernel would let the
 * minimum lose.
 */
static inline bool prs_maximum_first(const struct prs_range *from, const struct prs_range *to)
{
	return to->max_khz >= from->max_khz;
}

/* ---- requests: 0 or -EINVAL ------------------------------------------------- */

static inline int prs_check_caps(const struct prs_ctl_caps *c)
{
	if (c->version != PRS_CTL_VERSION || c->reserved[0] || c->reserved[1] || c->reserved[2])
		return -EINVAL;
	return 0;
}

static inline int prs_check_hold(const struct prs_ctl_hold *h)
{
	if (h->version != PRS_CTL_VERSION || h->flags || h->reserved[0] || h->reserved[1])
		return -EINVAL;
	if (h->max_khz && h->min_khz > h->max_khz)
		return -EINVAL;
	return 0;
}

static inline int prs_check_release(const struct prs_ctl_release *r)
{
	return r->version != PRS_CTL_VERSION || r->reserved[0] || r->reserved[1] ? -EINVAL : 0;
}

static inline int prs_check_query(const struct prs_ctl_query *q)
{
	return q->version != PRS_CTL_VERSION || q->flags || q->reserved ? -EINVAL : 0;
}

/* ---- the `limits` parameter: "0:800000-2400000,4:1000000-3000000" ------------ */

/* A decimal number of 1 to 10 digits that fits; moves @text behind it. */
static inline bool prs_number(const char **text, prs_u32 *value)
{
	const char *p = *text;
	prs_u64 v = 0;

	while (*p >= '0' && *p <= '9' && p - *text < 10)
		v = v * 10 + (prs_u64)(*p++ - '0');
	if (p == *text || (*p >= '0' && *p <= '9') || v > PRS_KHZ_MAX)
		return false;
	*value = (prs_u32)v;
	*text = p;
	return true;
}

/* One entry; what is wrong with it, or NULL.  @text ends behind it or where it is wrong. */
static inline const char *prs_limit_parse(const char **text, struct prs_limit *limit)
{
	if (!prs_number(text, &limit->cpu) || limit->cpu >= PRS_CTL_CPUS)
		return "expected the number of a cpu";
	if (*(*text)++ != ':')
		return (*text)--, "expected ':' and a range of kHz";
	if (!prs_number(text, &limit->range.min_khz))
		return "expected the lowest frequency in kHz";
	if (*(*text)++ != '-')
		return (*text)--, "expected '-' and the highest frequency in kHz";
	if (!prs_number(text, &limit->range.max_khz))
		return "expected the highest frequency in kHz";
	return prs_range_valid(&limit->range) ? NULL : "this range is empty, or starts at 0";
}

/*
 * NULL, or what is wrong with @text, and in @at where.  An empty text is no
 * limit; @limits is only valid after NULL.
 */
static inline const char *prs_limits_parse(const char *text, struct prs_limits *limits, unsigned int *at)
{
	const char *p = text, *wrong = NULL;
	unsigned int i;

	memset(limits, 0, sizeof(*limits));
	while (*p && !wrong) {
		struct prs_limit *limit = &limits->entry[limits->n];

		if (limits->n == PRS_LIMIT_ENTRIES) {
			wrong = "more than 64 entries";
			break;
		}
		wrong = prs_limit_parse(&p, limit);
		for (i = 0; !wrong && i < limits->n; i++)
			if (limits->entry[i].cpu == limit->cpu)
				wrong = "this cpu has an entry already";
		limits->n++;
		if (!wrong && *p && (*p != ',' || !*++p))
			wrong = "expected ',' and another entry";
	}
	*at = (unsigned int)(p - text);
	return wrong;
}

#endif
