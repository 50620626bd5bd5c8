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
    if [ "$(system)" = macos ]; then
      app=bin/Mutsumi.app/Contents
      mkdir -p "$app/MacOS" "$app/Resources"
      cp build/darwin/Info.plist "$app/" && cp build/darwin/icon.icns "$app/Resources/" && cp bin/mutsumi "$app/MacOS/"
    fi
    ls -l bin/mutsumi*
    ;;
  windows) build_windows && ls -l bin/mutsumi.exe bin/mutsumi-cli.exe ;;
  *) die "usage: scripts/build.sh [windows]" ;;
esac
