/* SPDX-License-Identifier: MIT */
#include "cmd/record/energy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/base/print.h"

static int take_kind(struct record_energy *e, const char *value, struct err *err)
{
	e->wanted = true;
	e->kind = METER_KINDS;
	e->none = value && !strcmp(value, "none");
	if (!value || e->none || !strcmp(value, "auto"))
		return 0;
	for (int k = 0; k < METER_KINDS; k++)
		if (!strcmp(value, meter_kind_name((enum meter_kind)k))) {
			e->kind = (enum meter_kind)k;
			return 0;
		}
	return err_set(err, -EINVAL,
		       "--energy=%s: expected auto, powercap, pmu, hwmon-energy, hwmon-power or none", value);
}

int record_energy_option(struct record_energy *e, const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "energy"))
		return take_kind(e, value, err);
	meter_file_options_release(&e->file);
	return meter_file_options_parse(&e->file, value, err);
}

int record_energy_check(const struct record_energy *e, bool part, bool counts, struct err *err)
{
	if (!e->wanted && (e->file.path || e->sysroot))
		return err_set(err, -EINVAL, "--%s is for joules: add --energy",
			       e->file.path ? "meter" : "sysroot");
	if (e->wanted && part)
		return err_set(
			err, -EINVAL,
			"--energy is of the whole run: without --start-signal, --delay and --duration");
	if (e->wanted && counts)
		return err_set(err, -EINVAL, "--energy goes with --purpose=timing or sharing");
	return 0;
}

int record_energy_start(struct record_energy *e, struct err *err)
{
	struct meter *m = NULL;

	if (!e->wanted)
		return 0;
	if (e->none)
		err_set(&e->absent, -ENOENT, "no meter was asked for (--energy=none)");
	else if (!e->file.path && meter_open(&m, e->kind, e->sysroot ? e->sysroot : "", &e->absent))
		cmd_say(stderr, "perseus record: joules are not measured: %s\n", e->absent.msg);
	return energy_watch_start(&e->watch, m, e->sysroot ? e->sysroot : "", err);
}

int *record_energy_pid(struct record_energy *e)
{
	return e->watch ? energy_watch_pid(e->watch) : NULL;
}

void record_energy_begin(struct record_energy *e)
{
	if (e->watch)
		energy_watch_begin(e->watch);
}

void record_energy_end(struct record_energy *e)
{
	if (!e->watch)
		return;
	energy_watch_end(e->watch);
	energy_watch_finish(e->watch, &e->joules);
	e->watch = NULL;
	e->measured = true;
	if (e->absent.code)
		joules_absent(&e->joules, e->absent.msg);
}

static void energy_say(const struct joules *j)
{
	if (j->source)
		cmd_say(stderr, "energy    %.4g J in %.3g s (%.3g W), measured +- %.2g %% by %s\n", j->joules,
			j->seconds, j->joules / j->seconds, 100 * j->error, j->source);
	else
		cmd_say(stderr, "energy    not measured: %s\n", j->reason);
	cmd_say(stderr,
		j->source ? "          perseus report --energy has it by function, thread and phase\n"
			  : "          perseus report --energy --energy-model=FILE tells it from a model\n");
}

int record_energy_write(struct record_energy *e, const char *dir, bool quiet, struct err *err)
{
	struct err refused = ERR_INIT;
	char path[PATH_MAX];
	int ret;

	if (!e->measured)
		return 0;
	if (e->file.path && meter_file_measure(&e->joules, &e->file, &refused))
		cmd_say(stderr, "perseus record: joules are not known: %s\n", refused.msg);
	if (snprintf(path, sizeof(path), "%s/" JOULES_FILE, dir) >= (int)sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the path of the run is too long");
	ret = joules_save(&e->joules, path, err);
	if (!ret && !quiet)
		energy_say(&e->joules);
	return ret;
}

void record_energy_release(struct record_energy *e)
{
	meter_file_options_release(&e->file);
	if (e->measured)
		joules_release(&e->joules);
}
