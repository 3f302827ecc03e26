/* SPDX-License-Identifier: MIT */
/* What a plan refers to in platform.yaml: cores, frequency domains, steps. */
#ifndef PERSEUS_VERIFY_PLATFORM_H
#define PERSEUS_VERIFY_PLATFORM_H

#include "verify/yaml.h"

struct vplatform_core {
	uint32_t id, domain;
	bool usable;
};

struct vplatform {
	struct input in;
	struct vyaml doc;
	char sha256[65]; /* of the file */
	const char *name, *cpu;
	struct vplatform_core *core;
	size_t n_cores;
	uint32_t *khz;
	size_t n_steps;
};

/* Read a platform; -1 with file, line and reason.  Release in every case. */
int vplatform_read(struct vplatform *p, const char *path, struct fault *f);

/* Free the contents. */
void vplatform_release(struct vplatform *p);

#endif
