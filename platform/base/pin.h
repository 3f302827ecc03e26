/* SPDX-License-Identifier: MIT */
/* Bind the calling thread to one core. */
#ifndef PERSEUS_PLATFORM_BASE_PIN_H
#define PERSEUS_PLATFORM_BASE_PIN_H

#include <sched.h>
#include <stdint.h>

/* @core is the operating system's number.  0 or -errno, -EINVAL if the core cannot be used. */
int pin_thread(uint32_t core);

/* The calling thread's mask, for pin_restore(); NULL if it cannot be read. */
cpu_set_t *pin_save(void);

/* Back to @saved, which is freed; NULL does nothing. */
void pin_restore(cpu_set_t *saved);

#endif
