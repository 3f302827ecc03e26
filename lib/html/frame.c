/* SPDX-License-Identifier: MIT */
#include "lib/html/frame.h"

#include <stdio.h>

#include "lib/hash.h"
#include "lib/html/html.h"

HTML_ASSET(page_css, "lib/html/assets/page.css");
HTML_ASSET(page_js, "lib/html/assets/page.js");
HTML_ASSET(start_js, "lib/html/assets/start.js");

static const struct html_asset style = HTML_ASSET_OF(page_css), first = HTML_ASSET_OF(page_js),
			       last = HTML_ASSET_OF(start_js);

/* 'sha256-...' of an asset, as a policy names what may run. */
static void put_hash(struct strbuf *out, const struct html_asset *a)
{
	unsigned char raw[32];
	char hex[SHA256_HEX];
	unsigned byte;

	sha256_of(a->text, (size_t)(a->end - a->text), hex);
	for (size_t i = 0; i < sizeof(raw); i++) {
		sscanf(hex + 2 * i, "%2x", &byte);
		raw[i] = (unsigned char)byte;
	}
	strbuf_puts(out, " 'sha256-");
	html_base64(out, raw, sizeof(raw));
	strbuf_puts(out, "'");
}

static void put_policy(const struct html_frame *f, struct strbuf *out)
{
	strbuf_puts(out,
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src");
	put_hash(out, &first);
	for (size_t i = 0; i < f->n_scripts; i++)
		put_hash(out, &f->scripts[i]);
	put_hash(out, &last);
	if (f->also_from)
		strbuf_printf(out, " %s", f->also_from);
	strbuf_puts(out, "; style-src");
	put_hash(out, &style);
	strbuf_puts(out, "; base-uri 'none'; form-action 'none'\">\n");
}

static void put_asset(struct strbuf *out, const char *element, const struct html_asset *a)
{
	strbuf_printf(out, "<%s>", element);
	strbuf_add(out, a->text, (size_t)(a->end - a->text));
	strbuf_printf(out, "</%s>\n", element);
}

void html_frame_begin(const struct html_frame *f, struct strbuf *out)
{
	strbuf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	put_policy(f, out);
	strbuf_puts(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			 "<meta name=\"generator\" content=\"perseus " PERSEUS_VERSION "\">\n<title>");
	html_text(out, f->title);
	strbuf_puts(out, " - Perseus</title>\n");
	put_asset(out, "style", &style);
	strbuf_puts(out, "</head>\n<body>\n");
}

void html_frame_end(const struct html_frame *f, struct strbuf *out)
{
	put_asset(out, "script", &first);
	for (size_t i = 0; i < f->n_scripts; i++)
		put_asset(out, "script", &f->scripts[i]);
	put_asset(out, "script", &last);
	strbuf_puts(out, "</body>\n</html>\n");
}
