/* SPDX-License-Identifier: MIT */
/* `perseus codegen --evidence=DIR`: the options of the evidence pack, and its place in the order of things. */
#ifndef PERSEUS_CMD_CODEGEN_EVIDENCE_H
#define PERSEUS_CMD_CODEGEN_EVIDENCE_H

#include <getopt.h>
#include <stdbool.h>

#include "cmd/base/cmd.h"
#include "codegen/codegen.h"
#include "evidence/pack/pack.h"

/* Values of getopt_long() for the options of the pack. */
enum {
	CODEGEN_EVIDENCE = 0x700,
	CODEGEN_REQUIREMENTS,
	CODEGEN_PREVIOUS,
	CODEGEN_BINARY,
	CODEGEN_OBJECTS,
	CODEGEN_CC,
	CODEGEN_MODEL,
	CODEGEN_PLATFORM,
	CODEGEN_ATTACH
};

/* clang-format off */
#define CODEGEN_EVIDENCE_OPTIONS                                                                             \
	{"evidence", required_argument, NULL, CODEGEN_EVIDENCE},                                             \
	{"requirements", required_argument, NULL, CODEGEN_REQUIREMENTS},                                     \
	{"previous", required_argument, NULL, CODEGEN_PREVIOUS},                                             \
	{"binary", required_argument, NULL, CODEGEN_BINARY},                                                 \
	{"objects", required_argument, NULL, CODEGEN_OBJECTS},                                               \
	{"cc", required_argument, NULL, CODEGEN_CC}, {"model", required_argument, NULL, CODEGEN_MODEL}, \
	{"platform", required_argument, NULL, CODEGEN_PLATFORM}, {"attach", required_argument, NULL, CODEGEN_ATTACH}
/* clang-format on */

struct codegen_words VEC(const char *);
struct codegen_sources VEC(struct evidence_source);

struct codegen_evidence {
	const char *dir; /* NULL: no pack is wanted */
	const char *requirements, *previous, *binary, *cc, *platform;
	struct codegen_words objects, models, attached;
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

/* Take option @c with its value; false: it is none of the pack's. */
bool codegen_evidence_option(struct codegen_evidence *e, int c, const char *value);

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
