/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verify/base/sha256.h"
#include "verify/binary/choice.h"
#include "verify/verify-session.h"

#define READ_BYTES ((size_t)4 << 30)

/* Texts of files and of the command line, as the cell of a table or the rest of a line. */
static void verify_report_put(FILE *out, const char *s)
{
	for (; *s; s++) {
		size_t n = shown_bytes(s);

		if (strchr("|\\`*_<>[]#", *s))
			fputc('\\', out);
		fputc(n ? *s : '?', out);
		for (; n > 1; n--)
			fputc(*++s, out);
	}
}

/*
 * What was judged has been read, and a report of it names its bytes: -1 if it cannot be read again.
 * Rebuilt objects lie in a folder of the moment: its name is no part of a report that must not change.
 */
static int input_row(FILE *out, const char *role, const char *path, bool is_brief, struct fault *f)
{
	struct input in;
	char hash[65];

	if (input_read(&in, path, READ_BYTES, f))
		return -1;
	vsha256(in.data, in.size, hash);
	fprintf(out, "| %s | ", role);
	verify_report_put(out, is_brief && strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	fprintf(out, " | %zu | %s |\n", in.size, hash);
	input_release(&in);
	return 0;
}

static int inputs(FILE *out, const struct session *s, struct fault *f)
{
	const struct options *o = &s->opt;
	int ret;

	fputs("## Inputs\n\n| role | file | bytes | SHA-256 |\n|---|---|---|---|\n", out);
	ret = input_row(out, "plan", o->plan, false, f);
	if (!ret)
		ret = input_row(out, "binary", o->binary, false, f);
	for (int i = 0; i < o->objects.n && !ret; i++)
		ret = input_row(out, "object", o->objects.word[i], false, f);
	for (int i = 0; i < o->rebuilt.n && !ret; i++)
		ret = input_row(out, "rebuilt object", o->rebuilt.word[i], true, f);
	if (o->built_with) {
		fputs("| rebuilt with | ", out);
		verify_report_put(out, o->built_with);
		fputs(" | | |\n", out);
	}
	for (int i = 0; i < o->libraries.n && !ret; i++)
		ret = input_row(out, "library", o->libraries.word[i], false, f);
	for (size_t i = s->libraries.given; i < s->libraries.n && !ret; i++)
		ret = input_row(out, "library of this machine, for versions of functions",
				s->libraries.l[i].path, false, f);
	if (o->manifest && !ret)
		ret = input_row(out, "manifest", o->manifest, false, f);
	return ret;
}

static void checks(FILE *out, const struct session *s)
{
	const struct binary *b = &s->binary;

	fputs("\n## Checks made\n\n| what | count |\n|---|---|\n", out);
	fprintf(out, "| threads of the plan, compared with the table in the binary | %zu |\n",
		s->plan.n_threads);
	fprintf(out, "| call triggers of the plan; of these, called in the binary | %u; %u |\n", b->planned,
		b->found);
	fprintf(out,
		"| calls of generated functions; of these, order relative to their call shown | %zu; %u |\n",
		b->calls.n, b->ordered);
	fprintf(out, "| symbols searched for probes | %zu |\n", b->symbols.n_places);
	if (s->opt.objects.n)
		fprintf(out,
			"| objects; functions, variables equal in the binary; references computed again | "
			"%u; %u, %u; %u |\n",
			s->objects.n, s->objects.placed.functions, s->objects.placed.variables,
			s->objects.placed.relocations);
	if (s->opt.rebuilt.n)
		fprintf(out,
			"| rebuilt objects; functions, variables equal in the binary; references computed "
			"again | %d; %u, %u; %u |\n",
			s->opt.rebuilt.n, s->rebuilt.functions, s->rebuilt.variables, s->rebuilt.relocations);
	if (s->plan.n_layouts)
		fprintf(out,
			"| layouts of the plan; of these, as planned wherever they were seen; units with "
			"debug "
			"information | %zu; %zu; %zu |\n",
			s->plan.n_layouts, s->layouts.shown, s->layouts.units);
	if (s->opt.manifest)
		fprintf(out, "| files of the manifest; of these, as listed | %zu; %u |\n", s->manifest.n,
			s->manifest.equal);
}

static const char *kind_of(const struct copy *c)
{
	if (!c->own)
		return "inlined copy";
	return c->where && strchr(c->where->name, '.') ? "clone or part" : "the planned function";
}

static void copies(FILE *out, const struct session *s)
{
	fputs("\n## Calls of generated functions in the binary\n\n"
	      "| function | stands in | which is | calls | order shown |\n|---|---|---|---|---|\n",
	      out);
	for (size_t i = 0; i < s->binary.n_copies; i++) {
		const struct copy *c = &s->binary.copy[i];

		fputs("| ", out);
		verify_report_put(out, c->to->s.name);
		fputs(" | ", out);
		verify_report_put(out, c->where ? c->where->name : "code without a name");
		fprintf(out, " | %s | %u | ", kind_of(c), c->calls);
		if (c->to->kind == GEN_PROGRAM_START)
			fputs("see below |\n", out);
		else
			fprintf(out, "%u |\n", c->shown);
	}
}

/* Of calls that a function makes once only there can be no doubt. */
static void choices(FILE *out, const struct session *s)
{
	size_t n = 0;
	char text[768];

	fputs("\n## Which of several equal calls\n\n", out);
	for (size_t i = 0; i < s->binary.n_choices; i++) {
		const struct choice *c = &s->binary.choice[i];

		n += c->n && c->n == c->n_own;
		if (!*choice_text(c, text, sizeof(text)))
			continue;
		fputs("- ", out);
		verify_report_put(out, text);
		fputs("\n", out);
	}
	fprintf(out, "- at the only such call of their function: %zu of %zu\n", n, s->binary.n_choices);
}

static void lines(FILE *out, const char *title, const struct findings *list)
{
	fprintf(out, "\n## %s\n\n", title);
	for (size_t i = 0; i < list->n; i++) {
		fputs("- ", out);
		verify_report_put(out, list->line[i]);
		fputs("\n", out);
	}
	if (!list->n)
		fputs("- none\n", out);
}

/* What this run did not look at, and what no run can see. */
static void limits(FILE *out, const struct session *s)
{
	fputs("\n## Not shown by this run\n\n", out);
	for (size_t i = 0; i < s->binary.notes.n; i++) {
		fputs("- ", out);
		verify_report_put(out, s->binary.notes.line[i]);
		fputs("\n", out);
	}
	if (!s->opt.objects.n)
		fputs("- that the binary is linked from given objects (no --objects)\n", out);
	if (!s->opt.rebuilt.n)
		fputs("- that the generated code is compiled from the reviewed sources (no --rebuilt)\n",
		      out);
	if (!s->opt.manifest)
		fputs("- that files are those of a manifest (no --manifest)\n", out);
	if (objects_are_open(&s->objects))
		fprintf(out, "- calls of %u objects that hold no machine code yet (-flto)\n", s->objects.lto);
	fputs("- what the program itself sets: its own calls of sched_setaffinity,\n"
	      "  pthread_setaffinity_np or frequency files can undo what the triggers set\n"
	      "- calls by pointers that are computed at run time, and code made at run time\n"
	      "- that the operating system does what the platform file asks of it\n"
	      "- that the reviewed source does what the plan says: see perseus-source-check\n"
	      "- that the plan is a good one: see perseus-plan-check\n",
	      out);
}

static int write_all(FILE *out, const struct session *s, struct fault *f)
{
	fputs("# Verification report\n\n", out);
	if (s->list.n)
		fprintf(out, "Verdict: DIFFERENT, %zu difference%s\n\n", s->list.n,
			s->list.n == 1 ? "" : "s");
	else
		fprintf(out, "Verdict: EQUAL%s in threads%s\n\n",
			session_shows_all(s) ? "" : " AS FAR AS SHOWN",
			s->opt.rebuilt.n ? ", calls and code"
					 : " and calls; what the triggers of the binary do was not judged");
	fprintf(out, "Tool: perseus-verify %s. Program of the plan: ", PERSEUS_VERSION);
	verify_report_put(out, s->plan.program);
	fprintf(out, ".%s\n\n", s->opt.grafted ? " Calls put into the source by hand (--grafted)." : "");
	if (inputs(out, s, f))
		return -1;
	checks(out, s);
	copies(out, s);
	choices(out, s);
	lines(out, "Differences", &s->list);
	limits(out, s);
	fputs("\n## Sign-off\n\n"
	      "| role | name | date | signature |\n|---|---|---|---|\n"
	      "| verified by | | | |\n| reviewed by | | | |\n| accepted by | | | |\n",
	      out);
	return 0;
}

/* ---- the file -------------------------------------------------------------------------- */

static bool is_file(const char *path, const struct stat *st)
{
	struct stat other;

	return path && !stat(path, &other) && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

static bool is_among(const struct words *w, const struct stat *st)
{
	for (int i = 0; i < w->n; i++)
		if (is_file(w->word[i], st))
			return true;
	return false;
}

/* What was judged is not replaced by what is said of it. */
static bool is_input(const struct options *o, const struct stat *st)
{
	return is_file(o->plan, st) || is_file(o->binary, st) || is_file(o->manifest, st) ||
	       is_among(&o->objects, st) || is_among(&o->rebuilt, st) || is_among(&o->libraries, st);
}

/* A device or a pipe is written to as it is; one of somebody else's leads where he likes. */
static int write_stream(const struct session *s, const struct stat *st, struct fault *f)
{
	FILE *out = NULL;
	int bad, unread;

	if (S_ISDIR(st->st_mode))
		return fault_set(f, "cannot write '%s': it is a directory", s->opt.report);
	if (!S_ISFIFO(st->st_mode) || st->st_uid == 0 || st->st_uid == geteuid())
		out = fopen(s->opt.report, "we");
	if (!out)
		return fault_set(f, "cannot write '%s'", s->opt.report);
	unread = write_all(out, s, f);
	bad = ferror(out);
	if ((fclose(out) | bad) && !unread)
		return fault_set(f, "cannot write '%s'", s->opt.report);
	return unread;
}

static int write_file(const struct session *s, struct fault *f)
{
	char name[4096];
	FILE *out;
	int fd, bad, unread;

	if (snprintf(name, sizeof(name), "%s.XXXXXX", s->opt.report) >= (int)sizeof(name))
		return fault_set(f, "the name of the report is too long");
	fd = mkstemp(name);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		fault_set(f, "cannot write '%s': %s", name, strerror(errno));
		if (fd >= 0) {
			close(fd);
			unlink(name);
		}
		return -1;
	}
	unread = write_all(out, s, f);
	bad = ferror(out);
	bad |= fchmod(fd, 0644);
	bad |= fclose(out);
	if (unread) {
		unlink(name);
		return -1;
	}
	if (bad || rename(name, s->opt.report)) {
		unlink(name);
		return fault_set(f, "cannot write '%s': %s", s->opt.report, strerror(errno));
	}
	return 0;
}

int report_write(const struct session *s, struct fault *f)
{
	struct stat st;

	if (stat(s->opt.report, &st))
		return errno == ENOENT
			       ? write_file(s, f)
			       : fault_set(f, "cannot look at '%s': %s", s->opt.report, strerror(errno));
	if (is_input(&s->opt, &st))
		return fault_set(f, "the report would replace '%s', which is judged: give it another name",
				 s->opt.report);
	return S_ISREG(st.st_mode) ? write_file(s, f) : write_stream(s, &st, f);
}
