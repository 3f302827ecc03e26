/* An OpenMP team: what each member's function has on its stack, and what it allocates. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static long total;
static int started;

static void member(unsigned long *cfa, unsigned long *block)
{
	*cfa = (uintptr_t)__builtin_dwarf_cfa();
	*block = (uintptr_t)malloc(40);
}

int main(int argc, char **argv)
{
	unsigned long cfa[3][4] = {0}, block[3][4] = {0}, here = (uintptr_t)__builtin_dwarf_cfa();
	int n = argc > 1 ? atoi(argv[1]) : 2;

	(void)argv;
#pragma omp parallel num_threads(n)
	{
		int me = omp_get_thread_num();

		member(&cfa[0][me], &block[0][me]);
#pragma omp atomic
		total += me;
	}
#pragma omp parallel for num_threads(n) schedule(dynamic, 1)
	for (int i = 0; i < n; i++) {
		int me = omp_get_thread_num();

		member(&cfa[1][me], &block[1][me]);
		__atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&started, __ATOMIC_SEQ_CST) < n) /* one turn for each */
			;
	}
#pragma omp parallel for num_threads(n) schedule(runtime)
	for (int i = 0; i < n; i++) {
		int me = omp_get_thread_num();

		member(&cfa[2][me], &block[2][me]);
	}
	printf("opener %lu\n", (here - cfa[0][0]) % 128);
	printf("opener's loop %lu\n", (here - cfa[1][0]) % 128);
	printf("opener's other loop %lu\n", (here - cfa[2][0]) % 128);
	for (int i = 1; i < n; i++)
		printf("member %lu %lu %lu\n", cfa[0][i] % 128, cfa[1][i] % 128, cfa[2][i] % 128);
	printf("block %lu\n", block[0][0] % 4096);
	return total != 1;
}
