/* SPDX-License-Identifier: MIT */
/* Helpers of the gates; for gate-*.c only. */
#ifndef PERSEUS_EVIDENCE_GATES_GATE_H
#define PERSEUS_EVIDENCE_GATES_GATE_H

#include "evidence/gates/gates.h"

/* Run a tool in the working folder of the gates, see run_tool(); the caller releases r->out. */
int gate_run(struct gate_env *b, const char *const *argv, unsigned seconds, struct run_result *r,
	     struct err *err);

/* Note the verdict of @gate, with one sentence, and where more stands. */
void gate_verdict(struct gate_env *b, const char *file, const char *gate, enum evidence_verdict v,
		  const char *detail);

/* Note that @gate is not run, in @report, too. */
void gate_not_run(struct gate_env *b, const char *file, const char *gate, struct strbuf *report,
		  const char *why);

/* Append a command as it could be typed. */
void gate_words(struct strbuf *out, const char *const *argv);

/* Note @tool in tools.csv with the first line that `TOOL OPTION` prints. */
int gate_tool(struct gate_env *b, const char *tool, const char *option, const char *flags, const char *use,
	      struct err *err);

/* Call @take for each line of @text; false if one call said so. */
typedef bool gate_line_fn(void *arg, char *line);
bool gate_lines(const char *text, gate_line_fn *take, void *arg);

/* Put the unit test of the platform file, and the plan, into the working folder of the gates. */
int gate_kit(struct gate_env *b, struct err *err);

/* "linux" of perseus_platform_linux.c; NULL: there is none.  The caller frees it. */
char *gate_backend(const struct evidence *p);

/* The flag of the variant of the platform file that flies, as the compiler line says; NULL: none. */
const char *gate_variant(const struct evidence *p);

/* For gate_lines(): "N cases, 0 failed" with N > 0 goes to the unsigned long at @arg. */
bool gate_cases(void *arg, char *line);

#endif
