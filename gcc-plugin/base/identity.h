/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which bytes this back end is.  A compiler cache hashes the file that
 * -fplugin= names, and that is the shim; so the flags name the back end, too,
 * by the build id that the linker wrote into it.
 */
#ifndef PERSEUS_PLUGIN_IDENTITY_H
#define PERSEUS_PLUGIN_IDENTITY_H

/* The build id in lower case hex, "" if the file has none; stays valid. */
const char *identity_text(void);

/* Is @id, from the argument id=, this back end?  false after error(). */
bool identity_check(const char *id);

#endif
