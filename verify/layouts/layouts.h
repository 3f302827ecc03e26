/* SPDX-License-Identifier: MIT */
/*
 * Layouts of a plan: do fields and variables lie in every unit of the program as it says?
 * By the debug information, which is no proof (whoever can write the file can write it,
 * too), and by the symbol table.
 */
#ifndef PERSEUS_VERIFY_LAYOUTS_LAYOUTS_H
#define PERSEUS_VERIFY_LAYOUTS_LAYOUTS_H

#include "verify/base/plan.h"
#include "verify/elf/symbols.h"
#include "verify/layouts/dwarf.h"

/* What was seen of one layout. */
struct layout_seen {
	uint32_t good, bad; /* declarations, or variables */
	uint32_t other;     /* instances of the template that the plan has no figures of */
	uint32_t listed;    /* objects that say that they have it */
	bool open;          /* a line says what is not known of it */
	uint64_t address;   /* where the variable was seen last */
	uint64_t members;   /* hash of the names and types of the type's members as the plan means it */
	const struct dwarf_file *file; /* that such a type is declared in, NULL: none was seen */
	bool in_cplusplus;             /* a unit of C++ has it */
};

/* In front of places of a thread's own variables, which are no addresses. */
#define LAYOUTS_THREAD (1ull << 63)

/* A variable that the debug information tells the place of. */
struct located {
	uint64_t address;
	const char *name, *linkage; /* linkage: what its symbol is called, NULL: not said */
	bool is_public;             /* other units mean it by its name */
	const struct dwarf_unit *unit;
};

/* One that is of the plan. */
struct planned {
	size_t layout;
	struct located variable;
};

struct layouts {
	const struct vplan *plan;
	struct findings *list, *notes;
	const uint64_t *library; /* addresses of code of the toolchain's libraries in the program */
	size_t n_library;
	const struct image *e; /* the one that is read, */
	const struct symbols *symbols;
	struct dwarf *dwarf; /* and its debug information, */
	struct dwarf **read; /* which is kept to the end, as that of all before */
	size_t n_read;
	struct layout_seen *seen;          /* by layout */
	size_t units;                      /* whose debug information was read */
	size_t shown;                      /* layouts that lie as planned wherever they were seen */
	bool link_told;                    /* the link with -flto has listed what it took in */
	const struct dwarf_unit *rootless; /* of a link, with code that no unit has told of before */
	struct twin *twin; /* types that are not as the plan has it, if they are those of it */
	size_t n_twins;
	struct located *variable; /* of the program that is read; ascending address behind its units */
	size_t n_variables;
	struct planned *planned;
	size_t n_planned;
};

/*
 * Compare the plan's layouts with the program: begin with plan, list and notes set, read the
 * program and those of its libraries that are known, conclude.  Differences are lines in the
 * list, what cannot be shown lines in the notes.  The images live to the end.
 */
void layouts_begin(struct layouts *l);
void layouts_read(struct layouts *l, const struct image *e, const struct symbols *s);
void layouts_conclude(struct layouts *l);

/* Free the contents. */
void layouts_release(struct layouts *l);

/* ---- between the files of the folder ---- */

/* "struct stats.tx (net.h:2)", or the variable likewise, into @text of @size bytes. */
const char *layouts_name(const struct vplan_layout *l, char *text, size_t size);

/* Was @u made by a link with -flto?  What it is made of has units of its own. */
bool layouts_is_linked(const struct dwarf_unit *u);

/* Is @u of C++? */
bool layouts_is_cplusplus(const struct dwarf_unit *u);

/* What messages call the unit of @u. */
const char *layouts_unit(const struct dwarf_unit *u);

/* The last part of a path. */
const char *layouts_last(const char *path);

/* What the name of a type in the debug information tells of its scopes. */
enum layouts_scope {
	LAYOUTS_NAMED,    /* all of them: namespaces and classes */
	LAYOUTS_UNNAMED,  /* all, and one is a namespace without a name: each unit may have another type */
	LAYOUTS_FUNCTION, /* not those of the function that it is in */
	LAYOUTS_UNKNOWN,
};

/*
 * Is @written, as in the plan, the type that the debug information calls @name?  As far as that tells its
 * scopes; @bare: arguments of templates do not count.
 */
bool layouts_is_type(const char *written, const char *name, enum layouts_scope scope, bool bare);

/* Is @written, which may be qualified, the variable @name?  The last part counts. */
bool layouts_is_variable(const char *written, const char *name);

/* Type @die of the name @name. */
void layouts_type(struct layouts *l, const struct die *die, const char *name, enum layouts_scope scope);

/* Behind all units: types that are not as the plan has it. */
void layouts_twins(struct layouts *l);

/* Free what was noted of them. */
void layouts_forget_twins(struct layouts *l);

/* Variable @die. */
void layouts_variable(struct layouts *l, const struct die *die);

/* Behind all units: the planned variables, against the symbol table and all other variables. */
void layouts_places(struct layouts *l);

/* Layout @i is a variable that lies at @v; @whose: unit, or what it is instead. */
void layouts_place(struct layouts *l, size_t i, const struct located *v, const char *whose);

/* The first of the variables behind @from, n_variables if there is none. */
size_t layouts_variable_behind(const struct layouts *l, uint64_t from);

/* Does the symbol mark a place, for the linker, the start-up objects or the assembler, and no variable? */
bool layouts_is_boundary(const struct image_symbol *s);

/* Variables of libraries that the linker has given a place in the program. */
void layouts_copied(struct layouts *l);

/* What the objects say that the compiler has applied. */
void layouts_listed(struct layouts *l);

/* Names for a line of what is not shown: the first ones, and how many there are. */
struct layouts_names {
	char text[512];
	size_t length, n;
};
void layouts_add_name(struct layouts_names *x, const char *name);

/* Say that the plan's layouts in them are not shown, and why; nothing if there are none. */
void layouts_say_untold(struct layouts *l, const struct layouts_names *x, const char *why);

/* Name operators new and delete that the image replaces without the forms that a planned alignment needs. */
void layouts_operators(struct layouts *l);

/* Is @address that of code or data of a library of the toolchain that is linked in? */
bool layouts_is_librarys(const struct layouts *l, uint64_t address);

/* Name data that no unit tells of. */
void layouts_data(struct layouts *l);

/* Name units whose types the debug information does not tell; @types: by unit, has it types? */
void layouts_untold(struct layouts *l, const bool *types);

#endif
