/* SPDX-License-Identifier: MIT */
/* The platform files: what the start-up check compares and may be set, then the same text for every plan. */
#include <stdbool.h>

#include "codegen/emit.h"
#include "codegen/needs.h"

static const char header_text[] =
#include "codegen/platform.h.in"
	;
static const char functions_text[] =
#include "codegen/platform-functions.h.in"
	;
static const char linux_top_text[] =
#include "codegen/linux-top.c.in"
	;
static const char linux_text[] =
#include "codegen/linux.c.in"
	;
static const char steps_text[] =
#include "codegen/steps.c.in"
	;
static const char linux_machine_text[] =
#include "codegen/linux-machine.c.in"
	;
static const char linux_create_text[] =
#include "codegen/linux-create.c.in"
	;
static const char posix_text[] =
#include "codegen/posix.c.in"
	;
static const char stub_text[] =
#include "codegen/stub.c.in"
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
		strbuf_puts(out, "/* Cores that the plan binds to. */\n"
				 "/*@ predicate perseus_core(integer c) =");
		strbuf_printf(out, "\n  @   c < %u && (", v->plan->max_core_id + 1);
		ranges(out, &v->cores);
		strbuf_puts(out, "); */\n\n");
	}
	if (v->steps.n) {
		strbuf_puts(out, "/* Frequency domains and the steps that the plan sets there, kHz. */\n"
				 "/*@ predicate perseus_setting(integer d, integer khz) =");
		settings(out, v);
		strbuf_puts(out, "; */\n\n");
	}
}

void emit_platform_header(struct strbuf *out, const struct view *v)
{
	emit_provenance(out, v, "Platform interface of the triggers");
	needs_add(out, header_text, v);
	allowed(out, v);
	needs_add(out, functions_text, v);
}

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
		      "#define PERSEUS_DOMAINS     (%zuu)\n#define PERSEUS_DOMAIN_LIST \\\n\t{ \\\n",
		      v->domains.n);
	for (size_t i = 0; i < v->domains.n; i++)
		strbuf_printf(out, "\t\t%uu, \\\n", v->domains.at[i]);
	strbuf_printf(out, "\t}\n#define PERSEUS_LOWEST_KHZ  (%uu)\n#define PERSEUS_HIGHEST_KHZ (%uu)\n",
		      v->steps.at[0], v->steps.at[v->steps.n - 1]);
}

static void machine(struct strbuf *out, const struct view *v)
{
	strbuf_printf(out,
		      "\n/* The planned machine: cores online, and the processor's name. */\n"
		      "#define PERSEUS_CORES (%u)\n",
		      v->plan->n_cores);
	if (v->plan->cpu)
		strbuf_printf(out, "#define PERSEUS_CPU   \"%s\"\n", v->plan->cpu);
	if (v->steps.n)
		steps(out, v);
}

void emit_platform_source(struct strbuf *out, const struct view *v)
{
	emit_provenance(out, v, "System part of the triggers");
	switch (v->in->backend) {
	case CODEGEN_POSIX:
		needs_add(out, posix_text, v);
		break;
	case CODEGEN_STUB:
		needs_add(out, stub_text, v);
		break;
	default:
		needs_add(out, linux_top_text, v);
		machine(out, v);
		needs_add(out, linux_text, v);
		if (v->steps.n)
			needs_add(out, steps_text, v);
		needs_add(out, linux_machine_text, v);
		needs_add(out, linux_create_text, v);
		break;
	}
	emit_same_plan(out, v);
}
