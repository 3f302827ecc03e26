/* SPDX-License-Identifier: MIT */
/*
 * perseus-verify PLAN BINARY [OPTION...]
 *
 * Says whether a binary carries exactly the triggers of a plan and no probe.
 * Linked from verify/ and the C library only: it shares no code with the
 * planner, the generator and the plugin, whose work it judges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/sha256.h"
#include "verify/binary/choice.h"
#include "verify/objects/cover.h"
#include "verify/objects/unwind.h"
#include "verify/start/library.h"
#include "verify/start/target.h"
#include "verify/start/versions.h"
#include "verify/verify-session.h"

/* Without the rebuilt code, whose code it is is a question that the verdict leaves open by its own words. */
bool session_shows_all(const struct session *s)
{
	return !s->binary.notes.n && !objects_are_open(&s->objects) &&
	       (s->opt.objects.n || !s->opt.rebuilt.n);
}

static void print_parts(const struct session *s)
{
	if (s->opt.objects.n)
		printf(",\n%u functions and %u variables are those of the objects (%u read)",
		       s->objects.placed.functions, s->objects.placed.variables, s->objects.n);
	if (s->opt.rebuilt.n)
		printf(",\nthe generated code is the compiled form of the reviewed sources (%u functions;\n"
		       "the platform file is compared as code, not run)",
		       s->rebuilt.functions);
	if (s->opt.manifest)
		printf(",\n%u of %zu files are as the manifest lists them", s->manifest.equal, s->manifest.n);
}

/* How each trigger that could belong to several calls is known to belong to its own. */
static void print_choices(const struct binary *b)
{
	char text[768];

	for (size_t i = 0; i < b->n_choices; i++)
		if (*choice_text(&b->choice[i], text, sizeof(text)))
			printf("which call: %s\n", text);
}

/* Nothing differs, but of the plan's layouts nothing was shown, either. */
static bool shows_no_layout(const struct session *s)
{
	return s->plan.n_layouts && !s->layouts.shown;
}

/* A plan of layouts alone. */
static bool plans_layouts_only(const struct vplan *p)
{
	return p->n_layouts && !vplan_calls_code(p);
}

/* The first words: the verdict, and in what. */
static void print_head(const struct session *s)
{
	const char *limit = session_shows_all(s) ? "" : ", as far as shown";
	bool only = plans_layouts_only(&s->plan);
	size_t starts = vplan_thread_starts(&s->plan);

	if (shows_no_layout(s))
		printf("inconclusive: none of the plan's layouts could be shown%s", only ? "" : ";\n");
	else if (only)
		printf("equal in layouts%s: no trigger is planned", limit);
	if (!only)
		printf("equal in threads%s%s: %zu of %zu thread starts, %u of %u call triggers",
		       s->opt.rebuilt.n ? ", calls and code" : " and calls", limit, starts, starts,
		       s->binary.found, s->binary.planned);
}

static void print_equal(const struct session *s)
{
	const struct binary *b = &s->binary;

	print_head(s);
	if (b->n_calls)
		printf(",\nby %u call%s of trigger functions", b->n_calls, b->n_calls == 1 ? "" : "s");
	if (b->moved)
		printf("\n(%u of them outside the function of the call site, as after inlining)", b->moved);
	if (s->plan.n_flushes)
		printf(",\n%u of %zu flushed functions put the register back on every way out", b->regions,
		       s->plan.n_flushes);
	if (s->plan.n_layouts)
		printf(",\n%zu of %zu layouts lie as planned, by the debug information of %zu unit%s",
		       s->layouts.shown, s->plan.n_layouts, s->layouts.units,
		       s->layouts.units == 1 ? "" : "s");
	printf(",\nno %strigger call", plans_layouts_only(&s->plan) ? "" : "other ");
	if (vplan_calls_code(&s->plan)) /* else no table of them is asked for */
		printf(", %zu of %zu thread instances", s->plan.n_threads, s->plan.n_threads);
	printf(",\nno probe symbol or section");
	print_parts(s);
	printf("\nplan sha256 %s\n", s->plan.sha256);
	print_choices(b);
	puts("beyond this verdict: what the reviewed source does (perseus-source-check); what the program\n"
	     "does by addresses that it computes, by libraries and by the system (limits, signals, a new\n"
	     "image of itself)");
	if (objects_are_open(&s->objects))
		printf("not shown: that calls and code are those of %u objects, which hold no machine code "
		       "yet (-flto; the link leaves others with -save-temps)\n",
		       s->objects.lto);
	for (size_t i = 0; i < b->notes.n; i++)
		printf("not shown: %s\n", b->notes.line[i]);
}

/* What the options left out; the report says it at length. */
static void print_not_judged(const struct session *s)
{
	const struct options *o = &s->opt;

	if (!o->rebuilt.n && vplan_calls_code(&s->plan))
		puts("not judged: what the trigger functions do (perseus verify --sources DIR, the reviewed "
		     "files)");
	if (!o->objects.n)
		puts("not judged: whether it is linked from given object files (no --objects)");
}

static int verify_main_print_verdict(const struct session *s)
{
	const struct findings *list = &s->list;

	if (!list->n) {
		print_equal(s);
		print_not_judged(s);
		return shows_no_layout(s) ? VERDICT_INCONCLUSIVE : VERDICT_EQUAL;
	}
	printf("different: %zu difference%s between '%s' and '%s'\n", list->n, list->n == 1 ? "" : "s",
	       s->opt.plan, s->opt.binary);
	for (size_t i = 0; i < list->n; i++)
		printf("  %s\n", list->line[i]);
	for (size_t i = 0; i < s->hints.n; i++)
		printf("hint: %s\n", s->hints.line[i]);
	print_not_judged(s);
	return VERDICT_DIFFERENT;
}

static int check_manifest(struct session *s, struct fault *f)
{
	struct manifest_needed needed[] = {{"plan", s->plan.sha256}, {"binary", s->binary_sha256}};
	const struct options *o = &s->opt;

	if (vmanifest_read(&s->manifest, o->manifest, f))
		return -1;
	vmanifest_check(&s->manifest, o->manifest, o->root.word, o->root.n, needed, 2, &s->list);
	if (o->complete)
		vmanifest_check_folder(&s->manifest, o->manifest, &s->list);
	return 0;
}

/* Other code for the same source is most often another compiler, or other flags. */
static void hint_compiler(struct session *s)
{
	char named[256];

	image_compilers(&s->binary.image, named, sizeof(named));
	findings_add(&s->hints,
		     "%s must be that of the build, flags included%s%s%s; the binary was made by: %s",
		     s->opt.built_with ? "--cc" : "the compiler of the --rebuilt objects",
		     s->opt.built_with ? " (here `" : "", s->opt.built_with ? s->opt.built_with : "",
		     s->opt.built_with ? "`)" : "", named[0] ? named : "it does not say (no .comment)");
}

static void hint_inlining(struct session *s)
{
	findings_add(
		&s->hints,
		"a call is looked for as it was inlined in the recorded build: was its file compiled with "
		"the plan, with the same flags, and with -flto in both builds or in none?");
}

static int check_rebuilt(struct session *s, struct fault *f)
{
	const struct options *o = &s->opt;
	size_t before = s->list.n;
	int ret = objects_rebuilt(&s->rebuilt, o->rebuilt.word, o->rebuilt.n, &s->binary, &s->list, f);

	if (s->list.n > before)
		hint_compiler(s);
	return ret;
}

/* With all objects their relocations tell what such numbers are. */
static void note_distance(struct session *s)
{
	const struct calls *c = &s->binary.calls;

	if (c->distant)
		findings_add(&s->binary.notes,
			     "that the number at 0x%llx is no distance to %s, which could be called by it",
			     (unsigned long long)c->distance, c->distant->s.name);
}

/* All of the program, or what there is of it. */
static void check_whole(struct session *s)
{
	struct binary *b = &s->binary;
	bool all = s->opt.objects.n && s->objects.whole;

	if (!all)
		note_distance(s);
	/* Whoever changed it could lead past a trigger; a layout has none. */
	if (!all && !plans_layouts_only(&s->plan) &&
	    (target_exists(&b->image, "_Unwind_Resume") || target_exists(&b->image, "__gxx_personality_v0")))
		findings_add(&b->notes, "how exceptions are unwound (.eh_frame; --objects compares it)");
	reach_name(&b->own, s->objects.library, s->objects.n_library, &b->notes);
	cover_check(b, &s->objects.placed, &s->rebuilt, all, &b->notes);
	unwind_check(b, &s->objects.placed, &s->rebuilt, all, &s->list, &b->notes);
}

static void check_libraries(struct session *s)
{
	struct binary *b = &s->binary;
	struct findings nowhere = {0};

	/* Without generated code there is nothing that a library could come between. */
	libraries_check(&s->libraries, &b->needed, &b->imports, &s->list,
			plans_layouts_only(&s->plan) ? &nowhere : &b->notes);
	findings_release(&nowhere);
	versions_check_bound(&b->image, &b->symbols, &b->needed, &s->libraries, &b->notes);
}

/* A library that was not given may have any layout. */
static void name_unseen(struct session *s)
{
	struct names unseen = {0};
	struct layouts_names list = {.n = 0};

	libraries_unseen(&s->libraries, &s->binary.needed, &unseen);
	for (size_t i = 0; i < unseen.n; i++)
		layouts_add_name(&list, unseen.name[i]);
	layouts_say_untold(&s->layouts, &list,
			   "libraries of the program that were not looked at (--libraries FILE..)");
	names_release(&unseen);
}

/* The program, and those libraries that were given: a type may be shared with them. */
static void check_layouts(struct session *s)
{
	struct layouts *l = &s->layouts;

	*l = (struct layouts){.plan = &s->plan,
			      .list = &s->list,
			      .notes = &s->binary.notes,
			      .library = s->objects.library,
			      .n_library = s->objects.n_library};
	layouts_begin(l);
	layouts_read(l, &s->binary.image, &s->binary.symbols);
	s->library_symbols = need(s->libraries.given + 1, sizeof(*s->library_symbols));
	for (size_t i = 0; i < s->libraries.given; i++) {
		const struct image *e = &s->libraries.l[i].image;
		struct fault f;

		if (!symbols_read(&s->library_symbols[i], e, &f))
			layouts_read(l, e, &s->library_symbols[i]);
		else if (s->plan.n_layouts)
			findings_add(l->notes, "the plan's layouts in '%s': it has no symbol table", e->path);
	}
	if (s->plan.n_layouts)
		name_unseen(s);
	layouts_conclude(l);
}

static int read_and_check(struct session *s, struct fault *f)
{
	const struct options *o = &s->opt;
	int ret = vplan_read(&s->plan, o->plan, f);

	if (!ret)
		ret = binary_open(&s->binary, o->binary, f);
	if (ret)
		return ret;
	vsha256(s->binary.image.in.data, s->binary.image.in.size, s->binary_sha256);
	s->binary.grafted = o->grafted;
	binary_check(&s->binary, &s->plan, &s->list);
	if (s->binary.missing)
		hint_inlining(s);
	if (o->objects.n)
		ret = objects_check(&s->objects, o->objects.word, o->objects.n, &s->plan, &s->binary,
				    &s->list, &s->binary.notes, f);
	if (!ret && o->rebuilt.n)
		ret = check_rebuilt(s, f);
	if (!ret)
		ret = libraries_open(&s->libraries, o->libraries.word, o->libraries.n, f);
	if (!ret)
		check_libraries(s);
	if (!ret) {
		check_whole(s);
		check_layouts(s);
	}
	if (!ret && o->manifest)
		ret = check_manifest(s, f);
	return ret;
}

static int verify_main_judge(struct session *s)
{
	struct fault f = {""};
	int ret = read_and_check(s, &f);

	if (!ret && s->opt.report)
		ret = report_write(s, &f);
	if (ret)
		fprintf(stderr, "perseus-verify: %s\n", f.text);
	return ret ? VERDICT_UNREADABLE : verify_main_print_verdict(s);
}

static void session_release(struct session *s)
{
	findings_release(&s->list);
	findings_release(&s->hints);
	vmanifest_release(&s->manifest);
	placed_release(&s->rebuilt);
	objects_release(&s->objects);
	layouts_release(&s->layouts);
	for (size_t i = 0; s->library_symbols && i < s->libraries.given; i++)
		symbols_release(&s->library_symbols[i]);
	free(s->library_symbols);
	libraries_release(&s->libraries);
	binary_release(&s->binary);
	vplan_release(&s->plan);
}

int main(int argc, char **argv)
{
	struct session s = {0};
	int ret = options_read(&s.opt, argc, argv);

	if (ret)
		return ret;
	if (s.opt.help) {
		fputs(options_usage, stdout);
		return VERDICT_EQUAL;
	}
	ret = verify_main_judge(&s);
	session_release(&s);
	/* A verdict that nobody can read is none. */
	if (fflush(stdout) || ferror(stdout)) {
		fputs("perseus-verify: cannot write the verdict\n", stderr);
		return VERDICT_UNREADABLE;
	}
	return ret;
}
