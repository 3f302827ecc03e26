/* SPDX-License-Identifier: MIT */
#include "analyzer/energy/data/columns.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "lib/strbuf.h"

/* Names by which a column is known: a part of it, or its first word with nothing but units behind it. */
static const struct {
	enum energy_role role;
	const char *part;
	bool whole;
} known[] = {
	{ENERGY_IGNORED, "timestamp", false},
	{ENERGY_IGNORED, "temperature", false},
	{ENERGY_IGNORED, "current(", false},
	{ENERGY_IGNORED, "ampere", false},
	{ENERGY_IGNORED, "date", true},
	{ENERGY_IGNORED, "joules", true},
	{ENERGY_POWER, "power", false},
	{ENERGY_POWER, "watt", false},
	{ENERGY_PROGRAM, "benchmark", true},
	{ENERGY_PROGRAM, "program", true},
	{ENERGY_PROGRAM, "workload", true},
	{ENERGY_PROGRAM, "program_name", true},
	{ENERGY_FAMILY, "family", true},
	{ENERGY_FAMILY, "suite", true},
	{ENERGY_RUN, "run", true},
	{ENERGY_RUN, "run_id", true},
	{ENERGY_CORES, "cores", true},
	{ENERGY_CORES, "n_cores", true},
	{ENERGY_CORES, "number of cores", true},
	{ENERGY_MHZ, "frequency", false},
	{ENERGY_MHZ, "freq", true},
	{ENERGY_MHZ, "cpu_freq", true},
	{ENERGY_MHZ, "mhz", true},
	{ENERGY_MHZ, "ghz", true},
	{ENERGY_MHZ, "cpu_mhz", true},
	{ENERGY_VOLT, "voltage", false},
	{ENERGY_VOLT, "volt", true},
	{ENERGY_VOLT, "volts", true},
	{ENERGY_ENABLED, "time_enabled", true},
	{ENERGY_RUNNING, "time_running", true},
	{ENERGY_SECONDS, "seconds", true},
	{ENERGY_SECONDS, "duration", true},
	{ENERGY_SECONDS, "elapsed", true},
	{ENERGY_SECONDS, "interval", true},
	{ENERGY_SECONDS, "duration_seconds", true},
	{ENERGY_SECONDS, "elapsed seconds", true},
};

/* Words of a name that are units, in any case; to what struct energy_row has. */
static const struct {
	enum energy_role role;
	const char *unit;
	double scale;
} units[] = {
	{ENERGY_POWER, "W", 1},
	{ENERGY_POWER, "mW", 1e-3},
	{ENERGY_POWER, "uW", 1e-6},
	{ENERGY_POWER, "\xc2\xb5W", 1e-6},
	{ENERGY_POWER, "\xce\xbcW", 1e-6},
	{ENERGY_POWER, "watts", 1},
	{ENERGY_POWER, "milliwatts", 1e-3},
	{ENERGY_POWER, "microwatts", 1e-6},
	{ENERGY_MHZ, "MHz", 1},
	{ENERGY_MHZ, "kHz", 1e-3},
	{ENERGY_MHZ, "GHz", 1e3},
	{ENERGY_MHZ, "Hz", 1e-6},
	{ENERGY_VOLT, "V", 1},
	{ENERGY_VOLT, "mV", 1e-3},
	{ENERGY_SECONDS, "s", 1},
	{ENERGY_SECONDS, "ms", 1e-3},
	{ENERGY_SECONDS, "us", 1e-6},
	{ENERGY_SECONDS, "ns", 1e-9},
	{ENERGY_SECONDS, "seconds", 1},
};

#define N(array) (sizeof(array) / sizeof(*(array)))

const char *energy_role_name(enum energy_role role)
{
	static const char *const names[] = {"power",     "program", "family",  "run",     "cores",
					    "frequency", "voltage", "seconds", "enabled", "running"};

	return role < ENERGY_ROLES ? names[role] : role == ENERGY_EVENT ? "event" : "ignored";
}

/* A character of a word; bytes beyond ASCII are, since a micro sign is. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80;
}

/* The unit of @role that the word of @len bytes at @word is: its index in units[], or -1. */
static int unit_word(enum energy_role role, const char *word, size_t len)
{
	for (size_t i = 0; i < N(units); i++)
		if (units[i].role == role && strlen(units[i].unit) == len &&
		    !strncasecmp(units[i].unit, word, len))
			return (int)i;
	return -1;
}

/* Is @name @part, with nothing behind it but units of @role? */
static bool is_whole(const char *name, const char *part, enum energy_role role)
{
	size_t n = strlen(part), len;

	if (strncasecmp(name, part, n) || is_letter(name[n]))
		return false;
	for (name += n; *name; name += len) {
		for (len = 0; is_letter(name[len]);)
			len++;
		if (len && unit_word(role, name, len) < 0)
			return false;
		len += !len;
	}
	return true;
}

static enum energy_role role_by_name(const char *name)
{
	for (size_t i = 0; i < N(known); i++)
		if (known[i].whole ? is_whole(name, known[i].part, known[i].role)
				   : strcasestr(name, known[i].part) != NULL)
			return known[i].role;
	return ENERGY_EVENT;
}

/* Is @name one of the names in @list, separated by commas? */
static bool is_listed(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == n && !strncasecmp(p, name, n))
			return true;
	return false;
}

/* The unit in @name: the index in units[] of its last word that is one, or -1. */
static int unit_of(enum energy_role role, const char *name)
{
	int found = -1;
	size_t len;

	for (; *name; name += len) {
		int unit;

		for (len = 0; is_letter(name[len]);)
			len++;
		unit = unit_word(role, name, len);
		found = unit < 0 ? found : unit;
		len += !len;
	}
	return found;
}

static int list_names(char *const *name, int n, struct err *err)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, "its columns are:");
	for (int i = 0; i < n && sb.len < 300; i++)
		strbuf_printf(&sb, "%s '%s'", i ? "," : "", name[i]);
	err_advise(err, "%s", sb.s);
	strbuf_release(&sb);
	return err->code;
}

/* Each name that the caller gives is a column. */
static int check_given(const struct energy_table *t, char *const *name, int n, const char *given,
		       struct err *err)
{
	for (const char *p = given; p && *p; p += strcspn(p, ","), p += *p == ',') {
		int len = (int)strcspn(p, ","), i = 0;

		while (i < n && !(strlen(name[i]) == (size_t)len && !strncasecmp(name[i], p, (size_t)len)))
			i++;
		if (i == n) {
			err_set(err, -EINVAL, "'%s' has no column '%.*s'", t->path, len, p);
			return list_names(name, n, err);
		}
	}
	return 0;
}

static enum energy_role role_of(const char *name, const struct energy_columns *c)
{
	enum energy_role role;

	for (int r = 0; r < ENERGY_ROLES; r++)
		if (c->name[r] && !strcasecmp(c->name[r], name))
			return (enum energy_role)r;
	if (is_listed(c->ignored, name))
		return ENERGY_IGNORED;
	if (c->events)
		role = is_listed(c->events, name) ? ENERGY_EVENT : role_by_name(name);
	else
		role = role_by_name(name);
	if (c->events && role == ENERGY_EVENT && !is_listed(c->events, name))
		return ENERGY_IGNORED;
	if (role < ENERGY_ROLES && c->name[role]) /* another column was named for it */
		return ENERGY_IGNORED;
	return role;
}

/* @column has @role now: set its unit. */
static void set_unit(struct energy_table *t, enum energy_role role, const char *name,
		     const struct energy_columns *c)
{
	int unit = unit_of(role, name);

	t->has[role] = true;
	t->scale[role] = unit < 0 ? 1 : units[unit].scale;
	if (role != ENERGY_POWER)
		return;
	t->unit_of_power = unit < 0                    ? NULL
			   : units[unit].scale == 1    ? "W"
			   : units[unit].scale == 1e-3 ? "mW"
						       : "uW";
	for (size_t i = 0; c->power_unit && i < N(units); i++)
		if (units[i].role == ENERGY_POWER && !strcmp(units[i].unit, c->power_unit)) {
			t->unit_of_power = units[i].unit;
			t->scale[role] = units[i].scale;
		}
}

int energy_columns_find(struct energy_table *t, char *const *name, int n,
			const struct energy_columns *columns, enum energy_role *role, struct err *err)
{
	int column[ENERGY_ROLES];

	for (int r = 0; r < ENERGY_ROLES; r++) {
		for (int q = 0; q < r; q++)
			if (columns->name[r] && columns->name[q] &&
			    !strcasecmp(columns->name[r], columns->name[q]))
				return err_set(err, -EINVAL, "the column '%s' is said to be both %s and %s",
					       columns->name[r], energy_role_name((enum energy_role)q),
					       energy_role_name((enum energy_role)r));
		t->scale[r] = 1;
		if (check_given(t, name, n, columns->name[r], err))
			return err->code;
	}
	if (check_given(t, name, n, columns->events, err) || check_given(t, name, n, columns->ignored, err))
		return err->code;
	for (int i = 0; i < n; i++) {
		role[i] = role_of(name[i], columns);
		if (role[i] >= ENERGY_ROLES)
			continue;
		if (t->has[role[i]])
			return err_set(
				err, -EINVAL,
				"'%s': both '%s' and '%s' could be the %s\n  --column=%s=NAME names one",
				t->path, name[column[role[i]]], name[i], energy_role_name(role[i]),
				energy_role_name(role[i]));
		column[role[i]] = i;
		set_unit(t, role[i], name[i], columns);
	}
	if (t->has[ENERGY_ENABLED] != t->has[ENERGY_RUNNING])
		return err_set(err, -EINVAL, "'%s' has one of the columns time_enabled and time_running: %s",
			       t->path, "both are needed to know how long events were counted");
	if (!t->has[ENERGY_POWER] && !columns->no_power) {
		err_set(err, -EINVAL, "'%s' has no column of power\n  --column=power=NAME names it", t->path);
		return list_names(name, n, err);
	}
	return 0;
}
