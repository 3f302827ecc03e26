/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the compiler itself can tell of the plugin: marks that every copy of
 * it sees, and the options that it writes into objects.
 */
#ifndef PERSEUS_PLUGIN_TRACES_H
#define PERSEUS_PLUGIN_TRACES_H

/*
 * Marks of the whole process.  The plugin may be given under two names, and
 * then even from two files, which share no variable.
 */
bool trace_marked(const char *mark);
void trace_mark(const char *mark);

/*
 * Take the options that gave the plugin the name @plugin out of those that the
 * compiler records (DW_AT_producer, -frecord-gcc-switches, -fverbose-asm,
 * LTO): for an object that is to be the same as without the plugin.
 */
void trace_forget_options(const char *plugin);

#endif
