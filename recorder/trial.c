/* SPDX-License-Identifier: MIT */
#include "recorder/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/spawn/part.h"

int trial_possible(const struct target *t, struct err *err)
{
	if (!t->is_elf) {
		err_set(err, -ENOTSUP, "'%s' is a script: a plan acts in one program", t->path);
		return err_advise(err, "name the program itself");
	}
	if (t->elf.has_hooks) {
		err_set(err, -ENOTSUP,
			"'%s' has the recording runtime linked in, which stands in front of the plan's "
			"library",
			t->path);
		return err_advise(err, "link it without the runtime: `perseus record` preloads it");
	}
	if (!t->elf.interpreter)
		return err_set(err, -ENOTSUP, "'%s' is statically linked: nothing can be loaded into it",
			       t->path);
	return 0;
}

/* As no program has written it yet. */
static int write_status(const struct trial_watch *w, int fd, struct err *err)
{
	const struct prs_trial_status empty = {.magic = PRS_TRIAL_MAGIC};

	return pwrite(fd, &empty, sizeof(empty), 0) == (ssize_t)sizeof(empty)
		       ? 0
		       : err_set(err, -ENOSPC, "cannot write '%s'", w->status);
}

int trial_watch_again(const struct trial_watch *w, struct err *err)
{
	int fd = open(w->status, O_WRONLY | O_CLOEXEC | O_NOFOLLOW), ret;

	if (fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", w->status, strerror(errno));
	ret = write_status(w, fd, err);
	close(fd);
	return ret;
}

/* A file that the program maps; the page is written by it and read here. */
static int open_status(struct trial_watch *w, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	int fd, ret;

	if (snprintf(w->status, sizeof(w->status), "%s/perseus-trial.XXXXXX", tmp && *tmp ? tmp : "/tmp") >=
	    (int)sizeof(w->status)) {
		w->status[0] = '\0';
		return err_set(err, -ENAMETOOLONG, "TMPDIR is too long");
	}
	fd = mkostemp(w->status, O_CLOEXEC);
	if (fd < 0) {
		ret = err_set(err, -errno, "cannot make '%s': %s", w->status, strerror(errno));
		w->status[0] = '\0';
		return ret;
	}
	ret = write_status(w, fd, err);
	w->page = ret ? NULL : mmap(NULL, sizeof(*w->page), PROT_READ, MAP_SHARED, fd, 0);
	if (w->page == MAP_FAILED) {
		w->page = NULL;
		ret = err_set(err, -errno, "cannot map '%s': %s", w->status, strerror(errno));
	}
	close(fd);
	return ret;
}

int trial_watch_open(struct trial_watch *w, const char *library, const struct target *t, struct err *err)
{
	char own[PATH_MAX], plan[PATH_MAX];
	int ret = part_find("trial", own, sizeof(own), err);

	*w = (struct trial_watch){.status = ""};
	if (ret)
		return ret;
	if (!realpath(library, plan))
		return err_set(err, -errno, "'%s': %s", library, strerror(errno));
	if (strpbrk(own, " :"))
		return err_set(err, -ENOTSUP, "'%s': LD_PRELOAD takes no blank or colon", own);
	snprintf(w->libraries, sizeof(w->libraries), "%.*s:%s", PATH_MAX - 2, own, plan);
	strcpy(w->program, t->real);
	return open_status(w, err);
}

void trial_watch_close(struct trial_watch *w)
{
	if (w->page)
		munmap(w->page, sizeof(*w->page));
	if (w->status[0])
		unlink(w->status);
	*w = (struct trial_watch){.status = ""};
}

void trial_watch_environment(const struct trial_watch *w, struct environment *e)
{
	environment_set(e, PRS_ENV_TRIAL_PROGRAM "=%s", w->program);
	environment_set(e, PRS_ENV_TRIAL_STATUS "=%s", w->status);
}
