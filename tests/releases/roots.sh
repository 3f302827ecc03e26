# SPDX-License-Identifier: MIT
# Other releases of Debian below $O/releases; for `check' and `bare', which set $me, their name.
: "${O:=$(pwd)/build}"
cannot() { echo "$me: skipped: $*"; exit 0; }

# find_mirror: sets $mirror, the one that apt uses on this machine, or ends with why there is none
find_mirror() {
	[ "$(id -u)" = 0 ] || cannot "root is needed"
	for tool in mmdebstrap unshare; do
		command -v $tool >/dev/null || cannot "$tool is not installed (Debian: apt-get install mmdebstrap util-linux)"
	done
	mirror=$(apt-get indextargets --format '$(ORIGIN)/$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n '/^Debian\/Debian /{s///p;q}')
	mirror=${mirror%/} # some mirrors refuse an empty folder name
	[ -n "$mirror" ] || cannot "apt names no mirror of Debian (try apt-get update)"
	mkdir -p "$O/releases"
	/usr/lib/apt/apt-helper download-file "$mirror/dists/sid/InRelease" "$O/releases.try" >/dev/null 2>&1 || cannot "no network: $mirror cannot be reached"
	rm -f "$O/releases.try"
}

# make_root RELEASE ROOT PACKAGES OPTION...; what is thrown away need not reach the disk at once
make_root() {
	release=$1 root=$2 packages=$3
	shift 3
	rm -rf --one-file-system "$root"
	mmdebstrap --variant=apt --dpkgopt=force-unsafe-io --include="$packages,ca-certificates" "$@" "$release" "$root" "$mirror" && touch "$root/.complete"
}

# bootstrap RELEASE ROOT PACKAGES LOG
bootstrap() {
	make_root "$1" "$2" "$3" >"$4" 2>&1 && return
	# A mirror that stands still: signed, but older than it says it may be.
	grep -q 'is expired' "$4" && echo "$me: the lists of $1 at $mirror are older than they may be; used all the same"
	make_root "$1" "$2" "$3" --aptopt='Acquire::Check-Valid-Until "false"' >"$4" 2>&1 && return
	echo "$1: not bootstrapped: $(grep -m 1 '^E:' "$4") (all of it: $4)"
	return 1
}

# enter ROOT COMMAND...: with the machine's devices, and processes of its own
enter() {
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1
		shift
		mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" &&
			exec chroot "$root" "$@"' sh "$@"
}
