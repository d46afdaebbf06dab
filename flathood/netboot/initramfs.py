# SPDX-License-Identifier: Apache-2.0
"""What a machine does between its kernel's start and its own system: find its disk, and fill it the first time.

Both are shell, for initramfs-tools(7): a hook that says which programs go into the initial file system, and the boot
script ``flathood`` (``boot=flathood`` on the kernel's command line). The command line says where the image is
(``flathood.url``), the NIC and address that the firmware had (``flathood.nic``, ``flathood.ip``), and, where there
is a choice, the disk (``flathood.disk``).
"""

from __future__ import annotations

#: Label of a disk that is complete, and of one that is being filled.
LABEL = "flathood"
FILLING = "flathood-new"

#: Where the hook puts programs of which the shell there, busybox, has lesser ones that it prefers to any on the PATH.
OWN = "/usr/lib/flathood"

HOOK = f"""\
#!/bin/sh
# Programs that the boot script `flathood` needs.
[ "$1" != prereqs ] || exit 0
. /usr/share/initramfs-tools/hook-functions
mkdir -p "$DESTDIR{OWN}"
for program in blkid ip lz4 mke2fs tar tune2fs; do
  copy_exec "$(command -v $program)" {OWN}
done
copy_file config /etc/mke2fs.conf
"""

# A disk that holds anything is never written to. The label comes last, so that a disk that was being filled when the
# power went is filled anew. `panic` waits and boots again, as the command line has panic=SECONDS.
SCRIPT = f"""\
# The root file system is on the disk that is labelled so; an empty disk is filled from the head first.
argument() {{
  for word in $(cat /proc/cmdline); do
    case "$word" in "$1="*) echo "${{word#*=}}" ;; esac
  done
}}

say() {{
  echo "flathood: $*" >/dev/console
}}

empty_disks() {{
  for device in /sys/block/*; do
    name=$(basename "$device" | tr '!' /)
    case "$name" in loop*|ram*|sr*|fd*|zram*|dm-*|md*) continue ;; esac
    [ "$(cat "$device/removable")" = 0 ] && [ "$(cat "$device/size")" -gt 0 ] || continue
    kind=$({OWN}/blkid -p -s LABEL -s TYPE -s PTTYPE -o export "/dev/$name" 2>/dev/null)
    # 2: there is nothing on it. Anything else, also what blkid cannot make out, is somebody's.
    case "$?:$kind" in 2:*|0:*LABEL={FILLING}*) echo "/dev/$name" ;; esac
  done
}}

join_network() {{
  for nic in /sys/class/net/*; do
    [ "$(cat "$nic/address")" = "$(argument flathood.nic)" ] || continue
    nic=$(basename "$nic")
    {OWN}/ip link set dev "$nic" up
    {OWN}/ip address add "$(argument flathood.ip)" dev "$nic"
    return
  done
  panic "flathood: no NIC has the MAC $(argument flathood.nic): has this kernel a driver for it?"
}}

fill() {{
  url=$(argument flathood.url)
  modprobe -q af_packet
  join_network
  say "an empty disk, $1: it gets the root image of $url"
  {OWN}/mke2fs -q -F -t ext4 -L {FILLING} "$1" || panic "flathood: $1 cannot be formatted"
  mount -t ext4 "$1" "$rootmnt" || panic "flathood: $1 cannot be mounted"
  tries=0
  until wget -q -O "$rootmnt/root.tar.lz4" "$url/root.tar.lz4" &&
    wget -q -O "$rootmnt/root.sha256" "$url/root.sha256" &&
    (cd "$rootmnt" && sha256sum -c root.sha256 >/dev/null); do
    tries=$((tries + 1))
    [ $tries -lt 20 ] || panic "flathood: $url/root.tar.lz4 cannot be had whole"
    sleep 3
  done
  {OWN}/lz4 -q -dc "$rootmnt/root.tar.lz4" | {OWN}/tar -x --numeric-owner --xattrs --xattrs-include='*' -C "$rootmnt" ||
    panic "flathood: the root image cannot be unpacked: is the disk too small?"
  rm "$rootmnt/root.tar.lz4" "$rootmnt/root.sha256"
  umount "$rootmnt"
  # The machine's own system names and sets up its NICs: it has to find them as after any other boot.
  {OWN}/ip address flush dev "$nic"
  {OWN}/ip link set dev "$nic" down
  {OWN}/tune2fs -L {LABEL} "$1" >/dev/null || panic "flathood: $1 cannot be labelled"
  say "$1 is filled"
}}

mountroot() {{
  modprobe -q ext4
  wait_for_udev 10
  tries=0
  until disk=$({OWN}/blkid -L {LABEL}) || [ -n "$(empty_disks)" ]; do
    tries=$((tries + 1))
    [ $tries -lt 30 ] || panic "flathood: there is no disk that is empty, and none that was filled before"
    sleep 1
  done
  if [ -z "$disk" ]; then
    disk=$(argument flathood.disk)
    candidates=$(empty_disks)
    [ -n "$disk" ] || disk=$candidates
    case " $(echo $candidates) " in
      *" $disk "*) fill "$disk" ;;
      *) panic "flathood: which disk is to be filled? Empty: $(echo $candidates); set head_netboot_disk" ;;
    esac
  fi
  mount -t ext4 -o ro "$disk" "$rootmnt" || panic "flathood: $disk cannot be mounted"
}}
"""
