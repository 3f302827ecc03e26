/* SPDX-License-Identifier: MIT */
/*
 * Between `perseus build` and perseus-cc1, which stands in for GCC's compilers
 * proper: a private directory, named by BUILD_ENV, with
 *
 *   config   "perseus-build 1", then one `NAME VALUE` a line: `plugin PATH`,
 *            `back-end MAJOR IDENTITY` (one per back end), `arg OPTION` in order.
 *            Holds nothing that differs between equal builds: caches hash it
 *   units    a line per compilation, appended by one write each:
 *            KIND TOOL VERSION DETAIL FILE, separated by tabs
 *   tool-*   what drivers answered
 */
#ifndef PERSEUS_CMD_BUILD_BUILD_DIR_H
#define PERSEUS_CMD_BUILD_BUILD_DIR_H

#define BUILD_ENV    "PERSEUS_BUILD_DIR"
#define BUILD_CONFIG "config"
#define BUILD_UNITS  "units"
#define BUILD_MAGIC  "perseus-build 1"

/* KIND, and what DETAIL is then */
#define BUILD_PROBES     "probes"     /* compiled with the plugin; nothing */
#define BUILD_GIVEN      "given"      /* its command line had the plugin already; nothing */
#define BUILD_PLAIN      "plain"      /* compiled without; the reason, for people */
#define BUILD_CONFIGURE  "configure"  /* a test program of a configure step, left alone; nothing */
#define BUILD_PREPROCESS "preprocess" /* no code was made; nothing */
#define BUILD_LINK       "link"       /* code of -flto made at the link, with the plugin; nothing */

#endif
