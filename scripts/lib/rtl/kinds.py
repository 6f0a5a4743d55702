"""What a block may be in place of: for each kind its pins, by role, and the C++ that drives them."""
from dataclasses import dataclass, field

ANY = (1, 24)  # of a pin that the block makes as wide as it needs


@dataclass(frozen=True)
class Role:
    direction: str
    bits: object  # exactly so many; (least, most); "words": words of 32 bits, one for each candidate
    needed: bool
    value: str  # member of the C++ type of the inputs, or outputs
    names: list  # what such pins are called, the likeliest first


@dataclass(frozen=True)
class Kind:
    what: str
    keys: str  # of a platform that ask for it; {} is the block's name
    settings: str  # where the keys of a description's `model` are
    model: str  # of a draft
    header: str
    types: str  # of the C++ types: <types>Inputs, <types>Outputs, <types>Top
    roles: dict = field(default_factory=dict)


def inputs(value, bits, names, needed=False):
    return Role("input", bits, needed, value, names)


def outputs(value, bits, names, needed=False):
    return Role("output", bits, needed, value, names)


COMMON = {
    "clock": inputs("", 1, ["clk", "clock", "clk_i", "aclk"], True),
    "reset": inputs("reset", 1, ["reset", "rst", "rst_i", "!rst_n", "!rst_ni", "!reset_n", "!aresetn", "!resetn"], True),
    "request_valid": inputs("request_valid", 1, ["request_valid", "req_valid", "packet_valid", "valid_i", "in_valid"], True),
    "request_ready": outputs("request_ready", 1, ["request_ready", "req_ready", "packet_ready", "ready_o", "in_ready"]),
    "response_valid": outputs("response_valid", 1, ["response_valid", "resp_valid", "answer_valid", "valid_o", "out_valid"],
                              True),
    "response_ready": inputs("response_ready", 1, ["response_ready", "resp_ready", "answer_ready", "ready_i", "out_ready"]),
}
KINDS = {
    "ordering": Kind("a NIC's ordering layer", "nic.ordering.rtl={} with level rtl or both", "nic.ordering",
                     "engine=static bits=256", "ordering_block.hpp", "Ordering", {
        **COMMON,
        "request_connection": inputs("connection", ANY, ["request_connection", "connection", "conn", "qp", "request_qp", "qpn"],
                                     True),
        "request_psn": inputs("psn", 24, ["request_psn", "psn", "psn_i"], True),
        "request_head": inputs("head", 24, ["request_head", "head", "head_i"]),
        "request_last": inputs("last", 1, ["request_last", "last", "last_i"]),
        "request_close": inputs("close", 1, ["request_close", "close", "close_i"]),
        "response_tracking": outputs("tracking", 2, ["response_tracking", "tracking", "tracking_o"], True),
        "response_rejection": outputs("rejection", 2, ["response_rejection", "rejection", "rejection_o"]),
        "response_advanced": outputs("advanced", ANY, ["response_advanced", "advanced", "advanced_o"], True),
        "response_expected": outputs("expected", 24, ["response_expected", "expected", "expected_o"], True),
        "response_completed": outputs("completed", 1, ["response_completed", "completed", "completed_o"]),
    }),
    "load_balancer": Kind("a switch's load balancer", "balance_rtl={} with balance_level rtl or both", "a plain switch",
                          "balance=adaptive tie=lowest", "balancer_block.hpp", "Balancer", {
        **COMMON,
        "request_source": inputs("source", (1, 32), ["request_source", "source", "src", "src_i", "src_addr"]),
        "request_destination": inputs("destination", (1, 32),
                                      ["request_destination", "destination", "dst", "dst_i", "dst_addr"]),
        "request_entropy": inputs("entropy", 16, ["request_entropy", "entropy", "source_port", "sport", "udp_sport"]),
        "request_qp": inputs("qp", 24, ["request_qp", "qp", "qpn", "dest_qp"]),
        "request_psn": inputs("psn", 24, ["request_psn", "psn", "psn_i"]),
        "request_bytes": inputs("bytes", (14, 32), ["request_bytes", "bytes", "length", "len", "pkt_len"]),
        "request_choices": inputs("choices", (2, 16), ["request_choices", "choices", "candidates", "num_ports"]),
        "request_salt": inputs("salt", 32, ["request_salt", "salt", "seed"]),
        **{f"request_draw_{i}": inputs(f"draws[{i}]", (1, 16), [f"request_draw_{i}", f"draw_{i}", f"random_{i}"])
           for i in range(4)},
        "request_depths": inputs("depths", "words", ["request_depths", "depths", "queue_depths", "depth"]),
        "response_choice": outputs("choice", (1, 16), ["response_choice", "choice", "port", "out_port", "egress_port"], True),
    }),
    "entropy": Kind("a sender's entropy scheme", "nic.entropy.rtl={} with level rtl or both", "nic.entropy",
                    "scheme=cycle values=256", "entropy_block.hpp", "Entropy", {
        **COMMON,
        "request_open": inputs("open", 1, ["request_open", "open", "start", "begin_connection"]),
        "request_feedback": inputs("feedback", 1, ["request_feedback", "feedback", "ack_valid", "ack"]),
        "request_freeze": inputs("freeze", 1, ["request_freeze", "freeze"]),
        "request_connection": inputs("connection", ANY, ["request_connection", "connection", "conn", "qp", "request_qp", "qpn"]),
        "request_now": inputs("now", (48, 64), ["request_now", "now", "timestamp"]),
        "request_draw": inputs("draw", 16, ["request_draw", "draw", "random"]),
        "request_value": inputs("value", 16, ["request_value", "feedback_value", "value_i", "ack_value"]),
        "request_signal": inputs("signal", 2, ["request_signal", "signal", "path_signal"]),
        "request_delivered": inputs("delivered", 32, ["request_delivered", "delivered"]),
        "request_rtt": inputs("rtt", (40, 64), ["request_rtt", "rtt"]),
        "request_room": inputs("room", 1, ["request_room", "room"]),
        "request_own": inputs("own", 16, ["request_own", "own", "own_port"]),
        "request_ordinal": inputs("ordinal", 32, ["request_ordinal", "ordinal"]),
        "request_base_rtt": inputs("base_rtt", (40, 64), ["request_base_rtt", "base_rtt"]),
        "request_rto": inputs("rto", (40, 64), ["request_rto", "rto"]),
        "request_bdp": inputs("bdp_packets", 32, ["request_bdp", "bdp", "bdp_packets"]),
        "request_trimming": inputs("trimming", 1, ["request_trimming", "trimming"]),
        "response_value": outputs("value", 16, ["response_value", "value", "entropy", "value_o"], True),
        "response_origin": outputs("origin", 2, ["response_origin", "origin"], True),
        "response_drew": outputs("drew", 1, ["response_drew", "drew", "used_draw"]),
        "response_frozen": outputs("frozen", 1, ["response_frozen", "frozen"]),
    }),
}
WORD = (1, 64)
KINDS["register"] = Kind("a register's stateful ALU", 'rtl = [{{register = "...", block = "{}", level = "both"}}] of a Tofino',
                         "its own", "register=NAME actions=FIRST,SECOND", "register_block.hpp", "Register", {
    **COMMON,
    "request_action": inputs("action", (1, 4), ["request_action", "action", "op"]),
    **{f"request_cell_{i}": inputs(f"cell[{i}]", WORD, [f"request_cell_{i}", f"cell_{i}", *(["cell", "cell_i"] if i == 0 else [])])
       for i in range(2)},
    **{f"request_operand_{i}": inputs(f"operands[{i}]", WORD,
                                      [f"request_operand_{i}", f"operand_{i}", *(["operand", "psn"] if i == 0 else [])])
       for i in range(2)},
    **{f"response_cell_{i}": outputs(f"cell[{i}]", WORD, [f"response_cell_{i}", f"next_cell_{i}",
                                                          *(["next_cell", "cell_o"] if i == 0 else [])]) for i in range(2)},
    **{f"response_word_{i}": outputs(f"words[{i}]", WORD, [f"response_word_{i}", f"word_{i}", *(["word"] if i == 0 else [])])
       for i in range(2)},
    **{f"response_flag_{i}": outputs(f"flags[{i}]", 1, [f"response_flag_{i}", f"flag_{i}", *(["flag"] if i == 0 else [])])
       for i in range(2)},
})
BYTES = (8, 4096)  # bits of TDATA


def stream(side, way, letters):
    """A stream's pins, by usual names: `way` makes the roles that go with the data, `back` TREADY."""
    back = outputs if way is inputs else inputs
    prefixes = [f"{letter}_axis_" for letter in letters] + [f"{letter}_" for letter in letters] + [f"axis_{side}_"]

    def names(word):
        return [prefix + word for prefix in prefixes]

    return {f"{side}_data": way("beat.data", BYTES, names("tdata"), True),
            f"{side}_keep": way("beat.keep", (1, 512), names("tkeep")),
            f"{side}_last": way("beat.last", 1, names("tlast"), True),
            f"{side}_valid": way("valid", 1, names("tvalid"), True),
            f"{side}_ready": back("ready", 1, names("tready"))}


KINDS["axi_stream"] = Kind("a block on a link with AXI4-Stream pins", '[[module]] with kind = "axi_stream" and block = "{}"', "none",
                           "", "stream_block.hpp", "Stream", {
    "clock": COMMON["clock"], "reset": COMMON["reset"],
    **stream("in", inputs, ["s", "rx", "in"]), **stream("out", outputs, ["m", "tx", "out"]),
})
# A role that is there only with another.
TOGETHER = [("entropy", "request_draw", "response_drew"), ("entropy", "response_drew", "request_draw"),
            ("entropy", "request_value", "request_feedback")]


def role_of(block, name):
    return KINDS[block.implements].roles[name]


def room(block, pins):
    """How much of its kind the block has room for, in words: connections, or candidates."""
    def bits(role):
        return pins[block.pins[role].removeprefix("!")][1]

    if block.implements == "load_balancer":
        most = 1 << bits("response_choice")
        if "request_depths" in block.pins:
            most = min(most, bits("request_depths") // 32)
        if "request_choices" in block.pins:
            most = min(most, (1 << bits("request_choices")) - 1)
        return most, f"room for {most} candidates"
    if block.implements == "register":
        return 0, "one for each register"
    if block.implements == "axi_stream":
        return 0, f"{bits('in_data')} bits in, {bits('out_data')} bits out"
    if "request_connection" not in block.pins:
        return 0, "one for each queue pair"
    most = 1 << bits("request_connection")
    return most, f"room for {most} connections"
