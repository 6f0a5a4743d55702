"""What tb/tools/bench runs."""
import dataclasses
import pathlib

from lib.common.complaint import Complaint, nearest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@dataclasses.dataclass(frozen=True)
class Load:
    """A run of `horae run` whose length is the value of one key."""
    name: str
    what: str
    platform: str               # below platforms/
    sets: tuple = ()            # KEY=VALUE, as --set takes it
    point: str = ""             # of the platform's sweep
    key: str = "sim.duration"   # what makes it longer ...
    unit: str = "us"
    counted: tuple = (60, 120)  # ... for instructions: their difference
    timed: int = 300            # ... for seconds
    empty: int = 1              # ... for what a run takes that simulates next to nothing

    def command(self, program, length):
        words = [str(program), "run", str(ROOT / "platforms" / self.platform), "--json", "--no-progress",
                 "--set", f"{self.key}={length} {self.unit}"]
        if self.key != "sim.duration" and length == self.empty:
            words[-1] = f"sim.duration={self.empty} us"
        for text in self.sets:
            words += ["--set", text]
        return words + (["--point", self.point] if self.point else [])


def race(nics, themis, counted, timed):
    """The race at one size; its runs end when all messages have."""
    return Load(f"race_{nics}" + ("_themis" if themis else ""),
                f"{nics:,} NICs, permutation of {timed} KiB each, " + ("Themis ToRs" if themis else "plain switches"),
                f"bench/race_{nics}.toml",
                ("leaf_spine.leaf=themis_tor", "nic.transport=rnic_sr") if themis else (),
                key="traffic[0].message", unit="KiB", counted=counted, timed=timed)


def spray(nics, counted, timed, sets=()):
    """REPS over spray_sr on the network of its paper."""
    return Load(f"reps_{nics}", f"{nics:,} NICs, permutation of {timed} KiB each, REPS over spray_sr", "reps.toml", sets,
                key="traffic[0].size", unit="KiB", counted=counted, timed=timed)


FABRIC = Load("fabric", "256 open-loop hosts, no transport", "leaf_spine_256.toml")
NIC = Load("nic", "256 NICs, timeout-only transport, ACKs", "leaf_spine_256_nic.toml")
THEMIS = Load("themis", "256 NICs, AllReduce, Themis on 16 Tofino2 ToRs", "themis_256.toml")
LOADS = {load.name: load for load in (
    FABRIC,
    NIC,
    dataclasses.replace(NIC, name="nic_sr", what="256 NICs, RNIC-SR with its NACKs", sets=("nic.transport=rnic_sr",)),
    THEMIS,
    dataclasses.replace(THEMIS, name="conweave", what="the same with ConWeave", sets=("leaf_spine.leaf=conweave_tor",)),
    Load("cx7", "the testbed: Tofino2, 4 NICs with their hosts, every NACK passed", "cx7_spray.toml",
         ("sim.sample=0 ps", "sim.warmup=0 ps"), point="1", counted=(300, 600), timed=6000, empty=10),
    Load("eunomia", "128 NICs, flows of a workload, DCQCN, PFC, Eunomia's bitmaps", "eunomia_clos.toml",
         ("sim.warmup=0 ps", "nic.ordering.engine=eunomia"), counted=(200, 400), timed=1000),
    race(128, False, (1024, 2048), 8192),
    race(128, True, (1024, 2048), 8192),
    race(1024, False, (128, 256), 2048),
    race(1024, True, (128, 256), 2048),
    race(4096, False, (64, 128), 2048),
    race(4096, True, (64, 128), 512),
    spray(128, (512, 1024), 8192),
    spray(1024, (128, 256), 2048, ("leaf_spine.leaves=32", "leaf_spine.spines=32", "leaf_spine.hosts_per_leaf=32")),
    Load("fat_tree_8192", "8,192 NICs on a three-tier fat-tree, permutation of 1024 KiB each",
         "bench/fat_tree_8192.toml", key="traffic[0].message", unit="KiB", counted=(32, 64), timed=1024),
)}
GROUPS = ("race", "reps")
# horae replay of a capture: packets for packet-hops; by which of the loads of replay_load.
REPLAYS = {"replay": "forward", "p4": "p4", "p4_passes": "p4", "p4_bytecode": "p4", "p4_compiled": "p4_compiled"}

# Loads of --check: small networks, so that counting takes seconds.
SMALL = ("leaf_spine.leaves=4", "leaf_spine.spines=4", "leaf_spine.hosts_per_leaf=4")
CHECKED = (
    dataclasses.replace(FABRIC, sets=SMALL, counted=(50, 100)),
    dataclasses.replace(NIC, sets=SMALL, counted=(50, 100)),
    dataclasses.replace(LOADS["race_128_themis"], name="themis",
                        sets=LOADS["race_128_themis"].sets + ("leaf_spine.leaves=2", "leaf_spine.hosts_per_leaf=4"),
                        counted=(512, 1024)),
)


def find(names):
    """Loads by their names, those of REPLAYS as None; `race` and `reps` are all whose names begin so; without names all."""
    known = [*LOADS, *REPLAYS]
    found = {}
    for name in names or known:
        of_name = [name] if name in known else [one for one in LOADS if name in GROUPS and one.startswith(f"{name}_")]
        if not of_name:
            raise Complaint(f"unknown load '{name}'{nearest(name, [*known, *GROUPS])}")
        found.update({one: LOADS.get(one) for one in of_name})
    return found
