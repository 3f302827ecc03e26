/* SPDX-License-Identifier: MIT */
#include "predictor/probe/finished.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIZES_MOST 256  /* that are looked at */
#define ALIKE      1.5  /* errors of two sizes, of a dozen tasks, differ by so much by chance */
#define SMALL      0.01 /* errors that matter to nobody */

static bool finished_same(const struct finished *f, const double *x, const double *y)
{
	return !memcmp(x, y, f->sizes * sizeof(*x));
}

double finished_mean(const struct finished *f, const struct probes *probes, const double *x, bool count)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < probes->n; i++) {
		const struct probe *p = &probes->at[i];

		if (p->end != PROBE_OK || !finished_same(f, p->x, x))
			continue;
		sum += log(count ? p->count : p->figure);
		n++;
	}
	return n > 0 ? exp(sum / n) : 0;
}

/* Is a log of the same parameters and figures? */
static bool is_alike(const struct task *a, const struct task *b)
{
	bool alike = a->params == b->params &&
		     !strcmp(a->figure ? a->figure : "", b->figure ? b->figure : "") &&
		     !strcmp(a->count ? a->count : "", b->count ? b->count : "");

	for (size_t j = 0; alike && j < a->params; j++)
		alike = !strcmp(a->name[j], b->name[j]);
	return alike;
}

static int finished_add(struct finished *f, const char *path, const struct task *t, struct err *err)
{
	struct finished_task one = {0};
	struct task other = {0};
	int ret = probe_log_read(path, &other, &one.probes, err);
	bool mine = !ret && !strcmp(other.key, t->key), alike = !ret && is_alike(t, &other);

	task_release(&other);
	if (ret || mine || !alike) {
		f->foreign += !ret && !mine;
		vec_release(&one.probes);
		return ret;
	}
	one.target = finished_mean(f, &one.probes, f->target, false);
	if (one.target > 0) {
		vec_push(&f->tasks, one);
		return 0;
	}
	f->unfinished++;
	vec_release(&one.probes);
	return 0;
}

static int is_log(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 4 && !strcmp(d->d_name + len - 4, ".log");
}

int finished_read(struct finished *f, const char *folder, const struct task *t, size_t sizes,
		  const double *target, struct err *err)
{
	struct dirent **list = NULL;
	int n, ret = 0;

	*f = (struct finished){.sizes = sizes};
	memcpy(f->target, target, sizes * sizeof(*target));
	n = scandir(folder, &list, is_log, alphasort);
	if (n < 0)
		return err_set(err, -errno, "cannot read the folder '%s': %s", folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		struct strbuf path = STRBUF_INIT;

		strbuf_printf(&path, "%s/%s", folder, list[i]->d_name);
		if (!ret)
			ret = finished_add(f, path.s, t, err);
		strbuf_release(&path);
		free(list[i]);
	}
	free(list);
	return ret;
}

void finished_release(struct finished *f)
{
	for (size_t i = 0; i < f->tasks.n; i++)
		vec_release(&f->tasks.at[i].probes);
	vec_release(&f->tasks);
}

/* The line of the size @x, if enough tasks ran it. */
static void finished_line(const struct finished *f, const struct task *t, const double *x,
			  struct finished_choice *out)
{
	struct history_row *rows = mem_new(f->tasks.n + 1, sizeof(*rows));
	double share = 0;
	size_t n = 0;

	memcpy(out->x, x, f->sizes * sizeof(*x));
	for (size_t i = 0; i < f->tasks.n; i++) {
		const struct finished_task *one = &f->tasks.at[i];

		rows[n].probe = finished_mean(f, &one->probes, x, t->count != NULL);
		rows[n].target = one->target;
		if (rows[n].probe <= 0)
			continue;
		share += log(finished_mean(f, &one->probes, x, false) / one->target);
		n++;
	}
	history_fit(&out->line, rows, n);
	out->tasks = n;
	/* What is said is less than the median by this: history_estimate(). */
	out->share = n ? exp(share / (double)n + out->line.sd * out->line.sd) : 0;
	free(rows);
}

/* A place that has not been looked at, kept in @seen. */
static bool finished_first(const struct finished *f, double (*seen)[GROWTH_PARAMS], size_t *n,
			   const double *x)
{
	for (size_t i = 0; i < *n; i++)
		if (finished_same(f, seen[i], x))
			return false;
	if (*n == SIZES_MOST)
		return false;
	memcpy(seen[(*n)++], x, f->sizes * sizeof(*x));
	return true;
}

void finished_sizes(const struct finished *f, const struct task *t, double share,
		    struct finished_choices *out)
{
	double(*seen)[GROWTH_PARAMS] = mem_new(SIZES_MOST, sizeof(*seen));
	size_t n = 0;

	for (size_t i = 0; i < f->tasks.n; i++) {
		const struct probes *of = &f->tasks.at[i].probes;

		for (size_t k = 0; k < of->n; k++) {
			const double *x = of->at[k].x;
			struct finished_choice c = {0};

			if (of->at[k].end != PROBE_OK || finished_same(f, x, f->target) ||
			    !finished_first(f, seen, &n, x))
				continue;
			finished_line(f, t, x, &c);
			if (c.share <= share)
				vec_push(out, c);
		}
	}
	free(seen);
}

bool finished_choose(const struct finished *f, const struct task *t, double share,
		     struct finished_choice *out)
{
	struct finished_choices all = VEC_INIT;
	double least = INFINITY;

	*out = (struct finished_choice){0};
	finished_sizes(f, t, share, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].line.n)
			least = fmin(least, all.at[i].line.foreseen);
	/* The smallest of several errors is one by chance: among those that are nearly as small the largest run. */
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].line.n && all.at[i].line.foreseen <= fmax(ALIKE * least, SMALL) &&
		    all.at[i].share > out->share)
			*out = all.at[i];
	vec_release(&all);
	return out->line.n > 0;
}

int finished_judge(struct judgement *j, const struct task *t, const struct probes *probes,
		   const struct finished *f, const struct finished_choice *choice, struct err *err)
{
	double probe = finished_mean(f, probes, choice->x, t->count != NULL),
	       figure = finished_mean(f, probes, choice->x, false);
	int ret = probe_watch(j, t, probes, f->target, err);

	if (ret || j->refusal)
		return ret;
	if (!history_holds(&choice->line, probe)) {
		j->refusal = JUDGE_UNLIKE;
		snprintf(j->reason, sizeof(j->reason),
			 "the small run took %.4g, those of the %zu finished tasks %.4g to %.4g: this is "
			 "another "
			 "kind of input",
			 probe, choice->line.n, exp(choice->line.least), exp(choice->line.most));
		return 0;
	}
	j->estimate = history_estimate(&choice->line, probe);
	j->beyond = j->estimate.middle / figure;
	judge_width(j, "tasks like it");
	return 0;
}
