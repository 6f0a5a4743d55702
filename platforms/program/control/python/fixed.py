"""Tables of the chip beside those of the program: multicast, mirror sessions. What is not modelled takes every call."""
from horae_bfrt.fields import Data, Key
from horae_bfrt.tables import Table, ThereAlready
from horae_bfrt.values import INVALID_ARGUMENT, BfRtTableError

# Fields and their order: p4lang/open-p4studio, bf_rt_pre_tf1.json and bf_rt_mirror_tf1.json.
PRE = {
    "mgid": ("PRE_MGID", 65536, ("$MGID", 16),
             [("$MULTICAST_NODE_ID", "numbers", 32), ("$MULTICAST_NODE_L1_XID_VALID", "flags", 1),
              ("$MULTICAST_NODE_L1_XID", "numbers", 16), ("$MULTICAST_ECMP_ID", "numbers", 32),
              ("$MULTICAST_ECMP_L1_XID_VALID", "flags", 1), ("$MULTICAST_ECMP_L1_XID", "numbers", 16)]),
    "node": ("PRE_NODE", 16777216, ("$MULTICAST_NODE_ID", 32),
             [("$MULTICAST_RID", "number", 16), ("$MULTICAST_LAG_ID", "numbers", 8), ("$DEV_PORT", "numbers", 32)]),
    "ecmp": ("PRE_ECMP", 16777216, ("$MULTICAST_ECMP_ID", 32), [("$MULTICAST_NODE_ID", "numbers", 32)]),
    "lag": ("PRE_LAG", 255, ("$MULTICAST_LAG_ID", 8),
            [("$DEV_PORT", "numbers", 32), ("$MULTICAST_LAG_REMOTE_MSB_COUNT", "number", 32),
             ("$MULTICAST_LAG_REMOTE_LSB_COUNT", "number", 32)]),
    "prune": ("PRE_PRUNE", 288, ("$MULTICAST_L2_XID", 16), [("$DEV_PORT", "numbers", 32)]),
    "port": ("PRE_PORT", 288, ("$DEV_PORT", 32),
             [("$MULTICAST_BACKUP_PORT", "number", 32), ("$MULTICAST_FORWARD_STATE", "flag", 1),
              ("$MULTICAST_CLEAR_FAST_FAILOVER", "flag", 1), ("$COPY_TO_CPU_PORT_ENABLE", "flag", 1)]),
}
MIRROR = [("$session_enable", "flag", 1), ("$direction", "text", 0), ("$ucast_egress_port", "number", 32),
          ("$ucast_egress_port_valid", "flag", 1), ("$egress_port_queue", "number", 32),
          ("$ingress_cos", "number", 32), ("$packet_color", "text", 0), ("$level1_mcast_hash", "number", 32),
          ("$level2_mcast_hash", "number", 32), ("$mcast_grp_a", "number", 16), ("$mcast_grp_a_valid", "flag", 1),
          ("$mcast_grp_b", "number", 16), ("$mcast_grp_b_valid", "flag", 1), ("$mcast_l1_xid", "number", 16),
          ("$mcast_l2_xid", "number", 16), ("$mcast_rid", "number", 16), ("$icos_for_copy_to_cpu", "number", 32),
          ("$copy_to_cpu", "flag", 1), ("$max_pkt_len", "number", 16)]
COALESCING = [("$internal_header", "numbers", 32), ("$internal_header_length", "number", 32),
              ("$timeout_usec", "number", 32), ("$extract_len", "number", 32)]
NOT_MODELLED = ("port", "tm", "tf1", "tf2", "tf3", "snapshot", "debug", "dev")


class PortTable(ThereAlready):
    """Ports of the replication engine."""

    def put(self, stored, verb, exists):
        if any(value for value in stored.data.values()):
            self.control.note("bfrt.pre.port: the CPU's port and backup ports stay as they are")
        super().put(stored, verb, exists)


def pre_tables(control):
    kinds = {"port": PortTable, "prune": ThereAlready}
    return {name: kinds.get(name, Table)(
                control, f"pre.{name}", kind, size, [Key(key[0], "exact", key[1])],
                [Data(*field) for field in data], can=("add", "mod"))
            for name, (kind, size, key, data) in PRE.items()}


class MirrorTable(Table):
    def __init__(self, control):
        super().__init__(control, "mirror.cfg", "MIRROR_CFG", 1024, [Key("$sid", "exact", 16)],
                         [Data(*f) for f in MIRROR], {"$normal": [], "$coalescing": [Data(*f) for f in COALESCING]},
                         can=("add", "mod"))

    def put(self, stored, verb, exists):
        if self.identity(stored.key) == (0,):
            raise BfRtTableError("session 0 of mirror.cfg is reserved", self, INVALID_ARGUMENT)
        super().put(stored, verb, exists)


class Ignored:
    """What is not modelled: each part of it is there, each call is noted and does nothing. As a value it is 0, an empty
    text or an empty list."""

    def __init__(self, control, path):
        self._control, self._path, self._modelled = control, path, {}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._modelled:
            return self._modelled[name]
        return Ignored(self._control, f"{self._path}.{name}")

    def __call__(self, *values, **named):
        if self._path == "port.port_hdl_info.get":
            return PortHandle(self._control, *values, **named)
        self._control.ignored(self._path)
        return Ignored(self._control, self._path)

    def __getitem__(self, _):
        return self

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __int__(self):
        return 0

    __index__ = __int__

    def __float__(self):
        return 0.0

    def __bool__(self):
        return False

    def __str__(self):
        return ""

    def __format__(self, _):
        return ""

    def __eq__(self, other):
        return other == 0

    def __lt__(self, other):
        return 0 < other

    def __gt__(self, other):
        return 0 > other

    def __add__(self, other):
        return other

    __radd__ = __add__


class PortHandle:
    """Number of a front port's channel. Boards differ; this is the order of the vendor's model: port n, channel c is
    4 (n - 1) + c, 64 of each pipe (Tofino), 8 n + c (Tofino2)."""

    def __init__(self, control, CONN_ID=0, CHNL_ID=0, **_):
        connection, channel = int(CONN_ID), int(CHNL_ID)
        if control.tofino2:
            number = ((connection - 1) // 8 << 7) + 8 * ((connection - 1) % 8 + 1) + channel
        else:
            number = ((connection - 1) // 16 << 7) + 4 * ((connection - 1) % 16) + channel
        control.note("bfrt.port.port_hdl_info: numbers of front ports as the vendor's model has them; boards differ")
        self.data = {b"$DEV_PORT": number}
        self.key = {b"$CONN_ID": connection, b"$CHNL_ID": channel}
