/* SPDX-License-Identifier: MIT */
/* What the numbers and addresses of a run are called, and where they are in the sources. */
#ifndef PERSEUS_RECORD_NAMES_NAMES_H
#define PERSEUS_RECORD_NAMES_NAMES_H

#include "record/file/types.h"

/* Ticks of a process to nanoseconds since its start. */
uint64_t run_ns(const struct run_process *p, uint64_t ticks);

/* A length in ticks to nanoseconds. */
uint64_t run_span_ns(const struct run_process *p, uint64_t ticks);

/* The call or memory site behind a process-wide number, NULL if not known. */
const struct run_call_site *run_call_site(const struct run_process *p, uint32_t site);
const struct run_mem_site *run_mem_site(const struct run_process *p, uint32_t site);

/* Name of the function or variable at a run-time address; @offset may be NULL.  NULL: none. */
const struct run_symbol *run_symbol(const struct run *run, const struct run_process *p, uint64_t address,
				    uint64_t *offset);

/*
 * The last symbol of @m at or below the link-time address @at that reaches it.  One
 * without a size reaches its own address only, and gives way to one with a size.
 */
const struct run_symbol *run_module_symbol(const struct run_module *m, uint64_t at);

/*
 * Name of the program's thread-local variable of thread @t at a run-time address, and the
 * place in it; NULL: none, or it is a library's.
 */
const struct run_symbol *run_local_symbol(const struct run_process *p, const struct prs_thread *t,
					  uint64_t address, uint64_t *offset);

/* Where people look for a site; function is an assembler name. */
struct run_place {
	char function[4096]; /* mangled names of templates are long */
	const char *file;
	uint32_t line;
};

/*
 * The place of a site in the program's own source: its position, or for one
 * inside a header below /usr (std::mutex, std::atomic) the nearest caller of
 * its inline chain that is not.
 */
void run_site_place(const struct run *run, const struct run_call_site *site, struct run_place *place);
void run_mem_place(const struct run *run, const struct run_mem_site *site, struct run_place *place);

/*
 * From @place, which is in the inline chain of @site, outwards to the next function of the program's
 * own, into @place; false: there is none.
 */
bool run_site_place_round(const struct run *run, const struct run_call_site *site, struct run_place *place);

/* The function in whose code a site of @function stands after inlining, which its @chain tells. */
void run_outermost(const char *chain, const char *function, char *out, size_t size);

/* The site of the call round the first of the thread's calls at @site; PRS_NO_SITE: not known, or none. */
uint32_t run_site_round(const struct run_thread *t, uint32_t site);

/* True of mangled names in std, in one of its classes that have letters of their own, or in __gnu_cxx. */
bool run_in_std(const char *name);

/* A function of the C++ library, or one that the tables place in a system header. */
bool run_is_library(const struct run *run, const char *assembler_name);

/* What the site tables know of a function by its assembler name, NULL: nothing. */
const struct run_function *run_function(const struct run *run, const char *assembler_name);

/* Does a module with probes define the function?  Else a call of it goes into a library without. */
bool run_probed(const struct run *run, const char *assembler_name);

/*
 * The module of @p whose function @assembler_name a caller in module @from
 * (NULL: any) means: its own one, else the first that has one.  NULL: none of
 * the modules with tables; then it is the C library's or another's.
 */
const struct run_module *run_home(const struct run_process *p, const struct run_module *from,
				  const char *assembler_name);

/* What the site table of @m knows of a function, NULL: nothing. */
const struct run_function *run_module_function(const struct run_module *m, const char *assembler_name);

/* A type's layout by name in any module, NULL if not known. */
const struct run_type *run_type(const struct run *run, const char *name);

#define RUN_INDICES 4u

/* A field, or the element of an array of fields, in a type. */
struct run_field_place {
	const struct run_field *field;
	char name[256];              /* without the numbers of elements: "slots[].count[]" */
	uint64_t offset, bytes;      /* of the element, from the type's first byte on */
	uint64_t index[RUN_INDICES]; /* of the elements, in the order of the name's brackets */
	unsigned n_index;
};

/*
 * The field of @type at byte @offset.  Of several (unions, bit-fields of one byte,
 * structs and their members) the one that is called @said (may be NULL; also in a
 * type inside or round this one), else the one of exactly @bytes (0: not known),
 * else the innermost.  -ENOENT: none.
 */
int run_field_at(const struct run_type *type, uint64_t offset, uint64_t bytes, const char *said,
		 struct run_field_place *out);

/* Is @name, with or without numbers of elements, what @field is called?  "v" and "v[]" are both v[4]. */
bool run_field_is(const struct run_field *field, const char *name);

/* Field of @type that holds byte @offset: name into @buf ("a.b", "v[3]"); -ENOENT. */
int run_field_name(const struct run_type *type, uint64_t offset, char *buf, size_t size);

/* The last unit whose first call (or memory) site is not above @site; NULL: none. */
const struct run_unit *process_unit(const struct run_process *p, bool mems, uint32_t site);

/* Ticks of a call record's own, all its @total calls: those not timed count like the timed ones. */
double run_own_ticks(const struct rec_call *c, uint64_t total);

#endif
