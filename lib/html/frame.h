/* SPDX-License-Identifier: MIT */
/*
 * The frame of all pages: one file that asks nobody for anything, whose policy
 * names each script and style by its hash.  A page has a <main id="tab-summary">,
 * which is shown without scripts; assets/page.js makes tabs of it and of what
 * the page's own scripts add.
 */
#ifndef PERSEUS_LIB_HTML_FRAME_H
#define PERSEUS_LIB_HTML_FRAME_H

#include <stddef.h>

#include "lib/strbuf.h"

/* A script or style that is in this program, so that it needs no installed files. */
struct html_asset {
	const char *text, *end;
};

/* The bytes of @path, from the top of the tree, as an asset NAME: HTML_ASSET(NAME, PATH); HTML_ASSET_OF(NAME). */
#define HTML_ASSET(name, path)                                                                               \
	__asm__(".pushsection .rodata\n"                                                                     \
		"asset_" #name ": .incbin \"" path "\"\n"                                                    \
		"asset_" #name "_end: .byte 0\n"                                                             \
		".popsection\n");                                                                            \
	extern const char asset_##name[] __attribute__((visibility("hidden")));                              \
	extern const char asset_##name##_end[] __attribute__((visibility("hidden")))
#define HTML_ASSET_OF(name)                                                                                  \
	{                                                                                                    \
		asset_##name, asset_##name##_end                                                             \
	}

struct html_frame {
	const char *title;
	const struct html_asset *scripts; /* the page's own, in the order in which they run */
	size_t n_scripts;
	const char *also_from; /* what else scripts may come from, as a policy has it; NULL: nothing */
};

/* Append all up to <body>. */
void html_frame_begin(const struct html_frame *f, struct strbuf *out);

/* Append the scripts, and the end. */
void html_frame_end(const struct html_frame *f, struct strbuf *out);

#endif
