/* SPDX-License-Identifier: MIT */
/*
 * C and C++ sources as text: tokens, and the places of declarations.  Nothing
 * is preprocessed; what macros make is not found, and callers say so.
 */
#ifndef PERSEUS_LIB_SOURCE_SOURCE_H
#define PERSEUS_LIB_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define SOURCE_NONE SIZE_MAX
#define SOURCE_MAX  ((size_t)8 << 20) /* bytes of a source */

enum token_kind {
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_TEXT,      /* string or character */
	TOKEN_SIGN,      /* one character, or "::", "->" */
	TOKEN_DIRECTIVE, /* a preprocessor line with its continuations */
};

struct token {
	size_t at, len; /* in the text */
	size_t match;   /* of a bracket: its other end, else SOURCE_NONE */
	uint32_t line;  /* from 1 on */
	enum token_kind kind;
};

struct source {
	char *path; /* as opened */
	char *text; /* NUL behind */
	size_t len;
	struct token *at; /* comments are left out */
	size_t n;
	size_t cap;
	bool cxx; /* C++ by its name; a header ".h" is not */
};

/* Read and cut up @path (at most SOURCE_MAX bytes); fails as fs_read(). */
int source_read(struct source *s, const char *path, struct err *err);

/* The same of text in memory, copied. */
void source_parse(struct source *s, const char *path, const char *text, size_t len);
void source_release(struct source *s);

/* True if @path ends as C++ sources and headers do. */
bool source_is_cxx(const char *path);

/* True if @path ends as Fortran sources do. */
bool source_is_fortran(const char *path);

/* True if token @i is the word or sign @text. */
bool source_is(const struct source *s, size_t i, const char *text);

/* True if it is one of @words, the last of which is NULL. */
bool source_is_any(const struct source *s, size_t i, const char *const *words);

/* True for a word of two characters or more, all in capitals. */
bool source_is_capitals(const struct source *s, size_t i);

/* True if token @i is a word. */
bool source_is_word(const struct source *s, size_t i);

/* The token that closes the bracket at @i, or opens the one closed there; SOURCE_NONE: none does. */
size_t source_match(const struct source *s, size_t i);

/* The last token of the first argument behind the "<" at @i, of those before @end; SOURCE_NONE. */
size_t source_arg_end(const struct source *s, size_t i, size_t end);

/*
 * Past attributes at token @i: __attribute__((..)), alignas(..), [[..]], and
 * what looks like a macro for them, PACKED or ALIGNED(64), if a declared name stands in front.
 */
size_t source_past_attributes(const struct source *s, size_t i);

/*
 * The first number among tokens @from to @to, outside of braces, that asks for an
 * alignment below @bytes: alignas(16), __attribute__((aligned(16))).  SOURCE_NONE: none.
 */
size_t source_weak_alignment(const struct source *s, size_t from, size_t to, unsigned bytes);

/* A struct, class or union with its members written out. */
struct source_struct {
	size_t keyword;     /* "struct" */
	size_t open, close; /* its braces */
	size_t end;         /* the ';' */
	size_t tag;         /* its name, or SOURCE_NONE */
	bool is_typedef;
	bool is_template;
	bool derived; /* has a base class */
	bool aligned; /* by an attribute of its own */
};

/* The next definition of a struct from token *@i on, which moves behind its '{'; false: none. */
bool source_next_struct(const struct source *s, size_t *i, struct source_struct *out);

/* "job" in "struct pool<int>::job<long> [4]", @len bytes. */
const char *source_last_name(const char *name, size_t *len);

/* True if @t gives the type @name ("job", "struct job", "pool::job", "ring<int>"): by its tag or as a typedef. */
bool source_struct_named(const struct source *s, const struct source_struct *t, const char *name);

/* A member of a struct, or a variable: one declarator of a declaration. */
struct source_member {
	size_t name;             /* token */
	size_t first, end;       /* first token of the declaration, its ';' */
	size_t segment;          /* first token behind the ',' or of the declaration */
	size_t declarator, last; /* first and last token of this declarator, with its '*' and initialiser */
	unsigned number, of;     /* this is declarator number (from 0 on) of so many */
	size_t value;            /* '=' or '{' of its initialiser, or SOURCE_NONE */
	bool bit_field, odd;     /* odd: a pointer to a function, or something else not understood */
	bool flexible;           /* an array without bound */
	struct source_struct inner; /* its struct if that is written out here, else open == SOURCE_NONE */
};

struct source_members {
	struct source_member *at;
	size_t n;
	size_t cap;
	bool conditional; /* #if or the like stands between the braces */
	bool hidden;      /* private or protected members */
	bool special;     /* functions, static members: not a plain struct */
};

/* The members between two braces, those of unnamed structs inside among them. */
void source_members(const struct source *s, size_t open, size_t close, struct source_members *out);
void source_members_release(struct source_members *m);

/* The member called @name of @len bytes, or NULL. */
const struct source_member *source_member(const struct source *s, const struct source_members *m,
					  const char *name, size_t len);

/*
 * The declaration of variable @name whose name stands on @line: all its
 * declarators into @out; returns the variable's number, SOURCE_NONE: none
 * there.
 */
size_t source_find_variable(const struct source *s, const char *name, uint32_t line,
			    struct source_members *out);

/* The same for a local variable of the function whose name stands on @line. */
size_t source_find_local(const struct source *s, const char *name, uint32_t line, struct source_members *out);

/* The bracket '}' that closes the block token @i is in; SOURCE_NONE: file level. */
size_t source_block_end(const struct source *s, size_t i);

/* White space in front of token @i on its line; owned by the caller. */
char *source_indent(const struct source *s, size_t i);

/* The text from token @from up to and with @to; owned by the caller. */
char *source_piece(const struct source *s, size_t from, size_t to);

#endif
