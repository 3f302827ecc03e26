/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A string that grows; the only container for generated text here. */
#ifndef PERSEUS_PLUGIN_TEXT_H
#define PERSEUS_PLUGIN_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Zero-filled is empty; s is NULL or 0-terminated, owned by the struct. */
struct text {
	char *s;
	size_t n, cap;
};

/* Append formatted text.  Ends the compiler if memory is short. */
void text_add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append @n bytes. */
void text_bytes(struct text *t, const char *s, size_t n);

/* Append a 0-terminated string. */
void text_str(struct text *t, const char *s);

/* Append @s as a field of .perseus.sites: control bytes and '\' as \xNN. */
void text_field(struct text *t, const char *s);

/* Append @s as what stands in the quotes of an assembler's string. */
void text_quoted(struct text *t, const char *s);

/* Empty it and keep the memory. */
void text_clear(struct text *t);

/* Free the contents; the struct is empty afterwards. */
void text_release(struct text *t);

/* The contents, "" if empty; valid until the next change. */
const char *text_get(const struct text *t);

/*
 * Open a file for reading that is a regular one: a pipe would be waited for,
 * and be empty for the next compilation.  NULL: *why says why, for a message.
 */
FILE *text_open(const char *path, const char **why);

/* All of the file @path, of *size bytes, with a NUL behind them; NULL: *why says why, for a message. */
char *text_read(const char *path, size_t *size, const char **why);

/* Undo %XX in place; false if a '%' is not followed by two hex digits, or by 00. */
bool text_undo_percent(char *s);

/*
 * The path @file as a field, mapped as -ffile-prefix-map= says; it lives as long as the compiler.  NULL stays
 * NULL.  All paths of struct where and struct fn_facts are of this form.
 */
const char *text_path(const char *file);

#endif
