/* SPDX-License-Identifier: MIT */
#ifndef PERSEUS_ANALYZER_PAIRS_VERDICT_H
#define PERSEUS_ANALYZER_PAIRS_VERDICT_H

/* What two threads share on a line; sharing.h says which is which. */
enum sharing_verdict {
	SHARING_FALSE,
	SHARING_TRUE,
	SHARING_UNCLEAR, /* the bytes were not seen */
};

#endif
