/* SPDX-License-Identifier: MIT */
/*
 * Library of the triggers, written by perseus codegen.  It holds nothing of a plan:
 * all plans that need the same parts have these bytes, which are reviewed once.
 * Parts: settles
 */
/*
 * What the triggers need from the system; one platform file is linked in.  The
 * comments with an at sign are ACSL: by them Frama-C proves that the triggers
 * ask for planned settings only, whatever a platform answers.
 */
#ifndef PERSEUS_PLATFORM_H
#define PERSEUS_PLATFORM_H

#include <stdint.h>

#include "perseus_triggers.h"

/*
 * Once, before anything is set: note what the program starts with, and compare
 * the machine with the plan.  PERSEUS_SET if it is the planned machine, and
 * both generated files are of one plan.
 */
/*@ assigns \nothing; */
uint32_t perseus_platform_start(void);

/* Is the caller the thread that runs main()?  PERSEUS_YES or PERSEUS_NO. */
/*@ assigns \nothing; */
uint32_t perseus_platform_in_main(void);

/* The instance that the calling thread has become, PERSEUS_NO_THREAD before that.  Called at every trigger. */
/*@ assigns \nothing;
  @ ensures \result < PERSEUS_THREADS || \result == PERSEUS_NO_THREAD; */
uint32_t perseus_platform_self(void);

/* The calling thread is @instance from now on: PERSEUS_SET.  PERSEUS_REFUSED: there is none such, or no room. */
/*@ assigns \nothing; */
uint32_t perseus_platform_become(uint32_t instance);

/* Bind the calling thread to core @core (the system's number) and read it back; @error gets errno, or 0. */
/*@ requires perseus_core(core);
  @ requires \valid(error);
  @ assigns *error; */
uint32_t perseus_platform_pin(uint32_t core, uint32_t *error);

/* Add 1 to @counter, from any thread; beyond half of its range it may stay as it is, so that it never wraps. */
/*@ requires \valid(counter);
  @ assigns *counter; */
void perseus_platform_count(uint32_t *counter);

/* Write @value, from any thread. */
/*@ requires \valid(place);
  @ assigns *place;
  @ ensures *place == value; */
void perseus_platform_store(uint32_t *place, uint32_t value);

#endif
