/* SPDX-License-Identifier: MIT */
/*
 * Hold frequency domains at a step through cpufreq's own files.  A second
 * process, the guard, knows what was changed and puts it back when this one
 * lets go, or is gone: the end of a pipe tells it, so also after SIGKILL.
 */
#ifndef PERSEUS_PLATFORM_HOLD_H
#define PERSEUS_PLATFORM_HOLD_H

#include <stdint.h>

#include "lib/err.h"

struct hold;

/*
 * Start the guard; @core is one whose files must be writable.  A signal that
 * ends this process (SIGHUP, SIGINT, SIGQUIT, SIGTERM) does so after the guard
 * has put everything back.  Fails with -ENOENT (no cpufreq), -EACCES or -EROFS.
 * One at a time; the process has no other thread yet.
 */
int hold_open(struct hold **h, const char *sysroot, uint32_t core, struct err *err);

/*
 * Hold the domain of @core at @khz.  Returns 0, 1 if the files took it but say
 * something else now, or a negative errno; -EBUSY: somebody else has set another
 * limit meanwhile, which is left as it is.
 */
int hold_set(struct hold *h, uint32_t core, uint32_t khz, struct err *err);

/*
 * Put everything back and free @h.  -EBUSY: somebody else changed a file
 * meanwhile, which is left as it is; -EIO: a file did not take its old value.
 */
int hold_close(struct hold *h, struct err *err);

#endif
