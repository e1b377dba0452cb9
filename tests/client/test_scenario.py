"""``sigil scenario``: a line a file, what did not hold, and exit 0, 1 or 2."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.client.conftest import Player

HOLDS = """\
format = 1
game = "weaver"
seats = ["alice", "bob"]
seed = "00"

[setup]
turn = "alice"
spaces = { A = "ASHW 5", B = "OHIF 2", C = "ASHW 9", D = "ESBNER 1", E = "UKELELE 4" }
[setup.alice]
hand = ["ASHW 1", "OHIF 7"]
[setup.bob]
hand = ["ASHW 2", "OHIF 8"]

[[steps]]
seat = "alice"
do = "claim A with ashw 1"
expect = { spaces = { A = "ASHW 1" } }
"""
FAILS = HOLDS.replace('{ A = "ASHW 1" } }', '{ A = "ASHW 2" } }')
REFUSED = HOLDS.replace('hand = ["ASHW 2"', 'hand = ["ASHW 1"')


def files(alice: Player, **texts: str) -> list[str]:
    for name, text in texts.items():
        (alice.folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return [f"{name}.toml" for name in texts]


def test_a_file_that_holds_is_one_line_and_exit_0(alice: Player) -> None:
    done = alice.sigil("scenario", *files(alice, one=HOLDS))
    assert (done.status, done.out) == (0, "one.toml: holds\n")


def test_a_failure_names_step_part_expected_and_found(alice: Player) -> None:
    done = alice.sigil("scenario", *files(alice, one=FAILS))
    assert done.status == 1
    assert done.out == (
        'one.toml: does not hold\n  step 1, spaces.A\n  expected: "ASHW 2"\n  found: "ASHW 1"\n'
    )


def test_a_refused_line_is_a_failure_with_the_reason(alice: Player) -> None:
    text = HOLDS.replace("claim A with ashw 1", "claim D with ohif 7")
    done = alice.sigil("scenario", *files(alice, one=text))
    assert done.status == 1
    assert "claim D with ohif 7" in done.out


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (REFUSED, "hand"),
        (HOLDS.replace("format = 1", "format = 7"), "format"),
        (HOLDS.replace('game = "weaver"', 'game = "chess"'), "chess"),
        (HOLDS + "[surprise]\n", "surprise"),
        (HOLDS.replace("[setup]", "[setup"), "line"),
    ],
)
def test_what_is_no_scenario_is_exit_2_with_the_key(alice: Player, text: str, key: str) -> None:
    done = alice.sigil("scenario", *files(alice, one=text))
    assert done.status == 2
    assert done.out.startswith("one.toml: cannot be used")
    assert key in done.out
    assert "Traceback" not in done.out + done.err


def test_a_file_that_is_not_there_is_exit_2(alice: Player) -> None:
    done = alice.sigil("scenario", "nowhere.toml")
    assert done.status == 2
    assert "nowhere.toml" in done.out


def test_several_files_are_a_line_each_and_the_worst_decides(alice: Player) -> None:
    done = alice.sigil("scenario", *files(alice, one=HOLDS, two=FAILS, three=HOLDS))
    assert done.status == 1
    assert [line for line in done.out.splitlines() if line[0] != " "] == [
        "one.toml: holds",
        "two.toml: does not hold",
        "three.toml: holds",
    ]
    assert alice.sigil("scenario", *files(alice, one=FAILS, two=REFUSED)).status == 2


def test_a_dump_is_a_setup_that_goes_on_in_the_same_way(alice: Player) -> None:
    done = alice.sigil("scenario", "--dump", *files(alice, one=HOLDS))
    assert done.status == 0
    dumped = tomllib.loads(done.out)
    assert dumped["setup"]["spaces"]["A"] == "ASHW 1"
    head = HOLDS.partition("[setup]")[0]
    again = f"{head}\n{done.out}\n[[steps]]\nexpect = {{ spaces = {{ A = 'ASHW 1' }} }}\n"
    assert alice.sigil("scenario", *files(alice, two=again)).status == 0


def test_json(alice: Player) -> None:
    done = alice.sigil("scenario", "--json", *files(alice, one=FAILS))
    assert done.status == 1
    assert json.loads(done.out) == {
        "scenarios": [
            {
                "file": "one.toml",
                "status": "fails",
                "why": "",
                "faults": [
                    {"step": 1, "part": "spaces.A", "expected": "ASHW 2", "found": "ASHW 1"}
                ],
            }
        ]
    }


def test_scenarios_need_no_settings(alice: Player, tmp_path: Path) -> None:
    (name,) = files(alice, one=HOLDS)
    done = alice.sigil("--home", str(tmp_path / "nobody"), "scenario", name)
    assert done.status == 0


def test_every_ruling_of_the_project_holds(alice: Player) -> None:
    folder = Path(__file__).resolve().parents[1] / "scenarios" / "weaver"
    found = sorted(map(str, folder.glob("*.toml")))
    assert len(found) >= 15
    assert alice.sigil("scenario", *found).status == 0


# --- card -----------------------------------------------------------------------------------------


def test_card_explains_a_card_by_a_prefix(alice: Player) -> None:
    assert "ASHW 3" in alice.ok("card", "ashw", "3", "--game", "weaver")
    found = json.loads(alice.ok("card", "ashw 3", "--game", "weaver", "--json"))
    assert (found["card"], found["kind"]) == ("ASHW 3", "weaver")


def test_a_whole_name_is_that_card_though_another_game_has_a_longer_one(alice: Player) -> None:
    found = json.loads(alice.ok("card", "crush", "--json"))
    assert (found["card"], found["kind"]) == ("Crush", "tome")


def test_a_card_that_is_none(alice: Player) -> None:
    done = alice.sigil("card", "the fool's errand")
    assert done.status == 2
    assert "the fool's errand" in done.err


def test_a_prefix_that_fits_several_cards_names_them(alice: Player) -> None:
    done = alice.sigil("card", "ashw", "--game", "weaver")
    assert done.status == 2
    assert "ASHW 9" in done.err
    assert done.err.count("Write a little more") == 1
