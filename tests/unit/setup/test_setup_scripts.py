"""The set-up: does what is missing once, says so, and tells a person what to do where it can't."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.setup_machine import JAR_NAME, ROOT, Machine

NOTHING = "nothing to do"
#: what brings the bundler of the page's script
PAGE = "npm --prefix web ci --ignore-scripts"
MOTO = "moto's own SQS stands in"
HOST_SCRIPTS = ("holder", "enter", "init", "surroundings", "cloud_holder", "cloud_router", "machine")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def jar(machine: Machine) -> Path:
    return machine.root / ".cache" / "elasticmq" / "lib" / JAR_NAME


def test_a_first_run_installs_each_part_once_and_a_second_one_nothing(machine: Machine) -> None:
    first = machine.run("setup.sh", "run")
    assert first.returncode == 0, first.stderr
    pip = [call for call in machine.calls if "-m pip install" in call]
    assert [call.split()[-1] for call in pip] == [
        f"{machine.root}/requirements/pip.lock",
        f"{machine.root}/requirements/run.lock",
        str(machine.root),
    ]
    assert all("--require-hashes" in call for call in pip[:2])
    assert "--no-index" in pip[2]
    assert sum(call.startswith("mvn ") for call in machine.calls) == 1
    assert [call for call in machine.calls if call.startswith("npm")] == [f"{PAGE} --omit=dev"]
    assert not any(call.startswith("apt-get") for call in machine.calls)
    assert jar(machine).exists()

    second = machine.run("setup.sh", "run")
    assert second.returncode == 0
    assert machine.calls == []
    assert NOTHING in second.stderr
    assert machine.run("setup.sh", "run", "--quiet").stderr == ""


def test_the_tests_add_what_only_they_need(machine: Machine) -> None:
    machine.run("setup.sh", "run")
    assert machine.run("setup.sh", "test").returncode == 0
    assert [call.split()[0] for call in machine.calls] == ["npm", "python3", "npm"]
    assert machine.calls[1].endswith("requirements/test.lock")
    assert [machine.calls[0], machine.calls[2]] == [PAGE, "npm ci --ignore-scripts"]
    for mode in ("run", "test"):
        machine.run("setup.sh", mode)
        assert machine.calls == []


def test_a_deployment_needs_the_cdk_only(machine: Machine) -> None:
    machine.without("java", "mvn", "chromium-headless-shell", "shellcheck")
    first = machine.run("setup.sh", "deploy")
    assert first.returncode == 0, first.stderr
    assert [call.split()[-1] for call in machine.calls] == [
        f"{machine.root}/.venv",
        f"{machine.root}/requirements/pip.lock",
        f"{machine.root}/requirements/deploy.lock",
        str(machine.root),
        "--omit=dev",
        "--omit=dev",
    ]
    machine.run("setup.sh", "deploy")
    assert machine.calls == []


def test_what_a_run_or_the_tests_have_installed_does_for_a_deployment(machine: Machine) -> None:
    machine.run("setup.sh", "run")
    machine.run("setup.sh", "deploy")
    assert machine.calls == ["npm ci --ignore-scripts --omit=dev"]
    machine.run("setup.sh", "test")
    assert "npm ci --ignore-scripts" in machine.calls
    machine.run("setup.sh", "deploy")
    assert machine.calls == []


def test_the_pages_script_is_bundled_again_where_what_it_is_made_of_has_changed(machine: Machine) -> None:
    bundle = machine.root / "functions" / "breakeven" / "report" / "render" / "compiled" / "page.js"
    assert "bundling" in machine.run("setup.sh", "deploy").stderr
    assert bundle.read_text().startswith("src/main.ts --bundle --minify")
    bundle.write_text("as it was")
    assert "bundling" not in machine.run("setup.sh", "deploy").stderr
    assert bundle.read_text() == "as it was"
    for name in (
        "web/src/main.ts",
        "web/src/view/chart.ts",
        "queries/money/crossover.sql",
        "queries/parts/pieces.sql",
    ):
        with (machine.root / name).open("a") as source:
            source.write("\n")
        assert "bundling" in machine.run("setup.sh", "deploy").stderr
        assert machine.calls == []
    bundle.unlink()
    machine.run("setup.sh", "deploy")
    assert bundle.exists()


def test_the_cdks_command_line_is_set_up_before_it_is_called(machine: Machine) -> None:
    (machine.root / "setup" / "setup.sh").write_text('#!/usr/bin/env bash\necho "$*"\n')
    command = machine.root / "node_modules" / ".bin" / "cdk"
    command.parent.mkdir(parents=True)
    command.write_text('#!/usr/bin/env bash\necho "$CDK_DISABLE_CLI_TELEMETRY $PWD $*"\nexit 3\n')
    command.chmod(0o755)
    result = machine.run("cdk.sh", "deploy", "-c", "breakeven:tags=Owner=the team")
    expected = ["deploy --quiet", f"true {machine.root} deploy -c breakeven:tags=Owner=the team"]
    assert result.stdout.splitlines() == expected
    assert result.returncode == 3


def test_the_app_sets_up_all_but_the_command_line_that_starts_it(machine: Machine) -> None:
    machine.without("java", "mvn", "chromium-headless-shell", "shellcheck")
    (machine.root / "node_modules").mkdir()  # as `npm ci` has left it, which leaves no stamp of ours
    done = machine.run("setup.sh", "app")
    assert done.returncode == 0, done.stderr
    assert [call.split()[-1] for call in machine.calls] == [
        f"{machine.root}/.venv",
        f"{machine.root}/requirements/pip.lock",
        f"{machine.root}/requirements/deploy.lock",
        str(machine.root),
        "--omit=dev",
    ]
    assert machine.calls[-1] == f"{PAGE} --omit=dev"
    machine.run("setup.sh", "app")
    assert machine.calls == []


def app_of(machine: Machine, set_up: str) -> subprocess.CompletedProcess[str]:
    """What cdk.json starts, after a set-up that does this."""
    (machine.root / "setup" / "setup.sh").write_text(f"#!/usr/bin/env bash\n{set_up}\n")
    python = machine.root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    words = "$PWD $* $JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION"
    python.write_text(f'#!/usr/bin/env bash\necho "{words}"\n')
    python.chmod(0o755)
    name = json.loads((ROOT / "cdk.json").read_text())["app"].removeprefix("setup/")
    return machine.run(name)


def test_the_plain_cdk_sets_up_the_app_and_keeps_standard_output_to_the_template(machine: Machine) -> None:
    done = app_of(machine, 'echo "set-up: $*"')
    assert done.returncode == 0
    assert done.stdout == f"{machine.root} -m infra.app 18,20\n"
    assert done.stderr == "set-up: app --quiet\n"


def test_the_plain_cdk_ends_with_the_set_ups_words_where_it_cannot_be_done(machine: Machine) -> None:
    done = app_of(machine, 'echo "set-up: install python3-venv, then start again" >&2; exit 2')
    assert (done.returncode, done.stdout) == (2, "")
    assert "install python3-venv, then start again" in done.stderr


@pytest.mark.parametrize("name", ["requirements/run.lock", "pyproject.toml"])
def test_a_changed_file_is_installed_again(machine: Machine, name: str) -> None:
    machine.run("setup.sh", "run")
    with (machine.root / name).open("a") as file:
        file.write("# changed\n")
    machine.run("setup.sh", "run")
    assert any(call.endswith("requirements/run.lock") for call in machine.calls)


def test_a_step_that_failed_is_shown_and_done_again(machine: Machine) -> None:
    machine.run("setup.sh", "run")
    (machine.root / "requirements" / "run.lock").write_text("changed==1\n")
    failed = machine.run("setup.sh", "run", PIP_FAILS="yes")
    assert failed.returncode == 1
    assert "what pip says" in failed.stderr
    assert "could not be installed" in failed.stderr
    machine.run("setup.sh", "run")
    assert any(call.endswith("requirements/run.lock") for call in machine.calls)


@pytest.mark.parametrize("mode", ["deploy", "run"])
def test_a_lock_without_what_the_cdk_app_imports_fails_the_set_up_and_is_shown(
    machine: Machine, mode: str
) -> None:
    failed = machine.run("setup.sh", mode, APP_LACKS="numpy")
    assert failed.returncode == 1
    assert "No module named 'numpy'" in failed.stderr
    assert f"cannot be imported with the packages of requirements/{mode}.lock" in failed.stderr
    assert machine.run("setup.sh", mode).returncode == 0
    assert any(call.endswith(f"requirements/{mode}.lock") for call in machine.calls)


def test_an_environment_whose_python_is_gone_is_made_again(machine: Machine) -> None:
    machine.run("setup.sh", "run")
    (machine.root / ".venv" / "bin" / "python").unlink()
    assert machine.run("setup.sh", "run").returncode == 0
    assert machine.calls[0].startswith("python3 -m venv --clear")


def test_an_environment_made_by_hand_is_kept_and_completed(machine: Machine) -> None:
    machine.run("setup.sh", "run")
    (machine.root / ".venv" / ".queue-breakeven").unlink()
    machine.run("setup.sh", "run")
    assert not any("-m venv" in call for call in machine.calls)
    assert [call.split()[-1] for call in machine.calls] == [
        f"{machine.root}/requirements/run.lock",
        str(machine.root),
    ]


def test_nobody_to_ask_for_root_gives_the_command_to_paste(machine: Machine) -> None:
    machine.without("chromium-headless-shell", "sudo")
    result = machine.run("setup.sh", "test", NO_ENSUREPIP="yes")
    assert result.returncode == 2
    assert "needs root" in result.stderr
    assert (
        f"\n    su -c '{machine.root}/setup/debian_packages.sh python3-venv chromium-headless-shell'\n"
        in result.stderr
    )
    assert machine.calls == []


def test_a_sudo_that_wants_a_password_without_a_terminal_gives_its_command(machine: Machine) -> None:
    machine.without("shellcheck")
    result = machine.run("setup.sh", "test")
    assert result.returncode == 2
    assert f"\n    sudo {machine.root}/setup/debian_packages.sh shellcheck\n" in result.stderr


def test_sudo_without_a_password_is_used(machine: Machine) -> None:
    machine.without("chromium-headless-shell")
    machine.stub("sudo", '[ "$1" = -n ] || record')
    assert machine.run("setup.sh", "test").returncode == 0
    assert machine.calls[0] == f"sudo {machine.root}/setup/debian_packages.sh chromium-headless-shell"


def test_no_apt_get_says_what_is_missing(machine: Machine) -> None:
    machine.without("apt-get", "chromium-headless-shell")
    result = machine.run("setup.sh", "test")
    assert result.returncode == 2
    assert "chromium-headless-shell" in result.stderr
    assert "by your system's own means" in result.stderr


@pytest.mark.parametrize("missing", ["java", "mvn"])
def test_no_java_or_maven_to_be_had_leaves_moto(machine: Machine, missing: str) -> None:
    machine.without(missing)
    result = machine.run("setup.sh", "run")
    assert result.returncode == 0
    assert MOTO in result.stderr
    assert "debian_packages.sh" in result.stderr  # how to have it all the same
    assert not jar(machine).exists()


def test_an_old_java_does_not_do(machine: Machine) -> None:
    machine.stub("java", """echo 'openjdk version "1.8.0_402"' >&2""")
    result = machine.run("setup.sh", "run")
    assert result.returncode == 0
    assert MOTO in result.stderr


def test_a_jar_that_is_not_the_one_pinned_is_not_used(machine: Machine) -> None:
    result = machine.run("setup.sh", "run", JAR_TEXT="another jar")
    assert result.returncode == 0
    assert "jars.sha256" in result.stderr
    assert MOTO in result.stderr
    assert not jar(machine).exists()


def test_jars_that_are_there_need_no_maven(machine: Machine) -> None:
    machine.run("setup.sh", "run")
    machine.without("mvn")
    result = machine.run("setup.sh", "run")
    assert NOTHING in result.stderr


def test_an_sqs_server_of_ones_own_needs_no_java(machine: Machine) -> None:
    machine.without("java", "mvn")
    result = machine.run("setup.sh", "run", "--without-elasticmq")
    assert result.returncode == 0
    assert MOTO not in result.stderr


def test_a_python_that_is_too_old_is_named(machine: Machine) -> None:
    result = machine.run("setup.sh", "run", FAKE_PYTHON="3.9.2")
    assert result.returncode == 2
    assert "3.9.2" in result.stderr
    assert "Python 3.11 or newer is needed" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        (["run", "--with-everything"], {}, "unknown argument: --with-everything"),
        ([], {}, "run, test, deploy or app"),
        (["run"], {"BREAKEVEN_SKIP": "rabbit"}, "BREAKEVEN_SKIP: unknown part: rabbit"),
    ],
)
def test_bad_arguments(
    machine: Machine, arguments: list[str], environment: dict[str, str], said: str
) -> None:
    result = machine.run("setup.sh", *arguments, **environment)
    assert result.returncode == 2
    assert said in result.stderr
    assert machine.calls == []


def test_the_command_has_its_python_first_and_hands_on_its_exit_code(machine: Machine) -> None:
    (machine.root / "setup" / "setup.sh").write_text('#!/usr/bin/env bash\necho "$*"\n')
    command = machine.root / ".venv" / "bin" / "breakeven"
    command.parent.mkdir(parents=True)
    command.write_text('#!/usr/bin/env bash\necho "$* $BREAKEVEN_SETUP"\nexit 3\n')
    command.chmod(0o755)
    result = machine.run("breakeven.sh", "run", "my suite.yaml")
    set_up = f"{machine.root}/setup/setup.sh"
    assert result.stdout.splitlines() == [
        "run --quiet --without-rabbitmq --without-elasticmq",
        f"run my suite.yaml {set_up}",
    ]
    assert result.returncode == 3


def test_the_scripts_are_clean() -> None:
    # those that are sourced are read with them
    scripts = [str(path.relative_to(ROOT)) for path in ROOT.glob("setup/*.sh") if os.access(path, os.X_OK)]
    scripts += [
        f"nodes/{name}" for name in ("bake", "install", "start", "lease", "agent", "surroundings/aws.sh")
    ]
    scripts += ["local/servers/enter_root.sh"]
    scripts += [f"tests/hosts/roots/{name}.sh" for name in HOST_SCRIPTS]
    checked = subprocess.run(
        [shutil.which("shellcheck") or "shellcheck", "--external-sources", *scripts],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
