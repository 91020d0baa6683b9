"""The pictures and the page: nothing overlaps, nothing is cut off, grey is enough, and the page needs nothing else."""

import re
import subprocess
import sys
from base64 import b64decode
from contextlib import ExitStack
from html.parser import HTMLParser
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner
from markupsafe import escape
from matplotlib.colors import to_rgb
from support.storing import store_solution

from gamesman.analysis.comparison import Comparison, Pair, Question, compare
from gamesman.analysis.profile import profile
from gamesman.analysis.sharing import Sharing
from gamesman.analysis.statistics import NO_P_VALUES
from gamesman.cli.main import cli
from gamesman.cli.views import pictures, rows
from gamesman.cli.views.curves import COLOURS, DASHES, MARKERS, ended
from gamesman.cli.views.page import PHONE, as_html, beside_board
from gamesman.cli.views.pictures import LOOKS
from gamesman.cli.views.skill import BEST, Trace, draw_traces, traces_height
from gamesman.db import open_store
from gamesman.model.variant import variants

pytestmark = pytest.mark.slow

TWO = ["abalone:rows=3,cols=3,misere=*"]
EIGHT = ["konane:rows=3..4,misere=*,any_piece=*"]
MIXED = [
    "hex_abalone:edge=2",
    "tictactoe",
    "ctf:size=2..3,first=*",
    "konane:rows=3,cols=5,removed=a1,a2,misere,any_piece",
    'konane:start=(b "" bwbwbw wbwbwb --wbwb),any_piece=*',
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    found = open_store(str(tmp_path_factory.mktemp("pictures")))
    for text in (*TWO, *EIGHT, *MIXED):
        for v in variants(text):
            store_solution(found, v.name)
    return found


@pytest.fixture(scope="module", params=[TWO, EIGHT, MIXED], ids=["two", "eight", "mixed"])
def comparison(request, store):
    names = [v for text in request.param for v in variants(text)]
    with ExitStack() as stack:
        return compare([stack.enter_context(store.open(v)) for v in names])


@pytest.fixture
def drawn(monkeypatch):
    """Draw to memory, and keep the figure."""
    import matplotlib.figure

    figures = []

    class Kept(matplotlib.figure.Figure):
        def __init__(self, *arguments, **settings):
            super().__init__(*arguments, **settings)
            figures.append(self)

    monkeypatch.setattr(matplotlib.figure, "Figure", Kept)
    return figures


def texts(figure):
    """Every text to be read in a picture, with its box."""
    import matplotlib.axis
    import matplotlib.text
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    hidden = set()
    for axis in figure.findobj(matplotlib.axis.Axis):
        # Ticks beyond the limits, and those of an earlier layout, exist but are not drawn.
        ticks = set() if not axis.axes.axison else set(axis._update_ticks())
        for tick in {*axis.majorTicks, *axis.minorTicks} - ticks:
            hidden |= {tick.label1, tick.label2}
    found = []
    for text in figure.findobj(matplotlib.text.Text):
        box = text.get_window_extent(renderer)
        is_drawn = text.get_visible() and not (text.axes and not text.axes.axison)
        if text not in hidden and is_drawn and text.get_text().strip() and box.width:
            found.append((text.get_text(), box))
    return found


def check_texts(figure):
    found = texts(figure)
    assert len(found) > 5
    for (one, a), (other, b) in combinations(found, 2):
        assert not (a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1), f"{one!r} and {other!r} overlap"
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in found:
        assert box.x0 >= -1 and box.x1 <= width + 1 and box.y0 >= -1 and box.y1 <= height + 1, f"{text!r} is cut off"


def test_no_text_of_a_comparison_overlaps_or_is_cut_off(comparison, drawn, tmp_path):
    pictures.draw_comparison(comparison, str(tmp_path / "all.png"))
    (figure,) = drawn
    check_texts(figure)


def test_no_text_on_the_page_overlaps_or_is_cut_off(comparison, drawn):
    as_html(comparison)
    # Two pictures, each for a screen and for a phone, and one of every pair.
    assert len(drawn) == 4 + sum(bool(pair.shared.positions) for pair in comparison.pairs)
    for figure in drawn:
        check_texts(figure)


@pytest.mark.parametrize("name", ["abalone:rows=3,cols=3", "konane", "ctf:size=3", "hex_abalone:edge=2", "tictactoe"])
def test_no_text_of_a_variant_overlaps_or_is_cut_off(name, store, drawn, tmp_path):
    (v,) = variants(name)
    with store.open(v) as stored:
        pictures.draw_profile(profile(stored), str(tmp_path / "one.png"))
    check_texts(drawn[0])
    for axis in (axis for ax in drawn[0].axes for axis in (ax.xaxis, ax.yaxis)):
        low, high = axis.get_view_interval()
        ticks = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
        assert ticks
        assert all(tick == int(tick) for tick in ticks), "half a move, or half a position"


@pytest.mark.parametrize("width", [pictures.WIDTH, PHONE])
@pytest.mark.parametrize("number", [1, 2, 4, 8])
def test_curves_of_skill_find_room_for_long_names(number, width, drawn):
    shares = {"first": (40.0, 50.0, 60.0), "second": (20.0, 30.0, 40.0), "tie": (0.0, 0.0, 5.0)}
    shares["unfinished"] = (9.0, 9.0, 9.0)
    name = "abalone:rows=5,cols=5,captures=2,misere,freeze"
    traces = [Trace(name, [(0.0, shares), (0.5, shares), (1.0, shares)])] * number
    height = traces_height(traces, width)
    pictures.as_svg(lambda figure: draw_traces(figure, traces, width, BEST), width, height)
    check_texts(drawn[0])


def test_large_counts_of_four_values_find_room_in_their_cells(drawn):
    counts = np.full((4, 4), 999_999)
    counts[0, 0] = 99_999_999_999
    pair = Pair(0, 1, {}, Sharing(None, int(counts.sum()), counts))
    pictures.as_svg(lambda figure: pictures.draw_changes(figure.subplots(), pair), 3.3, 2.9)
    check_texts(drawn[0])


def test_as_many_variants_as_can_be_compared_find_room(store, drawn, tmp_path):
    (v,) = variants("konane:rows=4,misere")
    with store.open(v) as stored:
        many = Comparison([profile(stored)] * 27, [])
    pictures.draw_comparison(many, str(tmp_path / "all.png"))
    check_texts(drawn[0])


def test_every_axis_says_what_it_is(comparison, drawn, tmp_path):
    pictures.draw_comparison(comparison, str(tmp_path / "all.svg"))
    for axes in drawn[0].findobj(lambda found: hasattr(found, "get_xlabel") and found.axison):
        assert axes.get_xlabel() and (axes.get_ylabel() or axes.get_yticklabels())
        assert axes.get_title(loc="left")


def test_curves_count_all_positions_that_have_ended(comparison):
    for each in comparison.profiles:
        curve = ended(each)
        ends = each.positions - each.never_end
        assert curve == sorted(curve) and curve[-1] == pytest.approx(100 * ends / each.positions)
        shorter = sum(n for remoteness, n in each.remoteness.items() if remoteness <= len(curve) // 2)
        assert curve[len(curve) // 2] == pytest.approx(100 * shorter / each.positions)


@pytest.mark.parametrize("is_log", [False, True], ids=["linear", "log"])
def test_distances_stand_for_the_pairs_of_many(store, drawn, tmp_path, is_log):
    names = [v for text in EIGHT for v in variants(text)]
    with ExitStack() as stack:
        stored = [stack.enter_context(store.open(v)) for v in names]
        many = compare(stored, question=Question(is_walked=False, is_sharing=False))
    pictures.draw_comparison(many, str(tmp_path / "all.png"), is_log=is_log)
    check_texts(drawn[0])
    assert any("every two are apart" in text for text, _ in texts(drawn[0]))
    words = "".join(Page(as_html(many)).words)
    assert "A and B" not in words and "What each option does" in words and "Below the diagonal" in words


def test_the_page_explains_options_and_draws_boards(comparison):
    text = as_html(comparison)
    games = {each.variant.game.name: each.variant.game for each in comparison.profiles}
    words = " ".join("".join(Page(text).words).split())
    for game in games.values():
        assert game.title in words
    if len(comparison.profiles) == 8:
        for name in ("rows: 3 and 4", "misere: no and yes", "any_piece: no and yes"):
            assert name in words
    if len(comparison.profiles) == 2:
        assert re.search(r": (no in A and yes in B|3 in A and 4 in B)", words) or len(games) > 1
        assert "Of A's positions 41.0 % are won for the player to move, of B's 8.0 %." in words
        assert "10,752 positions in common; 36.6 % of them are worth the same." in words
    assert ("In short" in words) == (len(comparison.profiles) == 2)
    if set(games) & {"konane", "abalone"}:
        assert text.count('<svg class="board"') >= sum(len(pair.shared.examples) for pair in comparison.pairs)
        parting = [(pair, said) for pair in comparison.pairs for said in rows.parting(pair)]
        for pair, said in parting:
            its = pair.shared.opening.position
            said = beside_board(said, its, comparison.profiles[pair.first].variant)
            assert " to move" in said or not pair.shared.opening.moves
            assert f"</svg>{escape(said)}<br><code>{escape(its)}</code></li>" in text
        assert parting or len(comparison.profiles) != 2


def lightness(colour):
    red, green, blue = to_rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_values_differ_in_grey():
    for (one, hatch, _), (other, other_hatch, _) in combinations(LOOKS.values(), 2):
        assert abs(lightness(one) - lightness(other)) > 0.12 and hatch != other_hatch


def test_text_stands_out_from_its_bar():
    for face, _, ink in LOOKS.values():
        assert abs(lightness(face) - lightness(ink)) > 0.4


def test_no_two_of_the_lines_look_alike_without_their_colours():
    looks = [(str(DASHES[i % len(DASHES)]), MARKERS[i % len(MARKERS)]) for i in range(26)]
    assert len(set(looks)) == 26 and len(set(COLOURS)) == 8


def test_the_same_picture_is_the_same_bytes(store, tmp_path):
    (v,) = variants("konane")
    with store.open(v) as stored:
        for name in ("a.svg", "b.svg"):
            pictures.draw_profile(profile(stored), str(tmp_path / name))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


class Page(HTMLParser):
    """What a page holds, and whether its tags are closed in order."""

    VOID = {"meta", "img", "br", "wbr", "source"}

    def __init__(self, text):
        super().__init__()
        self.open, self.images, self.addresses, self.words = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "srcset", "action", "data", "poster"):
                self.addresses.append(value)
        if tag == "img":
            self.images.append(dict(attributes))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_is_whole_and_asks_for_nothing(comparison):
    text = as_html(comparison)
    page = Page(text)
    assert page.open == []
    assert all(address.startswith("data:image/svg+xml;base64,") for address in page.addresses)
    assert not re.search(r"@import|url\(|<script|<link|<iframe", text)
    for image in page.images:
        assert len(image["alt"]) > 20
        root = ElementTree.fromstring(b64decode(image["src"].partition(",")[2]))
        assert root.tag.endswith("}svg")
        links = [v for e in root.iter() for k, v in e.attrib.items() if k.endswith("href")]
        assert all(link.startswith(("#", "data:")) for link in links)


def test_the_page_has_every_number_of_the_table(comparison):
    words = "".join(Page(as_html(comparison)).words)
    assert NO_P_VALUES in words
    for each in comparison.profiles:
        assert each.variant.name in words and each.summary.position in words
        assert f"{each.positions:,}" in words and f"{each.branching_factor:.2f}" in words
    for pair in comparison.pairs:
        for example in pair.shared.examples:
            assert example["position"] in words


def test_names_cannot_put_tags_on_the_page(comparison):
    text = as_html(comparison)
    known = """html head meta title style body h1 h2 h3 p b br div section ul li img code table thead tbody tr th td
        details summary footer picture source pre dl dt dd svg rect circle line text wbr"""
    assert set(re.findall(r"</?([a-z0-9]+)", text)) <= set(known.split())


def test_what_a_name_holds_is_shown_and_is_no_tag(comparison, monkeypatch):
    monkeypatch.setattr(comparison.profiles[0].summary, "position", "<b>&lt;\"'</b>")
    assert "<code>&lt;b&gt;&amp;lt;&#34;&#39;&lt;/b&gt;</code>" in as_html(comparison)
    assert "<b>&lt;\"'</b>" in Page(as_html(comparison)).words


def test_a_page_without_jinja_says_what_to_install_before_anything_is_solved(tmp_path, database, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    file = tmp_path / "all.html"
    result = CliRunner().invoke(cli, ["compare", "konane:misere=*", "--solve", "--html", str(file)])
    said = "a page needs Jinja2, which is not installed; run: pip install 'gamesman[plot]'\n"
    assert (result.exit_code, result.stderr) == (2, said)
    assert not file.exists() and not list(open_store(database).list())


def test_a_comparison_that_writes_no_page_imports_no_jinja(tmp_path, database):
    for v in variants("konane:misere=*"):
        store_solution(open_store(database), v.name)
    program = (
        "import sys; from gamesman.cli.main import cli; cli.main(sys.argv[1:], standalone_mode=False)\n"
        "print('imported:', *sorted({'jinja2', 'matplotlib'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, "compare", "konane:misere=*", "--quick"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nimported:\n")


def test_compare_writes_the_picture_and_the_page(tmp_path, database):
    for v in variants("konane:misere=*"):
        store_solution(open_store(database), v.name)
    files = [tmp_path / "all.png", tmp_path / "all.html"]
    words = ["compare", "konane:misere=*", "--plot", str(files[0]), "--html", str(files[1])]
    result = CliRunner().invoke(cli, words)
    assert (result.exit_code, result.stderr) == (0, f"written: {files[0]}\nwritten: {files[1]}\n")
    assert files[0].read_bytes().startswith(b"\x89PNG")
    assert files[1].read_text().startswith("<!DOCTYPE html>")
