/* SPDX-License-Identifier: MIT */
/*
 * canonical PLAN PLATFORM OUT-PLAN OUT-PLATFORM: load both (the platform may
 * be a built-in one), bind the plan to the platform's hash, and write the
 * canonical forms.  For tests/yaml/agree.sh.
 */
#include <stdio.h>
#include <string.h>

#include "yaml/plan.h"
#include "yaml/platform.h"

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct platform platform;
	struct plan plan;

	if (argc != 5)
		return 2;
	if (platform_find(&platform, argv[2], &err) || plan_load(&plan, argv[1], &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 4;
	}
	platform_hash(&platform, plan.platform_sha256);
	if (platform_save(&platform, argv[4], &err) || plan_save(&plan, argv[3], &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 4;
	}
	plan_release(&plan);
	platform_release(&platform);
	return 0;
}
