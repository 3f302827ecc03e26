/* SPDX-License-Identifier: MIT */
/* One run of perseus-verify: what was asked, what was read, what came out. */
#ifndef PERSEUS_VERIFY_SESSION_H
#define PERSEUS_VERIFY_SESSION_H

#include "verify/base/manifest.h"
#include "verify/layouts/layouts.h"
#include "verify/objects/objects.h"
#include "verify/start/library.h"

/* Words behind an option. */
struct words {
	char **word;
	int n;
};

struct options {
	const char *plan, *binary;
	struct words objects, rebuilt, root, libraries;
	const char *manifest, *report, *built_with; /* NULL: not asked for */
	bool grafted;  /* the calls were put into the source: every copy of a function has them */
	bool complete; /* the manifest must name all files of its folder */
	bool help;
};

struct session {
	struct options opt;
	struct vplan plan;
	struct binary binary;
	struct libraries libraries;
	char binary_sha256[65];
	struct objects objects;
	struct placed rebuilt;
	struct layouts layouts;
	struct symbols *library_symbols; /* of the libraries that were given */
	struct vmanifest manifest;
	struct findings list;
	struct findings hints; /* what may explain differences */
};

/* Read the command line into @opt; 0, or VERDICT_USAGE after saying what is wrong.  Words point into @argv. */
int options_read(struct options *opt, int argc, char **argv);

/* True if nothing that counts is left open, neither by options nor by what was found. */
bool session_shows_all(const struct session *s);

/* The text of --help. */
extern const char options_usage[];

/* Write the report for signing to opt.report, by way of a temporary name; -1 with the reason. */
int report_write(const struct session *s, struct fault *f);

#endif
