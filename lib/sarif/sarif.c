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

static void put_rules(struct json *j, const struct sarif_rule *rules, size_t n)
{
	json_array(j, "rules");
	for (size_t i = 0; i < n; i++) {
		json_object(j, NULL);
		json_string(j, "id", rules[i].id);
		json_string(j, "name", rules[i].name);
		sarif_text(j, "shortDescription", rules[i].text);
		json_object(j, "defaultConfiguration");
		json_string(j, "level", rules[i].level);
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void put_notes(struct json *j, const struct sarif_notes *list)
{
	for (size_t i = 0; i < list->n; i++) {
		json_object(j, NULL);
		json_string(j, "level", list->level);
		sarif_text(j, "message", list->at[i]);
		json_end(j);
	}
}

void sarif_run(struct json *j, const struct sarif_rule *rules, size_t n_rules, bool complete,
	       const struct sarif_notes *lists, size_t n_lists)
{
	json_object(j, NULL);
	json_object(j, "tool");
	json_object(j, "driver");
	json_string(j, "name", "Perseus");
	json_string(j, "version", PERSEUS_VERSION);
	put_rules(j, rules, n_rules);
	json_end(j);
	json_end(j);
	json_array(j, "invocations");
	json_object(j, NULL);
	json_bool(j, "executionSuccessful", complete);
	json_array(j, "toolExecutionNotifications");
	for (size_t i = 0; i < n_lists; i++)
		put_notes(j, &lists[i]);
	json_end(j);
	json_end(j);
	json_end(j);
	json_string(j, "columnKind", "utf16CodeUnits");
}
