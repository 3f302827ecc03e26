/* SPDX-License-Identifier: MIT */
/*
 * Recursive descent to a program for a small stack machine.  Every value is a number:
 * a word is the index of a value, and is compared with values of its tunable only.
 */
#include "tuner/space/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define STACK 32

enum op { OP_NUMBER, OP_TUNABLE, OP_INDEX, OP_NOT, OP_MINUS, OP_BINARY };

/* Longer ones first. */
static const char *const signs[] = {"||", "&&", "==", "!=", "<=", ">=", "<",
				    ">",  "+",  "-",  "*",  "/",  "%",  NULL};
enum sign { S_OR, S_AND, S_EQ, S_NE, S_LE, S_GE, S_LT, S_GT, S_ADD, S_SUB, S_MUL, S_DIV, S_MOD, S_NONE };
static const int strength[] = {1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6, 0};

struct step {
	enum op op;
	enum sign sign;
	size_t tunable;
	double number;
};

struct expr VEC(struct step);

/* What a part of an expression stands for. */
enum kind { KIND_NUMBER, KIND_WORDS, KIND_WORD };
struct part {
	enum kind kind;
	size_t tunable;   /* of KIND_WORDS */
	const char *word; /* of KIND_WORD, not ended */
	size_t len;
	size_t at; /* the step that pushed it */
};

struct parser {
	const char *p;
	const struct space *s;
	size_t known;
	struct expr *e;
	unsigned depth;
	char *why;
	size_t size;
	bool failed;
};

static bool expr_parse(struct parser *p, int least, struct part *out);

static bool wrong(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(struct parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!p->failed)
		vsnprintf(p->why, p->size, fmt, ap);
	va_end(ap);
	p->failed = true;
	return false;
}

static void blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->p))
		p->p++;
}

static void emit(struct parser *p, struct step step)
{
	vec_push(p->e, step);
}

/* A name of a tunable, or a word in quotes. */
static bool parse_name(struct parser *p, struct part *out)
{
	const char *from = p->p;
	size_t len = 0;

	while (isalnum((unsigned char)from[len]) || from[len] == '_')
		len++;
	p->p += len;
	for (size_t j = 0; j < p->s->n_tunables; j++) {
		const struct tunable *t = &p->s->tunables[j];

		if (strlen(t->name) != len || strncmp(t->name, from, len))
			continue;
		if (j >= p->known)
			return wrong(p, "'%s' does not stand before", t->name);
		*out = (struct part){t->words ? KIND_WORDS : KIND_NUMBER, j, NULL, 0, p->e->n};
		emit(p, (struct step){t->words ? OP_INDEX : OP_TUNABLE, S_NONE, j, 0});
		return true;
	}
	return wrong(p, "there is no tunable '%.*s' (a word stands in quotes: \"%.*s\")", (int)len, from,
		     (int)len, from);
}

static bool parse_word(struct parser *p, struct part *out)
{
	char quote = *p->p++;
	size_t len = strcspn(p->p, (char[]){quote, 0});

	if (!p->p[len])
		return wrong(p, "a quote does not end");
	*out = (struct part){KIND_WORD, 0, p->p, len, p->e->n};
	emit(p, (struct step){OP_NUMBER, S_NONE, 0, -1});
	p->p += len + 1;
	return true;
}

static bool need_number(struct parser *p, const struct part *part)
{
	if (part->kind == KIND_WORDS)
		return wrong(p, "the values of '%s' are words, not numbers",
			     p->s->tunables[part->tunable].name);
	return part->kind == KIND_NUMBER ||
	       wrong(p, "\"%.*s\" is a word, not a number", (int)part->len, part->word);
}

static bool parse_one(struct parser *p, struct part *out)
{
	char *end;

	blanks(p);
	if (*p->p == '(') {
		p->p++;
		if (!expr_parse(p, 1, out))
			return false;
		blanks(p);
		return *p->p++ == ')' || wrong(p, "a parenthesis does not end");
	}
	if (*p->p == '!' || *p->p == '-') {
		enum op op = *p->p++ == '!' ? OP_NOT : OP_MINUS;

		if (!expr_parse(p, 7, out) || !need_number(p, out))
			return false;
		emit(p, (struct step){op, S_NONE, 0, 0});
		return true;
	}
	if (*p->p == '"' || *p->p == '\'')
		return parse_word(p, out);
	if (isalpha((unsigned char)*p->p) || *p->p == '_')
		return parse_name(p, out);
	if (!isdigit((unsigned char)*p->p))
		return *p->p ? wrong(p, "'%c' is not expected", *p->p) : wrong(p, "it ends too early");
	*out = (struct part){KIND_NUMBER, 0, NULL, 0, p->e->n};
	emit(p, (struct step){OP_NUMBER, S_NONE, 0, strtod(p->p, &end)});
	p->p = end;
	return true;
}

static enum sign next_sign(struct parser *p)
{
	blanks(p);
	for (int i = 0; signs[i]; i++)
		if (!strncmp(p->p, signs[i], strlen(signs[i])))
			return (enum sign)i;
	return S_NONE;
}

/* A word becomes the index that it has among the values of the tunable. */
static bool resolve(struct parser *p, const struct part *words, const struct part *word)
{
	const struct tunable *t = &p->s->tunables[words->tunable];
	char *text = mem_strndup(word->word, word->len);
	int64_t at = tunable_find(t, text);

	free(text);
	if (at < 0)
		return wrong(p, "'%s' is never \"%.*s\"", t->name, (int)word->len, word->word);
	p->e->at[word->at].number = (double)at;
	return true;
}

static bool check_binary(struct parser *p, enum sign sign, const struct part *a, const struct part *b)
{
	bool equal = sign == S_EQ || sign == S_NE;

	if (equal && a->kind == KIND_WORDS && b->kind == KIND_WORD)
		return resolve(p, a, b);
	if (equal && a->kind == KIND_WORD && b->kind == KIND_WORDS)
		return resolve(p, b, a);
	if (equal && a->kind == KIND_WORDS && b->kind == KIND_WORDS && a->tunable == b->tunable)
		return true;
	return need_number(p, a) && need_number(p, b);
}

/* What binds at least as strongly as @least. */
static bool expr_parse(struct parser *p, int least, struct part *out)
{
	enum sign sign;

	if (++p->depth > STACK)
		return wrong(p, "more than %d parts lie in each other", STACK);
	if (!parse_one(p, out))
		return false;
	while ((sign = next_sign(p)) != S_NONE && strength[sign] >= least) {
		struct part right;

		p->p += strlen(signs[sign]);
		if (!expr_parse(p, strength[sign] + 1, &right) || !check_binary(p, sign, out, &right))
			return false;
		emit(p, (struct step){OP_BINARY, sign, 0, 0});
		*out = (struct part){KIND_NUMBER, 0, NULL, 0, p->e->n - 1};
	}
	p->depth--;
	return true;
}

struct expr *expr_compile(const char *text, const struct space *s, size_t known, char *why, size_t size)
{
	struct expr *e = mem_new(1, sizeof(*e));
	struct parser p = {.p = text, .s = s, .known = known, .e = e, .why = why, .size = size};
	struct part all;

	if (expr_parse(&p, 1, &all) && need_number(&p, &all) && *p.p)
		wrong(&p, "'%c' is not expected", *p.p);
	if (!p.failed)
		return e;
	expr_free(e);
	return NULL;
}

void expr_free(struct expr *e)
{
	if (e)
		vec_release(e);
	free(e);
}

static double binary(enum sign sign, double a, double b)
{
	switch (sign) {
	case S_OR:
		return a != 0 || b != 0;
	case S_AND:
		return a != 0 && b != 0;
	case S_EQ:
		return a == b;
	case S_NE:
		return a != b;
	case S_LE:
		return a <= b;
	case S_GE:
		return a >= b;
	case S_LT:
		return a < b;
	case S_GT:
		return a > b;
	case S_ADD:
		return a + b;
	case S_SUB:
		return a - b;
	case S_MUL:
		return a * b;
	case S_DIV:
		return a / b;
	case S_MOD:
		return fmod(a, b);
	case S_NONE:
		break;
	}
	return NAN;
}

bool expr_true(const struct expr *e, const struct space *s, const struct setting *x)
{
	double stack[2 * STACK + 2];
	bool whole = true;
	size_t n = 0;

	for (size_t i = 0; i < e->n; i++) {
		const struct step *step = &e->at[i];

		if (step->op == OP_NUMBER)
			stack[n++] = step->number;
		else if (step->op == OP_TUNABLE)
			stack[n++] = space_number(s, x, step->tunable);
		else if (step->op == OP_INDEX)
			stack[n++] = x->at[step->tunable];
		else if (step->op == OP_NOT)
			stack[n - 1] = stack[n - 1] == 0;
		else if (step->op == OP_MINUS)
			stack[n - 1] = -stack[n - 1];
		else {
			n--;
			whole &= (step->sign != S_DIV && step->sign != S_MOD) || stack[n] != 0;
			stack[n - 1] = binary(step->sign, stack[n - 1], stack[n]);
		}
	}
	return whole && stack[0] != 0;
}
