#!/bin/sh
# SPDX-License-Identifier: MIT
# The service's unit: what it takes from the daemon before the daemon gives up the rest.
. tests/lib.sh
sed "s,@SBIN@,/usr/sbin," daemon/perseusd.service >"$T/perseusd.service"
# has LINE TEXT
has() { grep -qxF -- "$1" "$T/perseusd.service" && ok "$2" || not_ok "$2" "no line $1"; }
has NoNewPrivileges=yes "nothing that it executes has more rights"
has 'CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_SETPCAP CAP_SYS_NICE' "root without what it does not need"
has PrivateNetwork=yes "no network"
has IPAddressDeny=any "... by no socket that is handed to it"
has ProtectSystem=strict "no file but those of /sys and /run"
has ProtectProc=invisible "no process but its own"
has MemoryDenyWriteExecute=yes "no code that it writes itself"
has 'SystemCallFilter=@system-service seccomp' "a filter of system calls, for --restore, too"
has UMask=0077 "no file for others"
grep -q '^User=' "$T/perseusd.service" && not_ok "it becomes its user itself, when all is open" || ok "it becomes its user itself, when all is open"
if ! command -v systemd-analyze >/dev/null || ! systemd-analyze security --help 2>/dev/null | grep -q offline; then
	skip "systemd counts it as well enclosed" "no systemd-analyze that reads files"
else
	points=$(systemd-analyze security --offline=true --no-pager "$T/perseusd.service" 2>/dev/null | sed -n 's/.*Overall exposure level for perseusd.service: \([0-9.]*\) .*/\1/p')
	[ -n "$points" ] && awk "BEGIN { exit !($points <= 2) }" && ok "systemd counts it as well enclosed" || not_ok "systemd counts it as well enclosed" "$points of 10"
fi
finish
