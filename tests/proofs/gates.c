/* SPDX-License-Identifier: MIT */
/* gates DIR: writes the models of the five gate tests as DIR/NAME.yaml; compiled by proofs.sh. */
#include <limits.h>

#include "tests/unit/planner/gate.h"

static int save(const char *dir, const struct gate_case *c, const struct platform *pf)
{
	struct err err = ERR_INIT;
	char path[PATH_MAX];
	struct maker k;
	int ret;

	snprintf(path, sizeof(path), "%s/%s.yaml", dir, c->name);
	gate_scaled(&k, c, pf);
	ret = model_save(&k.m, path, &err);
	if (ret)
		fprintf(stderr, "%s: %s\n", c->name, err.msg);
	model_release(&k.m);
	return ret;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct platform pf;
	int ret;

	if (argc != 2 || platform_find(&pf, "xeon-e5320", &err)) {
		fprintf(stderr, "gates: %s\n", argc == 2 ? err.msg : "expected a directory");
		return 1;
	}
	ret = 0;
	/* A gate of several cases keeps the last one, which moves most. */
	for (size_t i = 0; !ret && i < GATE_CASES; i++)
		ret = save(argv[1], &gate_cases[i], &pf);
	platform_release(&pf);
	return ret != 0;
}
