/* SPDX-License-Identifier: MIT */
/*
 * configuration.csv: what made the generated files and the evidence, by version
 * and hash: parts of Perseus, tools, linker, C library, kernel.
 */
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "evidence/gates/gate.h"
#include "evidence/pages/pages.h"
#include "lib/fs.h"

#define FILE_BYTES ((size_t)1 << 30)

/* Name, version, hash of the file at @path; NULL: not there. */
static void row(struct strbuf *out, const char *name, const char *what, const char *version, const char *path)
{
	struct strbuf text = STRBUF_INIT;
	char hex[SHA256_HEX] = "";

	if (path && !fs_read(path, FILE_BYTES, &text, NULL))
		sha256_of(text.s, text.len, hex);
	csv_put(out, name);
	csv_put(out, what);
	csv_put(out, version);
	csv_end(out, hex);
	strbuf_release(&text);
}

/* The file that PATH has for @tool, links followed; false: none. */
static bool config_find(const char *tool, char file[PATH_MAX])
{
	const char *path = getenv("PATH");
	char name[PATH_MAX];

	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (snprintf(name, sizeof(name), "%.*s/%s", (int)n, path, tool) < (int)sizeof(name) &&
		    !access(name, X_OK) && realpath(name, file))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

/* The first line that `TOOL OPTION` prints. */
static int tool(struct gate_env *b, struct strbuf *out, const char *name, const char *option,
		const char *what, struct err *err)
{
	const char *argv[] = {name, option, NULL};
	char file[PATH_MAX];
	struct run_result r;
	int ret;

	if (!config_find(name, file)) {
		row(out, name, what, "not installed", NULL);
		return 0;
	}
	ret = gate_run(b, argv, 60, &r, err);
	if (!ret) {
		if (r.out.len)
			r.out.s[strcspn(r.out.s, "\r\n")] = '\0';
		row(out, name, what, r.out.len ? r.out.s : "unknown", file);
	}
	strbuf_release(&r.out);
	return ret;
}

static void system_rows(struct gate_env *b, struct strbuf *out)
{
	static const char *const libc[] = {"/lib/x86_64-linux-gnu/libc.so.6",
					   "/lib/aarch64-linux-gnu/libc.so.6", "/lib64/libc.so.6",
					   "/usr/lib/libc.so.6"};
	const struct evidence_input *in = b->pack->in;
	struct utsname u;
	size_t i = 0;

	row(out, "perseus", "generator, this pack", in->version, in->self);
	row(out, "perseus.so", "plugin: puts the calls in", in->plugin ? in->version : "not installed",
	    in->plugin);
	row(out, "perseus-verify", "verifier", in->verify ? in->version : "not installed", in->verify);
	row(out, "perseus-source-check", "verifier", in->source_check ? in->version : "not installed",
	    in->source_check);
	row(out, "perseus-plan-check", "verifier", in->plan_check ? in->version : "not installed",
	    in->plan_check);
	while (i < sizeof(libc) / sizeof(libc[0]) && access(libc[i], R_OK))
		i++;
	row(out, "C library", "under all tools here", gnu_get_libc_version(),
	    i < sizeof(libc) / sizeof(libc[0]) ? libc[i] : NULL);
	if (!uname(&u)) {
		struct strbuf kernel = STRBUF_INIT;

		strbuf_printf(&kernel, "%s %s %s", u.sysname, u.release, u.machine);
		row(out, "kernel", "under all tools here", kernel.s, NULL);
		strbuf_release(&kernel);
	}
}

int config_csv(struct gate_env *b, struct err *err)
{
	static const char *const tools[][3] = {
		{"gcc", "--version", "compiler"},
		{"as", "--version", "assembler"},
		{"ld", "--version", "linker"},
		{"clang", "--version", "compiler"},
		{"aarch64-linux-gnu-gcc", "--version", "compiler"},
		{"gcov", "--version", "coverage"},
		{"objcopy", "--version", "unit test of the platform file"},
		{"cppcheck", "--version", "MISRA checker"},
		{"frama-c", "-version", "proofs"},
		{"why3", "--version", "proofs"},
		{"z3", "--version", "prover"},
	};
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	strbuf_puts(&out, "item,used as,version,sha256\n");
	system_rows(b, &out);
	for (size_t i = 0; !ret && i < sizeof(tools) / sizeof(tools[0]); i++)
		ret = tool(b, &out, tools[i][0], tools[i][1], tools[i][2], err);
	evidence_put(b->pack, "configuration.csv", "configuration index of the tools", NULL, &out);
	return ret;
}
