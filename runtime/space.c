/* SPDX-License-Identifier: MIT */
/*
 * A program under a limit of its address space gets stacks and heap from what
 * is left of it.  What the record takes may be what makes it fail, so it takes
 * a small part, or nothing.
 */
#include "runtime/base/file.h"
#include "runtime/limit.h"
#include "runtime/space.h"

#define MB           (1ull << 20)
#define PART_TIMING  6u /* one in that many of what is left */
#define PART_SHARING 4u
#define LEAST_TIMING (8 * MB)
#define FIXED        (2 * MB)  /* tables that have one size */
#define DIRECTORY    (26 * MB) /* of a sharing run, with the tags of eight threads */
#define BLOCK_LEAST  (128u << 10)

/* Bytes of address space that are taken. */
static uint64_t taken(void)
{
	int fd = sys_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
	char text[64];
	long n = fd < 0 ? 0 : sys_read(fd, text, sizeof(text));
	uint64_t pages = 0;

	if (fd >= 0)
		sys_close(fd);
	for (long i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		pages = pages * 10 + (uint64_t)(text[i] - '0');
	return pages * PRS_PAGE_BYTES;
}

/* As much of @bytes as the record, the tables and a block may be. */
static bool divide(uint64_t bytes)
{
	bool sharing = rt.purpose == PRS_PURPOSE_SHARING;
	uint64_t fixed = FIXED + (sharing ? DIRECTORY : 0);

	if (bytes < fixed + LEAST_TIMING - FIXED)
		return false;
	bytes -= fixed;
	rt.block_max = BLOCK_LEAST;
	while (rt.block_max < bytes / 16)
		rt.block_max *= 2;
	if (rt.block_max > RT_BLOCK_MAX)
		rt.block_max = RT_BLOCK_MAX;
	rt.map_max = (bytes - rt.block_max) & ~(uint64_t)(PRS_PAGE_BYTES - 1);
	return true;
}

bool space_choose(void)
{
	uint64_t limit = sys_limit(RLIMIT_AS).rlim_cur, used, left;

	rt.map_max = RT_MAP_MAX;
	rt.block_max = RT_BLOCK_MAX;
	if (limit == RLIM_INFINITY || limit_make_room(RT_MAP_MAX))
		return true;
	used = taken();
	left = used < limit ? limit - used : 0;
	return divide(left / (rt.purpose == PRS_PURPOSE_SHARING ? PART_SHARING : PART_TIMING));
}
