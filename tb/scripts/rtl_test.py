#!/usr/bin/python3 -B
"""scripts/rtl: folders of RTL as users have them, refused in one line or described to the build."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lib.rtl import coverage  # noqa: E402
EXAMPLE = ROOT / "models/facade/example/reorder_window.sv"
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(blocks LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH {root}/scripts/cmake)
find_package(verilator 5 REQUIRED)
include(HoraeVerilated)
include(HoraeRtlBlocks)
set(HORAE_RTL_SCRIPT {root}/scripts/rtl)
file(WRITE ${{CMAKE_CURRENT_BINARY_DIR}}/empty.cpp "")
add_library(rtl STATIC ${{CMAKE_CURRENT_BINARY_DIR}}/empty.cpp)
foreach(folder {folders})
  horae_rtl_block(rtl ${{folder}} blocks)
endforeach()
file(WRITE ${{CMAKE_CURRENT_BINARY_DIR}}/catalogue
  "${{blocks_declarations}}${{blocks_ordering}}${{blocks_load_balancer}}${{blocks_entropy}}${{blocks_register}}${{blocks_axi_stream}}${{blocks_refused}}")
# One of the tree.
horae_verilated(tree VFaulty faulty SOURCES {root}/tb/rtl/outside/none.sv ARGS)
message(STATUS "taken: ${{VFaulty_BUILT}}")
"""


class Rtl(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.tmp = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def run_rtl(self, *arguments, code=0):
        done = subprocess.run([ROOT / "scripts/rtl", *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def block(self, name="mine", edit=lambda text: text, describe=lambda text: text):
        """A folder with the example's source and description, each changed."""
        folder = self.tmp / name
        folder.mkdir()
        (folder / "reorder_window.sv").write_text(edit(EXAMPLE.read_text()))
        text = (ROOT / "tb/rtl/outside/reorder_window/horae_rtl.toml").read_text()
        text = text.replace("../../../../models/facade/example/", "").replace('name = "reorder_window"', f'name = "{name}"')
        (folder / "horae_rtl.toml").write_text(describe(text))
        return folder

    def refused(self, folder):
        done = self.run_rtl("check", folder, code=2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("scripts/rtl: "), done.stderr)
        return done.stderr

    def test_a_folder_without_a_description_gets_one(self):
        folder = self.tmp / "vendor"
        (folder / "include").mkdir(parents=True)
        (folder / "include/sizes.svh").write_text("`define WINDOW 16\n")
        # A package that comes after its user by name, an include, a pin that is low, a warning, an input without a role.
        (folder / "z_pkg.sv").write_text("package z_pkg; localparam int unsigned QPS = 4; endpackage\n")
        source = EXAMPLE.read_text().replace("CONNECTIONS = 4", "CONNECTIONS = z_pkg::QPS").replace(
            "WINDOW = 16", "WINDOW = `WINDOW").replace("input logic reset", "input logic rst_n").replace(
            "!reset", "rst_n").replace("if (reset)", "if (!rst_n)").replace("advanced <= run", "advanced <= {1'b0, run}")
        (folder / "core.sv").write_text('`include "sizes.svh"\n' + source)
        self.run_rtl("add", folder, "--no-build", "--build", self.tmp / "none", "--model", "engine=static bits=16", code=2)
        text = (folder / "horae_rtl.toml").read_text()
        self.assertIn('sources = ["z_pkg.sv", "core.sv"]', text)
        self.assertIn('include = ["include"]', text)
        self.assertIn('tolerate = ["WIDTH"]', text)
        self.assertIn('reset = "!rst_n"', text)
        self.assertIn('request_valid = "packet_valid"', text)
        self.assertIn("# response_completed", text)
        self.assertIn("room for 4 connections", self.run_rtl("check", folder).stdout)

    STRUCTS = """package ordering_pkg;
  typedef struct packed { logic close; logic [1:0] connection; } what_t;
  typedef struct packed { logic valid; what_t what; logic [23:0] psn, head; } packet_t;
  typedef struct packed { logic valid; logic [1:0] tracking; logic [7:0] advanced; logic [23:0] expected; } answer_t;
endpackage
module structs #(parameter int unsigned WINDOW = 16) (
    input logic clk, input logic reset, input ordering_pkg::packet_t packet, output ordering_pkg::answer_t answer%s);
  reorder_window #(.WINDOW(WINDOW)) inner (.clk, .reset, .packet_valid(packet.valid), .close(packet.what.close),
    .connection(packet.what.connection), .psn(packet.psn), .head(packet.head), .answer_valid(answer.valid),
    .tracking(answer.tracking), .advanced(answer.advanced), .expected(answer.expected));
endmodule
"""

    def structs(self, name, more="", pins=""):
        folder = self.tmp / name
        folder.mkdir()
        (folder / "inner.sv").write_text(EXAMPLE.read_text())
        (folder / "structs.sv").write_text(self.STRUCTS % more)
        roles = {"clock": "clk", "reset": "reset", "request_valid": "packet.valid", "request_close": "packet.what.close",
                 "request_connection": "packet.what.connection", "request_psn": "packet.psn", "request_head": "packet.head",
                 "response_valid": "answer.valid", "response_tracking": "answer.tracking",
                 "response_advanced": "answer.advanced", "response_expected": "answer.expected"}
        (folder / "horae_rtl.toml").write_text(
            f'name = "{name}"\ntop = "structs"\nmodel = "engine=static bits=16"\nsources = ["inner.sv", "structs.sv"]\n'
            'parameters = { WINDOW = 16 }\n[pins]\n' + "".join(f'{r} = "{p}"\n' for r, p in roles.items()) + pins)
        return folder

    def test_members_of_packed_structs_are_pins(self):
        folder = self.structs("whole")
        self.assertIn("room for 4 connections", self.run_rtl("check", folder).stdout)
        out = self.tmp / "out"
        self.run_rtl("generate", folder, "--out", out)
        around = (out / "around.sv").read_text()
        # The highest bits first, as IEEE 1800 lays them out (7.2.1), and parameters of the block.
        self.assertIn(".packet({packet_valid, packet_what_close, packet_what_connection, packet_psn, packet_head})", around)
        self.assertIn("structs #(.WINDOW(16)) block (", around)
        self.assertIn("input logic [1:0] packet_what_connection", around)
        self.assertIn("m.packet_what_connection = in.", (out / "block.cpp").read_text())
        described = (out / "block.cmake").read_text()
        self.assertIn("set(block_top horae_structs)", described)
        self.assertNotIn("-GWINDOW", described)
        # Drafted as if the members were pins.
        (folder / "horae_rtl.toml").unlink()
        self.run_rtl("add", folder, "--no-build", "--build", self.tmp / "none", "--model", "engine=static bits=16", "--top",
                     "structs", code=2)
        text = (folder / "horae_rtl.toml").read_text()
        self.assertIn('request_psn = "packet.psn"', text)
        self.assertIn('response_valid = "answer.valid"', text)

    def test_a_module_with_structs_works_as_one_without(self):
        """Verilator's own program of both: the same answers to the same packets, bit by bit."""
        out = self.tmp / "out"
        self.run_rtl("generate", self.structs("whole"), "--out", out)
        (self.tmp / "both.sv").write_text("""module both (input logic clk, input logic reset, input logic [52:0] packet, output logic same);
  logic [34:0] a, b;
  horae_structs first (.clk, .reset, .packet_valid(packet[51]), .packet_what_close(packet[50]), .packet_what_connection(packet[49:48]),
    .packet_psn(packet[47:24]), .packet_head(packet[23:0]), .answer_valid(a[34]), .answer_tracking(a[33:32]),
    .answer_advanced(a[31:24]), .answer_expected(a[23:0]));
  reorder_window #(.WINDOW(16)) second (.clk, .reset, .packet_valid(packet[51]), .close(packet[50]), .connection(packet[49:48]),
    .psn(packet[47:24]), .head(packet[23:0]), .answer_valid(b[34]), .tracking(b[33:32]), .advanced(b[31:24]), .expected(b[23:0]));
  assign same = a == b;
endmodule
""")
        (self.tmp / "main.cpp").write_text("""#include "Vboth.h"
#include <cstdint>
int main() {
  Vboth m;
  std::uint64_t x = 1;
  unsigned answers = 0;
  for (int i = 0; i < 20000; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    m.reset = i == 0;
    m.packet = (std::uint64_t{1} << 51) | ((x >> 33) % 64 == 0 ? std::uint64_t{1} << 50 : 0) | (x >> 40 & 3) << 48 | ((x >> 45) % 16) << 24;
    m.clk = 0; m.eval(); m.clk = 1; m.eval();
    if (i > 1 && !m.same) return 1;
  }
  return 0;
}
""")
        done = subprocess.run(["verilator", "--cc", "--exe", "--build", "-Wno-fatal", "-CFLAGS", "-O0", "--Mdir", self.tmp / "made",
                               "--top-module", "both", self.tmp / "whole/inner.sv", self.tmp / "whole/structs.sv", out / "around.sv",
                               self.tmp / "both.sv", self.tmp / "main.cpp"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertEqual(subprocess.run([self.tmp / "made/Vboth"], check=False).returncode, 0)

    def test_pins_that_have_no_bits_are_refused_by_their_word(self):
        self.assertIn("input 'odd' is an unpacked array, which can have no role",
                      self.refused(self.structs("array", ", input logic odd[2]")))
        self.assertIn("input 'odd' is a union, which can have no role",
                      self.refused(self.structs("joint", ", input union packed { logic [3:0] a; logic [3:0] b; } odd")))
        self.assertIn("input 'odd.b' has no role; expected one, or its value in [constants]",
                      self.refused(self.structs("rest", ", input struct packed { logic a; logic b; } odd", "[constants]\nodd.a = 1\n")))
        self.run_rtl("check", self.structs("given", ", input struct packed { logic a; logic b; } odd",
                                           "[constants]\nodd.a = 1\nodd.b = 0\n"))
        self.assertIn("would both be 'odd_a'", self.run_rtl(
            "generate", self.structs("twice", ", input struct packed { logic a; logic b; } odd, input logic odd_a",
                                     "[constants]\nodd.a = 1\nodd.b = 0\nodd_a = 0\n"), "--out", self.tmp / "o", code=2).stderr)

    def test_a_block_alone_leaves_those_of_the_tree_out(self):
        from importlib import machinery, util
        loader = machinery.SourceFileLoader("rtl_command", str(ROOT / "scripts/rtl"))
        command = util.module_from_spec(util.spec_from_loader("rtl_command", loader))
        loader.exec_module(command)
        for before, blocks, after in (("OFF", ["a"], "BLOCKS"), ("BLOCKS", ["a", "b"], "BLOCKS"), ("BLOCKS", [], "OFF"),
                                      ("ON", ["a"], "ON"), ("AUTO", ["a"], "AUTO"), (None, ["a"], "BLOCKS")):
            build = self.tmp / f"{before}{len(blocks)}"
            build.mkdir()
            (build / "CMakeCache.txt").write_text(f"HORAE_RTL:STRING={before}\n" if before else "OTHER:STRING=ON\n")
            self.assertEqual(command.asked_of(build, blocks), after, before)

    def test_other_kinds_get_a_description(self):
        """A load balancer and an entropy scheme, by usual names of pins."""
        def vendor(name, text):
            (self.tmp / name).mkdir()
            (self.tmp / name / "core.sv").write_text(text)
            return self.tmp / name

        folder = vendor("shortest", """module shortest (input logic clk_i, input logic rst_ni, input logic valid_i,
            input logic [9:0] dst_addr, input logic [7:0][31:0] queue_depths, output logic valid_o, output logic [2:0] port);
            always_ff @(posedge clk_i) begin
              valid_o <= rst_ni && valid_i;
              port <= queue_depths[dst_addr[2:0]] < queue_depths[0] ? dst_addr[2:0] : '0;
            end
            endmodule""")
        self.run_rtl("add", folder, "--no-build", "--build", self.tmp / "none", "--implements", "load_balancer", code=2)
        text = (folder / "horae_rtl.toml").read_text()
        for line in ('implements = "load_balancer"', 'reset = "!rst_ni"', 'request_destination = "dst_addr"',
                     'request_depths = "queue_depths"', 'response_choice = "port"', "# request_salt"):
            self.assertIn(line, text)
        self.assertIn("a switch's load balancer, balance=adaptive tie=lowest, room for 8 candidates",
                      self.run_rtl("check", folder).stdout)

        folder = vendor("counter", """module counter (input logic clk, input logic reset, input logic request_valid,
            input logic feedback, output logic response_valid, output logic [15:0] value, output logic [1:0] origin);
            always_ff @(posedge clk) begin
              response_valid <= !reset && request_valid;
              origin <= 2'd3;
              if (reset) value <= '0;
              else if (request_valid && !feedback) value <= value + 1'b1;
            end
            endmodule""")
        self.run_rtl("add", folder, "--no-build", "--build", self.tmp / "none", "--implements", "entropy", code=2)
        self.assertIn('response_value = "value"', (folder / "horae_rtl.toml").read_text())
        self.assertIn("a sender's entropy scheme, scheme=cycle values=256, one for each queue pair",
                      self.run_rtl("check", folder).stdout)

        folder = vendor("slice", """module slice (input logic clk, input logic rst, input logic [23:0] rx_axis_tdata,
            input logic [2:0] rx_axis_tkeep, input logic rx_axis_tlast, input logic rx_axis_tvalid,
            output logic [7:0] tx_tdata, output logic tx_tlast, output logic tx_tvalid, input logic tx_tready);
            assign {tx_tlast, tx_tdata, tx_tvalid} = {rx_axis_tlast, rx_axis_tdata[7:0],
              rx_axis_tvalid && tx_tready && clk && !rst && rx_axis_tkeep[0]};
            endmodule""")
        said = self.run_rtl("add", folder, "--no-build", "--build", self.tmp / "none", "--implements", "axi_stream", code=2)
        self.assertIn("drafted; look at [pins]", said.stdout)
        text = (folder / "horae_rtl.toml").read_text()
        for line in ('implements = "axi_stream"', 'in_data = "rx_axis_tdata"', '# in_ready = ""\n', '# out_keep = ""\n',
                     'out_ready = "tx_tready"'):
            self.assertIn(line, text)
        self.assertNotIn("model", text)
        self.assertIn("a block on a link with AXI4-Stream pins, 24 bits in, 8 bits out", self.run_rtl("check", folder).stdout)

    def test_what_is_wrong_with_other_kinds_is_one_line(self):
        cases = [
            ("shorter_queue", 'implements = "load_balancer"', 'implements = "balancer"', "did you mean 'load_balancer'?"),
            ("shorter_queue", 'response_choice = "port"', "", "missing 'response_choice'"),
            ("shorter_queue", 'request_draw_0 = "draw_0"', 'request_salt = "draw_0"', "'draw_0' has 4 bits, expected 32"),
            ("shorter_queue", 'request_draw_0 = "draw_0"', 'request_draw_2 = "draw_0"', "without 'request_draw_0'"),
            ("shorter_queue", 'request_depths = "depths"', 'request_psn = "depths"', "'depths' has 512 bits, expected 24"),
            ("shorter_queue", 'request_draw_1 = "draw_1"', 'request_now = "draw_1"', "unknown 'request_now' of a switch's"),
            ("reps_ring", 'response_drew = "drew"', "", "'request_draw' is there without 'response_drew'"),
            ("reps_ring", 'response_origin = "origin"', "", "missing 'response_origin'"),
            ("path_max", 'response_flag_0 =', 'response_flag_1 =', "'response_flag_1' is there without 'response_flag_0'"),
            ("congestion_fifo", 'in_keep = "s_axis_tkeep"', "", "missing 'in_keep', as 's_axis_tdata' has 64 bytes"),
            ("congestion_fifo", 'out_last = "m_axis_tlast"', "", "missing 'out_last'"),
            ("congestion_fifo", "MARK_AT", "MARKS_AT", "MARKS_AT"),
            ("congestion_fifo", 'implements = "axi_stream"', 'implements = "axi_stream"\nmodel = "engine=static"', "has no model"),
            ("congestion_fifo", 'implements = "axi_stream"', 'implements = "axis_stream"', "did you mean 'axi_stream'?"),
            ("congestion_fifo", 'out_keep = "m_axis_tkeep"', 'out_keep = "m_axis_tvalid"', "'m_axis_tvalid' has 1 bits, expected 64"),
            ("congestion_fifo", 'in_data = "s_axis_tdata"', 'in_data = "s_axis_tlast"', "'s_axis_tlast' has 1 bits, expected 8 to 4096"),
            ("path_max", 'model = "register=path_psn_max_array actions=keep_later,is_overtaken"', "", "missing 'model'"),
        ]
        for number, (name, old, new, message) in enumerate(cases):
            with self.subTest(message):
                folder = self.tmp / f"case{number}"
                shutil.copytree(ROOT / "tb/rtl/outside" / name, folder)
                text = (folder / "horae_rtl.toml").read_text()
                self.assertIn(old, text)
                (folder / "horae_rtl.toml").write_text(text.replace(old, new))
                self.assertIn(message, self.refused(folder))

    def test_what_is_wrong_is_one_line(self):
        def described(old, new):
            return lambda text: text.replace(old, new)

        cases = [
            ("parse", lambda text: text.replace("endmodule", "endmodul"), None, "syntax error"),
            ("width", lambda text: text.replace("advanced <= run", "advanced <= {1'b0, run}"), None, "name it in 'tolerate'"),
            ("bits", lambda text: text.replace("output logic [23:0] expected", "output logic [22:0] expected"),
             described("\n[pins]", 'tolerate = ["WIDTH"]\n[pins]'), "'expected' has 23 bits, expected 24"),
            ("pin", None, described('"psn"', '"pns"'), "has no pin 'pns', did you mean 'psn'?"),
            ("side", None, described('"answer_valid"', '"packet_valid"'), "'packet_valid' is an input, expected an output"),
            ("needed", None, described('request_psn = "psn"', ""), "missing 'request_psn'"),
            ("more", lambda text: text.replace("input logic clk,", "input logic clk, input logic scan,"), None,
             "input 'scan' has no role"),
            ("key", None, described("sources =", "source ="), "unknown key 'source', did you mean 'sources'?"),
            ("toml", None, described("sources =", "sources"), "horae_rtl.toml: "),
            ("file", None, described("reorder_window.sv", "none.sv"), "none.sv is not there"),
            ("top", None, described('top = "reorder_window"', 'top = "window"'), "window"),
            ("parameter", None, described("WINDOW = 16", "WIDE = 16"), "WIDE"),
        ]
        for name, edit, describe, message in cases:
            with self.subTest(name):
                said = self.refused(self.block(name, edit or (lambda text: text), describe or (lambda text: text)))
                self.assertIn(message, said)

    def test_a_faulty_block_leaves_the_rest_alone(self):
        good, bad = self.block("good"), self.block("bad", lambda text: text.replace("endmodule", "endmodul"))
        other, stream = (ROOT / "tb/rtl/outside" / name for name in ("shorter_queue", "congestion_fifo"))
        again = self.tmp / "again"
        shutil.copytree(good, again)
        (self.tmp / "CMakeLists.txt").write_text(PROJECT.format(root=ROOT, folders=f"{bad} {good} {other} {stream} {again}"))
        done = subprocess.run(["cmake", "-S", self.tmp, "-B", self.tmp / "build"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        left_out = [line for line in done.stdout.splitlines() if "left out" in line]
        self.assertEqual(len(left_out), 3, done.stdout)
        self.assertIn("RTL block left out", left_out[0])
        self.assertIn("syntax error", left_out[0])
        self.assertIn("another block is called 'good'", left_out[1])
        self.assertIn("RTL faulty (VFaulty) left out", left_out[2])
        self.assertIn("taken: OFF", done.stdout)
        catalogue = (self.tmp / "build/catalogue").read_text()
        self.assertIn('.name = "bad", .refused = "', catalogue)
        self.assertEqual(catalogue.count(".make = make_block_good"), 1)
        self.assertIn("std::unique_ptr<BalancerTop> make_block_shorter_queue", catalogue)
        self.assertIn('.name = "congestion_fifo",\n       .in_bytes = 64,\n       .out_bytes = 64,', catalogue)
        self.assertIn('.name = "shorter_queue",\n       .model = "balance=po2",\n       .choices = 16,', catalogue)

    def test_coverage_counts_a_point_of_all_instances_once(self):
        def point(line, page, what, count, instance="top.a", file="models/rtl/themis_d/themis_d.sv"):
            fields = {"f": str(ROOT / file), "l": line, "n": "5", "t": page, "page": f"v_{page}/themis_d", "o": what, "h": instance}
            return "C '" + "".join(f"\1{key}\2{value}" for key, value in fields.items()) + f"' {count}\n"

        text = "# SystemC::Coverage-3\n" + "".join([
            point(10, "line", "block", 0), point(10, "line", "block", 3, "top.b"), point(20, "line", "block", 0),
            point(30, "branch", "if", 1), point(5, "toggle", "psn[0]", 7), point(5, "toggle", "psn[1]", 0),
            point(5, "toggle", "psn[0]", 9, file="tb/rtl/outside/none.sv")])
        table = coverage.table(ROOT, text)
        self.assertEqual(list(table), ["themis_d"])
        self.assertEqual({page: tuple(of) for page, of in table["themis_d"].items()},
                         {"v_line": (1, 2), "v_branch": (1, 1), "v_toggle": (1, 2)})


if __name__ == "__main__":
    if not shutil.which("verilator"):
        sys.exit(77)
    os.environ["LC_ALL"] = "C"
    unittest.main()
