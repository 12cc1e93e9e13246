#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: stock
# timeout: 1200
# On a clean Debian 12 `make dkms-install` is enough: DKMS builds the module, `ktrc-ctl run`
# loads it and prints a summary, udev gives the device to its group.  DKMS passes over
# kernels that ktrc is not for, by release or configuration.  A tool of another ABI says so, with both numbers, and harms
# no session.  `make dkms-remove uninstall` leaves no file, directory or group behind.
. tests/functional/lib.sh
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
other=$PWD/build/functional/other-abi/userspace/ktrc-ctl
log=/run/log

# Every file but those of the package manager, of logs and of the tree itself.
files() {
	find / -xdev \( -path /root -o -path /tmp -o -path /var/tmp -o -path /var/log -o -path /var/cache \
		-o -path /var/lib/dpkg -o -path /var/lib/apt \) -prune -o -printf '%p %y %m %U %G %l\n' | sort
	getent group
}

make_here() {
	make "$@" >$log 2>&1 || fail "make $*: $?: $(tail -n 20 $log)"
}

take_back() {
	make_here dkms-remove
	make_here uninstall
	files | diff /run/before - >$log || fail "left behind or gone: $(head -n 20 $log)"
}

# The tools are built already: their compiler would take minutes here.
mkdir /root/ktrc
tar -c --exclude ./.git --exclude './*.ko' --exclude '*.o.cmd' --exclude ./build . | tar -x -C /root/ktrc
/lib/systemd/systemd-udevd --daemon
cd /root/ktrc || fail "no copy"
files >/run/before

PATH=/usr/local/bin:/usr/bin:/bin install/files install || fail "installing with the PATH of su: $?"
getent group ktrc >/dev/null || fail "there is no group ktrc"
here=/lib/modules/$(uname -r)/build
mkdir -p /lib/modules/6.12.0-other /lib/modules/6.1.0-small/build
ln -s "$here" /lib/modules/6.12.0-other/build
ln -s "$here/Makefile" /lib/modules/6.1.0-small/build
grep -v '^CONFIG_MEMCG=' "$here/.config" >/lib/modules/6.1.0-small/build/.config
for kernel in 6.12.0-other 6.1.0-small; do
	install/dkms install $kernel >$log 2>&1 || fail "$kernel is not skipped: $(tail -n 5 $log)"
	dkms autoinstall -k $kernel >$log 2>&1 || fail "$kernel fails: $(tail -n 5 $log)"
	! dkms status ktrc -k $kernel | grep installed || fail "it was built for $kernel"
	rm -r /lib/modules/$kernel
done
take_back

make_here dkms-install
modinfo -F filename ktrc | grep -q "^/lib/modules/$(uname -r)/updates/dkms/ktrc.ko" ||
	fail "the module: $(modinfo ktrc 2>&1); $(dkms status)"
note "DKMS has built it after $SECONDS s"
while true; do /bin/true; done &
ktrc-ctl run 2s >$log 2>&1 || fail "run: $?: $(cat $log)"
kill $!
grep -q '^check *books balance' $log || fail "run prints no summary: $(cat $log)"
udevadm settle
expect "the device's owner and mode" "$(stat -c '%U:%G %a' /dev/ktrc)" "root:ktrc 640"

abi=$(modinfo -F abi ktrc)
ktrc-ctl start --memory=4M 2>/dev/null || fail "start: $?"
$other status >$log 2>&1
expect "exit code of a tool of another ABI" $? 7
grep -q "module has ABI $abi.* this tool ABI 99 " $log || fail "it says: $(cat $log)"
install/files install || fail "installing the tools again: $?"
ktrc-ctl status >$log 2>&1 || fail "the session is gone: $?: $(cat $log)"
ktrc-ctl reset || fail "reset: $?"

rmmod ktrc || fail "rmmod"
take_back
