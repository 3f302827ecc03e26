/* SPDX-License-Identifier: MIT */
#include "cmd/record/counts.h"

#include <errno.h>

#include "cmd/record/unprobed.h"
#include "record/denormal/run.h"
#include "recorder/counts.h"
#include "report/denormal/report.h"

#define HOW                                                                                                  \
	"rebuild it with -fplugin-arg-perseus-probe=denormal beside -fplugin=perseus.so, without\n  "        \
	"-ffast-math"
#define LINK                                                                                                 \
	"compiled with -flto and\n  the plugin but linked without it: add -fplugin=perseus.so and its "      \
	"arguments to the link step"

int record_counts_check(const struct record_options *o, struct err *err)
{
	const char *what = o->sharing             ? "--sharing"
			   : o->trace.wanted      ? "--trace"
			   : o->events.n          ? "--events"
			   : o->budget_ppm        ? "--budget"
			   : o->start.signal      ? "--start-signal"
			   : o->start.delay_ns    ? "--delay"
			   : o->start.duration_ns ? "--duration"
						  : NULL;

	if (!what)
		return 0;
	return err_set(err, -EINVAL,
		       "%s does not go with --purpose=denormal, which counts the whole run and times nothing",
		       what);
}

int record_counts_possible(const struct target *t, const char *program, struct err *err)
{
	if (!t->is_elf || t->elf.interpreter)
		return 0;
	err_set(err, -ENOTSUP,
		"'%s' is statically linked: the library that keeps the counts cannot be preloaded", program);
	return err_advise(err, "link it dynamically");
}

/* Units that were to count and do not; of a program that counts the report tells them. */
static size_t unlinked_units(const struct target *t)
{
	bool others;

	return t->is_elf && t->elf.has_sites && !counts_wanted(t->real) ? record_unlinked(t->real, &others)
									: 0;
}

void record_counts_warn(const struct target *t, const char *program)
{
	size_t unlinked = unlinked_units(t);

	if (!t->is_elf || counts_wanted(t->real))
		return;
	if (unlinked)
		cmd_say(stderr, "perseus record: '%s': %zu unit%s " LINK "\n", program, unlinked,
			unlinked == 1 ? " was" : "s were");
	else
		cmd_say(stderr,
			"perseus record: '%s' was not built to count denormals;\n"
			"  only what it loads or starts can be counted.  " HOW "\n",
			program);
}

static int explain(const struct target *t, const char *program, int status)
{
	bool wanted = t->is_elf && counts_wanted(t->real);
	size_t unlinked = unlinked_units(t);

	if (unlinked)
		cmd_say(stderr,
			"perseus record: nothing was counted, so nothing is known of its denormals: %zu "
			"unit%s of\n"
			"  '%s' %s " LINK "\n"
			"  (the program ended with %d)\n",
			unlinked, unlinked == 1 ? "" : "s", program, unlinked == 1 ? "was" : "were", status);
	else if (wanted)
		cmd_say(stderr,
			"perseus record: nothing was counted: '%s' was built to count denormals, but no code "
			"with\n"
			"  counters was loaded, or it cleared its environment; no run is kept, and nothing "
			"is "
			"known of its\n"
			"  denormals (the program ended with %d)\n",
			program, status);
	else
		cmd_say(stderr,
			"perseus record: nothing was counted: '%s' has no code with counters, so nothing is "
			"known of\n"
			"  its denormals; " HOW "\n"
			"  (the program ended with %d)\n",
			program, status);
	return wanted && status ? status : CMD_OWN_FAILURE;
}

static int explain_trap(const char *program, int status)
{
	cmd_say(stderr,
		"perseus record: nothing was watched: '%s' did not load libperseus-trap.so, or its file "
		"could\n"
		"  not be made; no run is kept, and nothing is known of its denormals\n"
		"  (the program ended with %d; LD_DEBUG=libs shows what the loader did)\n",
		program, status);
	return status ? status : CMD_OWN_FAILURE;
}

static int summarise(const struct rundir *dir, struct err *err)
{
	struct denormal_report report;
	struct strbuf text = STRBUF_INIT;
	struct denormal_run run;
	int ret = denormal_run_open(&run, dir->path, err);

	if (ret)
		return ret;
	denormal_report_make(&report, &run, NULL);
	denormal_report_summary(&report, &text);
	cmd_put(stderr, text.s);
	strbuf_release(&text);
	denormal_report_release(&report);
	denormal_run_close(&run);
	return 0;
}

int record_counts_finish(const struct cmd *cmd, struct rundir *dir, struct manifest *m,
			 const struct target *t, const struct record_options *o, int status, struct err *err)
{
	struct strbuf notes = STRBUF_INIT;
	int ret =
		counts_gather(m, dir->absolute, t->is_elf && t->elf.has_sites ? t->real : NULL, &notes, err);

	if (ret == -ENODATA) {
		strbuf_release(&notes);
		ret = o->trap ? explain_trap(o->program[0], status) : explain(t, o->program[0], status);
		rundir_remove(dir);
		return ret;
	}
	if (!ret)
		ret = rundir_save(dir, m, err);
	if (notes.len)
		cmd_say(stderr, "perseus record: %s", notes.s);
	strbuf_release(&notes);
	if (!ret && !o->quiet)
		ret = summarise(dir, err);
	if (ret)
		cmd_fail(cmd, err, CMD_OWN_FAILURE);
	return ret && !status ? CMD_OWN_FAILURE : status;
}
