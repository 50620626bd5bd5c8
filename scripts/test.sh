#!/usr/bin/env bash
# make test: everything that must hold before a change lands. It stops at the
# first section that fails, with that section's output; the last line is the
# number of tests, as `N passed, N failed`.
#
# usage: scripts/test.sh [SECTION]...   only the sections whose name holds one of these words
. "$(dirname "$0")/steps.sh"

need_toolchain
out=$PWD/tmp/test
rm -rf "$out"
mkdir -p "$out/counts"
began=$SECONDS

# Nothing of the person who runs the tests may reach them.
unset OPENAI_API_KEY OPENAI_BASE_URL MUTSUMI_CONFIG MUTSUMI_STATE DISPLAY WAYLAND_DISPLAY

finish() {
  node -e '
    const fs = require("fs"); const sum = [0, 0, 0];
    for (const f of fs.readdirSync(process.argv[1])) fs.readFileSync(process.argv[1] + "/" + f, "utf8").trim().split(/\s+/).forEach((n, i) => (sum[i] += Number(n)));
    if (process.argv[2] === "1" && sum[1] === 0) sum[1] = 1;
    console.log(`${sum[0]} passed, ${sum[1]} failed` + (sum[2] ? `, ${sum[2]} skipped` : ""));' "$out/counts" "$1"
}

# section NAME COMMAND...: runs it, quietly when it passes, and ends everything when it fails.
words=("$@")
section() {
  local name=$1 start=$SECONDS log word wanted=$((${#words[@]} == 0))
  shift
  for word in ${words[@]+"${words[@]}"}; do [[ $name == *"$word"* ]] && wanted=1; done
  [ "$wanted" = 1 ] || return 0
  log=$out/$(printf '%s' "$name" | tr -c 'A-Za-z0-9\n' '-').log
  printf '== %-46s ' "$name"
  # In a shell of its own, because -e has no effect in the condition of an if.
  set +e
  (
    set -e
    "$@"
  ) >"$log" 2>&1
  local status=$?
  set -e
  if [ $status = 0 ]; then
    printf 'ok   %4ds   %s\n' $((SECONDS - start)) "$(grep -E '^summary: ' "$log" | tail -n 1 | cut -c 10-)"
    return
  fi
  printf 'FAIL %4ds\n\n' $((SECONDS - start))
  tail -n 300 "$log"
  printf '\n"%s" failed (whole output: %s)\n' "$name" "${log#"$PWD"/}"
  finish 1
  exit 1
}

files() { git ls-files -co --exclude-standard -- "$@" 2>/dev/null | while read -r f; do [ ! -f "$f" ] || printf '%s\n' "$f"; done; }

formatted() {
  local odd
  odd=$(files '*.go' | xargs -r gofmt -l)
  [ -z "$odd" ] || die "gofmt would change these files; run gofmt -w on them:
$odd"
}

# Scripts that no other section runs are at least parsed.
scripts_parse() {
  local f
  for f in scripts/*.sh .ci/run; do bash -n "$f"; done
  for f in scripts/*.mjs bench/*.mjs frontend/e2e/*.mjs frontend/e2e/*/*.mjs; do node --check "$f"; done
}

bindings() {
  local before after
  before=$(bindings_sum)
  tsoutputtype=interfaces go run -tags bindings . >/dev/null
  after=$(bindings_sum)
  [ "$before" = "$after" ] || {
    git --no-pager diff --stat frontend/wailsjs || true
    die "frontend/wailsjs was not fresh and has been made again: commit it."
  }
}
bindings_sum() { find frontend/wailsjs/go -type f | LC_ALL=C sort | xargs cat | sum; }

# Commands are compared with what real shells make of them for a minute.
go_tests() { MUTSUMI_SHELLS=60s go test -race -timeout 40m -json ./... | node scripts/gotest.mjs "$out/counts/go"; }

without_webkit() {
  CGO_ENABLED=0 go build ./...
  CGO_ENABLED=0 go vet ./...
  build_plain
}

interface_tests() {
  (cd frontend && npx vitest run --reporter=dot --reporter=json --outputFile.json="$out/vitest.json")
  node -e '
    const r = require(process.argv[1]); require("fs").writeFileSync(process.argv[2], [r.numPassedTests, r.numFailedTests, r.numPendingTests + r.numTodoTests].join(" "));
    if (r.numTotalTests === 0) { console.error("no test ran"); process.exit(1) }
    console.log(`summary: ${r.numPassedTests} tests`)' "$out/vitest.json" "$out/counts/vitest"
}

windows_programs() {
  build_windows
  local f
  for f in bin/mutsumi.exe bin/mutsumi-cli.exe; do
    # "MZ", and at the offset that byte 60 gives "PE" and the machine: x86-64.
    node -e '
      const b = require("fs").readFileSync(process.argv[1]); const at = b.readUInt32LE(60);
      if (b.toString("latin1", 0, 2) !== "MZ" || b.toString("latin1", at, at + 4) !== "PE\0\0" || b.readUInt16LE(at + 4) !== 0x8664) {
        console.error(process.argv[1] + " is no Windows program"); process.exit(1) }' "$f"
  done
  echo "summary: $(du -m bin/mutsumi.exe | cut -f1) MB"
}

window_binary() {
  build_window
  echo "summary: $(du -m bin/mutsumi | cut -f1) MB"
}

in_browser() { bash scripts/nodetests.sh "$out" browser frontend/e2e/*.test.mjs; }

# The X server, the message bus and the accessibility switches are those of this run alone.
in_window() {
  export GTK_A11Y=none NO_AT_BRIDGE=1 GDK_BACKEND=x11
  export MUTSUMI_SCREEN=$out/screen
  mkdir -p "$MUTSUMI_SCREEN"
  xvfb-run -a -s "-screen 0 1280x900x24 -nolisten tcp -fbdir $MUTSUMI_SCREEN" dbus-run-session -- \
    bash scripts/nodetests.sh "$out" window frontend/e2e/window/*.test.mjs
}

section "System packages" bash scripts/install.sh test
section "Interface packages" npm_install
section "gofmt" formatted
section "Scripts" scripts_parse
section "Interface build" vite_build
section "go vet" go vet ./...
section "Bindings fresh" bindings
section "Go tests (-race)" go_tests
section "Without WebKit: build, vet" without_webkit
section "svelte-check" npm --prefix frontend run --silent check
section "ESLint" npm --prefix frontend run --silent lint
section "Interface tests" interface_tests
section "Window program" window_binary
section "Windows programs" windows_programs
if [ "$(system)" = linux ]; then
  section "End to end: browser" in_browser
  section "End to end: real window" in_window
else
  echo "== The end-to-end tests run on Linux only."
fi
printf '\nAll of it in %d min %d s.\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60))
finish 0
