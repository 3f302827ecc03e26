/* SPDX-License-Identifier: MIT */
#ifndef UNITS_H
#define UNITS_H

struct unit { long n; int id; };
extern struct unit units[4];
extern long first, second;
void *run(void *arg);

#endif
