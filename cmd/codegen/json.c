/* SPDX-License-Identifier: MIT */
/* `perseus codegen --json`, schema 1. */
#include "cmd/codegen/json.h"

#include <string.h>

#include "cmd/base/print.h"
#include "lib/hash.h"
#include "lib/json.h"

#define CODEGEN_SCHEMA 1

static uint64_t lines_of(const struct strbuf *text)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text->len; i++)
		n += text->s[i] == '\n';
	return n;
}

static void json_files(struct json *j, const struct codegen_output *out)
{
	char hex[SHA256_HEX];

	json_array(j, "files");
	for (int i = 0; i < CODEGEN_FILES; i++) {
		enum codegen_file file = (enum codegen_file)i;

		if (!out->file[i].len)
			continue;
		sha256_of(out->file[i].s, out->file[i].len, hex);
		json_object(j, NULL);
		json_string(j, "name", codegen_file_name(out->backend, file));
		json_string(j, "sha256", hex);
		json_u64(j, "lines", lines_of(&out->file[i]));
		json_bool(j, "library", codegen_is_library(file));
		json_end(j);
	}
	json_end(j);
}

static void json_notes(struct json *j, const char *notes)
{
	struct strbuf line = STRBUF_INIT;

	json_array(j, "notes");
	for (; notes && *notes; notes += strcspn(notes, "\n"), notes += *notes == '\n') {
		line.len = 0;
		strbuf_add(&line, notes, strcspn(notes, "\n"));
		json_string(j, NULL, line.s);
	}
	json_end(j);
	strbuf_release(&line);
}

void codegen_print_json(const struct codegen_input *in, const struct codegen_output *out, const char *dir)
{
	struct strbuf text = STRBUF_INIT;
	struct json j;

	json_init(&j, &text);
	json_object(&j, NULL);
	json_u64(&j, "schema", CODEGEN_SCHEMA);
	json_string(&j, "plan", in->plan_name);
	json_string(&j, "plan_sha256", in->sha256);
	json_string(&j, "wrote", dir);
	json_string(&j, "backend", codegen_backends[out->backend]);
	json_u64(&j, "settings", out->n_settings);
	json_u64(&j, "thread_starts", plan_thread_starts(in->plan));
	json_u64(&j, "call_triggers", plan_call_triggers(in->plan));
	json_u64(&j, "threads", out->n_threads);
	json_u64(&j, "creating_sites", out->n_creates);
	json_files(&j, out);
	json_notes(&j, out->notes.s);
	json_end(&j);
	cmd_put(stdout, text.s);
	strbuf_release(&text);
}
