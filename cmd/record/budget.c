/* SPDX-License-Identifier: MIT */
#include "cmd/record/budget.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/num.h"

#define PERCENT_MIN 0.01
#define PERCENT_MAX 100.0

int record_budget_parse(const char *text, uint32_t *ppm, struct err *err)
{
	char number[32];
	size_t n = strlen(text);
	double percent;

	if (n && text[n - 1] == '%')
		n--;
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (n >= sizeof(number) || num_double(number, PERCENT_MIN, PERCENT_MAX, &percent))
		return err_set(err, -EINVAL,
			       "--budget=%s: expected 0.01%% to 100%% of the CPU time, as in --budget=3%%",
			       text);
	*ppm = (uint32_t)(percent * 10000 + 0.5);
	return 0;
}

int record_budget_check(uint32_t ppm, bool sharing, bool trace, struct err *err)
{
	if (!ppm || (!sharing && !trace))
		return 0;
	return err_set(err, -EINVAL, "--budget goes without %s, which sees every %s whatever it costs",
		       sharing ? "--purpose=sharing" : "--trace", sharing ? "access" : "call");
}
