/* SPDX-License-Identifier: MIT */
/*
 * The genes of a design: the unit of each slot that is free, and the step of
 * each domain in each epoch.  Any values make a design that can be carried out.
 *
 * Phases that two designs treat alike cost the same in both, passages into
 * them included; so most of a child's evaluation is copied from its parents.
 */
#ifndef PERSEUS_PLANNER_HEURISTIC_GENOME_H
#define PERSEUS_PLANNER_HEURISTIC_GENOME_H

#include "lib/rng.h"
#include "planner/cost/eval.h"

struct genome {
	const struct problem *pb;
	uint32_t *slot;      /* of each gene that is a unit */
	uint32_t n_units;    /* genes that are units */
	uint32_t n;          /* all genes; steps follow the units */
	uint8_t *mark[2];    /* per phase: not as in one parent, in the other */
	uint8_t *mark_epoch; /* per epoch */
};

/* A design and what it costs. */
struct individual {
	struct design d;
	struct evaluation ev;
};

/* Space; released by genome_release(). */
void genome_init(struct genome *g, const struct problem *pb);
void genome_release(struct genome *g);

void individual_init(struct individual *it, const struct problem *pb);
void individual_release(struct individual *it);
void individual_copy(struct individual *to, const struct individual *from, const struct problem *pb);

/* Phases [first, last] that gene @i belongs to. */
void genome_span(const struct genome *g, uint32_t i, uint32_t *first, uint32_t *last);

/* Copy gene @i; give it a random value. */
void genome_copy(const struct genome *g, struct design *to, const struct design *from, uint32_t i);
void genome_draw(const struct genome *g, struct design *d, uint32_t i, struct rng *rng);

/* In how many genes do @a and @b differ? */
uint32_t genome_distance(const struct genome *g, const struct design *a, const struct design *b);

/*
 * Evaluate @child->d, taking over what it has in common with @mother and
 * @father (NULL: none).  Returns the number of phases that had to be
 * evaluated; the result is that of eval_all() to the last bit.
 */
uint64_t genome_derive(struct genome *g, struct individual *child, const struct individual *mother,
		       const struct individual *father, struct scratch *s);

/* The genes as bytes, genome_bytes() of them, and back; both of one problem. */
size_t genome_bytes(const struct problem *pb);
void genome_pack(const struct problem *pb, const struct design *d, uint8_t *to);
void genome_unpack(const struct problem *pb, const uint8_t *from, struct design *d);

#endif
