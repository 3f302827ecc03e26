/* SPDX-License-Identifier: MIT */
/*
 * graft SEED PROGRAMS DIR: random C functions with calls f(N, E) in all kinds
 * of statements.  DIR/grafted.c has b_N() and a_N() put around those calls for
 * which graft_edit_call() takes it on; DIR/wanted.c has in their place a
 * statement expression of GNU C that makes the same calls in any expression.
 * Both, run, must say the same.  Prints how many calls were taken on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/graft/edit.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/rng.h"

#define CALLS_MAX 4096u

struct maker {
	struct rng rng;
	struct strbuf text;
	unsigned calls;
	char side[CALLS_MAX]; /* b, a, x; 0: left alone */
};

static unsigned below(struct maker *m, unsigned n)
{
	return (unsigned)rng_below(&m->rng, n);
}

static void say(struct maker *m, const char *text)
{
	strbuf_puts(&m->text, text);
}

static void expression(struct maker *m, unsigned depth)
{
	static const char *const joins[] = {" + ", " && ", " || ", " < ", " == ", " ^ "};

	switch (depth ? below(m, 8) : 6 + below(m, 2)) {
	case 0:
	case 1:
		expression(m, depth - 1);
		say(m, joins[below(m, 6)]);
		expression(m, depth - 1);
		break;
	case 2:
		say(m, "(");
		expression(m, depth - 1);
		say(m, " ? ");
		expression(m, depth - 1);
		say(m, " : ");
		expression(m, depth - 1);
		say(m, ")");
		break;
	case 3:
		say(m, below(m, 2) ? "!(" : "(");
		expression(m, depth - 1);
		say(m, ")");
		break;
	case 4:
	case 5:
	case 6:
		if (m->calls < CALLS_MAX) {
			strbuf_printf(&m->text, "f(%u, ", m->calls++);
			expression(m, depth > 1 && !below(m, 3) ? depth - 1 : 0);
			say(m, ")");
			break;
		}
		/* fall through */
	default:
		say(m, below(m, 2) ? "x" : "y");
	}
}

static void indent(struct maker *m, unsigned tabs)
{
	while (tabs--)
		say(m, "\t");
}

static void statement(struct maker *m, unsigned tabs, unsigned depth);

/* What an if, a loop and the like head: with braces, without, on the same line. */
static void body(struct maker *m, unsigned tabs, unsigned depth)
{
	switch (below(m, 3)) {
	case 0:
		say(m, " {\n");
		statement(m, tabs + 1, depth);
		statement(m, tabs + 1, depth);
		indent(m, tabs);
		say(m, "}\n");
		break;
	case 1:
		say(m, "\n");
		statement(m, tabs + 1, depth);
		break;
	default:
		say(m, " ");
		statement(m, 0, depth);
	}
}

static void branch(struct maker *m, unsigned tabs, unsigned depth)
{
	bool brace = below(m, 2);

	say(m, "if (");
	expression(m, 2);
	/* Without braces an else would belong to another if. */
	say(m, ") {\n");
	statement(m, tabs + 1, depth);
	indent(m, tabs);
	say(m, "}");
	if (below(m, 2)) {
		say(m, brace ? " else" : "\n");
		if (!brace) {
			indent(m, tabs);
			say(m, "else");
		}
		body(m, tabs, depth);
	} else {
		say(m, "\n");
	}
}

static void pick(struct maker *m, unsigned tabs, unsigned depth)
{
	say(m, "switch (x & 3) {\n");
	for (unsigned i = 0; i < 3; i++) {
		indent(m, tabs);
		strbuf_printf(&m->text, "case %u:%s", i, below(m, 2) ? "\n" : " ");
		statement(m, tabs + 1, depth);
		indent(m, tabs);
		say(m, below(m, 2) ? "\tbreak;\n" : "\t/* on */\n");
	}
	indent(m, tabs);
	say(m, "default:\n");
	indent(m, tabs);
	say(m, "\tbreak;\n");
	indent(m, tabs);
	say(m, "}\n");
}

static void loop(struct maker *m, unsigned tabs, unsigned depth)
{
	if (below(m, 2)) {
		say(m, "for (int i = 0; i < 2 && (");
		expression(m, 1);
		say(m, " || i < 1); i++)");
	} else {
		say(m, "while (--budget > 0 && (");
		expression(m, 1);
		say(m, "))");
	}
	body(m, tabs, depth);
}

static void simple(struct maker *m)
{
	static const char *const starts[] = {"", "x = ", "y += ", "y ^= 2 * ", "*p = "};

	say(m, starts[below(m, 5)]);
	if (below(m, 4)) {
		strbuf_printf(&m->text, "f(%u, x)", m->calls < CALLS_MAX - 1 ? m->calls++ : m->calls);
		if (!below(m, 4))
			say(m, " + 1");
	} else {
		say(m, "(");
		expression(m, 2);
		say(m, ")");
	}
	say(m, below(m, 5) ? ";\n" : "; y ^= 1; /* two */\n");
}

static void statement(struct maker *m, unsigned tabs, unsigned depth)
{
	indent(m, tabs);
	switch (depth ? below(m, 9) : 4 + below(m, 5)) {
	case 0:
	case 1:
		branch(m, tabs, depth - 1);
		break;
	case 2:
		loop(m, tabs, depth - 1);
		break;
	case 3:
		pick(m, tabs, depth - 1);
		break;
	case 4:
		say(m, "if (--budget < 0) return ");
		expression(m, 2);
		say(m, ";\n");
		break;
	case 5:
		say(m, "{ ");
		simple(m);
		indent(m, tabs);
		say(m, "}\n");
		break;
	default:
		simple(m);
	}
}

static void make(struct maker *m, unsigned programs)
{
	say(m, "#include <stdio.h>\n#include \"harness.h\"\n");
	for (unsigned i = 0; i < programs; i++) {
		strbuf_printf(&m->text, "static int g%u(int x)\n{\n\tint y = 1, budget = 40, *p = &y;\n\n",
			      i);
		for (unsigned k = 2 + below(m, 4); k--;)
			statement(m, 1, 3);
		say(m, "\t(void)p;\n\treturn x + y;\n}\n\n");
	}
	say(m, "int main(void)\n{\n\tfor (int x = -2; x < 6; x++) {\n");
	for (unsigned i = 0; i < programs; i++)
		strbuf_printf(&m->text, "\t\tprintf(\"= %%d\\n\", g%u(x));\n", i);
	say(m, "\t}\n\treturn 0;\n}\n");
}

static void graft_one(struct maker *m, struct graft_file *f, const struct scan_call *call)
{
	static const struct plan_site site = {.callee = (char *)"f"};
	struct graft_job job = {.site = &site, .file = f, .call = *call};
	unsigned n = (unsigned)strtoul(f->src.text + f->src.at[call->open + 1].at, NULL, 10),
		 sides = 1 + below(m, 3);

	job.n_before = sides & 1;
	job.n_after = sides >> 1;
	snprintf(job.before[0], sizeof(job.before[0]), "b_%u", n);
	snprintf(job.after[0], sizeof(job.after[0]), "a_%u", n);
	snprintf(job.result, sizeof(job.result), "r_%u", n);
	if (n < CALLS_MAX && !m->side[n] && !graft_edit_call(&job))
		m->side[n] = "-bax"[sides];
}

/* f(N, ...) -> fb(N, ...) and so on, where it was taken on. */
static void wanted(const struct maker *m, struct strbuf *out)
{
	for (const char *p = m->text.s; *p; p++) {
		if (strncmp(p, "f(", 2) || p[-1] == 'n' || p[2] < '0' || p[2] > '9') {
			strbuf_add(out, p, 1);
			continue;
		}
		strbuf_printf(out, "f%.1s", &m->side[strtoul(p + 2, NULL, 10)]);
	}
}

static void harness(const struct maker *m, struct strbuf *out)
{
	strbuf_puts(
		out,
		"int f(int n, int x);\n"
		"int f(int n, int x) { printf(\"f%d \", n); return (x * 7 + n) % 5; }\n"
		"#define fb(n, x) ({ printf(\"b%d \", n); f(n, x); })\n"
		"#define fa(n, x) ({ int r_ = f(n, x); printf(\"a%d \", n); r_; })\n"
		"#define fx(n, x) ({ printf(\"b%d \", n); int r_ = f(n, x); printf(\"a%d \", n); r_; })\n");
	for (unsigned i = 0; i < m->calls; i++)
		strbuf_printf(out,
			      "static inline void b_%1$u(void) { printf(\"b%1$u \"); }\n"
			      "static inline void a_%1$u(void) { printf(\"a%1$u \"); }\n",
			      i);
}

static int write_in(const char *dir, const char *name, const struct strbuf *text)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fs_write(path, text->s, text->len, NULL);
}

int main(int argc, char **argv)
{
	struct maker *m = mem_new(1, sizeof(*m));
	struct strbuf grafted = STRBUF_INIT, want = STRBUF_INIT, head = STRBUF_INIT;
	struct graft_file file = {.name = (char *)"g.c"};
	struct scan_call call;
	unsigned done = 0;

	if (argc != 4)
		return 2;
	m->rng = rng_keyed(strtoull(argv[1], NULL, 10), 0, 0, 0);
	make(m, (unsigned)strtoul(argv[2], NULL, 10));
	source_parse(&file.src, "g.c", m->text.s, m->text.len);
	scan_init(&file.scan, &file.src);
	for (size_t i = 1; i + 1 < file.src.n; i++)
		if (source_is(&file.src, i - 1, "f") && scan_opens_call(&file.scan, i) &&
		    scan_call(&file.scan, i, &call))
			graft_one(m, &file, &call);
	edits_apply(&grafted, &file.edits, file.src.text, file.src.len);
	wanted(m, &want);
	harness(m, &head);
	for (unsigned i = 0; i < m->calls; i++)
		done += m->side[i] != 0;
	printf("%u of %u calls\n", done, m->calls);
	return write_in(argv[3], "grafted.c", &grafted) || write_in(argv[3], "wanted.c", &want) ||
	       write_in(argv[3], "harness.h", &head);
}
