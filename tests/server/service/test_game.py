"""A whole game by mail, from the registration to the final scores."""

from __future__ import annotations

from tests.server.service.town import Town


def test_three_players_play_a_game_by_mail_to_its_end(any_town: Town) -> None:
    table = any_town.begin("alice", "bob", "carol")
    sent = table.play_to_end()
    assert sent >= 18
    finals = {mail.to: mail for mail in table.mails if mail.turn.status == "finished"}
    assert sorted(finals) == ["alice@player.test", "bob@player.test", "carol@player.test"]
    heads = {mail.turn.head for mail in finals.values()}
    assert len(heads) == 1
