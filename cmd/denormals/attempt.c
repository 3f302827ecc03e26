/* SPDX-License-Identifier: MIT */
/*
 * Both sides go the same ways: the library is loaded, and the region entered through its
 * stub, with bits 0 and with FTZ and DAZ.  What differs is what the bits did.
 */
#include "cmd/denormals/attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/denormals/region.h"
#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/rng.h"
#include "lib/spawn/capture.h"
#include "lib/spawn/child.h"
#include "lib/spawn/part.h"
#include "lib/spawn/target.h"
#include "perseus/record.h"
#include "record/denormal/run.h"
#include "recorder/counts.h"

#define RESAMPLES 2000

struct lab {
	const struct attempt_opts *o;
	struct target target;
	struct strbuf regions;
	char flush[PATH_MAX], counts[PATH_MAX];
	char dir[PATH_MAX]; /* of temporary files */
	int null;
};

int attempt_parse(const struct cmd *cmd, const char *value, struct attempt_opts *o)
{
	o->function = NULL;
	if (!strcmp(value, "ftz"))
		return 0;
	if (strncmp(value, "ftz:", 4) || !value[4])
		return cmd_usage(cmd, "--what-if=%s: expected ftz or ftz:FUNCTION", value);
	o->function = value + 4;
	return 0;
}

static const char *path_in(const struct lab *l, char path[PATH_MAX + 16], const char *name)
{
	snprintf(path, PATH_MAX + 16, "%s/%s", l->dir, name);
	return path;
}

static int lab_open(struct lab *l, const struct attempt_opts *o, struct err *err)
{
	int ret = target_find(&l->target, o->program[0], err);

	if (!ret && l->target.is_elf && !l->target.elf.interpreter)
		ret = err_set(err, -ENOTSUP, "'%s' is statically linked: nothing can be preloaded",
			      o->program[0]);
	if (!ret && o->function && !l->target.is_elf)
		ret = err_set(err, -ENOTSUP, "'%s' is a script, and has no functions to change",
			      o->program[0]);
	if (!ret && o->function)
		ret = region_find(l->target.real, o->function, &l->regions, err);
	if (!ret)
		ret = part_find("flush", l->flush, sizeof(l->flush), err);
	if (!ret)
		ret = part_find("denormal", l->counts, sizeof(l->counts), err);
	if (!ret)
		ret = fs_make_temporary(l->dir, "perseus", err);
	if (ret)
		return ret;
	l->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return 0;
}

static void lab_close(struct lab *l)
{
	fs_remove_all(l->dir);
	if (l->null >= 0)
		close(l->null);
	strbuf_release(&l->regions);
}

/* "NAME=VALUE" strings, of which the last is NULL. */
struct environment VEC(char *);

static void set(struct environment *e, const char *name, const char *value)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s=%s", name, value);
	vec_push(e, strbuf_detach(&sb));
}

static void make_environment(const struct lab *l, bool flushed, const char *run, struct environment *e)
{
	const char *old = getenv("LD_PRELOAD");
	struct strbuf preload = STRBUF_INIT;
	char path[PATH_MAX + 16];

	strbuf_printf(&preload, "%s%s%s%s%s", l->flush, run ? ":" : "", run ? l->counts : "", old ? ":" : "",
		      old ? old : "");
	set(e, "LD_PRELOAD", preload.s);
	set(e, PRS_ENV_FLUSH_BITS, flushed ? "8040" : "0");
	set(e, PRS_ENV_FLUSH_PAGE, path_in(l, path, "page"));
	if (l->o->function) {
		set(e, PRS_ENV_FLUSH_REGIONS, l->regions.s);
		set(e, PRS_ENV_FLUSH_PROGRAM, l->target.real);
	}
	set(e, PRS_ENV_DIR, run ? run : "");
	set(e, PRS_ENV_PURPOSE, "denormal");
	vec_push(e, NULL);
	strbuf_release(&preload);
}

static int new_page(const struct lab *l, struct err *err)
{
	char path[PATH_MAX + 16];
	char bytes[4096] = {0};
	struct prs_flush page = {.magic = PRS_FLUSH_MAGIC};

	memcpy(bytes, &page, sizeof(page));
	return fs_write(path_in(l, path, "page"), bytes, sizeof(bytes), err);
}

static int read_page(const struct lab *l, struct prs_flush *page, struct err *err)
{
	struct strbuf bytes = STRBUF_INIT;
	char path[PATH_MAX + 16];
	int ret = fs_read(path_in(l, path, "page"), 0, &bytes, err);

	if (!ret && bytes.len >= sizeof(*page))
		memcpy(page, bytes.s, sizeof(*page));
	strbuf_release(&bytes);
	return ret;
}

/* One run; its standard output comes into @output.  @run: a directory for counts, NULL: none. */
static int run_once(const struct lab *l, bool flushed, const char *run, struct attempt_side *s,
		    struct strbuf *output, struct child_result *r, struct err *err)
{
	struct environment e = VEC_INIT;
	struct child_spec spec = {l->target.path, l->o->program, NULL, l->null, -1, -1, 0, {0}, false};
	char path[PATH_MAX + 16];
	int ret = new_page(l, err);

	spec.out = open(path_in(l, path, "output"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (!ret && spec.out < 0)
		ret = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	make_environment(l, flushed, run, &e);
	spec.environment = e.at;
	if (!ret)
		ret = child_run(&spec, r, err);
	if (!ret)
		ret = fs_read(path, 0, output, err);
	if (!ret)
		ret = read_page(l, &s->page, err);
	if (spec.out >= 0)
		close(spec.out);
	for (size_t i = 0; i < e.n; i++)
		free(e.at[i]);
	vec_release(&e);
	return ret;
}

/* What of denormals is left. */
static int attempt_count(const struct lab *l, struct attempt *w, int side, struct err *err)
{
	struct attempt_side *s = &w->side[side];
	struct strbuf output = STRBUF_INIT;
	char path[PATH_MAX + 16];
	struct child_result r;
	struct denormal d = {0};
	int ret;

	path_in(l, path, side ? "flushed" : "plain");
	if (mkdir(path, 0700))
		return err_set(err, -errno, "cannot make '%s': %s", path, strerror(errno));
	ret = run_once(l, side, path, s, &output, &r, err);
	strbuf_release(&output);
	if (ret)
		return ret;
	w->received = r.received;
	ret = denormal_read(&d, path, err);
	for (size_t i = 0; !ret && i < d.sites.n; i++) {
		s->births += d.sites.at[i].births;
		s->deaths += d.sites.at[i].deaths;
		if (d.sites.at[i].kind == PRS_DEN_STORE)
			s->stores += d.sites.at[i].results;
		else if (d.sites.at[i].kind != PRS_DEN_LOAD && d.sites.at[i].kind != PRS_DEN_COPY)
			s->results += d.sites.at[i].results;
	}
	w->births_counted = d.full;
	denormal_release(&d);
	if (ret == -ENODATA) {
		w->counted = false;
		ret = 0;
	}
	return ret;
}

static void hash_of(const struct strbuf *output, int status, char hash[65])
{
	struct sha256 sum;

	sha256_init(&sum);
	sha256_add(&sum, output->s ? output->s : "", output->len);
	sha256_add(&sum, &status, sizeof(status));
	sha256_hex(&sum, hash);
}

/* The first run of a side, which is not timed: what it puts out. */
static int attempt_look(const struct lab *l, struct attempt *w, int side, struct err *err)
{
	struct attempt_side *s = &w->side[side];
	struct child_result r;
	int ret = run_once(l, side, NULL, s, &s->output, &r, err);

	if (ret)
		return ret;
	w->received = r.received;
	s->status = child_exit_status(r.status);
	s->steady = true;
	hash_of(&s->output, s->status, s->hash);
	for (size_t i = 0; !ret && i < l->o->files.n; i++)
		ret = fs_read(l->o->files.at[i], 0, &s->files[i], err);
	return ret;
}

static int timed(const struct lab *l, struct attempt *w, int side, uint64_t pair, struct err *err)
{
	struct attempt_side *s = &w->side[side];
	struct strbuf output = STRBUF_INIT;
	struct child_result r;
	char hash[65];
	int ret = run_once(l, side, NULL, s, &output, &r, err);

	if (!ret) {
		w->received = r.received;
		s->seconds[pair] = (double)(r.wall_ns ? r.wall_ns : 1) * 1e-9;
		hash_of(&output, child_exit_status(r.status), hash);
		s->steady &= !strcmp(hash, s->hash);
	}
	strbuf_release(&output);
	return ret;
}

static int measure(const struct lab *l, struct attempt *w, struct err *err)
{
	int ret = 0;

	for (uint64_t pair = 0; pair < l->o->pairs && !ret && !w->received; pair++) {
		struct rng rng = rng_keyed(l->o->seed, pair, 0, 0);
		int first = (int)rng_below(&rng, 2);

		ret = timed(l, w, first, pair, err);
		if (!ret && !w->received)
			ret = timed(l, w, !first, pair, err);
		if (!ret && !w->received)
			w->done = pair + 1;
	}
	if (!ret && w->done)
		w->time =
			paired_ratio(w->side[0].seconds, w->side[1].seconds, w->done, RESAMPLES, l->o->seed);
	return ret;
}

/* What o->compare says of two files that hold the outputs, or the first file that was named. */
static int compare_by(const struct lab *l, struct attempt *w, struct err *err)
{
	static const char *const names[] = {"as-it-is", "flushed-output"};
	char path[2][PATH_MAX + 16];
	struct strbuf line = STRBUF_INIT;
	int ret = 0;

	strbuf_puts(&line, l->o->compare);
	for (int i = 0; i < 2 && !ret; i++) {
		const struct strbuf *of = l->o->files.n ? &w->side[i].files[0] : &w->side[i].output;

		ret = fs_write(path_in(l, path[i], names[i]), of->s ? of->s : "", of->len, err);
		strbuf_puts(&line, " ");
		strbuf_word(&line, path[i]);
	}
	if (!ret) {
		const char *argv[] = {"sh", "-c", line.s, NULL};

		w->compared = capture(argv, NULL, &w->said);
		if (w->compared < 0)
			ret = err_set(err, w->compared, "cannot run '%s': %s", l->o->compare,
				      strerror(-w->compared));
	}
	strbuf_release(&line);
	return ret;
}

static void compare(struct attempt *w, const struct attempt_opts *o)
{
	const struct strbuf *a = &w->side[0].output, *b = &w->side[1].output;

	numbers_compare(a->s ? a->s : "", a->len, b->s ? b->s : "", b->len, &w->output);
	for (size_t i = 0; i < o->files.n; i++) {
		a = &w->side[0].files[i];
		b = &w->side[1].files[i];
		numbers_compare(a->s ? a->s : "", a->len, b->s ? b->s : "", b->len, &w->files[i]);
	}
}

static int experiment(const struct lab *l, struct attempt *w, struct err *err)
{
	int ret = 0;

	w->counted = l->target.is_elf && counts_wanted(l->target.real);
	for (int side = 0; side < 2 && w->counted && !ret && !w->received; side++)
		ret = attempt_count(l, w, side, err);
	for (int side = 0; side < 2 && !ret && !w->received; side++)
		ret = attempt_look(l, w, side, err);
	if (ret || w->received)
		return ret;
	compare(w, l->o);
	if (l->o->compare)
		ret = compare_by(l, w, err);
	return ret ? ret : measure(l, w, err);
}

int attempt_run(struct attempt *w, const struct attempt_opts *o, struct err *err)
{
	struct lab l = {.o = o, .null = -1};
	int ret;

	*w = (struct attempt){.counted = false};
	w->files = mem_new(o->files.n + 1, sizeof(*w->files));
	for (int side = 0; side < 2; side++) {
		w->side[side].seconds = mem_new(o->pairs + 1, sizeof(double));
		w->side[side].files = mem_new(o->files.n + 1, sizeof(struct strbuf));
	}
	ret = lab_open(&l, o, err);
	if (!ret)
		ret = experiment(&l, w, err);
	lab_close(&l);
	return ret;
}

void attempt_release(struct attempt *w, const struct attempt_opts *o)
{
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < o->files.n; i++)
			strbuf_release(&w->side[side].files[i]);
		free(w->side[side].files);
		free(w->side[side].seconds);
		strbuf_release(&w->side[side].output);
	}
	free(w->files);
	strbuf_release(&w->said);
}
