/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perseus.rules (include/perseus/rules.h): sites left out by a run's advice. */
#ifndef PERSEUS_PLUGIN_RULES_FILE_H
#define PERSEUS_PLUGIN_RULES_FILE_H

/*
 * Read @path; its SHA-256 must be @hash (64 hex digits, NULL: any).  False
 * after error().
 */
bool rules_read(const char *path, const char *hash);

/* Is there any rule? */
bool rules_given(void);

/* Do the rules leave out the site of 16 hex digits @site? */
bool rules_leave_out(const char *site);

/* The early pass met @site in this unit. */
void rules_saw(const char *site);

/* At the end of a unit: warn of rules for it whose site it does not have. */
void rules_check_unit(void);

#endif
