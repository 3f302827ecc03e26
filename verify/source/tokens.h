/* SPDX-License-Identifier: MIT */
/*
 * C source as tokens, constants in their places.  Of the preprocessor only
 * what generated code needs: #include "..." of files beside it, #define of
 * names for constants, #ifdef, #ifndef, #else, #endif, #error.
 */
#ifndef PERSEUS_VERIFY_SOURCE_TOKENS_H
#define PERSEUS_VERIFY_SOURCE_TOKENS_H

#include <stdbool.h>

#include "verify/base/input.h"

enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN, TOKEN_END };

struct token {
	enum token_kind kind;
	char *s;         /* NAME, TEXT without its quotes, SIGN; owned by the list */
	uint64_t number; /* NUMBER */
	uint32_t bits;   /* 32 or 64, of a NUMBER */
	uint32_t line;
	uint32_t file;
};

struct macro {
	char *name;
	size_t first, n; /* its tokens in `body` */
};

struct tokens {
	struct token *token; /* ended by TOKEN_END */
	size_t n;
	struct token *body;
	size_t n_body;
	struct macro *macro;
	size_t n_macros;
	char **file; /* those read, in order; 0 is the source */
	size_t n_files;
};

/* Read @path and what it includes; -1 with file and line of what is not understood.  Release in every case. */
int tokens_read(struct tokens *t, const char *path, struct fault *f);

/* Free the contents. */
void tokens_release(struct tokens *t);

#endif
