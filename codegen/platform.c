/* SPDX-License-Identifier: MIT */
/*
 * The library: what the triggers of all plans share.  A plan decides which parts of
 * it are needed, and nothing else, so that plans with the same needs have the same
 * bytes; numbers and names of a plan stand in perseus_triggers.h.
 */
#include <ctype.h>
#include <stdbool.h>

#include "codegen/codegen.h"
#include "codegen/emit.h"
#include "codegen/needs.h"

static const char status_text[] =
#include "codegen/templates/status.h.in"
	;
static const char settings_text[] =
#include "codegen/templates/settings.c.in"
	;
static const char start_text[] =
#include "codegen/templates/start.c.in"
	;
static const char begin_text[] =
#include "codegen/templates/begin.c.in"
	;
static const char creation_text[] =
#include "codegen/templates/creation.c.in"
	;
static const char due_text[] =
#include "codegen/templates/due.c.in"
	;
static const char flush_text[] =
#include "codegen/templates/flush.c.in"
	;
static const char header_text[] =
#include "codegen/templates/platform.h.in"
	;
static const char functions_text[] =
#include "codegen/templates/platform-functions.h.in"
	;
static const char linux_top_text[] =
#include "codegen/templates/linux-top.c.in"
	;
static const char linux_text[] =
#include "codegen/templates/linux.c.in"
	;
static const char linux_flush_text[] =
#include "codegen/templates/arch/x86_64/flush.c.in"
	;
static const char steps_text[] =
#include "codegen/templates/steps.c.in"
	;
static const char linux_machine_text[] =
#include "codegen/templates/linux-machine.c.in"
	;
static const char linux_create_text[] =
#include "codegen/templates/linux-create.c.in"
	;
static const char posix_text[] =
#include "codegen/templates/posix.c.in"
	;
static const char stub_text[] =
#include "codegen/templates/stub.c.in"
	;

/* "a <= c <= b || c == d", for the numbers of @ids, which ascend. */
static void ranges(struct strbuf *out, const struct view_ids *ids)
{
	for (size_t i = 0, last; i < ids->n; i = last + 1) {
		for (last = i; last + 1 < ids->n && ids->at[last + 1] == ids->at[last] + 1;)
			last++;
		strbuf_puts(out, i ? " || " : "");
		if (last == i)
			strbuf_printf(out, "c == %u", ids->at[i]);
		else
			strbuf_printf(out, "%u <= c <= %u", ids->at[i], ids->at[last]);
	}
}

static bool sets(const struct plan *p, uint32_t domain, uint32_t khz)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		for (size_t k = 0; k < p->triggers[i].n_actions; k++) {
			const struct plan_action *a = &p->triggers[i].actions[k];

			if (a->kind == PLAN_STEP && a->domain == domain && a->khz == khz)
				return true;
		}
	return false;
}

/* Every pair of domain and step that the plan sets, ascending. */
static void settings(struct strbuf *out, const struct view *v)
{
	const char *join = "\n  @   ";

	for (size_t d = 0; d < v->domains.n; d++)
		for (size_t s = 0; s < v->steps.n; s++)
			if (sets(v->plan, v->domains.at[d], v->steps.at[s])) {
				strbuf_printf(out, "%s(d == %u && khz == %u)", join, v->domains.at[d],
					      v->steps.at[s]);
				join = " ||\n  @   ";
			}
}

/* What the plan allows, in numbers of their own: a changed constant in the triggers is seen. */
static void allowed(struct strbuf *out, const struct view *v)
{
	if (v->cores.n) {
		strbuf_puts(out, "\n/* Cores that the plan binds to. */\n"
				 "/*@ predicate perseus_core(integer c) =");
		strbuf_printf(out, "\n  @   c < %u && (", v->plan->max_core_id + 1);
		ranges(out, &v->cores);
		strbuf_puts(out, "); */\n");
	}
	if (v->steps.n) {
		strbuf_puts(out, "\n/* Frequency domains and the steps that the plan sets there, kHz. */\n"
				 "/*@ predicate perseus_setting(integer d, integer khz) =");
		settings(out, v);
		strbuf_puts(out, "; */\n");
	}
	if (v->plan->n_flushes)
		strbuf_printf(out,
			      "\n/* Bits of the register of floating-point control that the plan sets. */\n"
			      "/*@ predicate perseus_flush_bits(integer b) = b == %u; */\n",
			      plan_flush_bits(v->plan->flushes[0].set));
}

/* ---- parts ---- */

/* Names of parts, the last NULL. */
static const char *const support_parts[] = {"moves",  "settles", "steps", "place", "sites",
					    "family", "due",     "flush", NULL};
static const char *const system_parts[] = {"cpu", "moves", "settles", "steps", "flush", "bare", NULL};
static const char *const linux_parts[] = {"cpu",       "moves",    "settles", "steps", "by_daemon",
					  "by_device", "by_files", "flush",   NULL};
static const char *const status_parts[] = {"moves", "flush", "bare", NULL};

/* "PERSEUS_SUPPORT_MOVES_SITES": what a library file and perseus_triggers.h agree on. */
static void agreement(struct strbuf *out, const struct view *v, const char *prefix, const char *const *parts)
{
	strbuf_puts(out, prefix);
	for (; *parts; parts++) {
		if (!needs(v, *parts))
			continue;
		strbuf_puts(out, "_");
		for (const char *s = *parts; *s; s++)
			strbuf_printf(out, "%c", toupper((unsigned char)*s));
	}
}

/* The comment on top of a file of the library, and what it is for. */
static void library_top(struct strbuf *out, const struct view *v, const char *const *parts)
{
	strbuf_puts(
		out,
		"/* SPDX-License-Identifier: MIT */\n"
		"/*\n * Library of the triggers, written by perseus codegen.  It holds nothing of a plan:\n"
		" * all plans that need the same parts have these bytes, which are reviewed once.\n"
		" * Parts:");
	for (; *parts; parts++)
		if (needs(v, *parts))
			strbuf_printf(out, " %s", *parts);
	strbuf_puts(out, "\n */\n");
}

/* Stop the compiler if @file is of plans that need other parts. */
static void same_parts(struct strbuf *out, const struct view *v, const char *prefix, const char *const *parts,
		       const char *file)
{
	strbuf_puts(out, "\n#ifndef ");
	agreement(out, v, prefix, parts);
	strbuf_printf(
		out,
		"\n#error \"%s has other parts than the plan needs: generate all files again\"\n#endif\n",
		file);
}

#define SUPPORT "PERSEUS_SUPPORT"
#define SYSTEM  "PERSEUS_SYSTEM"

/* ---- what a plan tells the library ---- */

/* What of the frequencies the plan is about: perseusd is asked for the whole of it at once. */
static void steps(struct strbuf *out, const struct view *v)
{
	strbuf_printf(out,
		      "#define PERSEUS_CORE_LIMIT  (%uu) /* core numbers are below */\n"
		      "#define PERSEUS_LAST_DOMAIN (%uu) /* highest one that the plan sets */\n",
		      v->plan->max_core_id + 1, v->domains.at[v->domains.n - 1]);
	if (!needs(v, "by_daemon"))
		return;
	strbuf_printf(out,
		      "\n/* Frequency domains that the plan sets, and its lowest and highest step, kHz. */\n"
		      "#define PERSEUS_DOMAINS     (%zuu)\n#define PERSEUS_DOMAIN_LIST {",
		      v->domains.n);
	for (size_t i = 0; i < v->domains.n; i++)
		strbuf_printf(out, "%s%uu", i ? ", " : "", v->domains.at[i]);
	strbuf_printf(out, "}\n#define PERSEUS_LOWEST_KHZ  (%uu)\n#define PERSEUS_HIGHEST_KHZ (%uu)\n",
		      v->steps.at[0], v->steps.at[v->steps.n - 1]);
}

void emit_machine(struct strbuf *out, const struct view *v)
{
	emit_provenance(out, v, "Machine of the triggers");
	strbuf_puts(out, "#ifndef PERSEUS_MACHINE_H\n#define PERSEUS_MACHINE_H\n");
	if (v->in->backend == CODEGEN_LINUX) {
		strbuf_printf(out,
			      "\n/* The planned machine: cores online, and the processor's name. */\n"
			      "#define PERSEUS_CORES (%u)\n",
			      v->plan->n_cores);
		if (v->plan->cpu)
			strbuf_printf(out, "#define PERSEUS_CPU   \"%s\"\n", v->plan->cpu);
		if (v->steps.n)
			steps(out, v);
	}
	strbuf_puts(out, "\n/* Parts of the platform file that the plan needs. */\n#define ");
	agreement(out, v, SYSTEM, system_parts);
	strbuf_puts(out, " (1u)\n\n#endif\n");
}

void emit_allowed(struct strbuf *out, const struct view *v)
{
	strbuf_puts(out, "\n/* Parts of perseus_support.h that the plan needs. */\n#define ");
	agreement(out, v, SUPPORT, support_parts);
	strbuf_puts(out, " (1u)\n");
	allowed(out, v);
}

/* ---- files ---- */

void emit_status(struct strbuf *out, const struct view *v)
{
	library_top(out, v, status_parts);
	needs_add(out, status_text, v);
}

void emit_support(struct strbuf *out, const struct view *v)
{
	library_top(out, v, support_parts);
	needs_add(out, settings_text, v);
	needs_add(out, start_text, v);
	strbuf_puts(out,
		    "/* ---- creation: the creator decides which instance the new thread is ---- */\n\n");
	needs_add(out, begin_text, v);
	needs_add(out, creation_text, v);
	needs_add(out, due_text, v);
	needs_add(out, flush_text, v);
	same_parts(out, v, SUPPORT, support_parts, "perseus_support.h");
	strbuf_puts(out, "\n#endif\n");
}

void emit_platform_header(struct strbuf *out, const struct view *v)
{
	library_top(out, v, system_parts + 1);
	needs_add(out, header_text, v);
	needs_add(out, functions_text, v);
}

void emit_platform_source(struct strbuf *out, const struct view *v)
{
	library_top(out, v, v->in->backend == CODEGEN_LINUX ? linux_parts : system_parts);
	switch (v->in->backend) {
	case CODEGEN_POSIX:
		needs_add(out, posix_text, v);
		break;
	case CODEGEN_STUB:
		needs_add(out, stub_text, v);
		break;
	default:
		needs_add(out, linux_top_text, v);
		needs_add(out, linux_text, v);
		needs_add(out, linux_flush_text, v);
		if (v->steps.n)
			needs_add(out, steps_text, v);
		needs_add(out, linux_machine_text, v);
		needs_add(out, linux_create_text, v);
		break;
	}
	same_parts(out, v, SYSTEM, system_parts, codegen_file_name(v->in->backend, CODEGEN_PLATFORM_C));
}
