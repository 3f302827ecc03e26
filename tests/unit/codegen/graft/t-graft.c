/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "codegen/graft/edit.h"
#include "codegen/graft/find.h"
#include "codegen/graft/name.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/rng.h"

#ifndef FUZZ_ROUNDS
#define FUZZ_ROUNDS 400u
#endif

static void open_text(struct graft_file *f, const char *name, const char *text, size_t len)
{
	*f = (struct graft_file){.name = mem_strdup(name)};
	source_parse(&f->src, name, text, len);
	scan_init(&f->scan, &f->src);
}

static void close_text(struct graft_file *f)
{
	scan_release(&f->scan);
	source_release(&f->src);
	edits_release(&f->edits);
	free(f->name);
}

/* Before or after() or both around the first call of f in @text. */
static const char *graft(struct graft_file *f, unsigned before, unsigned after)
{
	static const struct plan_site site = {.callee = (char *)"f"};
	struct graft_job job = {
		.site = &site, .file = f, .n_before = before, .n_after = after, .result = "r"};

	strcpy(job.before[0], "b");
	strcpy(job.after[0], "a");
	for (size_t i = 1; i < f->src.n; i++)
		if (scan_opens_call(&f->scan, i) && scan_call(&f->scan, i, &job.call) &&
		    source_is(&f->src, job.call.name, "f"))
			return graft_edit_call(&job);
	return "no call";
}

/* @want: the text that must come out, or the beginning of the reason after "? ". */
static void check(const char *name, const char *body, unsigned before, unsigned after, const char *want)
{
	struct strbuf text = STRBUF_INIT, got = STRBUF_INIT, whole = STRBUF_INIT;
	struct graft_file f;
	const char *why;

	strbuf_printf(&text, "int g(int x)\n{\n%s}\n", body);
	open_text(&f, name, text.s, text.len);
	why = graft(&f, before, after);
	if (why) {
		strbuf_printf(&got, "? %s", why);
		assert_memory_equal(got.s, want, strlen(want) < got.len ? strlen(want) : got.len);
	} else {
		edits_apply(&got, &f.edits, f.src.text, f.src.len);
		strbuf_printf(&whole, "int g(int x)\n{\n%s}\n", want);
		assert_string_equal(got.s, whole.s);
	}
	close_text(&f);
	strbuf_release(&text);
	strbuf_release(&got);
	strbuf_release(&whole);
}

static void statements(void **state)
{
	(void)state;
	check("t.c", "\tf(x);\n", 1, 1, "\tb();\n\tf(x);\n\ta();\n");
	check("t.c", "\tf(x); /* why */\n", 0, 1, "\tf(x); /* why */\n\ta();\n");
	check("t.c", "\tf(x); h();\n", 0, 1, "\tf(x);\n\ta();\n\th();\n");
	check("t.c", "\th(); f(x); h();\n", 1, 1, "\th(); b(); f(x); a(); h();\n");
	check("t.c", "\tx = f(x) + 1;\n", 1, 1, "\tb();\n\tx = f(x) + 1;\n\ta();\n");
	check("t.c", "\tint y = f(x);\n", 1, 1, "\tb();\n\tint y = f(x);\n\ta();\n");
	check("t.c", "\tstatic int y;\n\ty = f(\n\t\tx);\n", 0, 1,
	      "\tstatic int y;\n\ty = f(\n\t\tx);\n\ta();\n");
	check("t.c", "\tstruct s v = {f(x), 1};\n", 1, 1, "\tb();\n\tstruct s v = {f(x), 1};\n\ta();\n");
	check("t.c", "\tf(x);\r\n\th();\r\n", 1, 1, "\tb();\r\n\tf(x);\r\n\ta();\r\n\th();\r\n");
	check("t.c", "  again:\n    f(x);\n", 1, 0, "  again:\n    b();\n    f(x);\n");
	check("t.c", "\tz[1].p->q = *f(x);\n", 1, 1, "\tb();\n\tz[1].p->q = *f(x);\n\ta();\n");
}

static void bodies(void **state)
{
	(void)state;
	check("t.c", "\tif (x)\n\t\tf(x);\n", 1, 0, "\tif (x) {\n\t\tb();\n\t\tf(x);\n\t}\n");
	check("t.c", "\tif (x) // why\n\t\tf(x);\n\telse\n\t\th();\n", 0, 1,
	      "\tif (x) { // why\n\t\tf(x);\n\t\ta();\n\t}\n\telse\n\t\th();\n");
	check("t.c", "\tfor (;;) f(x);\n", 1, 1, "\tfor (;;) { b(); f(x); a(); }\n");
	check("t.c", "\tif (x) { h(); } else\n\t\tf(x);\n", 1, 0,
	      "\tif (x) { h(); } else {\n\t\tb();\n\t\tf(x);\n\t}\n");
	check("t.c", "\tdo f(x); while (x);\n", 1, 0, "\tdo { b(); f(x); } while (x);\n");
	check("t.c", "\tfor_each (x)\n\t\tf(x);\n", 1, 0, "? it stands behind what looks like a macro");
	check("t.c", "\tfor_each (x) {\n\t\tf(x);\n\t}\n", 1, 0,
	      "\tfor_each (x) {\n\t\tb();\n\t\tf(x);\n\t}\n");
	check("t.c", "\tswitch (x) {\n\tcase 1: f(x); break;\n\t}\n", 1, 1,
	      "\tswitch (x) {\n\tcase 1: b(); f(x); a(); break;\n\t}\n");
	check("t.c", "\tx = x ? y : z;\n\tf(x);\n", 1, 0, "\tx = x ? y : z;\n\tb();\n\tf(x);\n");
	check("t.c", "\tint z[] = {1};\n\tf(x);\n", 1, 0, "\tint z[] = {1};\n\tb();\n\tf(x);\n");
}

static void returns(void **state)
{
	(void)state;
	check("t.c", "\treturn f(x);\n", 1, 0, "\tb();\n\treturn f(x);\n");
	check("t.c", "\treturn f(x) + 1;\n", 0, 1, "\tint r = f(x) + 1;\n\ta();\n\treturn r;\n");
	check("t.c", "\tif (x)\n\t\treturn f(x);\n", 0, 1,
	      "\tif (x) {\n\t\tint r = f(x);\n\t\ta();\n\t\treturn r;\n\t}\n");
	check("t.cc", "\treturn f(x);\n", 0, 1, "\tint r;\n\tr = f(x);\n\ta();\n\treturn r;\n");
	check("t.c", "\treturn x ? f(x) : 0;\n", 0, 1, "? the call is made only under a condition");
	check("t.c", "\treturn x && f(x);\n", 1, 0, "\treturn x && (b(), f(x));\n");
	check("t.c", "\treturn f(x) + h();\n", 0, 1, "? something else is called");
	check("t.c", "\treturn f(x) + h();\n", 1, 0, "? another call of its expression may come between");
	check("t.c", "\treturn h() && f(x);\n", 1, 0, "\treturn h() && (b(), f(x));\n");
	check("t.c", "\treturn h(f(x) + 1);\n", 1, 0, "\treturn h((b(), f(x)) + 1);\n");
	check("t.c", "\treturn h(f(x), k());\n", 1, 0, "? another call");
	check("t.c", "\treturn h(k() ? 1 : 2, (k(), f(x)));\n", 1, 0, "? another call");
	check("t.c", "\treturn k() + (x && f(x));\n", 1, 0, "? another call");
	check("t.c", "\tk(), x = f(x), k();\n", 1, 0, "\tk(), x = (b(), f(x)), k();\n");
	check("t.c", "\tint v[] = {k(), f(x)};\n", 1, 0, "? another call");
	check("t.c", "\tint v = k(), w = f(x);\n", 1, 0, "\tint v = k(), w = (b(), f(x));\n");
	check("t.c", "\tfor (k(); f(x); k())\n\t\th();\n", 1, 0, "\tfor (k(); (b(), f(x)); k())\n\t\th();\n");
}

static void conditions(void **state)
{
	(void)state;
	check("t.c", "\tif (f(x))\n\t\th();\n", 1, 1,
	      "\tb();\n\tint r = f(x) != 0;\n\ta();\n\tif (r)\n\t\th();\n");
	check("t.c", "\tif (!f(x))\n\t\th();\n", 0, 1, "\tint r = !f(x);\n\ta();\n\tif (r)\n\t\th();\n");
	check("t.c", "\tif ((x = f(x)) < 0)\n\t\th();\n", 0, 1,
	      "\tint r = (x = f(x)) < 0;\n\ta();\n\tif (r)\n\t\th();\n");
	check("t.c", "\tif (x = f(x))\n\t\th();\n", 0, 1,
	      "\tint r = (x = f(x)) != 0;\n\ta();\n\tif (r)\n\t\th();\n");
	check("t.c", "\tif (f(x) & 256)\n\t\th();\n", 0, 1,
	      "\tint r = (f(x) & 256) != 0;\n\ta();\n\tif (r)\n\t\th();\n");
	check("t.c", "\tif (x)\n\t\th();\n\telse if (f(x))\n\t\th();\n\telse\n\t\tk();\n", 1, 1,
	      "\tif (x)\n\t\th();\n\telse { b(); int r = f(x) != 0; a(); if (r)\n\t\th();\n\telse\n\t\tk();\n"
	      "\t}\n");
	check("t.c", "\tif (x)\n\t\th();\n\telse if (f(x))\n\t\th();\n", 1, 0,
	      "\tif (x)\n\t\th();\n\telse if ((b(), f(x)))\n\t\th();\n");
	check("t.c", "\tfor (;;)\n\t\tif (f(x))\n\t\t\tbreak;\n\th();\n", 0, 1,
	      "\tfor (;;) {\n\t\tint r = f(x) != 0;\n\t\ta();\n\t\tif (r)\n\t\t\tbreak;\n\t}\n\th();\n");
	check("t.c", "\twhile (f(x))\n\t\th();\n", 1, 0, "\twhile ((b(), f(x)))\n\t\th();\n");
	check("t.c", "\twhile (f(x))\n\t\th();\n", 0, 1, "? a trigger behind it has no place");
	check("t.cc", "\tif (auto y = f(x))\n\t\th(y);\n", 0, 1, "? a trigger behind it has no place");
	check("t.cc", "\tif (f(x))\n\t\th();\n", 0, 1, "? it stands in a condition, and the type");
	check("t.c", "\tswitch (f(x)) {\n\tdefault: h();\n\t}\n", 1, 0,
	      "\tswitch ((b(), f(x))) {\n\tdefault: h();\n\t}\n");
}

/* Each call of a text, one after the other, as graft_make() does it. */
static void check_all(const char *body, const char *want)
{
	struct strbuf text = STRBUF_INIT, got = STRBUF_INIT, whole = STRBUF_INIT;
	static const struct plan_site site = {.callee = (char *)"f"};
	struct graft_file f;

	strbuf_printf(&text, "int g(int x)\n{\n%s}\n", body);
	open_text(&f, "t.c", text.s, text.len);
	for (size_t i = 1; i < f.src.n; i++) {
		struct graft_job job = {.site = &site, .file = &f, .n_before = 1, .n_after = 1};

		strcpy(job.result, "r");
		strcpy(job.before[0], "b");
		strcpy(job.after[0], "a");
		if (scan_opens_call(&f.scan, i) && scan_call(&f.scan, i, &job.call) &&
		    source_is(&f.src, i - 1, "f"))
			assert_null(graft_edit_call(&job));
	}
	edits_apply(&got, &f.edits, f.src.text, f.src.len);
	strbuf_printf(&whole, "int g(int x)\n{\n%s}\n", want);
	assert_string_equal(got.s, whole.s);
	close_text(&f);
	strbuf_release(&text);
	strbuf_release(&got);
	strbuf_release(&whole);
}

static void within_each_other(void **state)
{
	(void)state;
	check_all("\tfor (;;)\n\t\tif (f(x))\n\t\t\tf(1);\n",
		  "\tfor (;;) {\n\t\tb();\n\t\tint r = f(x) != 0;\n\t\ta();\n\t\tif (r) "
		  "{\n\t\t\tb();\n\t\t\tf(1);\n"
		  "\t\t\ta();\n\t\t}\n\t}\n");
	check_all("\tif (x) x--; else if (f(x)) f(1);\n",
		  "\tif (x) x--; else { b(); int r = f(x) != 0; a(); if (r) { b(); f(1); a(); } }\n");
	check_all("\tif (x)\n\t\tx--;\n\telse if (f(x))\n\t\tf(1);\n\telse if (f(2))\n\t\tf(3);\n",
		  "\tif (x)\n\t\tx--;\n\telse { b(); int r = f(x) != 0; a(); if (r) "
		  "{\n\t\tb();\n\t\tf(1);\n\t\ta();\n\t}\n"
		  "\telse { b(); int r = f(2) != 0; a(); if (r) "
		  "{\n\t\tb();\n\t\tf(3);\n\t\ta();\n\t}\n\t}\n\t}\n");
}

static void refusals(void **state)
{
	(void)state;
	check("t.c", "\tf(h(x));\n", 1, 0, "? its arguments need calls");
	check("t.c", "\tf(h(x));\n", 0, 1, "\tf(h(x));\n\ta();\n");
	check("t.c", "\tf((int)x, sizeof(x), (void *)0);\n", 1, 0,
	      "\tb();\n\tf((int)x, sizeof(x), (void *)0);\n");
	check("t.c", "\tx = sizeof(f(x));\n", 1, 0, "? it stands where nothing is evaluated");
	check("t.c", "\tassert(f(x));\n", 1, 0, "? it stands in the arguments of what looks like a macro");
	check("t.c", "\tx = 1 +\n#ifdef A\n\t\tf(x)\n#endif\n\t\t;\n", 1, 0, "? a line of the preprocessor");
	check("t.c", "#ifdef A\n\tf(x);\n#endif\n\th();\n", 1, 1,
	      "#ifdef A\n\tb();\n\tf(x);\n\ta();\n#endif\n\th();\n");
	check("t.cc", "\tf(x).g();\n", 0, 1, "? something else is called");
	check("t.cc", "\tf(std::string(\"a\"));\n", 0, 1, "? its arguments may be objects");
	check("t.cc", "\tfoo y = f(x);\n", 0, 1, "? what takes its result may be a function");
	check("t.cc", "\tauto y = f(x);\n", 0, 1, "\tauto y = f(x);\n\ta();\n");
	check("t.cc", "\tf(v[x]);\n", 1, 0, "? its arguments need calls");
	check("t.cc", "\tint v[3];\n\tf(v[x], x + 1);\n", 1, 0, "\tint v[3];\n\tb();\n\tf(v[x], x + 1);\n");
	check("t.cc", "\th([&] { f(x); });\n", 1, 1, "\th([&] { b(); f(x); a(); });\n");
	check("t.cc", "\twhile (f(x) << 2)\n\t\th();\n", 1, 0, "\twhile ((b(), f(x)) << 2)\n\t\th();\n");
	check("t.cc", "\twhile (k < m + f(x))\n\t\th();\n", 1, 0, "? another call");
	check("t.cc", "\to.p->f(x);\n", 1, 0, "? its arguments need calls");
	check("t.cc", "\tthis->f(x);\n\th();\n", 1, 1, "\tb();\n\tthis->f(x);\n\ta();\n\th();\n");
	check("t.cc", "\tn::m::f<int>(x);\n", 1, 0, "\tb();\n\tn::m::f<int>(x);\n");
}

static void names(void **state)
{
	struct graft_name n;

	(void)state;
	graft_name_read(&n, "work");
	assert_string_equal(n.base, "work");
	assert_false(n.special || n.instance || n.lambda || n.why);
	graft_name_release(&n);
	graft_name_read(&n, "_ZN3app6worker3runEi");
	assert_string_equal(n.base, "run");
	assert_false(n.special || n.instance);
	graft_name_release(&n);
	graft_name_read(&n, "_ZN3appC2Ev");
	assert_true(n.special);
	graft_name_release(&n);
	graft_name_read(&n, "_Z2ofIiET_S0_");
	assert_true(n.instance);
	graft_name_release(&n);
	graft_name_read(&n, "_ZZ4mainENKUlvE_clEv");
	assert_true(n.lambda);
	graft_name_release(&n);
	graft_name_read(&n, "_Znonsense%");
	assert_non_null(n.why);
	graft_name_release(&n);
}

/* The first lines of @from that a hunk covers go, those of the hunk come: what `patch` does, without fuzz. */
static char *apply(const char *from, const char *diff)
{
	struct strbuf out = STRBUF_INIT;
	size_t at = 1, old;

	strbuf_puts(&out, "");
	for (const char *p = strstr(diff, "\n@@ -"); p; p = strstr(p, "\n@@ -")) {
		const char *line = strchr(p + 1, '\n') + 1;

		old = strtoul(p + 5, NULL, 10);
		for (; at < old && *from; at++) {
			size_t len = strcspn(from, "\n") + 1;

			strbuf_add(&out, from, len);
			from += len;
		}
		for (; *line == ' ' || *line == '-' || *line == '+' || *line == '\\';
		     line = strchr(line, '\n') + 1) {
			size_t len = strcspn(line, "\n");

			/* The end of a file without an end of line. */
			if (*line == '\\')
				continue;
			len -= !strncmp(line + len, "\n\\ No", 5) ? 1 : 0;
			if (*line != '+') {
				if (strncmp(from, line + 1, len))
					goto bad;
				from += len;
				at++;
			}
			if (*line != '-')
				strbuf_add(&out, line + 1, len);
		}
		p = line - 1;
	}
	strbuf_puts(&out, from);
	return strbuf_detach(&out);
bad:
	strbuf_release(&out);
	return NULL;
}

/* What the patch makes is what the edits make, whatever the text was. */
static void check_diff(struct graft_file *f)
{
	struct strbuf diff = STRBUF_INIT, want = STRBUF_INIT;
	char *got;

	strbuf_puts(&want, "");
	edits_diff(&diff, &f->edits, f->name, f->src.text, f->src.len);
	edits_apply(&want, &f->edits, f->src.text, f->src.len);
	got = apply(f->src.text, diff.s ? diff.s : "");
	assert_non_null(got);
	assert_string_equal(got, want.s);
	free(got);
	strbuf_release(&diff);
	strbuf_release(&want);
}

/* Each call, or each third, gets calls around it. */
static unsigned graft_all(struct graft_file *f, struct rng *rng)
{
	static const struct plan_site site = {.callee = (char *)"f"};
	unsigned done = 0;

	for (size_t i = 1; i < f->src.n; i++) {
		struct graft_job job = {.site = &site, .file = f, .known_int = rng_below(rng, 2)};
		uint64_t sides = rng_below(rng, 6);

		snprintf(job.result, sizeof(job.result), "perseus_result_%zu", i);
		strcpy(job.before[0], "perseus_trigger_0001");
		strcpy(job.after[0], "perseus_trigger_0002");
		job.n_before = sides & 1;
		job.n_after = sides >> 1 & 1;
		if (sides && sides < 4 && scan_opens_call(&f->scan, i) && scan_call(&f->scan, i, &job.call))
			done += !graft_edit_call(&job);
		if (source_is(&f->src, i, "{") && f->scan.kind[i] == SCAN_FUNCTION && !rng_below(rng, 4)) {
			scan_distrust(&f->scan, i);
			done += !graft_edit_start(f, i);
		}
	}
	if (f->edits.n)
		graft_edit_include(f, "0123456789abcdef0123");
	return done;
}

static void mutate(char *text, size_t *len, struct rng *rng)
{
	static const char signs[] = "(){}[];:,<>=!&|?\"'/*\\#\n\r\t Rf1.-+";
	uint64_t n = rng_below(rng, 12);

	if (rng_below(rng, 3) == 0)
		*len = rng_below(rng, *len + 1);
	while (n-- && *len)
		text[rng_below(rng, *len)] = rng_below(rng, 8) ? signs[rng_below(rng, sizeof(signs) - 1)]
							       : (char)(1 + rng_below(rng, 255));
	text[*len] = '\0';
}

static void fuzz(const char *path)
{
	struct strbuf seed = STRBUF_INIT;
	unsigned done = 0;

	assert_int_equal(fs_read(path, 0, &seed, NULL), 0);
	for (unsigned round = 0; round < FUZZ_ROUNDS; round++) {
		struct rng rng = rng_keyed(1, round, seed.len, 0);
		char *text = mem_strndup(seed.s, seed.len);
		size_t len = seed.len;
		struct graft_file f;

		if (round)
			mutate(text, &len, &rng);
		open_text(&f, path, text, len);
		done += graft_all(&f, &rng);
		check_diff(&f);
		close_text(&f);
		free(text);
	}
	/* The test is of no use if nearly nothing is changed. */
	assert_true(done > 10 * FUZZ_ROUNDS);
	strbuf_release(&seed);
}

static void broken_sources(void **state)
{
	(void)state;
	fuzz("tests/codegen/programs/forms.c");
	fuzz("tests/codegen/programs/forms.cc");
}

/* Nothing but signs. */
static void noise(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		static const char *const words[] = {
			"(",      ")",         "{",        "}",        "[",  "]",  ";",     ":",
			"::",     "<",         ">",        "=",        "f",  "if", "else",  "do",
			"while",  "for",       "return",   "case",     "x",  "->", "#if\n", "\n#endif\n",
			"struct", "1",         "template", "operator", "&&", "?",  ",",     "\n",
			"\"",     "namespace", "~",        "*"};
		struct rng rng = rng_keyed(2, round, 0, 0);
		struct strbuf sb = STRBUF_INIT;
		struct graft_file f;

		strbuf_puts(&sb, "int main(void)\n{\n");
		for (uint64_t n = rng_below(&rng, 60); n--;)
			strbuf_printf(&sb, "%s ", words[rng_below(&rng, sizeof(words) / sizeof(words[0]))]);
		open_text(&f, round % 2 ? "n.c" : "n.cc", sb.s, sb.len);
		graft_all(&f, &rng);
		check_diff(&f);
		close_text(&f);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements), cmocka_unit_test(bodies),
		cmocka_unit_test(returns),    cmocka_unit_test(conditions),
		cmocka_unit_test(refusals),   cmocka_unit_test(within_each_other),
		cmocka_unit_test(names),      cmocka_unit_test(broken_sources),
		cmocka_unit_test(noise),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
