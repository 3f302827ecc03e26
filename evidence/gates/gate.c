/* SPDX-License-Identifier: MIT */
/* What all gates share: verdicts, tools, and the compilers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/gate.h"

const char *evidence_verdict_name(enum evidence_verdict verdict)
{
	static const char *const names[] = {"passed", "partial", "failed", "not run"};

	return names[verdict];
}

void evidence_gate(struct evidence *p, const char *name, enum evidence_verdict verdict, struct strbuf *detail,
		   const char *file)
{
	struct evidence_gate *g = vec_add(&p->gates);

	g->name = mem_strdup(name);
	g->verdict = verdict;
	g->detail = strbuf_detach(detail);
	g->file = file;
}

void evidence_not_run(struct evidence *p, const char *name, const char *tool, const char *package,
		      const char *file)
{
	struct strbuf detail = STRBUF_INIT;

	strbuf_printf(&detail, "%s is not installed (apt-get install %s)", tool, package);
	evidence_gate(p, name, EVIDENCE_NOT_RUN, &detail, file);
}

void gate_verdict(struct gate_env *b, const char *file, const char *gate, enum evidence_verdict v,
		  const char *detail)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_puts(&text, detail);
	evidence_gate(b->pack, gate, v, &text, file);
}

void gate_not_run(struct gate_env *b, const char *file, const char *gate, struct strbuf *report,
		  const char *why)
{
	gate_verdict(b, file, gate, EVIDENCE_NOT_RUN, why);
	strbuf_printf(report, "not run: %s\n", why);
}

size_t evidence_count(const struct evidence *p, enum evidence_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < p->gates.n; i++)
		n += p->gates.at[i].verdict == verdict;
	return n;
}

void evidence_tool(struct evidence *p, const char *name, const char *version, const char *flags,
		   const char *use)
{
	struct evidence_tool *t = vec_add(&p->tools);

	t->name = mem_strdup(name);
	t->version = mem_strdup(version && *version ? version : "unknown");
	t->flags = mem_strdup(flags ? flags : "");
	t->use = mem_strdup(use);
}

/* ---- for the gates ---- */

int gate_run(struct gate_env *b, const char *const *argv, unsigned seconds, struct run_result *r,
	     struct err *err)
{
	return run_tool(&b->place, argv, seconds, r, err);
}

void gate_words(struct strbuf *out, const char *const *argv)
{
	for (size_t i = 0; argv[i]; i++) {
		strbuf_puts(out, i ? " " : "");
		strbuf_word(out, argv[i]);
	}
}

int gate_tool(struct gate_env *b, const char *tool, const char *option, const char *flags, const char *use,
	      struct err *err)
{
	const char *argv[] = {tool, option, NULL};
	struct run_result r;
	int ret = gate_run(b, argv, 60, &r, err);

	if (!ret) {
		if (r.out.len)
			r.out.s[strcspn(r.out.s, "\r\n")] = '\0';
		evidence_tool(b->pack, tool, r.out.s, flags, use);
	}
	strbuf_release(&r.out);
	return ret;
}

bool gate_lines(const char *text, gate_line_fn *take, void *arg)
{
	bool all = true;

	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = mem_strndup(text, n);

		all &= take(arg, line);
		free(line);
		text += n + (text[n] == '\n');
	}
	return all;
}

/* ---- compilers ---- */

static const char *const strict[] = {"-std=c11",
				     "-O2",
				     "-Wall",
				     "-Wextra",
				     "-Wconversion",
				     "-Wswitch-default",
				     "-Wshadow",
				     "-Wstrict-prototypes",
				     "-Wmissing-prototypes",
				     "-Wundef",
				     "-Wvla",
				     "-c",
				     "-o",
				     "gate.o"};
#define STRICT (sizeof(strict) / sizeof(strict[0]))

struct compiler {
	const char *tool, *package, *gate, *extra;
	bool other_processor; /* than the one that flushes */
};

/* Compile one file; what the compiler says goes to @report. */
static int compile(struct gate_env *b, const struct compiler *c, const char *file, struct strbuf *report,
		   bool *clean, struct err *err)
{
	const char *argv[STRICT + 4] = {c->tool};
	struct run_result r;
	size_t n = 1;
	int ret;

	for (size_t i = 0; i < STRICT; i++)
		argv[n++] = strict[i];
	if (c->extra)
		argv[n++] = c->extra;
	argv[n] = file;
	ret = gate_run(b, argv, 300, &r, err);
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n%s\n", r.status,
		      r.too_long ? ", stopped by its time limit" : "", r.out.len ? r.out.s : "");
	*clean &= !ret && !r.status && !r.out.len;
	strbuf_release(&r.out);
	return ret;
}

static void compiler_flags(struct strbuf *out, const struct compiler *c)
{
	for (size_t i = 0; i + 3 < STRICT; i++)
		strbuf_printf(out, "%s%s", i ? " " : "", strict[i]);
	if (c->extra)
		strbuf_printf(out, " %s", c->extra);
}

static int one_compiler(struct gate_env *b, const struct compiler *c, struct strbuf *report, struct err *err)
{
	struct strbuf detail = STRBUF_INIT, flags = STRBUF_INIT;
	const struct evidence_input *in = b->pack->in;
	bool clean = true;
	size_t n = 0;
	int ret = 0;

	if (!run_has(c->tool)) {
		evidence_not_run(b->pack, c->gate, c->tool, c->package, "compilers.txt");
		strbuf_printf(report, "%s: not run: %s is not installed (apt-get install %s)\n\n", c->gate,
			      c->tool, c->package);
		return 0;
	}
	if (c->other_processor && in->plan->n_flushes) {
		strbuf_puts(
			&detail,
			"the flushes of this plan are x86-64's: the platform file is for no other processor");
		strbuf_printf(report, "%s: not run: %s\n\n", c->gate, detail.s);
		evidence_gate(b->pack, c->gate, EVIDENCE_NOT_RUN, &detail, "compilers.txt");
		return 0;
	}
	for (size_t i = 0; !ret && i < in->n_generated; i++) {
		size_t len = strlen(in->generated[i].path);

		if (len > 2 && !strcmp(in->generated[i].path + len - 2, ".c")) {
			ret = compile(b, c, in->generated[i].path, report, &clean, err);
			n++;
		}
	}
	compiler_flags(&flags, c);
	if (!ret)
		ret = gate_tool(b, c->tool, "--version", flags.s, "looks for warnings in the generated files",
				err);
	strbuf_printf(&detail, clean ? "no warning in %zu files" : "warnings or errors in %zu files", n);
	evidence_gate(b->pack, c->gate, clean ? EVIDENCE_PASSED : EVIDENCE_FAILED, &detail, "compilers.txt");
	strbuf_release(&flags);
	return ret;
}

int gate_compilers(struct gate_env *b, struct err *err)
{
	static const struct compiler compilers[] = {
		{"gcc", "gcc", "warnings of gcc", "-fanalyzer", false},
		{"clang", "clang", "warnings of clang", NULL, false},
		{"aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu", "warnings of gcc for aarch64", NULL, true},
	};
	struct strbuf report = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(compilers) / sizeof(compilers[0]); i++)
		ret = one_compiler(b, &compilers[i], &report, err);
	evidence_put(b->pack, "compilers.txt", "what compilers say of the generated files", NULL, &report);
	return ret;
}

bool gate_cases(void *arg, char *line)
{
	unsigned long n, failed;
	char rest;

	if (sscanf(line, "%lu cases, %lu failed%c", &n, &failed, &rest) == 2 && n && !failed)
		*(unsigned long *)arg = n;
	return true;
}
