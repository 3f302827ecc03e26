/* SPDX-License-Identifier: MIT */
/* .eh_frame_hdr: the table by which the unwinder finds the entry of .eh_frame for an address. */
#ifndef PERSEUS_VERIFY_ELF_FRAME_INDEX_H
#define PERSEUS_VERIFY_ELF_FRAME_INDEX_H

#include "verify/elf/frames.h"

/* True if @e has one. */
bool frame_index_exists(const struct image *e);

/* What is wrong with it: each entry of @f must be found by it, and nothing else.  NULL: nothing. */
const char *frame_index_fault(const struct image *e, const struct frames *f);

#endif
