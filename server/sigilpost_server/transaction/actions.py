"""What the acceptance table's actions do."""

from __future__ import annotations

from collections.abc import Callable

from sigilpost_engine.core.messages import say
from sigilpost_server.acceptance import Action
from sigilpost_server.commands import COMMANDS
from sigilpost_server.mail_in.addresses import parse_address
from sigilpost_server.mail_in.reasons import REASONS, Verdict
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.again import again
from sigilpost_server.mail_out.letter import Address
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.case import Case
from sigilpost_server.transaction.house import texts
from sigilpost_server.transaction.post import sent_mail
from sigilpost_server.transaction.work import Outcome, Signed, Work, address_of


def nothing(work: Work, case: Case, reason: str) -> Outcome:
    """Note the mail, and that is all."""
    return Outcome(reason)


def carry_out(work: Work, case: Case, reason: str) -> Outcome:
    """Carry out the one fresh block, answer its signer, and note that it was judged."""
    signed = case.signed[0]
    outcome = COMMANDS[signed.block.kind](work, signed)
    accepted = REASONS[outcome.reason].verdict is Verdict.ACCEPTED
    if accepted and signed.player and signed.player.answers:
        rows.clear_answers(work.db, signed.player.address_key)
    answer = ""
    if outcome.answer is not None and work.answering and (accepted or _may_answer(work, signed)):
        answer = work.post.put(outcome.answer, outcome.language)
    if outcome.judged:
        verdict = REASONS[outcome.reason].verdict
        rows.add_block(
            work.db,
            signed.block,
            now=work.now,
            verdict=verdict,
            reason=outcome.reason,
            game_id=outcome.game_id,
            answer=answer,
        )
    return outcome


def _may_answer(work: Work, signed: Signed) -> bool:
    if signed.player is None:
        return True  # a registration's answers have a budget of their own
    return rows.spend_answer(work.db, signed.player.address_key, work.limits.answers)


def conflict(work: Work, case: Case, reason: str) -> Outcome:
    """Two fresh blocks: neither counts, neither is used up. A signer is told, at best the one
    who seems to have sent the mail."""
    players = [signed.player for signed in case.signed if signed.player]
    for player in [
        each for each in players if each.address_key == work.incoming.sender_key
    ] or players:
        outcome = work.error(player, reason, judged=False)
        if not rows.spend_answer(work.db, player.address_key, work.limits.answers):
            return Outcome("loop-budget")
        if outcome.answer and work.answering:
            work.post.put(outcome.answer, outcome.language)
        return outcome
    return Outcome(reason, judged=False)


def explain(work: Work, case: Case, reason: str) -> Outcome:
    """Tell the sender why nothing was done: a player within their budget, a stranger once a day."""
    if case.sender is not None:
        if not rows.spend_answer(work.db, case.sender.address_key, work.limits.answers):
            return Outcome("loop-budget")
        outcome = work.error(case.sender, reason)
        assert outcome.answer is not None
        work.post.put(outcome.answer, outcome.language)
        return outcome
    sender = work.incoming.sender
    assert sender is not None
    if not work.may("helps", sender.normal, work.limits.helps_per_day):
        return Outcome("stranger-budget")
    envelope = work.post.answer_envelope(Address(sender.spelled))
    if case.refused or case.fault:
        letter = letters.error(envelope, reason)
    else:
        letter = letters.assistance(envelope)
    work.post.put(letter, work.house.settings.server.language)
    return Outcome(reason)


def repeat(work: Work, case: Case, reason: str) -> Outcome:
    """Send the first answer to a block again, to the same address, with a word that it is old."""
    seen = case.readings.seen[0]
    first = sent_mail(work.db, seen.answer) if seen.answer else None
    if first is None or seen.repeats >= work.limits.repeats:
        return Outcome("replayed-often")
    to = parse_address(first.recipient)
    player = rows.player_by_address(work.db, to.normal)
    if not rows.spend_answer(work.db, to.normal, work.limits.answers):
        return Outcome("loop-budget")
    rows.count_repeat(work.db, seen.digest)
    tag = seen.tag or ""
    envelope = work.post.answer_envelope(
        address_of(player) if player else Address(first.recipient), tag=tag
    )
    language = player.language if player else work.house.settings.server.language
    note = texts(language).render(say("server.repeated"))
    work.post.put_raw(envelope, again(first.raw, envelope, note, tag))
    return Outcome(reason)


ACTIONS: dict[Action, Callable[[Work, Case, str], Outcome]] = {
    Action.NOTHING: nothing,
    Action.CARRY_OUT: carry_out,
    Action.REPEAT: repeat,
    Action.CONFLICT: conflict,
    Action.EXPLAIN: explain,
}
