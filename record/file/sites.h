/* SPDX-License-Identifier: MIT */
/* The one parser of site tables; perseus/sites.h. */
#ifndef PERSEUS_RECORD_FILE_SITES_H
#define PERSEUS_RECORD_FILE_SITES_H

#include "record/file/types.h"

/*
 * Parse a .perseus.sites text (copied); -EINVAL names the line.  Afterwards
 * every string is non-NULL ("-" where the table does not know), every slot
 * of every unit is filled, and types are ascending by name.  @name is put
 * into messages.  On failure @s is empty.
 */
int sites_parse(struct sites *s, const char *text, size_t len, const char *name, struct err *err);

/* Free everything inside; @s is empty afterwards. */
void sites_release(struct sites *s);

/* Do the comma separated @flags of a unit or site hold @flag, one of PRS_CF_* or PRS_UF_*? */
bool run_has_flag(const char *flags, const char *flag);

/* True if the site is no call but stands for notes of a local variable, which `callee` names. */
bool run_site_is_frame(const struct run_call_site *site);

#endif
