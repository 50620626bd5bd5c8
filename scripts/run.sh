#!/usr/bin/env bash
# make run: builds the program and opens a folder with it; without a folder a copy of the sample in
# assets/sample, without a display in a browser.
. "$(dirname "$0")/steps.sh"

need_toolchain
dir=${1:-}
[ -z "$dir" ] || [ -d "$dir" ] || die "$dir is not a folder: make run DIR=... takes a folder that exists."
# sample sets dir to the sample where none is given: sample PROGRAM
sample() {
  [ -z "$dir" ] || return 0
  dir=$("$1" sample)
  echo "Opening the sample folder $dir (make run DIR=... opens another one)."
}
npm_install
vite_build
if has_display; then
  bash scripts/install.sh build
  build_window
  sample bin/mutsumi
  exec bin/mutsumi "$dir"
fi
echo "There is no display here, so the interface is served: open the address below in a browser. Ctrl+C ends it."
build_plain
sample bin/mutsumi-plain
exec bin/mutsumi-plain serve "$dir"
