/* SPDX-License-Identifier: MIT */
/* Expressions, by descent from assignment to names. */
#include <string.h>

#include "verify/source/crun.h"

#define DEPTH_MAX 200

static uint64_t crun_eval_cut(uint64_t n, uint32_t bits)
{
	return bits >= 64 ? n : n & ((UINT64_C(1) << bits) - 1);
}

static struct cvalue crun_eval_number(uint64_t n, uint32_t bits)
{
	return (struct cvalue){.type = {.bits = bits}, .n = crun_eval_cut(n, bits)};
}

static bool crun_eval_is_number(const struct cvalue *v)
{
	return v->type.bits && !v->type.stars && !v->type.n;
}

static bool is_scalar(const struct cvalue *v)
{
	return crun_eval_is_number(v) || (v->type.stars && !v->type.n);
}

/* What is at a place; arrays become pointers to their first element. */
int crun_load(struct crun *r, struct cvalue *v)
{
	if (v->type.n && v->is_place) {
		*v = (struct cvalue){.type = v->type, .n = v->cell + 1};
		v->type.n = 0;
		v->type.stars++;
		return 0;
	}
	if (!is_scalar(v))
		return crun_bad(r, "a value that generated code does not use");
	if (v->is_place) {
		v->n = r->cell[v->cell];
		v->is_place = false;
	}
	return 0;
}

static int point_to(struct crun *r, struct cvalue *v, size_t cell, struct ctype type)
{
	if (cell >= r->n_cells || crun_cells(r, &type) > r->n_cells - cell)
		return crun_bad(r, "a pointer that leads nowhere");
	*v = (struct cvalue){.type = type, .cell = cell, .is_place = true};
	return 0;
}

static int follow(struct crun *r, struct cvalue *v)
{
	struct ctype type;

	if (crun_load(r, v))
		return -1;
	type = v->type;
	if (!type.stars || !v->n)
		return crun_bad(r, "a pointer that leads nowhere");
	type.stars--;
	return point_to(r, v, (size_t)v->n - 1, type);
}

static int element(struct crun *r, struct cvalue *v)
{
	struct ctype type = v->type;
	struct cvalue i;

	if (!v->is_place || !type.n)
		return crun_bad(r, "an index of something that is no array");
	if (crun_expression(r, &i) || crun_load(r, &i) || crun_expect(r, "]"))
		return -1;
	if (!crun_eval_is_number(&i) || i.n >= type.n)
		return crun_bad(r, "an index outside its array");
	type.n = 0;
	return point_to(r, v, v->cell + (size_t)i.n * crun_cells(r, &type), type);
}

static int member(struct crun *r, struct cvalue *v)
{
	const char *name = r->t.token[r->at].s;
	const struct cstruct *s;

	if (r->t.token[r->at].kind != TOKEN_NAME || !v->is_place || !v->type.st || v->type.stars || v->type.n)
		return crun_bad(r, "a member of something that is no structure");
	s = &r->st[v->type.st - 1];
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->field[i].name, name)) {
			r->at++;
			return point_to(r, v, v->cell + s->field[i].offset, s->field[i].type);
		}
	return crun_bad(r, "an unknown member");
}

static int store(struct crun *r, const struct cvalue *place, uint64_t n)
{
	if (!place->is_place || !is_scalar(place))
		return crun_bad(r, "a value is set that cannot be");
	if (!place->type.stars)
		n = place->type.bits == 1 ? n != 0 : crun_eval_cut(n, place->type.bits);
	r->cell[place->cell] = n;
	return 0;
}

/* ++ and --, before or behind. */
static int crun_eval_count(struct crun *r, struct cvalue *v, bool up, bool before)
{
	struct cvalue place = *v;

	if (crun_load(r, v) || !crun_eval_is_number(v))
		return crun_bad(r, "something is counted that is no number");
	if (store(r, &place, v->n + (up ? 1 : UINT64_MAX)))
		return -1;
	if (before)
		v->n = r->cell[place.cell];
	return 0;
}

static int arguments(struct crun *r, uint64_t *argument, size_t *n)
{
	struct cvalue v;

	*n = 0;
	if (crun_take(r, ")"))
		return 0;
	do {
		if (*n == CRUN_ARGUMENTS)
			return crun_bad(r, "more arguments than generated code has");
		if (crun_expression(r, &v) || crun_load(r, &v))
			return -1;
		argument[(*n)++] = v.n;
	} while (crun_take(r, ","));
	return crun_expect(r, ")");
}

static int call(struct crun *r, const char *name, struct cvalue *v)
{
	const struct cfunction *f = crun_find(r, name);
	uint64_t argument[CRUN_ARGUMENTS];
	size_t n, back;

	if (!f)
		return crun_bad(r, "a function that nothing declares");
	if (arguments(r, argument, &n))
		return -1;
	back = r->at;
	r->result = 0;
	if (f->body ? crun_function(r, f, argument, n)
		    : r->platform(r, r->context, name, argument, n, &r->result))
		return -1;
	r->at = back;
	*v = (struct cvalue){.type = f->type,
			     .n = crun_eval_cut(r->result, f->type.bits ? f->type.bits : 64)};
	return 0;
}

static bool find_variable(const struct crun *r, const char *name, struct cvalue *v)
{
	static const struct {
		const char *name;
		uint64_t n;
		uint32_t bits;
	} known[] = {{"true", 1, 1},
		     {"false", 0, 1},
		     {"UINT32_MAX", UINT32_MAX, 32},
		     {"UINT64_MAX", UINT64_MAX, 64}};
	const struct cvariable *found = NULL;

	for (size_t i = 0; i < r->n_globals; i++)
		if (!strcmp(r->global[i].name, name))
			found = &r->global[i];
	for (size_t i = r->frame; i < r->n_locals; i++)
		if (!strcmp(r->local[i].name, name))
			found = &r->local[i];
	if (found)
		*v = (struct cvalue){.type = found->type, .cell = found->cell, .is_place = true};
	for (size_t i = 0; !found && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name)) {
			*v = crun_eval_number(known[i].n, known[i].bits);
			return true;
		}
	return found;
}

static int primary(struct crun *r, struct cvalue *v)
{
	const struct token *t = &r->t.token[r->at];

	if (t->kind == TOKEN_NUMBER) {
		r->at++;
		*v = crun_eval_number(t->number, t->bits);
		return 0;
	}
	if (crun_take(r, "("))
		return crun_expression(r, v) || crun_expect(r, ")") ? -1 : 0;
	if (t->kind != TOKEN_NAME)
		return crun_bad(r, "an expression that generated code does not have");
	r->at++;
	if (crun_take(r, "("))
		return call(r, t->s, v);
	return find_variable(r, t->s, v) ? 0 : crun_bad(r, "a name that nothing declares");
}

static int postfix(struct crun *r, struct cvalue *v)
{
	if (primary(r, v))
		return -1;
	for (;;) {
		int ret;

		if (crun_take(r, "["))
			ret = element(r, v);
		else if (crun_take(r, "."))
			ret = member(r, v);
		else if (crun_take(r, "->"))
			ret = follow(r, v) || member(r, v) ? -1 : 0;
		else if (crun_is(r, "++") || crun_is(r, "--"))
			ret = crun_eval_count(r, v, *r->t.token[r->at++].s == '+', false);
		else
			return 0;
		if (ret)
			return -1;
	}
}

static int unary(struct crun *r, struct cvalue *v);

static int cast(struct crun *r, struct cvalue *v)
{
	struct ctype type;

	if (crun_type(r, &type) || crun_expect(r, ")") || unary(r, v))
		return -1;
	if (!type.bits && !type.stars && !type.st) { /* (void) */
		*v = (struct cvalue){0};
		return 0;
	}
	if (crun_load(r, v) || !crun_eval_is_number(v) || !type.bits || type.stars)
		return crun_bad(r, "a conversion that generated code does not have");
	*v = crun_eval_number(type.bits == 1 ? v->n != 0 : v->n, type.bits);
	return 0;
}

static int unary_sign(struct crun *r, struct cvalue *v, char sign)
{
	if (sign == '*')
		return follow(r, v);
	if (sign == '&') {
		if (!v->is_place || v->type.n)
			return crun_bad(r, "the address of something that has none");
		*v = (struct cvalue){.type = v->type, .n = v->cell + 1};
		v->type.stars++;
		return 0;
	}
	if (crun_load(r, v) || !crun_eval_is_number(v))
		return crun_bad(r, "a sign before something that is no number");
	*v = sign == '!' ? crun_eval_number(!v->n, 1)
			 : crun_eval_number(~v->n, v->type.bits < 32 ? 32 : v->type.bits);
	return 0;
}

static int unary(struct crun *r, struct cvalue *v)
{
	const char *s = r->t.token[r->at].s;
	int ret = 0;

	if (++r->depth > DEPTH_MAX || ++r->steps > CRUN_STEPS)
		return crun_bad(r, "it does not come to an end");
	if (crun_is(r, "++") || crun_is(r, "--")) {
		r->at++;
		ret = unary(r, v) || crun_eval_count(r, v, *s == '+', true) ? -1 : 0;
	} else if (crun_is(r, "*") || crun_is(r, "&") || crun_is(r, "!") || crun_is(r, "~")) {
		r->at++;
		ret = unary(r, v) || unary_sign(r, v, *s) ? -1 : 0;
	} else if (crun_is(r, "(")) {
		r->at++;
		if (crun_begins_type(r)) {
			ret = cast(r, v);
		} else {
			r->at--;
			ret = postfix(r, v);
		}
	} else {
		ret = postfix(r, v);
	}
	r->depth--;
	return ret;
}

static const char *const levels[][5] = {
	{"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
};
#define LEVELS (sizeof(levels) / sizeof(*levels))

static int crun_eval_apply(struct crun *r, const char *sign, struct cvalue *a, const struct cvalue *b)
{
	uint32_t bits = a->type.bits > b->type.bits ? a->type.bits : b->type.bits;
	uint64_t x = a->n, y = b->n;
	bool equality = (sign[0] == '=' || sign[0] == '!') && sign[1] == '=';

	if (!crun_eval_is_number(a) || !crun_eval_is_number(b)) {
		if (!equality || !is_scalar(a) || !is_scalar(b))
			return crun_bad(r, "a calculation with something that is no number");
	}
	bits = bits < 32 ? 32 : bits;
	if ((*sign == '/' || *sign == '%') && !y)
		return crun_bad(r, "a division by zero");
	if ((!strcmp(sign, "<<") || !strcmp(sign, ">>")) && y >= bits)
		return crun_bad(r, "a shift by too much");
	if (equality)
		*a = crun_eval_number((x == y) == (*sign == '='), 1);
	else if (!strcmp(sign, "<") || !strcmp(sign, ">"))
		*a = crun_eval_number(*sign == '<' ? x < y : x > y, 1);
	else if (!strcmp(sign, "<=") || !strcmp(sign, ">="))
		*a = crun_eval_number(*sign == '<' ? x <= y : x >= y, 1);
	else if (!strcmp(sign, "<<") || !strcmp(sign, ">>"))
		*a = crun_eval_number(*sign == '<' ? x << y : x >> y, bits);
	else
		*a = crun_eval_number(*sign == '+'   ? x + y
				      : *sign == '-' ? x - y
				      : *sign == '*' ? x * y
				      : *sign == '/' ? x / y
				      : *sign == '%' ? x % y
				      : *sign == '|' ? x | y
				      : *sign == '^' ? x ^ y
						     : x & y,
				      bits);
	return 0;
}

static int binary(struct crun *r, size_t level, struct cvalue *v)
{
	struct cvalue right;

	if (level == LEVELS)
		return unary(r, v);
	if (binary(r, level + 1, v))
		return -1;
	for (;;) {
		const char *sign = NULL;

		for (size_t i = 0; i < 5 && levels[level][i]; i++)
			if (crun_is(r, levels[level][i]))
				sign = levels[level][i];
		if (!sign)
			return 0;
		r->at++;
		if (crun_load(r, v) || binary(r, level + 1, &right) || crun_load(r, &right) ||
		    crun_eval_apply(r, sign, v, &right))
			return -1;
	}
}

int crun_expression(struct crun *r, struct cvalue *v)
{
	struct cvalue place, right;
	char sign;

	if (binary(r, 0, v))
		return -1;
	if (!crun_is(r, "=") && !crun_is(r, "+=") && !crun_is(r, "-="))
		return 0;
	place = *v;
	sign = *r->t.token[r->at++].s;
	if (crun_expression(r, &right) || crun_load(r, &right))
		return -1;
	if (sign != '=' && (crun_load(r, v) || crun_eval_apply(r, sign == '+' ? "+" : "-", v, &right)))
		return -1;
	if (store(r, &place, sign == '=' ? right.n : v->n))
		return -1;
	*v = place;
	return crun_load(r, v);
}
