/* SPDX-License-Identifier: MIT */
/*
 * energy.yaml: which power a machine draws at which rates of events, how well that
 * is known, and where.  perseus-energy(5) describes the document.
 */
#ifndef PERSEUS_YAML_ENERGY_H
#define PERSEUS_YAML_ENERGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"

#define ENERGY_VERSION 1

/* What the certificate says of an event. */
enum energy_state {
	ENERGY_GOOD,
	ENERGY_ZERO,         /* never counted anything */
	ENERGY_CONSTANT,     /* the same in each row */
	ENERGY_DUPLICATE,    /* a multiple of `of` */
	ENERGY_NOT_ADDITIVE, /* A then B counts something else than A and B */
	ENERGY_COLLINEAR,    /* the others say nearly the same */
	ENERGY_UNSTABLE,     /* the sign of its weight depends on which programs were run */
	ENERGY_MULTIPLEXED,  /* counted for a part of the time only */
	ENERGY_STATES
};

/* "good", "zero", ... */
extern const char *const energy_states[];

struct energy_event {
	char *name;
	enum energy_state state;
	char *of;          /* of a duplicate; else NULL */
	bool used;         /* offered to the models */
	double vif;        /* variance inflation; 0: not known */
	double positive;   /* part of resampled fits in which its weight is above 0 */
	double additivity; /* relative error, 0: not known */
};

/* Errors of rows whose group took no part in the fit; parts of the measured power. */
struct energy_error {
	char *by; /* "program", "family", "cores", "given" */
	uint64_t rows, groups;
	double mean, median, p95, bias; /* bias: signed mean */
	double worst;                   /* mean of the worst program */
	char *worst_program;
	double run, run_worst; /* joules of whole runs: mean and worst */
};

/* One linear model: W = constant + sum of weight x term. */
struct energy_model {
	double mhz;  /* 0: of no known frequency */
	bool scaled; /* of all frequencies: terms are event x V^2, V, V^2 x GHz */
	uint64_t rows;
	double constant;
	double *weights;                /* by used event, then the voltage terms */
	double *mean, *sd, *low, *high; /* of the terms in training */
	double *precision;              /* inverse of their correlations, lower triangle by rows */
	size_t n_weights, n_mean, n_sd, n_low, n_high, n_precision;
	double rss;      /* sum of squared residuals of the fit, W^2 */
	double training; /* mean error on its rows */
	double distance; /* beyond it a row is an extrapolation */
	double interval; /* an estimate holds within +- this part in 95 of 100 rows of foreign programs */
	struct energy_error *errors;
	size_t n_errors;
};

struct energy {
	char *source; /* the table */
	char *source_sha256;
	char *columns; /* which of them was taken for what */
	char *method;  /* "nnls", "ols", "ridge" */
	char *per;     /* events count by the "second" or by the "row" */
	uint64_t rows;
	uint32_t programs;
	struct energy_event *events;
	size_t n_events;
	struct energy_model *models;
	size_t n_models;
};

int energy_load(struct energy *e, const char *path, struct err *err);
int energy_parse(struct energy *e, const char *text, size_t len, const char *name, struct err *err);
int energy_save(const struct energy *e, const char *path, struct err *err);
void energy_text(const struct energy *e, struct strbuf *out);
void energy_release(struct energy *e);

/* Number of events that are offered to the models. */
size_t energy_used(const struct energy *e);

#endif
