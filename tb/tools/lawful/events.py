"""Harm to chosen packets (`[[event]]`) at random."""
from . import facts


def events(draw, out):
    """At NICs, and on links where there are any by name."""
    if not draw.chance(0.35):
        return
    hosts = facts.host_count(out)
    out["event"] = []
    for _ in range(draw.one(1, 1, 2, 3)):
        action = draw.one("drop", "drop", "mark", "corrupt", "delay", "duplicate")
        event = {"action": action, "packet": draw.scale(1, 40),
                 "packets": "data" if action == "mark" else draw.one("data", "data", "acks")}
        if out.get("link") and draw.chance(0.5):
            event["between"] = out["link"][draw.whole(0, len(out["link"]) - 1)]["between"]
            if draw.chance(0.5):
                event["between"] = event["between"][::-1]
        else:
            event["nic"] = f"h{draw.whole(0, hosts - 1)}"
            event["side"] = draw.one("sends", "receives")
        if draw.chance(0.4):
            event["count"] = draw.scale(1, 8)
        if action == "delay" or action == "duplicate" and draw.chance(0.5):
            event["delay"] = draw.ns(1, 20_000)
        out["event"].append(event)
