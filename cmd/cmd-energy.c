/* SPDX-License-Identifier: MIT */
/* perseus energy: models of power from counts.  See perseus-energy(1). */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/option.h"
#include "cmd/energy/energy.h"
#include "yaml/platform.h"

extern const struct cmd cmd_energy;

static int energy_take_unit(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	static const char *const units[] = {"W", "mW", "uW", NULL};
	const char **unit = to;
	int i = option_choice(cmd, name, value, units);

	if (i < 0)
		return CMD_USAGE;
	*unit = units[i];
	return 0;
}

static int energy_take_method(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	enum energy_method *method = to;
	int i = option_choice(cmd, name, value, energy_methods);

	if (i < 0)
		return CMD_USAGE;
	*method = (enum energy_method)i;
	return 0;
}

/* The names in @list, separated by commas. */
static int energy_take_names(const struct cmd *cmd, const char *name, const char *list, void *to)
{
	struct energy_names *names = to;

	(void)cmd, (void)name;
	for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',') {
		p += strspn(p, " ");
		if (strcspn(p, ","))
			vec_push(names, mem_strndup(p, strcspn(p, ",")));
	}
	return 0;
}

static int energy_take_least(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	(void)name;
	return cmd_fail_on(cmd, value, to);
}

/* ROLE=NAME */
static int energy_take_column(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct energy_columns *c = to;
	const char *equal = strchr(value, '=');

	for (int r = 0; equal && equal[1] && r < ENERGY_ROLES; r++) {
		const char *role = energy_role_name((enum energy_role)r);

		if (strlen(role) != (size_t)(equal - value) || strncmp(role, value, strlen(role)))
			continue;
		c->name[r] = equal + 1;
		return 0;
	}
	return cmd_usage(
		cmd,
		"--%s=%s: expected ROLE=NAME, of the roles power, program, family, run, cores, frequency, "
		"voltage, seconds, enabled and running",
		name, value);
}

static int energy_take_meter(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	static const char *const kinds[] = {"powercap", "pmu", "hwmon-energy", "hwmon-power", "auto", NULL};
	struct energy_request *r = to;
	int i = option_choice(cmd, name, value, kinds);

	if (i < 0)
		return CMD_USAGE;
	r->train.kind = (enum meter_kind)i;
	r->train_given = true;
	return 0;
}

static int parse(int argc, char **argv, struct energy_request *r)
{
	struct energy_columns *c = &r->fit.columns;
	uint64_t most = 0;
	const struct option_row rows[] = {
		OPTION_TEXT('o', "output", &r->output),
		OPTION_CALL("model", energy_take_method, &r->fit.method),
		OPTION_COUNT("most-events", &most, 1, ENERGY_MAX_EVENTS, "events"),
		OPTION_CALL("test", energy_take_names, &r->test),
		OPTION_FLAG(0, "verbose", &r->verbose),
		OPTION_FLAG(0, "json", &r->json),
		OPTION_CALL("fail-on", energy_take_least, &r->least),
		OPTION_CALL("column", energy_take_column, c),
		OPTION_TEXT(0, "events", &c->events),
		OPTION_TEXT(0, "no-events", &c->ignored),
		OPTION_CALL("power-unit", energy_take_unit, &c->power_unit),
		OPTION_CALL("energy", energy_take_meter, r),
		OPTION_TEXT(0, "sysroot", &r->train.sysroot),
		OPTION_TEXT(0, "compiler", &r->train.compiler),
		OPTION_TEXT(0, "sources", &r->train.sources),
		OPTION_FLAG(0, "on-time", &r->train.on_time),
		OPTION_FLAG(0, "no-steps", &r->no_steps),
		OPTION_TEXT(0, "socket", &r->socket),
		OPTION_COUNT("programs", &r->train.programs, 2, 2000, "programs"),
		OPTION_COUNT("seed", &r->train.seed, 0, UINT32_MAX, NULL),
		OPTION_REAL("seconds", &r->train.seconds, 0.01, 600, "seconds"),
		OPTION_REAL("time", &r->train.budget, 0.1, 1e7, "seconds"),
		OPTION_REAL("cores", &r->cores, 0.01, PLATFORM_MAX_CORES, "cores"),
		OPTION_END,
	};
	int ret = option_read(&cmd_energy, rows, argc, argv, OPTION_OPERANDS);

	r->fit.largest = most;
	r->fit.test = r->test.n ? &r->test : NULL;
	return ret;
}

static bool has_fit_options(const struct energy_request *r)
{
	return r->fit.largest || r->fit.test || r->fit.method || r->verbose;
}

static bool has_columns(const struct energy_columns *c)
{
	for (int i = 0; i < ENERGY_ROLES; i++)
		if (c->name[i])
			return true;
	return c->events || c->ignored || c->power_unit;
}

/* train takes --events, too: to count. */
static bool has_columns_but_events(const struct energy_request *r)
{
	struct energy_columns c = r->fit.columns;

	c.events = NULL;
	return has_columns(&c);
}

static bool has_train_options(const struct energy_request *r)
{
	const struct train_options *t = &r->train;

	return r->train_given || t->sysroot || t->compiler || t->sources || t->programs || t->on_time ||
	       r->no_steps || r->socket || t->seed || t->seconds > 0 || t->budget > 0;
}

/* What the one that was asked for, by its first letter, does not take. */
static int refuse_other(const struct energy_request *r, char what)
{
	if (what != 'c' && r->least >= 0)
		return cmd_usage(&cmd_energy, "--fail-on goes with check");
	if (what == 'c' && (r->output || has_fit_options(r)))
		return cmd_usage(&cmd_energy, "check takes no options of fit");
	if (what == 'w' && (has_fit_options(r) || has_columns(&r->fit.columns) || r->json))
		return cmd_usage(&cmd_energy, "watts takes -o and --cores");
	if (what != 'w' && what != 't' && r->cores > 0)
		return cmd_usage(&cmd_energy, "--cores goes with watts and train");
	if (what != 't' && has_train_options(r))
		return cmd_usage(&cmd_energy,
				 "--energy, --sysroot, --compiler, --sources, --programs, --seed, --seconds, "
				 "--time, --on-time, --no-steps and --socket go with train");
	if (what == 't' && r->cores > 0 && r->cores < 1)
		return cmd_usage(&cmd_energy, "train: at least one core");
	if (what == 't' && (has_fit_options(r) || r->json || has_columns_but_events(r)))
		return cmd_usage(&cmd_energy, "train takes no options of fit");
	if (r->fit.largest && (r->fit.method == ENERGY_NNLS || r->fit.method == ENERGY_ROBUST))
		return cmd_usage(&cmd_energy,
				 "--most-events goes with --model=ols or ridge: the best events of least "
				 "squares are not those of %s",
				 r->fit.method == ENERGY_NNLS ? "nnls, which leaves out what it needs not"
							      : "robust, which leaves out rows");
	if (what == 'f' && r->json && r->output && !strcmp(r->output, "-"))
		return cmd_usage(&cmd_energy, "--json and -o - both write to stdout");
	return 0;
}

static int run_request(struct energy_request *r, char **words, int n)
{
	static const struct {
		const char *name, *expected;
		int words;
	} known[] = {{"fit", "a table", 2},
		     {"check", "a model and a table", 3},
		     {"watts", "a model and a platform", 3},
		     {"train", "no words", 1}};
	size_t i = 0;
	int ret;

	while (n && i < 4 && strcmp(words[0], known[i].name))
		i++;
	if (!n || i == 4)
		return cmd_usage(&cmd_energy,
				 n ? "'%s' is none of train, fit, check and watts"
				   : "expected train, fit, check or watts",
				 words[0]);
	ret = refuse_other(r, *words[0]);
	if (ret)
		return ret;
	if (n != known[i].words)
		return cmd_usage(&cmd_energy, "%s: expected %s", words[0], known[i].expected);
	if (i == 3)
		return energy_run_train(&cmd_energy, r);
	if (i == 2) {
		r->cores = r->cores > 0 ? r->cores : 1;
		return energy_run_watts(&cmd_energy, r, words[1], words[2]);
	}
	if (!r->output)
		r->output = "energy.yaml";
	return i ? energy_run_check(&cmd_energy, r, words[1], words[2])
		 : energy_run_fit(&cmd_energy, r, words[1]);
}

static int run(int argc, char **argv)
{
	struct energy_request r = {.least = -1, .train.kind = METER_KINDS};
	int ret = parse(argc, argv, &r);

	if (!ret)
		ret = run_request(&r, argv + optind, argc - optind);
	for (size_t i = 0; i < r.test.n; i++)
		free(r.test.at[i]);
	vec_release(&r.test);
	return ret;
}

const struct cmd cmd_energy = {
	.name = "energy",
	.summary = "train, fit and test models of power from event counts",
	.reads = "table of counts and watts",
	.writes = "energy.yaml",
	.usage = "usage: perseus energy train [-o FILE] [--time SECONDS] [--programs N] [--seconds S]\n"
		 "                            [--cores N] [--events LIST] [--on-time] [--no-steps]\n"
		 "                            [--socket PATH] [--energy METER] [--seed N]\n"
		 "                            [--compiler GCC] [--sources DIR] [--sysroot DIR]\n"
		 "       perseus energy fit TABLE [-o FILE] [--model NAME] [--most-events N]\n"
		 "                          [--test LIST] [COLUMNS] [--verbose] [--json]\n"
		 "       perseus energy check FILE TABLE [COLUMNS] [--fail-on PERCENT] [--json]\n"
		 "       perseus energy watts FILE PLATFORM [-o FILE] [--cores N]\n"
		 "\n"
		 "train: runs programs of known kinds of work under the meter and the counters of this\n"
		 "machine, a row of the table each; goes on where an earlier call ended.\n"
		 "fit: from a table with a row for each interval (power, program, counts of events;\n"
		 "tabs, commas or semicolons, plain or gzip) the watts that events cost, by\n"
		 "frequency, and by all frequencies where voltages are known.  Each event is judged\n"
		 "first.  All errors are of rows whose program took no part in the fit.\n"
		 "check: how far a model is off on other programs, and how many of their rows its\n"
		 "interval holds or are marked as extrapolation.\n"
		 "watts: fills the watts of a platform file from a model, with what they may be off by.\n"
		 "\n"
		 "  -o, --output=FILE      where to write (default energy.yaml, of watts PLATFORM; `-` "
		 "stdout)\n"
		 "      --model=NAME       nnls (default: no weight below 0), ols, ridge or robust\n"
		 "      --most-events=N    with ols or ridge: the best N, by exact search (default: all)\n"
		 "      --test=LIST        programs left out of one more fit and tested\n"
		 "      --verbose          each event and each weight\n"
		 "      --json             as JSON\n"
		 "      --fail-on=PERCENT  status 1 if fewer rows are held or marked\n"
		 "      --cores=N          watts: cores that were busy in training, on average (default 1);\n"
		 "                         train: up to so many (default all)\n"
		 "\n"
		 "train:\n"
		 "      --time=SECONDS     stop after so long (default 1800)\n"
		 "      --programs=N       so many (default 100): one of each kind of work, and mixes\n"
		 "      --seconds=S        how long each runs (default 2)\n"
		 "      --seed=N           of the mixes (default 1)\n"
		 "      --energy=METER     powercap, pmu, hwmon-energy, hwmon-power, or auto\n"
		 "      --events=LIST      to count (default: generic ones, as many as fit)\n"
		 "      --on-time          for how long each core had a thread is an event, too\n"
		 "      --no-steps         leave the frequency alone; else each step that perseusd lends\n"
		 "      --socket=PATH      of perseusd, instead of /run/perseus/control\n"
		 "      --compiler=GCC     (default gcc)\n"
		 "      --sources=DIR      keep the programs there\n"
		 "      --sysroot=DIR      meters below DIR\n"
		 "\n"
		 "COLUMNS, by default found by their names:\n"
		 "      --column=ROLE=NAME what a column is: power, program (left out together), family\n"
		 "                         (of programs that are alike), run, cores (in use),\n"
		 "                         frequency, voltage, seconds (length of the interval),\n"
		 "                         enabled, running (time to be counted, and counted)\n"
		 "      --events=LIST      columns, separated by commas (default: all others)\n"
		 "      --no-events=LIST   columns that are none\n"
		 "      --power-unit=UNIT  W, mW or uW, whatever the name says\n"
		 "\n"
		 "Exit status: 0 done; 1 --fail-on; 2 usage; 3 no meter, or not written; 4 the table\n"
		 "has a mistake (said with line and column) or too little in it.\n",
	.run = run,
};
