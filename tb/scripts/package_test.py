#!/usr/bin/python3 -B
"""scripts/package: the tarball runs where nothing but the C library is, the .deb leaves nothing behind."""
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["HORAE_PROGRAM"]).parents[1]
C_LIBRARY = ["libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0"]
SKIPPED = 77


def run(*command, code=0, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def comparable(text):
    """A summary without what differs between two runs of one program."""
    return {k: v for k, v in json.loads(text).items() if k != "wall_s"}


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.tmp = pathlib.Path(cls.folder.name)
        run(ROOT / "scripts/package", "--build", BUILD, "--out", cls.tmp / "packages")
        (cls.tarball,) = (cls.tmp / "packages").glob("*.tar.gz")
        (cls.deb,) = (cls.tmp / "packages").glob("*.deb")
        cls.root = cls.tmp / "root"
        cls.root.mkdir()
        run("tar", "xf", cls.tarball, "-C", cls.root)
        (cls.unpacked,) = cls.root.iterdir()
        # Files of every Linux: the loader and the C library.
        listed = run("ldd", "/bin/true").stdout.split()
        (loader,) = [word for word in listed if "ld-linux" in word]
        libc = pathlib.Path([word for word in listed if word.endswith("libc.so.6") and "/" in word][0]).parent
        for place in (cls.root / loader.lstrip("/"), *(cls.root / "lib" / name for name in C_LIBRARY)):
            place.parent.mkdir(parents=True, exist_ok=True)
            origin = pathlib.Path(loader) if "ld-linux" in place.name else libc / place.name
            if origin.exists():
                shutil.copy(origin.resolve(), place)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def in_an_empty_root(self, *arguments, code=0):
        inside = "/" + str(self.unpacked.relative_to(self.root))
        # Where the program lies the loader asks /proc, which this root lacks.
        environment = {"LD_LIBRARY_PATH": "/lib", "LD_ORIGIN_PATH": f"{inside}/bin"}
        return run(shutil.which("chroot"), self.root, f"{inside}/bin/horae", *arguments, code=code,
                   env=environment)

    def test_the_tarball_runs_in_an_empty_root(self):
        ours = run(BUILD / "platforms/horae", "run", ROOT / "platforms/flow_list.toml", "--json").stdout
        # Shipped files are found from "/", where there is no folder platforms.
        theirs = self.in_an_empty_root("run", "platforms/flow_list.toml", "--json", "--out", "/result").stdout
        self.assertEqual(comparable(ours), comparable(theirs))
        self.assertTrue((self.root / "result/summary.json").exists())
        self.assertIn("themis_tor", self.in_an_empty_root("list", "platforms").stdout)
        self.assertIn("stages", self.in_an_empty_root("size", "platforms/themis_tor.toml").stdout)

    def test_the_main_job_runs_in_an_empty_root(self):
        out = self.in_an_empty_root("explain", "platforms/cx7_spray.toml", "--quick", "--points", "8", "--seeds", "1",
                                    "--only", "H1", "--set", "sim.warmup=100us", "--no-progress").stdout
        self.assertIn("H1", out)

    def test_testbenches_find_the_models(self):
        library = self.unpacked / "lib/libhorae_c.so"
        needed = run("ldd", library).stdout
        self.assertNotIn("not found", needed)
        # It brings what it needs, as the program does.
        self.assertIn(f"libfmt.so.9 => {self.unpacked}/lib/libfmt.so.9", needed)
        for name in ("include/horae/facade/ordering.h", "include/horae/facade/sender.h", "sv/horae_pkg.sv", "example/packetizer_tb.sv", "README.md"):
            self.assertTrue((self.unpacked / "models/facade" / name).exists(), name)

    def test_scripts_find_the_program_beside_them(self):
        study = self.tmp / "study.toml"
        platform = self.unpacked / "platforms/flow_list.toml"
        study.write_text(f'[study]\nname = "two"\ndescription = "two"\nplatform = "{platform}"\n'
                         '[[parameter]]\nname = "seed"\nkey = "sim.seed"\ndoc = "seed"\nvalues = [1, 2]\n'
                         '[[objective]]\nname = "fct"\nresult = "fct.p50"\ndirection = "min"\nunit = "us"\n')
        out = run(self.unpacked / "scripts/explore", study, "--out", self.tmp / "explored", "--no-progress", cwd="/")
        self.assertIn("2", out.stdout)

    def test_a_missing_module_is_one_line(self):
        hidden = self.tmp / "hidden"
        hidden.mkdir()
        (hidden / "jinja2.py").write_text("raise ModuleNotFoundError('No module named jinja2', name='jinja2')\n")
        out = run(self.unpacked / "scripts/report", "-h", code=1, env={"PYTHONPATH": str(hidden)})
        self.assertEqual(out.stderr.count("\n"), 1)
        self.assertIn("needs the Python module 'jinja2' (Debian: python3-jinja2)", out.stderr)

    def unpacked_run(self, *arguments, code=0):
        return run(self.unpacked / "bin/horae", *arguments, code=code, cwd=self.tmp)

    def build_project(self, source, build, *options, code=0):
        configured = run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.unpacked}", "-DCMAKE_UNITY_BUILD=ON",
                         "-DCMAKE_BUILD_TYPE=Debug", *options, code=code)
        if code == 0:
            run("cmake", "--build", build)
        return configured

    def test_a_project_outside_the_tree_extends_it(self):
        project = self.tmp / "mine"
        shutil.copytree(self.unpacked / "platforms/plugins", project)
        self.build_project(project, project / "build")
        platform = project / "mine.toml"
        library = project / "build/libmine.so"
        results = {}
        slow = "link[2].rate=50Gbps"  # so that it matters which way a packet goes
        for name, settings in {"windows": [], "events": ["sim.scheduling=exact_wake"], "kept": ["balancing.chunk=65536"]}.items():
            words = [word for setting in [slow, *settings] for word in ("--set", setting)]
            summary = json.loads(self.unpacked_run("run", platform, "--json", *words).stdout)
            self.assertEqual(summary["verdict"], "complete")
            results[name] = {key: value["value"] for key, value in summary["results"].items()}
        self.assertEqual(results["windows"], results["events"])
        # All data by that link goes through the engine of the module, one way; what it counts is a result.
        box = {key.removeprefix("box."): value for key, value in results["windows"].items() if key.startswith("box.")}
        self.assertGreater(box["encrypted"], 100)
        self.assertEqual((box["decrypted"], box["dropped"]), (0, 0))
        self.assertGreater(box["from_up0.packets"], 0)  # acknowledgements pass
        # A parameter of the balancer changes what happens, and the program counts every packet to a node.
        self.assertNotEqual(results["windows"], results["kept"])
        self.assertGreaterEqual(results["windows"]["right.program.most_of_one_node"], 4 * 64)
        # Each command knows the names; without the plug-in none does.
        self.assertIn("tally", self.unpacked_run("size", platform).stdout + self.unpacked_run("list", "programs", "--platform", platform).stdout)
        self.assertIn("chunk", self.unpacked_run("list", "parameters", "--platform", platform).stdout)
        self.assertNotIn("tally", self.unpacked_run("list", "programs").stdout)
        self.assertIn("setup", self.unpacked_run("list", "modules", "--platform", platform).stdout)
        self.assertIn("plugins_content", self.unpacked_run("config", platform, "--json").stdout)
        self.assertIn("did you mean 'chunk'?", self.unpacked_run("run", platform, "--set", "balancing.chunck=4", code=2).stderr)
        self.assertIn("did you mean 'setup'?", self.unpacked_run("run", platform, "--set", "module[0].setp=4ns", code=2).stderr)
        # End points of its own: each of a hundred answers takes two wires each way, two links each way and the switch twice.
        found = json.loads(self.unpacked_run("run", project / "probers.toml", "--json").stdout)
        self.assertEqual(found["results"]["x_end_point.answers"]["value"], 100)
        self.assertEqual(found["results"]["x_end_point.longest"]["value"], 2 * 80 * (142 + 66 + 40) + 4 * 300_000 + 2 * 400_000)
        self.assertEqual(found["packets"]["delivered"], 200)
        self.host_memories(project / "memories.toml")
        self.refusals(platform, library)
        self.module_takes_its_time(platform)
        # Packets come faster than the module serves them: 1 us each.
        ends = [float(re.search("at ([0-9.]+) us", run(project / "build/attached", str(n)).stdout).group(1)) for n in (10, 30)]
        self.assertAlmostEqual(ends[1] - ends[0], 20.0, places=6)

    def test_a_platform_file_runs_in_a_program_outside_the_tree(self):
        project = self.tmp / "embedding"
        shutil.copytree(self.unpacked / "platforms/embedding", project)
        self.build_project(project, project / "build")
        own, platform = project / "build/own", project / "own.toml"
        environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        def said(how, *more):
            return run(own, platform, how, *more, env=environment).stdout
        whole = said("run", "0", self.tmp / "whole")
        self.assertIn("264 packets delivered", whole)
        # By plain sc_start(), and in steps, as many accesses come to the same memory. A run ends with its last message; the
        # CQE of 64 bytes comes to the memory after that.
        books = re.compile(r"(\d+) accesses, (\d+) bytes, (\d+) packets delivered")
        accesses, size, packets = map(int, books.search(whole).groups())
        for how, more in (("steps", 0), ("start", 1)):
            self.assertEqual(tuple(map(int, books.search(said(how)).groups())), (accesses + more, size + 64 * more, packets))
        missing = run(own, "none.toml", code=2, env=environment, cwd=self.tmp)
        self.assertEqual(missing.stderr.count("\n"), 1, missing.stderr)
        # Where the file has no memory of a program's, results are those of the program in the package.
        ours = self.tmp / "same"
        ours.mkdir()
        (ours / "CMakeLists.txt").write_text((project / "CMakeLists.txt").read_text().replace("src/own.cpp", "same.cpp"))
        (ours / "same.cpp").write_text(
            '#include "horae/embed/platform.hpp"\n'
            'int sc_main(int, char** argv) { horae::Platform p(argv[1]); p.run(); p.write(argv[2]); return 0; }\n')
        self.build_project(ours, ours / "build")
        for file in (platform, self.unpacked / "platforms/flow_list.toml"):
            run(ours / "build/own", file, self.tmp / "embedded", env=environment)
            self.unpacked_run("run", file, "--out", self.tmp / "run", "--no-progress")
            for name in ("flows.csv",):
                self.assertEqual((self.tmp / "embedded" / name).read_bytes(), (self.tmp / "run" / name).read_bytes())
            self.assertEqual(*[comparable((self.tmp / folder / "summary.json").read_text()) for folder in ("embedded", "run")])

    def test_systemc_is_found_where_its_home_is(self):
        """A tree as Accellera's installation has it, of this machine's SystemC; then one without it, and one of another version."""
        project = self.tmp / "home_project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(home LANGUAGES CXX)\nfind_package(horae REQUIRED COMPONENTS fabric)\n"
            f"add_executable(attached {self.unpacked}/platforms/plugins/src/attached.cpp)\n"
            "target_link_libraries(attached PRIVATE horae::fabric)\n")
        home = self.tmp / "systemc"
        (home / "lib-linux64").mkdir(parents=True)
        (home / "include").mkdir()
        for name in ("systemc", "systemc.h", "sysc", "tlm", "tlm.h", "tlm_core", "tlm_utils"):
            if (pathlib.Path("/usr/include") / name).exists():
                (home / "include" / name).symlink_to(pathlib.Path("/usr/include") / name)
        library = next(pathlib.Path("/usr/lib").glob("*/libsystemc.so"))
        (home / "lib-linux64/libsystemc.so").symlink_to(library)
        self.build_project(project, project / "build", f"-DSYSTEMC_HOME={home}")
        self.assertIn(f"{home}/include", (project / "build/build.ninja").read_text())
        self.assertIn("at ", run(project / "build/attached", "5").stdout)

        def refused(where):
            said = self.build_project(project, self.tmp / "refused", f"-DSYSTEMC_HOME={where}", code=1).stderr
            shutil.rmtree(self.tmp / "refused")
            return " ".join(said.split())
        (self.tmp / "nothing").mkdir()
        self.assertIn("nothing has no include/systemc or no lib*/libsystemc", refused(self.tmp / "nothing"))
        (home / "include/sysc").unlink()
        shutil.copytree("/usr/include/sysc", home / "include/sysc")
        version = home / "include/sysc/kernel/sc_ver.h"
        version.write_text(re.sub(r"(define SC_VERSION_MAJOR\s+)\d+", r"\g<1>9", version.read_text()))
        self.assertRegex(refused(home), r"has SystemC 9\.\d+\.\d+; this package is built with 2\.")

    def test_each_header_says_which_language_it_needs(self):
        """As C++17 each ends with the one line, before anything else of it is read; those of the facade are C."""
        include, facade = self.unpacked / "include", self.unpacked / "models/facade/include"
        def compiled(name, *language, below=include):
            return subprocess.run(["c++", "-fsyntax-only", *language, f"-I{below}", "-"], input=f"#include <{name}>\n", text=True,
                                  capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"})
        names = sorted(str(path.relative_to(include)) for path in include.rglob("*.hpp"))
        self.assertGreater(len(names), 300)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for name, done in zip(names, pool.map(lambda name: compiled(name, "-x", "c++", "-std=c++17"), names)):
                first, *rest = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
                self.assertEqual(first, '#error "Horae\'s headers are C++20: compile what includes them with -std=c++20 or later"', name)
                # The second one ends the compilation, and nothing is behind it.
                self.assertEqual(rest, ["horae/core/end_of_compilation: No such file or directory"], name)
        for path in facade.rglob("*.h"):
            for language in (["-x", "c", "-std=c99"], ["-x", "c++", "-std=c++17"]):
                self.assertEqual(compiled(path.relative_to(facade), *language, "-Wall", "-Wextra", "-Werror", below=facade).stderr, "")

    def module_takes_its_time(self, platform):
        """One message of one packet by the module's link: it is later by what the engine takes, to the picosecond."""
        one = ['traffic[0].from=["a0"]', 'traffic[0].to=["b0"]', "traffic[0].count=1", "traffic[0].message=1 KiB", "nic.mtu=1 KiB",
               'module[0].between=["a0","left"]']
        def completed(*settings):
            words = [word for setting in (*one, *settings) for word in ("--set", setting)]
            self.unpacked_run("run", platform, "--out", self.tmp / "one", *words)
            with open(self.tmp / "one/flows.csv", encoding="utf-8", newline="") as file:
                return float(next(csv.DictReader(file))["last_completion_us"])
        fast, slow = completed("module[0].setup=0 ns", "module[0].rate=1024 Gbps"), completed("module[0].setup=700 ns", "module[0].rate=8 Gbps")
        self.assertAlmostEqual(slow - fast, 0.7 + 1.024 - 0.008, places=6)  # us

    def host_memories(self, platform):
        """Two NICs share a memory of the plug-in."""
        def results(*settings):
            words = [word for setting in settings for word in ("--set", setting)]
            summary = json.loads(self.unpacked_run("run", platform, "--json", *words).stdout)
            self.assertEqual(summary["verdict"], "complete")
            return {key: value["value"] for key, value in summary["results"].items()}
        windows = results()
        # Payload is read and written, and so are the WQE and the CQE of each message.
        payload = 2 * 4 * 65536
        self.assertEqual(windows["mem.bytes"], 2 * payload + 2 * 4 * (64 + 64))
        # Packets of 1 KiB are read in two requests and written in one.
        self.assertGreater(windows["mem.accesses"], payload / 1024 + payload / 512)
        self.assertEqual(windows, results("sim.scheduling=exact_wake"))
        self.assertEqual(windows, results("sim.window=37ns"))
        # One bank that takes 200 ns for an access.
        slow = results("host_memory[0].banks=1", "host_memory[0].busy=200ns")
        self.assertGreater(slow["mem.conflicts"], 0.9 * slow["mem.accesses"])
        # us: all but the last writes are before the last completion.
        self.assertGreater(slow["flows.fct_max"], windows["mem.accesses"] * 0.2 * 0.98)
        self.assertIn("banks", self.unpacked_run("list", "modules", "--platform", platform).stdout)
        for settings, words in ((["host_memory[0].bank=4"], "did you mean 'banks'?"), (["host_memory[0].kind=ran"], "did you mean 'ram'?"),
                                (['host_memory[0].nics=["h0","s"]'], "'s' has no host memory; expected a NIC with host = \"pcie\""),
                                (['host_memory[0].nics=["h0","h0"]'], "'h0' comes twice"), (["host_memory[0].name=h0"], "device 'h0' is there already")):
            said = self.unpacked_run("run", platform, "--set", settings[0], code=2).stderr
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn(words, said)

    def refusals(self, platform, library):
        def refused(plugins):
            out = self.unpacked_run("run", platform, "--set", f"plugins={json.dumps([str(p) for p in plugins])}", code=2)
            self.assertEqual(out.stderr.count("\n"), 1, out.stderr)
            return out.stderr
        def patched(name, old, new):
            data = library.read_bytes()
            self.assertEqual(data.count(old), 1)
            (library.parent / name).write_bytes(data.replace(old, new))
            return library.parent / name
        digest = re.search('digest = "([0-9a-f]{16})"', (self.unpacked / "lib/cmake/horae/plugin_digest.hpp").read_text()).group(1)
        other = patched("headers.so", digest.encode(), b"0123456789abcdef")
        self.assertIn(f"headers.so: built with headers 0123456789abcdef, this program has {digest}; build the plug-in", refused([other]))
        version = patched("version.so", b"Horae plug-in 1\0" + b"0.1.0", b"Horae plug-in 1\0" + b"0.0.9")
        self.assertIn("version.so: built with Horae 0.0.9, this program has 0.1.0", refused([version]))
        self.assertIn("none.so\": no such file", refused([self.tmp / "none.so"]))
        self.assertIn("no plug-in of Horae", refused([platform]))
        again = shutil.copy(library, library.parent / "again.so")
        self.assertIn("again.so: load balancer 'chunks' is there already", refused([library, again]))
        # Compiled once, linked with two faults.
        abi = library.parent / "abi.o"
        run("c++", "-std=c++20", "-fPIC", "-c", self.unpacked / "lib/cmake/horae/plugin_abi.cpp", "-o", abi, f"-I{self.unpacked}/include",
            "-DSC_CPLUSPLUS=201703L")
        run("c++", "-shared", abi, "-o", library.parent / "empty.so")
        self.assertIn("empty.so: has no function 'horae_plugin'", refused([library.parent / "empty.so"]))
        source = self.tmp / "lost.cpp"
        source.write_text('namespace horae { void lost(); }\nextern "C" void horae_plugin() { horae::lost(); }\n')
        run("c++", "-fPIC", "-shared", source, abi, "-o", library.parent / "lost.so")
        self.assertIn("lost.so: cannot be loaded: undefined symbol: horae::lost()", refused([library.parent / "lost.so"]))

    def test_rooms_are_libraries_for_others(self):
        project = self.tmp / "other"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\nfind_package(horae REQUIRED COMPONENTS dataplane)\n"
            "add_executable(other other.cpp)\ntarget_link_libraries(other PRIVATE horae::dataplane)\n")
        (project / "other.cpp").write_text(
            '#include <cstdio>\n#include "horae/dataplane/chip_spec.hpp"\n'
            'int main() { std::puts(horae::dataplane::ChipSpec::find({"tofino2", {}}).description.c_str()); }\n')
        self.build_project(project, project / "build")
        self.assertIn("Tofino2", run(project / "build/other").stdout)

    def test_a_missing_package_is_named(self):
        out = run("cmake", "-S", self.unpacked / "platforms/plugins", "-B", self.tmp / "none", f"-DCMAKE_PREFIX_PATH={self.unpacked}", code=1,
                  env={**os.environ, "PKG_CONFIG_LIBDIR": "/nowhere"})
        self.assertIn("horae: SystemC's headers are missing (Debian: pkg-config, libsystemc-dev)", " ".join(out.stderr.split()))

    def test_the_deb_leaves_nothing(self):
        root = self.tmp / "debian"
        for part in ("info", "updates"):
            (root / "var/lib/dpkg" / part).mkdir(parents=True)
        for part in ("status", "available"):
            (root / "var/lib/dpkg" / part).touch()
        dpkg = ["dpkg", f"--root={root}", "--log=/dev/null", "--force-depends", "--force-script-chrootless"]
        run(*dpkg, "-i", self.deb)
        # It needs libraries that Debian brings: those of this machine.
        out = run(root / "usr/bin/horae", "run", "platforms/flow_list.toml", cwd=self.tmp)
        self.assertIn("complete", out.stdout)
        run(*dpkg, "--purge", "horae")
        left = [p for p in root.rglob("*") if "var/lib/dpkg" not in str(p) and not p.is_dir()]
        self.assertEqual(left, [])
        self.assertFalse((root / "usr/lib/horae").exists())


class WithoutPackages(unittest.TestCase):
    def test_containers_call_what_there_is(self):
        settings = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
        commands = " ".join([settings["onCreateCommand"], settings["postCreateCommand"], (ROOT / ".devcontainer/Containerfile").read_text()])
        for name in re.findall(r"scripts/\w+", commands):
            self.assertTrue(os.access(ROOT / name, os.X_OK), name)

    def test_what_is_no_build_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            out = run(ROOT / "scripts/package", "--build", folder, "--out", f"{folder}/none", code=2)
            self.assertIn("no build of Horae", out.stderr)
            self.assertFalse(os.path.exists(f"{folder}/none"))


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("cpack"):
        sys.exit(SKIPPED)  # chroot and dpkg want root
    unittest.main()
