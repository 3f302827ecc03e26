/* SPDX-License-Identifier: MIT */
#include "verify/base/plan.h"

#include <stdlib.h>
#include <string.h>

#include "verify/base/sha256.h"

#define PLAN_BYTES   ((size_t)64 << 20)
#define MAX_THREADS  4096u
#define MAX_SITES    100000u
#define MAX_TRIGGERS 9999u
#define MAX_PHASES   1000000u
#define MAX_PLACES   10000000u
#define MAX_INFO     4096u
#define MAX_FLUSHES  64u
#define MAX_LAYOUTS  1024u
#define MAX_BYTES    999999999999999u

static int plan_bad(const struct vplan *p, uint32_t node, struct fault *f, const char *what)
{
	return fault_set(f, "%s line %u: %s", p->doc.name, p->doc.node[node].line, what);
}

/* Child @key as a 32-bit number below @limit; absent: *out stays. */
static int plan_number(struct vplan *p, uint32_t map, const char *key, bool optional, uint64_t limit,
		       uint32_t *out, struct fault *f)
{
	uint64_t n = *out;

	if (vyaml_number(&p->doc, map, key, optional, limit, &n, f))
		return -1;
	*out = (uint32_t)n;
	return 0;
}

static int reference(struct vplan *p, uint32_t map, const char *key, bool optional, size_t count,
		     uint32_t *out, struct fault *f)
{
	*out = VPLAN_NONE;
	if (!count && vyaml_get(&p->doc, map, key))
		return plan_bad(p, map, f, "a reference to something that the plan does not have");
	return plan_number(p, map, key, optional, count ? count - 1 : 0, out, f);
}

static bool is_hex(const char *s, size_t digits)
{
	return strlen(s) == digits && strspn(s, "0123456789abcdef") == digits;
}

/* Lists whose elements carry their own index, so that a reader sees what is referred to. */
static int check_index(struct vplan *p, uint32_t map, size_t expected, struct fault *f)
{
	uint32_t index = 0;

	if (plan_number(p, map, "index", false, UINT32_MAX, &index, f))
		return -1;
	return index == expected ? 0 : plan_bad(p, map, f, "`index` must count from 0");
}

static int read_thread(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	struct vplan_thread *t = &p->thread[i];

	t->core = VPLAN_NONE;
	if (check_index(p, map, i, f) || vyaml_text(&p->doc, map, "name", false, &t->name, f) ||
	    reference(p, map, "creator", true, p->n_threads, &t->creator, f) ||
	    reference(p, map, "create_site", true, p->n_sites, &t->site, f) ||
	    plan_number(p, map, "ordinal", false, UINT32_MAX, &t->ordinal, f) ||
	    plan_number(p, map, "core", true, UINT32_MAX - 1, &t->core, f) ||
	    vyaml_text(&p->doc, map, "evidence", true, &t->evidence, f) ||
	    vyaml_text(&p->doc, map, "reason", true, &t->reason, f))
		return -1;
	if (i == 0 && t->creator != VPLAN_NONE)
		return plan_bad(p, map, f, "thread 0 is main, which nobody creates");
	if (t->creator != VPLAN_NONE && t->creator >= i)
		return plan_bad(p, map, f, "a thread must stand behind its creator");
	return vyaml_unused(&p->doc, map, f);
}

static int read_site(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	struct vplan_site *s = &p->site[i];

	if (check_index(p, map, i, f) || vyaml_text(&p->doc, map, "id", false, &s->id, f) ||
	    vyaml_text(&p->doc, map, "instance", false, &s->instance, f) ||
	    vyaml_text(&p->doc, map, "unit", false, &s->unit, f) ||
	    vyaml_text(&p->doc, map, "function", false, &s->function, f) ||
	    vyaml_text(&p->doc, map, "callee", false, &s->callee, f) ||
	    vyaml_text(&p->doc, map, "file", false, &s->file, f) ||
	    plan_number(p, map, "line", false, UINT32_MAX, &s->line, f) ||
	    plan_number(p, map, "equal", true, UINT32_MAX - 1, &s->equal, f) ||
	    vyaml_text(&p->doc, map, "near", true, &s->near, f))
		return -1;
	if (!is_hex(s->id, 16))
		return plan_bad(p, map, f, "`id` must be 16 hexadecimal digits");
	if (strcmp(s->instance, "*") && !is_hex(s->instance, 8))
		return plan_bad(p, map, f, "`instance` must be 8 hexadecimal digits or \"*\"");
	return vyaml_unused(&p->doc, map, f);
}

static int read_action(struct vplan *p, uint32_t map, uint32_t trigger, struct fault *f)
{
	static const char *const kinds[] = {"pin", "step", NULL};
	struct vplan_action a = {.trigger = trigger, .line = p->doc.node[map].line};

	if (vyaml_word(&p->doc, map, "kind", kinds, &a.kind, f))
		return -1;
	if (a.kind == VPLAN_PIN && plan_number(p, map, "core", false, UINT32_MAX - 1, &a.core, f))
		return -1;
	if (a.kind == VPLAN_STEP && (plan_number(p, map, "domain", false, UINT32_MAX - 1, &a.domain, f) ||
				     plan_number(p, map, "khz", false, UINT32_MAX - 1, &a.khz, f)))
		return -1;
	p->action = need_more(p->action, p->n_actions, sizeof(a));
	p->action[p->n_actions++] = a;
	return vyaml_unused(&p->doc, map, f);
}

static int read_actions(struct vplan *p, uint32_t map, uint32_t trigger, struct fault *f)
{
	uint32_t list = 0;

	if (vyaml_list(&p->doc, map, "actions", false, &list, f))
		return -1;
	p->trigger[trigger].action = p->n_actions;
	p->trigger[trigger].n_actions = p->doc.node[list].n;
	for (uint32_t i = p->doc.node[list].first; i; i = p->doc.node[i].next)
		if (read_action(p, i, trigger, f))
			return -1;
	return 0;
}

/* The fields that only a trigger at a call has. */
static int read_place(struct vplan *p, uint32_t map, struct vplan_trigger *t, struct fault *f)
{
	t->site = VPLAN_NONE;
	if (t->at != VPLAN_CALL)
		return 0;
	if (reference(p, map, "site", false, p->n_sites, &t->site, f) ||
	    vyaml_bool(&p->doc, map, "after", &t->after, f) ||
	    plan_number(p, map, "first", false, UINT32_MAX, &t->first, f) ||
	    plan_number(p, map, "every", false, UINT32_MAX, &t->every, f))
		return -1;
	return t->first ? 0 : plan_bad(p, map, f, "`first` counts from 1");
}

static int read_trigger(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	static const char *const points[] = {"program-start", "thread-start", "call", NULL};
	struct vplan_trigger *t = &p->trigger[i];

	t->line = p->doc.node[map].line;
	if (plan_number(p, map, "number", false, MAX_TRIGGERS, &t->number, f) ||
	    vyaml_word(&p->doc, map, "at", points, &t->at, f) ||
	    reference(p, map, "thread", false, p->n_threads, &t->thread, f) || read_place(p, map, t, f) ||
	    read_actions(p, map, (uint32_t)i, f) ||
	    vyaml_text(&p->doc, map, "evidence", true, &t->evidence, f) ||
	    vyaml_text(&p->doc, map, "reason", true, &t->reason, f))
		return -1;
	if (!t->number || (i && t->number <= p->trigger[i - 1].number))
		return plan_bad(p, map, f, "trigger numbers must ascend from 1");
	if (t->at == VPLAN_PROGRAM_START && t->thread)
		return plan_bad(p, map, f, "only main (thread 0) is there at program start");
	return vyaml_unused(&p->doc, map, f);
}

static int check_flush(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	const struct vplan_flush *u = &p->flush[i], *before = i ? u - 1 : u;

	if (!u->number || (i && u->number <= before->number))
		return plan_bad(p, map, f, "numbers of flushes must ascend from 1");
	if (u->entry & (0x803f | 0x40))
		return plan_bad(p, map, f, "`entry` has flags, or bits of a flush");
	if (u->entry != before->entry || u->bits != before->bits)
		return plan_bad(p, map, f, "all flushes have the same `entry` and `set`");
	for (size_t k = 0; k < i; k++)
		if (!strcmp(p->flush[k].unit, u->unit) && !strcmp(p->flush[k].function, u->function))
			return plan_bad(p, map, f, "a function has two flushes");
	return vyaml_unused(&p->doc, map, f);
}

static int read_flush(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	static const char *const words[] = {"ftz", "daz", "ftz-daz", NULL};
	static const uint32_t bits[] = {0x8000, 0x0040, 0x8040};
	struct vplan_flush *u = &p->flush[i];
	uint32_t set = 0;

	u->line = p->doc.node[map].line;
	if (plan_number(p, map, "number", false, MAX_FLUSHES, &u->number, f) ||
	    vyaml_text(&p->doc, map, "unit", false, &u->unit, f) ||
	    vyaml_text(&p->doc, map, "function", false, &u->function, f) ||
	    plan_number(p, map, "line", true, UINT32_MAX, &u->source_line, f) ||
	    plan_number(p, map, "entry", false, 0xffff, &u->entry, f) ||
	    vyaml_word(&p->doc, map, "set", words, &set, f) ||
	    vyaml_number(&p->doc, map, "births", true, UINT64_MAX, &u->births, f) ||
	    vyaml_number(&p->doc, map, "cost_ns", true, UINT64_MAX, &u->cost, f) ||
	    vyaml_text(&p->doc, map, "change", true, &u->change, f) ||
	    vyaml_text(&p->doc, map, "evidence", true, &u->evidence, f) ||
	    vyaml_text(&p->doc, map, "reason", true, &u->reason, f))
		return -1;
	u->bits = bits[set];
	return check_flush(p, map, i, f);
}

/* Is the text @a, or its absence, that of @b? */
static bool alike(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static int check_layout(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	const struct vplan_layout *l = &p->layout[i];
	bool field = l->kind == VPLAN_FIELD;

	if (!l->source_line || !l->size || l->align < 2 || l->align & (l->align - 1))
		return plan_bad(p, map, f, "`line` and `size` count from 1, `align` is a power of two");
	if (l->size_after % l->align || l->size_after < l->size ||
	    (!field && l->size_after - l->size >= l->align))
		return plan_bad(p, map, f, "`size_after` is not the next multiple of `align`");
	if (field && (l->offset >= l->size || l->offset_after % l->align || l->offset_after < l->offset ||
		      l->offset_after >= l->size_after))
		return plan_bad(p, map, f, "`offset` or `offset_after` is where the field cannot be");
	for (size_t k = 0; k < i; k++) {
		const struct vplan_layout *o = &p->layout[k];
		bool same = o->kind == l->kind && !strcmp(o->file, l->file);

		if (same && o->source_line == l->source_line && !strcmp(o->name, l->name) &&
		    alike(o->unit, l->unit))
			return plan_bad(p, map, f, "two layouts are of one declaration");
		if (same && field && !strcmp(o->type, l->type) &&
		    (o->size != l->size || o->size_after != l->size_after))
			return plan_bad(p, map, f, "two layouts give a type two sizes");
	}
	return vyaml_unused(&p->doc, map, f);
}

static int read_layout_names(struct vplan *p, uint32_t map, struct vplan_layout *l, struct fault *f)
{
	if (l->kind == VPLAN_VARIABLE)
		return vyaml_text(&p->doc, map, "variable", false, &l->name, f) ||
				       vyaml_text(&p->doc, map, "unit", true, &l->unit, f)
			       ? -1
			       : 0;
	return vyaml_text(&p->doc, map, "type", false, &l->type, f) ||
			       vyaml_text(&p->doc, map, "field", false, &l->name, f) ||
			       vyaml_number(&p->doc, map, "offset", false, MAX_BYTES, &l->offset, f) ||
			       vyaml_number(&p->doc, map, "offset_after", false, MAX_BYTES, &l->offset_after,
					    f)
		       ? -1
		       : 0;
}

static int read_layout(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	static const char *const kinds[] = {"field", "variable", NULL};
	struct vplan_layout *l = &p->layout[i];

	l->line = p->doc.node[map].line;
	if (vyaml_word(&p->doc, map, "kind", kinds, &l->kind, f) || read_layout_names(p, map, l, f) ||
	    vyaml_text(&p->doc, map, "file", false, &l->file, f) ||
	    plan_number(p, map, "line", false, 9999999, &l->source_line, f) ||
	    plan_number(p, map, "align", false, 4096, &l->align, f) ||
	    vyaml_number(&p->doc, map, "size", false, MAX_BYTES, &l->size, f) ||
	    vyaml_number(&p->doc, map, "size_after", false, MAX_BYTES, &l->size_after, f) ||
	    vyaml_number(&p->doc, map, "bytes", true, UINT64_MAX, &l->bytes, f) ||
	    vyaml_text(&p->doc, map, "breaks", true, &l->breaks, f) ||
	    (l->kind == VPLAN_FIELD && vyaml_text(&p->doc, map, "accept", true, &l->accept, f)) ||
	    (vyaml_get(&p->doc, map, "weighed") && vyaml_bool(&p->doc, map, "weighed", &l->weighed, f)) ||
	    vyaml_number(&p->doc, map, "saves_ns", true, UINT64_MAX, &l->saves, f) ||
	    vyaml_text(&p->doc, map, "evidence", true, &l->evidence, f) ||
	    vyaml_text(&p->doc, map, "reason", true, &l->reason, f))
		return -1;
	if ((l->weighed && (!p->n_choices || !l->evidence)) || (l->saves && !l->weighed))
		return plan_bad(p, map, f,
				"a weighed layout has `evidence`, its plan `choices`; no other saves");
	return check_layout(p, map, i, f);
}

static int read_choice(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	static const char *const kinds[] = {"neither", "layouts", "placement", "both", NULL};
	struct vplan_choice *c = &p->choice[i];

	if (vyaml_word(&p->doc, map, "kind", kinds, &c->kind, f) ||
	    vyaml_number(&p->doc, map, "bytes", true, UINT64_MAX, &c->bytes, f) ||
	    vyaml_number(&p->doc, map, "time_ns", false, UINT64_MAX, &c->time, f) ||
	    vyaml_number(&p->doc, map, "bound_time_ns", true, UINT64_MAX, &c->bound, f) ||
	    vyaml_text(&p->doc, map, "evidence", true, &c->evidence, f))
		return -1;
	return c->kind == i && p->n_choices == VPLAN_CHOICES
		       ? vyaml_unused(&p->doc, map, f)
		       : plan_bad(p, map, f, "`choices` are neither, layouts, placement and both");
}

static int read_phase(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	struct vplan_phase *ph = &p->phase[i];

	ph->first = ph->last = VPLAN_NONE;
	if (check_index(p, map, i, f) || vyaml_text(&p->doc, map, "name", false, &ph->name, f) ||
	    vyaml_number(&p->doc, map, "repeats", false, UINT32_MAX, &ph->repeats, f) ||
	    vyaml_number(&p->doc, map, "time_ns", false, UINT64_MAX, &ph->time, f) ||
	    vyaml_number(&p->doc, map, "energy_nj", true, UINT64_MAX, &ph->energy, f) ||
	    vyaml_number(&p->doc, map, "peak_mw", true, UINT64_MAX, &ph->peak, f) ||
	    vyaml_number(&p->doc, map, "deadline_ns", true, UINT64_MAX, &ph->deadline, f) ||
	    plan_number(p, map, "first", true, UINT32_MAX - 1, &ph->first, f) ||
	    plan_number(p, map, "last", true, UINT32_MAX - 1, &ph->last, f))
		return -1;
	if ((ph->first == VPLAN_NONE) != (ph->last == VPLAN_NONE) || ph->first > ph->last)
		return plan_bad(p, map, f,
				"`first` and `last` go together, and `last` is not before `first`");
	return ph->repeats ? vyaml_unused(&p->doc, map, f) : plan_bad(p, map, f, "`repeats` counts from 1");
}

static int read_place_of(struct vplan *p, uint32_t map, const struct vplan_place *before,
			 struct vplan_place *at, struct fault *f)
{
	if (reference(p, map, "thread", false, p->n_threads, &at->thread, f) ||
	    reference(p, map, "phase", false, p->n_phases, &at->phase, f) ||
	    plan_number(p, map, "core", false, UINT32_MAX - 1, &at->core, f))
		return -1;
	if (before &&
	    (before->thread > at->thread || (before->thread == at->thread && before->phase >= at->phase)))
		return plan_bad(p, map, f, "places must ascend by thread, then by phase");
	return vyaml_unused(&p->doc, map, f);
}

static int read_base_place(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	return read_place_of(p, map, i ? &p->base_place[i - 1] : NULL, &p->base_place[i], f);
}

static int read_free_place(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	return read_place_of(p, map, i ? &p->free_place[i - 1] : NULL, &p->free_place[i], f);
}

static int read_input(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	if (vyaml_text(&p->doc, map, "model_sha256", false, &p->input[i], f))
		return -1;
	return vyaml_unused(&p->doc, map, f);
}

static int read_reach(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	static const char *const kinds[] = {"call", "phase", "start", NULL};
	struct vplan_reach *r = &p->reach[i];

	if (vyaml_word(&p->doc, map, "kind", kinds, &r->kind, f) ||
	    vyaml_number(&p->doc, map, "time_ns", false, UINT64_MAX, &r->time, f) ||
	    vyaml_number(&p->doc, map, "energy_nj", false, UINT64_MAX, &r->energy, f) ||
	    plan_number(p, map, "triggers", false, UINT32_MAX, &r->triggers, f))
		return -1;
	return vyaml_unused(&p->doc, map, f);
}

static int read_breakeven(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	struct vplan_breakeven *b = &p->breakeven[i];

	if (vyaml_text(&p->doc, map, "parameter", false, &b->parameter, f) ||
	    vyaml_real(&p->doc, map, "value", false, &b->value, f) ||
	    vyaml_real(&p->doc, map, "at", false, &b->at, f) ||
	    vyaml_text(&p->doc, map, "unit", false, &b->unit, f))
		return -1;
	return vyaml_unused(&p->doc, map, f);
}

static int read_regret(struct vplan *p, uint32_t map, size_t i, struct fault *f)
{
	struct vplan_regret *r = &p->regret[i];

	if (vyaml_text(&p->doc, map, "baseline", false, &r->baseline, f) ||
	    vyaml_number(&p->doc, map, "time_ns", false, UINT64_MAX, &r->time, f) ||
	    vyaml_number(&p->doc, map, "energy_nj", false, UINT64_MAX, &r->energy, f))
		return -1;
	return vyaml_unused(&p->doc, map, f);
}

/* Read list @key, at most @max elements of @bytes, into *array by @read. */
static int read_list(struct vplan *p, const char *key, bool optional, size_t max, size_t bytes, void **array,
		     size_t *n, struct fault *f)
{
	uint32_t list = VYAML_NONE;

	if (vyaml_list(&p->doc, 0, key, optional, &list, f))
		return -1;
	*n = list ? p->doc.node[list].n : 0;
	if (*n > max)
		return fault_set(f, "%s: %zu %s, expected at most %zu", p->doc.name, *n, key, max);
	*array = need(*n, bytes);
	return 0;
}

static int each(struct vplan *p, const char *key,
		int (*read)(struct vplan *, uint32_t, size_t, struct fault *), struct fault *f)
{
	uint32_t list = vyaml_get(&p->doc, 0, key);
	size_t n = 0;

	for (uint32_t i = list ? p->doc.node[list].first : 0; i; i = p->doc.node[i].next)
		if (read(p, i, n++, f))
			return -1;
	return 0;
}

static int read_all_lists(struct vplan *p, struct fault *f)
{
	int ret =
		read_list(p, "threads", false, MAX_THREADS, sizeof(*p->thread), (void **)&p->thread,
			  &p->n_threads, f) ||
		read_list(p, "sites", true, MAX_SITES, sizeof(*p->site), (void **)&p->site, &p->n_sites, f) ||
		read_list(p, "triggers", true, MAX_TRIGGERS, sizeof(*p->trigger), (void **)&p->trigger,
			  &p->n_triggers, f) ||
		read_list(p, "flushes", true, MAX_FLUSHES, sizeof(*p->flush), (void **)&p->flush,
			  &p->n_flushes, f) ||
		read_list(p, "layouts", true, MAX_LAYOUTS, sizeof(*p->layout), (void **)&p->layout,
			  &p->n_layouts, f) ||
		read_list(p, "choices", true, VPLAN_CHOICES, sizeof(*p->choice), (void **)&p->choice,
			  &p->n_choices, f) ||
		read_list(p, "phases", true, MAX_PHASES, sizeof(*p->phase), (void **)&p->phase, &p->n_phases,
			  f) ||
		read_list(p, "base_places", true, MAX_PLACES, sizeof(*p->base_place), (void **)&p->base_place,
			  &p->n_base_places, f) ||
		read_list(p, "free_places", true, MAX_PLACES, sizeof(*p->free_place), (void **)&p->free_place,
			  &p->n_free_places, f) ||
		read_list(p, "inputs", true, MAX_INFO, sizeof(*p->input), (void **)&p->input, &p->n_inputs,
			  f) ||
		read_list(p, "kinds", true, MAX_INFO, sizeof(*p->reach), (void **)&p->reach, &p->n_reach,
			  f) ||
		read_list(p, "breakevens", true, MAX_INFO, sizeof(*p->breakeven), (void **)&p->breakeven,
			  &p->n_breakevens, f) ||
		read_list(p, "regret", true, MAX_INFO, sizeof(*p->regret), (void **)&p->regret, &p->n_regret,
			  f);

	return ret ? -1 : 0;
}

static int read_lists(struct vplan *p, struct fault *f)
{
	static const struct {
		const char *key;
		int (*read)(struct vplan *, uint32_t, size_t, struct fault *);
	} list[] = {
		{"sites", read_site},
		{"threads", read_thread},
		{"triggers", read_trigger},
		{"flushes", read_flush},
		{"layouts", read_layout},
		{"choices", read_choice},
		{"phases", read_phase},
		{"base_places", read_base_place},
		{"free_places", read_free_place},
		{"inputs", read_input},
		{"kinds", read_reach},
		{"breakevens", read_breakeven},
		{"regret", read_regret},
	};

	if (read_all_lists(p, f))
		return -1;
	if (!p->n_threads)
		return fault_set(f, "%s: no threads", p->doc.name);
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (each(p, list[i].key, list[i].read, f))
			return -1;
	return 0;
}

static int read_kind(struct vplan *p, struct fault *f)
{
	static const char *const kinds[] = {"plan", NULL};
	uint32_t kind = 0, version = 0;

	if (vyaml_word(&p->doc, 0, "perseus", kinds, &kind, f) ||
	    plan_number(p, 0, "version", false, UINT32_MAX, &version, f))
		return -1;
	return version == 1 ? 0
			    : fault_set(f, "%s has version %u of the plan's form, this program reads 1",
					p->doc.name, version);
}

static int read_plan_head(struct vplan *p, struct fault *f)
{
	const struct {
		const char *key, **out;
		bool optional;
	} text[] = {
		{"build_id", &p->build_id, true},
		{"sites_sha256", &p->sites_sha256, true},
		{"baseline_sha256", &p->baseline_sha256, true},
		{"turns_on", &p->turns_on, true},
		{"cpu", &p->cpu, true},
		{"platform_name", &p->platform_name, false},
		{"method", &p->method, false},
		{"program", &p->program, false},
		{"platform_sha256", &p->platform_sha256, false},
		{"model_sha256", &p->model_sha256, false},
		{"baseline", &p->baseline, false},
	};
	static const char *const objectives[] = {"time", "energy", "edp", "power", NULL};
	static const char *const kinds[] = {"call", "phase", "start", NULL};
	static const char *const overs[] = {"mean", "worst", NULL};
	uint32_t objective = 0, over = 0;

	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
		if (vyaml_text(&p->doc, 0, text[i].key, text[i].optional, text[i].out, f))
			return -1;
	if ((vyaml_get(&p->doc, 0, "kind") && vyaml_word(&p->doc, 0, "kind", kinds, &p->kind, f)) ||
	    (vyaml_get(&p->doc, 0, "over") && vyaml_word(&p->doc, 0, "over", overs, &over, f)) ||
	    vyaml_number(&p->doc, 0, "n_cores", false, UINT32_MAX, &p->n_cores, f) ||
	    vyaml_number(&p->doc, 0, "max_core_id", false, UINT32_MAX - 1, &p->max_core_id, f) ||
	    vyaml_word(&p->doc, 0, "objective", objectives, &objective, f) ||
	    vyaml_number(&p->doc, 0, "seed", false, UINT64_MAX, &p->seed, f) ||
	    vyaml_number(&p->doc, 0, "evaluations", false, UINT64_MAX, &p->evaluations, f))
		return -1;
	p->objective = objectives[objective];
	p->starts_only = p->kind == VPLAN_KIND_START;
	p->worst = over == 1;
	return 0;
}

static int read_figures(struct vplan *p, struct fault *f)
{
	const struct {
		const char *key;
		uint64_t *out;
		bool optional;
	} figure[] = {
		{"base_time_ns", &p->base_time, false},
		{"base_energy_nj", &p->base_energy, true},
		{"time_ns", &p->time, false},
		{"energy_nj", &p->energy, true},
		{"bound_time_ns", &p->bound_time, true},
		{"bound_energy_nj", &p->bound_energy, true},
		{"peak_mw", &p->peak, true},
		{"deadline_ns", &p->deadline, true},
		{"cap_mw", &p->cap, true},
		{"relaxed_time_ns", &p->relaxed_time, true},
		{"relaxed_energy_nj", &p->relaxed_energy, true},
		{"simulated_time_ns", &p->simulated_time, true},
		{"simulated_energy_nj", &p->simulated_energy, true},
	};

	for (size_t i = 0; i < sizeof(figure) / sizeof(*figure); i++)
		if (vyaml_number(&p->doc, 0, figure[i].key, figure[i].optional, UINT64_MAX, figure[i].out, f))
			return -1;
	return vyaml_bool(&p->doc, 0, "proven", &p->proven, f);
}

/* Creating sites are numbered in the order in which the threads first name them. */
static void number_creates(struct vplan *p)
{
	for (size_t i = 0; i < p->n_threads; i++) {
		struct vplan_thread *t = &p->thread[i];
		size_t j = 0;

		if (t->site == VPLAN_NONE)
			continue;
		while (j < i &&
		       (p->thread[j].site == VPLAN_NONE || !vplan_same_site(p, p->thread[j].site, t->site)))
			j++;
		t->create = j < i ? p->thread[j].create : ++p->n_creates;
	}
}

/* Triggers at one site and side are one function, named by the lowest number. */
static void find_points(struct vplan *p)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		struct vplan_trigger *t = &p->trigger[i];
		size_t j = 0;

		if (t->at != VPLAN_CALL)
			continue;
		while (j < i && (p->trigger[j].at != VPLAN_CALL || p->trigger[j].after != t->after ||
				 !vplan_same_site(p, p->trigger[j].site, t->site)))
			j++;
		t->point = p->trigger[j].number;
	}
}

int vplan_read(struct vplan *p, const char *path, struct fault *f)
{
	*p = (struct vplan){0};
	if (input_read(&p->in, path, PLAN_BYTES, f))
		return -1;
	vsha256(p->in.data, p->in.size, p->sha256);
	if (vyaml_parse(&p->doc, path, &p->in, f) || read_kind(p, f) || read_plan_head(p, f) ||
	    read_figures(p, f) || read_lists(p, f) || vyaml_unused(&p->doc, 0, f))
		return -1;
	number_creates(p);
	find_points(p);
	return 0;
}

void vplan_release(struct vplan *p)
{
	vyaml_release(&p->doc);
	input_release(&p->in);
	free(p->thread);
	free(p->site);
	free(p->trigger);
	free(p->action);
	free(p->flush);
	free(p->layout);
	free(p->choice);
	free(p->phase);
	free(p->base_place);
	free(p->free_place);
	free(p->input);
	free(p->reach);
	free(p->breakeven);
	free(p->regret);
	*p = (struct vplan){0};
}

bool vplan_same_site(const struct vplan *p, uint32_t a, uint32_t b)
{
	return a == b ||
	       (!strcmp(p->site[a].id, p->site[b].id) && !strcmp(p->site[a].instance, p->site[b].instance));
}

uint32_t vplan_place(const struct vplan_place *place, size_t n, uint32_t thread, uint32_t phase)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (place[mid].thread < thread || (place[mid].thread == thread && place[mid].phase <= phase))
			low = mid + 1;
		else
			high = mid;
	}
	return low && place[low - 1].thread == thread ? place[low - 1].core : VPLAN_NONE;
}

static bool sets_at_start(const struct vplan *p, size_t thread)
{
	if (p->thread[thread].core != VPLAN_NONE)
		return true;
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->trigger[i].at != VPLAN_CALL && p->trigger[i].thread == thread)
			return true;
	return false;
}

size_t vplan_thread_starts(const struct vplan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_threads; i++)
		n += sets_at_start(p, i);
	return n;
}

size_t vplan_call_triggers(const struct vplan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_triggers; i++)
		n += p->trigger[i].at == VPLAN_CALL;
	return n;
}

bool vplan_calls_code(const struct vplan *p)
{
	return p->n_creates || vplan_thread_starts(p) || vplan_call_triggers(p) || p->n_flushes;
}
