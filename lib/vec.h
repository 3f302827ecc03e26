/* SPDX-License-Identifier: MIT */
/*
 * A growing array of any type:
 *
 *	struct vec_site VEC(struct site);      declares a struct type
 *	struct vec_site v = VEC_INIT;
 *	vec_push(&v, site);   v.at[i]   v.n   vec_release(&v);
 */
#ifndef PERSEUS_LIB_VEC_H
#define PERSEUS_LIB_VEC_H

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

#define VEC(type)                                                                                            \
	{                                                                                                    \
		type *at;                                                                                    \
		size_t n;                                                                                    \
		size_t cap;                                                                                  \
	}

#define VEC_INIT                                                                                             \
	{                                                                                                    \
		NULL, 0, 0                                                                                   \
	}

/* Make room for one more element; v->at may move. */
#define vec_grow(v)                                                                                          \
	do {                                                                                                 \
		if ((v)->n == (v)->cap) {                                                                    \
			(v)->cap = (v)->cap ? 2 * (v)->cap : 8;                                              \
			(v)->at = mem_resize((v)->at, (v)->cap, sizeof(*(v)->at));                           \
		}                                                                                            \
	} while (0)

/* Append a copy of @value. */
#define vec_push(v, value)                                                                                   \
	do {                                                                                                 \
		vec_grow(v);                                                                                 \
		(v)->at[(v)->n++] = (value);                                                                 \
	} while (0)

/* Append a zeroed element and give its address. */
#define vec_add(v)                                                                                           \
	({                                                                                                   \
		vec_grow(v);                                                                                 \
		memset(&(v)->at[(v)->n], 0, sizeof(*(v)->at));                                               \
		&(v)->at[(v)->n++];                                                                          \
	})

/* Free the array; elements that own memory are freed by the caller first. */
#define vec_release(v)                                                                                       \
	do {                                                                                                 \
		free((v)->at);                                                                               \
		(v)->at = NULL;                                                                              \
		(v)->n = (v)->cap = 0;                                                                       \
	} while (0)

#endif
