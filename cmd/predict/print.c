/* SPDX-License-Identifier: MIT */
/* A prediction for people and as JSON: never without its interval, and what it rests on. */
#include <math.h>
#include <stdio.h>

#include "cmd/predict/predict.h"
#include "lib/json.h"
#include "lib/num.h"

static const char *figure_words(const struct task *t, double value, char *buf, size_t size)
{
	if (t->figure) {
		snprintf(buf, size, "%s %.4g", t->figure, value);
		return buf;
	}
	return num_time(buf, size, value);
}

static void place_words(const struct task *t, size_t n, const double *x, struct strbuf *out)
{
	for (size_t j = 0; j < n; j++)
		strbuf_printf(out, "%s%s=%.6g", j ? ", " : "", t->name[j], x[j]);
}

/* The logarithm of the product of all parameters: how large a probe is. */
static double size_of(const struct predict_finding *f, const struct probe *p)
{
	double sum = 0;

	for (size_t j = 0; j < f->task->params; j++)
		sum += log(p->x[j]);
	return sum;
}

/* The smallest or the largest probe among those that ended well; NULL: there is none. */
static const struct probe *extreme(const struct predict_finding *f, bool largest)
{
	const struct probe *found = NULL;

	for (size_t i = 0; i < f->probes.n; i++) {
		const struct probe *p = &f->probes.at[i];

		if (p->end == PROBE_OK && (!found || (largest ? size_of(f, p) > size_of(f, found)
							      : size_of(f, p) < size_of(f, found))))
			found = p;
	}
	return found;
}

/* Seconds of all probes. */
static double spent_seconds(const struct predict_finding *f)
{
	double sum = 0;

	for (size_t i = 0; i < f->probes.n; i++)
		sum += f->probes.at[i].seconds;
	return sum;
}

double predict_said(const struct predict_finding *f)
{
	return f->choice ? f->j->estimate.best : f->j->estimate.middle;
}

double predict_cost(const struct predict_finding *f)
{
	double sum = 0;

	for (size_t i = 0; i < f->probes.n; i++)
		sum += f->probes.at[i].end == PROBE_OK ? f->probes.at[i].figure : 0;
	return predict_said(f) > 0 ? 100 * sum / predict_said(f) : NAN;
}

void predict_share(double percent, char *buf, size_t size)
{
	if (percent < 0.1)
		snprintf(buf, size, "less than 0.1 %%");
	else if (percent < 10)
		snprintf(buf, size, "%.1f %%", percent);
	else
		snprintf(buf, size, "%.0f %%", percent);
}

static void text_prediction(const struct predict_finding *f, struct strbuf *out)
{
	const struct growth_estimate *e = &f->j->estimate;
	char a[64], b[64], c[64];

	if (f->j->refusal) {
		strbuf_printf(out, "no prediction: %s\n", f->j->reason);
		return;
	}
	strbuf_printf(out, "prediction: %s at ", figure_words(f->task, predict_said(f), a, sizeof(a)));
	place_words(f->task, f->task->params, f->target, out);
	strbuf_printf(out, " (90 %%: %s to %s", figure_words(f->task, e->low, b, sizeof(b)),
		      figure_words(f->task, e->high, c, sizeof(c)));
	if (f->choice)
		strbuf_printf(out, "; median %s", figure_words(f->task, e->middle, a, sizeof(a)));
	strbuf_puts(out, ")\n");
}

static void text_model(const struct predict_finding *f, struct strbuf *out)
{
	static const char *const by_count[] = {"count"};
	const struct judgement *j = f->j;

	if (!j->fit.models.n)
		return;
	strbuf_printf(out, "model: %s = ",
		      f->task->count    ? f->task->count
		      : f->task->figure ? f->task->figure
					: "seconds");
	growth_words(&j->fit.models.at[0], f->task->params, (const char *const *)f->task->name, out);
	if (j->fit.models.n > 1)
		strbuf_printf(out, " (%.0f %%), and %zu others that explain the probes",
			      100 * j->fit.models.at[0].weight, j->fit.models.n - 1);
	strbuf_puts(out, "\n");
	if (!j->by_count.models.n)
		return;
	strbuf_printf(out, "       %s = ", f->task->figure ? f->task->figure : "seconds");
	growth_words(&j->by_count.models.at[0], 1, by_count, out);
	strbuf_printf(out, " at %s %.4g\n", f->task->count, j->count);
}

/* What the probes cost of what is predicted, and how far that is from the largest of them. */
static void text_far(const struct predict_finding *f, const struct probe *most, struct strbuf *out)
{
	char share[64];

	predict_share(predict_cost(f), share, sizeof(share));
	strbuf_printf(out, ", %s of what is predicted; the target ", share);
	if (f->task->params == 1 && most)
		strbuf_printf(out, "has %.3g times the %s of the largest and ", f->target[0] / most->x[0],
			      f->task->name[0]);
	strbuf_printf(out, "takes %.3g times as much", f->j->beyond);
}

static void text_base(const struct predict_finding *f, struct strbuf *out)
{
	const struct probe *least = extreme(f, false), *most = extreme(f, true);
	char a[64];

	strbuf_printf(out, "rests on: %zu probes of %zu sizes", f->j->runs, f->j->sizes);
	if (least) {
		strbuf_puts(out, ", ");
		place_words(f->task, f->task->params, least->x, out);
		strbuf_puts(out, " to ");
		place_words(f->task, f->task->params, most->x, out);
	}
	strbuf_printf(out, ", %s in all", num_time(a, sizeof(a), spent_seconds(f)));
	if (f->j->estimate.middle > 0 && !f->j->refusal)
		text_far(f, most, out);
	if (f->j->spare) {
		predict_share(100 * f->j->noise, a, sizeof(a));
		strbuf_printf(out,
			      f->j->noise < 1e-6 ? "; runs of a size are alike\n" : "; a run varies by %s\n",
			      a);
	} else
		strbuf_puts(out, "; no size was run twice\n");
	if (f->j->left_out)
		strbuf_printf(out, "left out: the %zu size%s of the smallest figures, another regime\n",
			      f->j->left_out, f->j->left_out > 1 ? "s" : "");
}

/* What other tasks say, or how many there are. */
static void text_history(const struct predict_finding *f, struct strbuf *out)
{
	const struct history_line *l = f->choice ? &f->choice->line : NULL;

	if (l) {
		strbuf_printf(out, "history: %zu finished tasks with other inputs; %s follows %s at ", l->n,
			      f->task->figure ? f->task->figure : "the time",
			      f->task->count    ? f->task->count
			      : f->task->figure ? f->task->figure
						: "the time");
		place_words(f->task, f->history->sizes, f->choice->x, out);
		strbuf_printf(out, " ^ %.2f; each is foreseen by the others within %.2g %%\n", l->slope,
			      100 * (exp(l->foreseen) - 1));
	} else if (f->history) {
		strbuf_printf(
			out,
			"history: %zu finished task%s with other inputs of the %d that are needed: it is "
			"predicted by its own sizes\n",
			f->history->tasks.n, f->history->tasks.n == 1 ? "" : "s", HISTORY_LEAST);
	}
	if (f->history && f->history->unfinished + f->history->foreign)
		strbuf_printf(out,
			      "         %zu logs there have no run of the target, %zu are of other figures\n",
			      f->history->unfinished, f->history->foreign);
}

void predict_text(const struct predict_finding *f, struct strbuf *out)
{
	text_prediction(f, out);
	if (!f->j->refusal && !f->choice)
		text_model(f, out);
	text_history(f, out);
	text_base(f, out);
}

static void json_place(struct json *j, const struct task *t, const double *x, const char *key)
{
	json_object(j, key);
	for (size_t k = 0; k < t->params; k++)
		json_double(j, t->name[k], x[k]);
	json_end(j);
}

static void json_model(struct json *j, const struct predict_finding *f)
{
	struct strbuf words = STRBUF_INIT;

	if (!f->j->fit.models.n)
		return;
	growth_words(&f->j->fit.models.at[0], f->task->params, (const char *const *)f->task->name, &words);
	json_string(j, "model", words.s);
	json_double(j, "model_weight", f->j->fit.models.at[0].weight);
	json_u64(j, "models", f->j->fit.models.n);
	strbuf_release(&words);
	if (f->j->by_count.models.n)
		json_double(j, "count_at_target", f->j->count);
	json_object(j, "growth");
	for (size_t k = 0; k < f->task->params; k++)
		json_double(j, f->task->name[k], growth_slope(&f->j->fit, f->target, k));
	json_end(j);
}

void predict_json(const struct predict_finding *f, struct strbuf *out)
{
	const struct judgement *jm = f->j;
	struct json j;

	json_init(&j, out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "verdict", jm->refusal ? "no prediction" : "prediction");
	json_string(&j, "refusal", jm->refusal ? judge_refusals[jm->refusal] : NULL);
	json_string(&j, "reason", jm->refusal ? jm->reason : NULL);
	json_string(&j, "figure", f->task->figure ? f->task->figure : "seconds");
	json_string(&j, "count", f->task->count);
	json_place(&j, f->task, f->target, "target");
	json_double(&j, "predicted", jm->refusal ? NAN : predict_said(f));
	json_double(&j, "median", jm->refusal ? NAN : jm->estimate.middle);
	json_double(&j, "low", jm->refusal ? NAN : jm->estimate.low);
	json_double(&j, "high", jm->refusal ? NAN : jm->estimate.high);
	json_double(&j, "interval_percent", 90);
	json_string(&j, "method", f->choice ? "history" : "sizes");
	if (f->history)
		json_u64(&j, "finished_tasks", f->history->tasks.n);
	if (f->choice)
		json_double(&j, "history_error_percent", 100 * (exp(f->choice->line.foreseen) - 1));
	else if (!jm->refusal)
		json_model(&j, f);
	json_u64(&j, "probes", jm->runs);
	json_u64(&j, "sizes", jm->sizes);
	json_u64(&j, "sizes_left_out", jm->left_out);
	json_double(&j, "noise_percent", jm->spare ? 100 * jm->noise : NAN);
	json_double(&j, "beyond", jm->refusal ? NAN : jm->beyond);
	json_double(&j, "cost_percent", jm->refusal ? NAN : predict_cost(f));
	json_double(&j, "probe_seconds", spent_seconds(f));
	json_double(&j, "took", f->took > 0 ? f->took : NAN);
	json_end(&j);
	strbuf_puts(out, "\n");
}

void predict_line(const struct predict_finding *f, struct strbuf *out)
{
	const struct growth_estimate *e = &f->j->estimate;

	strbuf_printf(out, "%zu probes: ", f->j->runs);
	if (f->j->refusal)
		strbuf_printf(out, "no prediction (%s)\n", judge_refusals[f->j->refusal]);
	else
		strbuf_printf(out, "%.4g (90 %%: %.4g to %.4g)\n", predict_said(f), e->low, e->high);
}
