/* SPDX-License-Identifier: MIT */
/*
 * What else threads use on the lines that a finding is about.  Who parts two fields
 * has to keep each of them off these, too, whether that was a meeting worth telling
 * in this run or not: true sharing beside false one, threads that seldom ran at the
 * same time.
 */
#ifndef PERSEUS_ANALYZER_SHARING_BESIDE_H
#define PERSEUS_ANALYZER_SHARING_BESIDE_H

#include <stddef.h>

#include "analyzer/lines/lines.h"
#include "analyzer/objects/objects.h"
#include "analyzer/sharing/sharing.h"

/*
 * Add to the objects of the @n findings of false sharing at @f what @uses has of them
 * beside the findings' own fields, and to their `beside` other variables of the lines.  In all
 * findings, mark the fields that a thread reads while another one goes on writing them.
 */
void beside_add(struct sharing_finding *f, size_t n, const struct line_uses *uses, struct objects *os);

#endif
