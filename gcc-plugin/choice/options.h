/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's arguments: -fplugin-arg-perseus-KEY[=VALUE], nothing else. */
#ifndef PERSEUS_PLUGIN_OPTIONS_H
#define PERSEUS_PLUGIN_OPTIONS_H

struct plugin_name_args;

struct prs_options {
	bool calls;             /* put probes at calls */
	bool memory;            /* put probes at memory accesses */
	bool denormal;          /* count denormals */
	unsigned den_mode;      /* enum prs_den_mode */
	bool bodies;            /* probes in a second body of each function */
	bool hoist;             /* one probe in front of a loop for what it touches */
	const char *dump;       /* file to append to what became of the accesses, or NULL */
	const char *plan;       /* path of perseus_triggers.plan, or NULL */
	const char *plan_hash;  /* 64 hex digits the plan must carry, or NULL */
	const char *rules;      /* path of perseus.rules, or NULL */
	const char *rules_hash; /* SHA-256 of that file, 64 hex digits, or NULL */
	const char *guard;      /* path of a guard file, or NULL */
	const char *guard_hash; /* SHA-256 of that file, 64 hex digits, or NULL */
};

extern struct prs_options prs_opt;

/* What the arguments may be, in one line. */
extern const char options_help[];

/*
 * Read the arguments into prs_opt, and select=, skip=, warn= to where they
 * belong.  Each bad one is reported by error(), which makes the compilation
 * fail; the return value is true if all were good.
 */
bool options_read(const struct plugin_name_args *args);

#endif
