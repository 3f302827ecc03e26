/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warnings with names: what GCC prints ends in [-Wperseus-NAME].
 *
 * Controlled by -fplugin-arg-perseus-warn=LIST and by -Wno-perseus-NAME, which
 * GCC accepts from anybody.  Plain -Werror leaves them warnings: a build must
 * not break because it is measured.  Only error=NAME makes an error of one.
 */
#ifndef PERSEUS_PLUGIN_WARN_H
#define PERSEUS_PLUGIN_WARN_H

#include "gcc-plugin/base/gcc-common.h"

enum warning {
	WARN_LTO_LINK,  /* -flto, and the plugin is missing at the link */
	WARN_TAIL_CALL, /* tail calls that became calls; off by default */
	WARN_UNPROBED,  /* functions that cannot be probed */
	WARN_DUPLICATE, /* a second copy of the plugin is loaded */
	WARN_RULES,     /* rules that no longer name anything */
	WARN_SHARING,   /* guard=: false sharing that was found is there again */
	WARN_COUNT,
};

enum warn_level { WARN_OFF, WARN_ON, WARN_ERROR };

/* The value of `warn=`: comma list, later words win; false after error(). */
bool warn_set(const char *list);

/* Take the -Wno-perseus-NAME of the command line into account.  Once, after all warn_set(). */
void warn_read_command_line(void);

/* What @w does in this unit.  On by default is silent while a build system
   tries the compiler out, since it takes any word on stderr for a failure. */
enum warn_level warn_level(enum warning w);

/* Name of @w without its prefix. */
const char *warn_name(enum warning w);

/* Say it at @loc, if it is on; false: it was not said. */
bool warn_at(enum warning w, location_t loc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
