/* SPDX-License-Identifier: MIT */
#include "lib/spawn/target.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The first executable file called @name along PATH. */
static int search_path(struct target *t, const char *name, struct err *err)
{
	const char *path = getenv("PATH");
	struct stat st;

	for (const char *p = path ? path : "/bin:/usr/bin"; *p;) {
		size_t len = strcspn(p, ":");

		snprintf(t->path, sizeof(t->path), "%.*s%s%s", (int)len, p, len ? "/" : "./", name);
		if (!stat(t->path, &st) && S_ISREG(st.st_mode) && !access(t->path, X_OK))
			return 0;
		p += len + (p[len] == ':');
	}
	err_set(err, -ENOENT, "'%s' was not found in PATH", name);
	if (!access(name, F_OK))
		err_advise(err, "a file of that name is here: ./%s", name);
	return -ENOENT;
}

int target_locate(struct target *t, const char *name, struct err *err)
{
	struct stat st;
	int ret;

	memset(t, 0, sizeof(*t));
	if (!*name || strlen(name) >= sizeof(t->path))
		return err_set(err, -ENOENT, "no program is called '%.60s'", name);
	if (!strchr(name, '/')) {
		ret = search_path(t, name, err);
		if (ret)
			return ret;
	} else {
		strcpy(t->path, name);
	}
	if (stat(t->path, &st))
		return err_set(err, -errno, "'%s': %s", t->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "'%s' is a directory, expected a program", t->path);
	if (access(t->path, X_OK)) {
		err_set(err, -EACCES, "'%s' is not executable (mode %04o)", t->path,
			(unsigned)st.st_mode & 07777u);
		return err_advise(err, "chmod +x %s", t->path);
	}
	if (!realpath(t->path, t->real))
		return err_set(err, -errno, "'%s': %s", t->path, strerror(errno));
	return 0;
}

/* ld.so ignores LD_PRELOAD paths for programs that run with other rights. */
static int check_rights(const struct target *t, struct err *err)
{
	struct stat st;
	const char *what = NULL;

	if (stat(t->real, &st))
		return err_set(err, -errno, "'%s': %s", t->path, strerror(errno));
	if (st.st_mode & S_ISUID && st.st_uid != geteuid())
		what = "set-user-id";
	else if (st.st_mode & S_ISGID && st.st_gid != getegid())
		what = "set-group-id";
	else if (geteuid() && getxattr(t->real, "security.capability", NULL, 0) > 0)
		what = "given file capabilities";
	if (!what)
		return 0;
	err_set(err, -ENOTSUP, "'%s' is %s: the system does not let the runtime into it", t->path, what);
	return err_advise(err, "record a copy without these rights, or as the user it runs as");
}

static int check_elf(const struct target *t, struct err *err)
{
	if (t->elf.machine != EM_X86_64 || !t->elf.bits64) {
		err_set(err, -ENOTSUP,
			"'%s' is for another architecture (ELF machine %u, %s-bit), expected 64-bit x86-64",
			t->path, t->elf.machine, t->elf.bits64 ? "64" : "32");
		return err_advise(err, "record it on a machine of its kind");
	}
	if (t->elf.interpreter || t->elf.has_hooks)
		return 0;
	err_set(err, -ENOTSUP,
		"'%s' is statically linked without the runtime, which cannot be preloaded into it", t->path);
	err_advise(err, "link it dynamically, or add the runtime to its link line:");
	return err_advise(err, "perseus flags --libs --static");
}

/* Compilers write their names there; what links only (lld) says "Linker: ". */
static bool names_clang(const char *path)
{
	struct strbuf comment = STRBUF_INIT;
	bool found = !elf_section(path, ".comment", &comment, NULL) &&
		     memmem(comment.s, comment.len, "clang version ", 14);

	strbuf_release(&comment);
	return found;
}

int target_find(struct target *t, const char *name, struct err *err)
{
	int ret;

	ret = target_locate(t, name, err);
	if (!ret)
		ret = check_rights(t, err);
	if (ret)
		return ret;
	ret = elf_facts(t->real, &t->elf, err);
	if (ret == -ENOEXEC || ret == -EACCES) {
		/* A script, or unreadable: the kernel decides, children may be recorded. */
		*err = (struct err)ERR_INIT;
		return 0;
	}
	if (ret)
		return ret;
	t->is_elf = true;
	t->has_clang = names_clang(t->real);
	return check_elf(t, err);
}
