#!/usr/bin/python3
"""Numbers that pages say a command prints: the command is run, and prints them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HORAE = os.environ.get("HORAE_PROGRAM", str(ROOT / "build/platforms/horae"))


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


class Pages(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="horae_pages."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name in ("platforms", "traces"):
            (self.folder / name).symlink_to(ROOT / name)

    def horae(self, *words):
        ended = subprocess.run([HORAE, *words, "--no-progress"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def test_the_first_run_of_the_readme(self):
        block = re.search(r"sends the twelve messages.*?(?=\n\S+ `out/first/)", page("README.md"), re.DOTALL)[0]
        lines = [line.removeprefix("    ") for line in block.splitlines() if line.startswith("    ")]
        self.assertGreater(len(lines), 4)
        printed = self.horae("run", "platforms/flow_list.toml", "--out", "out/first").splitlines()
        for line in lines:
            self.assertIn(line, printed)
        told = re.search(r"--set (\S+) +# (fct\.mean) (\S+) (\S+)", page("README.md"))
        printed = self.horae("run", "platforms/flow_list.toml", "--set", told[1]).splitlines()
        self.assertIn(list(told.groups()[1:]), [line.split() for line in printed])

    def test_the_platform_of_the_manuals_contents(self):
        text = page("platforms/manual/README.md")
        (self.folder / "mine.toml").write_text(re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1], encoding="utf-8")
        told = re.search(r"prints `(\S+)`: (\S+) (Gbps of payload).*?`(--set) (\S+)` it is (\S+) Gbps", text, re.DOTALL)
        for settings, number in (([], told[2]), ([told[4], told[5]], told[6])):
            printed = self.horae("run", "mine.toml", *settings).splitlines()
            self.assertIn([told[1], number, *told[3].split()], [line.split() for line in printed])
        for command in re.findall(r"^    build/platforms/horae (size .*?)$", text, re.MULTILINE):
            self.assertGreater(len(self.horae(*command.split()).splitlines()), 3, command)

    def test_the_sizes_of_the_page_of_pnp_and_trp(self):
        keys = re.findall(r'"(esw\.program\.\w+_entries)"', page("platforms/studies/longhaul_size.toml"))
        self.assertEqual(len(keys), 7)
        for row in (r"65,536 \| (\d+) \| (\d+) \| (9), 9", r"131,072 \| (\d+) \| (\d+) \| (11), refused"):
            told = re.search(rf"\| {row} \|", page("models/programs/src/pnp_trp/README.md"))
            entries = row.split(" ")[0].replace(",", "")
            settings = [word for key in ("esw.chip=tofino1", *(f"{k}={entries}" for k in keys)) for word in ("--set", key)]
            printed = json.loads(self.horae("size", "platforms/longhaul_esw.toml", *settings, "--json"))["pipelines"][0]
            found = [printed["resources"]["sram"]["used"], printed["resources"]["map_ram"]["used"], printed["stages_used"]]
            self.assertEqual(found, [int(n) for n in told.groups()], entries)

    def test_the_page_of_p4_programs(self):
        text = page("platforms/manual/p4.md")
        commands = re.findall(r"^    build/platforms/horae (.*?platforms/p4/.*?)(?: +# .*)?$", text, re.MULTILINE)
        printed = [self.horae(*command.split()) if command.startswith("replay")
                   else subprocess.run([HORAE, *command.split()], cwd=self.folder, capture_output=True, text=True, check=True).stdout
                   for command in commands]
        self.assertIn("tna for tofino: 6 parsers and controls, 1 table", printed[0])
        self.assertEqual(printed[1], "6 packets, 6 expectations: met\n")
        self.assertRegex(printed[2], r"packets: 60 of traces and 0 copies = 60 out \+ dropped \(none\)")
        self.assertRegex(printed[3], r"packets: \d+ created = \d+ delivered \+ dropped \(none\) \+ \d+ in flight")
        self.assertTrue(printed[4].endswith("left in platforms/p4/router/router.p4:\n"
                                            f"  {'entries':<14} {'pipe.Ingress.ipv4_lpm':<50} {3:>7}\n"), printed[4])
        self.assertEqual(len(printed), 5)
        # The entries in CSV, in place of those in TOML: 10.1.0.0/16 by port 16, all else is dropped.
        csv = re.search(r"\n\n((?:    \S+,\S+,.*\n)+)", text)[1].replace("    ", "")
        (self.folder / "mine.csv").write_text(csv, encoding="utf-8")
        (self.folder / "mine.stf").write_text(
            "packet 1 020000000001020000000002 0800 4500001400000000 4011ac2b c0a801010a010304\n"
            "expect 16 020000000002020000000001 0800 4500001400000000 3f11ad2b c0a801010a010304 $\n"
            "packet 1 020000000001020000000002 0800 4500001400000000 4011ac2a c0a801010a020304\nno_packet\n", encoding="utf-8")
        tested = subprocess.run([HORAE, "p4", "test", "mine.stf", "--source", "platforms/p4/router/router.p4", "--entries",
                                 "mine.csv"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((tested.stdout, tested.stderr), ("2 packets, 2 expectations: met\n", ""))
        # The table of a platform is read as it stands there.
        keys = re.findall(r"^    (\w+) = ", text[text.index("[tor.program]"):].split("\n\n")[0], re.MULTILINE)
        listed = subprocess.run([HORAE, "list", "programs"], capture_output=True, text=True, check=True).stdout
        for key in keys[1:]:
            self.assertIn(f" {key} ", listed[listed.index("\np4"):] if "\np4" in listed else listed, key)

    def test_the_hypothesis_of_the_page_of_explain(self):
        text = page("platforms/manual/explain.md")
        (self.folder / "hypothesis.toml").write_text(re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1], encoding="utf-8")
        told = re.search(r"\n    M1\.firmware: .*?\n\n", text, re.DOTALL)[0].strip("\n").replace("+0.00", "-0.00").splitlines()
        self.assertGreater(len(told), 8)
        printed = self.horae("explain", "platforms/cx7_spray.toml", "--hypotheses", "hypothesis.toml", "--quick")
        self.assertIn("\n".join(line.removeprefix("    ") for line in told), printed.replace("+0.00", "-0.00"))

    def test_the_cliff_of_the_page_of_nics(self):
        text = page("platforms/manual/nic.md")
        shutil.copy(ROOT / "platforms/nics/connectx7.toml", self.folder / "mine.toml")
        tables = [{row.split()[0]: row.split() for row in table.splitlines()}
                  for table in re.findall(r"\n    queue pairs .*?\n    ---+\n(.*?)\n\n", text, re.DOTALL)]
        self.assertEqual([len(t) for t in tables], [7, 7])
        for settings, all_stay, table in (
                ([], r"all contexts stay up to (\d+) queue", tables[0]),
                (["nic.spec=mine.toml", "sim.warmup=10ms", "sim.duration=12ms"], r"hold the contexts of (\d+) such", None),
                (["nic.spec=mine.toml", "nic.sram.total=5MiB"], r"the contexts of (\d+) stay:", tables[1])):
            with self.subTest(settings):
                words = [w for s in settings for w in ("--set", s)]
                limit = re.search(all_stay, text)[1]
                self.assertIn(f"All contexts stay up to {limit} queue pairs",
                              self.horae("size", "platforms/nic_cliff.toml", *words))
                # The last row: behind the cliff, where there is one.
                results = json.loads(self.horae("run", "platforms/nic_cliff.toml", "--point", "4096", "--json", *words))["results"]
                self.assertEqual(int(limit) > 4096, table is None)
                shown = [f"{results[name]['value']:.3f}" for name in ("senders.tx_share", "senders.idle_context")]
                self.assertEqual(shown, ["1.000", "0.000"] if table is None else [table["4096"][1], table["4096"][3]])


if __name__ == "__main__":
    unittest.main()
