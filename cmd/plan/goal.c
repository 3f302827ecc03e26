/* SPDX-License-Identifier: MIT */
#include "cmd/plan/goal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/num.h"

#define MAX_TEXT    64
#define MAX_PERCENT 100000.0
#define MAX_NS      9e18
#define MAX_WATTS   1e9

/* Split @text into a number and what follows it, blanks between them left out; NULL if it is too long. */
static const char *goal_split(const char *text, char *number)
{
	size_t n = strspn(text, "0123456789.eE"), len = strlen(text);

	/* An exponent's sign belongs to the number; a unit's letter does not. */
	if (n && len < MAX_TEXT && (text[n] == '-' || text[n] == '+') &&
	    (text[n - 1] == 'e' || text[n - 1] == 'E'))
		n += 1 + strspn(text + n + 1, "0123456789");
	if (!n || len >= MAX_TEXT)
		return NULL;
	memcpy(number, text, n);
	number[n] = '\0';
	return text + n + strspn(text + n, " ");
}

static double unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 6e10}, {"h", 3.6e12}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

int plan_goal_limit(const struct cmd *cmd, const char *what, const char *text, struct limit *out)
{
	bool relative = text[0] == '+';
	char number[MAX_TEXT];
	const char *rest = goal_split(text + relative, number);
	double x;

	if (relative && rest && !strcmp(rest, "%") && !num_double(number, 0, MAX_PERCENT, &x)) {
		*out = (struct limit){.relative = true, .permille = (uint32_t)(x * 10 + 0.5)};
		return CMD_OK;
	}
	if (!relative && rest && unit_ns(rest) > 0 && !num_double(number, 0, MAX_NS, &x) &&
	    x * unit_ns(rest) >= 1 && x * unit_ns(rest) <= MAX_NS) {
		*out = (struct limit){.ns = (uint64_t)(x * unit_ns(rest))};
		return CMD_OK;
	}
	return cmd_usage(
		cmd,
		"'%s' is not a valid %s, expected a time with its unit (8s, 250ms) or what the baseline "
		"takes and more (+10%%)",
		text, what);
}

int plan_goal_cap(const struct cmd *cmd, const char *text, uint64_t *mw)
{
	char number[MAX_TEXT];
	const char *rest = goal_split(text, number);
	double watts;

	if (!rest || (*rest && strcmp(rest, "W")) || num_double(number, 0.001, MAX_WATTS, &watts))
		return cmd_usage(
			cmd, "'%s' is not a valid power cap, expected watts above 0, for instance 65", text);
	*mw = (uint64_t)(watts * 1000 + 0.5);
	return CMD_OK;
}
