"""Bad input: a sample of scripts/attack.py that compiles nothing, and its judgement."""

import sys
from importlib import import_module
from pathlib import Path
from runpy import run_path

import pytest

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
# Groups with cases that are answered without compiling, and how many of them there are
# to one here: none may be out of step with the library in silence.
SAMPLED = {"settings": 4, "laws": 1, "theory": 4, "loaders": 1, "factories": 40}
SAMPLED |= {"results": 20, "plots": 20, "sweeping": 4, "asking": 2, "foreign": 5}


@pytest.fixture(scope="module", autouse=True)
def scripts():
    sys.path.insert(0, str(SCRIPTS))
    yield
    sys.path.remove(str(SCRIPTS))
    for name in [name for name in sys.modules if name.split(".")[0] == "attack"]:
        del sys.modules[name]


@pytest.mark.parametrize("group", SAMPLED)
def test_bad_input_is_refused_clearly(group):
    judge = import_module("attack.case").judge
    cases = import_module(f"attack.groups.{group}").cases()
    light = [case for case in cases if not case.heavy][:: SAMPLED[group]]
    assert len(light) >= 30
    wrong = {case.name: judge(case) for case in light}
    wrong = {k: v for k, v in wrong.items() if v.kind not in ("clear", "fine")}
    assert not wrong


def refused(text, kind=ValueError):
    def call():
        raise kind(text)

    return call


@pytest.mark.parametrize(
    ("call", "fine", "kind"),
    [
        (refused("rate must be positive, got -1"), None, "clear"),
        (refused("rate must be positive", TypeError), True, "clear"),
        (refused("'<' not supported between str and int", TypeError), None, "cryptic"),
        (refused("the rates must be positive"), None, "cryptic"),
        (refused("rate: -1"), None, "cryptic"),
        (refused("rate must be positive", AttributeError), None, "cryptic"),
        (refused("rate must be JitTracer<float32[]>"), None, "cryptic"),
        (lambda: 3, None, "silent"),
        (lambda: 3, lambda x: x == 4, "silent"),
        (lambda: 3, lambda x: x == 3, "fine"),
        (lambda: 3, True, "fine"),
    ],
)
def test_judgement(call, fine, kind):
    case = import_module("attack.case")
    assert case.judge(case.Case("it", call, ("rate",), fine)).kind == kind


def test_arguments_of_one_letter_are_no_articles():
    case = import_module("attack.case")
    for text, kind in (
        ("a must be positive", "clear"),
        ("must be a number", "cryptic"),
    ):
        found = case.judge(case.Case("it", refused(text), ("a",)))
        assert found.kind == kind


def test_exit_status():
    verdict = import_module("attack.case").Verdict
    exit_status = run_path(str(SCRIPTS / "attack.py"), run_name="attack_script")[
        "_status"
    ]

    def status(**kinds):
        verdicts = [verdict(kind, "") for kind, n in kinds.items() for _ in range(n)]
        return exit_status(dict(enumerate(verdicts)))

    assert status(clear=95, cryptic=5, fine=50) == 0
    assert status(clear=94, cryptic=6) == 1
    assert status(clear=999, silent=1) == status(clear=999, hang=1) == 1


@pytest.mark.slow
def test_workers_survive_what_hangs():
    workers = import_module("attack.workers")
    cases = import_module("attack.groups").all_cases()
    assert len(cases) >= 700
    assert len({(case.group, case.name) for case in cases}) > 0.95 * len(cases)
    light = [i for i, case in enumerate(cases) if case.group == "loaders"][:3]
    found = workers.run(light, 1, 30.0, lambda *told: None)
    assert [found[place].kind for place in light] == ["clear"] * 3
    # In no time at all nothing is answered; the next worker starts anew.
    found = workers.run(light[:1], 1, 0.0, lambda *told: None)
    assert {verdict.kind for verdict in found.values()} == {"hang"}
