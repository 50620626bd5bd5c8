#!/usr/bin/env bash
# make bench: Go's benchmarks, the interface's, and the whole program. The last
# part is a Markdown table, for the README. BENCH_SECONDS=600 is the long run
# of the streaming benchmark; BENCH_ONLY=go, interface or program runs one part.
. "$(dirname "$0")/steps.sh"

need_toolchain
bash scripts/install.sh test
npm_install
vite_build
only=${BENCH_ONLY:-go interface program}
unset OPENAI_API_KEY OPENAI_BASE_URL

case $only in *go*) go test -run '^$' -bench . -benchmem ./... | grep -vE '^(\?|ok|PASS)' ;; esac
case $only in *interface*) (cd frontend && npx vitest bench --run) ;; esac
case $only in
  *program*)
    build_window
    go build -trimpath -tags emptywindow,desktop,production,webkit2_41 -ldflags "-w -s" -o bin/emptywindow ./bench/emptywindow
    # As after a start of the system: the linker leaves a file in memory in pieces of 2 MB, of which a
    # process would count each whole that it touches.
    sync
    for program in bin/mutsumi bin/emptywindow; do dd if=$program iflag=nocache count=0 status=none; done
    export GTK_A11Y=none NO_AT_BRIDGE=1 GDK_BACKEND=x11
    exec xvfb-run -a -s "-screen 0 1280x900x24 -nolisten tcp" dbus-run-session -- node bench/program.mjs
    ;;
esac
