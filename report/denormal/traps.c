/* SPDX-License-Identifier: MIT */
/* Runs of programs without probes: instructions that raised exceptions. */
#include <inttypes.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/inspect/demangle.h"
#include "lib/json.h"
#include "lib/num.h"
#include "report/denormal/parts.h"

static const char *module_name(const struct denormal_traps *t, size_t module)
{
	return module == DENORMAL_NO_MODULE ? NULL : fs_base_name(t->modules.at[module].path);
}

/* "fir+0x1c in libdsp.so" */
static void traps_put_place(struct strbuf *out, const struct denormal_traps *t,
			    const struct denormal_trap *row)
{
	const char *module = module_name(t, row->module);
	char *people = row->function ? demangle_short(row->function) : NULL;

	if (!module)
		strbuf_printf(out, "0x%" PRIx64 ", code made at run time", row->address);
	else if (row->function)
		strbuf_printf(out, "%s+0x%" PRIx64 " in %s", people ? people : row->function, row->into,
			      module);
	else
		strbuf_printf(out, "0x%" PRIx64 " in %s", row->address, module);
	free(people);
}

static void judge_note(struct denormal_report *r, const struct denormal_trap_note *n)
{
	switch (n->kind) {
	case PRS_DEN_NOTE_HANDLER:
		denormal_doubt(r, DENORMAL_LIMITED,
			       "the program handles SIGFPE itself: nothing was counted from then on");
		break;
	case PRS_DEN_NOTE_FENV:
		if (!n->value)
			denormal_doubt(
				r, DENORMAL_LIMITED,
				"the program masked the exceptions itself: what it computed from then on "
				"is not counted");
		else if (n->value != 1)
			denormal_doubt(
				r, DENORMAL_LIMITED,
				"the program enabled the underflow exception: nothing was counted from "
				"then on");
		break;
	case PRS_DEN_NOTE_X87:
		denormal_doubt(
			r, DENORMAL_LIMITED,
			"the x87 met denormals (long double, or 387 code): it reports a trap at a later "
			"instruction, so they are not counted");
		break;
	case PRS_DEN_NOTE_SAMPLED:
		if (n->value > 1)
			denormal_doubt(r, DENORMAL_LIMITED,
				       "traps were limited: in a thread at most about one of %" PRIu64
				       " events was taken",
				       n->value);
		else
			denormal_doubt(r, DENORMAL_LIMITED, "traps were limited: not every event was taken");
		break;
	case PRS_DEN_NOTE_DECODE:
		denormal_doubt(r, DENORMAL_LIMITED,
			       "the instruction at 0x%" PRIx64
			       " cannot be run elsewhere: its threads were not "
			       "counted from then on",
			       n->value);
		break;
	case PRS_DEN_NOTE_SECCOMP:
		denormal_doubt(r, DENORMAL_LIMITED,
			       "the program limited its system calls: nothing was counted from then on");
		break;
	default:
		break;
	}
}

void denormal_traps_judge(struct denormal_report *r)
{
	/* Instructions have no price. */
	for (size_t i = 0; i < r->run->traps.rows.n; i++)
		r->unpriced += r->run->traps.rows.at[i].operands + r->run->traps.rows.at[i].results;
	for (size_t i = 0; i < r->run->traps.notes.n; i++)
		judge_note(r, &r->run->traps.notes.at[i]);
}

void denormal_traps_put(const struct denormal_report *r, size_t most, struct strbuf *out)
{
	const struct denormal_traps *t = &r->run->traps;
	uint64_t operands = 0, results = 0, lanes = 0;
	struct strbuf sb = STRBUF_INIT;
	char a[32], b[32], c[32];

	for (size_t i = 0; i < t->rows.n; i++) {
		operands += t->rows.at[i].operands;
		results += t->rows.at[i].results;
		lanes += t->rows.at[i].lanes;
	}
	strbuf_printf(&sb, "%s with a denormal operand (%s lanes), %s with a tiny result of normal ones",
		      num_group(a, sizeof(a), operands), num_group(b, sizeof(b), lanes),
		      num_group(c, sizeof(c), results));
	denormal_sentence(out, "traps", sb.s);
	for (size_t i = 0; i < t->rows.n && i < most; i++) {
		const struct denormal_trap *row = &t->rows.at[i];

		sb.len = 0;
		traps_put_place(&sb, t, row);
		if (row->file)
			strbuf_printf(&sb, ", %s:%" PRIu32, fs_base_name(row->file), row->line);
		strbuf_printf(out, "          %13s operands %13s lanes %11s results   %s\n",
			      num_group(a, sizeof(a), row->operands), num_group(b, sizeof(b), row->lanes),
			      num_group(c, sizeof(c), row->results), sb.s);
	}
	if (t->rows.n > most)
		strbuf_printf(out, "          and %zu more instruction%s: --all\n", t->rows.n - most,
			      t->rows.n - most == 1 ? "" : "s");
	strbuf_release(&sb);
}

void denormal_traps_json(const struct denormal_report *r, struct json *j)
{
	const struct denormal_traps *t = &r->run->traps;

	json_array(j, "traps");
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct denormal_trap *row = &t->rows.at[i];
		bool known = row->module != DENORMAL_NO_MODULE;

		json_object(j, NULL);
		json_string(j, "module", known ? t->modules.at[row->module].path : NULL);
		json_string(j, "build_id", known ? t->modules.at[row->module].build_id : NULL);
		json_u64(j, "address", row->address);
		json_string(j, "function", row->function);
		json_u64(j, "offset", row->into);
		json_string(j, "file", row->file);
		json_u64(j, "line", row->line);
		json_u64(j, "operands", row->operands);
		json_u64(j, "lanes", row->lanes);
		json_u64(j, "results", row->results);
		json_end(j);
	}
	json_end(j);
}
