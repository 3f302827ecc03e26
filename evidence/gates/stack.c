/* SPDX-License-Identifier: MIT */
/* Stack and branches of each generated function, callees included. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/gate.h"

static const char gate_name[] = "bounded stack and branches";
#define NOT_BOUNDED UINT64_MAX

struct stack {
	const struct outline *outline;
	uint64_t *bytes; /* of each function; of those compiled into their callers 0 */
	bool *known;
	bool dynamic;
};

/* "perseus_triggers.c:33:6:perseus_pin<tab>16<tab>static" */
static bool stack_take(void *arg, char *line)
{
	struct stack *s = arg;
	char *bytes = strchr(line, '\t'), *kind = bytes ? strchr(bytes + 1, '\t') : NULL, *name;
	const struct outline_function *f;

	if (!kind)
		return true;
	*bytes++ = *kind++ = '\0';
	name = strrchr(line, ':');
	if (!name)
		return true;
	name++;
	name[strcspn(name, ".")] = '\0'; /* NAME.constprop.0 */
	f = outline_find(s->outline, name);
	if (!f)
		return true;
	s->bytes[f - s->outline->functions.at] = strtoull(bytes, NULL, 10);
	s->known[f - s->outline->functions.at] = true;
	s->dynamic |= strcmp(kind, "static") != 0;
	return true;
}

static int stack_measure(struct gate_env *b, struct stack *s, bool *compiled, struct err *err)
{
	const struct evidence_input *in = b->pack->in;
	int ret = 0;

	for (size_t i = 0; !ret && i < in->n_generated; i++) {
		const char *argv[] = {"gcc", "-std=c11", "-O2",     "-fstack-usage",
				      "-c",  "-o",       "stack.o", in->generated[i].path,
				      NULL};
		struct strbuf text = STRBUF_INIT;
		struct run_result r;

		if (!evidence_is_source(in->generated[i].path))
			continue;
		ret = gate_run(b, argv, 300, &r, err);
		*compiled &= !ret && !r.status && !run_get(&b->place, "stack.su", &text);
		if (text.len)
			gate_lines(text.s, stack_take, s);
		strbuf_release(&r.out);
		strbuf_release(&text);
	}
	return ret;
}

static uint64_t with_callees(const struct stack *s, uint32_t i)
{
	const struct outline_uses *uses = &s->outline->functions.at[i].uses;
	uint64_t most = 0;

	for (size_t k = 0; k < uses->n; k++) {
		uint64_t below = with_callees(s, uses->at[k].function);

		most = below > most ? below : most;
	}
	return s->bytes[i] + most;
}

static void stack_number(struct strbuf *out, uint64_t n, bool known, const char *end)
{
	if (!known)
		strbuf_puts(out, "in its callers");
	else if (n == NOT_BOUNDED)
		strbuf_puts(out, "not bounded");
	else
		strbuf_printf(out, "%" PRIu64, n);
	strbuf_puts(out, end);
}

static bool row(struct strbuf *out, const struct stack *s, uint32_t i)
{
	const struct outline_function *f = &s->outline->functions.at[i];
	uint32_t depth = outline_depth(s->outline, i);
	uint64_t all = outline_branches(s->outline, i);

	csv_put(out, f->name);
	csv_put(out, f->file);
	strbuf_printf(out, "%u,", f->first);
	stack_number(out, s->bytes[i], s->known[i], ",");
	stack_number(out, depth ? with_callees(s, i) : NOT_BOUNDED, true, ",");
	strbuf_printf(out, "%u,", f->decisions);
	stack_number(out, f->unbounded ? NOT_BOUNDED : f->branches, true, ",");
	stack_number(out, all, true, ",");
	stack_number(out, depth ? depth : NOT_BOUNDED, true, "\n");
	return depth && all != NOT_BOUNDED;
}

static void verdict(struct gate_env *b, bool compiled, bool bounded, bool dynamic, size_t n)
{
	struct strbuf detail = STRBUF_INIT;

	if (!compiled)
		strbuf_puts(&detail, "the generated files do not compile");
	else if (!bounded)
		strbuf_puts(&detail, "a loop without literal bound, or recursion: see `not bounded`");
	else if (dynamic)
		strbuf_puts(&detail, "a function whose stack depends on data");
	else
		strbuf_printf(&detail, "%zu functions, stack of gcc -O2, each loop with a literal bound", n);
	evidence_gate(b->pack, gate_name, compiled && bounded && !dynamic ? EVIDENCE_PASSED : EVIDENCE_FAILED,
		      &detail, "stack.csv");
}

int gate_stack(struct gate_env *b, struct err *err)
{
	const struct outline *outline = &b->pack->outline;
	struct stack s = {outline, mem_new(outline->functions.n + 1, sizeof(uint64_t)),
			  mem_new(outline->functions.n + 1, sizeof(bool)), false};
	struct strbuf out = STRBUF_INIT;
	bool gcc = run_has("gcc"), compiled = true, bounded = true;
	int ret = gcc ? stack_measure(b, &s, &compiled, err) : 0;

	strbuf_puts(&out,
		    "function,file,line,stack bytes,stack with callees,decisions,branches passed at most,"
		    "branches with callees,depth of calls\n");
	for (uint32_t i = 0; i < outline->functions.n; i++)
		bounded &= row(&out, &s, i);
	if (gcc)
		verdict(b, compiled, bounded, s.dynamic, outline->functions.n);
	else
		evidence_not_run(b->pack, gate_name, "gcc", "gcc", "stack.csv");
	if (!ret && gcc)
		evidence_tool(b->pack, "gcc -fstack-usage", "as gcc", "-std=c11 -O2 -fstack-usage",
			      "stack of each function");
	evidence_put(b->pack, "stack.csv", "stack and branch bound per function", NULL, &out);
	free(s.bytes);
	free(s.known);
	return ret;
}
