# Shell functions for the scripts in this folder; source it, do not run it. It changes to the
# project's root folder and stops at the first error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The folder into which `go install` puts Go if PATH is not set.
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin:/usr/lib/go/bin

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

system() {
  case $(uname -s) in
    Linux) echo linux ;;
    Darwin) echo macos ;;
    MINGW* | MSYS* | CYGWIN*) echo windows ;;
    *) uname -s ;;
  esac
}

# need_toolchain: Go and Node are the two things that no script here installs.
need_toolchain() {
  command -v go >/dev/null || die "Go is missing: install Go 1.26 or newer from your system or https://go.dev/dl, then run this again."
  command -v node >/dev/null || die "Node is missing: install Node 20.19 or newer with npm, then run this again."
  command -v npm >/dev/null || die "npm is missing: install it (it comes with Node), then run this again."
  node -e 'const [a,b]=process.versions.node.split(".").map(Number); process.exit(a>20||(a===20&&b>=19)?0:1)' ||
    die "Node $(node --version) is too old: 20.19 or newer is needed."
}

# npm_install installs the interface's packages when package-lock.json or Node
# is another one than at the last time.
npm_install() {
  local stamp=frontend/node_modules/.mutsumi-stamp now
  now="$(node --version) $(sum <frontend/package-lock.json)"
  if [ "$(cat "$stamp" 2>/dev/null || true)" != "$now" ]; then
    echo "Installing the interface's packages (npm ci) ..."
    (cd frontend && npm ci --no-audit --no-fund --loglevel=error)
    printf '%s' "$now" >"$stamp"
  fi
}

sum() { node -e 'const h=require("crypto").createHash("sha256");process.stdin.on("data",d=>h.update(d)).on("end",()=>process.stdout.write(h.digest("hex")))'; }

# vite_build makes frontend/dist when one of the files it is made from changed.
vite_build() {
  local stamp=frontend/node_modules/.mutsumi-dist now
  now=$(find frontend/src frontend/wailsjs frontend/public frontend/index.html frontend/*.json frontend/*.ts frontend/*.js \
    -type f 2>/dev/null | LC_ALL=C sort | while read -r f; do printf '%s ' "$f" && cat "$f"; done | sum)
  if [ ! -f frontend/dist/index.html ] || [ "$(cat "$stamp" 2>/dev/null || true)" != "$now" ]; then
    (cd frontend && npm run --silent build -- --logLevel warn)
    [ -f frontend/dist/.gitkeep ] || : >frontend/dist/.gitkeep
    printf '%s' "$now" >"$stamp"
  fi
}

# stamp prints the programs' commit (backend/version): tag, commit, time and whether files differ
# from it. Outside a repository it prints nothing.
stamp() {
  local changed=''
  git rev-parse -q --verify HEAD >/dev/null 2>&1 || return 0
  [ -z "$(git status --porcelain 2>/dev/null | head -c 1)" ] || changed=changed
  printf '%s,%s,%s' "$(git describe --tags --exact-match --match 'v*' 2>/dev/null || true)" \
    "$(TZ=UTC0 git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%H,%cd)" "$changed"
}

# linked prints the flags for the Go linker that all programs have.
linked() { printf -- '-w -s -X mutsumi/backend/version.stamp=%s' "$(stamp)"; }

# build_window makes bin/mutsumi with the window of this system.
build_window() {
  mkdir -p bin
  case $(system) in
    linux) go build -trimpath -tags desktop,production,webkit2_41 -ldflags "$(linked)" -o bin/mutsumi . ;;
    macos) CGO_LDFLAGS="-framework UniformTypeIdentifiers" go build -trimpath -tags desktop,production -ldflags "$(linked)" -o bin/mutsumi . ;;
    windows) build_windows ;;
    *) die "There is no window for $(system); \`go run . serve\` serves the interface to a browser." ;;
  esac
}

# build_plain makes bin/mutsumi-plain: the command line and `serve`, without a
# window and without a C compiler.
build_plain() {
  mkdir -p bin
  CGO_ENABLED=0 go build -trimpath -ldflags "$(linked)" -o bin/mutsumi-plain .
}

# build_windows cross-builds both Windows programs. A program that has a
# window has no console there, so the command line is a program of its own.
build_windows() {
  mkdir -p bin
  GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -trimpath -tags desktop,production -ldflags "$(linked) -H windowsgui" -o bin/mutsumi.exe .
  GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -trimpath -ldflags "$(linked)" -o bin/mutsumi-cli.exe .
}

# bundle PROGRAM TARGET: the layout of a macOS application around a program.
bundle() {
  mkdir -p "$2/Contents/MacOS" "$2/Contents/Resources"
  cp build/darwin/Info.plist "$2/Contents/"
  cp build/darwin/icon.icns "$2/Contents/Resources/"
  install -m 755 "$1" "$2/Contents/MacOS/mutsumi"
}

# has_display reports whether a window can be opened here.
has_display() { [ "$(system)" != linux ] || [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }
