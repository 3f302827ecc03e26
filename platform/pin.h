/* SPDX-License-Identifier: MIT */
/* Bind the calling thread to one core. */
#ifndef PERSEUS_PLATFORM_PIN_H
#define PERSEUS_PLATFORM_PIN_H

#include <stdint.h>

/* @core is the operating system's number.  0 or -errno, -EINVAL if the core cannot be used. */
int pin_thread(uint32_t core);

#endif
