/* Variables of a second unit. */
#include <stdlib.h>

int second_int = 4;
long second_zero;
static long hidden_zero;
static int hidden_int = 8;
char second_text[33];
const char second_const[] = "constant";
__thread int second_tls = 1;
long *second_hidden_zero = &hidden_zero;
int *second_hidden_int = &hidden_int;
struct {
	char c;
	long l[5];
} second_struct = {1, {2}};

int second_work(int n)
{
	second_zero += n;
	hidden_zero += labs((long)n);
	second_text[n & 31]++;
	hidden_int += n;
	second_tls += n;
	second_struct.l[n & 3] += second_int;
	return (int)second_zero;
}
