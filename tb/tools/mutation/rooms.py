"""Rooms whose sources are mutated, and the tests that each is held against."""
import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM_TESTS = "horae_tb_platforms"  # runs the program `horae` as a process


@dataclasses.dataclass(frozen=True)
class Room:
    name: str
    group: str  # "models", "program", "scripts"
    sources: tuple  # patterns below ROOT
    tests: tuple  # those of its own first

    def files(self):
        return sorted(f for pattern in self.sources for f in ROOT.glob(pattern) if f.is_file())


def _model(name, *tests):
    return Room(name, "models", (f"models/{name}/src/**/*.cpp",), tests)


def _program(name, *tests):
    return Room(name, "program", (f"platforms/program/{name}/src/**/*.cpp",), (*tests, PROGRAM_TESTS))


def _scripts(name, commands, *tests):
    return Room(name, "scripts", (f"scripts/lib/{name}/*.py", *(f"scripts/{c}" for c in commands)),
                tuple(f"{t}_test.py" for t in tests))


def _tools(name, commands, *tests):
    return Room(name, "scripts", (f"tb/tools/{name}/*.py", *(f"tb/tools/{c}" for c in commands)),
                tuple(f"{t}_test.py" for t in tests))


ROOMS = {room.name: room for room in (
    _model("core", "horae_tb_core", "horae_tb_capture"),
    _model("policy", "horae_tb_policy", "horae_tb_policy_entropy"),
    _model("dataplane", "horae_tb_dataplane", "horae_tb_programs"),
    _model("programs", "horae_tb_programs"),
    _model("fabric", "horae_tb_fabric"),
    _model("tofino", "horae_tb_tofino"),
    _model("rnic", "horae_tb_rnic"),
    _model("params", "horae_tb_params"),
    _model("traffic", "horae_tb_traffic"),
    _model("p4lang", "horae_tb_p4lang", "horae_tb_p4prog"),
    _model("p4prog", "horae_tb_p4prog"),
    _model("p4price", "horae_tb_p4price"),
    _program("inference", "horae_tb_inference"),
    _program("results", "horae_tb_lab"),
    _program("config", "horae_tb_workload"),
    _program("workload", "horae_tb_workload"),
    _program("ranks", "horae_tb_ranks"),
    _program("elaboration", "horae_tb_elaboration"),
    _program("views"),
    _program("size"),
    _program("run", "horae_tb_run"),
    _program("replay"),
    _program("question", "horae_tb_question"),
    _program("lab", "horae_tb_lab"),
    _program("explain", "horae_tb_explain"),
    _program("cli"),
    _scripts("explore", ["explore"], "explore/exploration", "explore/study", "explore/explore", "explore/explore_damage",
             "explore/expressions"),
    _scripts("common", [], "explore/exploration", "explore/explore", "explore/explore_damage", "figures/figures",
             "figures/plot_tables"),
    _scripts("report", ["report"], "report/report_parts", "report/report_runs", "report/report_flows", "report/report_network", "report/report_replay", "report/report_sweeps",
             "report/report_sizes", "report/report_studies", "report/report"),
    _scripts("validate", [], "validate/validation", "figures/figures", "validate/validate", "validate/recovery"),
    _scripts("compare_replay", ["compare_replay", "compare_stages"], "comparison", "compare_replay", "compare_stages"),
    _scripts("plot", ["plot"], "figures/figures", "figures/plot_explain", "figures/stages_figure", "figures/plot_tables",
             "figures/plot_stages"),
    _tools("benchmarks", ["bench"], "tools/benchmarks", "tools/bench"),
    _tools("lawful", ["random_platforms"], "tools/drawn", "tools/laws", "tools/random_platforms"),
    _tools("mutation", ["mutate"], "tools/trial", "tools/mutate"),
)}
GROUPS = ("models", "program", "scripts")
# Rooms of models that the table began with.
DEFAULT = "core,policy,dataplane,programs,fabric,tofino,rnic"


def of_file(file):
    """The room of a source, by its name below ROOT."""
    parts = pathlib.PurePath(file).parts
    if parts[0] == "models":
        return ROOMS[parts[1]]
    if parts[0] == "platforms":
        return ROOMS[parts[2]]
    if len(parts) > 3:
        return ROOMS[parts[2]]
    return next(room for room in ROOMS.values() if file in room.sources)
