/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting by a call: what the marks of a group are about is stored in words, and prs_den_group() does the
 * rest, by numbers that say what is to be counted.  It takes a store for each value where counting in line takes
 * some instructions for each counter.
 */
#ifndef PERSEUS_PLUGIN_DENORMAL_CALL_H
#define PERSEUS_PLUGIN_DENORMAL_CALL_H

#include "gcc-plugin/denormal/count.h"

/* Any of the first words, and none of the second, are denormal; a mask is the number of one. */
struct den_set {
	bitmap any, none;
};

struct den_word {
	tree value;
	unsigned lane, type; /* type: enum prs_den_word */
};

struct den_rule {
	unsigned slot, set; /* slot: with PRS_DEN_RULE_COUNTS, or ~0: of none */
};

/* Of one pass over a function; zeros at first. */
struct den_call {
	tree variable; /* the words, NULL_TREE: not needed yet */
	unsigned most; /* words that it has */
	vec<den_word> words;
	vec<den_set> sets;
	vec<den_rule> rules;
	vec<unsigned> singles, flows;
	unsigned n_flows;
	hash_map<int_hash<uint64_t, 0, 1>, unsigned> *places;
};

/* Counters of marks[@from] to marks[@to - 1], and what else they have to tell. */
unsigned den_counters(const vec<den_mark> *marks, unsigned from, unsigned to);

/* What is handed to c->add from now on, as to @c's other functions, is for c->call. */
void den_call_begin(struct den_count *c);

/* Are there so many words that the call should be made before the next mark? */
bool den_call_full(const struct den_call *k);

/* The call, appended to c->seq; then all begins again. */
void den_call_end(struct den_count *c);

/* The function is done: how long the variable is. */
void den_call_finish(struct den_call *k);

/* Masks of c->call. */
tree den_call_either(struct den_count *c, tree a, tree b);
tree den_call_without(struct den_count *c, tree a, tree b);

/* 1 + the word that holds @value, which is tested for nothing. */
unsigned den_call_word(struct den_call *k, tree value);

/* 1 + the word that @mask is of, if that is a float or double, else 0. */
unsigned den_call_bits(const struct den_call *k, tree mask);

/* 1 + the word with the address of what @load loads, @lane of it; 0 as long as none was put there. */
unsigned *den_call_place(struct den_call *k, gimple *load, unsigned lane);

/* The rule for @mask; @site: what it is about, or NULL. */
unsigned den_call_rule(struct den_count *c, struct den_site *site, tree mask);

/*
 * prs_den_flow(@what, @site, @address, ...) with the count that @rule gives; @address and @bits: 1 + a word;
 * @births: rules, NULL: none.
 */
void den_call_flow(struct den_count *c, unsigned what, struct den_site *site, unsigned rule, unsigned address,
		   unsigned bits, const vec<unsigned> *births);

/*
 * Behind a loop: a part of what prs_den_told() is told.  @what: enum prs_den_told_what; NULL_TREE:
 * no word; @step: a number, or NULL_TREE.
 */
void den_call_part(struct den_call *k, unsigned what, struct den_site *site, tree address, tree count,
		   tree step);

/* The same for a leaf whose tag is @tag, and which was loaded from @place, if that is known. */
void den_call_tag(struct den_call *k, struct den_site *site, tree tag, tree count, tree place);

/* The call with all parts, appended to @seq, if there are any; then all begins again. */
void den_call_told(struct den_call *k, gimple_seq *seq);

#endif
