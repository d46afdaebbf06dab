# SPDX-License-Identifier: Apache-2.0
"""playbooks/design.yml by real Ansible: check mode with its difference, a run, one that changes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def play(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).parent / "ansible-playbook", "playbooks/design.yml", "-i", folder, *options]
    surroundings = os.environ | environment
    return subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=120, check=False)


def test_check_then_run_then_nothing(tmp_path: Path) -> None:
    shutil.copy(ROOT / "inventories/hexa/cluster.yml", tmp_path)
    check = play(tmp_path, "--check", "--diff")
    assert check.returncode == 0, check.stdout + check.stderr
    assert "changed=1" in check.stdout
    assert "+  a: [" in check.stdout
    assert not (tmp_path / "wiring.yml").exists()
    assert "changed=1" in play(tmp_path).stdout
    written = (tmp_path / "wiring.yml").read_bytes()
    assert b"optimal: true" in written
    assert "changed=0" in play(tmp_path).stdout
    assert (tmp_path / "wiring.yml").read_bytes() == written


def test_a_mix_of_profiles_and_what_is_wrong_in_one(tmp_path: Path) -> None:
    shutil.copy(ROOT / "inventories/hexa/cluster.yml", tmp_path)
    mix = '{"design_profile": [{"profile": "ring", "weight": 2}, {"profile": "all-to-all", "weight": 1}]}'
    assert play(tmp_path, "-e", mix).returncode == 0
    assert 'profile: "2 ring + 1 all-to-all"' in (tmp_path / "wiring.yml").read_text()
    wrong = play(tmp_path, "-e", "design_profile=tours")
    assert wrong.returncode != 0
    assert "'tours' is no profile" in wrong.stdout


def test_the_cluster_is_found_among_other_inventories(tmp_path: Path) -> None:
    cluster, other = tmp_path / "six", tmp_path / "others.ini"
    cluster.mkdir()
    shutil.copy(ROOT / "inventories/hexa/cluster.yml", cluster)
    other.write_text("[printers]\nlaser\n")
    plugins = "flathood.cluster.inventory,ansible.builtin.ini"
    made = play(other, "-i", str(cluster / "cluster.yml"), ANSIBLE_INVENTORY_ENABLED=plugins)
    assert "changed=1" in made.stdout, made.stdout + made.stderr
    assert (cluster / "wiring.yml").exists()
