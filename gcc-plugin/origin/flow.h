/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mode origin: the runtime is told what each denormal that is stored depends on,
 * by prs_den_flow() (perseus/denormal.h).  Behind a loop whose stores and loads
 * go on evenly once for all its turns, else in the block where a denormal was seen.
 */
#ifndef PERSEUS_PLUGIN_ORIGIN_FLOW_H
#define PERSEUS_PLUGIN_ORIGIN_FLOW_H

#include "gcc-plugin/denormal/count.h"

/* Of one pass over a function: variables with the tags of values in registers. */
struct den_flow {
	hash_map<tree, tree> tags;           /* of values; a constant or a variable */
	vec<tree> variables = vNULL;         /* those, in the order in which they were made */
	hash_map<gimple *, gimple *> stores; /* of marks, found before blocks were split */
	hash_map<class loop *, bool> clean;  /* innermost loops that were asked about: without marks */
	vec<gphi *> merges = vNULL;          /* whose tags are merged alike */
	vec<tree> kept = vNULL;              /* results whose tags are kept */
	vec<gimple *> anchors = vNULL;       /* ... behind these */
	vec<gimple_seq> blocks = vNULL;      /* ... by these statements, where they are denormal */
	vec<tree> saids = vNULL;             /* ... in these variables; NULL_TREE: there is none */
};

/* Is it wanted? */
bool den_flow_wanted(void);

/* The statement that stores what @mark is about, or the first of two; NULL: none. */
gimple *den_flow_store_of(const struct den_mark *mark);

/* Appended to c->seq, for the store @mark: what it depends on, and the store, if it is denormal. */
void den_flow_here(struct den_count *c, const struct den_mark *mark);

/* Behind each statement of @fun that copies memory: tags go along.  Again and again the same. */
bool den_flow_copies(function *fun);

/* Can all stores among @marks, those of @loop, be told behind it?  False also if there are none. */
bool den_flow_even(struct den_flow *f, class loop *loop, const vec<den_mark> *marks);

/* Told first behind @loop: what was said in front of it, and is no longer said there; @call NULL: it is not told. */
void den_flow_begin(class loop *loop, struct den_call *call);

/*
 * Then, for each store @mark: what it depends on, and the store itself.  Statements that are needed for it are
 * appended to @seq; @born: how many values of a site were born, or NULL_TREE.
 */
void den_flow_behind(struct den_flow *f, struct den_call *call, gimple_seq *seq, class loop *loop,
		     const struct den_mark *mark, tree (*born)(void *more, const struct den_site *site),
		     void *more);

/*
 * A loop may be run in rounds.  Before that: does @phi bring what was loaded turns before, from where the loop's
 * own load goes on evenly?  Then its values go from round to round in a variable of that @type.
 */
bool den_flow_carried(class loop *loop, gphi *phi);
tree den_flow_state(tree type);

/* Appended to @seq, in front of a round: @left of @all turns of the loop are to come. */
void den_flow_round(gimple_seq *seq, tree all, tree left);

/* ... or in front of such a loop: the @bytes at @at, which it stores over, are kept at @copy. */
void den_flow_old(gimple_seq *seq, tree at, tree bytes, tree copy);

/* The marks of @loop, which was counted, are gone. */
void den_flow_counted(struct den_flow *f, class loop *loop);

/*
 * Values of @loop that are used behind it; behind @exit a statement says which tags they have, for the pass that
 * sees to their uses, and which removes it then.
 */
void den_flow_leaving(class loop *loop, vec<tree> *values);
void den_flow_say(struct den_flow *f, edge exit, const vec<tree> *values);
void den_flow_said(function *fun);

/*
 * Behind each store that is none of the source: the memory has the value's tag.  Variables that GCC keeps in a register
 * while a loop runs are stored so behind it.  Once for each function, by the first of the passes over it.
 */
void den_flow_stores(struct den_flow *f, function *fun);

/* What keeps tags is put into the function; SSA form has then to be updated.  Releases @f's lists. */
void den_flow_end(struct den_flow *f);

#endif
