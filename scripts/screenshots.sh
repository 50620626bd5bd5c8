#!/usr/bin/env bash
# make screenshots: the pictures in docs/ from the real window.
. "$(dirname "$0")/steps.sh"

need_toolchain
bash scripts/install.sh test
npm_install
vite_build
build_window
export GTK_A11Y=none NO_AT_BRIDGE=1 GDK_BACKEND=x11
exec xvfb-run -a -s "-screen 0 1440x900x24 -nolisten tcp" dbus-run-session -- node scripts/screenshots.mjs
