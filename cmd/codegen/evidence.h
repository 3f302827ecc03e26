/* SPDX-License-Identifier: MIT */
/* `perseus codegen --evidence=DIR`: the options of the evidence pack, and its place in the order of things. */
#ifndef PERSEUS_CMD_CODEGEN_EVIDENCE_H
#define PERSEUS_CMD_CODEGEN_EVIDENCE_H

#include <stdbool.h>

#include "cmd/base/option.h"
#include "codegen/codegen.h"
#include "evidence/pack/pack.h"

/* clang-format off */
#define CODEGEN_EVIDENCE_ROWS(e)                                                                             \
	OPTION_TEXT(0, "evidence", &(e)->dir),                                                               \
	OPTION_TEXT(0, "requirements", &(e)->requirements),                                                  \
	OPTION_TEXT(0, "previous", &(e)->previous),                                                          \
	OPTION_TEXT(0, "binary", &(e)->binary),                                                              \
	OPTION_LIST(0, "objects", &(e)->objects),                                                            \
	OPTION_TEXT(0, "cc", &(e)->cc),                                                                      \
	OPTION_LIST(0, "model", &(e)->models),                                                               \
	OPTION_TEXT(0, "platform", &(e)->platform),                                                          \
	OPTION_LIST(0, "attach", &(e)->attached)
/* clang-format on */

struct codegen_sources VEC(struct evidence_source);

struct codegen_evidence {
	const char *dir; /* NULL: no pack is wanted */
	const char *requirements, *previous, *binary, *cc, *platform;
	struct option_values objects, models, attached;
	/* What is read for the pack. */
	struct strbuf plan_text, requirements_text, previous_text, binary_text;
	struct strbuf platform_text;
	struct strbuf *object_text, *model_text, *attached_text;
	struct plan previous_plan;
	struct codegen_sources generated, object_sources, model_sources, attached_sources;
	struct evidence_input in;
	struct evidence pack;
	char verify[4096], source_check[4096], plan_check[4096], plugin[4096];
};

/* After the options, @dir being that of -o: 0, or the exit status of a combination that makes no sense. */
int codegen_evidence_check(const struct codegen_evidence *e, const char *dir, const struct cmd *cmd);

/*
 * Make the pack in memory: runs the gates.  @plan: path as given.  Returns 0,
 * or the exit status with the message said: then nothing is to be written.
 */
int codegen_evidence_make(struct codegen_evidence *e, const struct cmd *cmd, const char *plan,
			  const struct codegen_input *in, const struct codegen_output *out);

/* Write the pack and say what is in it.  CMD_FINDINGS: it is written, and a gate failed. */
int codegen_evidence_store(struct codegen_evidence *e, const struct cmd *cmd);

/* Free everything; also if no pack was wanted. */
void codegen_evidence_release(struct codegen_evidence *e);

#endif
