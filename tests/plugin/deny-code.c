/* SPDX-License-Identifier: MIT */
/* deny-code PROGRAM ARGUMENT...: run it where the system refuses code that can be written; 77: it cannot be told to. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter f[] = {
		{ 0x20, 0, 0, offsetof(struct seccomp_data, nr) }, { 0x15, 0, 3, SYS_mprotect },
		{ 0x20, 0, 0, offsetof(struct seccomp_data, args[2]) }, { 0x54, 0, 0, 6 },
		{ 0x15, 1, 0, 6 }, { 0x06, 0, 0, SECCOMP_RET_ALLOW }, { 0x06, 0, 0, SECCOMP_RET_ERRNO | EACCES },
	};
	struct sock_fprog p = { sizeof(f) / sizeof(*f), f };
	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p)) return 77;
	return execv(argv[1], argv + 1);
}
