/* A shared library with variables of its own, thread-local ones of both models, and an initialiser that allocates. */
#include <stdlib.h>

int lib_int = 4;
char lib_text[33];
__thread long lib_dynamic = 3;
__thread long lib_initial __attribute__((tls_model("initial-exec"))) = 5;
void *lib_block;

__attribute__((constructor)) static void begin(void)
{
	lib_block = malloc(24);
}

long *lib_where(int dynamic)
{
	lib_int += (int)labs((long)dynamic);
	return dynamic ? &lib_dynamic : &lib_initial;
}
