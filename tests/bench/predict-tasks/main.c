/* SPDX-License-Identifier: MIT */
/* task NAME N [SEED]: one task of bench-predict-tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(size_t n, uint64_t seed, struct task_out *out);
	} tasks[] = {
		{"stencil", task_stencil}, {"multiply", task_multiply}, {"fft", task_fft},
		{"sort", task_sort},	   {"sparse", task_sparse},	{"tree", task_tree},
		{"jacobi", task_jacobi},   {"solver", task_solver},	{"optimiser", task_optimiser},
		{"kmeans", task_kmeans},   {"register", task_register},
		{"quadrature", task_quadrature}, {"paths", task_paths}, {"sat", task_sat},
	};
	struct task_out out = {.converged = 1};

	for (size_t i = 0; argc > 2 && i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		if (strcmp(tasks[i].name, argv[1]))
			continue;
		tasks[i].run(strtoul(argv[2], NULL, 10), argc > 3 ? strtoul(argv[3], NULL, 10) : 1, &out);
		printf("operations %.17g\nresult %.9g\niterations %.17g\nconverged %g\ndenormals %.17g\ndepth %.17g\n",
		       out.operations, out.result, out.iterations, out.converged, out.denormals, out.depth);
		return 0;
	}
	return 2;
}
