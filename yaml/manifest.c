/* SPDX-License-Identifier: MIT */
#include "yaml/manifest.h"

#include "yaml/tables.h"

static const char *const purposes[] = {"timing", "sharing", "denormal", NULL};
static const char *const statuses[] = {"running", "exited", "killed", "stopped", NULL};

static const struct schema_field module_fields[] = {
	F_STRING(struct manifest_module, path),
	F_STRING(struct manifest_module, key),
	F_HEX(struct manifest_module, build_id, 2, 128, OPTIONAL),
	F_HEX(struct manifest_module, sites_sha256, 64, 64, OPTIONAL),
	F_END,
};
static const struct schema module_schema = {"a module", sizeof(struct manifest_module), module_fields, false};

static const struct schema_field manifest_fields[] = {
	F_STRING(struct manifest, program),
	F_STRINGS(struct manifest, argv, OPTIONAL),
	F_HEX(struct manifest, trial, 64, 64, OPTIONAL),
	F_STRING(struct manifest, purpose, .words = purposes),
	F_STRING(struct manifest, status, .words = statuses),
	F_INT(struct manifest, exit_code, OPTIONAL, .max = 255),
	F_INT(struct manifest, signal, OPTIONAL, .max = 128),
	F_U64(struct manifest, wall_ns),
	F_U64(struct manifest, user_ns),
	F_U64(struct manifest, system_ns),
	F_U64(struct manifest, recorder_ns, OPTIONAL),
	F_U64(struct manifest, syscall_ns, OPTIONAL),
	F_U64(struct manifest, samples, OPTIONAL),
	F_U64(struct manifest, samples_runtime, OPTIONAL),
	F_U64(struct manifest, samples_watching, OPTIONAL),
	F_U64(struct manifest, samples_resting, OPTIONAL),
	F_U64(struct manifest, samples_counting, OPTIONAL),
	F_U64(struct manifest, samples_loading, OPTIONAL),
	F_U64(struct manifest, samples_taken, OPTIONAL),
	F_U64(struct manifest, sample_ns, OPTIONAL),
	F_U64(struct manifest, trace_bytes, OPTIONAL),
	F_U64(struct manifest, samples_user_only, OPTIONAL),
	F_U32(struct manifest, cores),
	F_STRING(struct manifest, cpu, OPTIONAL),
	F_U64(struct manifest, core_khz, OPTIONAL),
	F_U64(struct manifest, locked_ps, OPTIONAL),
	F_DOUBLE(struct manifest, load_before),
	F_LIST(struct manifest, modules, module_schema, OPTIONAL),
	F_END,
};
static const struct schema manifest_schema = {"a manifest", sizeof(struct manifest), manifest_fields, false};

static const struct schema_document document = {"manifest", MANIFEST_VERSION, &manifest_schema, NULL};

int manifest_load(struct manifest *m, const char *path, struct err *err)
{
	return document_load(&document, m, path, err);
}

int manifest_parse(struct manifest *m, const char *text, size_t len, const char *name, struct err *err)
{
	return document_parse(&document, m, text, len, name, err);
}

int manifest_save(const struct manifest *m, const char *path, struct err *err)
{
	return document_save(&document, m, path, err);
}

void manifest_text(const struct manifest *m, struct strbuf *out)
{
	document_text(&document, m, out);
}

void manifest_release(struct manifest *m)
{
	document_release(&document, m);
}
