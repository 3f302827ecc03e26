/* SPDX-License-Identifier: MIT */
#include "report/time/order.h"

#include <stdlib.h>

#include "lib/mem.h"

/* The summary is sorted by self time, so place in it decides ties. */
#define FALLING(name, type, member)                                                                          \
	static int name(const void *a, const void *b)                                                        \
	{                                                                                                    \
		const type *x = *(const type *const *)a, *y = *(const type *const *)b;                       \
                                                                                                             \
		if (x->member != y->member)                                                                  \
			return x->member > y->member ? -1 : 1;                                               \
		return (x > y) - (x < y);                                                                    \
	}

FALLING(function_by_total, struct report_function, total_ns)
FALLING(function_by_calls, struct report_function, calls)
FALLING(site_by_total, struct report_site, total_ns)
FALLING(site_by_calls, struct report_site, calls)

const struct report_function **order_functions(const struct report_summary *s, enum report_sort sort)
{
	const struct report_function **out = mem_new(s->n_functions + 1, sizeof(*out));

	for (size_t i = 0; i < s->n_functions; i++)
		out[i] = &s->functions[i];
	if (sort != REPORT_BY_SELF)
		qsort(out, s->n_functions, sizeof(*out),
		      sort == REPORT_BY_TOTAL ? function_by_total : function_by_calls);
	return out;
}

const struct report_site **order_sites(const struct report_summary *s, enum report_sort sort)
{
	const struct report_site **out = mem_new(s->n_sites + 1, sizeof(*out));

	for (size_t i = 0; i < s->n_sites; i++)
		out[i] = &s->sites[i];
	if (sort != REPORT_BY_SELF)
		qsort(out, s->n_sites, sizeof(*out), sort == REPORT_BY_TOTAL ? site_by_total : site_by_calls);
	return out;
}

static int by_thread(const void *a, const void *b)
{
	const struct report_thread *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

int64_t report_thread_at(const struct report_summary *s, const struct run_process *p, uint32_t thread)
{
	struct report_thread key = {.process = p, .index = thread};
	const struct report_thread *at =
		bsearch(&key, s->threads, s->n_threads_listed, sizeof(*s->threads), by_thread);

	return at ? at - s->threads : -1;
}
