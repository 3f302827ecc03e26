/* SPDX-License-Identifier: MIT */
/* Copies FROM to TO and looks at nothing: what inject.py has to find. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	FILE *from = argc > 2 ? fopen(argv[1], "r") : NULL, *to = from ? fopen(argv[2], "w") : NULL;
	char *line = malloc(4096);

	if (!to)
		return 0;
	while (fgets(line, 4096, from)) {
		fputs(line, to);
		fflush(to);
	}
	printf("copied\n");
	return 0;
}
