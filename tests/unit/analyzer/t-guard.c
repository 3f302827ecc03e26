/* SPDX-License-Identifier: MIT */
/* Guard files: what of a finding is written, and what of a file is read again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/guard/guard.h"
#include "analyzer/sharing/parts.h"
#include "lib/mem.h"

static char rx[] = "rx", tx[] = "tx", none[] = "", elements[] = "[]";
static char receiver[] = "receiver", sender[] = "sender 1", hits[] = "hits", misses[] = "misses";
static char *first_name[] = {receiver, NULL}, *second_name[] = {sender, NULL},
	    *both[] = {receiver, sender, NULL};
static uint32_t first[] = {1}, second[] = {2}, all[] = {1, 2};

static struct run_field fields[] = {{"rx", 0, 8}, {"tx", 8, 8}};
static const struct run_type stats = {.name = "struct stats", .bytes = 16, .fields = fields, .n_fields = 2};
static const struct run_type nameless = {
	.name = "struct of work", .bytes = 16, .fields = fields, .n_fields = 2};
static const struct run_type library = {.name = "std::mutex", .bytes = 16, .fields = fields, .n_fields = 2};

static struct sharing_use use(char *field, uint32_t *threads, char **names, bool written)
{
	size_t n = 0;

	while (names[n])
		n++;
	return (struct sharing_use){
		.field = field, .threads = threads, .n_threads = n, .names = names, .written = written};
}

static struct sharing_finding finding(struct sharing_object *objects, size_t n)
{
	return (struct sharing_finding){
		.evidence = "share-000001", .verdict = SHARING_FALSE, .objects = objects, .n_objects = n};
}

/* What the guard of @f is behind its first lines. */
static char *text_of(const struct guard *g)
{
	struct strbuf sb = STRBUF_INIT;
	char *at, *out;

	guard_text(g, &sb);
	at = strstr(sb.s, "THIS warns where it is there again.\n");
	out = mem_strdup(at ? strchr(at, '\n') + 1 : strchr(sb.s, '\n') + 1);
	strbuf_release(&sb);
	return out;
}

static void gives(const struct sharing_finding *f, size_t n, const char *want)
{
	struct guard g = {0};
	bool ignored;
	char *text;

	assert_int_equal(guard_take(&g, f, &ignored), n);
	assert_false(ignored);
	text = text_of(&g);
	assert_string_equal(text, want);
	free(text);
	guard_release(&g);
}

static void members_of_a_struct(void **state)
{
	struct sharing_use uses[] = {use(rx, first, first_name, true), use(tx, second, second_name, false)};
	struct sharing_object o = {
		.kind = OBJECT_GLOBAL, .layout = &stats, .uses = uses, .n_uses = 2, .inside = 9};
	struct sharing_finding f = finding(&o, 1);

	(void)state;
	gives(&f, 1, "members struct%20stats 64 share-000001\nwrites receiver rx\nreads sender%201 tx\n");
	uses[0].written = false; /* both are read only: nobody disturbs the other */
	gives(&f, 0, "");
	uses[0].written = true;
	uses[1].threads = first; /* one thread's */
	gives(&f, 0, "");
	uses[1].threads = second;
	uses[1].beside = true; /* not what the finding is about */
	gives(&f, 0, "");
}

static void types_that_no_source_names(void **state)
{
	struct sharing_use uses[] = {use(rx, first, first_name, true), use(tx, second, second_name, true)};
	struct sharing_object o = {.kind = OBJECT_GLOBAL, .uses = uses, .n_uses = 2, .inside = 9};
	struct sharing_finding f = finding(&o, 1);

	(void)state;
	o.layout = &nameless;
	gives(&f, 0, "");
	o.layout = &library;
	gives(&f, 0, "");
}

static void elements_of_an_array(void **state)
{
	struct sharing_use uses[] = {use(rx, all, both, true)};
	struct sharing_object o = {.kind = OBJECT_HEAP,
				   .layout = &stats,
				   .uses = uses,
				   .n_uses = 1,
				   .array = true,
				   .between = 9};
	struct sharing_finding f = finding(&o, 1);

	(void)state;
	gives(&f, 1, "elements struct%20stats 64 share-000001\nwrites receiver,%20sender%201 rx\n");
}

static void array_of_numbers(void **state)
{
	struct sharing_use uses[] = {use(elements, all, both, true)};
	struct sharing_object o = {.kind = OBJECT_GLOBAL,
				   .name = hits,
				   .file = "a b.c",
				   .uses = uses,
				   .n_uses = 1,
				   .array = true,
				   .between = 9};
	struct sharing_finding f = finding(&o, 1);

	(void)state;
	gives(&f, 1, "array hits a%20b.c 64 share-000001\n");
	o.kind = OBJECT_HEAP;
	gives(&f, 0, "");
	o.kind = OBJECT_GLOBAL;
	o.file = NULL;
	gives(&f, 0, "");
}

static void two_variables(void **state)
{
	struct sharing_use a[] = {use(none, first, first_name, true)},
			   b[] = {use(none, second, second_name, false)};
	struct sharing_object o[] = {
		{.kind = OBJECT_GLOBAL, .name = hits, .file = "a.c", .uses = a, .n_uses = 1},
		{.kind = OBJECT_GLOBAL, .name = misses, .file = "b.c", .uses = b, .n_uses = 1}};
	struct sharing_finding f = finding(o, 2);

	(void)state;
	gives(&f, 1, "variables 64 share-000001\nwrites receiver hits@a.c\nreads sender%201 misses@b.c\n");
	o[1].file = NULL;
	gives(&f, 0, "");
}

static void read_and_extended(void **state)
{
	static const char old[] =
		"perseus-guard 1\n# mine\n\nmembers struct%20old 64 share-7\nwrites a x\nreads b y\n"
		"members struct%20stats 64 share-000001\nwrites receiver rx\n";
	struct sharing_use uses[] = {use(rx, first, first_name, true), use(tx, second, second_name, true)};
	struct sharing_object o = {
		.kind = OBJECT_GLOBAL, .layout = &stats, .uses = uses, .n_uses = 2, .inside = 9};
	struct sharing_finding f = finding(&o, 1);
	struct err err = ERR_INIT;
	struct guard g = {0};
	bool ignored;
	char *text;

	(void)state;
	assert_int_equal(guard_read(&g, old, &err), 0);
	assert_int_equal(guard_take(&g, &f, &ignored), 1);
	assert_int_equal(guard_take(&g, &f, &ignored), 1);
	assert_int_equal(g.added, 0);
	assert_int_equal(g.renewed, 1);
	text = text_of(&g);
	assert_string_equal(
		text, "# mine\n\nmembers struct%20old 64 share-7\nwrites a x\nreads b y\n"
		      "members struct%20stats 64 share-000001\nwrites receiver rx\nwrites sender%201 tx\n");
	free(text);
	guard_release(&g);
}

static void ignored_by_hand(void **state)
{
	struct sharing_use uses[] = {use(rx, first, first_name, true), use(tx, second, second_name, true)};
	struct sharing_object o = {
		.kind = OBJECT_GLOBAL, .layout = &stats, .uses = uses, .n_uses = 2, .inside = 9};
	struct sharing_finding f = finding(&o, 1);
	struct err err = ERR_INIT;
	struct guard g = {0};
	bool ignored;

	(void)state;
	assert_int_equal(guard_read(&g, "perseus-guard 1\nignore share-000002\n", &err), 0);
	assert_int_equal(guard_take(&g, &f, &ignored), 1);
	assert_false(ignored);
	guard_release(&g);
	g = (struct guard){0};
	assert_int_equal(guard_read(&g, "perseus-guard 1\nignore share-000001\n", &err), 0);
	assert_int_equal(guard_take(&g, &f, &ignored), 0);
	assert_true(ignored);
	assert_int_equal(g.n, 0);
	guard_release(&g);
}

static void refused(void **state)
{
	static const char *const bad[] = {
		"",
		"perseus-guard 2\n",
		"perseus-guard 1\nmembers x 64\n",
		"perseus-guard 1\nwrites a x\n",
		"perseus-guard 1\narray a f 64 share-1\nwrites a x\n",
		"perseus-guard 1\nmembers x 64 share-1\nwrites a\n",
		"perseus-guard 1\nmembers x 64 share-1",
		"perseus-guard 1\nnothing\n",
		"%YAML",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct err err = ERR_INIT;
		struct guard g = {0};

		assert_int_equal(guard_read(&g, bad[i], &err), -EINVAL);
		assert_non_null(
			strstr(err.msg, *bad[i] == 'p' && bad[i][14] == '1' ? "line " : "no guard file"));
		guard_release(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_a_struct),  cmocka_unit_test(types_that_no_source_names),
		cmocka_unit_test(elements_of_an_array), cmocka_unit_test(array_of_numbers),
		cmocka_unit_test(two_variables),        cmocka_unit_test(read_and_extended),
		cmocka_unit_test(ignored_by_hand),      cmocka_unit_test(refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
