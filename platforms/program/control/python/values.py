"""Values as scripts give them: numbers, texts and address objects, as whole numbers; and as dumps print them."""
import ipaddress

# Status codes of the vendor's driver that scripts compare with (p4lang/open-p4studio, bf_types.h).
INVALID_ARGUMENT = 3
ALREADY_EXISTS = 4
NOT_FOUND = 6
NO_SPACE = 9
TEXTS = {INVALID_ARGUMENT: "Invalid arguments", ALREADY_EXISTS: "Already exists", NOT_FOUND: "Object not found",
         NO_SPACE: "Not enough space"}


class BfRtTableError(Exception):
    """What tables raise. `sts`: one of the status codes above."""

    def __init__(self, message, table=None, sts=INVALID_ARGUMENT):
        super().__init__(message)
        self.str_rep, self.table, self.sts = message, table, sts


class IPAddress:
    """An IPv4 or IPv6 address, as netaddr has it: for machines without that package."""

    def __init__(self, address, version=None, flags=0):
        if isinstance(address, IPAddress):
            address = address.value
        made = {4: ipaddress.IPv4Address, 6: ipaddress.IPv6Address, None: ipaddress.ip_address}[version](address)
        self.value, self.version, self._text = int(made), made.version, str(made)

    def __int__(self):
        return self.value

    __index__ = __int__

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"IPAddress('{self._text}')"

    def __eq__(self, other):
        return int(self) == int(IPAddress(other) if isinstance(other, str) else other)

    def __lt__(self, other):
        return int(self) < int(other)

    def __hash__(self):
        return hash(self.value)

    def __add__(self, number):
        return IPAddress(self.value + number, self.version)

    def __sub__(self, number):
        return IPAddress(self.value - number, self.version)


class EUI:
    """A MAC address, as netaddr has it."""

    def __init__(self, address, version=None, dialect=None):
        if isinstance(address, str):
            digits = "".join(c for c in address if c not in ":-.")
            if len(digits) != 12:
                raise ValueError(f"'{address}' is no MAC address")
            address = int(digits, 16)
        self.value = int(address)

    def __int__(self):
        return self.value

    __index__ = __int__

    def __str__(self):
        return "-".join(f"{self.value >> shift & 255:02X}" for shift in range(40, -8, -8))

    def __repr__(self):
        return f"EUI('{self}')"

    def __eq__(self, other):
        return int(self) == int(EUI(other) if isinstance(other, str) else other)

    def __hash__(self):
        return hash(self.value)


def ip(address):
    """An address as a number."""
    return int(ipaddress.ip_address(address)) if isinstance(address, str) else int(address)


def mac(address):
    """Likewise of a MAC address."""
    return int(EUI(address))


def number_of(value):
    """A whole number, whatever way it is given. ValueError, TypeError: it is none."""
    if isinstance(value, str):
        text = value.strip()
        for kind in (ip, mac):
            try:
                if "." in text or ":" in text or (kind is mac and text.find("-") > 0):
                    return kind(text)
            except ValueError:
                pass
        return int(text, 0)
    return int(value)


def fitting(value, bits, what):
    """A number of so many bits; a negative one in two's complement. BfRtTableError: it is none, or too wide."""
    try:
        number = number_of(value)
    except (TypeError, ValueError):
        raise BfRtTableError(f"{what}: {value!r} is no number and no address") from None
    if number >> bits > 0:
        raise BfRtTableError(f"{what}: {value} is wider than {bits} bits")
    return number & ((1 << bits) - 1)


def hexadecimal(value, bits):
    return f"0x{value:0{max(1, (bits + 3) // 4)}X}"
