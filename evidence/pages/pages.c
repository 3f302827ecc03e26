/* SPDX-License-Identifier: MIT */
/* Pages that judge: known problems, the dossier for AMC 20-193, and the index. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/pages/pages.h"

/* ---- facts of the plan ---- */

struct facts {
	size_t starts, calls, cores, steps; /* thread starts, call triggers, settings of either kind */
	size_t findings, shares;            /* evidence ids, and those of shared memory */
};

static void count_findings(const struct evidence *p, struct facts *f)
{
	struct evidence_words all = VEC_INIT;

	for (size_t i = 0; i < p->items.n; i++)
		for (size_t k = 0; k < p->items.at[i].findings.n; k++)
			vec_push(&all, p->items.at[i].findings.at[k]);
	if (all.n)
		qsort(all.at, all.n, sizeof(*all.at), text_order);
	for (size_t i = 0; i < all.n; i++)
		if (!i || strcmp(all.at[i], all.at[i - 1])) {
			f->findings++;
			f->shares += !strncmp(all.at[i], "share-", 6);
		}
	vec_release(&all);
}

static struct facts facts(const struct evidence *p)
{
	const struct plan *plan = p->in->plan;
	struct facts f = {.starts = plan_thread_starts(plan), .calls = plan_call_triggers(plan)};

	for (size_t i = 0; i < plan->n_threads; i++)
		f.cores += plan->threads[i].core != PLAN_NONE;
	for (size_t i = 0; i < plan->n_triggers; i++)
		for (size_t k = 0; k < plan->triggers[i].n_actions; k++)
			*(plan->triggers[i].actions[k].kind == PLAN_PIN ? &f.cores : &f.steps) += 1;
	count_findings(p, &f);
	return f;
}

/* ---- known problems ---- */

struct problem {
	const char *id, *text;
	bool steps, calls; /* only where the plan has such settings */
};

static const struct problem problems[] = {
	{"KP-01",
	 "A thread that is made by thrd_create() or clone() is not seen: its placement stays as it is "
	 "inherited.",
	 false, false},
	{"KP-02",
	 "The start-up check compares the number of cores online and the name of the processor. Two machines "
	 "that "
	 "agree in both but share caches in another way are not distinguished.",
	 false, false},
	{"KP-03",
	 "A core is read back when it is set, and not again: a thread that its last setting has put there is "
	 "not "
	 "looked at by later triggers for the same core. What another process or an administrator changes "
	 "meanwhile is seen by perseus_recheck(), where the plan has it and the program calls it, or by the "
	 "next "
	 "setting of another core.",
	 false, false},
	{"KP-04",
	 "Threads are told by creator, call site and number of creations there. A program that creates the "
	 "same "
	 "threads in another order gives the places to other work.",
	 false, false},
	{"KP-05",
	 "A frequency domain is the policy directory of its number in ascending order. A kernel that orders "
	 "them "
	 "otherwise, or a governor that changes a step afterwards, is seen only by the read-back.",
	 true, false},
	{"KP-06", "A program that is killed leaves the frequency domains as its triggers set them.", true,
	 false},
	{"KP-07",
	 "Visits are counted for each thread by itself and never begin again: a plan that was made for one "
	 "pass "
	 "through a loop acts in the first pass only, unless it says `every`.",
	 false, true},
	{"KP-08",
	 "MISRA C:2012 is looked at by cppcheck, which has no check for some rules and does not quote any.",
	 false, false},
	{"KP-09",
	 "The stack in stack.csv is that of gcc -O2 on the machine that wrote the pack. Other flags or "
	 "another "
	 "target give other figures; functions of the C library are not counted.",
	 false, false},
	{"KP-10",
	 "The address of a trigger in trace.csv is that of its function, not of the case in it. Functions "
	 "that the "
	 "compiler put into others are shown with the function that holds them.",
	 false, false},
	{"KP-11",
	 "Proofs hold against the contracts in perseus_platform.h. That the platform file fulfils them is "
	 "reviewed, "
	 "not proven.",
	 false, false},
	{"KP-12",
	 "gcc before 14 does not measure condition coverage. The generated code holds no compound condition, "
	 "so that branch coverage is condition coverage.",
	 false, false},
};

void problems_md(const struct evidence *p, struct strbuf *out)
{
	struct facts f = facts(p);

	strbuf_puts(
		out,
		"# Known problems\n\nWhat is known to be limited or wrong in the generated files and in this "
		"pack, as far as this plan\nis concerned. perseus-verify has a list of its own.\n\n");
	for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++)
		if ((!problems[i].steps || f.steps) && (!problems[i].calls || f.calls))
			strbuf_printf(out, "- **%s** %s\n", problems[i].id, problems[i].text);
	for (size_t i = 0; i < p->gates.n; i++)
		if (p->gates.at[i].verdict != EVIDENCE_PASSED) {
			strbuf_printf(out, "- **gate %s**: ", evidence_verdict_name(p->gates.at[i].verdict));
			md_put(out, p->gates.at[i].name);
			strbuf_puts(out, ": ");
			md_put(out, p->gates.at[i].detail);
			strbuf_puts(out, "\n");
		}
	if (!p->requirements.n)
		strbuf_puts(
			out,
			"- **no requirements were given**: nothing is traced to the system's requirements\n");
	if (!p->objects.n)
		strbuf_puts(out, "- **no built file was given**: nothing is traced to addresses\n");
}

/* ---- AMC 20-193 ---- */

struct objective {
	const char *id, *what, *data, *shown, *not_shown;
};

static const struct objective objectives[] = {
	{"MCP_Planning_1", "processor, cores and their use are identified",
	 "inputs/plan.yaml (platform, processor, cores); generated start-up check",
	 "which processor and how many cores the plan is for, and which core each planned thread gets",
	 "hypervisors, other software on the machine, the hardware's errata"},
	{"MCP_Planning_2", "shared resources and dynamic features are identified",
	 "inputs/plan.yaml (frequency steps); amc-20-193.md, table of settings",
	 "which affinity and frequency settings change while the program runs",
	 "features that are not set by the plan: turbo, sleep states, memory refresh, interrupts"},
	{"MCP_Resource_Usage_1", "critical configuration settings are determined",
	 "the table below; trace.csv; requirements-derived.csv",
	 "every setting that the program makes, when, by which thread, and why",
	 "settings of boot loader, kernel and firmware"},
	{"MCP_Resource_Usage_2", "means against an inadvertent change of critical settings",
	 "coverage.txt; proof.txt",
	 "each setting is read back when it is made (not later), a failure is counted in perseus_status, a "
	 "foreign "
	 "machine "
	 "disables all",
	 "changes between two settings of a thread; protection of the settings against other programs"},
	{"MCP_Resource_Usage_3", "interference channels are identified and mitigated",
	 "trace.csv (findings and what the plan does about them)",
	 "the findings that the plan rests on, each with the settings that mitigate it",
	 "channels that were not recorded, findings without a setting, and the size of what remains: it is "
	 "measured by perseus prove, not by this pack"},
	{"MCP_Resource_Usage_4", "demand does not exceed capacity",
	 "inputs/plan.yaml (time, energy and peak by phase)", "what the planner expects of each phase",
	 "measured demand and capacity of caches and memory"},
	{"MCP_Software_1", "function and timing are verified with all software running",
	 "coverage.txt; verify.txt",
	 "that the generated code does what the plan says; what of it is shown of the binary is what the "
	 "verdict of perseus-verify below says, and no more",
	 "worst-case execution times: nothing here is one; tests of the program itself"},
	{"MCP_Software_2", "data and control coupling between cores", "trace.csv (findings of shared memory)",
	 "objects that threads were seen to share, where the plan rests on them",
	 "sharing that was not exercised, and sharing that the plan does nothing about"},
	{"MCP_Error_Handling_1", "failures of the processor are detected and handled",
	 "coverage.txt (each outcome of the platform is driven)",
	 "a setting that fails is counted and stops nothing", "failures of hardware"},
	{"MCP_Accomplishment_Summary_1", "how each objective is met", "this table; manifest.sha256",
	 "the data that exist, by file and hash", "the argument: it is the applicant's"},
};

static void md_cell(struct strbuf *out, const char *s)
{
	strbuf_puts(out, "| ");
	md_put(out, s);
	strbuf_puts(out, " ");
}

/* The data of an objective, with those derived requirements that the plan has: no plan needs all. */
static void data_cell(const struct evidence *p, struct strbuf *out, const struct objective *o)
{
	static const struct {
		const char *objective, *derived;
	} cited[] = {{"MCP_Resource_Usage_2", "DR-01"},
		     {"MCP_Resource_Usage_2", "DR-03"},
		     {"MCP_Resource_Usage_2", "DR-04"},
		     {"MCP_Resource_Usage_2", "DR-05"},
		     {"MCP_Error_Handling_1", "DR-05"}};
	size_t n = 0;

	strbuf_puts(out, "| ");
	for (size_t i = 0; i < sizeof(cited) / sizeof(cited[0]); i++)
		if (!strcmp(cited[i].objective, o->id) && derived_find(p, cited[i].derived) != PLAN_NONE) {
			strbuf_puts(out, n++ ? ", " : "");
			strbuf_puts(out, cited[i].derived);
		}
	strbuf_puts(out, n ? "; " : "");
	md_put(out, o->data);
	strbuf_puts(out, " ");
}

static void settings(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(out, "\n## Settings\n\n| item | thread | when | setting |\n|---|---|---|---|\n");
	for (size_t i = 0; i < p->items.n; i++) {
		const struct evidence_item *it = &p->items.at[i];

		if (!it->sets)
			continue;
		md_cell(out, it->id);
		md_cell(out, it->thread);
		md_cell(out, it->point);
		md_cell(out, it->settings);
		strbuf_puts(out, "|\n");
	}
}

void dossier_md(const struct evidence *p, struct strbuf *out)
{
	struct facts f = facts(p);

	strbuf_printf(out,
		      "# Objectives of AMC 20-193: what this pack supports\n\n"
		      "The plan sets %zu thread starts and %zu call triggers: %zu times a core, %zu times a "
		      "frequency\n"
		      "step. They rest on %zu findings, %zu of them on shared memory.\n\n"
		      "| objective | in short | data | what they show | what is not shown "
		      "|\n|---|---|---|---|---|\n",
		      f.starts, f.calls, f.cores, f.steps, f.findings, f.shares);
	for (size_t i = 0; i < sizeof(objectives) / sizeof(objectives[0]); i++) {
		const struct objective *o = &objectives[i];

		md_cell(out, o->id);
		md_cell(out, o->what);
		data_cell(p, out, o);
		md_cell(out, o->shown);
		md_cell(out, o->not_shown);
		strbuf_puts(out, "|\n");
	}
	strbuf_puts(out, "\nA file counts only as far as its gate passed:\n\n");
	for (size_t i = 0; i < p->gates.n; i++) {
		strbuf_puts(out, "- ");
		md_put(out, p->gates.at[i].name);
		strbuf_printf(out, ": %s, ", evidence_verdict_name(p->gates.at[i].verdict));
		md_put(out, p->gates.at[i].detail);
		strbuf_puts(out, "\n");
	}
	settings(p, out);
}

/* ---- index ---- */

/* What there is to read for each thing that the plan decides. */
static void index_lines(const struct evidence *p, struct strbuf *out)
{
	struct evidence_lines l = evidence_lines(p);
	size_t n = l.settings ? l.settings : 1;

	strbuf_printf(out,
		      "\nTo review: %zu lines that this plan decides, for %zu settings (%zu lines each). "
		      "%zu more\nlines are of the library, which holds nothing of the plan and is reviewed "
		      "once for each\nSHA-256 in library.csv (%zu lines each with them).\n",
		      l.plan, l.settings, (l.plan + n / 2) / n, l.library, (l.plan + l.library + n / 2) / n);
}

void index_md(const struct evidence *p, struct strbuf *out)
{
	strbuf_puts(out, "# Evidence pack of ");
	md_put(out, p->in->plan->program);
	strbuf_puts(out, "\n\nCheck it with `sha256sum -c manifest.sha256`. Begin with trace.html, then "
			 "gates.csv, then\n"
			 "checklist.md.\n\n| gate | verdict | detail |\n|---|---|---|\n");
	for (size_t i = 0; i < p->gates.n; i++) {
		md_cell(out, p->gates.at[i].name);
		md_cell(out, evidence_verdict_name(p->gates.at[i].verdict));
		md_cell(out, p->gates.at[i].detail);
		strbuf_puts(out, "|\n");
	}
	index_lines(p, out);
	strbuf_puts(out, "\n| file | what it is |\n|---|---|\n");
	for (size_t i = 0; i < p->files.n; i++) {
		md_cell(out, p->files.at[i].path);
		md_cell(out, p->files.at[i].role);
		strbuf_puts(out, "|\n");
	}
	strbuf_puts(out, "| manifest.csv | path, role and SHA-256 of every file but the manifests |\n"
			 "| manifest.sha256 | SHA-256 of every file but itself, for sha256sum -c |\n");
}
