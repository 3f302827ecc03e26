/* SPDX-License-Identifier: MIT */
/* Files: read whole, write all or nothing, paths below a sysroot. */
#ifndef PERSEUS_LIB_FS_H
#define PERSEUS_LIB_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

/*
 * Read the whole file into @out (appended).  Fails with -ENOENT, -EACCES,
 * -EISDIR, -EFBIG (more than @max bytes; 0: 1 GiB) and names the path.
 */
int fs_read(const char *path, size_t max, struct strbuf *out, struct err *err);

/*
 * Write @len bytes to @path through a temporary neighbour and rename(), so
 * that a failure leaves the old file as it was, and that no link which waits
 * in a directory of others is followed.  "-" writes to stdout.
 */
int fs_write(const char *path, const void *data, size_t len, struct err *err);

/* The same; only its owner can read it. */
int fs_write_private(const char *path, const void *data, size_t len, struct err *err);

/*
 * The same for what is long and written piece by piece: fs_begin() opens, fs_end()
 * closes and, unless @keep is false, puts the file where fs_write() would.  A
 * write that failed is found by fs_end().
 */
struct fs_file {
	FILE *to;
	char *path, *tmp; /* tmp is NULL for what is no regular file */
	bool unnamed;     /* the file has no name yet: nothing stays if we are killed */
};
int fs_begin(struct fs_file *f, const char *path, struct err *err);
int fs_end(struct fs_file *f, bool keep, struct err *err);

/*
 * The names in directory @path that @keep takes (NULL: all but "." and ".."), in
 * the order of their bytes.  A directory that cannot be read to its end is an
 * error: a part of a list must not pass for all of it.  @out is empty before,
 * and the caller releases it either way.
 */
struct fs_names VEC(char *);
int fs_list(const char *path, bool (*keep)(const char *name), struct fs_names *out, struct err *err);
void fs_names_release(struct fs_names *names);

/* 1 if @path is there, 0 if it is not, a negative errno with the message if nobody can tell. */
int fs_is_there(const char *path, struct err *err);

/* True if both name one regular file that is there. */
bool fs_same(const char *a, const char *b);

/* Create a directory and its parents; an existing one is fine. */
int fs_mkdirs(const char *path, struct err *err);

/*
 * Make a directory of our own below TMPDIR, or /tmp, whose name begins with @name.  @path has PATH_MAX bytes;
 * 100 of them stay free for names inside.  If it fails, @path is "".
 */
int fs_make_temporary(char *path, const char *name, struct err *err);

/* Remove @path with all that is below it on the same file system; links are not followed.  "": nothing. */
void fs_remove_all(const char *path);

/*
 * Take the numbers of stdin, stdout and stderr where the caller closed them,
 * so that no file of ours gets one.  Reading and writing fail as before, and
 * what we exec finds them closed.
 */
void fs_hold_standard(void);

/*
 * Read a small file below @sysroot ("" for this machine), without its
 * trailing newline, into @buf.  Fails quietly with a negative errno: callers
 * know what the absence means.  -ESPIPE: it is a pipe or a device, and is not read.
 */
int fs_read_small(const char *sysroot, const char *path, char *buf, size_t size);

/* What is behind the last '/' of @path; a part of it. */
const char *fs_base_name(const char *path);

#endif
