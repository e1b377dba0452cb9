"""An event is stored whole, with what only some seats may see of it."""

from __future__ import annotations

import json

from sigilpost_engine.core.events import Event
from sigilpost_engine.core.messages import say


def test_an_event_comes_back_from_json_with_its_secrets() -> None:
    event = Event(
        "weaver.event.draws",
        {"seat": "alice", "why": say("weaver.reason", n=2)},
        {0: {"card": "ASHW 3"}},
        only=(0, 2),
    )
    assert Event.from_json(json.loads(json.dumps(event.to_json()))) == event


def test_an_event_for_all_comes_back_from_json() -> None:
    event = Event("weaver.event.wins", {"seats": ["alice", "bob"], "n": 2})
    assert Event.from_json(json.loads(json.dumps(event.to_json()))) == event
