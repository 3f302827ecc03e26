/* SPDX-License-Identifier: MIT */
/* From a plan and a program to a library that can be preloaded. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "codegen/codegen.h"
#include "codegen/trial/trial.h"
#include "lib/fs.h"
#include "lib/inspect/elf.h"
#include "lib/mem.h"
#include "lib/spawn/capture.h"
#include "perseus/ctl.h"
#include "perseus/sites.h"

#define PLAN_BYTES ((size_t)64 << 20)
#define WORDS_MOST 64

/* ---- what it is made of ---- */

static int load_plan(struct trial_made *m, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = fs_read(path, PLAN_BYTES, &text, err);

	if (!ret)
		ret = plan_parse(&m->plan, text.s, text.len, path, err);
	if (!ret)
		sha256_of(text.s, text.len, m->sha256);
	strbuf_release(&text);
	return ret;
}

static int load_sites(struct sites *s, const char *program, char sha256[SHA256_HEX], struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = elf_section(program, PRS_SITES_SECTION, &text, err);

	*s = (struct sites){0};
	if (ret == -ENODATA) {
		err_set(err, -EINVAL, "'%s' has no probes, and a plan is tried by them", program);
		err_advise(err, "build it with the flags that `perseus flags` prints");
		ret = -EINVAL;
	} else if (!ret) {
		sha256_of(text.s, text.len, sha256);
		ret = sites_parse(s, text.s, text.len, program, err);
	}
	strbuf_release(&text);
	return ret;
}

/* The plan's own words on what it was made from, against the program. */
static int check_program(struct trial_made *m, const char *program, const char *sha256, struct err *err)
{
	const struct plan *p = &m->plan;
	bool same = p->sites_sha256 && !strcmp(p->sites_sha256, sha256);
	const char *base = fs_base_name(program);

	m->rebuilt = p->sites_sha256 && !same;
	if (same || !strcmp(fs_base_name(p->program), base))
		return 0;
	err_set(err, -EINVAL, "the plan is of '%s', not of '%s'", p->program, base);
	return err_advise(err, "a program of another name has to be the very build that was recorded");
}

/* ---- the compiler ---- */

/* The first lines of what it said. */
static int compiler_failed(const struct strbuf *said, int status, const char *cc, struct err *err)
{
	char line[200];

	capture_first_line(said, line, sizeof(line));
	if (status < 0)
		return err_set(err, -ENOEXEC, "cannot run the compiler '%s': %s", cc, strerror(-status));
	return err_set(err, -ENOEXEC, "'%s' did not compile the plan (status %d): %s", cc, status, line);
}

static int trial_compile(const char *dir, const char *library, const char *cc, struct err *err)
{
	static const char *const flags[] = {"-std=gnu11",
					    "-O2",
					    "-fPIC",
					    "-shared",
					    "-DPERSEUS_STATIC",
					    "-ftls-model=initial-exec",
					    "-fvisibility=hidden",
					    "-w",
					    "-o"};
	static const char *const sources[] = {"perseus_triggers.c", "perseus_platform_linux.c",
					      "perseus_trial.c"};
	char *words = mem_strdup(cc), *rest = words, *word;
	const char *argv[WORDS_MOST + 16] = {NULL};
	char path[3][PATH_MAX + 32];
	struct strbuf said = STRBUF_INIT;
	size_t n = 0;
	int status;

	while ((word = strsep(&rest, " ")) != NULL && n < WORDS_MOST)
		if (*word)
			argv[n++] = word;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		argv[n++] = flags[i];
	argv[n++] = library;
	for (size_t i = 0; i < 3; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%s", dir, sources[i]);
		argv[n++] = path[i];
	}
	status = capture(argv, NULL, &said);
	if (status)
		compiler_failed(&said, status, cc, err);
	strbuf_release(&said);
	free(words);
	return status ? -ENOEXEC : 0;
}

/* ---- files ---- */

/* The usual socket's line of the generated code, with another name in it. */
static int trial_use_socket(struct strbuf *platform, const char *socket, struct err *err)
{
	static const char line[] = "#define PERSEUS_SOCKET  \"" PRS_CTL_SOCKET "\"\n";
	const char *at = platform->s ? strstr(platform->s, line) : NULL;
	struct strbuf text = STRBUF_INIT;

	if (strpbrk(socket, "\"\\\n"))
		return err_set(err, -EINVAL,
			       "--socket: quotation marks, \\ and line ends cannot be in its path");
	if (strlen(socket) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return err_set(err, -EINVAL, "--socket: the path '%.80s..' is too long", socket);
	/* A plan without steps that perseusd makes has no such line. */
	if (!at)
		return 0;
	strbuf_add(&text, platform->s, (size_t)(at - platform->s));
	strbuf_printf(&text, "#define PERSEUS_SOCKET  \"%s\"\n", socket);
	strbuf_puts(&text, at + sizeof(line) - 1);
	strbuf_release(platform);
	*platform = text;
	return 0;
}

/* What decides about the library: the plan's bytes, the program's table, compiler, way of steps, and the code itself. */
static void library_name(char *path, const struct trial_request *r, const struct codegen_output *out,
			 const struct strbuf *hooks)
{
	struct sha256 sha;
	char hex[SHA256_HEX];

	sha256_init(&sha);
	for (int i = 0; i < CODEGEN_FILES; i++)
		sha256_add(&sha, out->file[i].s ? out->file[i].s : "", out->file[i].len);
	sha256_add(&sha, hooks->s, hooks->len);
	sha256_add(&sha, r->cc, strlen(r->cc) + 1);
	sha256_hex(&sha, hex);
	snprintf(path, PATH_MAX, "%.*s/plan-%.32s.so", PATH_MAX - 64, r->keep, hex);
}

static int write_library(struct trial_made *m, const struct trial_request *r, struct codegen_output *out,
			 const struct strbuf *hooks, struct err *err)
{
	char path[PATH_MAX + 32], part[PATH_MAX];
	int ret = 0;

	if (r->keep) {
		ret = fs_mkdirs(r->keep, err);
		library_name(m->library, r, out, hooks);
		m->kept = !ret && !access(m->library, R_OK);
	}
	if (ret || m->kept)
		return ret;
	ret = fs_make_temporary(m->dir, "perseus-try", err);
	if (!ret)
		ret = codegen_write(out, m->dir, err);
	snprintf(path, sizeof(path), "%s/perseus_trial.c", m->dir);
	if (!ret)
		ret = fs_write(path, hooks->s, hooks->len, err);
	if (ret)
		return ret;
	if (!r->keep)
		snprintf(m->library, sizeof(m->library), "%.*s/plan.so", PATH_MAX - 16, m->dir);
	/* Under another name first: a second trial may look meanwhile. */
	snprintf(part, sizeof(part), "%.*s.%ld", PATH_MAX - 32, m->library, (long)getpid());
	ret = trial_compile(m->dir, part, r->cc, err);
	if (!ret && rename(part, m->library))
		ret = err_set(err, -errno, "cannot write '%s': %s", m->library, strerror(errno));
	if (ret)
		unlink(part);
	return ret;
}

/* Entries of LD_PRELOAD end at blanks and colons. */
static int check_library(const struct trial_made *m, struct err *err)
{
	char real[PATH_MAX];

	if (realpath(m->library, real) && !strpbrk(real, " :"))
		return 0;
	return err_set(err, -ENOTSUP,
		       "the plan's library lies at '%s', and LD_PRELOAD takes no blank or colon", m->library);
}

static int generate(struct trial_made *m, const struct trial_request *r, const struct sites *sites,
		    struct err *err)
{
	struct codegen_input in = {.plan = &m->plan,
				   .plan_name = fs_base_name(r->plan),
				   .backend = CODEGEN_LINUX,
				   .frequency = r->frequency};
	struct trial_hooks hooks = VEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct codegen_output out = {0};
	struct view v = {0};
	int ret;

	memcpy(in.sha256, m->sha256, sizeof(in.sha256));
	ret = codegen_make(&out, &in, err);
	if (!ret && r->socket)
		ret = trial_use_socket(&out.file[CODEGEN_PLATFORM_C], r->socket, err);
	if (!ret)
		ret = view_init(&v, &in, err);
	if (!ret)
		ret = trial_hooks_find(&hooks, &v, sites, fs_base_name(r->program), err);
	if (!ret) {
		trial_emit(&text, &hooks, sites, m->sha256);
		m->n_settings = out.n_settings;
		m->n_hooks = hooks.n;
		for (size_t i = 0; i < hooks.n; i++)
			m->n_units += !i || hooks.at[i].unit_id != hooks.at[i - 1].unit_id;
		strbuf_add(&m->notes, out.notes.s ? out.notes.s : "", out.notes.len);
		ret = write_library(m, r, &out, &text, err);
	}
	if (!ret)
		ret = check_library(m, err);
	view_release(&v);
	codegen_release(&out);
	strbuf_release(&text);
	vec_release(&hooks);
	return ret;
}

int trial_make(struct trial_made *m, const struct trial_request *request, struct err *err)
{
	struct trial_request r = *request;
	char sha256[SHA256_HEX];
	struct sites sites = {0};
	int ret;

	*m = (struct trial_made){.dir = "", .frequency = r.frequency};
	if (!r.cc)
		r.cc = "gcc";
	ret = load_plan(m, r.plan, err);
	if (!ret)
		ret = load_sites(&sites, r.program, sha256, err);
	if (!ret)
		ret = check_program(m, r.program, sha256, err);
	if (!ret) {
		ret = generate(m, &r, &sites, err);
		if (ret)
			err_prefix(err, "%s", r.plan);
	}
	sites_release(&sites);
	return ret;
}

void trial_made_release(struct trial_made *m)
{
	fs_remove_all(m->dir);
	m->dir[0] = '\0';
	strbuf_release(&m->notes);
	plan_release(&m->plan);
}
