/* SPDX-License-Identifier: MIT */
/* What stands beside the reviewed perseus_triggers.c: the other generated files of its folder. */
#ifndef PERSEUS_VERIFY_SOURCE_FOLDER_H
#define PERSEUS_VERIFY_SOURCE_FOLDER_H

#include "verify/base/manifest.h"
#include "verify/base/plan.h"

/*
 * Compare the constants of perseus_machine.h in the folder of @source, by which the
 * platform file knows the planned machine, with the plan; differences are
 * lines in @list.  A folder without that file has none.  -1 if it cannot be read.
 */
int folder_check_machine(const char *source, const struct vplan *p, struct findings *list, struct fault *f);

/* The same of perseus_triggers.plan, by which the plugin put the calls in: numbers, sites, sides and lines. */
int folder_check_plan(const char *source, const struct vplan *p, struct findings *list, struct fault *f);

#define FOLDER_PATH 4096

/* @name in the folder of @source, into FOLDER_PATH bytes; false if that is too long. */
bool folder_beside(char *path, const char *source, const char *name);

/* Each perseus_*.c and perseus_*.h in the folder of @source must be in the manifest. */
void folder_check_listed(const char *source, const struct vmanifest *m, struct findings *list);

#endif
