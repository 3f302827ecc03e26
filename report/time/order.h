/* SPDX-License-Identifier: MIT */
/* Functions and sites of a summary in the order that a view asks for, and where its threads stand. */
#ifndef PERSEUS_REPORT_TIME_ORDER_H
#define PERSEUS_REPORT_TIME_ORDER_H

#include "report/time/types.h"

/* Pointers into the summary, falling by @sort, ties by self time; the caller frees the array. */
const struct report_function **order_functions(const struct report_summary *s, enum report_sort sort);
const struct report_site **order_sites(const struct report_summary *s, enum report_sort sort);

/* Where thread @thread of @p stands among the threads of the summary, -1: it is not listed. */
int64_t report_thread_at(const struct report_summary *s, const struct run_process *p, uint32_t thread);

#endif
