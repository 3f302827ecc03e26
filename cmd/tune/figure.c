/* SPDX-License-Identifier: MIT */
#include "cmd/tune/figure.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/num.h"
#include "lib/spawn/words.h"

double figure_of(const struct figure_run *run, const char *name)
{
	if (!strcmp(name, "seconds"))
		return run->seconds;
	if (!strcmp(name, "memory_mb"))
		return run->memory_mb;
	if (!strcmp(name, "joules"))
		return run->joules < 0 ? NAN : run->joules;
	return words_figure(run->text, name);
}

int figure_limit_parse(struct figure_limit *l, const char *text, struct err *err)
{
	size_t len = strcspn(text, "<>= \t");
	const char *op = text + len + strspn(text + len, " \t"), *number = op + strspn(op, "<>=");
	size_t n = (size_t)(number - op);

	*l = (struct figure_limit){.least = *op == '>', .strict = n == 1};
	number += strspn(number, " \t");
	if (!len || len >= sizeof(l->name) || (*op != '<' && *op != '>') || n > 2 ||
	    (n == 2 && op[1] != '=') || num_double(number, -1e300, 1e300, &l->than))
		return err_set(err, -EINVAL, "--require=%s: expected NAME <= NUMBER, or <, >=, >", text);
	memcpy(l->name, text, len);
	return 0;
}

bool figure_limit_kept(const struct figure_limit *l, const struct figure_run *run)
{
	double value = figure_of(run, l->name);

	if (isnan(value))
		return false;
	if (value == l->than)
		return !l->strict;
	return l->least ? value > l->than : value < l->than;
}
