/* SPDX-License-Identifier: MIT */
/* Old style: definitions without prototypes, implicit int, tentative definitions, trigraph-free. */
/* flags: -std=gnu89 -fexceptions -fnon-call-exceptions */
#include <stdio.h>
int table[10];
int table[10];
add(a, b)
	int a, b;
{
	return a + b;
}
char *pick(v, n)
	char **v;
	int n;
{
	return v[n];
}
double mean(v, n)
	double *v;
	int n;
{
	double s = 0;
	int i;

	for (i = 0; i < n; i++)
		s += v[i];
	return s / add(n, 0);
}
apply(f, x)
	int (*f)();
{
	return (*f)(x, x);
}
int main(argc, argv)
	int argc;
	char **argv;
{
	static char *w[] = { "zero", "one", "two" };
	static double v[] = { 1.5, 2.5, 4 };
	int i;

	(void)argv;
	for (i = 0; i < 10; i++)
		table[i] = apply(add, i) + undeclared(i);
	printf("%d %s %.3f\n", table[9], pick(w, argc + 1), mean(v, 3));
	return 0;
}
undeclared(x)
{
	return x * 2;
}
