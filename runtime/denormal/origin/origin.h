/* SPDX-License-Identifier: MIT */
/* Where denormals were born: tags in a shadow of the memory.  README.md has the algorithms. */
#ifndef RUNTIME_DENORMAL_ORIGIN_H
#define RUNTIME_DENORMAL_ORIGIN_H

#include "runtime/denormal/den.h"

#define ORIGIN_LEAVES 64     /* of one expression; the plugin gives no more */
#define ORIGIN_BIRTHS 64     /* ... */
#define ORIGIN_PLACES 256    /* that are remembered, by site and address */
#define ORIGIN_NEAR   64     /* rows that are, by kind, site and objects; states */
#define ORIGIN_LOOK   ~0ull  /* a count of a leaf: look into the memory */
#define ORIGIN_CHUNK  64     /* elements of a loop that are looked at together */
#define ORIGIN_SMALL  0xffff /* what was brought and has no more bits set looks like an integer */

/* The object that a site met last. */
struct origin_near {
	const struct prs_den_site *site;
	uint64_t start, end, low, high, generation; /* as of struct den_place */
	uint32_t object;
	uint16_t last; /* tag that a loop stored there last, or 0 */
};

struct origin_leaf {
	const struct prs_den_site *site; /* NULL: not known */
	uint64_t address, known, tag, found;
	int64_t step;
	bool kept; /* its tag was kept in a register; `address`: where it had been loaded from, or 0 */
	bool lost; /* the loop stored over it, and it is not kept: its tags tell what was there */
	const struct origin_old *old; /* ... but what was there is kept, or some of it */
};

/* What a loop stored over: @bytes of @address are kept at @copy. */
struct origin_old {
	uint64_t address, bytes, copy;
};
#define ORIGIN_OLD 4

struct origin_birth {
	const struct prs_den_site *site;
	uint64_t count;
};

/* A tile of a map: stores to [low, high) are in *count, until `until` and as long as the map's epochs are that long. */
struct origin_tile {
	struct prs_den_map *map;
	uint64_t low, high, until, epoch_ns;
	uint32_t object, *count;
	int *held;
};

/* Rows of one kind of item; key: kind, site, from, to. */
struct origin_rows {
	void **hash;
	uint32_t n, size;
	struct prs_den_arrays *item;
};

/* A thread's. */
struct den_origin {
	struct den_self *self;
	bool busy;                          /* a handler that interrupts it is not followed */
	uint32_t n_leaves, n_births, ticks; /* ticks: parts that may be told before the clock is read again */
	struct origin_leaf leaf[ORIGIN_LEAVES];
	struct origin_birth birth[ORIGIN_BIRTHS];
	uint32_t n_old;
	struct origin_old old[ORIGIN_OLD];
	struct origin_near near[ORIGIN_PLACES];
	struct origin_rows flows, states;
	struct prs_den_flow_row *recent[ORIGIN_NEAR]; /* by kind, site and objects */
	struct origin_tile tile;                      /* of the last single store */
	struct {
		const struct prs_den_site *site;
		uint64_t address;
		struct prs_den_state *row;
	} state[ORIGIN_NEAR];
	uint64_t now;         /* about */
	uint64_t turns, left; /* of a round: all turns of the loop, and those that were to come; else 0 */
};

/* What a loop stored, and what is known of it. */
struct origin_store {
	const struct prs_den_site *site;
	uint64_t address, count;
	uint64_t line, all; /* where the loop began, of which this may be a round, and its stores */
	int64_t step;
	uint32_t object;
	uint64_t born;   /* values that were born in its expression */
	uint64_t tag;    /* of most of them */
	uint64_t untold; /* denormals without a tagged leaf */
	uint16_t last;   /* tag of those that were counted last */
	uint64_t same;   /* ... and further ones with it, which are in no row yet */
	bool several;    /* births at several operations */
};

/* The number of @type at @address, as a whole number; 0: it has more bits than that, or fewer than a float. */
static inline uint64_t origin_bits(uint32_t type, uint64_t address)
{
	uint64_t wide = 0;
	uint32_t half = 0;

	if (type == PRS_DEN_DOUBLE)
		__builtin_memcpy(&wide, (const void *)address, sizeof(wide));
	else if (type == PRS_DEN_FLOAT)
		__builtin_memcpy(&half, (const void *)address, sizeof(half));
	return wide | half;
}

/* ---- the shadow: 16 bits for each 4 bytes ---- */

/* The tag of the 4 bytes at @address. */
uint16_t shadow_get(uint64_t address);
void shadow_set(uint64_t address, uint16_t tag);

/* Tags of @address and on, for reading: valid up to the end of its block of SHADOW_BYTES. */
const uint16_t *shadow_look(uint64_t address);

/* The same for writing; NULL: there is no room, and the loss is counted. */
uint16_t *shadow_make(uint64_t address);

/* Has the block of @address ever had a tag? */
bool shadow_there(uint64_t address);

/* No tags in [@start, @start + @bytes). */
void shadow_clear(uint64_t start, uint64_t bytes);

/* The tags of @bytes at @to are those at @from, as with memmove(). */
void shadow_copy(uint64_t to, uint64_t from, uint64_t bytes);

#define SHADOW_BYTES (1ull << 24)

/* ---- rows ---- */

/* Add @count to the flow (@kind, @site, @from, @to); @site: address or tag. */
void origin_add(struct den_origin *o, uint32_t kind, uint64_t site, uint32_t from, uint32_t to,
		uint64_t count);

/* The tag of births at @site; the site, or tag, that @tag is of. */
uint16_t origin_tag(const struct prs_den_site *site);
uint64_t origin_site(uint16_t tag);

/* The object that @address lies in, as @site sees it. */
uint32_t origin_object(struct den_origin *o, const struct prs_den_site *site, uint64_t address);

/* @site gave the variable at @address, 0: a register, the denormal @bits. */
void origin_state(struct den_origin *o, const struct prs_den_site *site, uint64_t address, uint64_t bits);

/* ---- loops ---- */

/* What @s stored gets its tags, and is counted. */
void origin_replay(struct den_origin *o, struct origin_store *s);

/* ---- maps ---- */

/* Of element i of @n from @address on, denormal[i] is not 0 if it is; one map for each object. */
void map_add(struct den_origin *o, uint32_t object, uint64_t address, int64_t step, const uint16_t *denormal,
	     uint32_t n);

/* A loop begins to store @n elements at @address: successive ones show how long a line of the array is. */
void map_line(uint32_t object, uint64_t start, uint64_t end, uint64_t address, int64_t step, uint64_t n);

/* One denormal is stored at @address of @object, which is [@start, @end). */
void map_one(struct den_origin *o, uint32_t object, uint64_t start, uint64_t end, uint64_t address);

/* One denormal is stored somewhere in the array @object that @address lies in. */
void map_outside(uint32_t object, uint64_t address);

/* In a child, under the lock. */
void map_fork(void);

#endif
