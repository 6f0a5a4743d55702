"""Numbers as people read them, and quantities ("4 KiB") as numbers."""
import math
import re

NARROW = "\u202f"  # narrow no-break space between groups of three digits
NONE = "\u2013"

# Units that are scaled: each step with its size in the unit itself.
SCALED = {
    "ps": ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1, "ps")),
    "bit/s": ((1e12, "Tbps"), (1e9, "Gbps"), (1e6, "Mbps"), (1e3, "kbps"), (1, "bps")),
}

# Units of texts in a configuration (horae/core/units.hpp), in picoseconds, bytes and bits per second.
TEXT_UNITS = {
    "ps": ("s", 1e-12), "ns": ("s", 1e-9), "us": ("s", 1e-6), "ms": ("s", 1e-3), "s": ("s", 1.0),
    "B": ("B", 1.0), "KB": ("B", 1e3), "MB": ("B", 1e6), "GB": ("B", 1e9),
    "KiB": ("B", 1024.0), "MiB": ("B", 1024.0**2), "GiB": ("B", 1024.0**3),
    "bps": ("bps", 1.0), "kbps": ("bps", 1e3), "Kbps": ("bps", 1e3), "Mbps": ("bps", 1e6), "Gbps": ("bps", 1e9),
    "Tbps": ("bps", 1e12), "Hz": ("Hz", 1.0), "kHz": ("Hz", 1e3), "MHz": ("Hz", 1e6), "GHz": ("Hz", 1e9),
}
QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z]*)\s*$")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def grouped(whole):
    return f"{whole:,}".replace(",", NARROW)


def number(value):
    """Whole numbers in full, others with four significant digits, tiny ones with an exponent."""
    if not is_number(value):
        return NONE
    if value == int(value) and abs(value) < 1e15:
        return grouped(int(value)).replace("-", "\u2212")
    size = abs(value)
    if size >= 1e15 or size < 1e-4:
        mantissa, exponent = f"{value:.3e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        text = f"{mantissa}e{int(exponent)}"
    elif size >= 1e4:
        text = grouped(int(round(value)))
    else:
        digits = max(0, 3 - math.floor(math.log10(size)))
        text = f"{value:.{digits}f}"
        whole, _, fraction = text.partition(".")
        text = grouped(int(whole)) if abs(int(whole)) >= 1000 else whole
        fraction = fraction.rstrip("0")
        text += f".{fraction}" if fraction else ""
    return text.replace("-", "\u2212", 1) if value < 0 else text


def with_unit(value, unit):
    """(text, unit) of a value, scaled where its unit is."""
    if is_number(value) and unit in SCALED:
        for size, name in SCALED[unit]:
            if abs(value) >= size or size == 1:
                return number(value / size), name
    return number(value), unit


def quantity(value, unit=""):
    """A value in a sentence: shares in percent, ratios without a unit."""
    if is_number(value) and unit.startswith("share of"):
        return f"{number(100 * value)}\u00a0% {unit[6:]}"
    text, unit = with_unit(value, "" if unit == "ratio" else unit)
    if text == NONE:
        return text
    return f"{text}\u00a0{unit}" if unit else text


def of_bytes(value):
    for size, name in ((1024.0**3, "GiB"), (1024.0**2, "MiB"), (1024.0, "KiB")):
        if abs(value) >= size:
            return f"{number(value / size)}\u00a0{name}"
    return f"{number(value)}\u00a0B"


def plain(value):
    """Any value of a JSON file as text."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_number(value):
        return number(value)
    if isinstance(value, list):
        return ", ".join(plain(v) for v in value)
    if isinstance(value, dict):
        return ", ".join(f"{k}: {plain(v)}" for k, v in value.items())
    return str(value)


def parsed(value):
    """(number, base unit) of a number or of a text such as "4 KiB"; None for others."""
    if isinstance(value, bool):
        return None
    if is_number(value):
        return float(value), ""
    match = QUANTITY.match(value) if isinstance(value, str) else None
    if not match:
        return None
    if not match[2]:
        return float(match[1]), ""
    if match[2] not in TEXT_UNITS:
        return None
    unit, size = TEXT_UNITS[match[2]]
    return float(match[1]) * size, unit
