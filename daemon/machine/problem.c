/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "daemon/machine/problem.h"

void problem_show(char *text)
{
	for (; *text; text++)
		if (((unsigned char)*text < 0x20 && *text != '\n') || (unsigned char)*text >= 0x7f)
			*text = '?';
}

int problem_set(struct problem *problem, int status, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(problem->text, sizeof(problem->text), format, ap);
	va_end(ap);
	problem_show(problem->text);
	problem->status = status;
	return status;
}
