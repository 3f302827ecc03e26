/* SPDX-License-Identifier: MIT */
#include "lib/sarif/sarif.h"

#include <string.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

void sarif_begin(struct json *j, struct strbuf *out)
{
	json_init(j, out);
	json_object(j, NULL);
	json_string(j, "$schema", SCHEMA);
	json_string(j, "version", "2.1.0");
	json_array(j, "runs");
}

void sarif_end(struct json *j)
{
	json_end(j);
	json_end(j);
	strbuf_puts(j->out, "\n");
}

void sarif_text(struct json *j, const char *key, const char *value)
{
	json_object(j, key);
	json_string(j, "text", value);
	json_end(j);
}

/* A path as part of a URI: only what needs no quoting stays. */
static void uri_of(struct strbuf *sb, const char *path)
{
	if (*path == '/')
		strbuf_puts(sb, "file://");
	for (; *path; path++) {
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/+", *path))
			strbuf_add(sb, path, 1);
		else
			strbuf_printf(sb, "%%%02X", (unsigned char)*path);
	}
}

void sarif_place(struct json *j, const char *file, unsigned line, unsigned column)
{
	struct strbuf sb = STRBUF_INIT;

	uri_of(&sb, file);
	json_object(j, "physicalLocation");
	json_object(j, "artifactLocation");
	json_string(j, "uri", sb.s);
	if (*file != '/')
		json_string(j, "uriBaseId", "SRCROOT");
	json_end(j);
	if (line) {
		json_object(j, "region");
		json_u64(j, "startLine", line);
		if (column)
			json_u64(j, "startColumn", column);
		json_end(j);
	}
	json_end(j);
	strbuf_release(&sb);
}
