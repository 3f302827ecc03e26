/* SPDX-License-Identifier: MIT */
/* What is noted of lines that move: transfers, and what happens in watch windows. */
#ifndef RUNTIME_MEMORY_WATCH_H
#define RUNTIME_MEMORY_WATCH_H

#include "runtime/memory/hot.h"
#include "runtime/memory/mem.h"

/* The access took the line from the holders of the bits @from; the word was @old. */
RT_COLD void watch_transfer(struct rt_thread *t, uint64_t *word, const struct rt_step *s, uint64_t old,
			    uint32_t from);

/* Do the access to a line that is being watched.  False: it is watched no more, and nothing was done. */
RT_COLD bool watch_access(struct rt_thread *t, struct rt_hot *h, uint64_t *word, const struct rt_step *s);

/* The access was seen: its bytes are. */
RT_COLD void watch_mark(struct rt_thread *t, const struct rt_step *s);

/* A line that other processes may use: what is done to it is noted though nobody here took it. */
RT_COLD void watch_shared(struct rt_thread *t, const struct rt_step *s);

/* The probe is left, and the gap to the next access begins. */
RT_COLD void watch_left(struct rt_thread *t, const struct rt_step *s);

#endif
