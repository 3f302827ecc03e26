/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layouts of a plan (layout lines of perseus/triggers.h): fields and variables
 * that begin at a multiple of some bytes.  README.md beside this file has the design.
 */
#ifndef PERSEUS_PLUGIN_LAYOUTS_H
#define PERSEUS_PLUGIN_LAYOUTS_H

#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/choice/plan-file.h"

/* Register what applies and checks them; nothing if the plan has none. */
void layouts_install(const char *plugin);

/* At the end of a unit: what lies behind its planned variables begins at a multiple, too. */
void layouts_finish(void);

/* ---- between the files of the folder ---- */

/* The plan's line for a field or variable with the name and place of @decl; NULL: there is none. */
struct plan_layout *layouts_line(tree decl);

/* Whether the plan names the file of @decl, as a field's if @fields. */
bool layouts_in_file(tree decl, bool fields);

/* Is @file, as the compiler was told, the one that the plan calls @planned? */
bool layouts_is_file(const char *planned, const char *file);

/* Is it the unit that is compiled? */
bool layouts_is_unit(const char *planned);

/* Is @name the last part of @written, without arguments of templates: "hits" of "app::table<int>::hits"? */
bool layouts_last_part(const char *written, const char *name);

/* Is @written, as in the plan, the type called @name?  Arguments of templates are left out if @bare. */
bool layouts_same_type(const char *written, const char *name, bool bare);

/* Give @decl the alignment of @l, and note what the source had asked for. */
void layouts_raise(tree decl, const struct plan_layout *l);

/* True if @decl was raised; *bits: the alignment that the source had asked for, 0 if none. */
bool layouts_raised(const_tree decl, unsigned *bits);

/*
 * Bytes of @type and place of @field in it as they would be without the plan's layouts.
 * False if they cannot be told: the rules that this knows do not give the type as it is.
 */
bool layouts_plain(tree type, tree field, unsigned long *size, unsigned long *offset);

/* Bits that @type would be aligned to without the plan's layouts; a byte's if that cannot be told. */
unsigned layouts_plain_align(tree type);

/* error() about @l at @at (of the plan's place if unknown), and where it comes from. */
void layouts_refuse(struct plan_layout *l, location_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same where bytes of an object are read, which a change of its declaration moves as well. */
void layouts_refuse_bytes(struct plan_layout *l, location_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Keep @decl, a variable, if the plan has a line for it, and align it. */
void layouts_variable(tree decl);

/* Objects of planned types that others have the bytes of, without the plan. */
void layouts_check_outside(tree types);

/* Operators new and delete of this unit, without those that the alignment of a planned type needs. */
void layouts_check_operators(void);

/* Nothing that a pointer leads to, or a function returns, counts as aligned because of the plan. */
void layouts_heap(void);

/* List in the object what the unit has of the plan's layouts. */
void layouts_tell(void);

/* In a stream of -flto: this unit was compiled with the plan. */
void layouts_mark_unit(void);

/* Add @lines to .perseus.layouts. */
void layouts_list(const char *lines);

/* Append @s with %XX for what would end a field of a line. */
struct text;
void layouts_percent(struct text *out, const char *s);

/* All that was declared, against the plan: at the end of the unit's text. */
void layouts_check_fields(tree types);
void layouts_check_variables(void);

/* What the collector must keep. */
extern tree layouts_types, layouts_variables;

#endif
