/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/remedy-layout.h"

#include <stdlib.h>
#include <string.h>

#include "lib/inspect/demangle.h"
#include "lib/mem.h"

/* Gaps come in words, and memory of malloc begins with one, though anywhere in a line. */
#define WORD 8u
/* Meetings inside of structs that are less than this share of all do not decide about them. */
#define INSIDE_SHARE 0.1

static uint64_t up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* The first offset that is never in a line with the byte in front of @end, if all begins at some multiple of @word. */
static uint64_t beyond(uint64_t end, uint32_t word)
{
	return end ? (end - 1) / word * word + REMEDY_LINE : 0;
}

static size_t member_len(const char *field)
{
	return strcspn(field, ".[");
}

static uint32_t align_of(uint64_t bytes, uint64_t offset)
{
	uint32_t a = WORD;

	while (a > 1 && (bytes % a || offset % a))
		a /= 2;
	return a;
}

bool layout_holds(const struct remedy_member *m, const char *field)
{
	size_t len = member_len(field);

	return !strncmp(m->name, field, len) && !m->name[len];
}

static struct remedy_member *member_of(struct remedy_layout *l, const char *field)
{
	for (size_t i = 0; i < l->n_members; i++)
		if (layout_holds(&l->members[i], field))
			return &l->members[i];
	return NULL;
}

/* The members of the struct itself; what lies deeper counts as its member. */
static void add_field(struct remedy_layout *l, const struct run_field *field)
{
	struct remedy_member *m = member_of(l, field->name);
	uint64_t end = field->offset + field->bytes;
	uint32_t align = align_of(field->bytes, field->offset);

	if (m) {
		if (end > m->now + m->bytes)
			m->bytes = end - m->now;
		m->align = align > m->align ? align : m->align;
		return;
	}
	l->members = mem_resize(l->members, l->n_members + 1, sizeof(*l->members));
	m = &l->members[l->n_members++];
	*m = (struct remedy_member){.now = field->offset,
				    .bytes = field->bytes,
				    .align = align,
				    .group = -1,
				    .nth = l->n_members - 1};
	m->name = mem_strndup(field->name, member_len(field->name));
}

/* Where the next member behind @m begins, or the struct ends. */
static uint64_t next_begins(const struct remedy_layout *l, const struct remedy_member *m)
{
	uint64_t next = l->bytes_now;

	for (size_t i = 0; i < l->n_members; i++)
		if (l->members[i].now >= m->now + m->bytes && l->members[i].now < next)
			next = l->members[i].now;
	return next;
}

/* A struct in the struct ends with its alignment, unless something lies there. */
static void end_members(struct remedy_layout *l)
{
	for (size_t i = 0; i < l->n_members; i++) {
		struct remedy_member *m = &l->members[i];
		uint64_t end = up(m->now + m->bytes, m->align);

		m->least = m->bytes;
		if (end <= next_begins(l, m))
			m->bytes = end - m->now;
	}
}

/* The first use with the threads of @use stands for its group. */
static int32_t group_of(const struct sharing_object *o, const struct sharing_use *use)
{
	int32_t g = 0;

	while (!sharing_use_alike(&o->uses[g], use))
		g++;
	return g;
}

/* Returns false if fields of several groups lie in one member. */
static bool set_groups(struct remedy_layout *l, const struct sharing_object *o)
{
	bool one = true;

	for (size_t i = 0; i < o->n_uses; i++) {
		struct remedy_member *m = member_of(l, o->uses[i].field);
		int32_t g = group_of(o, &o->uses[i]);

		if (!m)
			continue;
		one &= m->group < 0 || m->group == g;
		m->group = m->group < 0 ? g : m->group;
	}
	return one;
}

static bool hot(const struct remedy_layout *l)
{
	for (size_t i = 0; i < l->n_members; i++)
		if (l->members[i].group >= 0)
			return true;
	return false;
}

/*
 * True if threads meet between fields of one and the same struct of @o, not
 * only where one ends and the next begins.  If that was not seen: a field
 * that several threads write is each one's in an element of its own.
 */
static bool meet_inside(const struct sharing_object *o)
{
	bool several = false;

	if (o->inside || o->between)
		return (double)o->inside >= INSIDE_SHARE * (double)(o->inside + o->between);
	for (size_t i = 0; i < o->n_uses; i++)
		several |= o->uses[i].n_threads > 1 && !o->uses[i].beside;
	return !several;
}

/* One group of all, whoever uses it: an element belongs to one thread. */
static void join_groups(struct remedy_layout *l)
{
	for (size_t i = 0; i < l->n_members; i++)
		if (l->members[i].group > 0)
			l->members[i].group = 0;
}

/* The next member from @i on, or before it, that is fought for; NULL: none. */
static const struct remedy_member *next_hot(const struct remedy_layout *l, size_t i, bool back)
{
	for (; i < l->n_members; i += back ? SIZE_MAX : 1)
		if (l->members[i].group >= 0)
			return &l->members[i];
	return NULL;
}

/*
 * What lies between two fields of one line is on it, too, and nobody was seen to use it.
 * Other members may be a thread's own, on a line before or behind, which it would come
 * to share if what is fought for moves there, or the struct begins elsewhere.
 */
static void find_unseen(struct remedy_layout *l, const struct sharing_object *o)
{
	bool fixed = o->on_line && !o->off_line;

	for (size_t i = 0; i < l->n_members; i++) {
		struct remedy_member *m = &l->members[i];
		const struct remedy_member *x = next_hot(l, i, true), *y = next_hot(l, i, false);

		if (m->group >= 0)
			continue;
		m->unseen = !x || !y || y->now + y->bytes - x->now > REMEDY_LINE;
		for (size_t k = 0; fixed && k < l->n_members; k++)
			if (l->members[k].group >= 0 &&
			    l->members[k].now / REMEDY_LINE == m->now / REMEDY_LINE)
				m->unseen = false;
	}
	/* Of what moves as one, any. */
	for (size_t i = 0; i < l->n_members; i++)
		l->members[l->members[i].unit].unseen |= l->members[i].unseen;
	for (size_t i = 0; i < l->n_members; i++)
		l->members[i].unseen = l->members[l->members[i].unit].unseen;
}

bool layout_nameless(const char *type)
{
	return !strncmp(type, "struct of ", 10) || !strncmp(type, "union of ", 9) || strchr(type, '{') ||
	       strstr(type, "(anonymous") || strstr(type, "<unnamed");
}

bool layout_of_library(const char *type)
{
	return !strncmp(type, "std::", 5) || (!strncmp(type, "St", 2) && type[2] >= '0' && type[2] <= '9');
}

/* The members and who uses them; false: the struct is not known, or the C++ library's, which cannot be changed. */
static bool read_members(struct remedy_layout *l, const struct sharing_object *o, bool *parted)
{
	*l = (struct remedy_layout){.gaps = o->kind == OBJECT_HEAP ? !o->keeps_alignment : o->also_allocated};
	/* A static struct may be aligned to less than a word. */
	l->word = o->kind == OBJECT_HEAP ? WORD : 1;
	if (!o->layout || !o->layout->bytes || layout_of_library(o->layout->name))
		return false;
	l->type = o->layout->name;
	l->fixed = o->layout->fixed;
	l->bytes_now = o->layout->bytes;
	for (size_t i = 0; i < o->layout->n_fields; i++)
		add_field(l, &o->layout->fields[i]);
	end_members(l);
	layout_find_units(l, o->layout);
	*parted = set_groups(l, o);
	return true;
}

/* @joined: an element belongs to one thread, so all that is used of it is one group. */
static bool start(struct remedy_layout *l, const struct sharing_object *o, bool joined)
{
	bool parted;

	if (!read_members(l, o, &parted))
		return false;
	parted &= layout_join_units(l);
	if (joined)
		join_groups(l);
	else if (layout_groups(l) > 1)
		find_unseen(l, o);
	if ((parted || joined) && hot(l))
		return true;
	layout_release(l);
	return false;
}

/* Different threads use members @x and @y, which move as one. */
static bool used_together(const struct remedy_layout *l, size_t x, size_t y)
{
	const struct remedy_member *a = &l->members[x], *b = &l->members[y];

	return a->unit == b->unit && a->group >= 0 && b->group >= 0 && a->group != b->group;
}

char *layout_together(const struct sharing_object *o, bool elements, bool *bases)
{
	struct strbuf sb = STRBUF_INIT;
	struct remedy_layout l;
	bool parted;

	*bases = false;
	if ((elements && !meet_inside(o)) || !read_members(&l, o, &parted))
		return NULL;
	for (size_t i = 0; i < l.n_members && !sb.len; i++)
		for (size_t k = 0; k < i && !sb.len; k++) {
			if (!used_together(&l, i, k))
				continue;
			*bases = layout_by_bases(&l, i, k, o->layout);
			strbuf_printf(&sb, "threads use `%s` and `%s` of %s, which %s", l.members[k].name,
				      l.members[i].name, o->layout->name,
				      *bases ? "has parts of its base classes at several places (a virtual "
					       "base, or several with virtual functions): no layout is "
					       "computed for that"
					     : "are in one union or bit-fields of one word: no room between "
					       "members parts them");
		}
	layout_release(&l);
	return sb.len ? strbuf_detach(&sb) : NULL;
}

#define UNSEEN_GROUP (-2)

static bool begins_unit(const struct remedy_layout *l, size_t i)
{
	return !i || l->members[i].unit != l->members[i - 1].unit;
}

/* Where the groups change, a line begins. */
static void mark(struct remedy_layout *l, bool elements)
{
	int32_t last = -1;

	for (size_t i = 0; i < l->n_members; i++) {
		struct remedy_member *m = &l->members[i];
		int32_t group = m->unseen ? UNSEEN_GROUP : m->group;

		if (group == -1 || !begins_unit(l, i))
			continue;
		m->apart = last != -1 && last != group;
		last = group;
	}
	l->whole = elements && !l->gaps;
}

/* Put the unit that begins with member @i at @at, or where its alignment lets it begin; returns where. */
static uint64_t put_unit(struct remedy_layout *l, size_t i, uint64_t at, uint64_t align)
{
	const struct remedy_member *first = &l->members[i];

	at = up(at, align) + first->unit_now % first->align;
	for (; i < l->n_members && l->members[i].unit == first->unit; i++)
		l->members[i].then = at + (l->members[i].now - first->unit_now);
	return at;
}

/* Gaps need none of their own. */
static uint32_t struct_align(const struct remedy_layout *l)
{
	uint32_t align = 1;

	for (size_t i = 0; i < l->n_members; i++)
		align = l->members[i].align > align ? l->members[i].align : align;
	while (align > 1 && l->bytes_now % align)
		align /= 2;
	return align;
}

uint64_t layout_least_bytes(const struct remedy_layout *l)
{
	uint64_t at = 0, end = 0;

	for (size_t i = 0; i < l->n_members; i++) {
		const struct remedy_member *m = &l->members[i];

		/* A bit-field, which cannot be aligned, gets a gap of a line. */
		if (m->apart && !l->gaps)
			at = up(end, REMEDY_LINE);
		else if (m->gap)
			at = up(end, WORD) + m->gap;
		else if (begins_unit(l, i))
			at = end;
		if (at + (m->now - m->unit_now) + m->least > end)
			end = at + (m->now - m->unit_now) + m->least;
	}
	return l->tail_gap ? up(end, WORD) + l->tail_gap : end;
}

static void lay_out_gaps(struct remedy_layout *l, bool elements)
{
	uint64_t at = 0, hot_end = 0;

	for (size_t i = 0; i < l->n_members; i++) {
		struct remedy_member *m = &l->members[i];

		if (!begins_unit(l, i))
			continue;
		at = up(at, m->align);
		if (m->apart && at < beyond(hot_end, l->word)) {
			at = up(at, WORD);
			m->gap = (uint32_t)up(beyond(hot_end, l->word) - at, WORD);
			at += m->gap;
		}
		at = put_unit(l, i, at, m->align) + m->unit_bytes;
		hot_end = m->group < 0 && !m->unseen ? hot_end : at;
	}
	/* Of an element all may be used: what was seen of it need not be all. */
	if (elements)
		l->tail_gap = (uint32_t)up(beyond(at, l->word) - up(at, WORD), WORD);
	l->bytes_then = elements ? up(at, WORD) + l->tail_gap : up(at, struct_align(l));
}

static bool in_same(const struct remedy_member *x, const struct remedy_member *y)
{
	return x->in_bytes && x->in_now == y->in_now && x->in_bytes == y->in_bytes;
}

/* A struct without a name is aligned as its members: it begins with @i and has one apart, or ends before. */
static bool moves_struct(const struct remedy_layout *l, size_t i)
{
	const struct remedy_member *at = &l->members[i], *m;
	bool apart = false;

	if (i && in_same(at - 1, at))
		return false;
	for (m = at; m < l->members + l->n_members && in_same(m, at); m++)
		apart |= m->apart;
	for (m = at; m-- > l->members && in_same(m, at - 1);)
		apart |= m->apart;
	return apart;
}

static void lay_out_aligned(struct remedy_layout *l)
{
	uint64_t at = 0, align = l->whole ? REMEDY_LINE : 1;

	for (size_t i = 0; i < l->n_members; i++) {
		const struct remedy_member *m = &l->members[i];
		uint32_t to = m->apart || moves_struct(l, i) ? REMEDY_LINE : m->align;

		if (!begins_unit(l, i))
			continue;
		at = put_unit(l, i, at, to) + m->unit_bytes;
		align = to > align ? to : align;
	}
	l->bytes_then = up(at, align);
}

static void lay_out(struct remedy_layout *l, bool elements)
{
	mark(l, elements);
	if (l->gaps)
		lay_out_gaps(l, elements);
	else
		lay_out_aligned(l);
	if (l->bytes_then < l->bytes_now)
		l->bytes_then = l->bytes_now;
}

bool layout_pad(struct remedy_layout *l, const struct sharing_object *o, bool elements)
{
	if (!start(l, o, elements && !meet_inside(o)))
		return false;
	lay_out(l, elements);
	return true;
}

bool layout_forget_unseen(struct remedy_layout *l, bool elements)
{
	bool any = false;

	for (size_t i = 0; i < l->n_members; i++) {
		any |= l->members[i].unseen;
		l->members[i].unseen = l->members[i].apart = false;
		l->members[i].gap = 0;
	}
	l->tail_gap = 0;
	lay_out(l, elements);
	return any;
}

/* Groups in the order they are met; members that nobody fights for last. */
static int by_group(const void *a, const void *b)
{
	const struct remedy_member *x = a, *y = b;

	if ((x->group < 0) != (y->group < 0))
		return x->group < 0 ? 1 : -1;
	if (x->unseen != y->unseen)
		return x->unseen ? 1 : -1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->unit_now != y->unit_now)
		return x->unit_now < y->unit_now ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

/* Put members without a group between the first two groups, as many as there is room for. */
static void fill_between(struct remedy_layout *l)
{
	size_t first = 0, cold;
	uint64_t room = REMEDY_LINE - 1;

	while (first < l->n_members && l->members[first].group == l->members[0].group)
		first++;
	for (cold = first; cold < l->n_members && l->members[cold].group >= 0;)
		cold++;
	for (; cold < l->n_members && !l->members[cold].unseen && (room > 0 || !begins_unit(l, cold));
	     cold++) {
		struct remedy_member m = l->members[cold];

		room -= m.bytes < room ? m.bytes : room;
		memmove(&l->members[first + 1], &l->members[first], (cold - first) * sizeof(m));
		l->members[first++] = m;
	}
}

/* Members that no declaration of the struct can put elsewhere: those of base classes stand in front. */
static size_t fixed_members(const struct remedy_layout *l, const struct sharing_object *o)
{
	size_t n = 0;

	while (n < l->n_members && l->members[n].now + l->members[n].bytes <= o->layout->fixed)
		n++;
	return n;
}

/* Sort what stands behind @n fixed members; those that go with the last of these first.  False: threads meet in them. */
static bool sort_behind(struct remedy_layout *l, size_t n)
{
	struct remedy_member m;
	int32_t group = -1;

	for (size_t i = 0; i < n; i++) {
		if (l->members[i].group >= 0 && group >= 0 && l->members[i].group != group)
			return false;
		group = l->members[i].group >= 0 ? l->members[i].group : group;
	}
	qsort(l->members + n, l->n_members - n, sizeof(*l->members), by_group);
	for (size_t i = n; i < l->n_members && group >= 0; i++) {
		if (l->members[i].group != group)
			continue;
		m = l->members[i];
		memmove(&l->members[n + 1], &l->members[n], (i - n) * sizeof(m));
		l->members[n++] = m;
	}
	return true;
}

bool layout_reorder(struct remedy_layout *l, const struct sharing_object *o, bool elements,
		    const struct remedy_layout *padded)
{
	bool sorted;
	size_t fixed;

	if (!start(l, o, elements && !meet_inside(o)))
		return false;
	/* Those of a struct without a name need not stay in it. */
	for (size_t i = 0; i < l->n_members; i++)
		l->members[i].in_bytes = 0;
	fixed = fixed_members(l, o);
	sorted = sort_behind(l, fixed);
	if (!fixed)
		fill_between(l);
	lay_out(l, elements);
	if (sorted && layout_groups(l) > 1 && l->bytes_then < padded->bytes_then)
		return true;
	layout_release(l);
	return false;
}

bool layout_changes(const struct remedy_layout *l)
{
	bool any = l->whole || l->tail_gap;

	for (size_t i = 0; i < l->n_members; i++)
		any |= l->gaps ? l->members[i].gap != 0 : l->members[i].apart;
	return any;
}

bool layout_moves(const struct remedy_layout *l)
{
	bool moves = l->bytes_now != l->bytes_then;

	for (size_t i = 0; i < l->n_members; i++)
		moves |= l->members[i].now != l->members[i].then;
	return moves;
}

unsigned layout_groups(const struct remedy_layout *l)
{
	unsigned n = 0;

	for (size_t i = 0; i < l->n_members; i++) {
		bool first = l->members[i].group >= 0;

		for (size_t k = 0; k < i && first; k++)
			first = l->members[k].group != l->members[i].group;
		n += first;
	}
	return n;
}

char *layout_type(const struct remedy_layout *l)
{
	char *plain = demangle_type(l->type);

	return plain ? plain : mem_strdup(l->type);
}

void layout_release(struct remedy_layout *l)
{
	for (size_t i = 0; i < l->n_members; i++)
		free(l->members[i].name);
	free(l->members);
	*l = (struct remedy_layout){0};
}

/* Members shown of a layout; more than that are left out where nobody fights for them. */
#define MEMBERS_SHOWN 12u

/* A comma, or where a line begins, in front of member @i; those that move as one stand in braces. */
static void order_member(struct strbuf *sb, const struct remedy_layout *l, size_t i)
{
	const struct remedy_member *m = &l->members[i];
	bool one = i + 1 < l->n_members && !begins_unit(l, i + 1);

	strbuf_printf(sb, "%s%s%s%s",
		      !sb->len             ? ""
		      : m->apart || m->gap ? " | "
					   : ", ",
		      begins_unit(l, i) && one ? "{" : "", m->name, begins_unit(l, i) || one ? "" : "}");
}

char *layout_order(const struct remedy_layout *l)
{
	struct strbuf sb = STRBUF_INIT;
	size_t cold = 0;

	strbuf_puts(&sb, "");
	for (size_t i = 0; i < l->n_members; i++) {
		/* Those that move as one are shown, or not, as one. */
		cold += l->members[i].group < 0 && begins_unit(l, i);
		if (l->members[i].group >= 0 || cold <= MEMBERS_SHOWN)
			order_member(&sb, l, i);
	}
	if (cold > MEMBERS_SHOWN)
		strbuf_puts(&sb, ", ...");
	return strbuf_detach(&sb);
}
