"""The hash chain and the fair shuffle's key, computed here once more from the protocol's words."""

from __future__ import annotations

import hashlib
import hmac

from sigilpost_engine.wire import chain, fair
from sigilpost_engine.wire.chain import Head

SECRET = b"s" * 32
AGREED = ("weaver-7k2q", "weaver", {"rounds": 2}, ["Alice", "Bob"], "cd" * 32)


def test_head_0_is_the_hash_of_what_was_agreed() -> None:
    said = (
        b"sigilpost chain v1\n"
        b'{"commitment":"' + b"cd" * 32 + b'","game":"weaver-7k2q","kind":"weaver",'
        b'"options":{"rounds":2},"roster":["Alice","Bob"]}'
    )
    assert chain.start(*AGREED) == Head(0, hashlib.sha256(said).hexdigest())


def test_an_answer_extends_the_chain_over_all_that_it_was() -> None:
    before = chain.start(*AGREED)
    said = f'[1,"{before.hash}",2,"{"ab" * 32}",0,"{"ef" * 32}"]'.encode()
    assert chain.extend(before, 2, "ab" * 32, 0, "ef" * 32) == Head(
        1, hashlib.sha256(said).hexdigest()
    )


def test_every_part_of_an_answer_counts() -> None:
    before = chain.start(*AGREED)
    answers = [
        (1, "ab" * 32, 0, "ef" * 32),
        (2, "ab" * 32, 0, "ef" * 32),
        (1, "aa" * 32, 0, "ef" * 32),
        (1, "", 0, "ef" * 32),
        (1, "ab" * 32, 1, "ef" * 32),
        (1, "ab" * 32, 0, "ee" * 32),
    ]
    assert len({chain.extend(before, *answer).hash for answer in answers}) == len(answers)
    assert len({chain.start(*AGREED[:4], mark * 32).hash for mark in ("aa", "bb")}) == 2


def test_two_answers_swapped_give_another_head() -> None:
    first, second = (1, "aa" * 32, 0, "ee" * 32), (2, "bb" * 32, 0, "ff" * 32)
    start = chain.start(*AGREED)
    there = chain.extend(chain.extend(start, *first), *second)
    back = chain.extend(chain.extend(start, *second), *first)
    assert there != back


def test_outcome_digest_is_over_the_canonical_json_of_salt_answer_and_events() -> None:
    answer, events = ["hide", "", ["ASHW 3"]], [["weaver.event.hides", {"seat": "alice"}]]
    said = b'["ab",["hide","",["ASHW 3"]],[["weaver.event.hides",{"seat":"alice"}]]]'
    assert chain.outcome_digest("ab", answer, events) == hashlib.sha256(said).hexdigest()


def test_salts_differ_by_key_and_number_so_that_no_card_can_be_guessed_from_a_head() -> None:
    salts = {chain.salt(key, number) for key in (b"one", b"two") for number in (1, 2, 12)}
    assert len(salts) == 6
    said = hmac.digest(b"one", b"sigilpost salt v1\n12", "sha256").hex()
    assert chain.salt(b"one", 12) == said


def test_the_commitment_is_sha_256_of_the_secret_and_opens_with_it_alone() -> None:
    committed = fair.commitment(SECRET)
    assert committed == hashlib.sha256(SECRET).hexdigest()
    assert fair.opens(SECRET, committed)
    assert not fair.opens(b"t" * 32, committed)


def test_the_game_key_is_hmac_sha_256_over_what_was_agreed_and_the_nonces() -> None:
    said = (
        b'{"game":"weaver-7k2q","keys":["aa","bb"],'
        b'"nonces":["' + b"00" * 16 + b'","' + b"11" * 16 + b'"],"options":{"rounds":2}}'
    )
    key = fair.game_key(SECRET, "weaver-7k2q", {"rounds": 2}, ["aa", "bb"], ["00" * 16, "11" * 16])
    assert key == hmac.new(SECRET, said, hashlib.sha256).digest()


def test_no_nonce_can_change_or_move_without_another_key() -> None:
    def key(*nonces: str) -> bytes:
        return fair.game_key(SECRET, "weaver-7k2q", {}, ["aa", "bb"], nonces)

    assert len({key("00", "11"), key("11", "00"), key("00", "12")}) == 3
