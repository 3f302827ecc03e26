/* SPDX-License-Identifier: MIT */
/* Changes to variables, their elements, and members that are arrays of numbers. */
#ifndef PERSEUS_ANALYZER_PATCH_VARIABLES_VARIABLES_H
#define PERSEUS_ANALYZER_PATCH_VARIABLES_VARIABLES_H

#include "analyzer/patch/sources/sources.h"

/*
 * Where threads meet between the numbers of an array, member @path ("q.w") of @o:
 * each becomes a struct of a line, and its uses in all sources change along.
 */
int patch_numbers(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		  const char *path, struct err *err);

/*
 * The type that @o, a variable, is declared with ("struct part", "long"), and
 * whether it is an array.  Owned by the caller; NULL: not found, or nothing that has a name.
 */
char *patch_declared_type(struct patch *p, const struct sharing_object *o, bool *array);

/* True if the declaration of variable @o says sizeof of the type @type, by its last name. */
bool patch_declared_for(struct patch *p, const struct sharing_object *o, const char *type);

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
 * The same of a variable whose second parts are numbers: they become structs of a line.
 * -ENOENT: it is no such pair, and the reason says nothing; else the reason why it stays.
 */
int patch_pair_numbers(struct patch *p, const struct sharing_object *o, uint64_t *bytes, struct err *err);

/* The same of a member of @o that @field, "p.second", is a part of. */
int patch_pair_member(struct patch *p, const struct sharing_finding *f, const struct sharing_object *o,
		      const char *field, struct err *err);

/* Let the variable @o begin a line; if it is an array, each of its elements. */
int patch_variable(struct patch *p, const struct sharing_object *o, bool elements, struct err *err);

/* Where a variable of static memory is defined. */
struct variable_place {
	char *name; /* as a reader says it, owned by the caller */
	const struct patch_file *file;
	uint32_t line;
	uint64_t bytes;
	bool own; /* of its unit, which is the file */
};

/* Where @o is; -ENOTSUP and others: why no plan can name it. */
int patch_variable_place(struct patch *p, const struct sharing_object *o, struct variable_place *out,
			 struct err *err);

/*
 * The type of variable @o was changed and is aligned to lines: a weaker alignment that its
 * declaration asks for, which the compiler would refuse, is made one of lines, too.
 */
void patch_alignment(struct patch *p, const struct sharing_object *o);

#endif
