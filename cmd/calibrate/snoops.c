/* SPDX-License-Identifier: MIT */
#include "cmd/calibrate/snoops.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/print.h"
#include "lib/fs.h"
#include "lib/html/frame.h"
#include "lib/mem.h"
#include "lib/spawn/capture.h"
#include "lib/spawn/child.h"
#include "lib/spawn/part.h"
#include "record/run.h"

HTML_ASSET(snoops_c, "examples/snoops/snoops.c");

#define FILE_HEAD   "perseus-snoops 1\n"
#define LOOP_WRITES 4 /* of a round, for each element */

static const char *const versions[SNOOPS_VERSIONS] = {
	[SNOOPS_SEQUENTIAL] = "sequential", [SNOOPS_PARALLEL] = "parallel", [SNOOPS_BEST] = "best"};

/* ---- measuring ---- */

static int snoops_build(const char *dir, struct err *err)
{
	static const struct html_asset source = HTML_ASSET_OF(snoops_c);
	char path[PATH_MAX + 32], program[PATH_MAX + 32], plugin[PATH_MAX], option[PATH_MAX + 16], line[200];
	const char *argv[] = {"gcc", "-O2", "-g", option, "-pthread", "-o", program, path, NULL};
	struct strbuf said = STRBUF_INIT;
	int ret = part_find("plugin", plugin, sizeof(plugin), err), status;

	if (ret)
		return err_set(err, -ENOTSUP, "the plugin is not part of this installation");
	snprintf(path, sizeof(path), "%s/snoops.c", dir);
	snprintf(program, sizeof(program), "%s/snoops", dir);
	snprintf(option, sizeof(option), "-fplugin=%s", plugin);
	ret = fs_write(path, source.text, (size_t)(source.end - source.text), err);
	if (ret)
		return ret;
	status = capture(argv, NULL, &said);
	capture_first_line(&said, line, sizeof(line));
	if (status)
		ret = err_set(err, -ENOTSUP, "gcc does not compile the benchmark: %s",
			      status < 0 ? strerror(-status) : line);
	strbuf_release(&said);
	return ret;
}

/* perseus record of one version; the run is @dir/run. */
static int snoops_record(const char *dir, const char *version, unsigned side, unsigned times, struct err *err)
{
	char run[PATH_MAX + 32], program[PATH_MAX + 32], words[2][16];
	char *argv[] = {(char *)"/proc/self/exe",
			(char *)"record",
			(char *)"-q",
			(char *)"--purpose=sharing",
			(char *)"-o",
			run,
			program,
			(char *)version,
			words[0],
			words[0],
			words[1],
			NULL};
	struct strbuf said = STRBUF_INIT;
	char line[200];
	int status;

	snprintf(run, sizeof(run), "%s/run", dir);
	snprintf(program, sizeof(program), "%s/snoops", dir);
	snprintf(words[0], sizeof(words[0]), "%u", side);
	snprintf(words[1], sizeof(words[1]), "%u", times);
	status = capture((const char *const *)argv, NULL, &said);
	capture_first_line(&said, line, sizeof(line));
	strbuf_release(&said);
	return status ? err_set(err, -ENOTSUP, "the benchmark could not be recorded (status %d): %s", status,
				line)
		      : 0;
}

static int snoops_count(const char *dir, double *invalidations, struct err *err)
{
	char path[PATH_MAX + 32];
	struct run run;
	int ret;

	snprintf(path, sizeof(path), "%s/run", dir);
	ret = run_open(&run, path, err);
	if (ret)
		return ret;
	*invalidations = 0;
	for (size_t i = 0; i < run.n_processes; i++)
		for (size_t k = 0; k < run.processes[i].n_threads; k++) {
			const struct run_thread *t = &run.processes[i].threads[k];

			for (size_t l = 0; l < t->n_lines; l++)
				*invalidations += (double)t->lines[l]->invalidated;
		}
	run_close(&run);
	return 0;
}

static void remove_run(const char *dir)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/run", dir);
	fs_remove_all(path);
}

static int snoops_size(const char *dir, unsigned side, unsigned times, struct snoops_row *row,
		       struct err *err)
{
	int ret = 0;

	row->kb = side * (double)side * 8 / 1024;
	row->writes = LOOP_WRITES * (double)side * side * times;
	for (int v = 0; v < SNOOPS_VERSIONS && !ret; v++) {
		ret = snoops_record(dir, versions[v], side, times, err);
		if (!ret)
			ret = snoops_count(dir, &row->invalidations[v], err);
		remove_run(dir);
	}
	return ret;
}

int snoops_measure(struct snoops_rows *rows, bool quick, struct err *err)
{
	unsigned most = quick ? 64 : 512, times = quick ? 20 : 200;
	char dir[PATH_MAX];
	int ret = fs_make_temporary(dir, "perseus-snoops", err);

	if (ret)
		return ret;
	ret = snoops_build(dir, err);
	for (unsigned side = 64; side <= most && !ret; side *= 2)
		ret = snoops_size(dir, side, times, vec_add(rows), err);
	fs_remove_all(dir);
	return ret;
}

/* ---- the file ---- */

int snoops_save(const struct snoops_rows *rows, const char *path, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	strbuf_puts(&out, FILE_HEAD
		    "# kB writes sequential parallel best (invalidations by the software directory)\n");
	for (size_t i = 0; i < rows->n; i++) {
		const struct snoops_row *r = &rows->at[i];

		strbuf_printf(&out, "%.0f %.0f %.0f %.0f %.0f\n", r->kb, r->writes, r->invalidations[0],
			      r->invalidations[1], r->invalidations[2]);
	}
	ret = fs_write(path, out.s, out.len, err);
	strbuf_release(&out);
	return ret;
}

int snoops_load(struct snoops_rows *rows, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = fs_read(path, 1 << 20, &text, err);
	const char *line;

	if (!ret && (!text.s || strncmp(text.s, FILE_HEAD, strlen(FILE_HEAD))))
		ret = err_set(err, -EINVAL, "'%s' does not begin with 'perseus-snoops 1'", path);
	line = ret ? "" : text.s + strlen(FILE_HEAD);
	for (unsigned n = 2; *line && !ret; n++) {
		struct snoops_row r;

		if (*line != '#' &&
		    sscanf(line, "%lf %lf %lf %lf %lf\n", &r.kb, &r.writes, &r.invalidations[0],
			   &r.invalidations[1], &r.invalidations[2]) != 5)
			ret = err_set(err, -EINVAL, "'%s' line %u: expected five numbers", path, n);
		else if (*line != '#' && (!(r.writes > 0) || !isfinite(r.writes)))
			ret = err_set(err, -EINVAL, "'%s' line %u: no writes", path, n);
		else if (*line != '#')
			vec_push(rows, r);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	strbuf_release(&text);
	return ret;
}

/* ---- for people ---- */

void snoops_print(FILE *out, const struct snoops_rows *rows)
{
	double least = HUGE_VAL, most = 0, others = 0, ratio = HUGE_VAL;

	cmd_put(out,
		"snoops    lines that a store took from another core's thread, by the software directory\n"
		"          kB      writes  sequential    parallel        best  parallel/write\n");
	for (size_t i = 0; i < rows->n; i++) {
		const struct snoops_row *r = &rows->at[i];
		double p = r->invalidations[SNOOPS_PARALLEL],
		       o = fmax(r->invalidations[SNOOPS_SEQUENTIAL], r->invalidations[SNOOPS_BEST]);

		cmd_say(out, "  %10.0f %11.0f %11.0f %11.0f %11.0f  %12.4f %%\n", r->kb, r->writes,
			r->invalidations[SNOOPS_SEQUENTIAL], p, r->invalidations[SNOOPS_BEST],
			100 * p / r->writes);
		least = fmin(least, 100 * p / r->writes);
		most = fmax(most, 100 * p / r->writes);
		others = fmax(others, 100 * o / r->writes);
		ratio = fmin(ratio, p / fmax(o, 1));
	}
	cmd_say(out,
		"                                                     here    the paper (Core 2 Q9550)\n"
		"          parallel against the others    at least %7.0f x    100 to 1,000 x\n"
		"          part of the writes, parallel   %.4f to %.4f %%    0.04 to 1.67 %%\n"
		"          ..., sequential and best       at most %9.5f %%    0.0005 %%, of the kernel's "
		"variables\n",
		ratio, least, most, others);
	cmd_put(out, "          The directory sees the program alone and evicts nothing: times are not those "
		     "of the "
		     "paper.\n");
}
