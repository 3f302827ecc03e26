/* SPDX-License-Identifier: MIT */
/* MISRA C:2012 by cppcheck, and a record of each deviation that the generated files declare. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/gate.h"

static const char name_rules[] = "MISRA C:2012";
static const char name_records[] = "MISRA deviations";

#define NEAR 5 /* lines between a name and what it stands for */

struct deviation {
	const char *file;
	char id[8];       /* "D1" */
	char *rule, *why; /* "Rule 1.2", the text of the list on top */
	struct strbuf places;
	size_t n_places;
};
struct deviations VEC(struct deviation);

struct reader {
	struct deviations list;
	struct strbuf faults;
	const char *file;
	uint32_t line;
	size_t n_suppressions;
	bool in_list; /* the last lines belong to the list on top */
};

/* ---- the list on top of a file: " *   D1  Rule 1.2  reason", and lines that go on ---- */

static struct deviation *misra_find(struct reader *r, const char *id, size_t n)
{
	for (size_t i = 0; i < r->list.n; i++)
		if (r->list.at[i].file == r->file && strlen(r->list.at[i].id) == n &&
		    !memcmp(r->list.at[i].id, id, n))
			return &r->list.at[i];
	return NULL;
}

/* Length of the deviation's name at @s, "D12"; 0: it is none. */
static size_t name_bytes(const char *s)
{
	size_t n = 1;

	if (*s != 'D')
		return 0;
	while (isdigit((unsigned char)s[n]) && n < 7)
		n++;
	return n > 1 && !isalnum((unsigned char)s[n]) && s[n] != '_' ? n : 0;
}

static void end_comment(char *text)
{
	char *end = strstr(text, "*/");

	if (end)
		*end = '\0';
	for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
}

static void go_on(struct deviation *d, const char *text)
{
	struct strbuf all = STRBUF_INIT;

	strbuf_printf(&all, "%s %s", d->why, text);
	free(d->why);
	d->why = strbuf_detach(&all);
}

/* Rules are words before two blanks: "Rule 21.1, 2.5  reason". */
static void misra_begin(struct reader *r, const char *s, size_t n)
{
	struct deviation *d = vec_add(&r->list);
	const char *rule = s + n + strspn(s + n, " "), *gap = strstr(rule, "  ");
	size_t len = gap ? (size_t)(gap - rule) : strlen(rule);

	d->file = r->file;
	memcpy(d->id, s, n);
	d->rule = mem_strndup(rule, len);
	d->why = mem_strdup(rule + len + strspn(rule + len, " "));
	r->in_list = true;
}

/* True if the line belongs to the list. */
static bool listed(struct reader *r, char *line)
{
	char *s = line + strspn(line, " \t");
	size_t blanks, n;

	if (*s != '*')
		return r->in_list = false;
	s++;
	blanks = strspn(s, " ");
	s += blanks;
	end_comment(s);
	n = name_bytes(s);
	if (n && !strncmp(s + n + strspn(s + n, " "), "Rule", 4)) {
		misra_begin(r, s, n);
		return true;
	}
	if (!r->in_list || blanks < 8 || !*s)
		return r->in_list = false;
	go_on(&r->list.at[r->list.n - 1], s);
	return true;
}

/* ---- where they occur ---- */

static void misra_place(struct reader *r, const char *id, size_t n, const char *line)
{
	struct deviation *d = misra_find(r, id, n);

	if (!d) {
		strbuf_printf(&r->faults, "%s:%u: %.*s is not on the list of deviations\n", r->file, r->line,
			      (int)n, id);
		return;
	}
	d->n_places++;
	strbuf_printf(&d->places, "- %s:%u: `", d->file, r->line);
	for (line += strspn(line, " \t"); *line; line++)
		strbuf_add(&d->places, *line == '`' || (unsigned char)*line < 0x20 ? " " : line, 1);
	strbuf_puts(&d->places, "`\n");
}

/* The next deviation's name in the comments of a line, from @s on; NULL: no more. */
static const char *next_name(const char *line, const char *s, size_t *n)
{
	bool comment = s > line; /* the first call looks for where one begins */

	for (; *s; s++) {
		if (!strncmp(s, "/*", 2))
			comment = true;
		if (!strncmp(s, "*/", 2))
			comment = false;
		*n = comment && (s == line || !isalnum((unsigned char)s[-1])) ? name_bytes(s) : 0;
		if (*n)
			return s;
	}
	return NULL;
}

static void places(struct reader *r, const char *line)
{
	size_t n;

	for (const char *s = next_name(line, line, &n); s; s = next_name(line, s + n, &n))
		misra_place(r, s, n, line);
}

/* True if @list, "Rule 21.1, 2.5", holds the rule of @n bytes. */
static bool lists(const char *list, const char *rule, size_t n)
{
	for (const char *s = strstr(list, rule); s; s = strstr(s + 1, rule))
		if ((s == list || !strchr("0123456789.", s[-1])) && !isdigit((unsigned char)s[n]))
			return true;
	return false;
}

/* True if a deviation that the line names is one of @rule. */
static bool names_rule(struct reader *r, const char *line, const char *rule)
{
	size_t n;

	for (const char *s = next_name(line, line, &n); s; s = next_name(line, s + n, &n)) {
		const struct deviation *d = misra_find(r, s, n);

		if (d && lists(d->rule, rule, strlen(rule)))
			return true;
	}
	return false;
}

/*
 * A suppressed rule needs a recorded deviation of that rule: named in the line,
 * in the one behind it, or in one before it with nothing but declarations and
 * other suppressions between.
 */
static void suppressed_rule(struct reader *r, char *const *line, size_t n, size_t i, const char *rule)
{
	bool named = names_rule(r, line[i], rule) || (i + 1 < n && names_rule(r, line[i + 1], rule));

	for (size_t k = i; !named && k > 0 && i - k < NEAR && !strpbrk(line[k], "{}#"); k--)
		named = names_rule(r, line[k - 1], rule);
	r->n_suppressions++;
	if (!named)
		strbuf_printf(&r->faults, "%s:%u: a suppression without a recorded deviation of rule %s\n",
			      r->file, r->line, rule);
}

static void suppression(struct reader *r, char *const *line, size_t n, size_t i)
{
	static const char prefix[] = "misra-c2012-";
	const char *s = strstr(line[i], prefix);

	if (!s)
		suppressed_rule(r, line, n, i, "?");
	for (; s; s = strstr(s, prefix)) {
		char rule[16];

		s += sizeof(prefix) - 1;
		snprintf(rule, sizeof(rule), "%.*s", (int)strspn(s, "0123456789."), s);
		suppressed_rule(r, line, n, i, rule);
	}
}

struct lines VEC(char *);

static bool take_line(void *arg, char *line)
{
	vec_push((struct lines *)arg, mem_strdup(line));
	return true;
}

static void misra_read_file(struct reader *r, const char *file, const char *text)
{
	struct lines lines = VEC_INIT;

	gate_lines(text, take_line, &lines);
	r->file = file;
	r->in_list = false;
	for (size_t i = 0; i < lines.n; i++) {
		r->line = (uint32_t)i + 1;
		if (listed(r, lines.at[i]))
			continue;
		places(r, lines.at[i]);
		if (strstr(lines.at[i], "cppcheck-suppress"))
			suppression(r, lines.at, lines.n, i);
	}
	for (size_t i = 0; i < lines.n; i++)
		free(lines.at[i]);
	vec_release(&lines);
}

static void records(struct reader *r, struct strbuf *out)
{
	strbuf_puts(
		out,
		"# Deviations from MISRA C:2012\n\n"
		"One record for each deviation that a generated file declares on its top, with all places\n"
		"that are marked with it. Each is to be accepted by the project.\n");
	for (size_t i = 0; i < r->list.n; i++) {
		const struct deviation *d = &r->list.at[i];

		strbuf_printf(out, "\n## %s of %s\n\n- rule: ", d->id, d->file);
		md_put(out, d->rule);
		strbuf_puts(out, "\n- reason: ");
		md_put(out, d->why);
		strbuf_printf(out, "\n- places: %zu\n- accepted by: \n\n%s", d->n_places,
			      d->places.len ? d->places.s : "");
		if (!d->n_places)
			strbuf_printf(&r->faults, "%s: %s stands on the list and occurs nowhere\n", d->file,
				      d->id);
	}
	if (!r->list.n)
		strbuf_puts(out, "\nThere is none.\n");
	if (r->faults.len)
		strbuf_printf(out, "\n## Not in order\n\n%s", r->faults.s);
}

static void deviations(struct gate_env *b)
{
	const struct evidence_input *in = b->pack->in;
	struct strbuf out = STRBUF_INIT, detail = STRBUF_INIT;
	struct reader r = {.file = NULL};

	for (size_t i = 0; i < in->n_generated; i++)
		if (evidence_is_source(in->generated[i].path) || strstr(in->generated[i].path, ".h"))
			misra_read_file(&r, in->generated[i].path, in->generated[i].text);
	records(&r, &out);
	strbuf_printf(&detail, "%zu deviations, %zu suppressed rules, %s", r.list.n, r.n_suppressions,
		      r.faults.len ? "not all in order" : "each recorded");
	evidence_gate(b->pack, name_records, r.faults.len ? EVIDENCE_FAILED : EVIDENCE_PASSED, &detail,
		      "deviations.md");
	evidence_put(b->pack, "deviations.md", "MISRA deviation records", NULL, &out);
	for (size_t i = 0; i < r.list.n; i++) {
		free(r.list.at[i].rule);
		free(r.list.at[i].why);
		strbuf_release(&r.list.at[i].places);
	}
	vec_release(&r.list);
	strbuf_release(&r.faults);
}

/* ---- the checker ---- */

/* One run over all sources; what it says goes to @report. */
static int misra_check(struct gate_env *b, bool suppressed, struct strbuf *report, bool *clean,
		       struct err *err)
{
	/* Newer checkers note each name of the system's headers, which no version reads. */
	const char *argv[32] = {"cppcheck",
				"--addon=misra",
				"--suppress=misra-config",
				"--std=c11",
				"-q",
				"--error-exitcode=1",
				"--template={file}:{line}: {id}: {message}"};
	const struct evidence_input *in = b->pack->in;
	struct run_result r;
	size_t n = 7;
	int ret;

	if (suppressed)
		argv[n++] = "--inline-suppr";
	for (size_t i = 0; i < in->n_generated && n + 1 < sizeof(argv) / sizeof(argv[0]); i++)
		if (evidence_is_source(in->generated[i].path))
			argv[n++] = in->generated[i].path;
	argv[n] = NULL;
	ret = gate_run(b, argv, 600, &r, err);
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n", r.status,
		      r.too_long ? ", stopped by its time limit" : "");
	strbuf_puts(report, r.out.len ? r.out.s : "no finding\n");
	*clean = !ret && !r.status && !r.out.len;
	strbuf_release(&r.out);
	return ret;
}

/*
 * Versions behind 2.10 show what the addon finds only beside much else, and have new findings
 * by not reading headers: "nothing found" of one that does not find this is no verdict.
 */
static int sees(struct gate_env *b, struct strbuf *report, bool *does, struct err *err)
{
	static const char probe[] =
		"static int probe(int x)\n{\n\tint y = 0;\n\tswitch (x) {\n\tcase 1:\n\t\ty = 2;\n"
		"\t\tbreak;\n\tcase 2:\n\t\ty = 3;\n\t\tbreak;\n\t}\n\treturn y;\n}\n";
	static const char *const argv[] = {"cppcheck", "--addon=misra", "--std=c11",
					   "-q",       "misra-probe.c", NULL};
	struct run_result r;
	int ret = run_put(&b->place, argv[4], probe, sizeof(probe) - 1, err);

	*does = false;
	if (ret)
		return ret;
	ret = gate_run(b, argv, 60, &r, err);
	*does = !ret && r.out.len && strstr(r.out.s, "misra-c2012-16.4");
	if (!ret && !*does)
		strbuf_puts(report, "not run: this cppcheck finds nothing in a switch without default (rule "
				    "16.4), so it\n"
				    "would find nothing here, either; version 2.10 does\n");
	strbuf_release(&r.out);
	return ret;
}

/* No verdict: the checker is there, and shows nothing. */
static void blind(struct gate_env *b, struct strbuf *report)
{
	struct strbuf detail = STRBUF_INIT;

	strbuf_puts(&detail, "this version of cppcheck does not show what it should find");
	evidence_gate(b->pack, name_rules, EVIDENCE_NOT_RUN, &detail, "misra.txt");
	evidence_put(b->pack, "misra.txt", "MISRA report", NULL, report);
}

static int rules(struct gate_env *b, struct err *err)
{
	struct strbuf report = STRBUF_INIT, detail = STRBUF_INIT;
	bool clean, bare;
	int ret;

	strbuf_puts(
		&report,
		"MISRA C:2012 by cppcheck. The checker names rules by number: their texts are not free.\n"
		"Rules that it has no check for are not shown. It reads no header of the system, so what\n"
		"hangs on names of these is not checked.\n\n"
		"With the deviations that deviations.md records:\n\n");
	ret = misra_check(b, true, &report, &clean, err);
	strbuf_puts(&report, "\nWithout them, to see what they are used for:\n\n");
	if (!ret)
		ret = misra_check(b, false, &report, &bare, err);
	if (!ret)
		ret = gate_tool(b, "cppcheck", "--version", "--addon=misra --std=c11 --inline-suppr",
				"rules of MISRA C:2012", err);
	strbuf_printf(&detail, "%s", clean ? "no finding beyond the recorded deviations" : "findings");
	evidence_gate(b->pack, name_rules, clean ? EVIDENCE_PASSED : EVIDENCE_FAILED, &detail, "misra.txt");
	evidence_put(b->pack, "misra.txt", "MISRA report", NULL, &report);
	return ret;
}

int gate_misra(struct gate_env *b, struct err *err)
{
	struct strbuf report = STRBUF_INIT;

	deviations(b);
	if (run_has("cppcheck")) {
		bool does;
		int ret = sees(b, &report, &does, err);

		if (ret || does)
			return ret ? ret : rules(b, err);
		blind(b, &report);
		return 0;
	}
	evidence_not_run(b->pack, name_rules, "cppcheck", "cppcheck", "misra.txt");
	strbuf_puts(&report, "not run: cppcheck is not installed (apt-get install cppcheck)\n");
	evidence_put(b->pack, "misra.txt", "MISRA report", NULL, &report);
	return 0;
}
