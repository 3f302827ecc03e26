/* SPDX-License-Identifier: MIT */
/* Models of power, for people and for programs. */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/energy/energy.h"
#include "lib/json.h"
#include "lib/num.h"

#define ENERGY_SCHEMA 1

static void name_model(char *buf, size_t size, const struct energy_model *m)
{
	if (m->scaled)
		snprintf(buf, size, "all, by V^2");
	else if (m->mhz > 0)
		snprintf(buf, size, "%g MHz", m->mhz);
	else
		snprintf(buf, size, "any");
}

/* The error that a reader should go by: of other programs. */
static const struct energy_error *main_error(const struct energy_model *m)
{
	return m->n_errors ? &m->errors[0] : NULL;
}

static void print_answer(FILE *out, const struct energy *e)
{
	double low = 1e9, high = 0;

	for (size_t i = 0; i < e->n_models; i++) {
		const struct energy_error *error = main_error(&e->models[i]);

		if (!error)
			continue;
		low = error->mean < low ? error->mean : low;
		high = error->mean > high ? error->mean : high;
	}
	if (high < low)
		cmd_say(out, "power     not tested on other programs: too few of them\n");
	else if (high - low < 0.0005)
		cmd_say(out, "power     of programs that took no part within %.1f %% on average\n",
			high * 100);
	else
		cmd_say(out, "power     of programs that took no part within %.1f to %.1f %% on average\n",
			low * 100, high * 100);
	cmd_say(out, "data      %s: %" PRIu64 " rows of %" PRIu32 " programs, counts per %s, method %s\n",
		e->source, e->rows, e->programs, e->per, e->method);
	if (e->columns)
		cmd_say(out,
			e->n_events == 1 ? "columns   %s; the other one is an event\n"
					 : "columns   %s; the other %zu are events\n",
			e->columns, e->n_events);
}

static void print_models(FILE *out, const struct energy *e)
{
	cmd_say(out, "%-13s %8s  %-8s %6s %6s %6s %7s  %6s %s\n", "frequency", "rows", "left out", "mean",
		"95 %", "bias", "runs", "worst", "program");
	for (size_t i = 0; i < e->n_models; i++) {
		const struct energy_model *m = &e->models[i];
		char name[32];

		name_model(name, sizeof(name), m);
		for (size_t j = 0; j < m->n_errors; j++) {
			const struct energy_error *x = &m->errors[j];

			cmd_say(out, "%-13s %8" PRIu64 "  %-8s %6.2f %6.1f %+6.1f %7.2f  %6.1f %s\n",
				j ? "" : name, x->rows, x->by, x->mean * 100, x->p95 * 100, x->bias * 100,
				x->run * 100, x->worst * 100, x->worst_program);
		}
		if (m->interval > 0)
			cmd_say(out,
				"%-13s holds within +- %.1f %%; its own rows: %.2f %% (no measure of use)\n",
				"", m->interval * 100, m->training * 100);
		else
			cmd_say(out,
				"%-13s how far it holds is not known: fewer than three programs were left "
				"out\n",
				m->n_errors ? "" : name);
	}
	cmd_put(out, "Errors in percent of the measured power; runs: of their joules.\n");
}

static void print_event(FILE *out, const struct energy_event *v)
{
	cmd_say(out, "%-24s %-12s", v->name, energy_states[v->state]);
	if (v->vif > 0)
		cmd_say(out, " %8.1f %7.0f %%", v->vif, v->positive * 100);
	if (v->of)
		cmd_say(out, " of %s", v->of);
	if (v->additivity > 0)
		cmd_say(out, "  sums off by %.1f %%", v->additivity * 100);
	cmd_put(out, v->used ? "\n" : "   left out\n");
}

static void print_weights(FILE *out, const struct energy *e, const struct energy_model *m)
{
	static const char *const voltage[] = {"V", "V^2 x GHz"};
	char name[32];
	size_t n = 0;

	name_model(name, sizeof(name), m);
	cmd_say(out, "weights   %s: constant %.6g W\n", name, m->constant);
	for (size_t i = 0; i < e->n_events; i++)
		if (e->events[i].used)
			cmd_say(out, "    %-24s %13.6g W per event and %s%s\n", e->events[i].name,
				m->weights[n++], e->per, m->scaled ? " and V^2" : "");
	for (size_t i = n; i < m->n_weights; i++)
		cmd_say(out, "    %-24s %13.6g W\n", voltage[i - n], m->weights[i]);
}

void energy_print(FILE *out, const struct energy *e, bool verbose)
{
	size_t doubtful = 0;

	print_answer(out, e);
	print_models(out, e);
	for (size_t i = 0; i < e->n_events; i++)
		doubtful += e->events[i].state != ENERGY_GOOD;
	cmd_say(out, "events    %zu of %zu used, %zu with a mark%s\n", energy_used(e), e->n_events, doubtful,
		verbose || !doubtful ? "" : " (--verbose)");
	if (!verbose)
		return;
	cmd_say(out, "%-24s %-12s %8s %9s\n", "event", "certificate", "VIF", "positive");
	for (size_t i = 0; i < e->n_events; i++)
		print_event(out, &e->events[i]);
	for (size_t i = 0; i < e->n_models; i++)
		print_weights(out, e, &e->models[i]);
}

/* ---- JSON ---- */

static void json_error(struct json *j, const char *key, const struct energy_error *x)
{
	json_object(j, key);
	json_string(j, "by", x->by);
	json_u64(j, "rows", x->rows);
	json_u64(j, "groups", x->groups);
	json_double(j, "mean", x->mean);
	json_double(j, "median", x->median);
	json_double(j, "p95", x->p95);
	json_double(j, "bias", x->bias);
	json_double(j, "worst", x->worst);
	json_string(j, "worst_program", x->worst_program);
	json_double(j, "run", x->run);
	json_double(j, "run_worst", x->run_worst);
	json_end(j);
}

static void json_event(struct json *j, const struct energy_event *v)
{
	json_object(j, NULL);
	json_string(j, "name", v->name);
	json_string(j, "state", energy_states[v->state]);
	json_string(j, "of", v->of);
	json_bool(j, "used", v->used);
	json_double(j, "vif", v->vif);
	json_double(j, "positive", v->positive);
	json_double(j, "additivity", v->additivity);
	json_end(j);
}

static void json_model(struct json *j, const struct energy_model *m)
{
	json_object(j, NULL);
	json_double(j, "mhz", m->mhz);
	json_bool(j, "scaled", m->scaled);
	json_u64(j, "rows", m->rows);
	json_double(j, "constant", m->constant);
	json_array(j, "weights");
	for (size_t i = 0; i < m->n_weights; i++)
		json_double(j, NULL, m->weights[i]);
	json_end(j);
	json_double(j, "rss", m->rss);
	json_double(j, "training", m->training);
	json_double(j, "interval", m->interval);
	json_array(j, "errors");
	for (size_t i = 0; i < m->n_errors; i++)
		json_error(j, NULL, &m->errors[i]);
	json_end(j);
	json_end(j);
}

void energy_print_json(const struct energy *e)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", ENERGY_SCHEMA);
	json_string(&j, "source", e->source);
	json_string(&j, "columns", e->columns);
	json_string(&j, "method", e->method);
	json_string(&j, "per", e->per);
	json_u64(&j, "rows", e->rows);
	json_u64(&j, "programs", e->programs);
	json_array(&j, "events");
	for (size_t i = 0; i < e->n_events; i++)
		json_event(&j, &e->events[i]);
	json_end(&j);
	json_array(&j, "models");
	for (size_t i = 0; i < e->n_models; i++)
		json_model(&j, &e->models[i]);
	json_end(&j);
	json_end(&j);
	cmd_put(stdout, sb.s);
	cmd_put(stdout, "\n");
	strbuf_release(&sb);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* The name of a term, the events that are used first. */
static const char *term_name(const struct energy *e, size_t term)
{
	for (size_t i = 0; i < e->n_events; i++)
		if (e->events[i].used && !term--)
			return e->events[i].name;
	return "voltage";
}

void energy_print_check(const struct energy *e, const struct energy_check *c)
{
	cmd_print("check     %.1f %% of %" PRIu64 " row%s within the interval or marked as extrapolation\n",
		  percent(c->held, c->rows), c->rows, c->rows == 1 ? " is" : "s are");
	if (c->inside.rows)
		cmd_print("inside    %" PRIu64
			  " row%s like those of training: mean error %.2f %% (bias %+.1f %%), the "
			  "interval holds %.1f %%\n",
			  c->inside.rows, c->inside.rows == 1 ? "" : "s", c->inside.mean * 100,
			  c->inside.bias * 100, percent(c->within, c->inside.rows));
	cmd_print("outside   %" PRIu64 " row%s (%.1f %%) %s\n", c->extrapolated,
		  c->extrapolated == 1 ? "" : "s", percent(c->extrapolated, c->rows),
		  c->extrapolated == 1 ? "is an extrapolation" : "are extrapolations");
	for (size_t i = 0; i < sizeof(c->by_term) / sizeof(*c->by_term); i++)
		if (c->by_term[i])
			cmd_print("          %10" PRIu64 "  %s beyond its range\n", c->by_term[i],
				  term_name(e, i));
	if (c->by_distance)
		cmd_print("          %10" PRIu64 "  together unlike any row of training\n", c->by_distance);
	if (c->by_frequency)
		cmd_print("          %10" PRIu64 "  at a frequency that has no model\n", c->by_frequency);
	cmd_print("all       mean error %.2f %%, bias %+.1f %%; worst %s: %.1f %%; joules of runs: %.2f %%\n",
		  c->all.mean * 100, c->all.bias * 100, c->all.worst_program, c->all.worst * 100,
		  c->all.run * 100);
}

void energy_print_check_json(const struct energy *e, const struct energy_check *c)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", ENERGY_SCHEMA);
	json_u64(&j, "rows", c->rows);
	json_u64(&j, "held", c->held);
	json_u64(&j, "extrapolated", c->extrapolated);
	json_u64(&j, "within", c->within);
	json_object(&j, "extrapolated_by");
	for (size_t i = 0; i < sizeof(c->by_term) / sizeof(*c->by_term); i++)
		if (c->by_term[i])
			json_u64(&j, term_name(e, i), c->by_term[i]);
	json_u64(&j, "distance", c->by_distance);
	json_u64(&j, "frequency", c->by_frequency);
	json_end(&j);
	json_error(&j, "all", &c->all);
	json_error(&j, "inside", &c->inside);
	json_end(&j);
	cmd_put(stdout, sb.s);
	cmd_put(stdout, "\n");
	strbuf_release(&sb);
}
