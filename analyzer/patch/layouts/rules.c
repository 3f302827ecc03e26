/* SPDX-License-Identifier: MIT */
#include "analyzer/patch/layouts/rules.h"

#include <errno.h>
#include <string.h>

#define DEPTH 8

struct walk {
	const struct layout_rules *rules;
	const struct run_type *type;
	bool planned;   /* else as it is */
	uint64_t at;    /* the end of what was placed */
	uint64_t shift; /* of the last member's end, against the struct as it is */
	uint64_t align; /* of the struct so far */
	int depth;
};

static uint64_t up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static const char *behind_word(const char *type)
{
	static const char *const words[] = {"struct ", "class ", "union "};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(type, words[i], strlen(words[i])))
			return type + strlen(words[i]);
	return type;
}

bool layout_same_type(const char *a, const char *b)
{
	a = behind_word(a);
	b = behind_word(b);
	for (;; a++, b++) {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

/* What the plan aligns @name of @type to; 0: nothing. */
static uint32_t asked(const struct layout_rules *rules, const struct run_type *type, const char *name)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct plan_layout *l = rules->layouts[i];

		if (l->kind == PLAN_LAYOUT_FIELD && *name && !strcmp(l->field, name) &&
		    layout_same_type(l->type, type->name))
			return l->align;
	}
	return 0;
}

static int lay_out(struct walk *w, uint64_t *then, struct layout_room *out, struct err *err);

/* Size and alignment of member @p then; those of a type that is not in the table stay. */
static int room_of(const struct walk *w, const struct run_part *p, struct layout_room *out, struct err *err)
{
	const struct run_type *own = strcmp(p->type, "-") ? run_type(w->rules->run, p->type) : NULL;
	struct walk in = {.rules = w->rules, .type = own, .planned = true, .depth = w->depth + 1};
	uint32_t align = w->planned ? asked(w->rules, w->type, p->name) : 0;
	uint64_t n = own && own->bytes ? p->bytes / own->bytes : 0;
	struct layout_room inner;
	int ret;

	*out = (struct layout_room){p->bytes, p->align > align ? p->align : align};
	if (!w->planned || !own || !own->n_parts || (*p->name && n * own->bytes != p->bytes))
		return 0;
	ret = in.depth < DEPTH ? lay_out(&in, NULL, &inner, err) : 0;
	if (ret || in.depth >= DEPTH)
		return ret;
	/* What is derived may lie in the last bytes of its base, or not. */
	if (!*p->name)
		return inner.bytes == own->bytes && inner.align == own->align
			       ? 0
			       : err_set(err, -ENOTSUP,
					 "%s, a base class of %s, changes, and what lies behind it then the "
					 "site table does not tell",
					 own->name, w->type->name);
	out->bytes = inner.bytes * n;
	out->align = inner.align > out->align ? inner.align : out->align;
	return 0;
}

/* Bit-fields stay in front of what moves, or move with it by whole multiples of all that is aligned. */
static int place_bits(struct walk *w, const struct run_part *p, uint64_t *at, struct err *err)
{
	if (w->shift % (w->type->align ? w->type->align : 1))
		return err_set(err, -ENOTSUP,
			       "`%s` of %s is a bit-field, and where it lies then the site table does not "
			       "tell",
			       p->name, w->type->name);
	*at = p->offset + w->shift;
	return 0;
}

static int place_part(struct walk *w, const struct run_part *p, uint64_t *at, struct err *err)
{
	struct layout_room room = {p->bytes, 1};
	int ret = 0;

	if (!p->align) {
		ret = place_bits(w, p, at, err);
	} else if (!*p->name && p->bytes <= 1 && p->offset < w->at) {
		*at = p->offset; /* a base class without members */
		return 0;
	} else {
		ret = room_of(w, p, &room, err);
		*at = up(w->at, room.align);
		w->align = room.align > w->align ? room.align : w->align;
	}
	if (ret)
		return ret;
	w->at = *at + room.bytes > w->at ? *at + room.bytes : w->at;
	w->shift = *at + room.bytes - (p->offset + p->bytes);
	return 0;
}

static int lay_out(struct walk *w, uint64_t *then, struct layout_room *out, struct err *err)
{
	const struct run_type *t = w->type;
	int ret = 0;

	w->at = w->shift = 0;
	w->align = t->align ? t->align : 1;
	for (size_t i = 0; i < t->n_parts && !ret; i++) {
		uint64_t at = 0;

		ret = place_part(w, &t->parts[i], &at, err);
		if (!ret && !w->planned && at != t->parts[i].offset)
			ret = err_set(err, -ENOTSUP,
				      "`%s` of %s lies elsewhere than the rules of the ABI say",
				      t->parts[i].name, t->name);
		if (then)
			then[i] = at;
	}
	*out = (struct layout_room){up(w->at, w->align), w->align};
	if (!ret && !w->planned && out->bytes != t->bytes)
		ret = err_set(err, -ENOTSUP, "%s has another size than the rules of the ABI say", t->name);
	return ret;
}

int layout_rules_apply(const struct layout_rules *rules, const struct run_type *t, uint64_t *then,
		       struct layout_room *out, struct err *err)
{
	struct walk as_is = {.rules = rules, .type = t},
		    planned = {.rules = rules, .type = t, .planned = true};
	int ret;

	if (!t->n_parts) {
		err_set(err, -ENOTSUP, "the site table does not say what the members of %s are aligned to",
			t->name);
		return err_advise(err,
				  "it is packed, or the program was built before: build and record again");
	}
	ret = lay_out(&as_is, NULL, out, err);
	return ret ? ret : lay_out(&planned, then, out, err);
}
