/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "stor-layout.h"
#include "gcc-plugin/arch/denormal.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/denormal/call.h"
#include "gcc-plugin/denormal/test.h"

#define FULL  192 /* words */
#define FLOWS 8   /* a store has as much to tell as so many counters, in mode origin */

unsigned den_counters(const vec<den_mark> *marks, unsigned from, unsigned to)
{
	bool origin = prs_opt.den_mode == PRS_DEN_ORIGIN;
	unsigned n = 0;

	for (unsigned m = from; m < to; m++) {
		const struct den_mark *mark = &(*marks)[m];
		unsigned lanes = mark->value ? den_lanes(TREE_TYPE(mark->value)) : 1;

		n += lanes * ((unsigned)popcount_hwi(mark->site->slots & ~DEN_SLOT(PRS_DEN_WRAPPED, 0)) +
			      (origin && mark->site->kind == PRS_DEN_STORE ? FLOWS : 0));
	}
	return n;
}

static unsigned number_of(tree mask)
{
	return (unsigned)tree_to_uhwi(mask);
}

/* The mask of that set, which the call then owns; 0 is none. */
static tree mask_of(struct den_call *k, bitmap any, bitmap none)
{
	unsigned i = 1;

	if (!k->sets.length())
		k->sets.safe_push({NULL, NULL});
	while (i < k->sets.length() &&
	       !(bitmap_equal_p(k->sets[i].any, any) && bitmap_equal_p(k->sets[i].none, none)))
		i++;
	if (i == k->sets.length()) {
		k->sets.safe_push({any, none});
	} else {
		BITMAP_FREE(any);
		BITMAP_FREE(none);
	}
	return build_int_cst(uint64_type_node, i);
}

static unsigned add_word(struct den_call *k, tree value, unsigned lane, unsigned type)
{
	k->words.safe_push({value, lane, type});
	return k->words.length() - 1;
}

static tree call_test(struct den_count *c, tree value, unsigned lane)
{
	uint64_t key = ((uint64_t)(uintptr_t)value << 6) + lane + 2;
	tree *known = c->tests->get(key), mask, type = TREE_TYPE(value);
	unsigned kind = PRS_DEN_DOUBLE;
	bitmap any;

	if (known)
		return *known;
	den_type(VECTOR_TYPE_P(type) || TREE_CODE(type) == COMPLEX_TYPE ? TREE_TYPE(type) : type, &kind);
	any = BITMAP_ALLOC(NULL);
	bitmap_set_bit(any, (int)add_word(c->call, value, lane,
					  kind <= PRS_DEN_DOUBLE ? kind : (unsigned)PRS_DEN_WORD_MASK));
	mask = mask_of(c->call, any, BITMAP_ALLOC(NULL));
	c->tests->put(key, mask);
	return mask;
}

tree den_call_either(struct den_count *c, tree a, tree b)
{
	bitmap any = BITMAP_ALLOC(NULL);

	bitmap_ior(any, c->call->sets[number_of(a)].any, c->call->sets[number_of(b)].any);
	return mask_of(c->call, any, BITMAP_ALLOC(NULL));
}

tree den_call_without(struct den_count *c, tree a, tree b)
{
	bitmap any = BITMAP_ALLOC(NULL), none = BITMAP_ALLOC(NULL);

	bitmap_copy(any, c->call->sets[number_of(a)].any);
	bitmap_copy(none, c->call->sets[number_of(b)].any);
	return mask_of(c->call, any, none);
}

static unsigned add_rule(struct den_call *k, unsigned slot, unsigned set)
{
	unsigned i = 0;

	while (i < k->rules.length() && (k->rules[i].slot != slot || k->rules[i].set != set))
		i++;
	if (i == k->rules.length())
		k->rules.safe_push({slot, set});
	return i;
}

static void call_add(struct den_count *c, struct den_site *site, unsigned role, unsigned operand, tree mask)
{
	struct den_call *k = c->call;
	const struct den_set *set = &k->sets[number_of(mask)];
	unsigned slot = den_slot(site, role, operand), address = 0;
	tree at = role == PRS_DEN_RESULT && site->kind <= PRS_DEN_STORE ? c->mark->address : NULL_TREE;

	if (!bitmap_single_bit_set_p(set->any) || !bitmap_empty_p(set->none)) {
		/* The same rule may count twice. */
		k->rules.safe_push({slot | PRS_DEN_RULE_COUNTS, number_of(mask)});
		return;
	}
	if (at)
		address = den_call_word(k, integer_onep(at) ? build_zero_cst(uint64_type_node) : at);
	k->singles.safe_push(slot);
	k->singles.safe_push(bitmap_first_set_bit(set->any) | address << 16);
}

void den_call_begin(struct den_count *c)
{
	c->test = call_test;
	c->add = call_add;
}

bool den_call_full(const struct den_call *k)
{
	return k->words.length() > FULL;
}

unsigned den_call_word(struct den_call *k, tree value)
{
	for (unsigned i = 0; i < k->words.length(); i++)
		if (k->words[i].type == PRS_DEN_WORD_PLAIN && k->words[i].value == value)
			return i + 1;
	return add_word(k, value, 0, PRS_DEN_WORD_PLAIN) + 1;
}

unsigned den_call_bits(const struct den_call *k, tree mask)
{
	unsigned word = bitmap_first_set_bit(k->sets[number_of(mask)].any), type = k->words[word].type;

	return type == PRS_DEN_WORD_FLOAT || type == PRS_DEN_WORD_DOUBLE ? word + 1 : 0;
}

unsigned *den_call_place(struct den_call *k, gimple *load, unsigned lane)
{
	if (!k->places)
		k->places = new hash_map<int_hash<uint64_t, 0, 1>, unsigned>;
	return &k->places->get_or_insert(((uint64_t)(uintptr_t)load << 6) + lane + 2);
}

static unsigned slot_of(struct den_site *site)
{
	den_site_address(site);
	return site->first;
}

unsigned den_call_rule(struct den_count *c, struct den_site *site, tree mask)
{
	return add_rule(c->call, site ? slot_of(site) : ~PRS_DEN_RULE_COUNTS, number_of(mask));
}

void den_call_flow(struct den_count *c, unsigned what, struct den_site *site, unsigned rule, unsigned address,
		   unsigned bits, const vec<unsigned> *births)
{
	struct den_call *k = c->call;
	unsigned n = births ? births->length() : 0;

	k->flows.safe_push(what);
	k->flows.safe_push(site ? slot_of(site) : ~0u);
	k->flows.safe_push(rule | (address - 1) << 16);
	k->flows.safe_push(bits | n << 16);
	if (n)
		k->flows.safe_splice(*births);
	k->n_flows++;
}

/* ---- the call ---- */

static tree word_at(const struct den_call *k, tree type, unsigned i)
{
	tree at = build1(ADDR_EXPR, ptr_type_node, k->variable);

	return build2(MEM_REF, type, at, build_int_cst(ptr_type_node, i * sizeof(uint64_t)));
}

/* Number @lane of @value, to be stored. */
static tree number_in(gimple_seq *seq, tree value, unsigned lane)
{
	value = den_lane(seq, value, lane);
	return den_apart(seq, value, TREE_TYPE(value));
}

static void store_word(struct den_call *k, gimple_seq *seq, unsigned i)
{
	const struct den_word *w = &k->words[i];
	tree value = w->value;

	if (w->type == PRS_DEN_WORD_PLAIN)
		value = gimple_convert(seq, uint64_type_node, value);
	else if (w->type == PRS_DEN_WORD_MASK)
		value = den_test(seq, value, w->lane, false);
	else
		value = number_in(seq, value, w->lane);
	gimple_seq_add_stmt_without_update(seq, gimple_build_assign(word_at(k, TREE_TYPE(value), i), value));
}

static void put_set(vec<unsigned> *out, bitmap set, unsigned numbers)
{
	unsigned at = out->length(), bit;
	bitmap_iterator it;

	for (unsigned i = 0; i < numbers; i++)
		out->safe_push(0);
	EXECUTE_IF_SET_IN_BITMAP(set, 0, bit, it)
	(*out)[at + bit / 32] |= 1u << bit % 32;
}

/* What perseus/denormal.h says of a group. */
static tree numbers_of(const struct den_call *k)
{
	unsigned n = k->words.length();
	auto_vec<unsigned, 256> out;

	out.safe_push(n);
	out.safe_push(k->singles.length() / 2);
	out.safe_push(k->rules.length());
	out.safe_push(k->n_flows);
	for (unsigned i = 0; i < n; i += 4) {
		unsigned types = 0;

		for (unsigned w = i; w < n && w < i + 4; w++)
			types |= k->words[w].type << w % 4 * 8;
		out.safe_push(types);
	}
	out.safe_splice(k->singles);
	for (unsigned i = 0; i < k->rules.length(); i++) {
		out.safe_push(k->rules[i].slot);
		put_set(&out, k->sets[k->rules[i].set].any, (n + 31) / 32);
		put_set(&out, k->sets[k->rules[i].set].none, (n + 31) / 32);
	}
	out.safe_splice(k->flows);
	return den_site_group(&out);
}

static void begin_again(struct den_call *k)
{
	for (unsigned i = 1; i < k->sets.length(); i++) {
		BITMAP_FREE(k->sets[i].any);
		BITMAP_FREE(k->sets[i].none);
	}
	k->sets.truncate(0);
	k->words.truncate(0);
	k->rules.truncate(0);
	k->singles.truncate(0);
	k->flows.truncate(0);
	k->n_flows = 0;
	delete k->places;
	k->places = NULL;
}

/* The words are stored; the address of the first. */
static tree store_words(struct den_call *k, gimple_seq *seq)
{
	if (!k->variable) {
		k->variable = create_tmp_var_raw(build_array_type_nelts(uint64_type_node, 1), "denormals");
		gimple_add_tmp_var(k->variable);
		TREE_ADDRESSABLE(k->variable) = 1;
	}
	for (unsigned i = 0; i < k->words.length(); i++)
		store_word(k, seq, i);
	k->most = MAX(k->most, k->words.length());
	return build1(ADDR_EXPR, ptr_type_node, k->variable);
}

void den_call_end(struct den_count *c)
{
	struct den_call *k = c->call;
	tree words;

	if (!k->words.length())
		return;
	if (k->words.length() > PRS_DEN_GROUP_WORDS)
		fatal_error(UNKNOWN_LOCATION,
			    "perseus: an expression of more than %u values cannot be counted",
			    PRS_DEN_GROUP_WORDS);
	words = store_words(k, &c->seq);
	gimple_seq_add_stmt_without_update(&c->seq, asm_den_count_group(numbers_of(k), words));
	begin_again(k);
	c->tests->empty();
	c->leaves->empty();
}

/* ---- behind a loop ---- */

static void add_part(struct den_call *k, unsigned what, struct den_site *site, tree address, tree count,
		     unsigned step)
{
	unsigned first = address ? den_call_word(k, address) : 0;

	k->flows.safe_push(what);
	k->flows.safe_push(site ? slot_of(site) : ~0u);
	k->flows.safe_push(first | (count ? den_call_word(k, count) : 0) << 16);
	k->flows.safe_push(step);
	k->n_flows++;
}

void den_call_part(struct den_call *k, unsigned what, struct den_site *site, tree address, tree count,
		   tree step)
{
	unsigned number = 0;

	if (step && tree_fits_shwi_p(step) && tree_to_shwi(step) == (int)tree_to_shwi(step)) {
		number = (unsigned)tree_to_shwi(step);
	} else if (step) {
		what |= PRS_DEN_TOLD_STEP;
		number = den_call_word(k, step);
	}
	add_part(k, what, site, address, count, number);
}

void den_call_tag(struct den_call *k, struct den_site *site, tree tag, tree count, tree place)
{
	add_part(k, PRS_DEN_TOLD_TAG, site, tag, count, place ? den_call_word(k, place) : 0);
}

void den_call_told(struct den_call *k, gimple_seq *seq)
{
	auto_vec<unsigned, 64> numbers;
	tree words;

	if (!k->n_flows)
		return;
	numbers.safe_push(k->n_flows);
	numbers.safe_splice(k->flows);
	words = store_words(k, seq);
	gimple_seq_add_stmt_without_update(seq, asm_den_told(den_site_group(&numbers), words));
	begin_again(k);
}

void den_call_finish(struct den_call *k)
{
	if (k->variable) {
		TREE_TYPE(k->variable) = build_array_type_nelts(uint64_type_node, k->most);
		relayout_decl(k->variable);
	}
	k->words.release();
	k->sets.release();
	k->rules.release();
	k->singles.release();
	k->flows.release();
}
