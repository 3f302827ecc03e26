/* SPDX-License-Identifier: MIT */
/* perseus calibrate: this machine -> platform.yaml.  See perseus-calibrate(1). */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/calibrate/print.h"
#include "cmd/calibrate/show.h"
#include "cmd/ctl/calibrate.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "platform/calibrate.h"
#include "platform/denormal/denormal.h"
#include "platform/topology.h"

extern const struct cmd cmd_calibrate;

struct options {
	const char *output;
	const char *name;
	const char *sysroot;
	const char *socket; /* of perseusd, NULL: the usual one */
	bool list, quick, no_steps, snoops, show;
};

static int take_sysroot(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	const char **sysroot = to;

	(void)cmd, (void)name;
	*sysroot = strcmp(value, "/") ? value : "";
	return 0;
}

static int calibrate_parse(int argc, char **argv, struct options *o)
{
	const struct option_row rows[] = {
		OPTION_TEXT('o', "output", &o->output),
		OPTION_FLAG(0, "list", &o->list),
		OPTION_CALL("sysroot", take_sysroot, &o->sysroot),
		OPTION_FLAG(0, "quick", &o->quick),
		OPTION_TEXT(0, "name", &o->name),
		OPTION_TEXT(0, "socket", &o->socket),
		OPTION_FLAG(0, "no-steps", &o->no_steps),
		OPTION_FLAG(0, "snoops", &o->snoops),
		OPTION_FLAG(0, "show", &o->show),
		OPTION_END,
	};
	int ret;

	*o = (struct options){.output = "platform.yaml", .sysroot = ""};
	ret = option_read(&cmd_calibrate, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (optind < argc)
		return cmd_usage(&cmd_calibrate, "unexpected argument '%s'", argv[optind]);
	if ((o->snoops || o->show) && !strcmp(o->output, "-"))
		return cmd_usage(&cmd_calibrate, "--snoops and --show are of a file: -o FILE");
	return CMD_OK;
}

/* ---- --list ---- */

static void list_one(const char *argument, const struct platform *p)
{
	cmd_print("%-24s %-20s %3" PRIu32 " cores, %" PRIu32 " package%s, %.2f GHz, %s\n", argument, p->name,
		  p->n_cores, p->n_packages, p->n_packages == 1 ? "" : "s", p->steps[0].khz / 1e6,
		  p->energy_known ? "watts known" : "watts not known");
}

static bool is_yaml(const char *name)
{
	size_t len = strlen(name);

	return len > 5 && !strcmp(name + len - 5, ".yaml");
}

static int list(void)
{
	struct fs_names files = VEC_INIT;
	struct err err = ERR_INIT;
	struct platform p;
	int ret = 0;

	for (const char *const *name = platform_builtin_names(); *name && !ret; name++) {
		ret = platform_find(&p, *name, &err);
		if (ret)
			break;
		list_one(*name, &p);
		platform_release(&p);
	}
	if (!ret)
		ret = fs_list(".", is_yaml, &files, &err);
	if (ret)
		return cmd_fail(&cmd_calibrate, &err, cmd_status(&err));
	for (size_t i = 0; i < files.n && !err_is_fault(ret); i++) {
		/* Other documents live here as well; what is no platform is passed over. */
		ret = platform_load(&p, files.at[i], &err);
		if (!ret) {
			list_one(files.at[i], &p);
			platform_release(&p);
		}
	}
	fs_names_release(&files);
	return err_is_fault(ret) ? cmd_fail(&cmd_calibrate, &err, CMD_MACHINE) : CMD_OK;
}

/* ---- what was measured ---- */

static void show_progress(void *context, const char *what, double done)
{
	(void)context;
	cmd_again(stderr);
	cmd_say(stderr, "calibrating %3.0f %%  %s", done * 100, what);
}

static int calibrate_measure(const struct options *o, struct platform *p, struct err *err)
{
	bool tty = isatty(STDERR_FILENO);
	struct calibrate_control control = {.socket = o->socket};
	struct calibrate_options options = {.quick = o->quick,
					    .progress = tty ? show_progress : NULL,
					    .context = &control,
					    .find_control = o->no_steps ? NULL : calibrate_control_find};
	/* With the document on stdout, the talk goes to the other side. */
	FILE *out = strcmp(o->output, "-") ? stdout : stderr;
	struct calibrate_report report;
	int ret;

	if (*o->sysroot) {
		ret = platform_read(p, o->sysroot, err);
		if (!ret) {
			calibrate_print_platform(out, p);
			cmd_put(out, "note      a sysroot can be read, not measured: prices are not known\n");
		}
		return ret;
	}
	ret = platform_calibrate(p, &options, &report, err);
	if (tty)
		cmd_again(stderr);
	if (!ret && !platform_measure_denormals(p, o->quick))
		cmd_put(stderr,
			"note      what denormals cost was not measured: they are flushed to zero here, or "
			"it is not written for this processor\n");
	if (!ret) {
		calibrate_print(out, p, &report);
		calibrate_report_release(&report);
	}
	return ret;
}

/* A minute of measuring for a file that cannot be written would be a pity. */
static int check_output(const char *output, struct err *err)
{
	char *dir = mem_strdup(output), *slash = strrchr(dir, '/');
	int ret = 0;

	if (slash)
		*(slash == dir ? slash + 1 : slash) = '\0';
	if (strcmp(output, "-") && access(slash ? dir : ".", W_OK))
		ret = err_set(err, -errno, "cannot write '%s': %s\n  -o FILE names another place", output,
			      strerror(errno));
	free(dir);
	return ret;
}

static bool disturbed(const struct platform *p)
{
	return !p->source || strstr(p->source, "disturbed");
}

/* An earlier calibration of the same machine, undisturbed, at @path; false if there is none. */
static bool open_earlier(struct platform *old, const char *path, const struct platform *p)
{
	if (!strcmp(path, "-") || platform_load(old, path, NULL))
		return false;
	if (!disturbed(old) && !strncmp(old->source, "calibrated", 10) && old->n_cores == p->n_cores &&
	    old->cpu && p->cpu && !strcmp(old->cpu, p->cpu))
		return true;
	platform_release(old);
	return false;
}

/*
 * Write the document; beside the last one, if that is better.  What the last one
 * says of the same cores at another distance is kept.
 */
static int save(struct platform *p, const char *output, struct err *err)
{
	char beside[PATH_MAX];
	struct platform old;
	bool earlier = open_earlier(&old, output, p), keep = earlier && disturbed(p);
	int ret;

	if (earlier) {
		if (!keep)
			platform_keep_moved(p, &old);
		platform_release(&old);
	}
	calibrate_print_moved(strcmp(output, "-") ? stdout : stderr, p);
	snprintf(beside, sizeof(beside), "%s.disturbed", output);
	ret = platform_save(p, keep ? beside : output, err);
	if (ret || !strcmp(output, "-"))
		return ret;
	if (keep)
		cmd_print("kept '%s', which was calibrated without disturbance; this time's figures are in "
			  "'%s'\n",
			  output, beside);
	else
		cmd_print("wrote %s\n", output);
	return 0;
}

static int calibrate_run(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct options o;
	struct platform p;
	int ret = calibrate_parse(argc, argv, &o);

	if (ret)
		return ret;
	if (o.list)
		return list();
	if (o.show)
		return calibrate_show(&cmd_calibrate, o.output);
	if (check_output(o.output, &err))
		return cmd_fail(&cmd_calibrate, &err, cmd_write_status(&err));
	if (o.snoops)
		return calibrate_snoops(&cmd_calibrate, o.output, o.quick);
	if (calibrate_measure(&o, &p, &err))
		return cmd_fail(&cmd_calibrate, &err, cmd_status(&err));
	if (o.name) {
		free(p.name);
		p.name = mem_strdup(o.name);
	}
	ret = save(&p, o.output, &err);
	platform_release(&p);
	if (ret)
		return cmd_fail(&cmd_calibrate, &err, cmd_write_status(&err));
	return CMD_OK;
}

const struct cmd cmd_calibrate = {
	.name = "calibrate",
	.summary = "measure this machine's prices",
	.reads = "this machine",
	.writes = "platform.yaml",
	.usage = "usage: perseus calibrate [-o FILE] [--name NAME] [--quick] [--no-steps] [--socket PATH]\n"
		 "                         [--sysroot DIR] [--list] [--snoops] [--show]\n"
		 "\n"
		 "Reads the topology of this machine and measures what a plan must know: core\n"
		 "frequency, cost of a trigger, of moving a thread, and of sharing a cache line\n"
		 "between two cores, by kind of access and by distance; and, where perseusd lends\n"
		 "them or this user may set them, whether frequency steps have an effect and how long\n"
		 "a change takes.  The old setting comes back whatever happens.  Some seconds.\n"
		 "\n"
		 "  -o, --output=FILE   where to write the platform (default platform.yaml, `-` stdout)\n"
		 "      --name=NAME     its name (default: processor and number of cores)\n"
		 "      --quick         one pair of cores a distance, fewer rounds\n"
		 "      --no-steps      leave the frequencies alone\n"
		 "      --socket=PATH   of perseusd, default " PRS_CTL_SOCKET "\n"
		 "      --sysroot=DIR   read DIR/sys and DIR/proc of another machine; nothing is measured\n"
		 "      --snoops        the benchmark of a paper on shared lines instead, by the software\n"
		 "                      directory: to FILE.snoops (needs gcc; some minutes, --quick: "
		 "seconds)\n"
		 "      --show          show FILE, and FILE.snoops beside the paper's figures\n"
		 "      --list          show the built-in platforms and those in this directory\n\n"
		 "Exit status: 0 written; 2 usage; 3 this machine cannot, or the file cannot be\n"
		 "written; 4 no machine below the sysroot.\n",
	.run = calibrate_run,
};
