/* SPDX-License-Identifier: MIT */
/* Layouts proposed for structs whose every byte is known, and the order of remedies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy-layout.h"
#include "analyzer/sharing/remedy.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t first[] = {1}, second[] = {2}, all[] = {1, 2};

static struct run_field fields[] = {{"rx", 0, 8},    {"tx", 8, 8},    {"name", 16, 40},
				    {"in.a", 56, 4}, {"in.b", 60, 4}, {"flag", 64, 1},
				    {"bits", 65, 1}, {"more", 65, 1}, {"last", 72, 8}};
static const struct run_type type = {
	.name = "struct traffic", .bytes = 80, .fields = fields, .n_fields = N(fields)};

/* Names of uses are theirs; nobody writes to these. */
static char *name(const char *text)
{
	return (char *)(uintptr_t)text;
}

static struct sharing_use use(const char *field, uint32_t *threads, size_t n)
{
	return (struct sharing_use){.field = name(field),
				    .threads = threads,
				    .n_threads = n,
				    .placed = true,
				    .written = true,
				    .summed = true,
				    .bytes = 8};
}

static struct sharing_object object(enum object_kind kind, struct sharing_use *uses, size_t n)
{
	return (struct sharing_object){.kind = kind,
				       .name = name("o"),
				       .layout = &type,
				       .uses = uses,
				       .n_uses = n,
				       .bytes = type.bytes};
}

static const struct remedy_member *member(const struct remedy_layout *l, const char *name)
{
	for (size_t i = 0; i < l->n_members; i++)
		if (!strcmp(l->members[i].name, name))
			return &l->members[i];
	fail();
	return NULL;
}

/* No byte that two threads use may lie in one line, wherever the struct begins: tried out. */
static void check_apart(const struct remedy_layout *l, bool aligned, bool elements)
{
	for (uint64_t base = 0; base < 64; base += aligned ? 64 : 8)
		for (size_t x = 0; x < l->n_members; x++)
			for (size_t y = 0; y < l->n_members; y++) {
				const struct remedy_member *a = &l->members[x], *b = &l->members[y];
				uint64_t end = base + a->then + a->bytes - 1;

				if (a->group < 0 || b->group < 0)
					continue;
				if (a->group != b->group && a->then < b->then)
					assert_true(end / 64 < (base + b->then) / 64);
				if (elements)
					assert_true(end / 64 < (base + l->bytes_then + b->then) / 64);
			}
}

/* Members keep their order, and none lies on another one but bits of one word. */
static void check_order(const struct remedy_layout *l)
{
	for (size_t i = 1; i < l->n_members; i++)
		if (strcmp(l->members[i].name, "more"))
			assert_true(l->members[i].then >= l->members[i - 1].then + l->members[i - 1].bytes);
	assert_true(l->bytes_then >= l->members[l->n_members - 1].then + l->members[l->n_members - 1].bytes);
}

static void test_aligned(void **state)
{
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct remedy_layout l;

	(void)state;
	assert_true(layout_pad(&l, &o, false));
	assert_int_equal(l.n_members, 8);
	assert_false(member(&l, "rx")->apart);
	assert_true(member(&l, "tx")->apart);
	assert_int_equal(member(&l, "tx")->then, 64);
	assert_int_equal(member(&l, "in")->bytes, 8);
	assert_int_equal(l.bytes_then, 192);
	check_apart(&l, true, true);
	check_order(&l);
	layout_release(&l);
}

/* A struct in the struct has its own alignment, and ends with it. */
static void test_inner(void **state)
{
	struct run_field inner[] = {{"tag", 0, 1},  {"x.a", 8, 8},  {"x.b", 16, 4}, {"rx", 24, 8},
				    {"y.c", 32, 4}, {"y.d", 36, 1}, {"z", 37, 1},   {"tx", 40, 8}};
	struct run_type out = {.name = "struct out", .bytes = 48, .fields = inner, .n_fields = N(inner)};
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct remedy_layout l;

	(void)state;
	o.layout = &out;
	o.on_line = true;
	assert_true(layout_pad(&l, &o, false));
	assert_int_equal(member(&l, "x")->bytes, 16);
	assert_int_equal(member(&l, "x")->then, 8);
	assert_int_equal(member(&l, "rx")->then, 24);
	/* What lies where it would end says that it ends before. */
	assert_int_equal(member(&l, "y")->bytes, 5);
	check_order(&l);
	layout_release(&l);
}

/* What may be a thread's own on another line of the struct must not come to lie beside what is fought for. */
static void test_unseen(void **state)
{
	struct sharing_use uses[] = {use("in.a", first, 1), use("last", second, 1)};
	struct sharing_object o = object(OBJECT_HEAP, uses, N(uses));
	struct remedy_layout l;

	(void)state;
	assert_true(layout_pad(&l, &o, false));
	assert_true(member(&l, "rx")->unseen && member(&l, "name")->unseen);
	assert_true(member(&l, "in")->apart);
	assert_true(member(&l, "in")->then >= member(&l, "name")->then + 40 + 56);
	/* Between the two, on their line. */
	assert_false(member(&l, "flag")->unseen || member(&l, "flag")->apart);
	check_apart(&l, false, false);
	assert_true(layout_least_bytes(&l) <= l.bytes_then);
	assert_true(layout_least_bytes(&l) > member(&l, "in")->then);
	layout_release(&l);
	/* The twin: the struct is known to begin a line, which all that is on it can be seen of. */
	uses[0] = use("rx", first, 1);
	uses[1] = use("name", second, 1);
	o = object(OBJECT_GLOBAL, uses, N(uses));
	o.on_line = true;
	assert_true(layout_pad(&l, &o, false));
	assert_false(member(&l, "tx")->unseen);
	assert_false(member(&l, "in")->apart);
	layout_release(&l);
}

/* What lies on each other moves as one: `rx` and `drop` with `both`, which is the same bytes. */
static struct run_field port_fields[] = {{"id", 0, 8},    {"flag", 8, 1}, {"rx", 16, 4},  {"drop", 20, 4},
					 {"both", 16, 8}, {"tx", 24, 4},  {"rest", 32, 8}};
static const struct run_field port_union[] = {{"union", 16, 8}};

static void check_union(const struct remedy_layout *l)
{
	assert_int_equal(member(l, "drop")->then, member(l, "rx")->then + 4);
	assert_int_equal(member(l, "both")->then, member(l, "rx")->then);
	assert_false(member(l, "drop")->apart || member(l, "both")->apart);
	assert_false(member(l, "drop")->gap || member(l, "both")->gap);
	assert_int_equal(member(l, "both")->then % 8, 0);
}

static void test_union(void **state)
{
	struct run_type port = {
		.name = "struct port", .bytes = 40, .fields = port_fields, .n_fields = N(port_fields)};
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct remedy_layout l;

	(void)state;
	o.layout = &port;
	for (int i = 0; i < 4; i++) {
		/* A table of an older build does not name the union. */
		port.unnamed = i % 2 ? port_union : NULL;
		port.n_unnamed = (size_t)(i % 2);
		o.kind = i / 2 ? OBJECT_HEAP : OBJECT_GLOBAL;
		assert_true(layout_pad(&l, &o, false));
		check_union(&l);
		check_apart(&l, i < 2, false);
		assert_int_equal(member(&l, "both")->group, member(&l, "rx")->group);
		assert_true(member(&l, "tx")->then >= member(&l, "both")->then + 64);
		layout_release(&l);
		/* What threads meet between is in it: it cannot be parted. */
		uses[1].field = name("drop");
		assert_false(layout_pad(&l, &o, false));
		uses[1].field = name("tx");
	}
}

/* All of a union goes where one of its members goes. */
static void test_union_order(void **state)
{
	static struct run_field one[] = {{"in", 0, 8},  {"c", 8, 1},    {"a", 8, 4},  {"b", 12, 4},
					 {"id", 16, 8}, {"out", 24, 8}, {"bh", 32, 4}};
	static const struct run_field where[] = {{"union", 8, 8}};
	static const struct run_type type_one = {.name = "struct one",
						 .bytes = 40,
						 .fields = one,
						 .n_fields = N(one),
						 .unnamed = where,
						 .n_unnamed = 1};
	struct sharing_use uses[] = {use("in", first, 1), use("b", second, 1), use("out", first, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct remedy_layout padded, l;
	char *order;

	(void)state;
	o.layout = &type_one;
	o.on_line = true;
	assert_true(layout_pad(&padded, &o, false));
	assert_true(layout_reorder(&l, &o, false, &padded));
	order = layout_order(&l);
	assert_string_equal(order, "in, out, id, bh | {c, a, b}");
	free(order);
	assert_int_equal(member(&l, "b")->then, member(&l, "c")->then + 4);
	check_apart(&l, true, false);
	layout_release(&l);
	layout_release(&padded);
}

/* Of a struct without a name one member begins a line, and so does the struct. */
static void test_unnamed(void **state)
{
	static struct run_field pipe[] = {{"fd", 0, 4}, {"rd", 8, 8}, {"wr", 16, 8}, {"stamp", 24, 8}};
	static const struct run_field where[] = {{"struct", 8, 16}};
	static const struct run_type type_pipe = {.name = "struct pipe",
						  .bytes = 32,
						  .fields = pipe,
						  .n_fields = N(pipe),
						  .unnamed = where,
						  .n_unnamed = 1};
	struct sharing_use uses[] = {use("rd", first, 1), use("wr", second, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct remedy_layout l;

	(void)state;
	o.layout = &type_pipe;
	o.on_line = true;
	assert_true(layout_pad(&l, &o, false));
	assert_int_equal(member(&l, "rd")->then, 64);
	assert_int_equal(member(&l, "wr")->then, 128);
	assert_int_equal(member(&l, "stamp")->then, 192);
	layout_release(&l);
}

static void test_gaps(void **state)
{
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1), use("in.a", first, 1),
				     use("last", all, 2)};
	struct sharing_object o = object(OBJECT_HEAP, uses, N(uses));
	struct remedy_layout l;

	(void)state;
	o.inside = 500;
	o.between = 500;
	assert_true(layout_pad(&l, &o, true));
	assert_true(l.gaps);
	assert_int_equal(member(&l, "tx")->gap, 56);
	/* The name is in between already. */
	assert_int_equal(member(&l, "in")->gap, 16);
	assert_true(l.tail_gap != 0);
	check_apart(&l, false, true);
	check_order(&l);
	layout_release(&l);
}

static void test_elements(void **state)
{
	struct sharing_use uses[] = {use("tx", all, 2)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct remedy_layout l;

	(void)state;
	o.array = true;
	assert_true(layout_pad(&l, &o, true));
	assert_int_equal(l.bytes_then, 128);
	assert_int_equal(member(&l, "tx")->then, 8);
	check_apart(&l, true, true);
	layout_release(&l);
	o.kind = OBJECT_HEAP;
	assert_true(layout_pad(&l, &o, true));
	/* All of an element may be used. */
	assert_int_equal(l.bytes_then, 80 + 56);
	check_apart(&l, false, true);
	layout_release(&l);
	o.keeps_alignment = true;
	assert_true(layout_pad(&l, &o, true));
	assert_true(l.whole);
	assert_int_equal(l.bytes_then, 128);
	layout_release(&l);
	/* Static, but others of the type are allocated: they begin anywhere, and static ones at any byte. */
	o.kind = OBJECT_GLOBAL;
	o.also_allocated = true;
	assert_true(layout_pad(&l, &o, true));
	assert_true(l.gaps && l.bytes_then >= 80 + 63);
	layout_release(&l);
}

/* Threads with an element each: which of its fields lie in a disputed line parts nothing. */
static void test_one_each(void **state)
{
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1), use("last", second, 1)};
	struct sharing_object o = object(OBJECT_HEAP, uses, N(uses));
	struct sharing_finding f = {.objects = &o, .n_objects = 1};
	struct remedy_layout l;

	(void)state;
	o.array = true;
	o.inside = 10;
	o.between = 1000;
	assert_true(remedy_between_elements(&f, &o));
	assert_true(layout_pad(&l, &o, true));
	assert_int_equal(layout_groups(&l), 1);
	for (size_t i = 0; i < l.n_members; i++)
		assert_int_equal(l.members[i].then, l.members[i].now);
	layout_release(&l);
	/* The twin: in one and the same struct, too. */
	o.inside = 500;
	assert_true(layout_pad(&l, &o, true));
	assert_int_equal(layout_groups(&l), 2);
	check_apart(&l, false, true);
	layout_release(&l);
}

static void test_reorder(void **state)
{
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1), use("last", first, 1)};
	struct sharing_object o = object(OBJECT_HEAP, uses, N(uses));
	struct remedy_layout padded, l;

	(void)state;
	assert_true(layout_pad(&padded, &o, false));
	assert_true(layout_reorder(&l, &o, false, &padded));
	assert_true(l.bytes_then < padded.bytes_then);
	assert_int_equal(layout_groups(&l), 2);
	check_apart(&l, false, false);
	layout_release(&l);
	layout_release(&padded);
}

/* Members of a base class and the pointer to virtual functions stay in front, in their order. */
static void test_base(void **state)
{
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1), use("last", first, 1)};
	struct sharing_object o = object(OBJECT_HEAP, uses, N(uses));
	struct run_type derived = *o.layout;
	struct remedy_layout padded, l;

	(void)state;
	o.layout = &derived;
	derived.fixed = derived.fields[1].offset;
	assert_true(layout_pad(&padded, &o, false));
	assert_true(layout_reorder(&l, &o, false, &padded));
	assert_string_equal(l.members[0].name, derived.fields[0].name);
	layout_release(&l);
	/* Both of its own members, and of the base class: no order parts them. */
	derived.fixed = derived.bytes;
	assert_false(layout_reorder(&l, &o, false, &padded));
	layout_release(&padded);
}

/* Fields of two threads that no line holds both of: they meet where one element ends and the next begins. */
static void test_ends(void **state)
{
	struct sharing_use uses[] = {use("rx", first, 1), use("last", second, 1)};
	struct sharing_object o = object(OBJECT_HEAP, uses, N(uses));
	struct sharing_finding f = {.objects = &o, .n_objects = 1};
	struct remedy_layout l;

	(void)state;
	o.array = true;
	uses[1].offset = 72;
	assert_true(remedy_between_elements(&f, &o));
	assert_true(layout_pad(&l, &o, true));
	assert_true(l.tail_gap != 0);
	check_apart(&l, false, true);
	layout_release(&l);
	/* Within a line's length they may meet in one element. */
	uses[1].offset = 70;
	assert_false(remedy_between_elements(&f, &o));
	/* The same thread's do not meet. */
	uses[1] = use("last", first, 1);
	uses[1].offset = 72;
	assert_false(remedy_between_elements(&f, &o));
}

/* A pointer that two threads read beside something else is no array; a counter array is one. */
static void test_whole(void **state)
{
	struct sharing_use uses[] = {use("", all, 2)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct sharing_finding f = {.objects = &o, .n_objects = 1, .verdict = SHARING_FALSE};

	(void)state;
	o.bytes = 8;
	finding_objects_finish(&f);
	assert_false(o.array);
	o.bytes = 16;
	finding_objects_finish(&f);
	assert_true(o.array);
}

/* Of what lies in one member, no member can be moved; the C++ library's types cannot be changed. */
static void test_refused(void **state)
{
	struct sharing_use uses[] = {use("in.a", first, 1), use("in.b", second, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct run_type library = {
		.name = "std::atomic<long int>", .bytes = 8, .fields = fields, .n_fields = 1};
	struct remedy_layout l;

	(void)state;
	assert_false(layout_pad(&l, &o, false));
	o.layout = &library;
	assert_false(layout_pad(&l, &o, false));
	o.layout = NULL;
	assert_false(layout_pad(&l, &o, false));
}

/* As the site table has a class of two with one virtual base: that is listed with each, where it would be alone. */
static struct run_field both_fields[] = {{"_vptr.Left", 0, 8},  {"one", 8, 8},          {"_vptr.Root", 16, 8},
					 {"v", 24, 8},          {"_vptr.Right", 16, 8}, {"two", 24, 8},
					 {"_vptr.Root", 32, 8}, {"v", 40, 8},           {"own", 32, 8}};
static const struct run_type both = {
	.name = "Both", .bytes = 56, .fields = both_fields, .n_fields = N(both_fields)};

/* What keeps two members together is named as what it is. */
static void test_together(void **state)
{
	struct sharing_use uses[] = {use("one", first, 1), use("two", second, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	bool bases = false;
	char *why;

	(void)state;
	o.layout = &both;
	why = layout_together(&o, false, &bases);
	assert_non_null(why);
	assert_true(bases);
	assert_null(strstr(why, "union"));
	assert_non_null(strstr(why, "base classes at several places"));
	free(why);
	/* The twins: bits of one word, and members that nothing keeps together. */
	o.layout = &type;
	uses[0] = use("bits", first, 1);
	uses[1] = use("more", second, 1);
	why = layout_together(&o, false, &bases);
	assert_non_null(why);
	assert_false(bases);
	assert_non_null(strstr(why, "bit-fields of one word"));
	free(why);
	uses[0] = use("rx", first, 1);
	uses[1] = use("tx", second, 1);
	assert_null(layout_together(&o, false, &bases));
}

/* Arrays of structs of 64 bytes, of which two threads use member "hits[2]" of 16. */
static struct run_field tally_fields[] = {{"hits", 0, 16}, {"pad", 16, 48}};
static const struct run_type tally = {
	.name = "struct tally", .bytes = 64, .fields = tally_fields, .n_fields = N(tally_fields)};

struct meeting {
	struct sharing_use use;
	struct sharing_object o;
	struct run_mem_site site;
	struct sharing_pair pair;
	struct sharing_finding f;
};

static void meet(struct meeting *m, enum object_kind kind, bool array)
{
	m->use = use("hits[]", all, 2);
	m->use.bytes = 16;
	m->o = object(kind, &m->use, 1);
	m->o.layout = &tally;
	m->o.bytes = 128;
	m->o.array = array;
	m->site = (struct run_mem_site){.type = "-", .field = (char *)"-", .bytes = 8};
	m->pair = (struct sharing_pair){.a = {.thread = 1, .site = &m->site},
					.b = {.thread = 2, .site = &m->site}};
	m->f = (struct sharing_finding){
		.objects = &m->o, .n_objects = 1, .pairs = &m->pair, .n_pairs = 1, .transfers = 1000};
}

static const struct sharing_remedy *remedy(const struct sharing_finding *f, enum remedy_kind kind)
{
	for (size_t i = 0; i < f->n_remedies; i++)
		if (f->remedies[i].kind == kind)
			return &f->remedies[i];
	return NULL;
}

static void make(struct meeting *m)
{
	static const double cpu[] = {0, 1e9, 1e9};

	remedies_make(&m->f, &(struct remedy_setting){cpu, 3, 2});
}

/* Two numbers of one array in one struct: no room between members parts them; each gets a line. */
static void test_numbers(void **state)
{
	const enum object_kind kinds[] = {OBJECT_GLOBAL, OBJECT_HEAP};
	struct meeting m;

	(void)state;
	for (size_t i = 0; i < 2 * N(kinds); i++) {
		meet(&m, kinds[i / 2], i % 2);
		m.use.inside = 900;
		make(&m);
		assert_non_null(m.f.no_layout);
		assert_non_null(strstr(m.f.no_layout, "inside of member `hits[2]` of struct tally"));
		assert_non_null(strstr(m.f.no_layout, "8 bytes"));
		assert_non_null(remedy(&m.f, REMEDY_LOCAL_COPY));
		assert_non_null(remedy(&m.f, REMEDY_PAD));
		assert_int_equal(remedy(&m.f, REMEDY_PAD)->bytes % (2 * 64 - 16), 0);
		assert_null(remedy(&m.f, REMEDY_REORDER));
		assert_null(remedy(&m.f, REMEDY_SPLIT));
		remedies_release(&m.f);
		assert_null(m.f.no_layout);
	}
	/* No access was seen to read what it writes: a copy does all the same. */
	meet(&m, OBJECT_GLOBAL, true);
	m.use.inside = 900;
	m.use.summed = false;
	make(&m);
	assert_non_null(remedy(&m.f, REMEDY_LOCAL_COPY));
	remedies_release(&m.f);
	/* Of very many, each thread has a part. */
	meet(&m, OBJECT_GLOBAL, true);
	m.use.inside = 900;
	m.use.bytes = 8 * (REMEDY_ELEMENTS + 1);
	make(&m);
	assert_non_null(strstr(m.f.no_layout, "[257]` of struct tally: each thread's part"));
	assert_null(remedy(&m.f, REMEDY_PAD));
	remedies_release(&m.f);
	/* Accesses that have another name for the type. */
	meet(&m, OBJECT_GLOBAL, true);
	m.use.inside = 900;
	m.site.type = "tally_t";
	m.site.field = name("hits[]");
	make(&m);
	assert_non_null(m.f.no_layout);
	remedies_release(&m.f);
	/* Which of them was not seen, but they begin a line, and so do not meet each other. */
	meet(&m, OBJECT_GLOBAL, true);
	m.o.on_line = true;
	make(&m);
	assert_non_null(m.f.no_layout);
	remedies_release(&m.f);
}

/* Nobody can have a copy of a lock, nor of an atomic that others change, too. */
static void test_no_copy(void **state)
{
	static struct run_field lock[] = {{"in.__data.__lock", 0, 4}, {"in.__size[40]", 0, 40}};
	static const struct run_type locks = {
		.name = "struct locks", .bytes = 128, .fields = lock, .n_fields = N(lock)};
	struct meeting m;

	(void)state;
	meet(&m, OBJECT_GLOBAL, false);
	m.use.field = name("in");
	m.o.layout = &locks;
	make(&m);
	assert_null(remedy(&m.f, REMEDY_LOCAL_COPY));
	remedies_release(&m.f);
	meet(&m, OBJECT_GLOBAL, false);
	m.use.field = name("hits");
	m.use.access = 16;
	m.use.atomic = true;
	make(&m);
	assert_null(remedy(&m.f, REMEDY_LOCAL_COPY));
	remedies_release(&m.f);
	/* The twin: it is one thread's alone. */
	m.use.n_threads = 1;
	make(&m);
	assert_non_null(remedy(&m.f, REMEDY_LOCAL_COPY));
	remedies_release(&m.f);
	/* ... but another one looks at it meanwhile. */
	m.use.read_meanwhile = true;
	make(&m);
	assert_null(remedy(&m.f, REMEDY_LOCAL_COPY));
	remedies_release(&m.f);
	/* Nor at numbers, which nothing else parts. */
	meet(&m, OBJECT_GLOBAL, true);
	m.use.inside = 900;
	m.use.read_meanwhile = true;
	make(&m);
	assert_non_null(m.f.no_layout);
	assert_null(remedy(&m.f, REMEDY_LOCAL_COPY));
	remedies_release(&m.f);
}

/* Threads meet in elements of one array, and where another one, large, begins: that one only begins a line. */
static void test_bytes(void **state)
{
	struct sharing_use elements = use("[]", all, 2), part = use("[]", first, 1);
	struct sharing_object o[] = {object(OBJECT_GLOBAL, &elements, 1), object(OBJECT_GLOBAL, &part, 1)};
	struct sharing_pair pair = {.a.thread = 1, .b.thread = 2};
	struct sharing_finding f = {.objects = o, .n_objects = 2, .pairs = &pair, .n_pairs = 1};
	double cpu[] = {0, 1e9, 1e9};

	(void)state;
	o[0].layout = o[1].layout = NULL;
	o[0].array = o[1].array = true;
	o[0].bytes = 64 * 8;
	o[1].bytes = 100000 * 8 + 8;
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_int_equal(remedy(&f, REMEDY_PAD)->bytes, 64 * 56 + 56);
	assert_non_null(strstr(remedy(&f, REMEDY_PAD)->abi, "offsets of the type change"));
	remedies_release(&f);
	/* The twin: neither is used by both. */
	elements = use("[]", second, 1);
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_int_equal(remedy(&f, REMEDY_PAD)->bytes, 56);
	assert_non_null(strstr(remedy(&f, REMEDY_PAD)->abi, "no type"));
	remedies_release(&f);
}

/* A sentence names some fields of many, and says how many others there are. */
static void test_many_fields(void **state)
{
	static const char *const names[] = {"rx", "tx", "name", "in.a", "in.b", "flag", "bits", "last"};
	struct sharing_use uses[N(names)];
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct sharing_pair pair = {.a.thread = 1, .b.thread = 2};
	struct sharing_finding f = {.objects = &o, .n_objects = 1, .pairs = &pair, .n_pairs = 1};
	double cpu[] = {0, 1e9, 1e9};

	(void)state;
	for (size_t i = 0; i < N(uses); i++)
		uses[i] = use(names[i], i % 2 ? second : first, 1);
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_string_equal(remedy(&f, REMEDY_PAD)->text,
			    "put rx, tx, name, in.a, in.b and 3 more of o on lines of their own");
	remedies_release(&f);
	o.n_uses = 6;
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_string_equal(remedy(&f, REMEDY_PAD)->text,
			    "put rx, tx, name, in.a, in.b and flag on lines of their own");
	remedies_release(&f);
}

/* Of two, the one that nobody looks at has a name. */
static void test_copy_of_one(void **state)
{
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct sharing_pair pair = {.a.thread = 1, .b.thread = 2};
	struct sharing_finding f = {.objects = &o, .n_objects = 1, .pairs = &pair, .n_pairs = 1};
	double cpu[] = {0, 1e9, 1e9};

	(void)state;
	uses[1].read_meanwhile = true;
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_string_equal(remedy(&f, REMEDY_LOCAL_COPY)->text,
			    "let each thread add up `rx` in a local variable; store it at the end");
	remedies_release(&f);
	uses[1].read_meanwhile = false;
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_string_equal(remedy(&f, REMEDY_LOCAL_COPY)->text,
			    "let each thread add up in a local variable; store it at the end");
	remedies_release(&f);
}

/* What several threads need of one number they share truly: it is moved as a whole. */
static void test_number(void **state)
{
	struct meeting m;

	(void)state;
	meet(&m, OBJECT_GLOBAL, false);
	m.use.field = name("hits");
	m.use.access = 16;
	assert_false(remedy_inside_member(&m.f, &m.o, 0));
	m.use.access = 8;
	assert_true(remedy_inside_member(&m.f, &m.o, 0));
}

/* The twins: others than the numbers meet, or what meets can be moved. */
static void test_no_numbers(void **state)
{
	struct meeting m;

	(void)state;
	/* One of the structs begins within a line, so that its end meets the next: alignment helps. */
	meet(&m, OBJECT_GLOBAL, true);
	m.o.on_line = m.o.off_line = true;
	m.use.inside = 10;
	make(&m);
	assert_null(m.f.no_layout);
	assert_non_null(remedy(&m.f, REMEDY_PAD));
	assert_int_equal(remedy(&m.f, REMEDY_PAD)->bytes, 0);
	assert_non_null(strstr(remedy(&m.f, REMEDY_PAD)->abi, "offsets of the type stay"));
	remedies_release(&m.f);
	/* What is used is a member of a struct there. */
	meet(&m, OBJECT_GLOBAL, true);
	m.use.inside = 900;
	m.site.type = "struct cell";
	m.site.field = name("n");
	make(&m);
	assert_null(m.f.no_layout);
	assert_non_null(remedy(&m.f, REMEDY_PAD));
	assert_true(remedy_inside_member(&m.f, &m.o, 0));
	remedies_release(&m.f);
	/* The whole member at once. */
	meet(&m, OBJECT_GLOBAL, true);
	m.use.inside = 900;
	m.site.bytes = 16;
	make(&m);
	assert_null(m.f.no_layout);
	remedies_release(&m.f);
}

static void test_remedies(void **state)
{
	struct sharing_use uses[] = {use("rx", first, 1), use("tx", second, 1)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct sharing_pair pair = {.a.thread = 1, .b.thread = 2};
	struct sharing_finding f = {.objects = &o,
				    .n_objects = 1,
				    .pairs = &pair,
				    .n_pairs = 1,
				    .priced = true,
				    .cost = 40,
				    .cost_low = 5, /* not known well: that saves nothing */
				    .cost_nearest = 40};
	double cpu[] = {0, 1e9, 1e9};

	(void)state;
	/* Two cores: both on one would take longer, which is no remedy. */
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_int_equal(f.remedies[0].kind, REMEDY_PAD);
	assert_int_equal(f.remedies[0].bytes, 112);
	assert_non_null(remedy_layout(&f.remedies[0], 0));
	assert_null(remedy(&f, REMEDY_COLOCATE));
	remedies_release(&f);
	f.cost_nearest = 10;
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_float_equal(remedy(&f, REMEDY_COLOCATE)->saves_percent, 30, 0.01);
	remedies_release(&f);
	/* On one core they wait for each other anyway. */
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 1});
	assert_non_null(remedy(&f, REMEDY_COLOCATE));
	assert_true(remedy(&f, REMEDY_COLOCATE)->saves_percent > 39);
	remedies_release(&f);
	f.verdict = SHARING_TRUE;
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_int_equal(f.remedies[0].kind, REMEDY_LOCAL_COPY);
	remedies_release(&f);
	f.verdict = SHARING_UNCLEAR;
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_int_equal(f.n_remedies, 0);
	remedies_release(&f);
}

/* What is only changed under a lock is no sum that each thread could have a part of. */
static void test_guarded(void **state)
{
	struct prs_wait takes = {
		.object = 0x1000, .kind = PRS_EV_MUTEX, .flags = PRS_WAIT_TAKEN, .count = 500};
	struct run_thread threads[3] = {
		{0}, {.waits = &takes, .n_waits = 1}, {.waits = &takes, .n_waits = 1}};
	struct run_process p = {.threads = threads, .n_threads = 3};
	struct sharing_use uses[] = {use("head", all, 2)};
	struct sharing_object o = object(OBJECT_GLOBAL, uses, N(uses));
	struct sharing_pair pair = {.a.thread = 1, .b.thread = 2, .transfers = 900};
	struct sharing_finding f = {.objects = &o,
				    .n_objects = 1,
				    .pairs = &pair,
				    .n_pairs = 1,
				    .process = &p,
				    .verdict = SHARING_TRUE};
	double cpu[] = {0, 1e9, 1e9};

	(void)state;
	uses[0].summed = true;
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_null(remedy(&f, REMEDY_LOCAL_COPY));
	remedies_release(&f);
	pair.transfers = 100000; /* it moves without the lock, too */
	remedies_make(&f, &(struct remedy_setting){cpu, 3, 2});
	assert_non_null(remedy(&f, REMEDY_LOCAL_COPY));
	remedies_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aligned),     cmocka_unit_test(test_inner),
		cmocka_unit_test(test_gaps),        cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_one_each),    cmocka_unit_test(test_elements),
		cmocka_unit_test(test_reorder),     cmocka_unit_test(test_ends),
		cmocka_unit_test(test_whole),       cmocka_unit_test(test_base),
		cmocka_unit_test(test_refused),     cmocka_unit_test(test_remedies),
		cmocka_unit_test(test_numbers),     cmocka_unit_test(test_number),
		cmocka_unit_test(test_no_copy),     cmocka_unit_test(test_no_numbers),
		cmocka_unit_test(test_many_fields), cmocka_unit_test(test_copy_of_one),
		cmocka_unit_test(test_guarded),     cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_union),       cmocka_unit_test(test_union_order),
		cmocka_unit_test(test_unnamed),     cmocka_unit_test(test_together),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
