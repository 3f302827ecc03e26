// SPDX-License-Identifier: MIT
/* Marks that are counted by a call: prs_den_group(). */
#include <string.h>

#include "runtime/denormal/den.h"

/* The parts of a group, and which of its words are denormal. */
struct group {
	const uint32_t *types, *singles, *rules, *flows;
	uint32_t n_singles, n_rules, n_flows, set; /* set: numbers of a set of words */
	const uint64_t *words;
	uint32_t is[PRS_DEN_GROUP_WORDS / 32];
};

static uint32_t type_of(const struct group *g, uint32_t i)
{
	return g->types[i / 4] >> i % 4 * 8 & 0xff;
}

/* Word @i, of which a number may fill a part only. */
static uint64_t bits_of(const struct group *g, uint32_t i)
{
	switch (type_of(g, i)) {
	case PRS_DEN_WORD_FLOAT16:
		return g->words[i] & 0xffff;
	case PRS_DEN_WORD_FLOAT:
		return g->words[i] & 0xffffffff;
	default:
		return g->words[i];
	}
}

/* Without the sign, moved up by one, a denormal is less than this, and 0 less 1 is not. */
static bool denormal(const struct group *g, uint32_t i)
{
	uint64_t bits = bits_of(g, i);

	switch (type_of(g, i)) {
	case PRS_DEN_WORD_FLOAT16:
		return (uint16_t)(bits << 1) - 1ull < (1u << 11) - 1;
	case PRS_DEN_WORD_FLOAT:
		return (uint32_t)(bits << 1) - 1ull < (1u << 24) - 1;
	case PRS_DEN_WORD_DOUBLE:
		return (bits << 1) - 1 < (1ull << 53) - 1;
	default:
		return type_of(g, i) == PRS_DEN_WORD_MASK && bits;
	}
}

static void group_read(struct group *g, const uint32_t *at, const uint64_t *words)
{
	uint32_t n = at[0];

	g->n_singles = at[1];
	g->n_rules = at[2];
	g->n_flows = at[3];
	g->set = (n + 31) / 32;
	g->words = words;
	g->types = at + PRS_DEN_GROUP_HEAD;
	g->singles = g->types + (n + 3) / 4;
	g->rules = g->singles + 2 * (size_t)g->n_singles;
	g->flows = g->rules + (size_t)g->n_rules * (1 + 2 * g->set);
	memset(g->is, 0, g->set * sizeof(*g->is));
	for (uint32_t i = 0; i < n; i++)
		g->is[i / 32] |= (uint32_t)denormal(g, i) << i % 32;
}

static uint64_t holds(const struct group *g, const uint32_t *rule)
{
	uint32_t any = 0, none = 0;

	for (uint32_t i = 0; i < g->set; i++) {
		any |= g->is[i] & rule[1 + i];
		none |= g->is[i] & rule[1 + g->set + i];
	}
	return any && !none;
}

static const uint32_t *rule_of(const struct group *g, uint32_t i)
{
	return g->rules + (size_t)i * (1 + 2 * g->set);
}

/* The births that hold are met in this order; the first is that of the store. */
static const struct prs_den_site *born(const struct group *g, const uint32_t *flow,
				       const struct prs_den_desc *desc)
{
	for (uint32_t i = 0; i < flow[3] >> 16; i++) {
		const uint32_t *rule = rule_of(g, flow[4 + i]);

		if (holds(g, rule))
			return desc->slots[*rule & ~PRS_DEN_RULE_COUNTS].site;
	}
	return NULL;
}

static void tell(const struct group *g, const uint32_t *flow, const struct prs_den_desc *desc)
{
	const struct prs_den_site *site = flow[1] == ~0u ? NULL : desc->slots[flow[1]].site;
	uint64_t count = holds(g, rule_of(g, flow[2] & 0xffff)), bits = flow[3] & 0xffff;

	if (count || flow[0] == PRS_DEN_FLOW_ONE)
		prs_den_flow(flow[0], site, (const void *)g->words[flow[2] >> 16],
			     (int64_t)(uintptr_t)born(g, flow, desc), count,
			     bits ? bits_of(g, (uint32_t)bits - 1) : 0);
}

DEN_EXPORT void prs_den_group(const uint32_t *group, const uint64_t *words, uint64_t *table,
			      const struct prs_den_desc *desc)
{
	struct group g;

	group_read(&g, group, words);
	for (uint32_t i = 0; i < g.n_singles; i++) {
		uint32_t slot = g.singles[2 * i], value = g.singles[2 * i + 1] & 0xffff,
			 address = g.singles[2 * i + 1] >> 16;

		if (!(g.is[value / 32] >> value % 32 & 1))
			continue;
		table[slot]++;
		if (address)
			prs_den_array(desc->slots[slot].site, (const void *)words[address - 1], 1);
	}
	for (uint32_t i = 0; i < g.n_rules; i++) {
		const uint32_t *rule = rule_of(&g, i);

		if (*rule & PRS_DEN_RULE_COUNTS)
			table[*rule & ~PRS_DEN_RULE_COUNTS] += holds(&g, rule);
	}
	for (uint32_t i = 0; i < g.n_flows; i++) {
		tell(&g, g.flows, desc);
		g.flows += 4 + (g.flows[3] >> 16);
	}
}
