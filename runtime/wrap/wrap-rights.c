/* SPDX-License-Identifier: MIT */
/*
 * A process becomes another user.  What it shares with processes of the one
 * that it was is left, so that whoever takes it over later finds no way back.
 */
#include "runtime/calls/trace.h"
#include "runtime/wrap/real.h"

static int changed(int ret)
{
	trace_check_user();
	return ret;
}

RT_EXPORT int setuid(uid_t user)
{
	return changed(REAL(setuid)(user));
}

RT_EXPORT int setreuid(uid_t real, uid_t effective)
{
	return changed(REAL(setreuid)(real, effective));
}

RT_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	return changed(REAL(setresuid)(real, effective, saved));
}
