"""What the acceptance table's actions do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sigilpost_engine.core.messages import say
from sigilpost_engine.wire.payloads import Create
from sigilpost_server.acceptance import Action
from sigilpost_server.commands import command, reply
from sigilpost_server.mail_in import postmaster
from sigilpost_server.mail_in.addresses import parse_address
from sigilpost_server.mail_in.bounces import quoted_ids
from sigilpost_server.mail_in.machine import OWN_MAIL
from sigilpost_server.mail_in.reasons import REASONS, Verdict
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.again import again
from sigilpost_server.mail_out.letter import Address, Kind
from sigilpost_server.transaction import bounces, codes, rows, shunt, traffic
from sigilpost_server.transaction.case import Case
from sigilpost_server.transaction.codes import Code
from sigilpost_server.transaction.hold import Stuck, hold
from sigilpost_server.transaction.house import texts
from sigilpost_server.transaction.incoming import REPORTING
from sigilpost_server.transaction.post import sent_mail
from sigilpost_server.transaction.work import EVERYBODY, Outcome, Signed, Work, address_of

UNREADABLE = frozenset(["unparsable-mail", "too-slow"])
"""Reasons for which a mail is kept: what happened inside is for the host to look at."""

PASSED_ON_MAX = 4 * 1024 * 1024
"""Bytes of a mail that is passed on: relays take less than we do."""


def nothing(work: Work, case: Case, reason: str) -> Outcome:
    """Note the mail, and that is all; a report about a mail of ours counts for its address."""
    incoming = work.incoming
    if reason in REPORTING and incoming.report is not None:
        returned = filter(None, map(work.house.returned, incoming.addressed))
        quoted = quoted_ids(incoming.raw, work.house.domain)
        bounces.report(work.db, work.post, [*returned, *quoted], incoming.report)
    return Outcome(reason, aside=_unreadable(reason))


def to_host(work: Work, case: Case, reason: str) -> Outcome:
    """Pass a mail to the postmaster on to the host. Where there is no address, too much of it, or
    it is our own that has come back, it is set aside instead: nothing is lost, nothing loops."""
    host, raw = work.house.settings.server.host, work.incoming.raw
    elsewhere = host and not work.house.ours.include(host) and case.mark is not OWN_MAIL
    fit = elsewhere and len(raw) <= PASSED_ON_MAX
    # Counted like help mails: to a reader whom strangers can cause to be written to.
    if not (fit and work.may("helps", postmaster.NAME, work.limits.postmaster_per_day)):
        return Outcome(reason, aside=shunt.TO_POSTMASTER)
    envelope = work.post.envelope(Address(host), f"postmaster {work.post.occasion}", 0)
    letter = letters.for_postmaster(
        envelope, sender=work.incoming.sender_key, subject=work.incoming.subject, raw=raw
    )
    work.post.put(letter, work.house.settings.server.language)
    return Outcome(reason)


def _unreadable(reason: str) -> str:
    return f"{shunt.UNREADABLE}{reason}" if reason in UNREADABLE else ""


def carry_out(work: Work, case: Case, reason: str) -> Outcome:
    """Carry out the one fresh block, answer its signer, and note that it was judged."""
    signed = case.signed[0]
    outcome = _limited(work, signed) or _counted(work, signed)
    accepted = REASONS[outcome.reason].verdict is Verdict.ACCEPTED
    if accepted and signed.player:
        _heard_from(work, signed.player)
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


def _limited(work: Work, signed: Signed) -> Outcome | None:
    """The outcome of a good block that is one too many in this hour; it is not used up."""
    if signed.player is None:
        return None
    game = "" if isinstance(signed.payload, Create) else getattr(signed.payload, "game", "")
    return traffic.too_many(work, signed.player, game)


def _counted(work: Work, signed: Signed) -> Outcome:
    try:
        outcome = command(signed.block.kind)(work, signed)
    except Stuck as stuck:
        outcome = hold(work, stuck.play, stuck.held)
    if signed.player is not None:
        traffic.count(work, signed.player, outcome.game if outcome.game_id else "")
    return outcome


def _heard_from(work: Work, player: rows.Player) -> None:
    """An order counted: answers to the address are counted anew, and what came back from it is
    forgotten."""
    if player.answers:
        rows.clear_answers(work.db, player.address_key)
    if player.returned:
        bounces.heard_from(work.db, player.address_key)


def by_code(work: Work, case: Case, reason: str) -> Outcome:
    """Carry out the lines of a reply by its code, and answer the address that it was mailed to."""
    code, lines = case.code, work.incoming.reply.lines
    assert code is not None
    player = rows.player_by_address(work.db, code.address_key)
    limited = traffic.too_many(work, player, code.tag) if player else None
    outcome = limited or reply.run(work, code, lines)
    if outcome.reason == "bad-code":
        return explain(work, case, outcome.reason)
    if player is not None and not limited:
        traffic.count(work, player, code.tag)
    accepted = REASONS[outcome.reason].verdict is Verdict.ACCEPTED
    if accepted:
        codes.use_up(work.db, code, work.now)
    codes.note(work.db, code, lines)
    if accepted and player:
        _heard_from(work, player)
    return _answered(work, code, outcome, always=accepted)


def renew(work: Work, case: Case, reason: str) -> Outcome:
    """Mail the seat of an old code the one that counts."""
    assert case.code is not None
    outcome = reply.renew(work, case.code)
    if outcome.reason == "bad-code":
        return explain(work, case, outcome.reason)
    return _answered(work, case.code, outcome, always=False)


def _answered(work: Work, code: Code, outcome: Outcome, *, always: bool) -> Outcome:
    """Post the answer to a reply, within the budget of its address."""
    if outcome.answer is None:
        return outcome
    if not always and not rows.spend_answer(work.db, code.address_key, work.limits.answers):
        return Outcome("loop-budget", game=outcome.game, game_id=outcome.game_id)
    letter = outcome.answer
    if letter.kind is Kind.RECEIPT:
        letter = replace(letter, opening=(say("server.reply.received"),))
    work.post.put(letter, outcome.language)
    return outcome


def _may_answer(work: Work, signed: Signed) -> bool:
    if signed.player is None:
        return True  # a registration's answers have a budget of their own
    return rows.spend_answer(work.db, signed.player.address_key, work.limits.answers)


def conflict(work: Work, case: Case, reason: str) -> Outcome:
    """Two fresh blocks: neither counts, neither is used up. A signer is told, at best the one
    who seems to have sent the mail."""
    players = [signed.player for signed in case.signed if signed.player]
    senders = [each for each in players if each.address_key == work.incoming.sender_key]
    player = next(iter(senders + players), None)
    if player is None:
        return Outcome(reason, judged=False)
    if not rows.spend_answer(work.db, player.address_key, work.limits.answers):
        return Outcome("loop-budget", judged=False)
    outcome = work.error(player, reason, judged=False)
    if outcome.answer and work.answering:
        work.post.put(outcome.answer, outcome.language)
    return outcome


def explain(work: Work, case: Case, reason: str) -> Outcome:
    """Tell the sender why nothing was done: a player within their budget, a stranger once a day."""
    aside = _unreadable(reason)
    if not _thread_goes_on(work, case):
        return Outcome("loop-budget", aside=aside)
    if case.sender is not None:
        if not rows.spend_answer(work.db, case.sender.address_key, work.limits.answers):
            return Outcome("loop-budget", aside=aside)
        replies = reason == "no-block" and codes.are_for(work.db, case.sender.id)
        details = [say("server.reply.no-code")] if replies else []
        outcome = work.error(case.sender, reason, *details)
        assert outcome.answer is not None
        work.post.put(outcome.answer, outcome.language)
        return outcome._replace(aside=aside)
    sender = work.incoming.sender
    assert sender is not None
    # The stranger's own budget first: who has used it up takes nothing from the others.
    if not work.may("helps", sender.normal, work.limits.helps_per_day):
        return Outcome("stranger-budget", aside=aside)
    if not work.may("helps", EVERYBODY, work.limits.strangers_per_day):
        return Outcome("stranger-budget", aside=aside)
    envelope = work.post.answer_envelope(Address(sender.spelled))
    if case.refused or case.fault:
        letter = letters.error(envelope, reason)
    else:
        letter = letters.assistance(envelope)
    work.post.put(letter, work.house.settings.server.language)
    return Outcome(reason, aside=aside)


def _thread_goes_on(work: Work, case: Case) -> bool:
    """Whether there is still an answer for whoever our mail went to that this one answers.

    Some robots answer each mail from another address; what they quote in In-Reply-To is ours. So
    a new address begins where the one that our mail went to has come.
    """
    to = rows.recipient_of(work.db, work.incoming.answers)
    known = case.sender.address_key if case.sender else work.incoming.sender_key
    key = rows.address_key(to) if to else known
    if key == known:
        return True
    if not rows.spend_answer(work.db, key, work.limits.answers):
        return False
    if case.sender is None:
        rows.inherit_answers(work.db, known, key)
    return True


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
    Action.BY_CODE: by_code,
    Action.RENEW: renew,
    Action.REPEAT: repeat,
    Action.CONFLICT: conflict,
    Action.TO_HOST: to_host,
    Action.EXPLAIN: explain,
}
