"""Which packet of one side is which of the other, and how they differ.

Packets are matched in three steps, each the k-th of one side with the k-th of the other: all bytes equal (those that
left by the same port first); equal in what no switch changes (addresses, queue pair, opcode, PSN, or the ports and
numbers of other packets); equal in flow and in everything behind the headers. What is left is missing or surplus."""
import bisect
import heapq
from collections import defaultdict
from dataclasses import dataclass, field

from lib.compare_replay import fields


@dataclass
class Packet:
    place: int  # in the order of time
    number: int  # for people: in the trace that was replayed, or in a file of theirs
    source: str  # that trace or file
    data: bytes
    length: int
    port: str = None  # by which it left; None: unknown
    stamp: tuple = (0, 0)  # time in ns, and which file: of equal times only those of one file have an order
    values: dict = field(default_factory=dict)

    def __post_init__(self):
        self.values = fields.decode(self.data)

    def shown(self):
        return f"{self.source}:{self.number}"


@dataclass
class Result:
    pairs: list  # (ours, theirs) in our order
    equal: int
    differences: dict  # name: [(our value, their value, our packet, their packet)]
    missing: list  # theirs alone
    surplus: list  # ours alone
    orders: list  # (flow, packets, moved, first moved of ours)


def behind_headers(packet):
    return fields.innermost(packet.values, "roce.payload"), packet.values.get("frame.rest"), packet.length


def keys():
    yield lambda p: (p.data, p.length, p.port)
    yield lambda p: (p.data, p.length)
    yield lambda p: fields.identity_of(p.values)
    yield lambda p: fields.flow_of(p.values) + behind_headers(p)


def matched(ours, theirs):
    pairs = []
    for key in keys():
        waiting = defaultdict(list)
        for p in reversed(theirs):
            waiting[key(p)].append(p)
        waiting.pop(None, None)
        rest, taken = [], set()
        for p in ours:
            others = waiting.get(key(p))
            if others:
                pairs.append((p, others.pop()))
                taken.add(id(pairs[-1][1]))
            else:
                rest.append(p)
        ours, theirs = rest, [p for p in theirs if id(p) not in taken]
    return sorted(pairs, key=lambda pair: pair[0].place), ours, theirs


def difference(name, mine, other):
    """Both values for people: of long ones where they differ first."""
    if max(len(str(mine)), len(str(other))) <= 40:
        return mine, other
    at = next((i for i, (a, b) in enumerate(zip(mine, other)) if a != b), min(len(mine), len(other)))
    at -= at % 2  # hexadecimal digits of a byte
    return tuple(f"{len(v) // 2} bytes, {v[at:at + 8] or 'none'} at {at // 2}" for v in (mine, other))


def compare(mine, other):
    """[(name, our value, their value)] of two packets that are one. Where a side was captured in part, what it
    lacks is no difference."""
    found = []
    if mine.length != other.length:
        found.append(("frame.length", mine.length, other.length))
    if mine.port is not None and other.port is not None and mine.port != other.port:
        found.append(("egress.port", mine.port, other.port))
    if mine.data == other.data:
        return found
    cut = [len(p.data) < p.length for p in (mine, other)]
    for name in dict.fromkeys([*mine.values, *other.values]):
        a, b = mine.values.get(name), other.values.get(name)
        if a == b or (a is None and cut[0]) or (b is None and cut[1]):
            continue
        if any(cut) and name.endswith(("frame.rest", "roce.payload")):
            if a is None or b is None or a.startswith(b) or b.startswith(a):
                continue
        found.append((name, *difference(name, a if a is not None else "none", b if b is not None else "none")))
    return found


def in_order(numbers):
    """Which of these places a longest ascending row of them has."""
    tails, at, before = [], [], [None] * len(numbers)
    for i, n in enumerate(numbers):
        k = bisect.bisect_left(tails, n)
        tails[k:k + 1], at[k:k + 1] = [n], [i]
        before[i] = at[k - 1] if k else None
    kept, i = set(), at[-1] if at else None
    while i is not None:
        kept.add(i)
        i = before[i]
    return kept


def ranks_of(packets):
    """Of pairs in our order, the places of theirs: by time. Of those that several files have at one time nobody knows the
    order (stamps are often in microseconds), so it is ours, as far as each file keeps its own."""
    times = defaultdict(lambda: defaultdict(list))
    for i, (_, other) in enumerate(packets):
        time, file = other.stamp
        times[time][file].append((other.place, i))
    ranks, rank = [0] * len(packets), 0
    for time in sorted(times):
        lanes = [[i for _, i in sorted(lane)] for lane in times[time].values()]
        heads = [(lane[0], number, 0) for number, lane in enumerate(lanes)]
        heapq.heapify(heads)
        while heads:
            i, number, at = heapq.heappop(heads)
            ranks[i], rank = rank, rank + 1
            if at + 1 < len(lanes[number]):
                heapq.heappush(heads, (lanes[number][at + 1], number, at + 1))
    return ranks


def orders(pairs):
    """Flows whose packets come in another order on the other side, with the fewest that would have to be moved."""
    flows = defaultdict(list)
    for mine, other in pairs:
        flows[fields.flow_of(mine.values)].append((mine, other))
    found = []
    for flow, packets in flows.items():
        kept = in_order(ranks_of(packets))
        moved = [mine for i, (mine, _) in enumerate(packets) if i not in kept]
        if moved:
            found.append((flow, len(packets), len(moved), moved[0]))
    return found


def result_of(ours, theirs, ignored):
    pairs, surplus, missing = matched(ours, theirs)
    differences, equal = defaultdict(list), 0
    for mine, other in pairs:
        found = [d for d in compare(mine, other) if not ignored(d[0])]
        equal += not found
        for name, a, b in found:
            differences[name].append((a, b, mine, other))
    return Result(pairs, equal, dict(differences), missing, surplus, orders(pairs))
