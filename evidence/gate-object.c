/* SPDX-License-Identifier: MIT */
/*
 * The generated unit test on the flown object of perseus_triggers.c, and which
 * conditional jumps of that object it takes: those that the compiler added, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gate.h"
#include "evidence/kit.h"

static const char name_test[] = "unit test on the flown object";
static const char name_cover[] = "branch coverage of the flown object", file_name[] = "object-coverage.txt";

static void verdict(struct bench *b, const char *gate, enum evidence_verdict v, const char *detail)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_puts(&text, detail);
	evidence_gate(b->pack, gate, v, &text, file_name);
}

static void not_run(struct bench *b, struct strbuf *report, const char *why)
{
	verdict(b, name_test, EVIDENCE_NOT_RUN, why);
	verdict(b, name_cover, EVIDENCE_NOT_RUN, why);
	strbuf_printf(report, "not run: %s\n", why);
}

/* The object that defines the triggers, and its bytes; NULL: none was given. */
static const struct evidence_object *flown(const struct evidence *p, const struct evidence_source **source)
{
	uint64_t address, size;

	for (size_t i = 0, k = 0; i < p->objects.n; i++) {
		const struct evidence_object *o = &p->objects.at[i];
		const struct evidence_source *s = o->is_binary ? NULL : &p->in->objects[k++];

		if (s && object_symbol(o, "perseus_thread_enter", &address, &size)) {
			*source = s;
			return o;
		}
	}
	return NULL;
}

/* One step; false if it failed.  @said gets what it printed, else the report does. */
static bool step(struct bench *b, const char *const *argv, struct strbuf *report, struct strbuf *said,
		 int *ret, struct err *err)
{
	struct run_result r = {0};
	bool good;

	*ret = gate_run(b, argv, 300, &r, err);
	good = !*ret && !r.status;
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n", r.status,
		      r.too_long ? ", stopped by its time limit" : "");
	strbuf_puts(said ? said : report, r.out.len ? r.out.s : "");
	strbuf_release(&r.out);
	return good;
}

/* ---- conditional jumps, as objdump prints them ---- */

struct listing {
	struct strbuf out;
	char function[120];
	bool ours, open; /* open: a jump whose next instruction has not been seen */
};

/* "0000000000401136 <perseus_note>:", then "  401136:\tje     40113d <...>". */
static bool take_insn(void *arg, char *line)
{
	struct listing *l = arg;
	unsigned long at;
	char name[120], word[16];

	if (sscanf(line, "%lx <%119[^>]>:", &at, name) == 2) {
		l->ours = !strncmp(name, "perseus_", 8) && strncmp(name, "perseus_platform_", 17);
		l->open = false;
		strcpy(l->function, name);
		return true;
	}
	if (!l->ours || sscanf(line, " %lx: %15s", &at, word) != 2)
		return true;
	if (l->open)
		strbuf_printf(&l->out, "%lx %s\n", at, l->function);
	l->open = word[0] == 'j' && strcmp(word, "jmp") && strcmp(word, "jmpq");
	if (l->open)
		strbuf_printf(&l->out, "%lx ", at);
	return true;
}

struct sums {
	size_t both, one, never;
	struct strbuf *out;
};

static bool take_jump(void *arg, char *line)
{
	struct sums *s = arg;
	char *way = strrchr(line, ' ');

	if (!way || !strstr(line, "+0x"))
		return true; /* what the test itself prints */
	if (!strcmp(way, " both"))
		s->both++;
	else
		*(strcmp(way, " never") ? &s->one : &s->never) += 1;
	if (strcmp(way, " both"))
		strbuf_printf(s->out, "%s\n", line);
	return true;
}

static void judge(struct bench *b, const struct sums *s)
{
	char detail[200];

	snprintf(detail, sizeof(detail), "%zu of %zu conditional jumps both ways%s", s->both,
		 s->both + s->one + s->never,
		 s->one + s->never ? "; the others are listed, to be accounted for by review" : "");
	verdict(b, name_cover,
		!s->both            ? EVIDENCE_FAILED
		: s->one + s->never ? EVIDENCE_PARTIAL
				    : EVIDENCE_PASSED,
		detail);
}

static int cover(struct bench *b, struct strbuf *report, struct err *err)
{
	static const char *const dump[] = {"objdump", "-d", "--no-show-raw-insn", "-w", "flown_test", NULL};
	static const char *const build[] = {
		"gcc", "-std=gnu11", "-O2", "-w", "-o", "objcov", "platform-test/object/objcov.c", NULL};
	static const char *const watch[] = {"./objcov", "jumps", "./flown_test", NULL};
	struct strbuf text = STRBUF_INIT, said = STRBUF_INIT;
	struct listing l = {.out = STRBUF_INIT};
	struct sums s = {.out = report};
	int ret = 0;
	bool good = step(b, dump, report, &text, &ret, err);

	gate_lines(text.s ? text.s : "", take_insn, &l);
	if (good)
		ret = run_put(&b->place, "jumps", l.out.s ? l.out.s : "", l.out.len, err);
	good = good && !ret && step(b, build, report, NULL, &ret, err) &&
	       step(b, watch, report, &said, &ret, err);
	if (good) {
		strbuf_puts(report, "\nNot taken both ways:\n");
		gate_lines(said.s ? said.s : "", take_jump, &s);
		judge(b, &s);
	} else if (!ret) {
		verdict(b, name_cover, EVIDENCE_NOT_RUN,
			"the test cannot be watched here: see object-coverage.txt");
	}
	strbuf_release(&text);
	strbuf_release(&said);
	strbuf_release(&l.out);
	return ret;
}

static int test(struct bench *b, const struct evidence_object *o, const struct evidence_source *source,
		struct strbuf *report, struct err *err)
{
	const char *const compile[] = {
		"gcc", "-std=c11", "-O0", "-c", "-o", "flown_test.o", "perseus_triggers_test.c", NULL};
	const char *const link[] = {"gcc", "-no-pie", "-o", "flown_test", "flown_test.o", o->name, NULL};
	const char *const run[] = {"./flown_test", NULL};
	size_t n;
	const struct kit_file *files = kit_files(&n);
	int ret = run_put(&b->place, o->name, source->text, source->len, err);
	bool good;

	for (size_t i = 0; !ret && i < n; i++)
		if (strstr(files[i].path, "objcov"))
			ret = run_put(&b->place, files[i].path, files[i].text,
				      (size_t)(files[i].end - files[i].text), err);
	if (ret)
		return ret;
	good = step(b, compile, report, NULL, &ret, err) && step(b, link, report, NULL, &ret, err) &&
	       step(b, run, report, NULL, &ret, err);
	if (ret)
		return ret;
	verdict(b, name_test, good ? EVIDENCE_PASSED : EVIDENCE_FAILED,
		good ? "all cases pass on the object that is linked into the program" : "it does not pass");
	if (good && run_has("objdump"))
		return cover(b, report, err);
	verdict(b, name_cover, EVIDENCE_NOT_RUN,
		good ? "objdump is not installed (apt-get install binutils)" : "the unit test does not pass");
	return 0;
}

int gate_object(struct bench *b, struct err *err)
{
	const struct evidence_source *source = NULL;
	const struct evidence_object *o = flown(b->pack, &source);
	struct strbuf report = STRBUF_INIT;
	int ret = 0;

	if (!o)
		not_run(b, &report, "no object of the triggers was given (--objects=FILE)");
	else if (!run_has("gcc"))
		not_run(b, &report, "gcc is not installed (apt-get install gcc)");
	else if (!evidence_generated(b->pack, "perseus_triggers_test.c"))
		not_run(b, &report, "the generated files hold no perseus_triggers_test.c");
	else
		ret = test(b, o, source, &report, err);
	evidence_put(b->pack, file_name, "unit test and branches of the flown object", NULL, &report);
	return ret;
}
