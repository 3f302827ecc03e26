/* SPDX-License-Identifier: MIT */
/* perseus doctor: compilers and the parts of this installation. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/child.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "lib/fs.h"

/* A compiler that hangs must not hang the doctor. */
#define LIMIT_NS UINT64_C(20000000000)

struct scratch {
	char dir[PATH_MAX];
	char source[PATH_MAX + 16], object[PATH_MAX + 16], output[PATH_MAX + 16];
};

static int scratch_open(struct scratch *s)
{
	const char *base = getenv("TMPDIR");
	int fd;

	snprintf(s->dir, sizeof(s->dir), "%s/perseus-doctor.XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(s->dir))
		return -errno;
	snprintf(s->source, sizeof(s->source), "%s/empty.c", s->dir);
	snprintf(s->object, sizeof(s->object), "%s/empty.o", s->dir);
	snprintf(s->output, sizeof(s->output), "%s/output", s->dir);
	fd = open(s->source, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	dprintf(fd, "int main(void)\n{\n\treturn 0;\n}\n");
	close(fd);
	return 0;
}

static void scratch_close(const struct scratch *s)
{
	unlink(s->source);
	unlink(s->object);
	unlink(s->output);
	rmdir(s->dir);
}

/*
 * Run a command with its output in @text (appended).  Returns the exit
 * status as a shell shows it, or a negative errno if it could not be started.
 */
static int capture(const struct scratch *s, const char *const *argv, struct strbuf *text)
{
	struct child_spec spec = {
		.path = argv[0], .argv = (char *const *)(void *)argv, .in = -1, .limit_ns = LIMIT_NS};
	static const char *const plain[] = {"LC_ALL=C", NULL};
	struct child_result result = {0};
	int ret;

	spec.environment = (char *const *)(void *)plain;
	spec.out = spec.error = open(s->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (spec.out < 0)
		return -errno;
	ret = child_run(&spec, &result, NULL);
	close(spec.out);
	if (!ret)
		fs_read(s->output, 1 << 20, text, NULL);
	return ret ? ret : child_exit_status(result.status);
}

static bool contains(const struct strbuf *text, const char *word)
{
	return text->len && memmem(text->s, text->len, word, strlen(word));
}

/*
 * Compile the empty file with @option.  1 if the object carries the site
 * table (clang, too, takes the option with exit status 0), 0 if not, negative
 * errno if the compiler cannot be run.
 */
static int compiles_with(const struct scratch *s, const char *compiler, const char *option,
			 struct strbuf *said)
{
	const char *argv[] = {compiler, option, "-c", "-o", s->object, s->source, NULL};
	struct strbuf object = STRBUF_INIT;
	bool works;
	int ret;

	unlink(s->object);
	ret = capture(s, argv, said);
	if (ret < 0)
		return ret;
	works = !ret && !fs_read(s->object, 1 << 20, &object, NULL) && contains(&object, ".perseus.sites");
	strbuf_release(&object);
	return works;
}

int doctor_plugin_option(const char *compiler, char *option, size_t size, bool *resolves, struct err *err)
{
	struct strbuf said = STRBUF_INIT;
	char path[PATH_MAX];
	struct scratch s;
	int ret = scratch_open(&s), works;

	if (ret)
		return err_set(err, ret, "cannot make a directory for a test below '%s': %s", s.dir,
			       strerror(-ret));
	works = compiles_with(&s, compiler, "-fplugin=perseus.so", &said);
	scratch_close(&s);
	strbuf_release(&said);
	if (works < 0) {
		err_set(err, works, "cannot run the compiler '%s': %s", compiler, strerror(-works));
		return err_advise(err, "perseus doctor shows what is installed");
	}
	if (resolves)
		*resolves = works;
	if (works) {
		snprintf(option, size, "-fplugin=perseus.so");
		return 0;
	}
	ret = cmd_part("plugin", path, sizeof(path), err);
	if (ret)
		return ret;
	if ((size_t)snprintf(option, size, "-fplugin=%s", path) >= size)
		return err_set(err, -ENAMETOOLONG, "the path of the plugin is too long: '%s'", path);
	return 0;
}

/* ---- rows ---- */

static void first_line(const struct strbuf *text, char *buf, size_t size)
{
	const char *s = text->s ? text->s : "";

	s += strspn(s, "\n");
	snprintf(buf, size, "%.*s", (int)strcspn(s, "\n"), s);
}

static void check_compiler(struct doctor *d, const struct scratch *s)
{
	const char *argv[] = {"gcc", "-dumpfullversion", NULL};
	struct strbuf version = STRBUF_INIT;
	char path[PATH_MAX], file[64], line[64];
	int ret = capture(s, argv, &version);

	first_line(&version, line, sizeof(line));
	strbuf_release(&version);
	snprintf(file, sizeof(file), "perseus-gcc%d.so", atoi(line));
	if (ret) {
		doctor_row(d, "compiler", DOCTOR_BROKEN, "gcc cannot be run: %s",
			   ret < 0 ? strerror(-ret) : "it failed");
		doctor_remedy(d, "apt install gcc-12");
	} else if (cmd_part(file, path, sizeof(path), NULL)) {
		doctor_row(d, "compiler", DOCTOR_BROKEN, "gcc %s, but no back end %s is installed", line,
			   file);
		doctor_remedy(d,
			      "build Perseus with this gcc (package gcc-%d-plugin-dev), or build with gcc-12",
			      atoi(line));
	} else {
		doctor_row(d, "compiler", DOCTOR_OK, "gcc %s, back end %.*s found", line,
			   (int)strlen(file) - 3, file);
	}
}

/* The compiler's own words about the plugin, in one line. */
static void complain(struct doctor *d, const struct strbuf *said)
{
	char line[200];

	first_line(said, line, sizeof(line));
	doctor_row(d, "plugin", DOCTOR_BROKEN, "the plugin does not load%s%s", *line ? ": " : "", line);
	doctor_remedy(d, "make install, or build Perseus with this gcc");
}

static void check_plugin(struct doctor *d, const struct scratch *s)
{
	struct strbuf said = STRBUF_INIT, full = STRBUF_INIT;
	bool file = compiles_with(s, "gcc", "-fplugin=perseus.so", &said) > 0;
	bool name = compiles_with(s, "gcc", "-fplugin=perseus", &said) > 0;
	char path[PATH_MAX], option[PATH_MAX + 16];
	struct err err = ERR_INIT;

	if (file) {
		doctor_row(d, "plugin", DOCTOR_OK, "-fplugin=perseus.so%s resolves%s",
			   name ? " and -fplugin=perseus" : "", name ? "" : "; -fplugin=perseus does not");
	} else if (cmd_part("plugin", path, sizeof(path), &err)) {
		doctor_row(d, "plugin", DOCTOR_BROKEN, "%s", err.msg);
		doctor_remedy(d, "make install");
	} else {
		snprintf(option, sizeof(option), "-fplugin=%s", path);
		if (compiles_with(s, "gcc", option, &full) > 0) {
			doctor_row(d, "plugin", DOCTOR_LIMITED, "works by its full path only%s",
				   name ? " or as -fplugin=perseus" : "");
			doctor_remedy(d, "make install as root for the short form; until then "
					 "CFLAGS=\"$(perseus flags)\"");
		} else {
			complain(d, &full);
		}
	}
	strbuf_release(&said);
	strbuf_release(&full);
}

/* Build systems take cc, or clang if that is what the user set. */
static void check_clang(struct doctor *d, const struct scratch *s)
{
	static const char *const clang[] = {"clang", "--version", NULL}, *const cc[] = {"cc", "--version",
											NULL};
	struct strbuf text = STRBUF_INIT, cc_text = STRBUF_INIT;
	bool is_cc = !capture(s, cc, &cc_text) && contains(&cc_text, "clang");

	if (!capture(s, clang, &text)) {
		doctor_row(d, "clang", is_cc ? DOCTOR_LIMITED : DOCTOR_NOT_NEEDED,
			   "clang is installed%s: it takes -fplugin without a word and adds no probes",
			   is_cc ? " and is what `cc` means" : " too");
		if (is_cc)
			doctor_remedy(d, "build with CC=gcc CXX=g++");
	}
	strbuf_release(&text);
	strbuf_release(&cc_text);
}

static void check_parts(struct doctor *d)
{
	char path[PATH_MAX];

	if (cmd_part("runtime", path, sizeof(path), NULL)) {
		doctor_row(d, "runtime", DOCTOR_BROKEN, "libperseus-rt.so is not part of this installation");
		doctor_remedy(d, "make install, or make runtime in a build tree");
	} else {
		doctor_row(d, "runtime", DOCTOR_OK, "libperseus-rt.so found");
	}
	if (cmd_part("verify", path, sizeof(path), NULL) ||
	    cmd_part("plan-check", path, sizeof(path), NULL)) {
		doctor_row(d, "verifiers", DOCTOR_ABSENT, "perseus-verify or perseus-plan-check is missing");
		doctor_remedy(d, "make install, or make verify in a build tree");
	} else {
		doctor_row(d, "verifiers", DOCTOR_OK, "perseus-verify and perseus-plan-check found");
	}
}

void doctor_setup(struct doctor *d)
{
	struct scratch s;
	int ret = scratch_open(&s);

	if (ret) {
		doctor_row(d, "compiler", DOCTOR_NOT_TRIED, "no scratch directory (%s): %s", s.dir,
			   strerror(-ret));
		doctor_remedy(d, "TMPDIR=DIR perseus doctor, DIR being writable");
	} else {
		check_compiler(d, &s);
		check_plugin(d, &s);
		check_clang(d, &s);
		scratch_close(&s);
	}
	check_parts(d);
}
