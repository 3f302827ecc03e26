/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "daemon/problem.h"

int problem_set(struct problem *problem, int status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(problem->text, sizeof(problem->text), format, ap);
	va_end(ap);
	problem->status = status;
	return status;
}
