/* SPDX-License-Identifier: MIT */
/*
 * The block file of a run: what record/blocks/blocks.h describes, out of the block
 * log, the barriers that are too frequent to be phase boundaries, and the
 * locks that threads held (locks.h).
 */
#ifndef PERSEUS_ANALYZER_LOCKS_BLOCKS_H
#define PERSEUS_ANALYZER_LOCKS_BLOCKS_H

#include "analyzer/time/bounds.h"
#include "analyzer/time/phases.h"
#include "lib/strbuf.h"
#include "yaml/model.h"

/*
 * Append the block file of the run behind @tl to @out.  @b: its boundaries;
 * @phase_of: the model's phase that each boundary opens; threads of the model
 * are the instances of @tl.
 */
void run_blocks(struct strbuf *out, const struct timeline *tl, const struct bounds *b,
		const uint32_t *phase_of, const struct model *model);

#endif
