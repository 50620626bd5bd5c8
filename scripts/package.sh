#!/usr/bin/env bash
# make package: makes the packages for users, in bin/packages. On Linux these are a Debian package,
# a tarball and the zip for Windows; on macOS a zip of its application. The same commit makes the
# same bytes.
#
# usage: scripts/package.sh [--fast] [--programs FOLDER] [FOLDER]
#   --fast: less compression; --programs: packs those of a folder, for the test
. "$(dirname "$0")/steps.sh"
umask 022
export LC_ALL=C TZ=UTC0 ZERO_AR_DATE=1

effort=6
programs=''
[ "${1:-}" != --fast ] || { effort=0 && shift; }
[ "${1:-}" != --programs ] || { programs=$2 && shift 2; }
out=${1:-bin/packages}

# field NAME: a field of the program's build (`mutsumi version --json`).
field() { bin/mutsumi-plain version --json | node -e 'process.stdout.write(String(JSON.parse(require("fs").readFileSync(0, "utf8"))[process.argv[1]]))' "$1"; }

main() {
  if [ -z "$programs" ]; then
    need_toolchain
    npm_install
    vite_build
    build_plain
  fi
  version=$(field package)
  local made
  made=$(field time)
  epoch=$(node -e 'process.stdout.write(String(Math.floor((Date.parse(process.argv[1]) || Date.UTC(1980, 0, 1)) / 1000)))' "$made")
  export SOURCE_DATE_EPOCH=$epoch
  day=$(node -e 'process.stdout.write(new Date(process.argv[1] * 1000).toISOString().slice(0, 10))' "$epoch")
  rm -rf "$out"
  mkdir -p "$out"
  stage=$(mktemp -d)
  trap 'rm -rf "$stage"' EXIT
  case $(system) in
    linux)
      if [ -z "$programs" ]; then
        bash scripts/install.sh build
        build_window
        build_windows
      fi
      linux_files
      deb
      tarball
      windows_zip
      ;;
    macos)
      bash scripts/install.sh build
      build_window
      macos_zip
      ;;
    windows)
      build_windows
      windows_zip
      ;;
    *) die "Packages are made on Linux, macOS and Windows." ;;
  esac
  (cd "$out" && ls -l)
}

# linux_files stages the files of both the Debian package and the tarball.
linux_files() {
  files=$stage/linux
  local share=$files/share doc=$files/share/doc/mutsumi
  mkdir -p "$share/applications" "$share/mime/packages" "$share/man/man1" "$doc"
  install -D -m 755 "${programs:-bin}/mutsumi" "$files/bin/mutsumi"
  install -m 644 build/linux/mutsumi.desktop "$share/applications/"
  install -m 644 build/linux/mutsumi.xml "$share/mime/packages/"
  node scripts/package.mjs icons "$share/icons/hicolor"
  node scripts/package.mjs manual bin/mutsumi-plain "$day" | gzip -9n >"$share/man/man1/mutsumi.1.gz"
  gzip -9n <CHANGELOG.md >"$doc/changelog.gz"
  node scripts/package.mjs licences -tags desktop,production,webkit2_41 >"$doc/copyright"
}

# needed prints the packages of the libraries that a program is linked with.
# A system newer than Debian 12 gives some of them the ending t64 and the old
# name too: the old one fits both.
needed() {
  local library path owner libc
  libc=$(readelf -V "$1" | grep -o 'GLIBC_2[.0-9]*' | cut -d_ -f2 | sort -uV | tail -n 1)
  echo "libc6 (>= $libc)"
  readelf -d "$1" | sed -n '/\[libc\.so/d; s/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r library; do
    path=$(ldconfig -p | awk -v l="$library" '$1 == l { print $NF; exit }')
    owner=$(dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "$(readlink -f "$path")") ||
      die "No package owns $library ($path): install it as a package, then run this again."
    owner=${owner%%:*}
    echo "${owner%t64}"
  done | sort -u
}

deb() {
  command -v dpkg-deb >/dev/null || { echo "dpkg-deb is missing: no Debian package is made." && return; }
  local tree=$stage/deb arch list
  arch=$(dpkg --print-architecture)
  mkdir -p "$tree/DEBIAN"
  cp -R "$files" "$tree/usr"
  list=$(needed "${programs:-bin}/mutsumi")
  (cd "$tree" && find usr -type f | sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
  cat >"$tree/DEBIAN/control" <<CONTROL
Package: mutsumi
Version: ${version//-/\~}
Architecture: $arch
Maintainer: The Mutsumi authors <authors@mutsumi.invalid>
Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f1)
Depends: $(printf '%s' "$list" | paste -sd, | sed 's/,/, /g')
Recommends: git, xdg-utils
Suggests: gnome-keyring
Section: devel
Priority: optional
Description: Work with several LLM agents at once on a folder of files
 Every agent is a notebook: a plain-text file of prompts and answers that can
 be read, edited, run again, compared and committed. A call that changes a file
 or runs a command waits for approval and shows its effect.
CONTROL
  same_time "$tree"
  dpkg-deb --root-owner-group -Zxz -z$effort --build "$tree" "$out/mutsumi_${version//-/\~}_$arch.deb" >/dev/null
}

tarball() {
  local name=mutsumi-$version-linux-$(uname -m)
  cp -R "$files" "$stage/$name"
  install -m 755 "${programs:-bin}/mutsumi-plain" "$stage/$name/bin/"
  install -m 644 build/linux/INSTALL.md "$stage/$name/"
  same_time "$stage/$name"
  tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf - "$name" | xz -$effort -T1 >"$out/$name.tar.xz"
}

windows_zip() {
  local name=mutsumi-$version-windows-amd64
  mkdir -p "$stage/zip/$name"
  install -m 755 "${programs:-bin}/mutsumi.exe" "${programs:-bin}/mutsumi-cli.exe" "$stage/zip/$name/"
  install -m 644 build/windows/INSTALL.md CHANGELOG.md "$stage/zip/$name/"
  GOOS=windows CGO_ENABLED=0 node scripts/package.mjs licences -tags desktop,production >"$stage/zip/$name/LICENCES.txt"
  node scripts/package.mjs zip "$stage/zip" "$out/$name.zip" "$epoch"
}

macos_zip() {
  local name=mutsumi-$version-macos-$(uname -m)
  bundle bin/mutsumi "$stage/zip/$name/Mutsumi.app"
  install -m 644 CHANGELOG.md "$stage/zip/$name/"
  node scripts/package.mjs licences -tags desktop,production >"$stage/zip/$name/LICENCES.txt"
  node scripts/package.mjs zip "$stage/zip" "$out/$name.zip" "$epoch"
}

# same_time gives everything in a folder the time of the commit.
same_time() { find "$1" -exec touch -h -d "@$epoch" {} +; }

main
