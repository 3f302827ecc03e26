/* SPDX-License-Identifier: MIT */
/*
 * The unit tests on the flown objects of perseus_triggers.c and of the platform
 * file, and which decisions of those objects they take both ways: those that the
 * compiler added, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/decisions.h"
#include "evidence/gates/gate.h"
#include "evidence/gates/kit.h"

static const char file_name[] = "object-coverage.txt";

/* One of the two objects. */
struct subject {
	const char *test, *cover; /* gates */
	const char *what;         /* words for the report */
	const char *sign;         /* a function of it */
	const char *program;      /* the test, once it is built */
	const struct evidence_object *object;
	const struct evidence_source *source;
};

static void not_run(struct gate_env *b, const struct subject *s, struct strbuf *report, const char *why)
{
	gate_verdict(b, file_name, s->test, EVIDENCE_NOT_RUN, why);
	gate_verdict(b, file_name, s->cover, EVIDENCE_NOT_RUN, why);
	strbuf_printf(report, "not run: %s\n", why);
}

/* The object that defines the sign of @s, and its bytes, if it was given. */
static void find_object(const struct evidence *p, struct subject *s)
{
	uint64_t address, size;

	for (size_t i = 0, k = 0; i < p->objects.n && !s->object; i++) {
		const struct evidence_object *o = &p->objects.at[i];
		const struct evidence_source *source = o->is_binary ? NULL : &p->in->objects[k++];

		if (source && object_symbol(o, s->sign, &address, &size)) {
			s->source = source;
			s->object = o;
		}
	}
}

/* One step; false if it failed.  @said gets what it printed, else the report does. */
static bool object_step(struct gate_env *b, const char *const *argv, struct strbuf *report,
			struct strbuf *said, int *ret, struct err *err)
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

/* ---- decisions ---- */

/* Code of the object; pthread_create() has another name in the test of the platform file. */
static bool object_is_ours(void *ctx, const char *function)
{
	const struct evidence_object *o = ctx;

	if (!strcmp(function, "planned_create"))
		return true;
	for (size_t i = 0; i < o->symbols.n; i++)
		if (strchr("tT", o->symbols.at[i].type) && !strcmp(o->symbols.at[i].name, function))
			return true;
	return false;
}

struct sums {
	size_t both, rest;
	struct strbuf *out;
};

static bool take_decision(void *arg, char *line)
{
	struct sums *s = arg;
	char *way = strrchr(line, ' ');

	if (!way || !strstr(line, "+0x"))
		return true; /* what the test itself prints */
	*(strcmp(way, " both") ? &s->rest : &s->both) += 1;
	if (strcmp(way, " both"))
		strbuf_printf(s->out, "%s\n", line);
	return true;
}

static void object_judge(struct gate_env *b, const struct subject *t, const struct sums *s,
			 const struct decisions *d)
{
	char detail[300];

	snprintf(detail, sizeof(detail),
		 "%zu of %zu decisions all ways (%zu jumps, %zu moves or sets by a condition, %zu tables)%s",
		 s->both, s->both + s->rest, d->jumps, d->moves, d->tables,
		 s->rest ? "; the others are listed, to be accounted for by review" : "");
	gate_verdict(b, file_name, t->cover,
		     !s->both  ? EVIDENCE_FAILED
		     : s->rest ? EVIDENCE_PARTIAL
			       : EVIDENCE_PASSED,
		     detail);
}

static int cover(struct gate_env *b, const struct subject *t, struct strbuf *report, struct err *err)
{
	const char *const dump[] = {"objdump", "-d", "--no-show-raw-insn", "-w", t->program, NULL};
	static const char *const build[] = {
		"gcc", "-std=gnu11", "-O2", "-w", "-o", "objcov", "platform-test/object/objcov.c", NULL};
	const char *const watch[] = {"./objcov", "decisions", t->program, NULL};
	struct strbuf text = STRBUF_INIT, said = STRBUF_INIT;
	struct decisions d = {.ours = object_is_ours, .ctx = (void *)t->object};
	struct sums s = {.out = report};
	int ret = 0;
	bool good = object_step(b, dump, report, &text, &ret, err);

	gate_lines(text.s ? text.s : "", decisions_line, &d);
	if (good)
		ret = run_put(&b->place, "decisions", d.list.s ? d.list.s : "", d.list.len, err);
	good = good && !ret && object_step(b, build, report, NULL, &ret, err) &&
	       object_step(b, watch, report, &said, &ret, err);
	if (good) {
		strbuf_puts(report, "\nNot taken all ways:\n");
		strbuf_puts(report, d.unknown.s ? d.unknown.s : "");
		s.rest = d.n_unknown;
		gate_lines(said.s ? said.s : "", take_decision, &s);
		object_judge(b, t, &s, &d);
	} else if (!ret) {
		gate_verdict(b, file_name, t->cover, EVIDENCE_NOT_RUN,
			     "the test cannot be watched here: see object-coverage.txt");
	}
	strbuf_release(&text);
	strbuf_release(&said);
	strbuf_release(&d.list);
	strbuf_release(&d.unknown);
	return ret;
}

/* ---- tests ---- */

static bool build_triggers(struct gate_env *b, const struct subject *t, struct strbuf *report, int *ret,
			   struct err *err)
{
	static const char *const compile[] = {
		"gcc", "-std=c11", "-O0", "-c", "-o", "flown_test.o", "perseus_triggers_test.c", NULL};
	const char *const link[] = {"gcc",          "-no-pie",       "-o", t->program,
				    "flown_test.o", t->object->name, NULL};

	return object_step(b, compile, report, NULL, ret, err) &&
	       object_step(b, link, report, NULL, ret, err);
}

/* By the script of its unit test, with the flown object in the place of one that it compiles, and the cases that the gate before has compiled. */
static bool build_platform(struct gate_env *b, const struct subject *t, struct strbuf *report, int *ret,
			   struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	char *back = gate_backend(b->pack);
	const char *variant = gate_variant(b->pack);
	bool good = false;

	strbuf_printf(&line,
		      "OBJECT='%s' CASES=platform-test/out; export OBJECT CASES; exec sh platform-test/run "
		      "inputs/plan.yaml . %s flown%s%s",
		      t->object->name, back ? back : "", variant ? " " : "", variant ? variant : "");
	if (back) {
		const char *const argv[] = {"/bin/sh", "-c", line.s, NULL};

		good = object_step(b, argv, report, NULL, ret, err);
	}
	strbuf_release(&line);
	free(back);
	return good;
}

static bool is_platform(const struct subject *t)
{
	return !strcmp(t->sign, "perseus_platform_start");
}

/* Has perseus-verify found these objects in the program? */
static bool is_linked(const struct evidence *p)
{
	for (size_t i = 0; i < p->gates.n; i++)
		if (!strcmp(p->gates.at[i].name, "perseus-verify"))
			return p->gates.at[i].verdict == EVIDENCE_PASSED ||
			       p->gates.at[i].verdict == EVIDENCE_PARTIAL;
	return false;
}

static void judge_test(struct gate_env *b, const struct subject *t, bool good)
{
	if (!good)
		gate_verdict(b, file_name, t->test, EVIDENCE_FAILED, "it does not pass");
	else if (is_linked(b->pack))
		gate_verdict(b, file_name, t->test, EVIDENCE_PASSED,
			     "all cases pass on the object that is linked into the program");
	else
		gate_verdict(
			b, file_name, t->test, EVIDENCE_PARTIAL,
			"all cases pass on the object that was given; perseus-verify has not shown that it "
			"is linked into the program");
}

static int run_subject(struct gate_env *b, const struct subject *t, struct strbuf *report, struct err *err)
{
	const char *const run[] = {t->program, NULL};
	int ret = run_put(&b->place, t->object->name, t->source->text, t->source->len, err);
	bool good;

	if (!ret)
		ret = gate_kit(b, err);
	if (ret)
		return ret;
	strbuf_printf(report, "\n%s\n\n", t->what);
	good = (is_platform(t) ? build_platform : build_triggers)(b, t, report, &ret, err);
	if (!is_platform(t)) /* the script has run it */
		good = good && object_step(b, run, report, NULL, &ret, err);
	if (ret)
		return ret;
	judge_test(b, t, good);
	if (good && run_has("objdump"))
		return cover(b, t, report, err);
	gate_verdict(b, file_name, t->cover, EVIDENCE_NOT_RUN,
		     good ? "objdump is not installed (apt-get install binutils)"
			  : "the unit test does not pass");
	return 0;
}

/* The test calls what the source calls; a hardened build calls other functions of the C library, __read_chk(). */
static bool is_hardened(const struct evidence_source *s)
{
	static const char end[] = "_chk"; /* of a name, with the byte behind it */

	return memmem(s->text, s->len, end, sizeof(end)) != NULL;
}

static const char *why_not(struct gate_env *b, const struct subject *t)
{
	static const char *const tools[] = {"objcopy", "awk", "sed", "grep", "sha256sum", "cut"};

	if (!t->object)
		return "no object of it was given (--objects=FILE)";
	if (!run_has("gcc"))
		return "gcc is not installed (apt-get install gcc)";
	if (!evidence_generated(b->pack, "perseus_triggers_test.c"))
		return "the generated files hold no perseus_triggers_test.c";
	for (size_t i = 0; is_platform(t) && i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!run_has(tools[i]))
			return "its unit test needs objcopy (apt-get install binutils), awk, sed, grep and "
			       "coreutils";
	if (is_hardened(t->source))
		return "the object was compiled with _FORTIFY_SOURCE, which calls other functions than the "
		       "source";
	return NULL;
}

int gate_object(struct gate_env *b, struct err *err)
{
	struct subject subjects[] = {
		{"unit test on the flown object", "branch coverage of the flown object",
		 "The generated unit test, with the flown object of perseus_triggers.c:",
		 "perseus_thread_enter", "./flown_test", NULL, NULL},
		{"unit test on the flown platform object", "branch coverage of the flown platform object",
		 "The unit test of the platform file, with its flown object:", "perseus_platform_start",
		 "./flown/test", NULL, NULL},
	};
	struct strbuf report = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		const char *why;

		find_object(b->pack, &subjects[i]);
		why = why_not(b, &subjects[i]);
		if (why)
			not_run(b, &subjects[i], &report, why);
		else
			ret = run_subject(b, &subjects[i], &report, err);
	}
	evidence_put(b->pack, file_name, "unit tests and decisions of the flown objects", NULL, &report);
	return ret;
}
