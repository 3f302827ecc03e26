/* SPDX-License-Identifier: MIT */
/* What the generated code calls: functions of libraries, or ones that the program puts in their place? */
#ifndef PERSEUS_VERIFY_START_REACH_H
#define PERSEUS_VERIFY_START_REACH_H

#include "verify/elf/symbols.h"

/* Names, each once; texts of the image. */
struct names {
	const char **name;
	size_t n;
};

/* Functions of the program itself that the generated code calls, in a static one or with the stub. */
struct reached_function {
	uint64_t address;
	const char *name;
};

struct reached {
	struct reached_function *at; /* each once */
	size_t n;
	bool stub; /* what the integrator wrote */
};

/*
 * Go through the generated functions; what they call outside is in a library,
 * named in @imports, or a difference in @list.  In a static program nobody
 * knows whose it is: it is in @own.  Release @imports and @own in every case.
 */
void reach_check(const struct image *e, const struct symbols *s, struct names *imports, struct reached *own,
		 struct findings *list, struct findings *notes);

/* Name in @notes those of @own that are not among the @n addresses @known, of functions of the C library. */
void reach_name(const struct reached *own, const uint64_t *known, size_t n, struct findings *notes);

/* Free the contents. */
void reach_release(struct reached *own);

/* Add @name if it is not there yet. */
void names_add(struct names *n, const char *name);

bool names_have(const struct names *n, const char *name);

/* Free the contents. */
void names_release(struct names *n);

#endif
