/* SPDX-License-Identifier: MIT */
#include "planner/result/export.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "planner/exact/symmetry.h"

#define LINE_TERMS    6       /* solvers have short lines */
#define MAX_VARIABLES 2000000 /* about 200 MB of text */

struct writer {
	const struct outcome *o;
	const struct problem *pb;
	const struct machine *m;
	struct strbuf *out;
	struct strbuf binaries;
	double tick;    /* s of the unit of time */
	double quantum; /* J of the unit of energy */
	const char *time_unit, *energy_unit;
	bool *allowed; /* slot s may be on unit u: allowed[s * n_units + u] */
	uint32_t terms;
	uint32_t rows;
};

/* ---- text ---- */

static void term(struct writer *w, double factor, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void term(struct writer *w, double factor, const char *fmt, ...)
{
	char name[80];
	va_list ap;

	if (factor == 0)
		return;
	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	if (w->terms++ % LINE_TERMS == 0)
		strbuf_puts(w->out, "\n  ");
	strbuf_printf(w->out, " %c %.15g %s", factor < 0 ? '-' : '+', factor < 0 ? -factor : factor, name);
}

static void export_begin(struct writer *w)
{
	strbuf_printf(w->out, "\n c%u:", w->rows++);
	w->terms = 0;
}

static void export_end(struct writer *w, const char *relation, double right)
{
	strbuf_printf(w->out, " %s %.15g", relation, right);
}

/* ---- what is where ---- */

static const struct prob_phase *phase(const struct writer *w, uint32_t p)
{
	return &w->pb->phases[p];
}

static bool may_be(const struct writer *w, uint32_t p, uint32_t member, uint32_t unit)
{
	return w->allowed[(size_t)phase(w, p)->members[member].slot * w->m->n_units + unit];
}

static uint32_t export_slot_of(const struct writer *w, uint32_t p, uint32_t member)
{
	return phase(w, p)->members[member].slot;
}

/* Work of a member at a step, in the unit of time. */
static double work(const struct writer *w, uint32_t p, uint32_t member, uint32_t step)
{
	return (double)phase(w, p)->work_ns[(size_t)member * w->m->n_steps + step] * 1e-9 / w->tick;
}

/* No package is awake for longer: all work in turn on the slowest core. */
static double export_longest(const struct writer *w, uint32_t p)
{
	double sum = 0;

	for (uint32_t i = 0; i < phase(w, p)->n_heavy; i++) {
		double most = 0;

		for (uint32_t f = 0; f < w->m->n_steps; f++)
			most = work(w, p, i, f) > most ? work(w, p, i, f) : most;
		sum += most;
	}
	return sum;
}

/* How many units of domain @d are in package @k. */
static uint32_t shared_units(const struct writer *w, uint32_t k, uint32_t d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->m->domains[d].n_units; i++)
		n += w->m->units[w->m->domains[d].units[i]].package == k;
	return n;
}

/* ---- the objective ---- */

static void package_energy(struct writer *w, uint32_t p, uint32_t k, double scale)
{
	const struct machine_package *pkg = &w->m->packages[k];

	if (pkg->halts)
		term(w, -scale * (double)pkg->halt_mw, "l_%u_%u", p, k);
	for (uint32_t d = 0; d < w->m->n_domains; d++)
		for (uint32_t f = 0; shared_units(w, k, d) && f < w->m->n_steps; f++)
			term(w, scale * (double)w->m->idle_mw[f] * shared_units(w, k, d), "a_%u_%u_%u_%u", p,
			     k, d, f);
}

/* What busy units draw above idle ones. */
static void work_energy(struct writer *w, uint32_t p, double scale)
{
	for (uint32_t i = 0; i < phase(w, p)->n_heavy; i++)
		for (uint32_t u = 0; u < w->m->n_units; u++)
			for (uint32_t f = 0; may_be(w, p, i, u) && f < w->m->n_steps; f++) {
				double mw = (double)(w->m->busy_mw[f] - w->m->idle_mw[f]);

				term(w, scale * mw * work(w, p, i, f), "z_%u_%u_%u_%u", p, i, u, f);
			}
}

static void put_objective(struct writer *w)
{
	w->terms = 0;
	strbuf_puts(w->out, "minimize\n cost:");
	for (uint32_t p = 0; p < w->pb->n_phases; p++) {
		double scale = (double)phase(w, p)->repeats, halted = 0;

		if (w->o->goal.objective == PLAN_TIME) {
			term(w, scale, "t_%u", p);
			continue;
		}
		scale *= 1e-3 * w->tick / w->quantum;
		for (uint32_t k = 0; k < w->m->n_packages; k++) {
			if (w->m->packages[k].halts)
				halted += (double)w->m->packages[k].halt_mw;
			package_energy(w, p, k, scale);
		}
		term(w, scale * halted, "t_%u", p);
		work_energy(w, p, scale);
	}
}

/* ---- rows ---- */

/* Each slot on one unit. */
static void put_slots(struct writer *w)
{
	for (uint32_t s = 0; s < w->pb->n_slots; s++) {
		if (!w->pb->slots[s].heavy)
			continue;
		export_begin(w);
		for (uint32_t u = 0; u < w->m->n_units; u++)
			if (w->allowed[(size_t)s * w->m->n_units + u]) {
				term(w, 1, "x_%u_%u", s, u);
				strbuf_printf(&w->binaries, " x_%u_%u\n", s, u);
			}
		export_end(w, "=", 1);
	}
}

/* Each domain at one step. */
static void put_steps(struct writer *w, uint32_t p)
{
	for (uint32_t d = 0; d < w->m->n_domains; d++) {
		export_begin(w);
		for (uint32_t f = 0; f < w->m->n_steps; f++) {
			term(w, 1, "y_%u_%u_%u", p, d, f);
			strbuf_printf(&w->binaries, " y_%u_%u_%u\n", p, d, f);
		}
		export_end(w, "=", 1);
	}
}

/* A member works on a unit at a step if it is there and the unit is at it. */
static void put_member(struct writer *w, uint32_t p, uint32_t i)
{
	for (uint32_t u = 0; u < w->m->n_units; u++) {
		if (!may_be(w, p, i, u))
			continue;
		export_begin(w);
		for (uint32_t f = 0; f < w->m->n_steps; f++)
			term(w, 1, "z_%u_%u_%u_%u", p, i, u, f);
		term(w, -1, "x_%u_%u", export_slot_of(w, p, i), u);
		export_end(w, "=", 0);
		for (uint32_t f = 0; f < w->m->n_steps; f++) {
			export_begin(w);
			term(w, 1, "z_%u_%u_%u_%u", p, i, u, f);
			term(w, -1, "y_%u_%u_%u", p, w->m->units[u].domain, f);
			export_end(w, "<=", 0);
		}
	}
}

/* A unit's work is done while its package is awake. */
static void put_unit(struct writer *w, uint32_t p, uint32_t u)
{
	for (uint32_t f = 0; f < w->m->n_steps; f++) {
		export_begin(w);
		for (uint32_t i = 0; i < phase(w, p)->n_heavy; i++)
			if (may_be(w, p, i, u))
				term(w, work(w, p, i, f), "z_%u_%u_%u_%u", p, i, u, f);
		term(w, -1, "a_%u_%u_%u_%u", p, w->m->units[u].package, w->m->units[u].domain, f);
		export_end(w, "<=", 0);
	}
}

/* The time that a package is awake, distinguished by the step of each of its domains. */
static void put_awake(struct writer *w, uint32_t p, uint32_t k)
{
	double most = export_longest(w, p);

	for (uint32_t d = 0; d < w->m->n_domains; d++) {
		if (!shared_units(w, k, d))
			continue;
		export_begin(w);
		for (uint32_t f = 0; f < w->m->n_steps; f++)
			term(w, 1, "a_%u_%u_%u_%u", p, k, d, f);
		term(w, -1, "l_%u_%u", p, k);
		export_end(w, "=", 0);
		for (uint32_t f = 0; f < w->m->n_steps; f++) {
			export_begin(w);
			term(w, 1, "a_%u_%u_%u_%u", p, k, d, f);
			term(w, -most, "y_%u_%u_%u", p, d, f);
			export_end(w, "<=", 0);
		}
	}
	export_begin(w);
	term(w, 1, "l_%u_%u", p, k);
	term(w, -1, "t_%u", p);
	export_end(w, w->m->packages[k].halts ? "<=" : "=", 0);
}

/*
 * Follows from the rest once all is whole, but helps before: a package is
 * awake for as long as any thread that sits in it needs at least.
 */
static void put_least(struct writer *w, uint32_t p, uint32_t i)
{
	double least = work(w, p, i, 0);

	for (uint32_t f = 1; f < w->m->n_steps; f++)
		least = work(w, p, i, f) < least ? work(w, p, i, f) : least;
	export_begin(w);
	term(w, 1, "t_%u", p);
	export_end(w, ">=", least);
	for (uint32_t k = 0; k < w->m->n_packages; k++) {
		export_begin(w);
		term(w, 1, "l_%u_%u", p, k);
		for (uint32_t u = w->m->packages[k].first; u < w->m->packages[k].last; u++)
			if (may_be(w, p, i, u))
				term(w, -least, "x_%u_%u", export_slot_of(w, p, i), u);
		export_end(w, ">=", 0);
	}
}

static void put_phase(struct writer *w, uint32_t p)
{
	put_steps(w, p);
	for (uint32_t i = 0; i < phase(w, p)->n_heavy; i++) {
		put_member(w, p, i);
		put_least(w, p, i);
	}
	for (uint32_t u = 0; u < w->m->n_units; u++)
		put_unit(w, p, u);
	for (uint32_t k = 0; k < w->m->n_packages; k++)
		put_awake(w, p, k);
	if (!phase(w, p)->limit_ns)
		return;
	export_begin(w);
	term(w, 1, "t_%u", p);
	export_end(w, "<=", (double)phase(w, p)->limit_ns * 1e-9 / w->tick);
}

static void put_deadline(struct writer *w)
{
	if (!w->o->goal.deadline_ns)
		return;
	export_begin(w);
	for (uint32_t p = 0; p < w->pb->n_phases; p++)
		term(w, (double)phase(w, p)->repeats, "t_%u", p);
	export_end(w, "<=", (double)w->o->goal.deadline_ns * 1e-9 / w->tick);
}

/* ---- equal cores, equal threads ---- */

/* The same work in the same phases? */
static bool same_work(const struct writer *w, const struct prob_block *b, uint32_t s, uint32_t t)
{
	uint32_t n = w->m->n_steps;

	for (uint32_t p = b->first; p <= b->last; p++) {
		const uint64_t *x = NULL, *y = NULL;

		for (uint32_t i = 0; i < phase(w, p)->n_heavy; i++) {
			x = export_slot_of(w, p, i) == s ? &phase(w, p)->work_ns[(size_t)i * n] : x;
			y = export_slot_of(w, p, i) == t ? &phase(w, p)->work_ns[(size_t)i * n] : y;
		}
		for (uint32_t f = 0; x && y && f < n; f++)
			if (x[f] != y[f])
				return false;
		if (!x != !y)
			return false;
	}
	return true;
}

static bool has_fixed(const struct writer *w, const struct prob_block *b)
{
	for (uint32_t p = b->first; p <= b->last; p++)
		for (uint32_t i = 0; i < phase(w, p)->n_heavy; i++)
			if (w->pb->slots[export_slot_of(w, p, i)].kind == SLOT_FIXED)
				return true;
	return false;
}

/* The first slot of a block on one unit of each kind; true if all units are of one kind. */
static bool place_first(struct writer *w, const struct prob_block *b)
{
	struct touched none;
	uint32_t kinds = 0;

	touched_init(&none, w->m);
	for (uint32_t u = 0; u < w->m->n_units; u++) {
		bool *at = &w->allowed[(size_t)b->slots[0] * w->m->n_units + u];

		*at = symmetry_canonical(&none, w->m, u);
		kinds += *at;
	}
	touched_release(&none);
	return kinds == 1;
}

static void put_order(struct writer *w, const struct prob_block *b)
{
	for (uint32_t i = 0; i + 1 < b->n_slots; i++) {
		if (!same_work(w, b, b->slots[i], b->slots[i + 1]))
			continue;
		export_begin(w);
		for (uint32_t u = 1; u < w->m->n_units; u++) {
			if (w->allowed[(size_t)b->slots[i] * w->m->n_units + u])
				term(w, u, "x_%u_%u", b->slots[i], u);
			term(w, -(double)u, "x_%u_%u", b->slots[i + 1], u);
		}
		export_end(w, "<=", 0);
	}
}

/* ---- the whole ---- */

static void fill_allowed(struct writer *w)
{
	for (uint32_t s = 0; s < w->pb->n_slots; s++)
		for (uint32_t u = 0; u < w->m->n_units; u++)
			w->allowed[(size_t)s * w->m->n_units + u] =
				w->pb->slots[s].kind != SLOT_FIXED || w->o->base.unit[s] == u;
}

/* Units in which the whole run is a number that people and solvers can handle. */
static void choose_units(struct writer *w)
{
	static const char *const times[] = {"s", "ms", "us", "ns"};
	static const char *const energies[] = {"J", "mJ", "uJ", "nJ"};
	double run = (double)w->o->best_ev.total.time_ns * 1e-9;
	double joules = (double)w->o->best_ev.total.energy_pj * 1e-12;
	int t = 0, e = 0;

	for (w->tick = 1; t < 3 && run / w->tick < 100; t++)
		w->tick *= 1e-3;
	for (w->quantum = 1; e < 3 && joules / w->quantum < 100; e++)
		w->quantum *= 1e-3;
	w->time_unit = times[t];
	w->energy_unit = energies[e];
}

static void export_put_head(struct writer *w)
{
	bool time = w->o->goal.objective == PLAN_TIME;
	double bound = time ? (double)w->o->bound.time_ns * 1e-9 / w->tick
			    : (double)w->o->bound.energy_pj * 1e-12 / w->quantum;

	strbuf_printf(w->out,
		      "\\ The phases of a program on a platform, without prices of changes.\n"
		      "\\ Times in %s; the objective, %s, in %s.\n"
		      "\\ The planner's bound is %.12g: %s.\n",
		      w->time_unit, time ? "time" : "energy", time ? w->time_unit : w->energy_unit, bound,
		      w->o->proven ? "proven, so this is the optimum"
				   : "not proven, so the optimum is not below");
}

static int check_size(const struct outcome *o, struct err *err)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < o->problem->n_phases; i++)
		n += (uint64_t)(o->problem->phases[i].n_heavy + 1) * o->machine->n_units *
		     o->machine->n_steps;
	if (n <= MAX_VARIABLES)
		return 0;
	return err_set(err, -E2BIG,
		       "the problem has about %llu variables as an integer program, at most %d are written\n"
		       "  export a shorter run, or one with fewer threads, for a smaller platform",
		       (unsigned long long)n, MAX_VARIABLES);
}

static int check_form(const struct outcome *o, struct err *err)
{
	enum plan_objective wanted = o->goal.objective;

	if ((wanted != PLAN_TIME && wanted != PLAN_ENERGY) || o->goal.cap_mw)
		return err_set(
			err, -ENOTSUP,
			"this goal has no exact linear form: a product, or a largest draw, of whole runs\n"
			"  export with --objective=time or energy, and without a cap of power");
	for (uint32_t k = 0; k < o->problem->n_phases; k++) {
		const struct prob_phase *ph = &o->problem->phases[k];

		if (ph->n_locks)
			return err_set(err, -ENOTSUP,
				       "lock %u holds up threads in phase %u of the run, and the form has no "
				       "locks\n"
				       "  export a program without locks that matter",
				       ph->locks[0].id, k);
		for (uint32_t i = 0; i < ph->n_heavy_conflicts; i++)
			for (int d = DIST_SMT; d < DIST_N; d++)
				if (ph->conflicts[i].extra_a[d] | ph->conflicts[i].extra_b[d])
					return err_set(
						err, -ENOTSUP,
						"%s has no exact linear form: how often two threads "
						"meet at a "
						"line is a quotient of their times\n"
						"  export a program without conflicts",
						o->task->model->conflicts[ph->conflicts[i].model].evidence);
	}
	return check_size(o, err);
}

static void put_rows(struct writer *w)
{
	bool *ordered = mem_new(w->pb->n_blocks + 1, sizeof(*ordered));

	for (uint32_t b = 0; b < w->pb->n_blocks; b++)
		if (w->pb->blocks[b].n_slots && !has_fixed(w, &w->pb->blocks[b]))
			ordered[b] = place_first(w, &w->pb->blocks[b]);
	put_objective(w);
	strbuf_puts(w->out, "\nsubject to");
	put_slots(w);
	for (uint32_t p = 0; p < w->pb->n_phases; p++)
		put_phase(w, p);
	for (uint32_t b = 0; b < w->pb->n_blocks; b++)
		if (ordered[b])
			put_order(w, &w->pb->blocks[b]);
	put_deadline(w);
	strbuf_printf(w->out, "\nbinary\n%send\n", w->binaries.s ? w->binaries.s : "");
	free(ordered);
}

int planner_export(const struct outcome *o, struct strbuf *out, struct err *err)
{
	struct writer w = {.o = o, .pb = o->problem, .m = o->machine, .out = out};
	int ret = check_form(o, err);

	if (ret)
		return ret;
	w.allowed = mem_new((size_t)o->problem->n_slots * o->machine->n_units + 1, sizeof(*w.allowed));
	fill_allowed(&w);
	choose_units(&w);
	export_put_head(&w);
	put_rows(&w);
	strbuf_release(&w.binaries);
	free(w.allowed);
	return 0;
}
