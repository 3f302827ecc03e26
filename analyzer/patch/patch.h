/* SPDX-License-Identifier: MIT */
/*
 * Patches: changes to declarations that end a conflict.
 * Sources are read, never written: what comes out is a diff.
 */
#ifndef PERSEUS_ANALYZER_PATCH_PATCH_H
#define PERSEUS_ANALYZER_PATCH_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy.h"
#include "analyzer/sharing/sharing.h"
#include "lib/source/edits.h"
#include "lib/source/source.h"
#include "lib/source/tree.h"
#include "lib/strbuf.h"
#include "record/run.h"

struct patch_file {
	char *name; /* below the root */
	struct source src;
	struct edits edits;
};

/*
 * What a declaration may be written in: C from C11 on, C++ from C++11 on, or
 * what GCC takes in every standard of both, for headers and older ones.
 */
enum dialect { DIALECT_C, DIALECT_CXX, DIALECT_ANY };

struct patch {
	const struct run *run;
	struct tree tree;          /* the sources; listed when first asked for */
	struct patch_file **files; /* opened so far */
	size_t n_files;
	bool c, cxx;         /* what the run's units are written in */
	bool old_c, old_cxx; /* ... some of them in a standard before 2011, or none that is known */
	bool bases;          /* the last struct that was changed had members of base classes moved */
};

/* Begin with the sources below @root; fails if there is no such directory. */
int patch_start(struct patch *p, const struct run *run, const char *root, struct err *err);
void patch_release(struct patch *p);

/*
 * The source that the site tables call @path: below the root as named, else with leading
 * directories left out, else by its last name if only one is called so.
 * NULL: not found, or not below the root.
 */
struct patch_file *patch_open(struct patch *p, const char *path);

/* Source number @i of those that tree_list() found, NULL: it cannot be read. */
struct patch_file *patch_open_tree(struct patch *p, size_t i);

/* What may be written in @f. */
enum dialect patch_dialect(const struct patch *p, const struct patch_file *f);

/* True if @f is read as C++, by some unit at least. */
bool patch_cxx(const struct patch *p, const struct patch_file *f);

/* "_Alignas(64)" and its kin. */
const char *patch_align(enum dialect d);

/* A static assertion of @condition; @name: what a word made for it may hold.  Owned by the caller. */
char *patch_assertion(enum dialect d, const char *condition, const char *name);

/* A source that none of the program's units was made from; a header may be in any. */
bool patch_no_unit(struct patch *p, const struct patch_file *f);

/* "job" of "struct pool<int>::job<long>"; owned by the caller. */
char *patch_last_name(const char *type);

/*
 * Look whether the memory of the type of @o grows with it, and if sources
 * allocate it by what keeps no alignment, note that in @o.  -ENOTSUP: where it would
 * not grow.
 */
int patch_check_memory(struct patch *p, struct sharing_object *o, struct err *err);

/* -ENOTSUP: a static assertion of the sources says what size the type of @o has, which would change. */
int patch_check_asserted(struct patch *p, const struct sharing_object *o, struct err *err);

/* What allocates @o follows the size of the elements, of @type (may be NULL), of its member without a bound. */
int patch_check_open(struct patch *p, const struct sharing_object *o, const char *member, const char *type,
		     struct err *err);

/*
 * Find the definition of the struct of @l, type of @o in finding @f, and
 * change it.  -ENOENT and others name the reason, and nothing is changed.
 */
int patch_struct(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		 const struct remedy_layout *l, struct err *err);

/*
 * The same where threads meet inside of member @member of @o: in elements of
 * an array of structs, or in fields of a struct in the struct.
 */
int patch_member(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		 const char *member, struct err *err);

/*
 * The same where threads meet between the numbers of an array, member @path ("q.w") of @o:
 * each becomes a struct of a line, and its uses in all sources change along.
 */
int patch_numbers(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		  const char *path, struct err *err);

/*
 * The type that @o, a variable, is declared with ("struct part", "long"), and
 * whether it is an array.  Owned by the caller; NULL: not found, or nothing that has a name.
 */
char *patch_declared_type(struct patch *p, const struct sharing_object *o, bool *array);

/*
 * Make each element of @o, of a type without members, a struct of a line: elements of a
 * std::vector, a std::array, or what a pointer is set to.
 */
int patch_elements(struct patch *p, const struct sharing_object *o, struct err *err);

/*
 * Where threads meet between the parts of @o, a std::pair or several, and the second is of a
 * type of the program's own: let that begin a line, so that both do.  Adds what @o grows by
 * to *@bytes; false: it is not so, and nothing is changed.
 */
bool patch_pair(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		uint64_t *bytes);

/*
 * The variable that lies next behind @o, a global one, no more than a line further, if its
 * declaration is known: aligned alone, @o would be on one line with it.  Strings are the run's.
 */
bool patch_neighbour(const struct patch *p, const struct sharing_object *o, struct sharing_object *out);

/* Let the variable @o begin a line; if it is an array, each of its elements. */
int patch_variable(struct patch *p, const struct sharing_object *o, bool elements, struct err *err);

/*
 * The type of variable @o was changed and is aligned to lines: a weaker alignment that its
 * declaration asks for, which the compiler would refuse, is made one of lines, too.
 */
void patch_alignment(struct patch *p, const struct sharing_object *o);

/* True if threads meet between two members of one struct of @o, which no alignment of @o parts. */
bool patch_meets_inside(const struct sharing_finding *f, const struct sharing_object *o);

/* True if the object, or what uses it, is written in Fortran. */
bool patch_fortran(const struct sharing_finding *f, const struct sharing_object *o);

/* What people can do about @o of @f, which is not changed; owned by the caller. */
char *patch_advice(const struct sharing_finding *f, const struct sharing_object *o);

/* A declaration that is not changed. */
struct patch_refusal {
	char *why;
	char *advice; /* what people can do */
};

/* The changes for a number of findings. */
struct patch_result {
	struct strbuf diff;  /* for patch -p1 below the root; empty: nothing to change */
	struct strbuf notes; /* "# ..." lines on what people have to look at; part of the diff, too */
	struct patch_refusal *refusals;
	size_t n_refusals;
	uint64_t bytes;                /* more memory, of the objects that were seen */
	struct remedy_layout *layouts; /* of the structs that change, `object` that of the first finding */
	size_t n_layouts;
};

/*
 * The changes for @findings in the sources of @p, which are not written; @p can be used for
 * others then.  @r is to be released.
 */
void patch_findings(struct patch_result *r, struct patch *p, const struct sharing_finding *const *findings,
		    size_t n);
void patch_result_release(struct patch_result *r);

#endif
