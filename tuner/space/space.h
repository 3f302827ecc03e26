/* SPDX-License-Identifier: MIT */
/*
 * A space of settings: tunables, their values, and which go together.  A setting
 * is one index for each tunable; perseus-tune(1) describes the document.
 */
#ifndef PERSEUS_TUNER_SPACE_SPACE_H
#define PERSEUS_TUNER_SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/rng.h"
#include "lib/strbuf.h"

#define SPACE_MAX     32      /* tunables */
#define SPACE_VALUES  1000000 /* of one tunable */
#define SPACE_ORDER   8       /* words whose order is a tunable */
#define SPACE_COUNTED 1000000 /* settings: a space of more is looked at by samples */

struct expr;

enum tunable_kind { TUNABLE_INTEGER, TUNABLE_POWER, TUNABLE_LIST, TUNABLE_ORDER };

struct tunable {
	char *name;
	enum tunable_kind kind;
	uint64_t low, high, step; /* of a range; step 0: 1 */
	char **values;            /* of a list or an order */
	size_t n_values;
	char *initial;     /* the default, as a text; NULL: the first value */
	char *environment; /* a variable that has the value as well, or NULL */
	char *when;        /* a condition on tunables before this one, or NULL */

	/* Completed when it is read. */
	uint32_t n;             /* values */
	uint32_t at;            /* of the default */
	bool words;             /* values are not all numbers */
	struct expr *condition; /* NULL: always */
};

struct space {
	struct tunable *tunables;
	size_t n_tunables;
	char **constraints;
	size_t n_constraints;

	struct expr **constraint; /* as many */
};

/* One value of each tunable.  What a false condition rules out has the default. */
struct setting {
	uint32_t at[SPACE_MAX];
};

/* Read a document from @path, or @len bytes of @text called @name: as document_load(); also checks that it has settings. */
int space_load(struct space *s, const char *path, struct err *err);
int space_parse(struct space *s, const char *text, size_t len, const char *name, struct err *err);
void space_release(struct space *s);

/* SHA-256 of the canonical document; @hex has 65 bytes. */
void space_hash(const struct space *s, char *hex);

/* The default, settled. */
struct setting space_default(const struct space *s);

/* Give the default to all tunables whose condition is false. */
void space_settle(const struct space *s, struct setting *x);

/* True if tunable @j counts in @x. */
bool space_active(const struct space *s, const struct setting *x, size_t j);

/* True if all constraints hold. */
bool space_allowed(const struct space *s, const struct setting *x);

bool space_equal(const struct space *s, const struct setting *a, const struct setting *b);

/* Combinations of values, whether they are allowed or not. */
double space_size(const struct space *s);

/* The @k-th of space_size() combinations, settled; it may not be allowed. */
struct setting space_at(const struct space *s, uint64_t k);

/* An allowed setting at random: each value as likely; false: none was found in 1,000 attempts. */
bool space_random(const struct space *s, struct rng *rng, struct setting *x);

/* Append the value that tunable @j has in @x, as the program sees it: an order is its words with commas. */
void space_value(const struct space *s, const struct setting *x, size_t j, struct strbuf *out);

/* ... as a number; NAN if it is a word. */
double space_number(const struct space *s, const struct setting *x, size_t j);

/* Append "name=value name=value" of the active tunables. */
void space_words(const struct space *s, const struct setting *x, struct strbuf *out);

/* The index of @text among the values of a tunable; -1: it is none. */
int64_t tunable_find(const struct tunable *t, const char *text);

/* Squared distance by tunable @j, 0 to 1. */
double space_apart(const struct space *s, const struct setting *a, const struct setting *b, size_t j);

/*
 * Change tunable @j of @x by a step: to the value @by above (below if it is negative), a word at
 * random, or, of an order, |@by| exchanges of two words.  False: there is no such value.
 */
bool space_step(const struct space *s, struct setting *x, size_t j, int64_t by, struct rng *rng);

#endif
