/* SPDX-License-Identifier: MIT */
#include "verify/arch/toolchain.h"

#include <string.h>

const uint64_t startup_init_most = 0x1b, startup_fini_most = 0xd;

/* endbr64 */
size_t startup_landing(const uint8_t *p, size_t left)
{
	return left >= 4 && !memcmp(p, "\xf3\x0f\x1e\xfa", 4) ? 4 : 0;
}

#define START "~31ed4989d15e4889e24883e4f050544531c031c9"
#define SUB   "4883ec08"
#define ADD   "4883c408"

const struct startup_code startup_known[] = {
	{"_start", START "488d3d{main}ff15{*__libc_start_main}f4"},
	{"_start", START "488d3d{main}67e8{__libc_start_main}f4"},
	{"_start", START "48c7c7{=main}ff15{*__libc_start_main}f4"},
	{"_start", START "48c7c7{=main}67e8{!__libc_start_main}f4"},
	{"_start", START "48c7c7{=main}e8{!__libc_start_main}90f4"},
	{"_start", START "488d3d{main}e8{!__libc_start_main}90f4"},
	{"_init", "~" SUB "488b05{*__gmon_start__}4885c07402ffd0" ADD "c3"},
	{"_init", "~" SUB "48c7c0000000004885c07402ffd0" ADD "c3"},
	{"_init", "~" SUB "488d05{^}4885c07402ffd0" ADD "c3"},
	{"_fini", "~" SUB ADD "c3"},
	{"_dl_relocate_static_pie", "~c3"},
	{"deregister_tm_clones", "~488d3d{?__TMC_END__}488d05{?__TMC_END__}4839f87415488b05{*_ITM_"
				 "deregisterTMCloneTable}4885c07409ffe0"
				 "0f1f8000000000c3"},
	/* Parts of the C library that are in every program. */
	{"atexit", "~488b15{__dso_handle}31f6e9{!__cxa_atexit}"},
	{"pthread_atfork", "~488b0d{__dso_handle}e9{!__register_atfork}"},
	{"deregister_tm_clones",
	 "~488d3d{?__TMC_END__}488d05{?__TMC_END__}4839f8741548c7c0000000004885c07409ffe00f1f8000000000c3"},
	{"deregister_tm_clones",
	 "~b8{=?__TMC_END__}483d{=?__TMC_END__}7413b8000000004885c07409bf{=?__TMC_END__}ffe06690c3"},
	{"register_tm_clones",
	 "~488d3d{?__TMC_END__}488d35{?__TMC_END__}4829fe4889f048c1ee3f48c1f8034801c648d1fe7414488b05"
	 "{*_ITM_registerTMCloneTable}4885c07408ffe0660f1f440000c3"},
	{"register_tm_clones",
	 "~488d3d{?__TMC_END__}488d35{?__TMC_END__}4829fe4889f048c1ee3f48c1f8034801c648d1fe741448c7c000000000"
	 "4885c07408ffe0660f1f440000c3"},
	{"register_tm_clones", "~be{=?__TMC_END__}4881ee{=?__TMC_END__}"
			       "4889f048c1ee3f48c1f8034801c648d1fe7411b8000000004885c07407bf{=?__TMC_END__}"
			       "ffe0c3"},
	{"__do_global_dtors_aux",
	 "~803d{1?completed}00752b5548833d{1*__cxa_finalize}004889e5740c488b3d{__dso_handle}"
	 "e8{!__cxa_finalize}e8{deregister_tm_clones}c605{1?completed}015dc30f1f00c3"},
	{"__do_global_dtors_aux",
	 "~803d{1?completed}0075335548833d{1*__cxa_finalize}004889e5740d488b3d{__dso_handle}"
	 "ff15{*__cxa_finalize}e8{deregister_tm_clones}c605{1?completed}015dc30f1f00c3"},
	{"__do_global_dtors_aux",
	 "~803d{1?completed}007513554889e5e8{deregister_tm_clones}c605{1?completed}015dc390c3"},
	{"__do_global_dtors_aux",
	 "~803d{1?completed}00752b554889e5e8{deregister_tm_clones}b8{=__deregister_frame_info}4885c0"
	 "740abf{=?__EH_FRAME_BEGIN__}e8{__deregister_frame_info}c605{1?completed}015dc30f1f440000c3"},
	{"frame_dummy", "~b8{=__register_frame_info}4885c0742255be{=?object}bf{=?__EH_FRAME_BEGIN__}4889e5e8{"
			"__register_frame_info}5de9"
			"{register_tm_clones}660f1f840000000000e9{register_tm_clones}"},
	{"frame_dummy", "~e9{register_tm_clones}"},
	{"frame_dummy", "~eb{-register_tm_clones}"},
	{NULL, NULL},
};
