# SPDX-License-Identifier: Apache-2.0
"""A rehearsal's parts that need no lab: running a program with a log, and whose MACs are in whose folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flathood.rehearse import folder
from flathood.rehearse.command import TAIL, Outcome, Recap, run
from flathood.spec import load_cluster

ROOT = Path(__file__).parents[2]
HEXA = ROOT / "inventories" / "hexa"
MACS = [
    *((name, slot, f"02:00:5e:00:0{number}:0{slot}") for number, name in enumerate("abcdef") for slot in (0, 1)),
    ("head", 0, "02:00:5e:00:09:00"),
]
ANSIBLE = """
PLAY [Provision] ****

TASK [links : Install the files] ****
changed: [a]
RUNNING HANDLER [Reload] ****
PLAY RECAP ****
a                          : ok=9    changed=2    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0
b                          : ok=0    changed=0    unreachable=1    failed=0    skipped=0    rescued=0    ignored=0
c                          : ok=4    changed=1    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0
"""


def play(tmp_path: Path, script: str, notes: list[str] | None = None) -> Outcome:
    argv = [sys.executable, "-c", script]
    note = [] if notes is None else notes
    return run(argv, tmp_path / "logs" / "it.log", note.append, {"GREETING": "hello"})


def test_ansible_s_tasks_are_told_and_its_recap_is_read(tmp_path: Path) -> None:
    notes: list[str] = []
    done = play(tmp_path, f"print({ANSIBLE!r})", notes)
    assert notes == ["links : Install the files", "Reload"]
    assert done.recap["a"] == Recap(ok=9, changed=2, unreachable=0, failed=0)
    assert done.changed == 3
    assert done.lost == ("b", "c")


def test_all_output_is_in_the_log_and_the_end_of_it_at_hand(tmp_path: Path) -> None:
    done = play(tmp_path, "import sys\nfor i in range(100): print(i)\nprint('oops', file=sys.stderr)\nsys.exit(7)")
    assert done.code == 7
    assert done.log.read_text() == "".join(f"{i}\n" for i in range(100)) + "oops\n"
    assert done.tail == (*(str(i) for i in range(101 - TAIL, 100)), "oops")


def test_of_a_failed_playbook_the_summary_is_shown_and_not_its_recap(tmp_path: Path) -> None:
    said = ANSIBLE + "\nSUMMARY ****\n1 of 3 machines is right\nfailed: c: no such switch\n"
    assert play(tmp_path, f"print({said!r})").last_words == (
        "1 of 3 machines is right",
        "failed: c: no such switch",
        "",
    )
    assert play(tmp_path, f"print({ANSIBLE!r})").last_words[-2:] == (ANSIBLE.splitlines()[-1].rstrip(), "")


def test_the_environment_is_added_to_the_own(tmp_path: Path) -> None:
    done = play(tmp_path, "import os; print(os.environ['GREETING'], os.environ['PATH'])")
    assert done.tail == (f"hello {os.environ['PATH']}",)


def test_a_killed_rehearsal_leaves_no_program_at_work(tmp_path: Path) -> None:
    script = (
        "from pathlib import Path; from flathood.rehearse.command import run;"
        "run(['sh', '-c', f'echo $$ > {Path.cwd()}/pid; exec sleep 60'], Path('log'), print, {})"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as it:
        pid = awaited(tmp_path / "pid")
        it.send_signal(signal.SIGKILL)
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the program outlived the rehearsal")


def awaited(file: Path) -> int:
    for _ in range(100):
        if file.exists() and (text := file.read_text()):
            return int(text)
        time.sleep(0.1)
    pytest.fail("the program did not start")


def imported(into: Path) -> None:
    listing = into.with_suffix(".csv")
    folder.write_list(MACS, listing)
    argv = [sys.executable, "-m", "flathood", "macs", "import", str(listing), "--into", str(into)]
    subprocess.run(argv, check=True, cwd=ROOT, capture_output=True)


def test_a_copy_gets_the_lab_s_macs_and_the_cluster_s_folder_stays_as_it_is(tmp_path: Path) -> None:
    cluster = load_cluster(HEXA / "cluster.yml")
    own, working = tmp_path / "own", tmp_path / "working"
    own.mkdir()
    for name in ("cluster.yml", "wiring.yml"):
        (own / name).write_bytes((HEXA / name).read_bytes())
    (own / "macs.yml").write_text("cluster: hexa\nnodes: {a: [{mac: '02:00:00:00:00:01', state: seen}]}\n")
    before = (own / "macs.yml").read_bytes()
    assert not folder.knows(own, cluster, MACS)

    assert folder.copy(own, working)
    assert not folder.knows(working, cluster, MACS)
    imported(working)
    assert folder.knows(working, cluster, MACS)
    assert (own / "macs.yml").read_bytes() == before

    # The next rehearsal finds the copy as it is, and one after a change of the cluster brings the copy up to date.
    assert not folder.copy(own, working)
    (own / "group_vars").mkdir()
    (own / "group_vars" / "all.yml").write_text("one: 1\n")
    assert folder.copy(own, working)
    assert (working / "group_vars" / "all.yml").exists()
    assert folder.knows(working, cluster, MACS)


def test_a_folder_that_lacks_one_nic_or_has_another_does_not_know_the_lab(tmp_path: Path) -> None:
    cluster = load_cluster(HEXA / "cluster.yml")
    working = tmp_path / "working"
    folder.copy(HEXA, working)
    assert not folder.knows(working, cluster, MACS)
    imported(working)
    assert folder.knows(working, cluster, MACS)
    assert not folder.knows(working, cluster, [*MACS, ("a", 2, "02:00:5e:00:00:02")])
    assert not folder.knows(working, cluster, [("a", 0, "02:00:5e:00:00:ff"), *MACS[1:]])
