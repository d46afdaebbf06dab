# SPDX-License-Identifier: Apache-2.0
"""What machines without a system boot: the texts of role head and of the boot script, as those who read them do."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import jinja2
import pytest

from flathood.discovery.journal import Lease, parse_line
from flathood.netboot.initramfs import FILLING, HOOK, LABEL, OWN, SCRIPT
from flathood.netboot.recipe import metal

TEMPLATES = Path(__file__).resolve().parents[2] / "roles/head/templates"
ROLE = {
    "ansible_managed": "Ansible managed",
    "__head_netboot_folder": "/var/lib/flathood/netboot",
    "head_netboot_port": 8080,
    "head_netboot_kernel": "console=ttyS0",
    "head_netboot_disk": "/dev/vda",
}


def drawn(name: str, **variables: str) -> str:
    """A template of the role, rendered as Ansible does."""
    loader = jinja2.FileSystemLoader(TEMPLATES)
    # S701: settings and scripts are no HTML.
    environment = jinja2.Environment(
        loader=loader,
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701
    )
    environment.filters["comment"] = lambda text: f"#\n# {text}\n#"
    return environment.get_template(f"{name}.j2").render(ROLE | variables)


@pytest.mark.parametrize("name", ["boot.ipxe", "discover.ipxe"])
def test_ipxe_knows_its_scripts_by_their_first_line(name: str) -> None:
    assert drawn(name).splitlines()[0] == "#!ipxe"


def test_the_kernel_is_told_all_that_the_boot_script_reads() -> None:
    line = next(line for line in drawn("boot.ipxe").splitlines() if line.startswith("kernel "))
    told = {word.partition("=")[0] for word in line.split()}
    read = set(re.findall(r"argument (flathood\.\w+)", SCRIPT))
    assert read == {word for word in told if word.startswith("flathood.")}
    assert "boot=flathood" in line.split()
    assert "console=ttyS0" in line.split()
    # Without it a machine that cannot go on would wait for somebody at its console.
    assert "panic=60" in line.split()


def test_each_nic_tells_discovery_its_slot() -> None:
    classes = re.findall(r"^set net(\d+)/user-class (\S+)$", drawn("discover.ipxe"), re.MULTILINE)
    assert [int(number) for number, _ in classes] == list(range(16))
    for number, text in classes:
        line = (
            '{"at": 1, "event": "add", "mac": "02:00:00:00:00:01", "ip": "198.18.0.16", "expires": 121, '
            f'"host": "", "vendor": "", "user": "{text}"}}'
        )
        heard = parse_line(line)
        assert isinstance(heard, Lease)
        assert heard.slot == int(number)


@pytest.mark.skipif(shutil.which("dnsmasq") is None, reason="needs dnsmasq")
def test_dnsmasq_takes_its_settings(tmp_path: Path) -> None:
    file = tmp_path / "netboot.conf"
    file.write_text(drawn("dnsmasq.conf", script="boot.ipxe").replace(ROLE["__head_netboot_folder"], str(tmp_path)))
    done = subprocess.run(
        ["dnsmasq", "--test", f"--conf-file={file}"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text", [HOOK, SCRIPT])
def test_the_shell_of_an_initial_file_system_reads_them(text: str) -> None:
    subprocess.run(["sh", "-n"], input=text, text=True, check=True, timeout=60)


def test_no_program_is_called_that_busybox_has_in_a_lesser_form() -> None:
    brought = re.search(r"for program in (.*); do", HOOK)
    assert brought is not None
    for name in brought[1].split():
        assert f"{OWN}/{name} " in SCRIPT
        assert not re.search(rf"(^|[|(]|\b(if|until|while)) *{name} -?\w", SCRIPT, re.MULTILINE), name


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder in the place of a machine's /sys, /proc and /dev, with a blkid that reads what is on each disk there."""
    for disk, removable, size in (("sda", 0, 100), ("sdb", 0, 100), ("sr0", 1, 9), ("sdc", 1, 100), ("sdd", 0, 0)):
        folder = tmp_path / "sys/block" / disk
        folder.mkdir(parents=True)
        (folder / "removable").write_text(f"{removable}\n")
        (folder / "size").write_text(f"{size}\n")
    (tmp_path / "dev").mkdir()
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/cmdline").write_text("quiet flathood.url=http://10.0.0.1:8080 flathood.disk=/dev/sdb\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "blkid").write_text(
        '#!/bin/sh\nfor disk; do :; done\n[ -e "$disk" ] || exit 2\n[ -s "$disk" ] || exit 8\ncat "$disk"\n'
    )
    (programs / "blkid").chmod(0o755)
    return tmp_path


def asked(machine: Path, call: str) -> list[str]:
    """What a function of the boot script prints on that machine."""
    script = SCRIPT.replace(OWN, f"{machine}/bin")
    script = re.sub(r"(?<![\w$}])/(sys|proc|dev)/(?!console)", rf"{machine}/\1/", script)
    done = subprocess.run(
        ["sh", "-c", f"{script}\n{call}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return [line.removeprefix(str(machine)) for line in done.stdout.splitlines()]


def test_only_disks_with_nothing_on_them_are_empty(machine: Path) -> None:
    assert asked(machine, "empty_disks") == ["/dev/sda", "/dev/sdb"]
    (machine / "dev/sda").write_text("DEVNAME=/dev/sda\nTYPE=ntfs\n")
    assert asked(machine, "empty_disks") == ["/dev/sdb"]
    (machine / "dev/sdb").write_text("DEVNAME=/dev/sdb\nPTTYPE=gpt\n")
    assert asked(machine, "empty_disks") == []
    (machine / "dev/sda").write_text("")  # blkid cannot make out what this is
    assert asked(machine, "empty_disks") == []


def test_a_disk_that_was_being_filled_counts_as_empty_and_a_complete_one_does_not(machine: Path) -> None:
    (machine / "dev/sda").write_text(f"DEVNAME=/dev/sda\nLABEL={FILLING}\nTYPE=ext4\n")
    (machine / "dev/sdb").write_text(f"DEVNAME=/dev/sdb\nLABEL={LABEL}\nTYPE=ext4\n")
    assert asked(machine, "empty_disks") == ["/dev/sda"]


def test_the_boot_script_reads_the_command_line_word_by_word(machine: Path) -> None:
    assert asked(machine, "argument flathood.url; argument flathood.disk") == ["http://10.0.0.1:8080", "/dev/sdb"]
    assert asked(machine, "argument flathood.nic") == []


def test_real_machines_keep_their_consoles_and_get_all_drivers() -> None:
    recipe = metal(more=("lldpd", "htop"))
    assert not [unit for unit in recipe.masked if "getty" in unit]
    assert "MODULES=most" in recipe.files["etc/initramfs-tools/conf.d/flathood"]
    assert {"linux-image-amd64", "busybox", "htop"} <= set(recipe.packages)
