/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/rng.h"
#include "scheduler/simulate/simulate.h"

#define SWF_FIELDS 18

static void add_nodes(struct workflow *w, size_t n, struct rng *rng)
{
	for (size_t i = 0; i < n; i++) {
		struct work_node *node = vec_add(&w->nodes);

		/* Three generations of machines, as nobody buys all at once. */
		node->speed = rng ? 1 + 0.5 * (double)rng_below(rng, 3) : 1;
		if (asprintf(&node->name, "node.%zu", i) < 0)
			abort();
	}
}

static struct work_task *add_task(struct load *l, double release, double predicted, size_t width)
{
	struct work_task *t = vec_add(&l->w.tasks);

	if (asprintf(&t->name, "task.%zu", l->w.tasks.n) < 0)
		abort();
	t->seconds = t->low = t->high = predicted;
	t->width = width;
	t->release = release;
	t->deadline = INFINITY;
	return t;
}

void load_make(struct load *l, uint64_t seed, size_t tasks, size_t nodes, double error, double fail)
{
	struct rng rng = rng_keyed(seed, 19, tasks, nodes);
	double now = 0;

	*l = (struct load){.takes = mem_new(tasks, sizeof(*l->takes)),
			   .fails = mem_new(tasks, sizeof(*l->fails))};
	add_nodes(&l->w, nodes, &rng);
	for (size_t i = 0; i < tasks; i++) {
		/* Times over a factor of 50, as those of the registrations; a mean |N| is 0.8 deviations. */
		double takes = 60 * exp(log(50) * rng_unit(&rng)), off = error / 0.8 * rng_normal(&rng);
		size_t width = (size_t)1 << rng_below(&rng, 4);
		struct work_task *t = add_task(l, now, takes * exp(off), width < nodes ? width : nodes);

		l->takes[i] = takes;
		l->fails[i] = rng_unit(&rng) < fail ? rng_unit(&rng) : 0;
		/* A third belongs to a workflow: it waits for one of the last tasks. */
		if (i && !rng_below(&rng, 3))
			vec_push(&t->after, i - 1 - rng_below(&rng, i < 5 ? i : 5));
		now -= rng_below(&rng, 4) ? 0 : 4 * 60 * log(1 - rng_unit(&rng));
	}
	if (work_settle(&l->w, NULL))
		abort();
}

enum swf_line { SWF_JOB, SWF_IDLE, SWF_WIDE, SWF_WRONG };

/* One line of a log. */
static enum swf_line swf_job(const char *line, double *submit, double *took, double *width, double *asked)
{
	double v[SWF_FIELDS] = {0};
	int n = 0;
	char *end;

	for (const char *p = line; n < SWF_FIELDS; p = end) {
		p += strspn(p, " \t\r");
		v[n] = strtod(p, &end);
		if (end == p || *p == '\n')
			break;
		n++;
	}
	*submit = v[1];
	*took = v[3];
	*width = v[4] > 0 ? v[4] : v[7];
	*asked = v[8] > 0 ? v[8] : v[3];
	/* Beyond the number of processors fields may be missing; -1 stands for what nobody knows. */
	if (n < 5 || !(*submit >= 0 && *submit < 1e12) || !(*took < 1e12) || !(*asked < 1e12) ||
	    isnan(*width))
		return SWF_WRONG;
	if (*took <= 0 || *width < 1)
		return SWF_IDLE;
	return *width > WORK_NODES ? SWF_WIDE : SWF_JOB;
}

int load_read(struct load *l, const char *text, size_t len, const char *name, size_t most, size_t nodes,
	      struct err *err)
{
	struct VEC(double) takes = VEC_INIT;
	double first = 0, last = 0;
	size_t number = 0;
	int ret = 0;

	*l = (struct load){0};
	for (const char *p = text; p && p < text + len && l->w.tasks.n < most; p = strchr(p, '\n')) {
		double submit, took, width, asked;
		enum swf_line line;

		p += *p == '\n';
		number++;
		if (*p == ';' || !p[strspn(p, " \t\r")] || p[strspn(p, " \t\r")] == '\n')
			continue;
		line = swf_job(p, &submit, &took, &width, &asked);
		if (line == SWF_WRONG) {
			ret = err_set(
				err, -EINVAL,
				"%s line %zu: no job of the standard workload format: number, submission, "
				"wait, run time and processors are numbers",
				name, number);
			break;
		}
		l->idle += line == SWF_IDLE;
		l->wide += line == SWF_WIDE;
		if (line != SWF_JOB)
			continue;
		first = l->w.tasks.n ? first : submit;
		if (submit < last) {
			ret = err_set(err, -EINVAL, "%s line %zu: submitted before the job in front of it",
				      name, number);
			break;
		}
		last = submit;
		add_task(l, submit - first, asked, (size_t)width);
		vec_push(&takes, took);
		nodes = (size_t)width > nodes ? (size_t)width : nodes;
	}
	l->takes = takes.at;
	l->fails = mem_new(l->w.tasks.n + 1, sizeof(*l->fails));
	if (!ret && !l->w.tasks.n)
		ret = err_set(err, -EINVAL, "%s: there is no job that ran", name);
	add_nodes(&l->w, nodes, NULL);
	if (!ret)
		ret = work_settle(&l->w, err);
	if (ret)
		load_release(l);
	return ret;
}

void load_release(struct load *l)
{
	work_release(&l->w);
	free(l->takes);
	free(l->fails);
	*l = (struct load){0};
}
