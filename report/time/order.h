/* SPDX-License-Identifier: MIT */
/* Functions and sites of a summary in the order that a view asks for. */
#ifndef PERSEUS_REPORT_TIME_ORDER_H
#define PERSEUS_REPORT_TIME_ORDER_H

#include "report/time/types.h"

/* Pointers into the summary, falling by @sort, ties by self time; the caller frees the array. */
const struct report_function **order_functions(const struct report_summary *s, enum report_sort sort);
const struct report_site **order_sites(const struct report_summary *s, enum report_sort sort);

#endif
