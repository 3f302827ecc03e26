/* SPDX-License-Identifier: MIT */
#include "platform/base/cpuinfo.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

int platform_cpuinfo(const char *sysroot, const char *key, char *buf, size_t size)
{
	char path[PATH_MAX], line[8192];
	int ret = -ENOENT;
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", sysroot);
	in = fopen(path, "re");
	if (!in)
		return -errno;
	while (ret && fgets(line, sizeof(line), in)) {
		char *colon = strchr(line, ':'), *end = colon;

		while (end && end > line && isspace((unsigned char)end[-1]))
			*--end = '\0';
		if (!colon || strcmp(line, key))
			continue;
		colon++;
		snprintf(buf, size, "%s", colon + strspn(colon, " \t"));
		buf[strcspn(buf, "\n")] = '\0';
		ret = 0;
	}
	fclose(in);
	return ret;
}
