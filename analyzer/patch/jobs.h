/* SPDX-License-Identifier: MIT */
/* What is to be changed, and what the head of a patch says about it; for this folder alone. */
#ifndef PERSEUS_ANALYZER_PATCH_JOBS_H
#define PERSEUS_ANALYZER_PATCH_JOBS_H

#include "analyzer/patch/layouts/items.h"
#include "analyzer/patch/patch.h"

/* What one finding says of a type; the array of uses is its own, and what is in it is the finding's. */
struct job_part {
	struct sharing_object o;
	bool elements;
};

/* One declaration to change, for one or more findings. */
struct job {
	bool of_type; /* the struct, else the variable */
	bool elements;
	bool done;                       /* it was changed */
	bool beside;                     /* since what lies beside it is moved */
	struct sharing_object o;         /* uses of all findings, owned */
	const struct sharing_finding *f; /* the first */
	size_t object;                   /* index in it, unless beside */
	uint64_t structs;                /* of that type, in all objects */
	struct job_part *parts;          /* of a type: its findings, one by one */
	size_t n_parts;
	struct strbuf ids;
};

struct jobs {
	struct job *at;
	size_t n;
	size_t cap;
	struct patch *patch;
	struct patch_result *result;
	struct strbuf notes;
	size_t members;             /* changed along the way */
	struct layout_items *items; /* of a plan, in the place of changes; NULL: it is a patch */
};

/* The declaration of @o, or of its type, that is to be changed already; NULL: it is none. */
struct job *job_known(struct jobs *jobs, const struct sharing_object *o, bool of_type);

/* @j is for @f, too. */
void job_add_id(struct job *j, const struct sharing_finding *f);

/*
 * @o: object number @object of @f, or what is known of it now.  What was to be moved only
 * for what lies beside it has a finding of its own then.
 */
void job_add(struct jobs *jobs, const struct sharing_finding *f, size_t object,
	     const struct sharing_object *o, bool of_type, bool elements);

/* The struct of @j with the threads of each of its findings apart; false: no room between members does that. */
bool job_layout(struct remedy_layout *l, const struct job *j);

/* Free what they hold; notes are the result's. */
void jobs_release(struct jobs *jobs);

/* @advice for what is not changed, in lines of the head. */
void note_wrapped(struct strbuf *notes, const char *text);

/*
 * One more declaration that is not changed, unless that was said of it; @advice is freed.  Of a
 * plan, what a patch makes of @f stands in its place.
 */
void job_refuse(struct jobs *jobs, const struct sharing_finding *f, const char *why, char *advice);

/* The same with what people can do about @o. */
void job_by_hand(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		 const char *why);

/* What only changes to the sources do, since threads meet @what @name; false: they are asked for. */
bool job_only_by_patch(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		       const char *what, const char *name);

/* Refused if none of the sources that are known of @o and of who uses it in @f is there; else false. */
bool job_without_sources(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o);

/* @what in the type of @o parts the threads of @f. */
void note_member(struct jobs *jobs, const struct sharing_finding *f, const struct sharing_object *o,
		 const char *what);

/* If the last change was one to a base class, too. */
void note_bases(struct jobs *jobs);

/* The struct of @j is laid out as @l. */
void note_type(struct jobs *jobs, const struct job *j, const struct remedy_layout *l);

/* Both parts of the pairs of @j begin lines, since the type of the second does. */
void note_pair(struct jobs *jobs, const struct job *j);

/* The variable of @j, or each of its elements, begins a line. */
void note_variable(struct jobs *jobs, const struct job *j);

#endif
