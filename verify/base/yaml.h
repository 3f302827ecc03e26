/* SPDX-License-Identifier: MIT */
/*
 * The canonical form of Perseus' documents, and nothing else of YAML: block
 * style with two blanks a level, `key: value`, lists of `- key: value`, one
 * line `{a: 1}` and `[1, 2]`, texts in double quotes, numbers and words bare.
 * Comments behind '#' are allowed, lines may end in CR LF.  No anchors, tags, multi-line texts.
 */
#ifndef PERSEUS_VERIFY_BASE_YAML_H
#define PERSEUS_VERIFY_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/base/input.h"

#define VYAML_NONE 0u /* no node: node 0 is the document, which is nobody's child */

enum vyaml_kind { VYAML_MAP, VYAML_LIST, VYAML_TEXT, VYAML_WORD };

struct vyaml_node {
	enum vyaml_kind kind;
	const char *key;  /* in a map, else NULL */
	const char *text; /* TEXT (decoded) and WORD */
	uint32_t bytes;   /* of a WORD */
	uint32_t line;
	uint32_t first; /* first child */
	uint32_t next;  /* next sibling */
	uint32_t n;     /* children */
	bool used;      /* asked for; see vyaml_unused() */
};

struct vyaml {
	const char *name; /* for messages */
	struct vyaml_node *node;
	size_t n;
};

/*
 * Parse @in, which is changed: texts are decoded in place and live as long as
 * it does.  -1 names line and reason.
 */
int vyaml_parse(struct vyaml *doc, const char *name, struct input *in, struct fault *f);

/* Child @key of map @map, VYAML_NONE if there is none. */
uint32_t vyaml_get(struct vyaml *doc, uint32_t map, const char *key);

/*
 * Child @key of @map as a number up to @max, as one of @words (NULL-ended), as
 * a text, as a list, as true or false.  @optional: an absent key is fine and
 * leaves *out as it was.  -1 names line, key and what was expected.
 */
int vyaml_number(struct vyaml *doc, uint32_t map, const char *key, bool optional, uint64_t max, uint64_t *out,
		 struct fault *f);
int vyaml_word(struct vyaml *doc, uint32_t map, const char *key, const char *const *words, uint32_t *out,
	       struct fault *f);
int vyaml_text(struct vyaml *doc, uint32_t map, const char *key, bool optional, const char **out,
	       struct fault *f);
int vyaml_list(struct vyaml *doc, uint32_t map, const char *key, bool optional, uint32_t *out,
	       struct fault *f);
int vyaml_bool(struct vyaml *doc, uint32_t map, const char *key, bool *out, struct fault *f);

/* Node @id, an element of a list, as a number up to @max. */
int vyaml_value(struct vyaml *doc, uint32_t id, uint64_t max, uint64_t *out, struct fault *f);

/* Child @key of @map as a decimal number that is finite and not negative. */
int vyaml_real(struct vyaml *doc, uint32_t map, const char *key, bool optional, double *out, struct fault *f);

/* -1 if some key of map @map was never asked for: a strict reader must not pass over what it does not know. */
int vyaml_unused(const struct vyaml *doc, uint32_t map, struct fault *f);

/* Free the nodes. */
void vyaml_release(struct vyaml *doc);

#endif
