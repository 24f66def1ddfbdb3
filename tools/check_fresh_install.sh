#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves that a fresh machine needs nothing but a clone: makes a minimal system with debootstrap, puts
# a clone of HEAD into it, runs `make deps` there, configures, and builds the bottom layer.
#
#   tools/check_fresh_install.sh [--full] [--keep] [directory]
#
#   --full     runs `make test` and `make demo` instead
#   --keep     leaves the system in the directory (default: a temporary one, removed)
#   SUITE      bookworm (default), noble, ...
#   MIRROR     where packages come from (default: the distribution's own)
#   KEYRING    checks the mirror's signature by this keyring
#
# Needs root and debootstrap. Touches nothing outside its directory.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
suite="${SUITE:-bookworm}"
full=no
keep=no
system=
for argument in "$@"; do
  case "$argument" in
    --full) full=yes ;;
    --keep) keep=yes ;;
    -*) echo "unknown option $argument" >&2; exit 2 ;;
    *) system="$argument" ;;
  esac
done

case "$suite" in
  bookworm | trixie) mirror="${MIRROR:-http://deb.debian.org/debian}" components=main ;;
  *) mirror="${MIRROR:-http://archive.ubuntu.com/ubuntu}" components=main,universe ;;
esac
# A debootstrap older than the suite has no script of that name; gutsy's serves every Ubuntu since.
script=()
[ -e "/usr/share/debootstrap/scripts/$suite" ] || script=(/usr/share/debootstrap/scripts/gutsy)

[ "$(id -u)" -eq 0 ] || { echo "check_fresh_install: needs root for chroot" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "check_fresh_install: needs debootstrap" >&2; exit 1; }

if [ -z "$system" ]; then system="$(mktemp -d)"; else mkdir -p "$system"; fi

clean_up() {
  umount -R "$system/proc" "$system/dev" 2>/dev/null || true
  if mountpoint -q "$system/proc" || mountpoint -q "$system/dev"; then
    echo "check_fresh_install: $system is still in use and stays" >&2
  elif [ "$keep" = no ]; then
    rm -rf --one-file-system "$system"
  fi
}
trap clean_up EXIT

say() { printf '\n=== %s (%d s)\n' "$*" "$SECONDS"; }

inside() {
  chroot "$system" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    TERM=dumb bash -c "cd /tidemark && $1"
}

say "a minimal $suite from $mirror"
debootstrap --variant=minbase --components="$components" ${KEYRING:+--keyring="$KEYRING"} \
  "$suite" "$system" "$mirror" "${script[@]}" >"$system.log" 2>&1 || { tail -n 20 "$system.log" >&2; exit 1; }
rm -f "$system.log"
cp -L /etc/resolv.conf "$system/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$system/usr/sbin/policy-rc.d"  # starts no services
chmod +x "$system/usr/sbin/policy-rc.d"
mount -t proc proc "$system/proc"
mount --rbind /dev "$system/dev"
mount --make-rslave "$system/dev"

say "a clone of HEAD"
git clone -q --no-hardlinks "$root" "$system/tidemark"
chroot "$system" apt-get update -q >/dev/null
chroot "$system" apt-get install -y -q --no-install-recommends make git >/dev/null
# The clone belongs to the user who runs this, as on a machine where that user cloned it.
chown -R 0:0 "$system/tidemark"

say "make deps"
inside "make deps"
say "make deps, the second time, without network"
mv "$system/etc/resolv.conf" "$system/etc/resolv.conf.away"
inside "make deps"
mv "$system/etc/resolv.conf.away" "$system/etc/resolv.conf"

if [ "$full" = yes ]; then
  say "make test"
  inside "make test"
  say "make demo"
  inside "make demo"
else
  say "configure, and build the bottom layer"
  inside "tools/configure.sh release && cmake --build --preset release --target tidemark_base"
fi
say "a fresh $suite is enough"
