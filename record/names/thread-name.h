/* SPDX-License-Identifier: MIT */
/*
 * What people call a thread.  Every command asks here, so that one thread has
 * one name everywhere, and the same one in every run of the same binary:
 * nothing depends on what took longest.
 */
#ifndef PERSEUS_RECORD_NAMES_THREAD_NAME_H
#define PERSEUS_RECORD_NAMES_THREAD_NAME_H

#include "lib/strbuf.h"
#include "record/names/names.h"

#define THREAD_NAME 17 /* bytes of a name that the kernel keeps, and NUL */

/*
 * The name of thread @thread without a number, appended to @out: "main"; what the program called it
 * (pthread_setname_np()), "pool" for "pool-3"; else thread_role().
 */
void thread_base_name(struct strbuf *out, const struct run *run, const struct run_process *p,
		      uint32_t thread);

/* ... as the program called it: "pool-3".  Several threads may still have one name. */
void thread_whole_name(struct strbuf *out, const struct run *run, const struct run_process *p,
		       uint32_t thread);

/*
 * What thread @thread runs, appended to @out, whatever it is called: "main"; the routine it was created
 * with; for the wrappers of the C++ library what they call ("Pool::loop", "lambda at pool.cc:12"); for
 * OpenMP its region ("region at sum.c:7"); else what the kernel calls it, else who created it.  Keys of
 * findings are made of it, since a program may give other names in each run.
 */
void thread_role(struct strbuf *out, const struct run *run, const struct run_process *p, uint32_t thread);

/*
 * Assembler name of the function whose own code a thread runs outside of all
 * calls that have probes, appended to @out; the base name where that function
 * is known by a place only.  False, and nothing is appended: no function of
 * the program's.  @called: it is itself called by a call with probes, which
 * has its time; what is left is the way to it.
 */
bool thread_routine(struct strbuf *out, const struct run *run, const struct run_process *p, uint32_t thread,
		    bool *called);

/*
 * The names of all threads of @p by index, numbered where several have one:
 * "consume 0", "consume 1", in the order in which they were created.  @kernel:
 * what the kernel calls them now, by index; NULL, or NULL in it: as the record
 * says.  The caller frees the names and the array.
 */
char **thread_names(const struct run *run, const struct run_process *p, const char *const *kernel);

/*
 * True if @kernel, what the kernel calls thread @thread, is a name that the program gave it: not the name of the
 * program, which every thread begins with, or that of its first thread or its creator, and not of the first one.
 */
bool thread_is_named(const struct run_process *p, uint32_t thread, const char *kernel);

/* True for the entry of a thread whose creation failed: it never ran. */
bool thread_never_ran(const struct prs_thread *t);

#endif
