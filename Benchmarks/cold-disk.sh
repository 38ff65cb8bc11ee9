# Sourced by the scripts here: a file system of its own, on a loop device whose read-ahead can be set, for cold launches.
# It needs root.
#
# mount_disk FOLDER makes the file system in a new folder, and sets $disk to the folder, or to nothing if that is not
# possible. read_ahead KIB sets the device's read-ahead. unmount_disk undoes it.
disk=
mount_disk() {
  mkdir "$1"
  if [[ $EUID == 0 ]] && truncate -s 512M "$1.image" && mkfs.ext4 -q "$1.image" &&
    disk_device=$(losetup -f --show "$1.image" 2>/dev/null); then
    if mount "$disk_device" "$1"; then disk=$1; else losetup -d "$disk_device"; fi
  fi
  [[ -n $disk ]] || echo "no loop device: cold figures are left out (root can make one)" >&2
}
read_ahead() { blockdev --setra $(($1 * 2)) "$disk_device"; }
unmount_disk() {
  [[ -z $disk ]] || { umount "$disk" && losetup -d "$disk_device"; }
}
