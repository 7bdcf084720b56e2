"""The command ``lastbit`` that comes with the package: arguments, streams, exit codes, Ctrl-C."""

import re
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import lastbit

SCRIPT = [str(Path(sysconfig.get_path("scripts")) / "lastbit")]
MODULE = [sys.executable, "-m", "lastbit"]
NOISE = ["noise", "laplace", "--epsilon", "1", "--sensitivity", "1"]


def run(command: list[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("command", [SCRIPT, MODULE], ids=["script", "module"])
def test_noise(command: list[str]) -> None:
    done = run([*command, *NOISE], "1\n2\n3\n")
    assert done.returncode == 0
    assert len([float(line) for line in done.stdout.splitlines()]) == 3
    assert re.search(r"^claim: laplace .*: ε = 1 \(pure\)", done.stderr, re.MULTILINE)


def test_version() -> None:
    done = run([*SCRIPT, "--version"])
    assert done.returncode == 0
    assert done.stdout.startswith(f"lastbit {lastbit.__version__}\n")


def test_help_is_all_there_in_a_pipe() -> None:
    done = run([*SCRIPT, "noise", "--help"])
    assert done.returncode == 0
    assert "Usage: lastbit noise" in done.stdout
    assert done.stdout.endswith("\n")


def test_refusals_have_the_exit_codes_of_the_command() -> None:
    done = run([*SCRIPT, "noise", "laplace", "--epsilon", "zero"])
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")


def test_a_verdict_is_an_exit_code() -> None:
    audit = ["audit", "snapping", "--epsilon", "1", "--bound", "4", "--inputs", "0", "1"]
    done = run([*SCRIPT, *audit])
    assert done.returncode == 0
    assert "loss" in done.stdout


def test_a_reader_that_has_seen_enough() -> None:
    with subprocess.Popen([*SCRIPT, *NOISE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin and child.stdout and child.stderr
        child.stdout.close()
        try:
            child.stdin.write(b"1\n" * 1_000_000)
            child.stdin.close()
        except BrokenPipeError:
            pass
        assert child.wait(60) > 0, "an error that the command tells, not a signal"
        assert b"Traceback" not in child.stderr.read()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
def test_ctrl_c_stops_it_between_lines() -> None:
    with subprocess.Popen([*SCRIPT, *NOISE], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdin and child.stderr
        time.sleep(2)  # it waits for input, with its handler in place
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 130
        told = child.stderr.read()
    assert "stopped: no noisy value was written" in told
    assert "Traceback" not in told
