#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""ynl_client.py YNL SPEC: drives the module by the kernel's YNL client, which knows nothing
but docs/netlink.yaml, and prints what the module says."""
import mmap
import os
import sys
import time

YNL, SPEC = sys.argv[1:]
sys.path.insert(0, os.path.join(YNL, "tools/net/ynl"))
from lib import NlError, YnlFamily  # noqa: E402

PAGES = 1009
NAME = {"session": {"name": "spec"}}

ktrc, listener = (YnlFamily(SPEC, os.path.join(YNL, "Documentation/netlink/genetlink.yaml"))
                  for _ in range(2))
listener.ntf_subscribe("notices")


def show(what, values):
    print(what, *("%s=%s" % (k, sorted(v) if isinstance(v, set) else v)
                  for k, v in sorted(values.items())))


def state(value):
    ktrc.do("session-set", {"session": {"name": "spec", "state": value}})


schema = ktrc.dump("schema-get", {})
events = {m["event"]["label"]: m["event"] for m in schema if "event" in m}
fault = events["fault"]
show("event", {k: fault[k] for k in ("id", "name", "kind", "avail", "bytes", "rules")})
print("fields", *("%s:%d:%s" % (f["name"], f["width"], f["format"]) for f in fault["field"]))
print("values", *(m["value"]["name"] for m in schema
                  if m.get("value", {}).get("enum") == "fault_mode"))

ktrc.do("session-new", {"session": {
    "name": "spec", "mode": "stream", "events": 1 << fault["id"], "memory": 4 << 20,
    "packet-bytes": 8192, "pid": [1, os.getpid()], "max-seconds": 1000,
    "rule": [{"event": fault["id"], "flags": ["count", "user"], "min-ns": 5, "sample": 3}]}})
state("running")
memory = mmap.mmap(-1, PAGES * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(PAGES):
    memory[page * mmap.PAGESIZE] = 1
state("stopped")

session = ktrc.do("session-get", NAME)["session"]
session["pid"].remove(os.getpid())
rule, = session.pop("rule")
show("session", session)
show("rule", rule)
print("all sessions", *(m["session"]["name"] for m in ktrc.dump("session-get", {})))
rows = [m["counters"] for m in ktrc.dump("counters-get", NAME)]
total = {k: sum(r.get(k, 0) for r in rows)
         for k in ("hits", "written", "filtered", "lost-full", "lost-nest", "lost-recursion",
                   "lost-noring", "lost-missed")}
hist = sum(sum(r.get("hist", ())) for r in rows)
print("counters", len(rows), "rows, balance",
      total["hits"] - sum(v for k, v in total.items() if k != "hits"),
      "all pages", total["hits"] >= PAGES, "durations", hist >= PAGES,
      "buckets", *{len(r["hist"]) for r in rows if "hist" in r})
print("total", total["hits"], total["written"], total["filtered"])
print("cgroup", *(m["name"]["path"] for m in ktrc.dump("names-get", {})
                  if m["name"]["cgroup"] == 1))
sys.stdout.flush()
sys.stdin.readline()

ktrc.do("session-del", NAME)
try:
    ktrc.do("session-get", NAME)
except NlError as e:
    print("deleted, then", os.strerror(-e.nl_msg.error))
time.sleep(0.1)
listener.check_ntf()
for notice in listener.async_msg_queue:
    msg = notice["msg"]
    print(notice["name"], msg["notice"]["kind"], msg["session"]["name"],
          msg["session"]["stop-reason"], "lost", msg["notice"]["lost"])
