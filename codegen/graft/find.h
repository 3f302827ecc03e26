/* SPDX-License-Identifier: MIT */
/* From a site of the plan to the call in the sources that it stands for. */
#ifndef PERSEUS_CODEGEN_GRAFT_FIND_H
#define PERSEUS_CODEGEN_GRAFT_FIND_H

#include <stdbool.h>

#include "codegen/graft/tree.h"
#include "lib/strbuf.h"
#include "record/file/types.h"
#include "yaml/plan.h"

/*
 * Read the site table of the recorded @program.  -EINVAL: it is not that of the plan; errors of reading as
 * elf_section() and sites_parse().  Released by sites_release().
 */
int graft_sites_read(struct sites *s, const char *program, const struct plan *plan, struct err *err);

/*
 * Column, in bytes from 1 on, of the call of @site at @line, as the site table of the program has it; 0: no
 * program was given, or it has none or several.
 */
uint32_t graft_sites_column(const struct sites *s, const struct plan_site *site);

/* NULL if the plan acts in every instance of @site, or why that is not sure, or not so. */
const char *graft_sites_partial(const struct sites *s, const struct plan_site *site);

/*
 * The call of @site, and the file that it is in; NULL with the reason in @why (a sentence without full stop).
 * @sites tells the column where several calls stand on one line.
 */
struct graft_file *graft_find(struct graft_tree *t, const struct sites *sites, const struct plan_site *site,
			      struct scan_call *call, struct strbuf *why);

/*
 * Do the sources have the function of @site?  What cannot be searched (a name, a text whose
 * brackets do not pair) counts as there.  False
 * with the reason in @why.
 */
bool graft_has_function(struct graft_tree *t, const struct plan_site *site, struct strbuf *why);

/* True if the function of @site is one of the C++ library, and the sources have none of that name. */
bool graft_in_library(struct graft_tree *t, const struct plan_site *site);

/*
 * The one definition of main() in the units that @plan or the recorded program names: its '{'; NULL and the
 * reason in @why.  Another main() below the root may be another program's.
 */
struct graft_file *graft_find_main(struct graft_tree *t, const struct sites *sites, const struct plan *plan,
				   size_t *open, struct strbuf *why);

#endif
