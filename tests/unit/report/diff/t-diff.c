/* SPDX-License-Identifier: MIT */
/* report/diff: rows matched by what does not move, and judged by what is known of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/rng.h"
#include "report/diff/diff.h"
#include "report/diff/parts.h"

#define FUNCTIONS 30

/* What a made-up build does. */
struct build {
	int insert;         /* lines above */
	double slower;      /* factor of function 3 */
	bool one_site;      /* ... of a call site of it only: there are too many others */
	double calls;       /* factor of the calls of function 4 */
	int without, extra; /* functions that are not there, or there as well; 0: none */
	int renamed;        /* its assembler name differs */
	double noise, in_line;
	size_t rows; /* that the document holds */
	const char *purpose, *program, *more;
};

static const struct build plain = {.slower = 1, .calls = 1, .noise = 0.03, .rows = 1000};

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * M_PI * rng_unit(rng));
}

static void put_row(struct strbuf *sb, const struct build *b, int i, bool site, struct rng *rng)
{
	double calls = 1000 * (i == 4 ? b->calls : 1);
	double self = 1e7 * (1 + i % 7) * (i == 3 && (site || !b->one_site) ? b->slower : 1) *
		      (i == 4 ? b->calls : 1);

	self *= exp(b->noise * normal(rng));
	strbuf_printf(sb, "{\"file\": \"a.c\", \"line\": %d, \"self_ns\": %.0f, \"total_ns\": %.0f, ",
		      10 * i + b->insert, self, self);
	strbuf_printf(sb, "\"calls\": %.0f, \"self\": %.4f, \"timed\": 100, \"p50_ns\": %.0f, ", calls,
		      i > 20 ? 0.001 : 0.03, self / calls);
	if (site)
		strbuf_printf(
			sb,
			"\"id\": \"%08x\", \"instance\": \"0\", \"function\": \"main\", \"callee\": \"f%d\"}",
			0x1000 + i, i);
	else
		strbuf_printf(sb, "\"name\": \"f%d\", \"assembler_name\": \"f%d%s\"}", i, i,
			      i == b->renamed ? ".part.0" : "");
}

static void put_list(struct strbuf *sb, const struct build *b, bool site, struct rng *rng)
{
	const char *comma = "";
	size_t n = 0;

	for (int i = 1; i <= FUNCTIONS + (b->extra != 0) && n < b->rows; i++) {
		if (i == b->without)
			continue;
		strbuf_puts(sb, comma);
		put_row(sb, b, i, site, rng);
		comma = ", ";
		n++;
	}
}

/* A document of that build; the caller unlinks and frees the path. */
static char *document(const struct build *b, uint64_t seed)
{
	struct rng rng = rng_keyed(seed, 0, 0, 0);
	struct strbuf sb = STRBUF_INIT;
	char *path = mem_strdup("/tmp/perseus-diff.XXXXXX");

	strbuf_printf(&sb,
		      "{\"schema\": 1, \"program\": \"%s\", \"purpose\": \"%s\", \"complete\": true, "
		      "\"thread_ns\": 1e9, \"in_line\": %.3f, %s \"functions_in_all\": %d, \"functions\": [",
		      b->program ? b->program : "p", b->purpose ? b->purpose : "timing", b->in_line,
		      b->more ? b->more : "", FUNCTIONS);
	put_list(&sb, b, false, &rng);
	strbuf_printf(&sb, "], \"call_sites_in_all\": %d, \"call_sites\": [", FUNCTIONS);
	put_list(&sb, b, true, &rng);
	strbuf_puts(&sb, "]}");
	close(mkstemp(path));
	assert_int_equal(fs_write(path, sb.s, sb.len, NULL), 0);
	strbuf_release(&sb);
	return path;
}

struct fixture {
	struct diff_side base, new;
	struct diff d;
	struct err err;
	int ret;
	char *paths[64];
	size_t n;
};

static void add(struct fixture *f, struct diff_side *s, const struct build *b, uint64_t seed)
{
	char *path = document(b, seed);

	f->paths[f->n++] = path;
	if (!f->ret)
		f->ret = diff_add(s, path, DIFF_NOISE, &f->err);
}

/* @n recordings of each. */
static void make(struct fixture *f, const struct build *a, const struct build *b, int n, uint64_t seed)
{
	memset(f, 0, sizeof(*f));
	for (int i = 0; i < n; i++) {
		add(f, &f->base, a, seed * 100 + (uint64_t)i);
		add(f, &f->new, b, seed * 100 + 50 + (uint64_t)i);
	}
	if (!f->ret)
		f->ret = diff_make(&f->d, &f->base, &f->new, DIFF_NOISE, &f->err);
}

static void clean(struct fixture *f)
{
	if (!f->ret)
		diff_release(&f->d);
	diff_side_release(&f->base);
	diff_side_release(&f->new);
	for (size_t i = 0; i < f->n; i++) {
		unlink(f->paths[i]);
		free(f->paths[i]);
	}
}

static size_t count(const struct fixture *f, enum diff_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < f->d.rows.n; i++)
		n += f->d.rows.at[i].state == state;
	return n;
}

static void one_build_against_itself_shows_nothing(void **state)
{
	size_t changed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct fixture f;

		make(&f, &plain, &plain, seed % 2 ? 1 : 5, seed);
		assert_int_equal(f.ret, 0);
		assert_int_equal(f.d.rows.n, 2 * FUNCTIONS);
		changed += count(&f, DIFF_CHANGED);
		assert_int_equal(count(&f, DIFF_ADDED) + count(&f, DIFF_REMOVED), 0);
		clean(&f);
	}
	assert_int_equal(changed, 0);
}

static void a_function_a_fifth_slower_is_first(void **state)
{
	struct build slow = plain;

	(void)state;
	slow.slower = 1.2;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct fixture f;
		struct diff_percent p;

		make(&f, &plain, &slow, 6, seed);
		assert_string_equal(f.d.rows.at[0].name, "f3");
		assert_int_equal(f.d.rows.at[0].state, DIFF_CHANGED);
		assert_string_equal(diff_word(&f.d.rows.at[0]), "slower");
		p = diff_percent(&f.d.rows.at[0]);
		assert_true(p.low > 5 && p.low < p.estimate && p.estimate < p.high && p.high < 40);
		/* Its call site as well, perhaps, and nothing else. */
		for (size_t i = 1; i < f.d.rows.n; i++)
			assert_true(f.d.rows.at[i].state == DIFF_SAME || !strcmp(f.d.rows.at[i].name, "f3"));
		clean(&f);
	}
}

/* Where no function can be told the first line names the call sites. */
static void a_call_site_alone_is_named(void **state)
{
	struct build slow = plain;
	struct strbuf answer = STRBUF_INIT;
	struct fixture f;

	(void)state;
	slow.slower = 1.4;
	slow.one_site = true;
	make(&f, &plain, &slow, 6, 1);
	diff_answer(&f.d, &answer);
	assert_int_equal(strncmp(answer.s, "slower: 1 call site (main -> f3 +", 33), 0);
	strbuf_release(&answer);
	clean(&f);
}

/* Half as fast again is what one recording each can tell; a fifth is not. */
static void one_recording_each_tells_large_differences_only(void **state)
{
	struct build slow = plain;
	struct fixture f;

	(void)state;
	slow.slower = 1.2;
	make(&f, &plain, &slow, 1, 7);
	assert_int_equal(count(&f, DIFF_CHANGED), 0);
	assert_true(f.d.least > 0.2);
	clean(&f);
	slow.slower = 4;
	make(&f, &plain, &slow, 1, 7);
	assert_string_equal(f.d.rows.at[0].name, "f3");
	assert_int_equal(f.d.rows.at[0].state, DIFF_CHANGED);
	clean(&f);
}

static void lines_inserted_above_change_nothing(void **state)
{
	struct build moved = plain;
	struct fixture f;

	(void)state;
	moved.insert = 10;
	make(&f, &plain, &moved, 3, 3);
	assert_int_equal(count(&f, DIFF_SAME), f.d.rows.n);
	for (size_t i = 0; i < f.d.rows.n; i++)
		assert_null(f.d.rows.at[i].was);
	/* The place is that of the new build. */
	assert_int_equal(f.d.rows.at[0].line % 10, 0);
	clean(&f);
}

static void more_calls_are_distinguished_from_slower_ones(void **state)
{
	struct build more = plain;
	struct fixture f;

	(void)state;
	more.calls = 2;
	make(&f, &plain, &more, 5, 4);
	assert_string_equal(f.d.rows.at[0].name, "f4");
	assert_string_equal(diff_word(&f.d.rows.at[0]), "more calls");
	clean(&f);
}

static void what_came_and_went_is_said(void **state)
{
	struct build b = plain;
	struct fixture f;

	(void)state;
	b.without = 5;
	b.extra = 1;
	make(&f, &plain, &b, 1, 5);
	assert_int_equal(count(&f, DIFF_ADDED), 2);
	assert_int_equal(count(&f, DIFF_REMOVED), 2);
	clean(&f);
}

static void a_clone_of_another_name_is_found_again(void **state)
{
	struct build b = plain;
	size_t renamed = 0;
	struct fixture f;

	(void)state;
	b.renamed = 6;
	make(&f, &plain, &b, 2, 6);
	assert_int_equal(count(&f, DIFF_ADDED) + count(&f, DIFF_REMOVED), 0);
	for (size_t i = 0; i < f.d.rows.n; i++)
		if (f.d.rows.at[i].was) {
			assert_string_equal(f.d.rows.at[i].name, "f6");
			renamed++;
		}
	assert_int_equal(renamed, 1);
	clean(&f);
}

/* The first rows only: what is not among them is not known. */
static void a_document_of_some_rows_does_not_say_what_is_missing(void **state)
{
	struct build some = plain;
	struct fixture f;

	(void)state;
	some.rows = 8;
	make(&f, &plain, &some, 1, 8);
	assert_int_equal(count(&f, DIFF_REMOVED), 0);
	assert_int_equal(count(&f, DIFF_UNKNOWN), 2 * (FUNCTIONS - 8));
	clean(&f);
}

static void what_cannot_be_compared_is_refused(void **state)
{
	struct build b = plain;
	struct fixture f;

	(void)state;
	b.purpose = "sharing";
	make(&f, &plain, &b, 1, 9);
	assert_int_equal(f.ret, -EDOM);
	clean(&f);
	b = plain;
	b.more = "\"complete\": false,";
	make(&f, &plain, &b, 1, 9);
	assert_int_equal(f.ret, 0); /* the first member counts */
	clean(&f);
	b.more = "\"findings\": [],";
	make(&f, &plain, &b, 1, 9);
	assert_int_equal(f.ret, -EDOM);
	assert_non_null(strstr(f.err.msg, "both sides must be recorded for the same purpose"));
	clean(&f);
}

static void other_programs_have_other_functions(void **state)
{
	struct build b = plain;
	struct fixture f;

	(void)state;
	b.program = "p-patched";
	make(&f, &plain, &b, 1, 10);
	assert_int_equal(f.ret, 0);
	clean(&f);
}

/* Bytes changed at random: refused or compared, and nothing else. */
static void damaged_documents_do_no_harm(void **state)
{
	static const char tokens[] = "{}[]\",:0e9-\\ntf";
	char *path = document(&plain, 1);
	struct strbuf text = STRBUF_INIT;
	unsigned refused = 0;

	(void)state;
	assert_int_equal(fs_read(path, 0, &text, NULL), 0);
	for (uint64_t round = 0; round < 400; round++) {
		struct rng rng = rng_keyed(9, round, 0, 0);
		struct diff_side a = {0}, b = {0};
		struct err err = ERR_INIT;
		struct diff d;
		size_t at = rng_below(&rng, text.len);
		char kept = text.s[at];

		text.s[at] = tokens[rng_below(&rng, sizeof(tokens) - 1)];
		assert_int_equal(fs_write(path, text.s, text.len, NULL), 0);
		text.s[at] = kept;
		if (diff_add(&a, path, DIFF_NOISE, &err) || diff_add(&b, path, DIFF_NOISE, &err) ||
		    diff_make(&d, &a, &b, DIFF_NOISE, &err)) {
			assert_true(err.code < 0 && *err.msg);
			refused++;
		} else {
			diff_release(&d);
		}
		diff_side_release(&a);
		diff_side_release(&b);
	}
	assert_in_range(refused, 50, 390);
	strbuf_release(&text);
	unlink(path);
	free(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_build_against_itself_shows_nothing),
		cmocka_unit_test(a_function_a_fifth_slower_is_first),
		cmocka_unit_test(a_call_site_alone_is_named),
		cmocka_unit_test(one_recording_each_tells_large_differences_only),
		cmocka_unit_test(lines_inserted_above_change_nothing),
		cmocka_unit_test(more_calls_are_distinguished_from_slower_ones),
		cmocka_unit_test(what_came_and_went_is_said),
		cmocka_unit_test(a_clone_of_another_name_is_found_again),
		cmocka_unit_test(a_document_of_some_rows_does_not_say_what_is_missing),
		cmocka_unit_test(what_cannot_be_compared_is_refused),
		cmocka_unit_test(other_programs_have_other_functions),
		cmocka_unit_test(damaged_documents_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
