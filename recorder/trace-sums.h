/* SPDX-License-Identifier: MIT */
/*
 * Sums of traced calls.  A thread that is traced says only which call record's
 * call took how long; here that is added up, in the file that lies beside the
 * record (struct prs_sum) and is as good as a part of it.  The file is mapped,
 * so what was added stays if the recorder is killed.
 */
#ifndef PERSEUS_RECORDER_TRACE_SUMS_H
#define PERSEUS_RECORDER_TRACE_SUMS_H

#include <stdint.h>

/* Those of one thread. */
struct sums;

/*
 * Begin with the sums of thread @thread of process @pid, image @epoch.  @trace
 * is the directory of its stream, below that of the records.  Never fails: what
 * cannot be stored is counted.
 */
struct sums *sums_begin(const char *trace, uint32_t pid, uint32_t epoch, uint32_t thread);

/*
 * Add the call whose second word is @word as the thread wrote it; returns that
 * word as the trace has it.  The program may have written anything there.
 */
uint64_t sums_call(struct sums *s, uint64_t word);

/* The thread writes no more: free @s.  Returns how many calls are in no sum. */
uint64_t sums_end(struct sums *s);

#endif
