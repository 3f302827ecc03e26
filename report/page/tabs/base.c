/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "lib/html/html.h"
#include "report/page/tabs/tabs.h"

void page_document(struct strbuf *out, const char *id, struct strbuf *json)
{
	strbuf_printf(out, "<script type=\"application/json\" id=\"%s\">", id);
	html_json(out, json->s ? json->s : "null");
	strbuf_puts(out, "</script>\n");
	strbuf_release(json);
}

void page_dense(struct strbuf *json)
{
	size_t n = 0;

	for (size_t i = 0; i < json->len; i++) {
		json->s[n++] = json->s[i];
		if (json->s[i] != '\n')
			continue;
		n--;
		while (json->s[i + 1] == ' ')
			i++;
	}
	json->len = n;
	if (json->s)
		json->s[n] = '\0';
}
