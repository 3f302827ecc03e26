/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What range probes and memory probes share: sites, and the places they name. */
#ifndef PERSEUS_PLUGIN_MEM_SITE_H
#define PERSEUS_PLUGIN_MEM_SITE_H

#include "gcc-plugin/data/access.h"

/* Why @stmt has no probe for some access: an S line. */
void mem_skip(gimple *stmt, function *fun, const char *reason);

/* *@site: number of the site of @a, made by @source.  False: it shall carry no probe. */
bool mem_site(const struct mem_access *a, gimple *source, function *fun, unsigned *site);

/*
 * Insert @probe before *@gsi (@after false) or behind it; it names what @ref
 * refers to, and that does not count as taking its address.
 */
void mem_insert(gimple_stmt_iterator *gsi, gimple *probe, tree ref, bool after);

/* The function that is being compiled keeps nothing below the stack pointer. */
void mem_no_red_zone(void);

/* The unit is compiled: what the probes have borrowed is given back.  Once, at start. */
void mem_site_install(void);

#endif
