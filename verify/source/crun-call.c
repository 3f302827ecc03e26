/* SPDX-License-Identifier: MIT */
/* Statements and calls. */
#include <string.h>

#include "verify/source/crun.h"

#define CALLS_MAX 40

enum outcome { FAILED = -1, WENT_ON, BROKE, RETURNED };

static enum outcome statement(struct crun *r);

static int add_local(struct crun *r, const char *name, struct ctype type)
{
	struct cvariable v = {.name = name, .type = type};

	if (crun_reserve(r, &type, &v.cell))
		return -1;
	r->local = need_more(r->local, r->n_locals, sizeof(v));
	r->local[r->n_locals++] = v;
	return 0;
}

/* A number as its type keeps it. */
static uint64_t kept(const struct ctype *type, uint64_t n)
{
	if (type->stars || type->bits >= 64)
		return n;
	return type->bits == 1 ? n != 0 : n & ((UINT64_C(1) << type->bits) - 1);
}

static int declare_local(struct crun *r)
{
	struct cvalue v;
	struct ctype type;
	const char *name;
	size_t cell;

	if (crun_is(r, "static"))
		return crun_bad(r, "a static variable inside a function");
	if (crun_type(r, &type) || crun_name(r, &name) || crun_bounds(r, &type) || add_local(r, name, type))
		return -1;
	cell = r->local[r->n_locals - 1].cell;
	if (crun_take(r, "=")) {
		if (type.n || (type.st && !type.stars))
			return crun_bad(r, "a list of values inside a function");
		if (crun_expression(r, &v) || crun_load(r, &v))
			return -1;
		r->cell[cell] = kept(&type, v.n);
	}
	return crun_expect(r, ";");
}

static int skip_statement(struct crun *r)
{
	if (++r->depth > CALLS_MAX * 8)
		return crun_bad(r, "statements inside statements inside statements");
	if (crun_is(r, "{")) {
		if (crun_skip_pair(r, "{", "}"))
			return -1;
	} else if (crun_take(r, "if")) {
		if (crun_skip_pair(r, "(", ")") || skip_statement(r))
			return -1;
		if (crun_take(r, "else") && skip_statement(r))
			return -1;
	} else if (crun_take(r, "for") || crun_take(r, "while") || crun_take(r, "switch")) {
		if (crun_skip_pair(r, "(", ")") || skip_statement(r))
			return -1;
	} else {
		while (!crun_take(r, ";"))
			if (r->t.token[r->at++].kind == TOKEN_END)
				return crun_bad(r, "a statement without end");
	}
	r->depth--;
	return 0;
}

static int crun_call_condition(struct crun *r, bool *holds)
{
	struct cvalue v;

	if (crun_expression(r, &v) || crun_load(r, &v))
		return -1;
	*holds = v.n != 0;
	return 0;
}

/* Statements up to the '}' of their block. */
static enum outcome block(struct crun *r)
{
	while (!crun_take(r, "}")) {
		enum outcome o;

		if (r->t.token[r->at].kind == TOKEN_END)
			return crun_bad(r, "a block without end");
		o = statement(r);
		if (o != WENT_ON)
			return o;
	}
	return WENT_ON;
}

static enum outcome run_if(struct crun *r)
{
	bool holds = false;
	enum outcome o = WENT_ON;

	if (crun_expect(r, "(") || crun_call_condition(r, &holds) || crun_expect(r, ")"))
		return FAILED;
	if (holds)
		o = statement(r);
	else if (skip_statement(r))
		return FAILED;
	if (o != WENT_ON || !crun_take(r, "else"))
		return o;
	if (!holds)
		return statement(r);
	return skip_statement(r) ? FAILED : WENT_ON;
}

/* Find the label for @n between here and the end of the block; r->at is behind it, or at @end. */
static int find_label(struct crun *r, uint64_t n, size_t end)
{
	size_t deep = 0, other = end;
	struct cvalue v;

	while (r->at < end) {
		if (!deep && crun_take(r, "case")) {
			if (crun_expression(r, &v) || crun_load(r, &v) || crun_expect(r, ":"))
				return -1;
			if (v.n == n)
				return 0;
			continue;
		}
		if (!deep && crun_take(r, "default")) {
			if (crun_expect(r, ":"))
				return -1;
			other = r->at;
			continue;
		}
		deep += crun_is(r, "{");
		deep -= crun_is(r, "}");
		r->at++;
	}
	r->at = other;
	return 0;
}

static enum outcome run_switch(struct crun *r)
{
	struct cvalue v;
	size_t begin, end;
	enum outcome o = WENT_ON;

	if (crun_expect(r, "(") || crun_expression(r, &v) || crun_load(r, &v) || crun_expect(r, ")"))
		return FAILED;
	begin = r->at;
	if (!crun_is(r, "{"))
		return crun_bad(r, "expected '{'");
	if (crun_skip_pair(r, "{", "}"))
		return FAILED;
	end = r->at;
	r->at = begin + 1;
	if (find_label(r, v.n, end - 1))
		return FAILED;
	if (r->at < end)
		o = block(r);
	if (o == BROKE || o == WENT_ON) {
		r->at = end;
		return WENT_ON;
	}
	return o;
}

/* `for (a; b; c) body` and `while (b) body`; loops go on as long as the condition says, and not for ever. */
static enum outcome run_loop(struct crun *r, bool is_for)
{
	size_t test, next = 0, body;
	struct cvalue v;
	bool holds;

	if (crun_expect(r, "(") || (is_for && (crun_expression(r, &v) || crun_expect(r, ";"))))
		return FAILED;
	test = r->at;
	for (;;) {
		enum outcome o;

		r->at = test;
		if (crun_call_condition(r, &holds))
			return FAILED;
		if (is_for && crun_expect(r, ";"))
			return FAILED;
		next = r->at;
		while (r->at > 0 && !crun_is(r, ")"))
			if (r->t.token[r->at].kind == TOKEN_END || r->t.token[r->at++].kind == TOKEN_END ||
			    crun_is(r, "("))
				return crun_bad(r, "a loop that generated code does not have");
		body = ++r->at;
		if (!holds || ++r->steps > CRUN_STEPS)
			break;
		o = statement(r);
		if (o != WENT_ON && o != BROKE)
			return o;
		if (o == BROKE) {
			r->at = body;
			break;
		}
		r->at = next;
		if (is_for && crun_expression(r, &v))
			return FAILED;
	}
	if (r->steps > CRUN_STEPS)
		return crun_bad(r, "it does not come to an end");
	return skip_statement(r) ? FAILED : WENT_ON;
}

static enum outcome run_return(struct crun *r)
{
	struct cvalue v;

	if (crun_take(r, ";"))
		return RETURNED;
	if (crun_expression(r, &v) || crun_load(r, &v) || crun_expect(r, ";"))
		return FAILED;
	r->result = v.n;
	return RETURNED;
}

static enum outcome run_plain(struct crun *r)
{
	struct cvalue v;

	if (crun_begins_type(r))
		return declare_local(r) ? FAILED : WENT_ON;
	return crun_expression(r, &v) || crun_expect(r, ";") ? FAILED : WENT_ON;
}

/* A label that control runs into. */
static int pass_label(struct crun *r)
{
	struct cvalue v;

	if (!crun_take(r, "default") && (crun_expect(r, "case") || crun_expression(r, &v)))
		return -1;
	return crun_expect(r, ":");
}

static enum outcome statement(struct crun *r)
{
	enum outcome o;

	if (++r->depth > CALLS_MAX * 4 || ++r->steps > CRUN_STEPS)
		return crun_bad(r, "it does not come to an end");
	if (crun_take(r, "{"))
		o = block(r);
	else if (crun_take(r, "if"))
		o = run_if(r);
	else if (crun_take(r, "switch"))
		o = run_switch(r);
	else if (crun_take(r, "for"))
		o = run_loop(r, true);
	else if (crun_take(r, "while"))
		o = run_loop(r, false);
	else if (crun_take(r, "break"))
		o = crun_expect(r, ";") ? FAILED : BROKE;
	else if (crun_take(r, "return"))
		o = run_return(r);
	else if (crun_is(r, "case") || crun_is(r, "default"))
		o = pass_label(r) ? FAILED : WENT_ON;
	else
		o = crun_take(r, ";") ? WENT_ON : run_plain(r);
	r->depth--;
	return o;
}

/* The parameters, as local variables with the arguments. */
static int parameters(struct crun *r, const struct cfunction *f, const uint64_t *argument, size_t n)
{
	struct ctype type;
	const char *name;
	size_t i = 0;

	r->at = f->parameters + 1;
	if (crun_take(r, "void") && crun_is(r, ")"))
		return n ? crun_bad(r, "too many arguments") : 0;
	do {
		if (crun_type(r, &type) || crun_name(r, &name) || add_local(r, name, type))
			return -1;
		if (i == n)
			return crun_bad(r, "too few arguments");
		r->cell[r->local[r->n_locals - 1].cell] = kept(&type, argument[i++]);
	} while (crun_take(r, ","));
	return i < n ? crun_bad(r, "too many arguments") : 0;
}

int crun_function(struct crun *r, const struct cfunction *f, const uint64_t *argument, size_t n)
{
	size_t frame = r->frame, locals = r->n_locals, cells = r->n_cells;
	struct cfunction now = *f;
	enum outcome o;

	if ((r->depth += 4) > CALLS_MAX * 4)
		return crun_bad(r, "calls inside calls inside calls");
	r->function[f - r->function].runs++;
	r->frame = locals;
	if (parameters(r, &now, argument, n))
		return -1;
	r->at = now.body + 1;
	o = block(r);
	if (o == FAILED)
		return -1;
	if (o == BROKE || (o == WENT_ON && (now.type.bits || now.type.stars)))
		return crun_bad(r, "a function ends without a result");
	r->frame = frame;
	r->n_locals = locals;
	r->n_cells = cells;
	r->depth -= 4;
	return 0;
}

int crun_call(struct crun *r, const char *name, const uint64_t *argument, size_t n, uint64_t *result)
{
	const struct cfunction *f = crun_find(r, name);

	if (!f || !f->body)
		return fault_set(r->f, "%s does not define %s", r->t.file[0], name);
	r->steps = 0;
	r->depth = 0;
	r->frame = r->n_locals = 0;
	r->n_cells = r->n_static;
	r->result = 0;
	if (crun_function(r, f, argument, n))
		return -1;
	*result = r->result;
	return 0;
}
