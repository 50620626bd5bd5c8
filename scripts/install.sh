#!/usr/bin/env bash
# Installs what the system lacks: `install.sh build` for the window, `install.sh test` for the tests
# as well. It uses apt on Debian and Ubuntu, and elsewhere lists what is missing. It asks for no
# password: it works as root or with a sudo that needs none, and otherwise prints the line to run.
. "$(dirname "$0")/steps.sh"

build_packages=(gcc libc6-dev pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev)
test_packages=(xvfb xauth xdotool xclip dbus webkit2gtk-driver at-spi2-core fonts-noto-cjk)

main() {
  case ${1:-} in
    build | test) ;;
    *) die "usage: scripts/install.sh build|test" ;;
  esac
  case $(system) in
    linux) linux "$1" ;;
    macos) macos "$1" ;;
    windows) windows ;;
    *) die "Unknown system $(uname -s): only Linux, macOS and Windows are supported." ;;
  esac
}

linux() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    by_hand "$1"
    return
  fi
  local wanted=("${build_packages[@]}") missing=() p
  if [ "$1" = test ]; then
    wanted+=("${test_packages[@]}")
    browser || wanted+=("$(browser_package)")
  fi
  for p in "${wanted[@]}"; do
    installed "$p" || missing+=("$p")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local sudo=()
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      sudo=(sudo -n)
    else
      die "These packages are missing. Install them with
  sudo apt-get update && sudo apt-get install --no-install-recommends -y ${missing[*]}
then run this again."
    fi
  fi
  echo "Installing ${missing[*]} ..."
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
  local log
  log=$(mktemp)
  # An existing list of packages may be old: it is updated only if the install fails.
  if ! known "${missing[@]}" || ! "${apt[@]}" install --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    "${apt[@]}" update >>"$log" 2>&1 && "${apt[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 ||
      { tail -n 40 "$log" >&2; die "apt-get could not install: ${missing[*]}"; }
  fi
  rm -f "$log"
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]; }

known() { [ "$(apt-cache policy "$@" 2>/dev/null | grep -c 'Candidate: [^(]')" = $# ]; }

browser() {
  local b
  for b in "${MUTSUMI_CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$b" ] && command -v "$b" >/dev/null && return 0
  done
  return 1
}

# Debian has chromium without its own windows and menus, which takes less of the processor.
browser_package() {
  if grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then echo chromium-headless-shell; else echo chromium; fi
}

# by_hand is for a Linux without apt: it lists only what is really missing.
by_hand() {
  local missing=() c
  command -v gcc >/dev/null || missing+=("gcc")
  command -v pkg-config >/dev/null || missing+=("pkg-config")
  pkg-config --exists gtk+-3.0 2>/dev/null || missing+=("the GTK 3 development files")
  pkg-config --exists webkit2gtk-4.1 2>/dev/null || missing+=("the WebKitGTK 4.1 development files")
  if [ "$1" = test ]; then
    for c in Xvfb xauth xdotool xclip dbus-run-session WebKitWebDriver; do
      command -v "$c" >/dev/null || missing+=("$c")
    done
    browser || missing+=("chromium")
  fi
  [ ${#missing[@]} -eq 0 ] || die "Install with your system's package manager, then run this again:$(printf '\n  %s' "${missing[@]}")"
}

macos() {
  xcode-select -p >/dev/null 2>&1 || die "The Xcode command line tools are missing: run
  xcode-select --install
then run this again."
  [ "$1" = build ] || browser || [ -d "/Applications/Google Chrome.app" ] || [ -d /Applications/Chromium.app ] ||
    die "Chrome or Chromium is missing: install one of them, then run this again."
}

windows() {
  local key='HKLM\SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}'
  reg query "$key" >/dev/null 2>&1 ||
    echo "The WebView2 runtime was not found. Windows 11 has it; on Windows 10 install \"Microsoft Edge WebView2 Runtime\"." >&2
}

main "$@"
