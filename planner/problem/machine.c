/* SPDX-License-Identifier: MIT */
#include "planner/problem/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_cores(const void *a, const void *b, void *ctx)
{
	const struct platform *p = ctx;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct platform_core *x = &p->cores[i], *y = &p->cores[j];
	int c = compare_u64(x->package, y->package);

	c = c ? c : compare_u64(x->cache_group, y->cache_group);
	c = c ? c : compare_u64(x->physical, y->physical);
	return c ? c : compare_u64(i, j);
}

static bool same_unit(const struct platform_core *a, const struct platform_core *b)
{
	return a->package == b->package && a->cache_group == b->cache_group && a->physical == b->physical;
}

static uint32_t domain_index(struct machine *m, uint32_t id)
{
	for (uint32_t d = 0; d < m->n_domains; d++)
		if (m->domains[d].id == id)
			return d;
	m->domains[m->n_domains].id = id;
	return m->n_domains++;
}

/* The usable cores in the order of the units, MACHINE_NONE terminated. */
static uint32_t sort_cores(struct machine *m)
{
	const struct platform *p = m->platform;
	uint32_t n = 0;

	m->cores = mem_new(p->n_cores + 1, sizeof(*m->cores));
	for (uint32_t i = 0; i < p->n_cores; i++)
		if (p->cores[i].usable)
			m->cores[n++] = i;
	qsort_r(m->cores, n, sizeof(*m->cores), compare_cores, (void *)(uintptr_t)p);
	return n;
}

static void add_unit(struct machine *m, uint32_t at, const struct platform_core *before)
{
	const struct platform_core *c = &m->platform->cores[m->cores[at]];
	struct unit *u = &m->units[m->n_units++];

	if (!before || before->package != c->package)
		m->packages[m->n_packages++] = (struct machine_package){.first = m->n_units - 1};
	if (!before || before->package != c->package || before->cache_group != c->cache_group)
		m->n_groups++;
	*u = (struct unit){m->n_packages - 1, m->n_groups - 1, domain_index(m, c->domain), at, 1};
	m->packages[m->n_packages - 1].last = m->n_units;
}

static void make_units(struct machine *m, uint32_t n)
{
	const struct platform_core *before = NULL;

	m->units = mem_new(n, sizeof(*m->units));
	m->packages = mem_new(n, sizeof(*m->packages));
	m->domains = mem_new(n, sizeof(*m->domains));
	for (uint32_t i = 0; i < n; i++) {
		const struct platform_core *c = &m->platform->cores[m->cores[i]];

		if (before && same_unit(before, c))
			m->units[m->n_units - 1].n_cores++;
		else
			add_unit(m, i, before);
		before = c;
	}
}

static void make_domains(struct machine *m)
{
	for (uint32_t d = 0; d < m->n_domains; d++) {
		struct machine_domain *dom = &m->domains[d];

		dom->units = mem_new(m->n_units, sizeof(*dom->units));
		for (uint32_t u = 0; u < m->n_units; u++)
			if (m->units[u].domain == d)
				dom->units[dom->n_units++] = u;
		dom->package = m->units[dom->units[0]].package;
		for (uint32_t i = 1; i < dom->n_units; i++)
			if (m->units[dom->units[i]].package != dom->package)
				dom->package = MACHINE_NONE;
	}
}

static void make_steps(struct machine *m)
{
	const struct platform *p = m->platform;
	uint64_t top = 0;

	m->n_steps = p->n_steps;
	m->busy_mw = mem_new(p->n_steps, sizeof(uint64_t));
	m->idle_mw = mem_new(p->n_steps, sizeof(uint64_t));
	for (uint32_t s = 0; p->energy_known && s < p->n_steps; s++) {
		m->busy_mw[s] = p->steps[s].busy_mw;
		m->idle_mw[s] = p->steps[s].idle_mw;
		if (m->idle_mw[s] < m->idle_mw[m->idle_step])
			m->idle_step = s;
		if (m->busy_mw[s] > top)
			top = m->busy_mw[s];
	}
	m->full_mw = top * m->n_units;
}

/*
 * A package whose other cores belong to somebody else is not expected to
 * halt; and one that would draw more halted than idle does not halt either,
 * which keeps the evaluator monotone (more work never costs less).
 */
void machine_halting(struct machine *m)
{
	const struct platform *p = m->platform;

	for (uint32_t k = 0; k < m->n_packages; k++) {
		struct machine_package *pkg = &m->packages[k];
		uint32_t id = p->cores[m->cores[m->units[pkg->first].first]].package;
		uint64_t idle = (pkg->last - pkg->first) * m->idle_mw[m->idle_step];

		pkg->halts = p->can_halt && p->energy_known && p->package_halt_mw <= idle;
		for (uint32_t i = 0; i < p->n_cores; i++)
			if (p->cores[i].package == id && !p->cores[i].usable)
				pkg->halts = false;
		pkg->halt_mw = pkg->halts ? p->package_halt_mw : idle;
	}
}

static void make_pairs(struct machine *m)
{
	size_t n = m->n_units;

	m->distance = mem_new(n * n, sizeof(*m->distance));
	m->migrate = mem_new(n * n, sizeof(*m->migrate));
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < n; b++) {
			uint32_t x = m->cores[m->units[a].first], y = m->cores[m->units[b].first];
			uint64_t ns = a == b ? 0 : platform_migrate_ns(m->platform, x, y);

			m->distance[a * n + b] =
				(uint8_t)(a == b ? DIST_SAME : platform_distance(m->platform, x, y));
			m->n_apart[m->distance[a * n + b]] += a != b;
			m->migrate[a * n + b] = ns;
			if (ns > m->migrate_max)
				m->migrate_max = ns;
		}
}

/* Does every domain consist of exactly one unit, one group, one package, or all? */
static bool domains_nest(const struct machine *m)
{
	bool unit = true, group = true, package = true;

	for (uint32_t d = 0; d < m->n_domains; d++) {
		const struct machine_domain *dom = &m->domains[d];
		const struct unit *u = &m->units[dom->units[0]];
		uint32_t in_group = 0,
			 in_package = m->packages[u->package].last - m->packages[u->package].first;

		for (uint32_t v = 0; v < m->n_units; v++)
			in_group += m->units[v].group == u->group;
		unit &= dom->n_units == 1;
		package &= dom->package != MACHINE_NONE && dom->n_units == in_package;
		group &= dom->n_units == in_group;
		for (uint32_t i = 0; i < dom->n_units; i++)
			group &= m->units[dom->units[i]].group == u->group;
	}
	return unit || group || package || m->n_domains == 1;
}

static bool packages_alike(const struct machine *m, uint32_t a, uint32_t b)
{
	const struct machine_package *x = &m->packages[a], *y = &m->packages[b];

	if (x->last - x->first != y->last - y->first || x->halts != y->halts || x->halt_mw != y->halt_mw)
		return false;
	for (uint32_t i = 0; i < x->last - x->first; i++) {
		uint32_t gx = m->units[x->first + i].group - m->units[x->first].group;
		uint32_t gy = m->units[y->first + i].group - m->units[y->first].group;

		if (gx != gy)
			return false;
	}
	return true;
}

static void make_classes(struct machine *m)
{
	m->group_class = mem_new(m->n_groups, sizeof(*m->group_class));
	for (uint32_t u = 0; u < m->n_units; u++)
		m->group_class[m->units[u].group]++;
	m->symmetric = domains_nest(m);
	for (uint32_t k = 0; k < m->n_packages; k++) {
		m->packages[k].class = k;
		for (uint32_t j = 0; j < k; j++)
			if (packages_alike(m, j, k)) {
				m->packages[k].class = m->packages[j].class;
				break;
			}
	}
}

static int machine_check(const struct platform *p, struct err *err)
{
	if (!p->n_cores || p->n_cores > PLATFORM_MAX_CORES || !p->n_steps || p->n_steps > 255)
		return err_set(
			err, -EINVAL,
			"platform '%s' has %u cores and %u frequency steps, expected 1 to %d and 1 to 255",
			p->name ? p->name : "", p->n_cores, p->n_steps, PLATFORM_MAX_CORES);
	for (uint32_t s = 0; s < p->n_steps; s++)
		if (!p->steps[s].khz || p->steps[s].idle_mw > p->steps[s].busy_mw)
			return err_set(
				err, -EINVAL,
				"platform '%s', step %u: %u kHz, idle %llu mW, busy %llu mW: expected a "
				"frequency above 0 and no more power idle than busy",
				p->name ? p->name : "", s, p->steps[s].khz,
				(unsigned long long)p->steps[s].idle_mw,
				(unsigned long long)p->steps[s].busy_mw);
	return 0;
}

int machine_init(struct machine *m, const struct platform *p, struct err *err)
{
	int ret = machine_check(p, err);
	uint32_t n;

	*m = (struct machine){.platform = p};
	if (ret)
		return ret;
	n = sort_cores(m);
	if (!n) {
		machine_release(m);
		return err_set(err, -ENODEV,
			       "no core of platform '%s' is usable\n"
			       "  its affinity mask was empty: run perseus calibrate again",
			       p->name ? p->name : "");
	}
	make_units(m, n);
	make_domains(m);
	make_steps(m);
	machine_halting(m);
	make_pairs(m);
	make_classes(m);
	return 0;
}

void machine_release(struct machine *m)
{
	for (uint32_t d = 0; d < m->n_domains; d++)
		free(m->domains[d].units);
	free(m->domains);
	free(m->units);
	free(m->cores);
	free(m->packages);
	free(m->group_class);
	free(m->busy_mw);
	free(m->idle_mw);
	free(m->distance);
	free(m->migrate);
	*m = (struct machine){0};
}

uint32_t machine_core_id(const struct machine *m, uint32_t unit, uint32_t nth)
{
	const struct unit *u = &m->units[unit];

	return m->platform->cores[m->cores[u->first + nth % u->n_cores]].id;
}

uint32_t machine_unit_of(const struct machine *m, uint32_t id)
{
	for (uint32_t u = 0; u < m->n_units; u++)
		for (uint32_t k = 0; k < m->units[u].n_cores; k++)
			if (machine_core_id(m, u, k) == id)
				return u;
	return MACHINE_NONE;
}
