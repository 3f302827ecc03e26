/* SPDX-License-Identifier: MIT */
#include "yaml/energy.h"

#include <stdio.h>

#include "yaml/doc.h"
#include "yaml/tables.h"

const char *const energy_states[] = {"good",      "zero",     "constant",    "duplicate", "not-additive",
				     "collinear", "unstable", "multiplexed", NULL};

static const char *const units[] = {"second", "row", NULL};
static const char *const methods[] = {"nnls", "ols", "ridge", "robust", NULL};
static const char *const groups[] = {"program", "family", "cores", "given", NULL};

#define SIGNED .flags = SCHEMA_SIGNED

static const struct schema_field event_fields[] = {
	F_STRING(struct energy_event, name),
	F_ENUM(struct energy_event, state, energy_states),
	F_STRING(struct energy_event, of, OPTIONAL),
	F_BOOL(struct energy_event, used),
	F_DOUBLE(struct energy_event, vif, OPTIONAL),
	F_DOUBLE(struct energy_event, positive, .max = 1, OPTIONAL),
	F_DOUBLE(struct energy_event, additivity, OPTIONAL),
	F_END,
};
static const struct schema event_schema = {"an event", sizeof(struct energy_event), event_fields, true};

static const struct schema_field error_fields[] = {
	F_STRING(struct energy_error, by, .words = groups),
	F_U64(struct energy_error, rows),
	F_U64(struct energy_error, groups),
	F_DOUBLE(struct energy_error, mean),
	F_DOUBLE(struct energy_error, median),
	F_DOUBLE(struct energy_error, p95),
	F_DOUBLE(struct energy_error, bias, SIGNED),
	F_DOUBLE(struct energy_error, worst),
	F_STRING(struct energy_error, worst_program),
	F_DOUBLE(struct energy_error, run),
	F_DOUBLE(struct energy_error, run_worst),
	F_END,
};
static const struct schema error_schema = {"an error", sizeof(struct energy_error), error_fields, true};

static const struct schema_field model_fields[] = {
	F_DOUBLE(struct energy_model, mhz, OPTIONAL),
	F_BOOL(struct energy_model, scaled, OPTIONAL),
	F_U64(struct energy_model, rows),
	F_DOUBLE(struct energy_model, constant, SIGNED),
	F_REALS(struct energy_model, weights),
	F_REALS(struct energy_model, mean),
	F_REALS(struct energy_model, sd),
	F_REALS(struct energy_model, low),
	F_REALS(struct energy_model, high),
	F_REALS(struct energy_model, precision),
	F_DOUBLE(struct energy_model, rss),
	F_DOUBLE(struct energy_model, training),
	F_DOUBLE(struct energy_model, distance),
	F_DOUBLE(struct energy_model, interval, OPTIONAL),
	F_LIST(struct energy_model, errors, error_schema, OPTIONAL),
	F_END,
};
static const struct schema model_schema = {"a model", sizeof(struct energy_model), model_fields, false};

static const struct schema_field energy_fields[] = {
	F_STRING(struct energy, source),
	F_HEX(struct energy, source_sha256, 64, 64, OPTIONAL),
	F_STRING(struct energy, columns, OPTIONAL),
	F_STRING(struct energy, method, .words = methods),
	F_STRING(struct energy, per, .words = units),
	F_U64(struct energy, rows),
	F_U32(struct energy, programs),
	F_LIST(struct energy, events, event_schema),
	F_LIST(struct energy, models, model_schema),
	F_END,
};
static const struct schema energy_schema = {"an energy model", sizeof(struct energy), energy_fields, false};

size_t energy_used(const struct energy *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_events; i++)
		n += e->events[i].used;
	return n;
}

/* Each model has as many figures as it has terms. */
static int energy_check_terms(const struct doc *d, void *obj, struct err *err)
{
	const struct energy *e = obj;
	size_t used = energy_used(e);

	for (size_t i = 0; i < e->n_models; i++) {
		const struct energy_model *m = &e->models[i];
		size_t terms = m->scaled ? used + 2 : used;
		char path[64];

		snprintf(path, sizeof(path), "models.%zu", i);
		if (m->n_weights != terms || m->n_mean != terms || m->n_sd != terms || m->n_low != terms ||
		    m->n_high != terms || m->n_precision != terms * (terms + 1) / 2)
			return doc_fail(
				d, doc_at(d, path), err,
				"a model of %zu terms needs as many weights, means, sd, low and high, "
				"and %zu figures of precision",
				terms, terms * (terms + 1) / 2);
		for (size_t j = 0; j < i; j++)
			if (e->models[j].mhz == m->mhz && e->models[j].scaled == m->scaled)
				return doc_fail(d, doc_at(d, path), err, "a second model for %g MHz", m->mhz);
	}
	return 0;
}

static const struct schema_document document = {"energy", ENERGY_VERSION, &energy_schema, energy_check_terms};

int energy_load(struct energy *e, const char *path, struct err *err)
{
	return document_load(&document, e, path, err);
}

int energy_parse(struct energy *e, const char *text, size_t len, const char *name, struct err *err)
{
	return document_parse(&document, e, text, len, name, err);
}

int energy_save(const struct energy *e, const char *path, struct err *err)
{
	return document_save(&document, e, path, err);
}

void energy_text(const struct energy *e, struct strbuf *out)
{
	document_text(&document, e, out);
}

void energy_release(struct energy *e)
{
	document_release(&document, e);
}
