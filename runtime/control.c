/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the recorder's word.
 *
 * A signal would be the program's: it may hold or handle it, and its blocking
 * calls would come back with EINTR.  So a thread of our own (helper.c) sleeps
 * on the control page.
 */
#include <errno.h>

#include "runtime/base/env.h"
#include "runtime/base/file.h"
#include "runtime/base/helper.h"
#include "runtime/control.h"
#include "runtime/process.h"

#define FUTEX_WAIT_SHARED 0

static const struct prs_control *control; /* NULL: recording begins at once */

static void *map_page(const char *path)
{
	struct stat st;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	void *page = NULL;

	if (fd < 0)
		return NULL;
	if (!sys_fstat(fd, &st) && st.st_size >= PRS_PAGE_BYTES)
		page = sys_mmap(PRS_PAGE_BYTES, PROT_READ, MAP_SHARED, fd);
	sys_close(fd);
	return page;
}

bool control_open(void)
{
	char path[sizeof(rt.dir) + sizeof("/" PRS_CONTROL_FILE)], *end = path + sizeof(path) - 1;
	const struct prs_control *c;

	if (!env_number(PRS_ENV_START, 0, 1))
		return true;
	*file_put_text(file_put_text(path, end, rt.dir), end, "/" PRS_CONTROL_FILE) = '\0';
	c = map_page(path);
	if (!c || c->magic != PRS_CONTROL_MAGIC)
		return false;
	control = c;
	return true;
}

bool control_present(void)
{
	return control;
}

uint32_t control_word(void)
{
	return control ? rt_acquire(&control->word) : PRS_CONTROL_OPEN;
}

/* ---- the thread ------------------------------------------------------------------- */

/* Sleep while the word is @seen, and not for long; a page that went away ends the thread. */
static bool wait_word(uint32_t seen)
{
	struct timespec look = {0, HELPER_LOOK_US * 1000};
	long ret = rt_syscall4(SYS_futex, (long)&control->word, FUTEX_WAIT_SHARED, (long)seen, (long)&look);

	return !ret || ret == -EAGAIN || ret == -EINTR || (ret == -ETIMEDOUT && !helper_alone());
}

static void helper_run(void)
{
	uint32_t word;

	helper_begin("perseus-wait", NULL);
	while ((word = control_word()) != PRS_CONTROL_STOP) {
		if (word == PRS_CONTROL_OPEN)
			process_begin();
		if (wait_word(word))
			continue;
		if (!helper_alone())
			helper_end();
		break;
	}
	process_stop();
	helper_end();
}

bool control_watch(void)
{
	return helper_start(helper_run);
}
