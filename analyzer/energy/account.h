/* SPDX-License-Identifier: MIT */
/* Joules dealt to the parts of a run so that they add up, and none is below 0. */
#ifndef PERSEUS_ENERGY_ACCOUNT_H
#define PERSEUS_ENERGY_ACCOUNT_H

#include <stddef.h>

/* Whose the power is that the machine draws anyway. */
enum energy_rule {
	ENERGY_RULE_ACTIVITY, /* who causes more of the other power has more of this one */
	ENERGY_RULE_TIME,     /* by the time that a part was there, waiting or not */
	ENERGY_RULE_EQUAL,    /* each thread the same; inside of a thread by time */
	ENERGY_RULES
};

/* "activity", "time", "equal"; NULL behind the last one. */
extern const char *const energy_rules[];

struct energy_part {
	size_t thread;   /* below n_threads of energy_account(); of no thread: n_threads */
	double activity; /* what it causes, in any unit; below 0 counts as 0 */
	double time;     /* that it was there */
	double joules;   /* result: its share of all, */
	double idle;     /* ... and of this what the machine draws anyway */
};

/*
 * Deal @total joules, of which @idle are drawn anyway (more than @total count as
 * @total), to @part[0..n).  Where no part is active, activity is time; where no
 * time is known either, all parts have the same.  Parts of no thread have nothing
 * of @idle unless the rule is activity.  @n is at least 1.
 */
void energy_account(struct energy_part *part, size_t n, size_t n_threads, double total, double idle,
		    enum energy_rule rule);

#endif
