/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notice at the link that the plugin was forgotten there, under -flto. */
#ifndef PERSEUS_PLUGIN_LTO_MARK_H
#define PERSEUS_PLUGIN_LTO_MARK_H

/* Register what it takes.  In every compiler that loads the plugin, probes or not. */
void lto_mark_install(const char *plugin);

/* Denormals of this unit are to be counted. */
void lto_mark_denormals(void);

/* The early pass has named another call in this unit. */
void lto_mark_call(void);

#endif
