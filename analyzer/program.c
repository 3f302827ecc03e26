/* SPDX-License-Identifier: MIT */
#include "analyzer/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

const char *run_name(const struct run *run)
{
	const char *slash = strrchr(run->path, '/');

	return slash && slash[1] ? slash + 1 : run->path;
}

const struct manifest_module *program_module(const struct run *run)
{
	const struct manifest *m = &run->manifest;
	const char *exe = run->n_processes ? run->processes[0].header->exe : "";

	for (size_t i = 0; i < m->n_modules; i++)
		if (*exe && !strcmp(m->modules[i].path, exe))
			return &m->modules[i];
	for (size_t i = 0; i < m->n_modules; i++)
		if (m->modules[i].sites_sha256)
			return &m->modules[i];
	return NULL;
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b);
}

/* The call sites of all modules, "id instance", sorted; the caller frees the list, not the texts. */
static const char **call_sites(const struct run *run, size_t *n, bool *mems)
{
	const char **ids;
	size_t most = 0;

	*n = 0;
	*mems = false;
	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t u = 0; u < run->modules[m].sites.n_units; u++) {
			most += run->modules[m].sites.units[u].n_calls;
			*mems |= run->modules[m].sites.units[u].n_mems > 0;
		}
	ids = mem_new(most + 1, sizeof(*ids));
	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t u = 0; u < run->modules[m].sites.n_units; u++)
			for (uint32_t i = 0; i < run->modules[m].sites.units[u].n_calls; i++)
				ids[(*n)++] = run->modules[m].sites.units[u].calls[i].id;
	qsort(ids, *n, sizeof(*ids), text_order);
	return ids;
}

/*
 * A program may be built twice from the same source, for times without
 * memory probes and for sharing with them: the call sites are the same then.
 */
static bool same_source(const struct run *a, const struct run *b)
{
	bool mems_a, mems_b, same;
	size_t n, other;
	const char **x = call_sites(a, &n, &mems_a), **y = call_sites(b, &other, &mems_b);

	same = n && n == other && mems_a != mems_b;
	for (size_t i = 0; same && i < n; i++)
		same = !strcmp(x[i], y[i]);
	free(x);
	free(y);
	return same;
}

int program_same(const struct run *a, const struct run *b, struct err *err)
{
	const struct manifest_module *x = program_module(a), *y = program_module(b);

	if (differ(a->manifest.trial ? a->manifest.trial : "", b->manifest.trial ? b->manifest.trial : ""))
		return err_set(err, -EINVAL,
			       "run '%s' and run '%s': one is a trial of a plan that the other is not",
			       run_name(a), run_name(b));
	if (differ(a->manifest.program, b->manifest.program))
		return err_set(err, -EINVAL, "run '%s' is of program '%s', run '%s' of '%s'", run_name(a),
			       a->manifest.program, run_name(b), b->manifest.program);
	if (!x || !y)
		return 0;
	if ((differ(x->build_id, y->build_id) || differ(x->sites_sha256, y->sites_sha256)) &&
	    same_source(a, b))
		return 0;
	if (differ(x->build_id, y->build_id))
		return err_set(err, -EINVAL,
			       "run '%s' is of build %.12s.. of '%s', run '%s' of build %.12s..\n"
			       "  runs of one build belong together; record both again",
			       run_name(a), x->build_id, a->manifest.program, run_name(b), y->build_id);
	if (differ(x->sites_sha256, y->sites_sha256))
		return err_set(err, -EINVAL,
			       "runs '%s' and '%s' have different site tables (%.12s.. and %.12s..)\n"
			       "  runs of one build belong together; record both again",
			       run_name(a), run_name(b), x->sites_sha256, y->sites_sha256);
	return 0;
}

static bool has_flag(const char *flags, const char *flag)
{
	size_t len = strlen(flag);

	for (const char *s = flags; (s = strstr(s, flag)); s += len)
		if ((s == flags || s[-1] == ',') && (!s[len] || s[len] == ','))
			return true;
	return false;
}

static bool leaves(const struct run *run, const struct run_process *p, const struct run_call_site *site,
		   const struct rec_call *call)
{
	const struct run_symbol *sym;

	if (has_flag(site->flags, PRS_CF_WAIT))
		return false;
	if (!call->callee)
		return !run_probed(run, site->callee);
	sym = run_symbol(run, p, call->callee, NULL);
	return !sym || !run_probed(run, sym->name);
}

double program_outside(const struct run *run)
{
	double outside = 0, all = 0;

	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];

		for (size_t t = 0; t < p->n_threads; t++) {
			const struct run_thread *th = &p->threads[t];
			uint64_t end = th->raw->end_tsc ? th->raw->end_tsc : p->end;

			if (end > th->raw->start_tsc)
				all += (double)(end - th->raw->start_tsc);
			for (size_t k = 0; k < th->n_calls; k++) {
				const struct run_call_site *s = run_call_site(p, th->calls[k]->site);

				if (s && leaves(run, p, s, th->calls[k]))
					outside += run_own_ticks(th->calls[k], th->totals[k]);
			}
		}
	}
	if (all <= 0)
		return 0;
	return outside < all ? outside / all : 1;
}

static bool same_command(const struct manifest *a, const struct manifest *b)
{
	if (a->n_argv != b->n_argv || a->cores != b->cores)
		return false;
	for (size_t i = 0; i < a->n_argv; i++)
		if (strcmp(a->argv[i], b->argv[i]))
			return false;
	return true;
}

int program_timing_of(const struct run *run, struct run *timing, struct err *err)
{
	struct err why = ERR_INIT;
	int ret = run_open(timing, "@last-timing", &why);

	if (err_is_fault(ret))
		*err = why;
	if (ret)
		return err_is_fault(ret) ? ret : 0;
	if (timing->complete && timing->n_processes &&
	    timing->processes[0].header->purpose == PRS_PURPOSE_TIMING &&
	    same_command(&run->manifest, &timing->manifest) && !program_same(run, timing, &why))
		return 1;
	run_close(timing);
	return 0;
}
