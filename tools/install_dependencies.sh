#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the packages of tools/dependencies.txt that are not there yet, with apt. Asks dpkg first,
# so that a machine that has everything needs neither the network nor root.
#
#   tools/install_dependencies.sh            installs what is missing
#   tools/install_dependencies.sh --check    says what is missing; exit 1 when anything is
set -euo pipefail

list="$(dirname "${BASH_SOURCE[0]}")/dependencies.txt"
attempts=4

say() { printf 'deps: %s\n' "$*"; }

fail() {
  printf 'deps: error: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf 'deps:   %s\n' "$line" >&2; done
  exit 1
}

# The lines of the list without comments and reasons: a reason stands two or more blanks behind.
requirements() {
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' -e 's/[[:space:]]\{2,\}.*$//' "$list"
}

# Splits "a | b (>= 1.2)" into lines "name version", version empty where any will do.
alternatives() {
  tr '|' '\n' <<<"$1" | sed -E -e 's/^ *//; s/ *$//' -e 's/^([^ ]+) \(>= ([^)]+)\)$/\1 \2/'
}

serves() {  # serves <version there> <version wanted>
  [ -z "$2" ] || dpkg --compare-versions "$1" ge "$2"
}

installed_version() {
  dpkg-query -W -f '${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
    awk '$1 == "installed" { print $2; exit }'
}

candidate_version() {
  apt-cache policy "$1" 2>/dev/null |
    awk '$1 == "Candidate:" && $2 != "(none)" { print $2; exit }'
}

is_satisfied() {
  local name wanted there
  while read -r name wanted; do
    there="$(installed_version "$name")"
    if [ -n "$there" ] && serves "$there" "$wanted"; then return 0; fi
  done < <(alternatives "$1")
  return 1
}

missing_requirements() {
  local requirement
  while IFS= read -r requirement; do
    is_satisfied "$requirement" || printf '%s\n' "$requirement"
  done < <(requirements)
}

package_for() {  # The first alternative that apt can install.
  local name wanted there
  while read -r name wanted; do
    there="$(candidate_version "$name")"
    if [ -n "$there" ] && serves "$there" "$wanted"; then
      printf '%s\n' "$name"
      return 0
    fi
  done < <(alternatives "$1")
  return 1
}

require_apt() {
  command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1 && return
  local system
  system="$(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-}")"
  fail "this script installs with apt, and there is none here (system: ${system:-unknown})." \
    "It is tested on Debian 12 and Ubuntu 24.04." \
    "On another system install the counterparts of the packages in tools/dependencies.txt" \
    "yourself, and call the targets with DEPS=off: make build DEPS=off"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

require_root() {
  [ "$(id -u)" -eq 0 ] && return
  command -v sudo >/dev/null 2>&1 && return
  fail "packages must be installed, but this is not root and there is no sudo." \
    "Run as root: apt-get install -y --no-install-recommends $*"
}

# apt_get <description> <arguments>: repeats, because mirrors and their networks stumble.
apt_get() {
  local what="$1" attempt
  shift
  for ((attempt = 1; attempt <= attempts; attempt++)); do
    if as_root env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a apt-get \
      -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3 "$@"; then
      return 0
    fi
    if ((attempt < attempts)); then
      say "$what failed (attempt $attempt of $attempts); again in $((attempt * 5)) s"
      sleep $((attempt * 5))
    fi
  done
  return 1
}

main() {
  require_apt
  local missing requirement package
  mapfile -t missing < <(missing_requirements)
  if [ "${#missing[@]}" -eq 0 ]; then
    say "all $(requirements | wc -l) packages are installed"
    return
  fi
  say "missing: $(printf '%s, ' "${missing[@]}" | sed 's/, $//')"
  [ "${1:-}" != --check ] || exit 1
  require_root "${missing[@]%% *}"

  say "reading the package lists (apt-get update)"
  apt_get "apt-get update" update -q -o APT::Update::Error-Mode=any ||
    say "the package lists could not be read afresh; going on with those that are there"
  local packages=()
  for requirement in "${missing[@]}"; do
    package="$(package_for "$requirement")" ||
      fail "apt knows no package for: $requirement" \
        "Is this Debian 12, Ubuntu 24.04 or newer, with its network up (on Ubuntu with the" \
        "component 'universe' enabled: sudo add-apt-repository universe)?"
    packages+=("$package")
  done
  say "installing ${#packages[@]} packages: ${packages[*]}"
  apt-get install -s -q --no-install-recommends "${packages[@]}" >/dev/null ||
    fail "apt-get cannot install these packages together with what is installed here (see above)." \
      "A libboost-dev older than 1.81 is a likely cause: remove it, or build in a container."
  apt_get "apt-get install" install -y -q --no-install-recommends "${packages[@]}" ||
    fail "apt-get could not install: ${packages[*]} (its message stands above)."
  mapfile -t missing < <(missing_requirements)
  [ "${#missing[@]}" -eq 0 ] || fail "still missing after the installation: ${missing[*]}"
  say "done"
}

main "$@"
