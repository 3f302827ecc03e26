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

static int by_thread(const void *a, const void *b)
{
	const struct report_thread *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

int64_t page_thread(const struct report_summary *s, const struct run_process *p, uint32_t thread)
{
	struct report_thread key = {.process = p, .index = thread};
	const struct report_thread *at =
		bsearch(&key, s->threads, s->n_threads_listed, sizeof(*s->threads), by_thread);

	return at ? at - s->threads : -1;
}
