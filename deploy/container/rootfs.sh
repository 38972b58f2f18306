#!/bin/sh
# rootfs.sh PROGRAM: makes /rootfs, all that PROGRAM needs from an operating system, and the empty folder
# /empty. Runs in the build stage, on Debian as root.
set -eu
program=$1

if ! command -v strip >/dev/null || ! test -f /etc/ssl/certs/ca-certificates.crt; then
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends binutils ca-certificates
fi

mkdir -p /empty /rootfs/etc/ssl/certs /rootfs/tmp "/rootfs$(dirname "$program")"
chmod 1777 /rootfs/tmp
strip --strip-all -o "/rootfs$program" "$program"

# The libraries, and the loader, at the paths by which they are looked for.
ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "/rootfs$(dirname "$library")"
  cp -L "$library" "/rootfs$library"
done

cp -L /etc/ssl/certs/ca-certificates.crt /rootfs/etc/ssl/certs/
echo 'smalti:x:10001:10001:smalti:/cache:/sbin/nologin' >/rootfs/etc/passwd
echo 'smalti:x:10001:' >/rootfs/etc/group
echo 'hosts: files dns' >/rootfs/etc/nsswitch.conf

# The licences of what is not in THIRD_PARTY_LICENSES.txt.
for copyright in /usr/share/doc/libc6/copyright /usr/share/doc/libgcc-s1/copyright \
  /usr/share/doc/libstdc++6/copyright /usr/share/doc/ca-certificates/copyright /usr/local/LICENSE; do
  test -f "$copyright" || continue
  mkdir -p "/rootfs$(dirname "$copyright")"
  cp -L "$copyright" "/rootfs$copyright"
done
