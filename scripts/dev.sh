#!/usr/bin/env bash
# make dev: the interface with hot reload in a browser, in front of a real
# `mutsumi serve`. Go changes need a restart.
. "$(dirname "$0")/steps.sh"

need_toolchain
npm_install
dir=${1:-}
[ -z "$dir" ] || [ -d "$dir" ] || die "$dir is not a folder: make dev DIR=... takes a folder that exists."
build_plain
[ -n "$dir" ] || dir=$(bin/mutsumi-plain sample)
exec node scripts/dev.mjs "$dir"
