"""A Slurm cluster of this one machine, in a folder of its own, for as long as a test takes. As root only: Slurm
starts jobs as their users. No cgroups, no munge (auth/none): a container has neither."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

NEEDED = ("slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel")

CONF = """ClusterName=horae
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,sched_interval=1
MinJobAge=5
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 Port={node_port} CPUs=2 State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Programs of Slurm that are not installed."""
    return [n for n in NEEDED if shutil.which(n) is None and not os.access(f"/usr/sbin/{n}", os.X_OK)]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """`with Cluster(folder) as environment`: the environment of commands for it. RuntimeError with what the daemons
    said when it does not come up."""

    def __init__(self, folder, patience_s=60):
        self.folder, self.patience_s = pathlib.Path(folder), patience_s
        self.daemons = []

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def start(self):
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        conf = self.folder / "slurm.conf"
        conf.write_text(CONF.format(host=host, folder=self.folder, controller_port=free_port(),
                                    node_port=free_port()), encoding="utf-8")
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\n", encoding="utf-8")
        environment = {**os.environ, "SLURM_CONF": str(conf), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        for command in (["slurmctld", "-D", "-i", "-f", str(conf)], ["slurmd", "-D", "-N", host, "-f", str(conf)]):
            # They end with this process, whatever happens to it.
            with open(self.folder / f"{command[0]}.out", "wb") as out:
                self.daemons.append(subprocess.Popen(
                    ["setpriv", "--pdeathsig", "KILL", "--", *command], env=environment, stdin=subprocess.DEVNULL,
                    stdout=out, stderr=subprocess.STDOUT))
        begin = time.monotonic()
        while True:
            state = subprocess.run(["sinfo", "--noheader", "--format", "%t"], env=environment, capture_output=True,
                                   text=True, check=False, timeout=30).stdout.split()
            if state == ["idle"]:
                return environment
            ended = [d for d in self.daemons if d.poll() is not None]
            if ended or time.monotonic() - begin > self.patience_s:
                raise RuntimeError(f"the cluster did not come up (node: {state}):\n{self.said()}")
            time.sleep(0.2)

    def said(self):
        out = ""
        for path in sorted([*self.folder.glob("*.out"), *self.folder.glob("*.log")]):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            out += "\n".join([f"--- {path.name}", *lines[-15:]]) + "\n"
        return out

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
