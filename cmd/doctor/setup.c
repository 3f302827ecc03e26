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

#include "cmd/base/cmd.h"
#include "cmd/doctor/doctor.h"
#include "lib/fs.h"
#include "lib/inspect/elf.h"
#include "lib/spawn/capture.h"
#include "lib/spawn/part.h"

struct scratch {
	char dir[PATH_MAX];
	char source[PATH_MAX + 16], object[PATH_MAX + 16];
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
	fd = open(s->source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
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
	rmdir(s->dir);
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
	ret = capture(argv, NULL, said);
	if (ret < 0)
		return ret;
	works = !ret && !fs_read(s->object, 1 << 20, &object, NULL) && contains(&object, ".perseus.sites");
	strbuf_release(&object);
	return works;
}

/* "12.2.0"; fails if @compiler cannot be run, or is none of GCC's. */
static int compiler_version(const char *compiler, char *version, size_t size, struct err *err)
{
	const char *ask[] = {compiler, "-dumpfullversion", NULL};
	struct strbuf said = STRBUF_INIT;
	int ret = capture(ask, NULL, &said);

	capture_first_line(&said, version, size);
	strbuf_release(&said);
	if (!ret && atoi(version) > 0)
		return 0;
	if (ret < 0) {
		err_set(err, ret, "cannot run the compiler '%s': %s", compiler, strerror(-ret));
		err_advise(err, "perseus doctor shows what is installed");
		return ret;
	}
	err_set(err, -ENOTSUP, "'%s' is not GCC: it does not answer -dumpfullversion", compiler);
	err_advise(err, "clang takes -fplugin and adds no probes; build with CC=gcc CXX=g++");
	return -ENOTSUP;
}

int doctor_back_end(const char *compiler, char *identity, size_t size, struct err *err)
{
	char version[32], file[64], path[PATH_MAX];
	struct elf_facts facts;
	int ret = compiler_version(compiler, version, sizeof(version), err);

	if (ret)
		return ret;
	snprintf(file, sizeof(file), "perseus-gcc%d.so", atoi(version));
	ret = part_find(file, path, sizeof(path), err);
	if (ret) {
		err_set(err, ret, "no back end %s for '%s', GCC %s, in this installation", file, compiler,
			version);
		return err_advise(err, "build Perseus with the headers of that GCC: gcc-%d-plugin-dev",
				  atoi(version));
	}
	ret = elf_facts(path, &facts, err);
	if (!ret && (!facts.build_id[0] || strlen(facts.build_id) >= size))
		ret = err_set(err, -EINVAL, "'%s' has no build id, expected one: make plugin", path);
	if (!ret)
		strcpy(identity, facts.build_id);
	return ret;
}

/* ---- rows ---- */

static void check_compiler(struct doctor *d)
{
	char version[32], file[64], path[PATH_MAX];
	struct err err = ERR_INIT;

	if (compiler_version("gcc", version, sizeof(version), &err)) {
		doctor_row(d, "compiler", DOCTOR_BROKEN, "gcc cannot be run: %s",
			   err.code == -ENOTSUP ? "it is another compiler" : strerror(-err.code));
		doctor_remedy(d, "apt install gcc-12");
		return;
	}
	snprintf(file, sizeof(file), "perseus-gcc%d.so", atoi(version));
	if (part_find(file, path, sizeof(path), NULL)) {
		doctor_row(d, "compiler", DOCTOR_BROKEN, "gcc %s, but no back end %s is installed", version,
			   file);
		doctor_remedy(d,
			      "build Perseus with this gcc (package gcc-%d-plugin-dev), or build with gcc-12",
			      atoi(version));
	} else {
		doctor_row(d, "compiler", DOCTOR_OK, "gcc %s, back end %.*s found", version,
			   (int)strlen(file) - 3, file);
	}
}

/* The others of this machine, by their usual names; a build may choose any of them. */
static void check_versions(struct doctor *d)
{
	struct strbuf with = STRBUF_INIT, without = STRBUF_INIT;
	char name[16], version[32], file[64], path[PATH_MAX];

	for (int major = 9; major <= 20; major++) {
		snprintf(name, sizeof(name), "gcc-%d", major);
		snprintf(file, sizeof(file), "perseus-gcc%d.so", major);
		if (!compiler_version(name, version, sizeof(version), NULL))
			strbuf_printf(part_find(file, path, sizeof(path), NULL) ? &without : &with, " %s",
				      name);
	}
	if (without.len) {
		doctor_row(d, "versions", DOCTOR_LIMITED, "no back end for%s: it compiles with an error",
			   without.s);
		doctor_remedy(d, "apt install gcc-N-plugin-dev, and build Perseus again");
	} else if (with.len) {
		doctor_row(d, "versions", DOCTOR_OK, "back ends for%s", with.s);
	}
	strbuf_release(&with);
	strbuf_release(&without);
}

/* The compiler's own words about the plugin, in one line. */
static void complain(struct doctor *d, const struct strbuf *said)
{
	char line[200];

	capture_first_line(said, line, sizeof(line));
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
	} else if (part_find("plugin", path, sizeof(path), &err)) {
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
static void check_clang(struct doctor *d)
{
	static const char *const clang[] = {"clang", "--version", NULL}, *const cc[] = {"cc", "--version",
											NULL};
	struct strbuf text = STRBUF_INIT, cc_text = STRBUF_INIT;
	bool is_cc = !capture(cc, NULL, &cc_text) && contains(&cc_text, "clang");

	if (!capture(clang, NULL, &text)) {
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

	if (part_find("runtime", path, sizeof(path), NULL) ||
	    part_find("runtime-events", path, sizeof(path), NULL)) {
		doctor_row(d, "runtime", DOCTOR_BROKEN,
			   "libperseus-rt.so or libperseus-rt-events.so is not part of this installation");
		doctor_remedy(d, "make install, or make runtime in a build tree");
	} else {
		doctor_row(d, "runtime", DOCTOR_OK, "libperseus-rt.so found");
	}
	if (part_find("verify", path, sizeof(path), NULL) ||
	    part_find("plan-check", path, sizeof(path), NULL) ||
	    part_find("source-check", path, sizeof(path), NULL)) {
		doctor_row(d, "verifiers", DOCTOR_ABSENT,
			   "perseus-verify, perseus-plan-check or perseus-source-check is missing");
		doctor_remedy(d, "make install, or make verify in a build tree");
	} else {
		doctor_row(d, "verifiers", DOCTOR_OK,
			   "perseus-verify, perseus-plan-check and perseus-source-check found");
	}
}

static void check_build(struct doctor *d)
{
	char path[PATH_MAX];

	if (part_find("perseus-cc1", path, sizeof(path), NULL)) {
		doctor_row(d, "build", DOCTOR_ABSENT, "perseus-cc1 is missing: perseus build cannot work");
		doctor_remedy(d, "make install; until then CFLAGS=\"$(perseus flags)\"");
	} else {
		doctor_row(d, "build", DOCTOR_OK, "perseus-cc1 found, for perseus build");
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
		check_compiler(d);
		check_versions(d);
		check_plugin(d, &s);
		check_clang(d);
		scratch_close(&s);
	}
	check_parts(d);
	check_build(d);
}
