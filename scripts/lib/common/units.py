"""Units of results beside those that a study asks for."""

# By unit: its dimension, and how many of the base unit it is.
SCALES = {
    **{name: ("time", scale) for name, scale in
       {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}.items()},
    **{name: ("rate", scale) for name, scale in
       {"bps": 1.0, "Kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}.items()},
    **{name: ("size", scale) for name, scale in
       {"B": 1, "byte": 1, "bytes": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20,
        "GiB": 2**30}.items()},
    **{name: ("packet rate", scale) for name, scale in {"pps": 1.0, "Kpps": 1e3, "Mpps": 1e6, "Gpps": 1e9}.items()},
    **{name: ("share", scale) for name, scale in {"ratio": 1, "share": 1, "%": 0.01}.items()},
}


def scale_of(unit):
    """(dimension, scale) of the first word of a unit; (None, 1) of a count."""
    words = unit.split()
    return SCALES.get(words[0].rstrip(","), (None, 1)) if words else (None, 1)


def factor(found, wanted):
    """What a number in `found` is multiplied by to be in `wanted`; None: they do not compare. Words behind the
    first ("Gbps of payload"), and words for what is counted, are the study's own."""
    if not wanted or found == wanted:
        return 1
    (dimension, scale), (wanted_dimension, wanted_scale) = scale_of(found), scale_of(wanted)
    if dimension == "share" and scale == 1 and wanted_dimension is None:
        return 1  # a ratio under a name of the study's: "x", "of an idle network"
    if dimension != wanted_dimension:
        return None
    return 1 if scale == wanted_scale else scale / wanted_scale
