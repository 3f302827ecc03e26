/* SPDX-License-Identifier: MIT */
/* Text that stands in a page, so that no name can be markup. */
#ifndef PERSEUS_LIB_HTML_HTML_H
#define PERSEUS_LIB_HTML_HTML_H

#include <stddef.h>

#include "lib/strbuf.h"

/*
 * Append @text (NULL: nothing) for the text of an element or a value in double
 * quotes.  What may not be shown (lib/shown.h) becomes '.'.
 */
void html_text(struct strbuf *out, const char *text);

/* The same of a name in a narrow place: it may be broken behind '_' and ':', which is no part of its text. */
void html_name(struct strbuf *out, const char *name);

/* Append a JSON document for a <script> element: '<', which JSON has in strings only, as \u003c. */
void html_json(struct strbuf *out, const char *json);

/* Where the document @id of the page @html begins, and its length; NULL: it has none, or that does not end. */
const char *html_document(const char *html, const char *id, size_t *len);

/* Append @len bytes in base64. */
void html_base64(struct strbuf *out, const void *data, size_t len);

#endif
