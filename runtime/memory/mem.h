/* SPDX-License-Identifier: MIT */
/* One step of the coherence protocol: what memory probes and ranges have in common. */
#ifndef RUNTIME_MEMORY_MEM_H
#define RUNTIME_MEMORY_MEM_H

#include "runtime/base/rt.h"
#include "runtime/memory/sharing.h"

#define RT_SHARERS (PRS_DIR_MODIFIED - 1) /* bits of a directory word that stand for threads */

/* One access to one line. */
struct rt_step {
	uint64_t line;
	uint64_t mask;  /* bytes of the line; 0: not known */
	uint64_t began; /* ticks when the probe came, 0: nobody asks */
	uint32_t bit;   /* of the thread */
	uint32_t site;  /* process-wide */
	uint32_t access;
	bool write;
	bool range;  /* it stands for many that follow */
	bool shared; /* the line may be another process's, too */
};

/*
 * Begin an access of @t from site @site, and end it; @frame is the caller's.
 * False: this is a signal handler in the middle of another one, leave the
 * tables alone.
 */
bool mem_begin(struct rt_thread *t, struct rt_step *s, uint32_t site, uint32_t access, uintptr_t frame);
void mem_end(struct rt_thread *t, const struct rt_step *s);

/* Do the access to s->line. */
void mem_step(struct rt_thread *t, const struct rt_step *s);

/* One access of @t at @at, all of it; @frame as for mem_begin(). */
void mem_access(struct rt_thread *t, uint32_t site, uint64_t at, uint32_t access, uintptr_t frame);

/* The directory word of a line. */
static inline uint64_t *mem_word(uint64_t line)
{
	return &sharing.dir_words[line & (PRS_DIR_WORDS - 1)];
}

/* The word after an access that found @old; of a line that @s->bit holds already it is @old itself. */
static inline uint64_t mem_next(const struct rt_step *s, uint64_t old)
{
	uint64_t tag = s->line << PRS_DIR_TAG;

	if (s->write)
		return tag | PRS_DIR_MODIFIED | s->bit;
	if (old >> PRS_DIR_TAG != s->line)
		return tag | s->bit;
	if ((old & (PRS_DIR_MODIFIED | RT_SHARERS)) == (PRS_DIR_MODIFIED | s->bit))
		return old;
	return (old & ~(uint64_t)PRS_DIR_MODIFIED) | s->bit;
}

/* The bits of others that this access took something from, 0: none. */
static inline uint32_t mem_taken_from(const struct rt_step *s, uint64_t old)
{
	uint32_t others = (uint32_t)(old & RT_SHARERS & ~(uint64_t)s->bit);

	if (old >> PRS_DIR_TAG != s->line || !others)
		return 0;
	return s->write || old & PRS_DIR_MODIFIED ? others : 0;
}

/* Does @word, as it was read, say that @t may do this to @line without anybody losing by it? */
static inline bool mem_holds(const struct rt_thread *t, uint64_t word, uint64_t line, bool write)
{
	uint64_t bit = 1u << t->slot;

	if (write)
		return word == (line << PRS_DIR_TAG | PRS_DIR_MODIFIED | bit);
	return word >> PRS_DIR_TAG == line && word & bit;
}

/* Do the probes of @t know already that it may do this to @line? */
static inline bool mem_tagged(const struct rt_thread *t, uint64_t line, bool write)
{
	const struct prs_sharer *f = t->sharer;

	return f && rt_load(&(write ? f->store_tag : f->load_tag)[line % PRS_TAGS]) == (uint32_t)line;
}

/*
 * @word, the one of @line, was seen to say that @t, the calling thread, holds it:
 * let its probes know (its tags), unless it is gone again.
 */
void mem_fill(struct rt_thread *t, const uint64_t *word, uint64_t line, bool write);

/*
 * Ranges of few accesses to @line are to come, whoever makes them: it gets no tags in bursts, where the
 * loops' own probes come, too.  A few lines at a time; others may get them.
 */
void mem_ask(uint64_t line);

/* Where a burst begins and ends: tags of these lines that came in between are taken back. */
void mem_ask_again(void);

/* @t has put another line into a word that was @old: 0, or those who held that one lose it. */
void mem_pushed_out(struct rt_thread *t, uint64_t old);

/* Threads of @bits hold @line no longer, or (@stores) may no longer store to it. */
RT_COLD void mem_invalidate_tags(uint64_t bits, uint64_t line, bool stores);

/* True once in @n times. */
static inline bool mem_draw(struct rt_thread *t, uint32_t n)
{
	t->random = t->random * 1664525u + 1013904223u;
	return (uint64_t)t->random * n >> 32 == 0;
}

/* The calling thread's state, made on its first touch; NULL: the object is dormant, or nothing is recorded. */
struct rt_thread *mem_thread(const struct prs_desc *d);

/* Behind desc.mem, see abi.h. */
void rt_mem(const struct prs_desc *d, uint32_t site, const void *addr, uint32_t access);

/* range.c, behind desc.range, see abi.h. */
void rt_range(const struct prs_desc *d, uint32_t site, const void *first, uint64_t bytes, uint64_t count,
	      uint32_t access);
void rt_rows(const struct prs_desc *d, uint32_t site, const struct prs_rows *rows, uint32_t access);

#endif
