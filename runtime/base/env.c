/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "runtime/base/env.h"
#include "runtime/base/rt.h"

#define BLOCK_US_DEFAULT 20u
#define LIMIT_MB_DEFAULT 1024u

uint64_t env_number(const char *name, uint64_t otherwise, uint64_t max)
{
	const char *text = secure_getenv(name);
	uint64_t v = 0;

	if (!text || !*text)
		return otherwise;
	for (; *text >= '0' && *text <= '9' && v <= max; text++)
		v = v * 10 + (uint64_t)(*text - '0');
	return *text || !v || v > max ? otherwise : v;
}

static bool base_env_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool env_read(void)
{
	const char *dir = secure_getenv(PRS_ENV_DIR), *purpose = secure_getenv(PRS_ENV_PURPOSE);
	size_t n = 0;

	if (!dir || *dir != '/')
		return false;
	while (dir[n] && n < sizeof(rt.dir)) {
		rt.dir[n] = dir[n];
		n++;
	}
	if (n == sizeof(rt.dir))
		return false;
	rt.dir[n] = '\0';
	rt.purpose = purpose && base_env_same(purpose, "sharing") ? PRS_PURPOSE_SHARING : PRS_PURPOSE_TIMING;
	rt.block_us = env_number(PRS_ENV_BLOCK, BLOCK_US_DEFAULT, 1000000000);
	rt.limit = env_number(PRS_ENV_LIMIT, LIMIT_MB_DEFAULT, 1u << 24) << 20;
	rt.period = (uint32_t)env_number(PRS_ENV_PERIOD, 0, 1u << 20);
	return true;
}
