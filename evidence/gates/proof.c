/* SPDX-License-Identifier: MIT */
/* Frama-C: absence of run-time errors (EVA) and the contracts (WP) of the trigger file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/gate.h"

static const char name_eva[] = "Frama-C EVA", name_wp[] = "Frama-C WP", file_name[] = "proof.txt";

#define LIMIT_SECONDS 7200u /* against a tool that hangs; provers are limited by steps */

static void not_run(struct gate_env *b, const char *gate, const char *why, struct strbuf *report)
{
	struct strbuf detail = STRBUF_INIT;

	strbuf_puts(&detail, why);
	strbuf_printf(report, "%s: not run: %s\n\n", gate, why);
	evidence_gate(b->pack, gate, EVIDENCE_NOT_RUN, &detail, file_name);
}

/* ---- EVA ---- */

struct eva {
	struct strbuf *out;
	bool summary; /* inside of it */
	long alarms;
	unsigned valid, unknown, invalid, total, statements;
	bool preconditions;
};

static bool take_eva(void *arg, char *line)
{
	struct eva *e = arg;
	const char *at;

	e->summary |= strstr(line, "ANALYSIS SUMMARY") != NULL;
	if (e->summary || strstr(line, "alarm:") || strstr(line, "rror:") || strstr(line, "aborted"))
		strbuf_printf(e->out, "%s\n", line);
	if (!e->summary)
		return true;
	if (strstr(line, " alarm") && strstr(line, " generated"))
		e->alarms = strtol(line + strspn(line, " "), NULL, 10);
	at = strstr(line, "Preconditions");
	if (at && sscanf(at, "Preconditions %u valid %u unknown %u invalid %u total", &e->valid, &e->unknown,
			 &e->invalid, &e->total) == 4)
		e->preconditions = true;
	at = strstr(line, " statements reached (out of ");
	if (at && (at = strstr(at, "): ")))
		e->statements = (unsigned)strtoul(at + 3, NULL, 10);
	return true;
}

static int eva(struct gate_env *b, struct strbuf *report, struct err *err)
{
	char level[16]; /* sets of integers: a thread's number is one of so many */
	const char *const argv[] = {"frama-c",
				    "-machdep",
				    "gcc_x86_64",
				    "-eva",
				    "-eva-precision",
				    "0",
				    "-eva-ilevel",
				    level,
				    "-eva-verbose",
				    "1",
				    "perseus_triggers.c",
				    "perseus_triggers_test.c",
				    NULL};
	struct eva e = {.out = report, .alarms = -1};
	struct strbuf detail = STRBUF_INIT;
	struct run_result r;
	bool good;
	int ret;

	snprintf(level, sizeof(level), "%zu", b->pack->in->plan->n_threads + 8);
	ret = gate_run(b, argv, LIMIT_SECONDS, &r, err);
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n", r.status,
		      r.too_long ? ", stopped by its time limit" : "");
	gate_lines(r.out.len ? r.out.s : "", take_eva, &e);
	strbuf_release(&r.out);
	good = !ret && !r.status && !e.alarms && e.preconditions && !e.unknown && !e.invalid &&
	       e.statements == 100;
	if (e.alarms < 0)
		strbuf_puts(&detail, "the analysis did not come to an end");
	else
		strbuf_printf(&detail,
			      "%ld alarms, %u of %u preconditions proven, %u %% of the statements reached",
			      e.alarms, e.valid, e.total, e.statements);
	evidence_gate(b->pack, name_eva, good ? EVIDENCE_PASSED : EVIDENCE_FAILED, &detail, file_name);
	strbuf_puts(report, "\n");
	return ret;
}

/* ---- WP ---- */

struct wp {
	struct strbuf *out;
	unsigned proven, goals;
};

/* Goals that are not proven, and the sums; how long a prover took is no part of the result. */
static bool take_wp(void *arg, char *line)
{
	struct wp *w = arg;
	const char *at = strstr(line, "Proved goals:");

	if (at)
		sscanf(at, "Proved goals: %u / %u", &w->proven, &w->goals);
	if (at || strstr(line, "warning:") || strstr(line, "rror:") || strstr(line, "aborted"))
		strbuf_printf(w->out, "%s\n", line);
	else if (strstr(line, "typed_") && !strstr(line, ": Valid") && !strstr(line, "[Valid]"))
		strbuf_printf(w->out, "not proven: %.*s\n", (int)strcspn(strstr(line, "typed_"), " :("),
			      strstr(line, "typed_"));
	return true;
}

/*
 * z3's automatic settings choose a way in which goals over tables take for
 * ever: they are switched off in the command that why3 has found.
 */
static int plain_z3(struct gate_env *b, struct err *err)
{
	static const char option[] = " smt.auto_config=false smt.arith.solver=2";
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	int ret = 0;

	if (!run_get(&b->place, ".why3.conf", &text)) {
		for (const char *s = text.s; *s;) {
			size_t n = strcspn(s, "\n");
			bool z3 = !strncmp(s, "path = \"", 8) && n > 12 && !strncmp(s + n - 4, "/z3\"", 4);

			strbuf_add(&out, s, z3 ? n - 1 : n);
			if (z3)
				strbuf_printf(&out, "%s\"", option);
			strbuf_puts(&out, "\n");
			s += n + (s[n] == '\n');
		}
		ret = run_put(&b->place, ".why3.conf", out.s, out.len, err);
	}
	strbuf_release(&text);
	strbuf_release(&out);
	return ret;
}

static int wp(struct gate_env *b, struct strbuf *report, struct err *err)
{
	static const char *const detect[] = {"why3", "config", "detect", NULL};
	static const char *const argv[] = {"frama-c", "-machdep",           "gcc_x86_64", "-wp",
					   "-wp-rte", "-wp-prover",         "z3",         "-wp-timeout",
					   "600",     "-wp-steps",          "10000000",   "-wp-par",
					   "1",       "perseus_triggers.c", NULL};
	struct strbuf detail = STRBUF_INIT;
	struct wp w = {.out = report};
	struct run_result r;
	int ret = gate_run(b, detect, 120, &r, err);
	bool good;

	strbuf_release(&r.out);
	if (!ret)
		ret = plain_z3(b, err);
	if (!ret)
		ret = gate_run(b, argv, LIMIT_SECONDS, &r, err);
	gate_words(report, argv);
	strbuf_printf(report, "\nexit status %d%s\n", r.status,
		      r.too_long ? ", stopped by its time limit" : "");
	gate_lines(r.out.len ? r.out.s : "", take_wp, &w);
	good = !ret && !r.status && w.goals && w.proven == w.goals;
	strbuf_printf(&detail, "%u of %u goals proven", w.proven, w.goals);
	evidence_gate(b->pack, name_wp, good ? EVIDENCE_PASSED : EVIDENCE_FAILED, &detail, file_name);
	strbuf_release(&r.out);
	return ret;
}

static int tools(struct gate_env *b, bool wp_ran, struct err *err)
{
	int ret = gate_tool(b, "frama-c", "-version", "see proof.txt", "run-time errors and contracts", err);

	if (!ret && wp_ran)
		ret = gate_tool(b, "why3", "--version", "config detect", "hands goals to provers", err);
	if (!ret && wp_ran)
		ret = gate_tool(b, "z3", "--version",
				"smt.auto_config=false smt.arith.solver=2, called by why3", "proves goals",
				err);
	return ret;
}

static const char *missing_for_wp(void)
{
	if (!run_has("frama-c"))
		return "frama-c is not installed (apt-get install frama-c-base)";
	if (!run_has("why3"))
		return "why3 is not installed (apt-get install why3)";
	return run_has("z3") ? NULL : "z3 is not installed (apt-get install z3)";
}

int gate_proof(struct gate_env *b, struct err *err)
{
	struct strbuf report = STRBUF_INIT;
	const char *no_wp = missing_for_wp();
	bool frama = run_has("frama-c");
	int ret = 0;

	strbuf_puts(
		&report,
		"Proofs hold for perseus_triggers.c, with perseus_support.h that it includes, against the\n"
		"contracts in perseus_platform.h. That the platform file fulfils these contracts is a matter "
		"of its review.\n\n");
	if (!frama)
		not_run(b, name_eva, "frama-c is not installed (apt-get install frama-c-base)", &report);
	else if (!evidence_generated(b->pack, "perseus_triggers_test.c"))
		not_run(b, name_eva, "the generated files hold no perseus_triggers_test.c to start from",
			&report);
	else
		ret = eva(b, &report, err);
	if (!ret && no_wp)
		not_run(b, name_wp, no_wp, &report);
	else if (!ret)
		ret = wp(b, &report, err);
	if (!ret && frama)
		ret = tools(b, !no_wp, err);
	evidence_put(b->pack, file_name, "results of Frama-C", NULL, &report);
	return ret;
}
