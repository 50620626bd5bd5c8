#!/usr/bin/env bash
# make build, make windows: the finished programs in bin/.
. "$(dirname "$0")/steps.sh"

need_toolchain
npm_install
vite_build
case ${1:-} in
  "")
    bash scripts/install.sh build
    build_window
    [ "$(system)" != macos ] || bundle bin/mutsumi bin/Mutsumi.app
    ls -l bin/mutsumi*
    ;;
  windows) build_windows && ls -l bin/mutsumi.exe bin/mutsumi-cli.exe ;;
  *) die "usage: scripts/build.sh [windows]" ;;
esac
