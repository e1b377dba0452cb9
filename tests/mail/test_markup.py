"""HTML to text (mail-hazards 19)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_server.mail_in.markup import to_text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("plain", "plain"),
        ("one<br>two<BR/>three", "one\ntwo\nthree"),
        ("<div>one</div><div>two</div>", "\none\n\ntwo\n"),
        ("a<b>b</b>c", "abc"),
        ("a<wbr>b<span class='x'>c</span>", "abc"),
        ("a  \n\t b", "a b"),
        ("<pre>a  b\nc</pre>", "\na  b\nc\n"),
        ("&lt;&amp;&nbsp;&mdash;&#45;&#x2D;&ndash;", "<& —--–"),
        ("a &lt b &nope; &", "a < b &nope; &"),
        ("a < b > c <3", "a < b > c <3"),
        ("<a title=\"x > y\" href='>'>link</a>", "link"),
        ("<!-- hidden > -->shown", "shown"),
        ("<!--[if mso]><p>hidden</p><![endif]-->shown", "shown"),
        ("<![if !supportLists]>shown<![endif]>", "shown"),
        ("<!DOCTYPE html><?xml version='1.0'?>shown", "shown"),
        ("<style>p > a {}</style><script>1 < 2</script>shown", "shown"),
        ("<head><title>no</title></head><header>shown</header>", "\nshown\n"),
        ("<td>1</td><td>2</td>", "1\t2\t"),
        ("<o:p>&nbsp;</o:p>x", " x"),
        ("unclosed <b", "unclosed <b"),
        ("unclosed <!-- comment", "unclosed comment"),
        ("<style>unclosed", "unclosed"),
        ("<blockquote>one<br>two</blockquote>three", "\n> one\n> two\nthree"),
        ("<blockquote><blockquote>one</blockquote></blockquote>", "\n> \n> > one\n> \n"),
        ("</blockquote></pre>x", "\n\nx"),
        ("&#99999999999;&#xffffffffff;", "\ufffd\ufffd"),
    ],
)
def test_what_a_browser_would_show(source: str, text: str) -> None:
    assert to_text(source) == text


@given(st.text(st.sampled_from("<>/!-'\"= abpre&#;xX9\n"), max_size=200))
def test_no_source_raises_or_grows_much(source: str) -> None:
    assert len(to_text(source)) <= 10 * len(source) + 10


PLAIN = st.characters(codec="utf-8", min_codepoint=32, exclude_characters="<>&")


@given(st.text(PLAIN, max_size=100))
def test_text_without_markup_keeps_its_words(source: str) -> None:
    assert to_text(source).split() == source.split()


def test_the_time_is_checked_now_and_then() -> None:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1

    to_text("<b>" * 10_000, check)
    assert calls >= 9
