/* SPDX-License-Identifier: MIT */
#include "cmd/codegen/print.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "lib/hash.h"

static void print_sets(const struct plan *plan)
{
	size_t starts = plan_thread_starts(plan), calls = plan_call_triggers(plan);

	cmd_print("sets      %zu thread start%s, %zu call trigger%s\n", starts, starts == 1 ? "" : "s", calls,
		  calls == 1 ? "" : "s");
	for (size_t i = 0; i < plan->n_flushes; i++)
		cmd_print("          %s while %s() runs, %s\n", plan_flush_words[plan->flushes[i].set],
			  plan->flushes[i].function, plan->flushes[i].unit);
	for (size_t i = 0; i < plan->n_layouts; i++) {
		const struct plan_layout *l = &plan->layouts[i];
		struct strbuf name = STRBUF_INIT;

		plan_layout_name(l, &name);
		cmd_print("          %s aligned to %u bytes, %s:%u\n", name.s, l->align, l->file, l->line);
		strbuf_release(&name);
	}
}

static size_t newlines(const struct strbuf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->len; i++)
		n += text->s[i] == '\n';
	return n;
}

/* What a reviewer has to read for each thing that the plan decides; tests and tables are not counted. */
static void print_lines(const struct codegen_output *out)
{
	static const enum codegen_file own[] = {CODEGEN_HEADER, CODEGEN_SOURCE, CODEGEN_MACHINE_H,
						CODEGEN_LAYOUTS};
	size_t plan = 0, library = 0, n = out->n_settings;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		plan += newlines(&out->file[own[i]]);
	for (int i = 0; i < CODEGEN_FILES; i++)
		library += codegen_is_library((enum codegen_file)i) ? newlines(&out->file[i]) : 0;
	cmd_print("lines     %zu of this plan for %zu setting%s: %zu each; with the library %zu each\n", plan,
		  n, n == 1 ? "" : "s", (plan + n / 2) / n, (plan + library + n / 2) / n);
	cmd_print("library   %zu lines, the same for other plans: reviewed once, known by sha256\n", library);
	for (int i = 0; i < CODEGEN_FILES; i++) {
		char hex[SHA256_HEX];

		if (!codegen_is_library((enum codegen_file)i))
			continue;
		sha256_of(out->file[i].s, out->file[i].len, hex);
		cmd_print("          %.16s... %4zu lines  %s\n", hex, newlines(&out->file[i]),
			  codegen_file_name(out->backend, (enum codegen_file)i));
	}
}

static void print_files(const struct codegen_output *out, const char *dir)
{
	int n = 0;

	cmd_print("wrote     ");
	for (int i = 0; i < CODEGEN_FILES; i++)
		if (out->file[i].len) {
			cmd_print("%s%s",
				  n == 0  ? ""
				  : n % 3 ? ", "
					  : "\n          ",
				  codegen_file_name(out->backend, (enum codegen_file)i));
			n++;
		}
	cmd_print(" in %s\n", dir);
}

#define MAX_NOTES 20

static void print_notes(const char *notes)
{
	size_t n = 0;

	for (; notes && *notes; n++) {
		size_t len = strcspn(notes, "\n");

		if (n < MAX_NOTES)
			cmd_print("note      %.*s\n", (int)len, notes);
		notes += len + (notes[len] == '\n');
	}
	if (n > MAX_NOTES)
		cmd_print("note      and %zu more\n", n - MAX_NOTES);
}

/* How the new threads of the program come to the platform file. */
static void print_link(enum codegen_backend backend)
{
	if (backend == CODEGEN_LINUX)
		cmd_print("          a static program: compile the platform file with -DPERSEUS_STATIC, link "
			  "with\n"
			  "            -Wl,--wrap=pthread_create\n");
	else if (backend == CODEGEN_POSIX)
		cmd_print(
			"            -Wl,--wrap=pthread_create\n"
			"          what shared libraries create is not reached: with std::thread, link with\n"
			"            -static-libstdc++\n");
	else
		cmd_print("          fill in the platform file first: each function says what it owes\n");
}

static char *quoted(const char *name)
{
	struct strbuf word = STRBUF_INIT;

	strbuf_word(&word, name);
	return strbuf_detach(&word);
}

void codegen_print_made(const struct codegen_input *in, const struct codegen_output *out, const char *dir)
{
	print_sets(in->plan);
	cmd_print("threads   %zu instance%s, %zu creating site%s\n", out->n_threads,
		  out->n_threads == 1 ? "" : "s", out->n_creates, out->n_creates == 1 ? "" : "s");
	print_notes(out->notes.s);
	cmd_print("plan      %s, sha256 %s\n", in->plan_name, in->sha256);
	print_files(out, dir);
	print_lines(out);
}

/* @dir, and all names below, are words for sh. */
static void print_objects(const char *label, const char *dir, const char *backend)
{
	cmd_print("%1$-9s gcc -std=c11 -O2 -c -o %2$s/perseus_triggers.o %2$s/perseus_triggers.c\n"
		  "          gcc -std=c11 -O2 -c -o %2$s/perseus_platform_%3$s.o "
		  "%2$s/perseus_platform_%3$s.c\n",
		  label, dir, backend);
}

/* All of such a plan is the compiler's. */
static void print_layouts_only(const char *dir, const char *plan)
{
	cmd_print("next      perseus build --plan=%1$s/perseus_triggers.plan -- make\n"
		  "          nothing is set while the program runs: no object is linked;\n"
		  "          perseus flags --plan=%1$s/perseus_triggers.plan prints the flags of\n"
		  "            a build by hand: CFLAGS (CXXFLAGS, and at the link with -flto)\n"
		  "          perseus verify %2$s PROGRAM\n",
		  dir, plan);
}

/* However a build takes two more objects, it does not know them by itself. */
static void print_planned(const char *dir, const char *backend)
{
	cmd_print("          perseus build --plan=%1$s/perseus_triggers.plan -- make \\\n"
		  "            EXTRA_OBJS=\"%1$s/perseus_triggers.o %1$s/perseus_platform_%2$s.o\"\n"
		  "          EXTRA_OBJS stands for whatever makes your build link two objects more;\n"
		  "          perseus flags --plan=%1$s/perseus_triggers.plan prints those of\n"
		  "            a build by hand: CFLAGS (CXXFLAGS, and at the link with -flto)\n",
		  dir, backend);
}

static void print_linked(const struct codegen_graft *graft, const char *plan, const char *dir,
			 const struct codegen_output *out)
{
	const char *backend = codegen_backends[out->backend];

	print_objects(graft->root ? "" : "next", dir, backend);
	if (graft->root)
		cmd_print("          rebuild the program with CFLAGS (CXXFLAGS), without the plugin\n"
			  "            -I %s\n",
			  dir);
	if (graft->root)
		cmd_print("          and link it with %1$s/perseus_triggers.o "
			  "%1$s/perseus_platform_%2$s.o\n",
			  dir, backend);
	else
		print_planned(dir, backend);
	print_link(out->backend);
	cmd_print("          perseus verify %s PROGRAM%s --sources %s\n", plan,
		  graft->root ? " --grafted" : "", dir);
}

void codegen_print_next(const struct codegen_graft *graft, const struct plan *what, const char *plan_name,
			const char *dir_name, const struct codegen_output *out)
{
	char *dir = quoted(dir_name), *plan = quoted(plan_name);

	if (graft->root)
		codegen_graft_print_next(graft, dir);
	if (graft->root || plan_calls_code(what))
		print_linked(graft, plan, dir, out);
	else
		print_layouts_only(dir, plan);
	free(plan);
	free(dir);
}
