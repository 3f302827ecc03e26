/* SPDX-License-Identifier: MIT */
/*
 * Whether memory keeps the alignment that a type asks for: operator new does
 * from C++17 on, malloc and its kin never.
 */
#ifndef PERSEUS_ANALYZER_SHARING_ALLOCATED_H
#define PERSEUS_ANALYZER_SHARING_ALLOCATED_H

#include "analyzer/sharing/parts.h"
#include "record/run.h"

/* Fill keeps_alignment and also_allocated of @o from the site tables of @run. */
void allocated_look(struct sharing_object *o, const struct run *run);

#endif
