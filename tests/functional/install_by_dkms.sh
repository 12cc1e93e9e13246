#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# guest: stock
# long
# On a clean Debian 12 `make dkms-install` is enough: DKMS builds the module, `ktrc-ctl run`
# loads it and prints a summary, udev gives the device to its group; asking netlink for the
# family loads it too, and loaded it is attached to nothing.  DKMS passes over kernels that
# ktrc is not for, by release or configuration.  A release that does not build changes nothing;
# one that does replaces the one before, also while that records: the session goes on, and the
# tools of the other ABI say so, with both numbers.  `make dkms-remove uninstall` leaves no
# file, directory or group behind.
. tests/functional/lib.sh
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
programs=$PWD/build/functional
log=/run/log

# Every file but those of the package manager, of logs and of root.
files() {
	find / -xdev \( -path /root -o -path /tmp -o -path /var/tmp -o -path /var/log -o -path /var/cache \
		-o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /run -o -path /dev \
		-o -path /proc -o -path /sys \) -prune -o -printf '%p %y %m %U %G %l\n' | sort
	getent group
}

make_here() {
	make "$@" >$log 2>&1 || fail "make $*: $?: $(tail -n 20 $log)"
}

take_back() {
	make_here dkms-remove
	make_here uninstall
	files | diff /root/before - >$log || fail "left behind or gone: $(head -n 20 $log)"
}

# is_installed VERSION: it and no other, module and tools
is_installed() {
	expect "DKMS's status" "$(dkms status ktrc)" "ktrc/$1, $kernel, x86_64: installed"
	expect "sources" "$(echo /usr/src/ktrc-*)" "/usr/src/ktrc-$1"
	expect "version of the module" "$(modinfo -k "$kernel" -F version ktrc)" "$1"
	expect "version of the tools" "$(ktrc-ctl --version | grep -o '[0-9]*\.[0-9]*\.[0-9]*' | head -n 1)" "$1"
}

unsuitable_kernels_are_skipped() {
	local here=/lib/modules/$kernel/build other
	mkdir -p /lib/modules/6.12.0-other /lib/modules/6.1.0-small/build
	ln -s "$here" /lib/modules/6.12.0-other/build
	ln -s "$here/Makefile" /lib/modules/6.1.0-small/build
	grep -v '^CONFIG_MEMCG=' "$here/.config" >/lib/modules/6.1.0-small/build/.config
	for other in 6.12.0-other 6.1.0-small; do
		install/dkms install $other >$log 2>&1 || fail "$other is not skipped: $(tail -n 5 $log)"
		dkms autoinstall -k $other >$log 2>&1 || fail "$other fails: $(tail -n 5 $log)"
		! dkms status ktrc -k $other | grep installed || fail "it was built for $other"
		rm -r /lib/modules/$other
	done
}

# A release of another version and ABI.
make_other() {
	cp -r /root/ktrc /root/other
	cd /root/other || fail "no copy"
	sed -i "s/$version/9.0.0/" dkms.conf kmod/main.c userspace/Makefile
	sed -i 's/^#define KTRC_ABI .*/#define KTRC_ABI 99/' uapi/ktrc.h
}

installed() {
	(cd / && md5sum "lib/modules/$kernel/updates/dkms/ktrc.ko" usr/local/bin/ktrc-*)
}

# fails_to_build TREE: installing it fails and changes nothing
fails_to_build() {
	local before
	before=$(installed)
	cd "$1" || fail "no $1"
	echo '#error' >>kmod/main.c
	! make dkms-install >$log 2>&1 || fail "a module that cannot be built was installed: $(cat $log)"
	sed -i '$d' kmod/main.c
	is_installed "$version"
	expect "what was installed before" "$(installed)" "$before"
}

# In a chroot, where compiling takes seconds: all but what needs the kernel to run.
prepare() {
	mkdir /root/ktrc
	tar -c --exclude ./.git --exclude '*.o' --exclude '*.ko' --exclude '.*.cmd' --exclude ./build \
		--exclude ./userspace/build --exclude './userspace/ktrc-[cr]*[dl]' . |
		tar -x -C /root/ktrc || fail "no copy of the tree"
	cd /root/ktrc || fail "no copy"
	kernel=$(ls /lib/modules) version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
	# depmod reads all there are, for a minute in a guest
	rm -r "/lib/modules/$kernel/kernel/"{drivers,sound,fs}
	depmod "$kernel"
	files >/root/before

	make_here tools
	PATH=/usr/local/bin:/usr/bin:/bin install/files install || fail "installing with the PATH of su: $?"
	getent group ktrc >/dev/null || fail "there is no group ktrc"
	unsuitable_kernels_are_skipped
	take_back
	note "passed over and taken back after $SECONDS s"

	make_other
	make_here dkms-install
	is_installed 9.0.0
	note "DKMS has built it after $SECONDS s"
	cp "/lib/modules/$kernel/updates/dkms/ktrc.ko" /root/other.ko
	# from now on what DKMS builds of it is what it has built of it
	echo 'MAKE[0]="cp /root/other.ko ktrc.ko"' >>dkms.conf
	make_here dkms-install
	is_installed 9.0.0
	cmp /root/other.ko "/lib/modules/$kernel/updates/dkms/ktrc.ko" || fail "the same release again is another module"

	cd /root/ktrc || fail "no copy"
	make_here dkms-install
	is_installed "$version"
	sed -i '/^MAKE/d' /root/other/dkms.conf
	fails_to_build /root/other
	fails_to_build /root/ktrc
	cd /root/other && echo 'MAKE[0]="cp /root/other.ko ktrc.ko"' >>dkms.conf
	make_here tools
	note "all releases built after $SECONDS s"
}

if [ "${1:-}" = prepare ]; then
	prepare
	exit
fi

kernel=$(uname -r) version=$(modinfo -F version ktrc)
mine=/root/ktrc/userspace/ktrc-ctl
/lib/systemd/systemd-udevd --daemon
modinfo -F filename ktrc | grep "^/lib/modules/$kernel/updates/dkms/ktrc.ko" >/dev/null ||
	fail "the module: $(modinfo ktrc 2>&1); $(dkms status)"

[ ! -d /sys/module/ktrc ] || fail "the module is loaded before anybody asked for it"
"$programs/tracepoints_used" | sort >/run/used
expect "asking netlink for the family" "$("$programs/genl_family")" found
[ -d /sys/module/ktrc ] || fail "the module is not loaded"
expect "probes of the module that nobody uses" "$(</sys/kernel/debug/kprobes/list)" ""
"$programs/tracepoints_used" | sort | diff /run/used - >$log || fail "it is attached to $(cat $log)"
rmmod ktrc || fail "rmmod"

while sleep 0.2; do /bin/true; done &
load=$!
ktrc-ctl run 2s >$log 2>&1 || fail "run: $?: $(cat $log)"
grep -q '^check *books balance' $log || fail "run prints no summary: $(cat $log)"
udevadm settle
expect "the device's owner and mode" "$(stat -c '%U:%G %a' /dev/ktrc)" "root:ktrc 640"
note "used after $SECONDS s"

abi=$(modinfo -F abi ktrc)
ktrc-ctl start --events=fault.light:count --memory=4M 2>/dev/null || fail "start: $?"
[ "$("$programs/tracepoints_used" | sort | comm -13 /run/used -)" != "" ] || fail "a session is attached to nothing"
cd /root/other || fail "no other release"
make_here dkms-install
is_installed 9.0.0
ktrc-ctl status >$log 2>&1
expect "exit code of a tool of another ABI" $? 7
grep -q "module has ABI $abi.* this tool ABI 99 " $log || fail "it says: $(cat $log)"
hits() {
	$mine stats | awk '$1 == "fault.light" { sum += $4 } END { print sum }'
}
before=$(hits)
sleep 1
[ "$(hits)" -gt "$before" ] || fail "the session does not go on: $before, then $(hits): $($mine status)"
kill $load
ktrc-ctl reset || fail "reset by the new tool: $?"
note "a new release came in after $SECONDS s"

rmmod ktrc || fail "rmmod"
modprobe ktrc || fail "modprobe"
ktrc-ctl list >$log 2>&1 || fail "the new release: $?: $(cat $log)"
rmmod ktrc || fail "rmmod"
take_back
