/* SPDX-License-Identifier: MIT */
/* Lists that a reviewer asks for: code that does not run in this program, and why it stands there; coupling. */
#include <string.h>

#include "evidence/pages/pages.h"

/* The platform file of this pack, NULL. */
static const struct evidence_source *platform(const struct evidence *p)
{
	for (size_t i = 0; i < p->in->n_generated; i++)
		if (!strncmp(p->in->generated[i].path, "perseus_platform_", 17) &&
		    evidence_is_source(p->in->generated[i].path))
			return &p->in->generated[i];
	return NULL;
}

struct dead {
	bool triggers;    /* of the triggers; false: of the platform file */
	const char *sign; /* text that shows that it is there */
	const char *row;  /* where | kind | why it is there, how it is kept from running or is tested */
};

static const struct dead deads[] = {
	{false, "#ifdef PERSEUS_STATIC",
	 "| platform file, `#ifdef PERSEUS_STATIC` | deactivated: one of two alternatives is compiled | the "
	 "other serves static, or dynamic, programs; which one is in the object is in the compiler line "
	 "(verify.txt), and perseus-verify refuses the wrong one |\n"},
	{false, "#ifdef PERSEUS_DIRECT",
	 "| platform file, `#ifdef PERSEUS_DIRECT` | deactivated: one of two alternatives is compiled | for "
	 "linkers without --wrap; as above |\n"},
	{true, "default: /* no thread of the plan */",
	 "| perseus_place(), `default` | defensive | a corrupted instance: counted in not_entered; driven by "
	 "the unit test |\n"},
	{true, "if (ended >= PERSEUS_OUTCOMES)",
	 "| perseus_note(), unknown outcome | defensive | an answer that no platform file gives counts as "
	 "refused; driven by the unit test |\n"},
	{false, "if (instance < PERSEUS_THREADS)",
	 "| perseus_platform_become(), refusal | defensive | an instance beyond the table; driven by the "
	 "unit "
	 "test of the platform file |\n"},
	{false, "error = EAGAIN;",
	 "| perseus_system_create(), no system function | defensive | dlsym() finds pthread_create() in "
	 "every "
	 "program with threads; driven by the unit test of the platform file |\n"},
	{true, "uint32_t perseus_recheck(void)",
	 "| perseus_recheck() | used | by the creation of threads, where a creator cannot go back to its "
	 "core; "
	 "the program may call it |\n"},
	{false, "Further answers, as numbered",
	 "| counters pins[4], or steps[3] | data that stays 0 | outcomes have one numbering for all "
	 "platforms; "
	 "no code of this platform file gives them where it has no name for them |\n"},
};

void deactivated_md(const struct evidence *p, struct strbuf *out)
{
	const struct evidence_source *own = platform(p);

	strbuf_puts(out, "# Deactivated and defensive code\n\n"
			 "Of the generated files (DO-178C 4.2h, 6.4.4.3). What a plan does not need is not "
			 "generated: there\nis one back end, one way of frequency steps, and no hook for "
			 "tests. This is the rest.\n\n"
			 "| where | kind | why it stands there |\n|---|---|---|\n");
	for (size_t i = 0; i < sizeof(deads) / sizeof(deads[0]); i++) {
		const struct dead *d = &deads[i];

		if (d->triggers ? evidence_triggers_hold(p, d->sign) : own && strstr(own->text, d->sign))
			strbuf_puts(out, d->row);
	}
	strbuf_puts(out, "\nBranches that no test takes are named by coverage.txt and platform-test.txt.\n");
}

/* ---- coupling ---- */

static void shared(const struct evidence *p, struct strbuf *out)
{
	static const struct {
		const char *name, *written, *read, *how;
	} data[] = {
		{"perseus_status", "every planned thread; the platform file", "program, debugger",
		 "counters: atomic add; machine, placed: atomic store, before any planned thread starts"},
		{"perseus_state",
		 "each row by its own thread; all rows by the thread that calls perseus_program_start",
		 "the same thread", "the start comes before any other thread; rows 128 bytes apart; no lock"},
		{"perseus_created", "the creator whose family it counts", "the same thread", "no lock"},
		{"perseus_thread_table", "nobody (const)", "all", "constant"},
		{"perseus_plan_sha256", "nobody (const)", "platform file, at the start", "constant"},
	};

	strbuf_puts(out, "## Data\n\n| object | written by | read by | kept whole by |\n|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
		if (evidence_triggers_hold(p, data[i].name))
			strbuf_printf(out, "| `%s` | %s | %s | %s |\n", data[i].name, data[i].written,
				      data[i].read, data[i].how);
	strbuf_puts(out,
		    "\nperseus-verify names each place outside of the generated code that writes into these "
		    "objects by name\nor takes their address; stores by a computed address it cannot see "
		    "(verify.txt).\n");
}

/* Calls into the platform file that no plan names. */
static void other_entries(const struct evidence *p, struct strbuf *out)
{
	static const struct {
		const char *sign, *row; /* @sign: of the platform file's text */
	} entries[] = {
		{"pthread_create(", "| program, its libraries | `pthread_create` of the platform file | each "
				    "creation of a thread |\n"},
		{"perseus_thread_main",
		 "| C library | `perseus_thread_main` | where a planned thread begins |\n"
		 "| `perseus_thread_main` | start routine of the program | behind the "
		 "thread's own setting |\n"},
		{"atexit(",
		 "| C library | `perseus_restore` | where the program ends: puts frequencies back |\n"},
		{"pthread_atfork(", "| C library | `perseus_forked` | in the child of a fork() |\n"},
	};
	const struct evidence_source *own = platform(p);

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (own && strstr(own->text, entries[i].sign))
			strbuf_puts(out, entries[i].row);
}

/* One line for each call that the program makes of generated code. */
void coupling_md(const struct evidence *p, struct strbuf *out)
{
	const struct plan *plan = p->in->plan;

	strbuf_puts(out, "# Data and control coupling of the generated code with the program\n\n");
	shared(p, out);
	strbuf_puts(out, "\n## Control\n\n| caller | callee | where |\n|---|---|---|\n");
	if (plan_calls_code(plan))
		strbuf_puts(out, "| main | `perseus_program_start` | first statement |\n");
	for (size_t i = 0; i < plan->n_threads; i++)
		if (plan->threads[i].create_site < plan->n_sites) {
			const struct plan_site *s = &plan->sites[plan->threads[i].create_site];
			bool seen = false;

			for (size_t k = 0; k < i; k++)
				seen |= plan->threads[k].create_site == plan->threads[i].create_site;
			if (seen)
				continue;
			strbuf_puts(out, "| ");
			md_put(out, s->function);
			strbuf_puts(out,
				    " | `perseus_create_n_begin`, `perseus_create_end` | round the call of ");
			md_put(out, s->callee);
			strbuf_printf(out, ", line %u |\n", s->line);
		}
	for (size_t i = 0; i < p->items.n; i++) {
		const struct evidence_item *it = &p->items.at[i];
		const struct plan_site *s =
			it->kind == ITEM_TRIGGER && it->site < plan->n_sites ? &plan->sites[it->site] : NULL;

		if (!s)
			continue;
		strbuf_puts(out, "| ");
		md_put(out, s->function);
		strbuf_puts(out, " | ");
		md_put(out, it->function);
		strbuf_puts(out, " | ");
		md_put(out, it->point);
		strbuf_puts(out, " |\n");
	}
	for (size_t i = 0; i < plan->n_flushes; i++) {
		const struct plan_flush *u = &plan->flushes[i];

		strbuf_puts(out, "| ");
		md_put(out, u->function);
		strbuf_printf(out,
			      " | `perseus_flush_%1$u_begin`, `perseus_flush_%1$u_end` | first of all in it; "
			      "on every way "
			      "out |\n",
			      u->number);
	}
	other_entries(p, out);
	strbuf_puts(
		out,
		"\nExercised: calls from the program by perseus-verify "
		"(each planned call is there, no other); calls\ninside the generated code by the two unit "
		"tests (coverage.txt, platform-test.txt).\n");
}
