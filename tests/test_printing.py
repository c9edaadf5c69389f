"""Text of users is printed as it stands, through one printer."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jaxbandits.console.printing import Printer, Table, say
from jaxbandits.console.texts import visible

# What rich makes a terminal's orders or pictures of, what breaks lines, wide letters.
LETTERS = "[]/\\:$*_\"' \n\r\t\x1b\x07b1鞋é\u202e\u200d"
NAMES = st.one_of(
    st.text(LETTERS, min_size=1, max_size=12),
    st.sampled_from(["[b]", "[/b]", "[link=x]y", ":smile:", "\x1b[31mred", "[sale] s"]),
)


def inner(line: str) -> list[str]:
    """The cells of a row of a printed table."""
    return [cell.strip() for cell in line.strip("│\n").split("│")]


@given(NAMES)
@example("[/b]")
@example(":smile:")
@example("1,234.5 [dim]x[/dim] 'text' http://x.y")
def test_a_cell_a_title_and_a_sentence_hold_the_name_as_it_stands(name):
    printer = Printer()
    table = Table("policy", title=f"<{name}>")
    table.add_row(f"<{name}>")
    with printer.capture() as captured:
        printer.print(table)
        printer.sentence(f"<{name}>")
    lines = captured.get().split("\n")
    shown = f"<{visible(name)}>"
    assert lines[0].strip() == shown
    assert inner(lines[4]) == [shown]
    assert lines[-2] == shown


@pytest.mark.parametrize("letter", ["x", "鞋"])
def test_a_name_wider_than_the_table_goes_on_in_the_next_line(letter):
    printer, table = Printer(40), Table("policy", "mean")
    table.add_row(letter * 60, "1.5")
    with printer.capture() as captured:
        printer.print(table)
    text = captured.get()
    assert text.count(letter) == 60 and "…" not in text and "1.5" in text


@given(st.text())
def test_what_is_visible_obeys_nothing_and_keeps_the_rest(text):
    shown = visible(text)
    assert not any(c < " " or "\x7f" <= c < "\xa0" for c in shown)
    assert not set(shown) & set("\u2028\u2029\u202a\u202e\u2066")
    if text.isprintable() and "\\" not in text:
        assert shown == text
    assert visible(shown, keep="\n") == shown


LOOKALIKES = st.text("\\nrx1bu0aA \n\r\x1b\x0b\u200b\U000e0001", max_size=6)


@given(st.lists(LOOKALIKES, min_size=2, max_size=40, unique=True))
@example(["a\\nb", "a\nb", "\\x1b", "\x1b", "a\\\nb", "a\\\\nb", "\\\x1b"])
def test_texts_that_differ_are_seen_to(texts):
    assert len({visible(text) for text in texts}) == len(texts)


def test_backslashes_that_begin_no_escape_stand_as_they_are():
    assert visible(r"C:\Data\a.csv \$ \\ \x") == r"C:\Data\a.csv \$ \\ \x"


def test_errors_keep_their_lines_and_lose_orders_to_the_terminal(capsys):
    say("[/b] \x1b[2J\nsecond line")
    assert capsys.readouterr().err == "[/b] \\x1b[2J\nsecond line\n"
