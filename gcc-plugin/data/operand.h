/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A memory probe's operand. */
#ifndef PERSEUS_PLUGIN_OPERAND_H
#define PERSEUS_PLUGIN_OPERAND_H

#include "gcc-plugin/base/gcc-common.h"

/*
 * A reference to the first byte of @ref, of which *@stmt makes an access, as an
 * operand whose address the assembler can write.  *@stmt becomes the statement in
 * front of which the probe is to stand: the same or one shortly before it, with
 * the same virtual use.
 */
tree operand_of(tree ref, gimple **stmt);

#endif
