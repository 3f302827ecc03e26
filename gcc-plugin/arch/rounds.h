/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the program's own work takes from one execution of a memory probe to the next. */
#ifndef PERSEUS_PLUGIN_ARCH_ROUNDS_H
#define PERSEUS_PLUGIN_ARCH_ROUNDS_H

/* One turn of the innermost loop round an access, in cycles of a core whose data is at hand. */
struct round {
	unsigned least,
		most; /* if a load takes a store's value from the same place at no cost, and at that of a load */
	unsigned accesses; /* probed ones in it; 0: nothing is known */
	unsigned depth;    /* loops with a probe round it, 0: once through the function */
	bool open;         /* it may take longer: a call, a loop or the user's assembler is in it */
};

/* What is known of the memory site @site so far. */
const struct round *round_of(unsigned site);

#endif
