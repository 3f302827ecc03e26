/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/remedy.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/objects/names.h"
#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy-layout.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

/* Meetings of two structs of one object that are less than this share do not decide about it. */
#define BETWEEN_SHARE 0.1
/* Fields named in a sentence. */
#define NAMED 6u

static const char abi_type[] = "size and offsets of the type change: all that uses it must be compiled again";
static const char abi_align[] = "size and offsets of the type stay, its alignment does not";
static const char abi_variable[] = "no type changes";

const char *remedy_name(enum remedy_kind kind)
{
	static const char *const names[] = {"pad", "reorder", "split", "local-copy", "co-locate"};

	return names[kind];
}

const struct remedy_layout *remedy_layout(const struct sharing_remedy *r, size_t object)
{
	for (size_t i = 0; i < r->n_layouts; i++)
		if (r->layouts[i].object == object)
			return &r->layouts[i];
	return NULL;
}

/* Fields of different threads, @y behind @x, that lie too far apart to meet in one element. */
static bool far_apart(const struct sharing_use *x, const struct sharing_use *y)
{
	return x->placed && y->placed && !sharing_use_alike(x, y) &&
	       y->offset >= x->offset + x->bytes + REMEDY_LINE - 1;
}

static bool fields_far_apart(const struct sharing_object *o)
{
	for (size_t i = 0; i < o->n_uses; i++)
		for (size_t k = i + 1; k < o->n_uses; k++)
			if (far_apart(&o->uses[i], &o->uses[k]))
				return true;
	return false;
}

bool remedy_between_elements(const struct sharing_finding *f, const struct sharing_object *o)
{
	bool several = (o->kind == OBJECT_HEAP && !o->array && f->n_objects > 1) || fields_far_apart(o);

	several |= (double)o->between > BETWEEN_SHARE * (double)(o->inside + o->between);
	for (size_t i = 0; i < o->n_uses; i++)
		several |= o->uses[i].n_threads > 1 && !o->uses[i].beside;
	return several && (o->array || o->kind == OBJECT_HEAP);
}

static bool inside_members(const struct sharing_finding *f, const struct sharing_object *o)
{
	for (size_t i = 0; i < o->n_uses; i++)
		if (remedy_inside_member(f, o, i))
			return true;
	return false;
}

static struct sharing_remedy *add(struct sharing_finding *f, enum remedy_kind kind)
{
	struct sharing_remedy *r;

	f->remedies = mem_resize(f->remedies, f->n_remedies + 1, sizeof(*f->remedies));
	r = &f->remedies[f->n_remedies++];
	*r = (struct sharing_remedy){.kind = kind, .priced = f->priced, .saves_percent = f->cost};
	return r;
}

static void add_layout(struct sharing_remedy *r, const struct remedy_layout *l)
{
	r->layouts = mem_resize(r->layouts, r->n_layouts + 1, sizeof(*r->layouts));
	r->layouts[r->n_layouts++] = *l;
}

static uint64_t element_bytes(const struct sharing_object *o)
{
	if (!o->array && o->kind != OBJECT_HEAP)
		return o->bytes;
	return o->layout ? o->layout->bytes : o->n_uses ? o->uses[0].bytes : 0;
}

uint64_t remedy_elements(const struct sharing_object *o)
{
	uint64_t one = element_bytes(o);

	return !one ? 0 : o->bytes > one ? o->bytes / one : 1;
}

bool remedy_rows_apart(const struct sharing_object *o)
{
	return o->between && o->inside * 10 < o->between;
}

/* What is missing of @bytes to whole lines. */
static uint64_t to_lines(uint64_t bytes)
{
	return (REMEDY_LINE - bytes % REMEDY_LINE) % REMEDY_LINE;
}

uint64_t remedy_line_bytes(const struct sharing_object *o, bool elements)
{
	if (!elements)
		return to_lines(o->bytes ? o->bytes : element_bytes(o));
	if (!o->layout && o->row_bytes && remedy_rows_apart(o))
		return o->bytes / o->row_bytes * to_lines(o->row_bytes);
	return remedy_elements(o) * to_lines(element_bytes(o));
}

uint64_t remedy_layout_bytes(const struct sharing_object *o, const struct remedy_layout *l)
{
	uint64_t n = remedy_elements(o);

	return (l->bytes_then - l->bytes_now) * (n + !n);
}

uint64_t remedy_numbers_bytes(const struct sharing_finding *f, const struct sharing_object *o,
			      const struct sharing_use *use)
{
	uint64_t now, n = remedy_numbers(f, o, use, &now), of = remedy_elements(o);

	return (n * REMEDY_LINE - now) * (of + !of);
}

/* Number of uses that the finding is about. */
static size_t about(const struct sharing_object *o)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_uses; i++)
		n += !o->uses[i].beside;
	return n;
}

/* Of so many fields as many are named; the last one stands for those that are not. */
static size_t named_of(size_t all)
{
	return all > NAMED ? NAMED : all;
}

/* "`rx` and `tx`", "the elements of `counters`". */
static void name_parts(struct strbuf *sb, const struct sharing_finding *f)
{
	const struct sharing_object *o = &f->objects[0];

	if (f->n_objects > 1 || !o->n_uses) {
		for (size_t i = 0; i < f->n_objects; i++)
			strbuf_printf(sb, "%s%s", text_between(i, f->n_objects), f->objects[i].name);
		return;
	}
	if (about(o) == 1 && remedy_between_elements(f, o)) {
		strbuf_printf(sb, "the %s of %s", o->array ? "elements" : "blocks", o->name);
		return;
	}
	for (size_t i = 0, n = 0, all = about(o), of = named_of(all); i < o->n_uses && n < of; i++)
		if (!o->uses[i].beside) {
			if (all > of && n + 1 == of)
				strbuf_printf(sb, " and %zu more of %s", all - n, o->name);
			else
				strbuf_printf(sb, "%s%s", text_between(n, of), o->uses[i].field);
			n++;
		}
}

/* True if the fields of the object meet each other, so that its inside has to change. */
static bool inside(const struct sharing_finding *f, const struct sharing_object *o,
		   const struct remedy_layout *l)
{
	return layout_groups(l) > 1 || remedy_between_elements(f, o);
}

/* Large arrays are not padded: each thread gets a part that begins a line. */
static bool too_many(const struct sharing_finding *f)
{
	for (size_t i = 0; i < f->n_objects; i++)
		if (remedy_between_elements(f, &f->objects[i]) &&
		    remedy_elements(&f->objects[i]) > REMEDY_ELEMENTS)
			return true;
	return false;
}

static void add_parts(struct sharing_finding *f)
{
	struct sharing_remedy *r = add(f, REMEDY_SPLIT);

	r->text = mem_strdup("give each thread one part of the array, that begins a cache line");
}

static void pad_object(struct sharing_remedy *r, const struct sharing_finding *f, size_t i)
{
	const struct sharing_object *o = &f->objects[i];
	bool elements = remedy_between_elements(f, o);
	struct remedy_layout l;

	if (inside_members(f, o)) {
		r->abi = abi_type;
	} else if (!layout_pad(&l, o, elements)) {
		bool pair = o->type && !strncmp(o->type, "std::pair<", 10) && o->inside;

		r->bytes += remedy_line_bytes(o, elements);
		r->abi = (elements && o->array) || pair ? abi_type : r->abi;
	} else if (inside(f, o, &l)) {
		l.object = i;
		r->bytes += remedy_layout_bytes(o, &l);
		if (layout_moves(&l))
			r->abi = abi_type;
		else if (r->abi == abi_variable)
			r->abi = abi_align;
		add_layout(r, &l);
	} else {
		r->bytes += remedy_line_bytes(o, false);
		layout_release(&l);
	}
}

static void add_pad(struct sharing_finding *f)
{
	struct sharing_remedy *r = add(f, REMEDY_PAD);
	struct strbuf sb = STRBUF_INIT;

	r->abi = abi_variable;
	for (size_t i = 0; i < f->n_objects; i++)
		if (f->objects[i].n_uses)
			pad_object(r, f, i);
	strbuf_puts(&sb, "put ");
	name_parts(&sb, f);
	strbuf_puts(&sb, " on lines of their own");
	r->text = strbuf_detach(&sb);
}

/* Only where one struct holds both sides. */
static void add_reorder(struct sharing_finding *f)
{
	const struct sharing_object *o = &f->objects[0];
	struct remedy_layout l;
	struct sharing_remedy *r;

	if (f->n_objects != 1 || !f->n_remedies || f->remedies[0].n_layouts != 1 ||
	    !layout_reorder(&l, o, remedy_between_elements(f, o), &f->remedies[0].layouts[0]))
		return;
	r = add(f, REMEDY_REORDER);
	r->abi = abi_type;
	r->bytes = remedy_layout_bytes(o, &l);
	add_layout(r, &l);
	r->text = mem_strdup("sort the members by the threads that use them, the others in between");
}

/* An object per thread, where no two threads use a field of the same name. */
static void add_split(struct sharing_finding *f)
{
	const struct sharing_object *o = &f->objects[0];
	struct strbuf sb = STRBUF_INIT;
	struct sharing_remedy *r;

	for (size_t i = 0; i < o->n_uses; i++)
		if ((o->uses[i].n_threads != 1 || !o->uses[i].placed) && !o->uses[i].beside)
			return;
	if (f->n_objects != 1 || about(o) < 2 || !o->array)
		return;
	r = add(f, REMEDY_SPLIT);
	r->abi = abi_type;
	strbuf_puts(&sb, "give each thread an array of its own fields: ");
	name_parts(&sb, f);
	r->text = strbuf_detach(&sb);
}

bool remedy_is_lock(const struct sharing_object *o, const struct sharing_use *use)
{
	size_t len = strlen(use->field);

	if (name_in_lock(use->field) ||
	    (o->type && (strstr(o->type, "pthread_") || strstr(o->type, "mutex"))))
		return true;
	for (size_t i = 0; o->layout && len && i < o->layout->n_fields; i++)
		if (!strncmp(o->layout->fields[i].name, use->field, len) &&
		    o->layout->fields[i].name[len] == '.' && name_in_lock(o->layout->fields[i].name + len))
			return true;
	return false;
}

/* What an atomic holds that several threads change is what they agree by. */
static bool agreed(const struct sharing_finding *f, const struct sharing_object *o,
		   const struct sharing_use *use)
{
	return use->atomic && (f->verdict == SHARING_TRUE || (use->n_threads > 1 && !o->array));
}

static bool adds_up(const struct sharing_finding *f, const struct sharing_object *o,
		    const struct sharing_use *use)
{
	return use->summed && !use->beside && !use->read_meanwhile && !remedy_is_lock(o, use) &&
	       !agreed(f, o, use);
}

/* What is added up, "`hits`", if something else of the finding is not; NULL: nothing is.  Owned by the caller. */
static char *summed(const struct sharing_finding *f)
{
	struct strbuf sb = STRBUF_INIT;
	bool any = false, others = false;

	strbuf_puts(&sb, "");
	for (size_t i = 0; i < f->n_objects; i++)
		for (size_t k = 0; k < f->objects[i].n_uses; k++) {
			const struct sharing_object *o = &f->objects[i];
			const struct sharing_use *use = &o->uses[k];
			bool named = *use->field && *use->field != '[';

			if (adds_up(f, o, use))
				strbuf_printf(&sb, "%s`%.*s`", sb.len ? ", " : "",
					      (int)(named ? remedy_stem(use->field) : strlen(o->name)),
					      named ? use->field : o->name);
			any |= adds_up(f, o, use);
			others |= use->read_meanwhile && !use->beside;
		}
	if (any && !others)
		sb.s[0] = '\0';
	if (any)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

/* Something that one thread writes is looked at by others on the way. */
static bool read_meanwhile(const struct sharing_finding *f)
{
	for (size_t i = 0; i < f->n_objects; i++)
		for (size_t k = 0; k < f->objects[i].n_uses; k++)
			if (f->objects[i].uses[k].read_meanwhile && !f->objects[i].uses[k].beside)
				return true;
	return false;
}

/* How often @thread took a lock that @other takes, too: the one it took most. */
static uint64_t takes(const struct run_process *p, uint32_t thread, uint32_t other)
{
	const struct run_thread *x = &p->threads[thread], *y = &p->threads[other];
	uint64_t most = 0;

	for (size_t i = 0; i < x->n_waits; i++) {
		const struct prs_wait *w = &x->waits[i];

		if (!(w->flags & PRS_WAIT_TAKEN) || w->count <= most ||
		    (w->kind != PRS_EV_MUTEX && w->kind != PRS_EV_RWLOCK && w->kind != PRS_EV_SPIN))
			continue;
		for (size_t k = 0; k < y->n_waits; k++)
			if (y->waits[k].flags & PRS_WAIT_TAKEN && y->waits[k].kind == w->kind &&
			    y->waits[k].object == w->object) {
				most = w->count;
				break;
			}
	}
	return most;
}

/*
 * The same bytes pass between threads that have a lock in common, no more often than
 * they take it: what is changed in its turn belongs together (a queue's head), and no
 * thread can have a part of its own.
 */
static bool guarded(const struct sharing_finding *f)
{
	const struct sharing_pair *p = f->n_pairs ? &f->pairs[0] : NULL;
	uint32_t n = f->process ? (uint32_t)f->process->n_threads : 0;

	if (!p || f->verdict != SHARING_TRUE || p->a.thread >= n || p->b.thread >= n)
		return false;
	return takes(f->process, p->a.thread, p->b.thread) + takes(f->process, p->b.thread, p->a.thread) >=
	       p->transfers;
}

static void add_local_copy(struct sharing_finding *f)
{
	struct strbuf sb = STRBUF_INIT;
	struct sharing_remedy *r;
	char *what = guarded(f) ? NULL : summed(f);

	if (!what && (!f->no_layout || read_meanwhile(f)))
		return;
	r = add(f, REMEDY_LOCAL_COPY);
	if (!what)
		strbuf_puts(&sb, "let each thread write to a local variable; store it at the end");
	else if (f->verdict == SHARING_TRUE)
		strbuf_printf(&sb, "let each thread add up a part of its own%s%s; join the parts at the end",
			      *what ? " of " : "", what);
	else
		strbuf_printf(&sb, "let each thread add up %s%sin a local variable; store it at the end",
			      what, *what ? " " : "");
	free(what);
	r->text = strbuf_detach(&sb);
}

/* What the threads need on cores of their own, with @a and @b on one. */
static double run_time(const struct remedy_setting *st, uint32_t a, uint32_t b, double factor)
{
	double longest = 0, sum = 0;

	for (size_t i = 0; i < st->n_threads; i++) {
		double ns = i == b ? 0 : i == a ? (st->cpu_ns[a] + st->cpu_ns[b]) * factor : st->cpu_ns[i];

		sum += ns;
		longest = ns > longest ? ns : longest;
	}
	sum /= st->cores > 0 ? st->cores : 1;
	return sum > longest ? sum : longest;
}

static double run_time_now(const struct remedy_setting *st)
{
	double longest = 0, sum = 0;

	for (size_t i = 0; i < st->n_threads; i++) {
		sum += st->cpu_ns[i];
		longest = st->cpu_ns[i] > longest ? st->cpu_ns[i] : longest;
	}
	sum /= st->cores > 0 ? st->cores : 1;
	return sum > longest ? sum : longest;
}

/*
 * Both threads of the heaviest pair on one core: no transfer, but one waits
 * for the other.  What that costs is no remedy.
 */
static void add_colocate(struct sharing_finding *f, const struct remedy_setting *st)
{
	struct sharing_remedy *r;
	double now, then;
	uint32_t a, b;

	if (!f->n_pairs)
		return;
	r = add(f, REMEDY_COLOCATE);
	r->text = mem_strdup("the threads of a pair near each other: perseus plan weighs that");
	a = f->pairs[0].a.thread;
	b = f->pairs[0].b.thread;
	if (!r->priced || a >= st->n_threads || b >= st->n_threads) {
		r->priced = false;
		return;
	}
	now = run_time_now(st);
	then = run_time(st, a, b, 1 - f->cost / 100);
	r->saves_percent = now > 0 ? 100 * (now - then) / now : 0;
	/* Near each other on two cores: the cheapest distance of the platform. */
	if (f->cost - f->cost_nearest > r->saves_percent)
		r->saves_percent = f->cost - f->cost_nearest;
	if (r->saves_percent <= 0) {
		free(r->text);
		f->n_remedies--;
	}
}

static int by_saving(const void *p, const void *q)
{
	const struct sharing_remedy *x = p, *y = q;
	/* To the tenth of a percent that is printed: what saves the same keeps its order. */
	long a = x->priced ? (long)(10 * x->saves_percent) : 0,
	     b = y->priced ? (long)(10 * y->saves_percent) : 0;

	if (a != b)
		return a > b ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* Each number of an array in a struct becomes a struct of a line, where there are few. */
static void add_numbers(struct sharing_finding *f)
{
	struct strbuf sb = STRBUF_INIT;
	struct sharing_remedy *r;
	uint64_t bytes = 0, now, n = 0;

	strbuf_puts(&sb, "make each element a struct of a line:");
	for (size_t i = 0; i < f->n_objects; i++)
		for (size_t k = 0; k < f->objects[i].n_uses; k++) {
			const struct sharing_object *o = &f->objects[i];

			if (!remedy_in_numbers(f, o, k))
				continue;
			n = remedy_numbers(f, o, &o->uses[k], &now);
			if (n > REMEDY_ELEMENTS) {
				strbuf_release(&sb);
				return;
			}
			bytes += remedy_numbers_bytes(f, o, &o->uses[k]);
			strbuf_printf(&sb, " `%.*s`", (int)remedy_stem(o->uses[k].field), o->uses[k].field);
		}
	if (!n) {
		strbuf_release(&sb);
		return;
	}
	r = add(f, REMEDY_PAD);
	r->bytes = bytes;
	r->abi = abi_type;
	r->text = strbuf_detach(&sb);
}

/* What changes where data lies. */
static void add_layouts(struct sharing_finding *f)
{
	add_pad(f);
	add_reorder(f);
	add_split(f);
	if (too_many(f))
		add_parts(f);
}

void remedies_make(struct sharing_finding *f, const struct remedy_setting *setting)
{
	finding_objects_finish(f);
	if (f->verdict == SHARING_FALSE && f->n_objects) {
		f->no_layout = remedy_no_layout(f);
		if (f->no_layout)
			add_numbers(f);
		else
			add_layouts(f);
	}
	if (f->verdict != SHARING_UNCLEAR) {
		add_local_copy(f);
		add_colocate(f, setting);
	}
	if (f->n_remedies)
		qsort(f->remedies, f->n_remedies, sizeof(*f->remedies), by_saving);
}

void remedies_release(struct sharing_finding *f)
{
	for (size_t i = 0; i < f->n_remedies; i++) {
		for (size_t k = 0; k < f->remedies[i].n_layouts; k++)
			layout_release(&f->remedies[i].layouts[k]);
		free(f->remedies[i].layouts);
		free(f->remedies[i].text);
	}
	free(f->remedies);
	free(f->no_layout);
	f->no_layout = NULL;
	f->remedies = NULL;
	f->n_remedies = 0;
}
