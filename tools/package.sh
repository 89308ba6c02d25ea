#!/usr/bin/env bash
# Makes build/package/hone_VERSION_ARCH.deb and build/package/hone-VERSION-linux-ARCH.tar.gz from what
# `cmake --install` installs, so that a file has one place that says where it goes. The same commit
# gives the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$PWD/build/package
version=$(sed -n 's/^project(hone VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
arch=$(dpkg --print-architecture)
name=hone-$version-linux-$arch
# The time of every file: that of the last commit; outside of git, of the list of changes.
moment=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
export SOURCE_DATE_EPOCH=$moment

# The packages whose code is linked into ours, and so whose terms go with it.
linked=(libboost-dev libcli11-dev libgcc-12-dev libprotozero-dev libsqlite3-dev libssl-dev libstb-dev
  nlohmann-json3-dev zlib1g-dev)

# write_copyright FILE: our licence, ONNX Runtime's, and Debian's word on each library.
write_copyright() {
  local package
  {
    printf 'hone\n\n'
    cat LICENSE
    printf '\n\n'
    cat tools/package/onnxruntime.txt
    for package in "${linked[@]}"; do
      printf '\n\nLinked into hone, libhone.so and libhone_ep.so: what Debian says of %s\n\n' "$package"
      cat "/usr/share/doc/$package/copyright"
    done
  } >"$1"
}

# stage PREFIX: all that is installed, below it.
stage() {
  cmake --install build/release --prefix "$1" >"$out/install.log"
  [ -f "$1/lib/hone/libonnxruntime.so.1" ] || {
    printf 'package: there is no ONNX Runtime to put beside hone\n  try: make package without HONE_ORT\n' >&2
    exit 1
  }
  write_copyright "$1/share/doc/hone/copyright"
}

# The programs and libraries below a folder.
elf_files() {
  find "$1" -type f | while IFS= read -r file; do
    if [ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ]; then printf '%s\n' "$file"; fi
  done
}

# What these files load, as the packages it comes from: libc6 (>= 2.36), ...
needs_of() {
  local place files
  place=$(mktemp -d)
  mkdir "$place/debian"
  printf 'Source: hone\n\nPackage: hone\nArchitecture: any\n' >"$place/debian/control"
  mapfile -t files < <(elf_files "$1")
  (cd "$place" && dpkg-shlibdeps --ignore-missing-info -O -l"$1/usr/lib" -l"$1/usr/lib/hone" \
    "${files[@]}" 2>>"$out/shlibdeps.log") | sed 's/^shlibs:Depends=//'
  rm -r "$place"
}

make_deb() {
  local root=$out/deb
  stage "$root/usr"
  mkdir -p "$root/DEBIAN"
  cat >"$root/DEBIAN/control" <<END
Package: hone
Version: $version
Architecture: $arch
Maintainer: the authors of hone <hone@localhost>
Section: science
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: $(needs_of "$root")
Recommends: ca-certificates, libcurl4
Suggests: espeak-ng, fonts-dejavu-core
Description: takes an ONNX model to the best build for a device, and proves it
 Analyzes, optimizes, quantizes, compiles, measures, traces, debugs, searches,
 sweeps and publishes, for any execution provider of ONNX Runtime, which comes
 with it. Registries are spoken to through libcurl.
END
  # Libraries for others to link are found once the loader has been told of them.
  if compgen -G "$root/usr/lib/*.so*" >/dev/null; then
    printf 'activate-noawait ldconfig\n' >"$root/DEBIAN/triggers"
  fi
  find "$root" -exec touch -h -d "@$moment" {} +
  dpkg-deb --root-owner-group -Zxz --build "$root" "$out/hone_${version}_$arch.deb" >"$out/deb.log"
}

make_tar() {
  stage "$out/$name"
  tar -C "$out" --sort=name --mtime="@$moment" --owner=0 --group=0 --numeric-owner -c "$name" |
    gzip -n -9 >"$out/$name.tar.gz"
}

# "build/package/x.deb 17.3 MB"
say_size() {
  printf 'package: %s %s\n' "${1#"$PWD/"}" "$(stat -c %s "$1" | awk '{printf "%.1f MB", $1 / 1e6}')"
}

umask 022
rm -rf "$out"/deb "$out"/hone-* "$out"/*.deb "$out"/*.log
mkdir -p "$out"
make_deb
make_tar
say_size "$out/hone_${version}_$arch.deb"
say_size "$out/$name.tar.gz"
