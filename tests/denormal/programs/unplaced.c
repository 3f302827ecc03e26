/* SPDX-License-Identifier: MIT */
/* A variable of each thread, which has no address that the plugin may take. */
static __thread volatile float own = 1e-38f;

int main(void)
{
	for (int i = 0; i < 10; i++)
		own = own * 0.5f;
	return own > 1;
}
