/* SPDX-License-Identifier: MIT */
/*
 * perseus build --check-transparency: the same command without probes and with
 * probes that record.  All runs happen in a directory of the same path, so that
 * nothing in the output has to be made equal afterwards.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "cmd/build/build.h"
#include "cmd/prove/output-lines.h"
#include "lib/fs.h"
#include "lib/num.h"
#include "lib/spawn/child.h"
#include "perseus/record.h"
#include "recorder/preload.h"

/* Two plain runs tell what repeats itself, and are what the others are compared with. */
enum which { PLAIN, PLAIN_AGAIN, TIMING, SHARING, N_RUNS };

static const struct {
	const char *name, *purpose, *what;
} kinds[N_RUNS] = {
	{"plain", NULL, "plain"},
	{"plain-again", NULL, "plain, again"},
	{"timing", "timing", "with probes, recording for timing"},
	{"sharing", "sharing", "with probes, recording for sharing"},
};

struct check {
	const struct build_check *o;
	char scratch[PATH_MAX];
	char work[PATH_MAX + 16]; /* where the command runs */
	char runtime[PATH_MAX];
	bool shown; /* a difference was, so its files stay */
	int home;   /* descriptor of the directory we were started in */
	struct check_run {
		struct child_result child;
		struct output_lines lines;
		struct build_count count;
		unsigned recorded; /* processes */
	} run[N_RUNS];
};

static void build_check_path_of(const struct check *k, enum which w, const char *suffix, char *path,
				size_t size)
{
	snprintf(path, size, "%s/%s%s", k->scratch, kinds[w].name, suffix);
}

/* ---- trees ---- */

static int build_check_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if (type == FTW_D && !(st->st_mode & S_IWUSR))
		chmod(path, 0700);
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, build_check_remove_one, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static int run_helper(const char *const *argv, const char *what, struct err *err)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct child_spec spec = {
		.path = argv[0], .argv = (char *const *)(void *)argv, .in = null, .out = null, .error = -1};
	struct child_result result;
	int ret = child_run(&spec, &result, err);

	close(null);
	if (ret || !result.status)
		return ret;
	return err_set(err, result.received ? -EINTR : -EIO, "%s failed with status %d", what,
		       child_exit_status(result.status));
}

/* A fresh tree to run in: a copy, or this one cleaned. */
static int make_tree(const struct check *k, struct err *err)
{
	const char *const copy[] = {"cp", "-a", "--reflink=auto", ".", k->work, NULL};
	const char *const clean[] = {"sh", "-c", k->o->clean, NULL};

	return k->o->clean ? run_helper(clean, "the command of --clean", err)
			   : run_helper(copy, "copying this directory", err);
}

/* Put the tree that was run in out of the way, under the name of its run. */
static void put_tree(const struct check *k, enum which w)
{
	char path[PATH_MAX + 32];

	build_check_path_of(k, w, "", path, sizeof(path));
	if (!k->o->clean)
		rename(k->work, path);
}

static void drop_tree(const struct check *k, enum which w)
{
	char path[PATH_MAX + 32];

	build_check_path_of(k, w, "", path, sizeof(path));
	if (!k->o->keep)
		remove_tree(path);
}

static int open_scratch(struct check *k, struct err *err)
{
	const char *base = getenv("TMPDIR");
	char here[PATH_MAX];
	size_t n;

	snprintf(k->work, sizeof(k->work), "%s/perseus-check.XXXXXX", base && *base ? base : "/tmp");
	k->home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (k->home < 0 || !getcwd(here, sizeof(here)) || !mkdtemp(k->work) || !realpath(k->work, k->scratch))
		return err_set(err, -errno, "cannot make a directory '%s': %s", k->work, strerror(errno));
	n = strlen(here);
	if (!k->o->clean && !strncmp(k->scratch, here, n) && (k->scratch[n] == '/' || n == 1)) {
		err_set(err, -EINVAL, "the copies would lie in '%s', below what is copied", k->scratch);
		return err_advise(err, "set TMPDIR to a directory outside");
	}
	snprintf(k->work, sizeof(k->work), "%s%s", k->o->clean ? here : k->scratch,
		 k->o->clean ? "" : "/work");
	return 0;
}

/* ---- one run ---- */

static void set_probes(const struct check *k, enum which w, struct environment *e)
{
	const struct build *b = k->o->build;
	const char *old = getenv("LD_PRELOAD"), *asan = getenv("ASAN_OPTIONS");
	char path[PATH_MAX + 32];

	for (size_t i = 0; i < b->env.n; i++)
		environment_set(e, "%s", b->env.at[i]);
	build_check_path_of(k, w, ".data", path, sizeof(path));
	fs_mkdirs(path, NULL);
	environment_set(e, PRS_ENV_DIR "=%s", path);
	environment_set(e, PRS_ENV_PURPOSE "=%s", kinds[w].purpose);
	environment_set(e, "LD_PRELOAD=%s%s%s", k->runtime, old && *old ? ":" : "", old ? old : "");
	/* AddressSanitizer insists on being the first library, unless told otherwise. */
	environment_set(e, "ASAN_OPTIONS=%s%sverify_asan_link_order=0", asan ? asan : "",
			asan && *asan ? ":" : "");
}

static int run_command(struct check *k, enum which w, struct err *err)
{
	struct environment env = VEC_INIT;
	struct child_spec spec = {k->o->command[0], k->o->command, NULL, -1, -1, -1, 0, {0}, false};
	char out[PATH_MAX + 32], error[PATH_MAX + 32];
	int ret;

	build_check_path_of(k, w, ".out", out, sizeof(out));
	build_check_path_of(k, w, ".err", error, sizeof(error));
	environment_set(&env, "PWD=%s", k->work);
	if (kinds[w].purpose)
		set_probes(k, w, &env);
	vec_push(&env, NULL);
	spec.environment = env.at;
	spec.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	spec.out = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	spec.error = open(error, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (spec.out < 0 || spec.error < 0 || chdir(k->work))
		ret = err_set(err, -errno, "cannot run in '%s': %s", k->work, strerror(errno));
	else
		ret = child_run(&spec, &k->run[w].child, err);
	if (fchdir(k->home) && !ret)
		ret = err_set(err, -errno, "cannot go back to where this started: %s", strerror(errno));
	close(spec.in);
	close(spec.out);
	close(spec.error);
	environment_release(&env);
	return ret;
}

static int is_record(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && !strcmp(d->d_name + n - 5, ".prec");
}

static unsigned count_records(const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, is_record, NULL);

	for (int i = 0; i < n; i++)
		free(list[i]);
	if (n >= 0)
		free(list);
	return n > 0 ? (unsigned)n : 0;
}

static void progress(const struct check *k, enum which w)
{
	const struct check_run *r = &k->run[w];
	char time[32];

	cmd_say(stderr, "perseus build: %s: status %d, %zu lines, %s", kinds[w].what,
		child_exit_status(r->child.status), r->lines.n,
		num_time(time, sizeof(time), (double)r->child.wall_ns * 1e-9));
	if (kinds[w].purpose)
		cmd_say(stderr, ", %llu unit%s with probes, %u process%s recorded",
			(unsigned long long)r->count.probes, r->count.probes == 1 ? "" : "s", r->recorded,
			r->recorded == 1 ? "" : "es");
	cmd_put(stderr, "\n");
}

static int do_run(struct check *k, enum which w, struct err *err)
{
	struct check_run *r = &k->run[w];
	char path[PATH_MAX + 32];
	int ret = make_tree(k, err);

	build_reset(k->o->build);
	if (!ret)
		ret = run_command(k, w, err);
	if (ret)
		return ret;
	if (r->child.received)
		return err_set(err, -EINTR, "stopped by signal %d", r->child.received);
	put_tree(k, w);
	build_check_path_of(k, w, ".data", path, sizeof(path));
	r->recorded = count_records(path);
	if (!k->o->keep)
		remove_tree(path);
	build_count_read(&r->count, k->o->build);
	build_check_path_of(k, w, ".out", path, sizeof(path));
	ret = output_lines_read(&r->lines, path, k->o->ignore.at, k->o->ignore.n, err);
	if (!ret)
		progress(k, w);
	return ret;
}

/* ---- the verdict ---- */

static enum output_match build_check_compare(const struct check *k, enum which a, enum which b)
{
	if (k->run[a].child.status != k->run[b].child.status)
		return OUTPUT_DIFFERS;
	return output_lines_compare(&k->run[a].lines, &k->run[b].lines);
}

/* What it complained of last, which often is the answer. */
static void show_last_words(const struct check *k, enum which w)
{
	struct output_lines words = {0};
	char path[PATH_MAX + 32];

	build_check_path_of(k, w, ".err", path, sizeof(path));
	if (!output_lines_read(&words, path, NULL, 0, NULL))
		for (size_t i = words.n > 3 ? words.n - 3 : 0; i < words.n; i++)
			cmd_print("  its stderr ends: %.200s\n", words.at[i]);
	output_lines_release(&words);
}

static void show_difference(struct check *k, enum which a, enum which b)
{
	const struct check_run *ra = &k->run[a], *rb = &k->run[b];
	int sa = child_exit_status(ra->child.status), sb = child_exit_status(rb->child.status);
	struct strbuf text = STRBUF_INIT;
	char path[2][PATH_MAX + 32];

	if (sa != sb)
		cmd_print("  exit status %d %s, %d %s\n", sa, kinds[a].what, sb, kinds[b].what);
	if (sb && sa != sb)
		show_last_words(k, b);
	output_lines_show(&ra->lines, &rb->lines, &text);
	cmd_put(stdout, text.s ? text.s : "");
	strbuf_release(&text);
	k->shown = true;
	build_check_path_of(k, a, "", path[0], sizeof(path[0]));
	build_check_path_of(k, b, "", path[1], sizeof(path[1]));
	cmd_print("  kept: %s.out, .err and %s.out, .err%s\n", path[0], path[1],
		  k->o->clean ? "" : ", with the trees they come from");
}

static int not_repeatable(struct check *k)
{
	cmd_print("inconclusive: without probes the command does not do the same twice\n");
	show_difference(k, PLAIN, PLAIN_AGAIN);
	cmd_print("  leave out what changes by --ignore=REGEX, or let the command print less\n");
	return CMD_INCONCLUSIVE;
}

static int other_order(struct check *k, enum which w)
{
	cmd_print("inconclusive: the same lines in another order %s\n", kinds[w].what);
	show_difference(k, PLAIN, w);
	cmd_print("  if the command does things in parallel, let it print less, or use one job\n");
	return CMD_INCONCLUSIVE;
}

static int not_tried(const struct check *k, enum which w)
{
	const struct check_run *r = &k->run[w];
	struct strbuf text = STRBUF_INIT;

	cmd_print("inconclusive: nothing was recorded %s\n", kinds[w].what);
	build_count_say(&r->count, r->child.status, &text);
	cmd_print("  %s", text.s);
	if (r->count.probes || r->count.cached || r->count.given)
		cmd_print("  the command must also run what it built, as a test does\n");
	strbuf_release(&text);
	return CMD_INCONCLUSIVE;
}

static int equal(const struct check *k, bool ordered)
{
	const struct check_run *r = &k->run[SHARING];

	cmd_print("equal: with probes live, exit status %d and %zu lines of output are those of the plain "
		  "run\n",
		  child_exit_status(r->child.status), r->lines.n);
	if (!ordered)
		cmd_print("  the lines come in another order each time, also without probes\n");
	if (r->child.status)
		cmd_print("  the plain command fails, too: what comes behind its failure was not compared\n");
	return CMD_OK;
}

static int build_check_judge(struct check *k, struct err *err)
{
	enum output_match plain;
	bool ordered;

	for (enum which w = PLAIN; w <= PLAIN_AGAIN; w++)
		if (do_run(k, w, err))
			return CMD_MACHINE;
	plain = build_check_compare(k, PLAIN, PLAIN_AGAIN);
	ordered = plain == OUTPUT_EQUAL;
	if (plain == OUTPUT_DIFFERS)
		return not_repeatable(k);
	drop_tree(k, PLAIN_AGAIN);
	for (enum which w = TIMING; w <= SHARING; w++) {
		enum output_match same;

		if (do_run(k, w, err))
			return CMD_MACHINE;
		same = build_check_compare(k, PLAIN, w);
		if (same == OUTPUT_DIFFERS) {
			cmd_print("different: %s\n", kinds[w].what);
			show_difference(k, PLAIN, w);
			return CMD_FINDINGS;
		}
		if (same == OUTPUT_REORDERED && ordered)
			return other_order(k, w);
		if (!k->run[w].recorded)
			return not_tried(k, w);
		drop_tree(k, w);
	}
	return equal(k, ordered);
}

int build_check_run(struct build_check *o, struct err *err)
{
	struct check k = {.o = o};
	int ret = preload_find("timing", false, k.runtime, sizeof(k.runtime), err);

	if (!ret)
		ret = open_scratch(&k, err);
	ret = ret ? CMD_MACHINE : build_check_judge(&k, err);
	for (enum which w = PLAIN; w < N_RUNS; w++) {
		output_lines_release(&k.run[w].lines);
		build_count_release(&k.run[w].count);
	}
	if (k.home > 0)
		close(k.home);
	if (!k.scratch[0])
		return ret;
	if (o->keep)
		cmd_print("  kept: %s\n", k.scratch);
	else if (!k.shown)
		remove_tree(k.scratch);
	return ret;
}
