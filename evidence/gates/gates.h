/* SPDX-License-Identifier: MIT */
/* The gates of a pack: each adds its verdicts, tools and files; -errno only where nothing can be run. */
#ifndef PERSEUS_EVIDENCE_GATES_GATES_H
#define PERSEUS_EVIDENCE_GATES_GATES_H

#include "evidence/pack/parts.h"
#include "evidence/pack/run.h"

/* The scratch folder with all that tools need, under relative names. */
struct gate_env {
	struct evidence *pack;
	struct run_place place;
};

int gate_compilers(struct gate_env *b, struct err *err);
int gate_misra(struct gate_env *b, struct err *err);
int gate_proof(struct gate_env *b, struct err *err);
int gate_stack(struct gate_env *b, struct err *err);
int gate_coverage(struct gate_env *b, struct err *err);
int gate_source(struct gate_env *b, struct err *err);
int gate_verify(struct gate_env *b, struct err *err);
int gate_plan(struct gate_env *b, struct err *err);
int gate_platform(struct gate_env *b, struct err *err);
int gate_object(struct gate_env *b, struct err *err);

/* Name of model @i in the pack; the caller frees it. */
char *evidence_model_name(size_t i);

/* Note the verdict of gate @name; @detail is taken over. */
void evidence_gate(struct evidence *p, const char *name, enum evidence_verdict verdict, struct strbuf *detail,
		   const char *file);

/* "TOOL is not installed (apt-get install PACKAGE)": a gate that did not run. */
void evidence_not_run(struct evidence *p, const char *name, const char *tool, const char *package,
		      const char *file);

/* Note a tool; NULL: unknown. */
void evidence_tool(struct evidence *p, const char *name, const char *version, const char *flags,
		   const char *use);

#endif
