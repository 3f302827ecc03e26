/* SPDX-License-Identifier: MIT */
/* What all models say together. */
#include <math.h>

#include "predictor/model/growth.h"

#define OF_TURN                                                                                              \
	5.0 /* how far an exponent turns behind the probes, of the drift of a level and half its scatter */
#define LEAST 3e-4 /* scatter behind the probes, whatever it is among them */

/* What each coefficient is multiplied by at @x; the value. */
static double parts_of(const struct growth_model *m, size_t params, const double *x, double *part)
{
	double value = 0;

	for (size_t k = 0; k < m->n; k++) {
		part[k] = k < m->terms ? growth_term_value(&m->term[k], params, x) : 1;
		value += m->coefficient[k] * part[k];
	}
	return value;
}

/* Of the values with the parts @a and @b. */
static double covariance_of(const struct growth_model *m, const double *a, const double *b)
{
	double sum = 0;

	for (size_t k = 0; k < m->n; k++)
		for (size_t l = 0; l < m->n; l++)
			sum += a[k] * b[l] * m->covariance[k][l];
	return sum;
}

double growth_model_value(const struct growth_model *m, size_t params, const double *x, double *sd)
{
	double part[GROWTH_TERMS + 1], value = parts_of(m, params, x, part),
				       variance = covariance_of(m, part, part);

	if (sd)
		*sd = value > 0 ? sqrt(fmax(variance, 0)) / value : INFINITY;
	return value;
}

/* One model's view of one more run at a place: Student's t of the logarithm. */
struct view {
	double ln, sd, weight;
};

struct views VEC(struct view);

/*
 * The variance at a figure of @ln that no probe tells of: of a size and a run for themselves, of the walk from the
 * largest probe on, and of an exponent that changes.  What the probes follow exactly will hardly change.
 */
static double own_variance(const struct growth_fit *f, const struct growth_model *m, double ln)
{
	double far = fmax(ln - f->last, 0), scatter = fmax(m->scatter, LEAST),
	       turn = fmin(f->turn, OF_TURN * fmax(scatter / 2, m->drift)) * far;

	return f->noise + scatter * scatter + m->drift * m->drift * far + turn * turn;
}

static struct views views_of(const struct growth_fit *f, const double *x, double extra)
{
	struct views v = VEC_INIT;

	for (size_t i = 0; i < f->models.n; i++) {
		const struct growth_model *m = &f->models.at[i];
		double sd, value = growth_model_value(m, f->params, x, &sd);
		struct view *to;

		if (!(value > 0) || !isfinite(sd))
			continue;
		to = vec_add(&v);
		to->ln = log(value);
		to->sd = sqrt(sd * sd + own_variance(f, m, to->ln) + extra);
		to->weight = m->weight;
	}
	return v;
}

/*
 * Student's t of 8 degrees of freedom, for no model is quite right, and no noise is quite normal: the share below @t.
 * Closed for an even number of degrees (Abramowitz and Stegun, 26.7.4); of any number, GSL takes 20 times as long.
 */
static double t8_below(double t)
{
	double inverse = 1 / (t * t + 8), c = 8 * inverse;

	if (inverse == 0)
		return t > 0;
	return 0.5 + 0.5 * t * sqrt(inverse) * (1 + c * (1 / 2.0 + c * (3 / 8.0 + c * (5 / 16.0))));
}

static double views_below(const struct views *v, double ln)
{
	double below = 0, all = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct view *at = &v->at[i];

		below += at->weight * t8_below((ln - at->ln) / at->sd);
		all += at->weight;
	}
	return all > 0 ? below / all : 0;
}

static double views_quantile(const struct views *v, double q)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < v->n; i++) {
		low = fmin(low, v->at[i].ln - 20 * v->at[i].sd);
		high = fmax(high, v->at[i].ln + 20 * v->at[i].sd);
	}
	for (int i = 0; i < 50; i++) {
		double middle = (low + high) / 2;

		if (views_below(v, middle) < q)
			low = middle;
		else
			high = middle;
	}
	return exp((low + high) / 2);
}

struct growth_estimate growth_estimate(const struct growth_fit *f, const double *x, double extra)
{
	struct views v = views_of(f, x, extra);
	struct growth_estimate e = {0};
	double sum = 0, mean = 0, square = 0;

	if (!v.n)
		return (struct growth_estimate){0, NAN, INFINITY, NAN, INFINITY};
	e.low = views_quantile(&v, 0.05);
	e.middle = views_quantile(&v, 0.5);
	e.high = views_quantile(&v, 0.95);
	e.best = growth_model_value(&f->models.at[0], f->params, x, NULL);
	for (size_t i = 0; i < v.n; i++) {
		sum += v.at[i].weight;
		mean += v.at[i].weight * v.at[i].ln;
	}
	mean /= sum;
	for (size_t i = 0; i < v.n; i++) {
		double off = v.at[i].ln - mean;

		square += v.at[i].weight * (off * off + v.at[i].sd * v.at[i].sd);
	}
	e.sd = sqrt(square / sum);
	vec_release(&v);
	return e;
}

struct growth_view growth_view(const struct growth_fit *f, const double *x, const double *target)
{
	struct growth_view v = {0};
	double mean_x = 0, mean_t = 0, all = 0;

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < f->models.n; i++) {
			const struct growth_model *m = &f->models.at[i];
			double at_x[GROWTH_TERMS + 1], at_target[GROWTH_TERMS + 1],
				a = parts_of(m, f->params, x, at_x),
				b = parts_of(m, f->params, target, at_target), of_x = a * a,
				of_target = b * b, of_both = a * b;

			if (!(a > 0) || !(b > 0))
				continue;
			a = log(a);
			b = log(b);
			if (!round) {
				all += m->weight;
				mean_x += m->weight * a;
				mean_t += m->weight * b;
				continue;
			}
			v.covariance += m->weight / all *
					((a - mean_x / all) * (b - mean_t / all) +
					 covariance_of(m, at_x, at_target) / of_both);
			v.at_x += m->weight / all *
				  ((a - mean_x / all) * (a - mean_x / all) +
				   covariance_of(m, at_x, at_x) / of_x);
			v.at_target += m->weight / all *
				       ((b - mean_t / all) * (b - mean_t / all) +
					covariance_of(m, at_target, at_target) / of_target);
			v.own += m->weight / all *
				 (pow(fmax(m->scatter, LEAST), 2) + m->drift * m->drift * fmax(b - a, 0));
		}
	v.middle = exp(mean_x / all);
	return v;
}

double growth_below(const struct growth_fit *f, const double *x, double extra, double y)
{
	struct views v = views_of(f, x, extra);
	double below = views_below(&v, log(y));

	vec_release(&v);
	return below;
}

double growth_slope(const struct growth_fit *f, const double *x, size_t j)
{
	double up[GROWTH_PARAMS], slope = 0, all = 0;

	for (size_t k = 0; k < f->params; k++)
		up[k] = x[k] * (k == j ? 1.01 : 1);
	for (size_t i = 0; i < f->models.n; i++) {
		const struct growth_model *m = &f->models.at[i];
		double a = growth_model_value(m, f->params, x, NULL),
		       b = growth_model_value(m, f->params, up, NULL);

		if (!(a > 0) || !(b > 0))
			continue;
		slope += m->weight * log(b / a) / log(1.01);
		all += m->weight;
	}
	return all > 0 ? slope / all : NAN;
}

static void term_words(const struct growth_term *t, size_t params, const char *const *names,
		       struct strbuf *out)
{
	for (size_t j = 0; j < params; j++) {
		if (t->a[j] != 0 && t->a[j] != 1)
			strbuf_printf(out, " %s^%.3g", names[j], t->a[j]);
		else if (t->a[j] == 1)
			strbuf_printf(out, " %s", names[j]);
		if (t->b[j])
			strbuf_printf(out, t->b[j] > 1 ? " log2(%s)^%d" : " log2(%s)", names[j], t->b[j]);
	}
}

void growth_words(const struct growth_model *m, size_t params, const char *const *names, struct strbuf *out)
{
	for (size_t k = 0; k < m->n; k++) {
		double c = m->coefficient[k];

		strbuf_puts(out, !k ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
		strbuf_printf(out, "%.3g", fabs(c));
		if (k < m->terms)
			term_words(&m->term[k], params, names, out);
	}
}
