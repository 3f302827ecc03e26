/* SPDX-License-Identifier: MIT */
/* What was found, for people, as JSON, and as the files that use it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/tune/tune.h"
#include "lib/json.h"
#include "lib/num.h"
#include "tuner/search/front.h"

const char *tune_word(const struct tune_finding *f)
{
	if (!f->judged)
		return "default";
	return f->v.gain ? "gain" : "cannot tell";
}

const struct setting *tune_choice(const struct tune_finding *f)
{
	return &f->s->t.settings.at[f->judged && f->v.gain ? f->s->winner : 0].x;
}

bool tune_needs_joules(const struct tune_opts *o)
{
	bool any = o->objective != TUNE_TIME || (o->trade && !strcmp(o->trade, "joules"));

	for (size_t i = 0; i < o->limits.n; i++)
		any |= !strcmp(o->limits.at[i].name, "joules");
	return any;
}

/* A value of the objective: a time, or the command's own figure. */
static const char *tune_value(const struct tune_finding *f, double value, char *buf, size_t size)
{
	if (!f->o->figure && f->o->objective == TUNE_TIME)
		return num_time(buf, size, value);
	if (!f->o->figure) {
		snprintf(buf, size, "%.4g %s", value, f->o->objective == TUNE_ENERGY ? "J" : "J s");
		return buf;
	}
	snprintf(buf, size, "%s %.4g", f->o->figure, f->o->more ? 1 / value : value);
	return buf;
}

/* Winner to default; with --more, where what is least is one by the figure, of the figure itself. */
static void text_ratio(const struct tune_finding *f, struct strbuf *out)
{
	const struct signed_rank *r = &f->v.ratio;
	double low = f->o->more ? 1 / r->high : r->low, high = f->o->more ? 1 / r->low : r->high;

	if (f->o->more)
		strbuf_printf(out, "%s: the best found has %.3f times the %s of the default", tune_word(f),
			      1 / r->estimate, f->o->figure);
	else
		strbuf_printf(out, "%s: the best found takes %.3f of the default", tune_word(f), r->estimate);
	strbuf_printf(out, " (%.3f to ", low);
	strbuf_printf(out, isinf(high) ? "?" : "%.3f", high);
}

static void text_verdict(const struct tune_finding *f, struct strbuf *out)
{
	const struct verdict *v = &f->v;
	char a[64], b[64];

	if (!f->judged) {
		strbuf_puts(out, "default: no setting was better in the search\n");
		return;
	}
	if (v->end != TRIAL_OK) {
		strbuf_printf(out, "cannot tell: a run of the comparison was refused (%s)\n",
			      trial_ends[v->end]);
		return;
	}
	text_ratio(f, out);
	strbuf_printf(out, ", %lu fresh pairs, 1 %% of error on each side)\n", (unsigned long)v->pairs);
	strbuf_printf(out, "values: %s by default, %s with the best found (medians)\n",
		      tune_value(f, v->before, a, sizeof(a)), tune_value(f, v->after, b, sizeof(b)));
}

/* Effects in percent of a run, the largest first; what noise hides is called that. */
static void text_effects(const struct tune_finding *f, struct strbuf *out)
{
	double floor = tuner_floor(f->s);
	bool any = false;

	if (!f->s->effects)
		return;
	strbuf_puts(out, "matters:");
	for (double last = HUGE_VAL;;) {
		size_t next = SIZE_MAX;

		for (size_t j = 0; j < f->space->n_tunables; j++)
			if (f->s->effects[j] < last &&
			    (next == SIZE_MAX || f->s->effects[j] > f->s->effects[next]))
				next = j;
		if (next == SIZE_MAX || f->s->effects[next] <= floor)
			break;
		last = f->s->effects[next];
		strbuf_printf(out, "%s %s %.0f %%", any ? "," : "", f->space->tunables[next].name,
			      100 * last);
		any = true;
	}
	if (!any)
		strbuf_puts(out, " nothing that stands out of the noise");
	for (size_t j = 0, first = 1; any && j < f->space->n_tunables; j++)
		if (f->s->effects[j] <= floor) {
			strbuf_printf(out, "%s%s", first ? "; below the noise: " : ", ",
				      f->space->tunables[j].name);
			first = 0;
		}
	strbuf_printf(out, " (by the model; a run differs by %.1f %%)\n", 100 * f->s->t.sigma);
}

/* Settings that nobody beats in both figures. */
static void text_front(const struct tune_finding *f, struct strbuf *out)
{
	struct front front = VEC_INIT;
	char value[64];

	if (!f->o->trade)
		return;
	front_find(&f->s->t, &front);
	strbuf_printf(out, "front: what nobody beats in both, of %zu settings tried (means of the search):\n",
		      f->s->t.settings.n);
	for (size_t i = 0; i < front.n; i++) {
		const struct tried *s = &f->s->t.settings.at[front.at[i]];

		strbuf_printf(out, "  %s, %s %.4g: ", tune_value(f, exp(s->mean), value, sizeof(value)),
			      f->o->trade, s->other);
		space_words(f->space, &s->x, out);
		strbuf_puts(out, "\n");
	}
	vec_release(&front);
}

static const char *tune_end(const struct tuner *s)
{
	switch (s->end) {
	case TUNER_TRIALS:
		return "all trials were made";
	case TUNER_GAIN:
		return "no trial is expected to save more than itself";
	case TUNER_SPACE:
		return "all settings were tried";
	case TUNER_BROKEN:
		break;
	}
	return "the default fails";
}

void tune_text(const struct tune_finding *f, struct strbuf *out)
{
	size_t slow = tuner_count(f->s, TRIAL_SLOW), failed = 0;

	for (int end = TRIAL_CRASH; end < TRIAL_ENDS; end++)
		failed += tuner_count(f->s, (enum trial_end)end);
	text_verdict(f, out);
	strbuf_puts(out, "setting: ");
	space_words(f->space, tune_choice(f), out);
	strbuf_puts(out, f->judged && f->v.gain ? "\n" : " (the default)\n");
	if (f->judged && !f->v.gain) {
		strbuf_puts(out, "best found: ");
		space_words(f->space, &f->s->t.settings.at[f->s->winner].x, out);
		strbuf_puts(out, "\n");
	}
	text_front(f, out);
	text_effects(f, out);
	strbuf_printf(out,
		      "search: %lu runs of %zu settings of %.0f; %zu dropped, %zu stopped as slow, %zu "
		      "refused; %s\n",
		      (unsigned long)f->s->done, f->s->t.settings.n, space_size(f->space),
		      tuner_dropped(f->s), slow, failed, tune_end(f->s));
	if (f->lab->why.len) {
		strbuf_puts(out, "refused or stopped, the first of each kind:\n");
		for (const char *line = f->lab->why.s; *line;) {
			size_t len = strcspn(line, "\n");

			strbuf_printf(out, "  %.*s\n", (int)len, line);
			line += len + (line[len] == '\n');
		}
	}
	if (f->judged && f->v.end == TRIAL_OK && !f->v.gain)
		strbuf_puts(out, "next: more --confirm pairs on a quiet machine narrow the interval\n");
}

static void json_setting(const struct tune_finding *f, struct json *j, const char *key,
			 const struct setting *x)
{
	json_object(j, key);
	for (size_t i = 0; i < f->space->n_tunables; i++) {
		struct strbuf value = STRBUF_INIT;

		space_value(f->space, x, i, &value);
		json_string(j, f->space->tunables[i].name, value.s);
		strbuf_release(&value);
	}
	json_end(j);
}

static void json_front(const struct tune_finding *f, struct json *j)
{
	struct front front = VEC_INIT;

	if (!f->o->trade)
		return;
	front_find(&f->s->t, &front);
	json_string(j, "trade", f->o->trade);
	json_array(j, "front");
	for (size_t i = 0; i < front.n; i++) {
		const struct tried *s = &f->s->t.settings.at[front.at[i]];
		double value = exp(s->mean);

		json_object(j, NULL);
		json_double(j, "value", f->o->more ? 1 / value : value);
		json_double(j, "other", s->other);
		json_u64(j, "runs", s->n);
		json_setting(f, j, "setting", &s->x);
		json_end(j);
	}
	json_end(j);
	vec_release(&front);
}

void tune_json(const struct tune_finding *f, struct strbuf *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "verdict", tune_word(f));
	json_setting(f, &j, "setting", tune_choice(f));
	json_setting(f, &j, "best_found", &f->s->t.settings.at[f->s->winner].x);
	if (f->judged && f->v.end == TRIAL_OK) {
		json_double(&j, "ratio", f->v.ratio.estimate);
		json_double(&j, "ratio_low", f->v.ratio.low);
		json_double(&j, "ratio_high", f->v.ratio.high);
		json_u64(&j, "pairs", f->v.pairs);
		json_double(&j, "default_value", f->o->more ? 1 / f->v.before : f->v.before);
		json_double(&j, "best_value", f->o->more ? 1 / f->v.after : f->v.after);
	}
	json_object(&j, "effects");
	for (size_t i = 0; f->s->effects && i < f->space->n_tunables; i++)
		json_double(&j, f->space->tunables[i].name, f->s->effects[i]);
	json_end(&j);
	json_double(&j, "noise", f->s->t.sigma);
	json_double(&j, "settings", space_size(f->space));
	json_u64(&j, "tried", f->s->t.settings.n);
	json_u64(&j, "trials", f->s->done);
	json_u64(&j, "dropped", tuner_dropped(f->s));
	json_object(&j, "refused");
	for (int end = TRIAL_SLOW; end < TRIAL_ENDS; end++)
		json_u64(&j, trial_ends[end], tuner_count(f->s, (enum trial_end)end));
	json_end(&j);
	json_string(&j, "end", tune_end(f->s));
	json_front(f, &j);
	if (f->lab->builds.dir[0]) {
		json_u64(&j, "builds", f->lab->builds.known.n);
		json_u64(&j, "builds_used_again", f->lab->builds.used);
	}
	json_end(&j);
	strbuf_puts(out, "\n");
}

void tune_settings(const struct tune_finding *f, struct strbuf *out)
{
	for (size_t j = 0; j < f->space->n_tunables; j++) {
		strbuf_printf(out, "%s=", f->space->tunables[j].name);
		space_value(f->space, tune_choice(f), j, out);
		strbuf_puts(out, "\n");
	}
}

void tune_environment(const struct tune_finding *f, struct strbuf *out)
{
	for (size_t j = 0; j < f->space->n_tunables; j++) {
		const struct tunable *t = &f->space->tunables[j];
		struct strbuf value = STRBUF_INIT;

		space_value(f->space, tune_choice(f), j, &value);
		for (int own = 0; own <= !!t->environment; own++) {
			strbuf_printf(out, "export %s%s=", own ? "" : "PERSEUS_TUNE_",
				      own ? t->environment : t->name);
			strbuf_word(out, value.s);
			strbuf_puts(out, "\n");
		}
		strbuf_release(&value);
	}
}

void tune_header(const struct tune_finding *f, struct strbuf *out)
{
	strbuf_puts(out, "/* Settings found by perseus tune (");
	strbuf_puts(out, tune_word(f));
	strbuf_puts(out, "): constants for perseus/tunable.h.  Do not edit. */\n");
	for (size_t j = 0; j < f->space->n_tunables; j++) {
		strbuf_printf(out, "#define PERSEUS_TUNED_%s ", f->space->tunables[j].name);
		if (isnan(space_number(f->space, tune_choice(f), j))) {
			struct strbuf value = STRBUF_INIT;

			space_value(f->space, tune_choice(f), j, &value);
			json_quote(out, value.s);
			strbuf_release(&value);
		} else {
			space_value(f->space, tune_choice(f), j, out);
		}
		strbuf_puts(out, "\n");
	}
	strbuf_puts(out, "#define PERSEUS_TUNED_VALUE(name, otherwise) \\\n\t(");
	for (size_t j = 0; j < f->space->n_tunables; j++)
		if (!isnan(space_number(f->space, tune_choice(f), j)))
			strbuf_printf(out, "__builtin_strcmp(name, \"%s\") == 0 ? PERSEUS_TUNED_%s : \\\n\t ",
				      f->space->tunables[j].name, f->space->tunables[j].name);
	strbuf_puts(out, "(otherwise))\n");
}
