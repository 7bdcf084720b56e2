"""What notebooks show: HTML without scripts and without external resources.

Strings are escaped when they are put into an element; only what `tag` has made is markup.
"""

import html
from collections.abc import Iterable, Sequence

FIRST, SECOND = "#2a86c7", "#d9741a"
"""The colours of the two inputs; colour-blind people can tell them apart, on white and on black."""

RED, GREEN, GREY = "#d03030", "#2e9e6b", "#888"
"""The colours of verdicts, which are also given in words."""

FAINT = "rgba(128,128,128,0.25)"
"""Elements that are not filled."""


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element. Underscores in names of attributes are hyphens.

    >>> tag("p", "a < b", tag("b", "!"), font_size=12)
    '<p font-size="12">a &lt; b<b>!</b></p>'
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(x))}"' for key, x in attributes.items())
    inside = "".join(child if isinstance(child, Markup) else html.escape(child) for child in children)
    return Markup(f"<{name}{given}>{inside}</{name}>")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """A table of texts.

    >>> table(["a"], [["<"]]).count("&lt;")
    1
    """
    cell = "padding:2px 10px;text-align:left"
    header = tag("tr", *(tag("th", text, style=cell) for text in head))
    body = [tag("tr", *(tag("td", text, style=f"{cell};font-family:monospace") for text in row)) for row in rows]
    return tag("table", tag("thead", header), tag("tbody", *body), style="border-collapse:collapse;margin:6px 0")


def block(*children: str) -> str:
    """The whole answer, as one element that scrolls if it is too wide.

    >>> block("a")
    '<div style="overflow-x:auto">a</div>'
    """
    return str(tag("div", *children, style="overflow-x:auto"))


def headline(text: str, *, good: "bool | None" = None) -> Markup:
    """The first line.

    >>> headline("private", good=True)
    '<p style="font-size:110%;margin:4px 0;border-left:5px solid #2e9e6b;padding-left:8px">private</p>'
    """
    colour = {True: GREEN, False: RED, None: GREY}[good]
    return tag("p", text, style=f"font-size:110%;margin:4px 0;border-left:5px solid {colour};padding-left:8px")


def small(text: str) -> Markup:
    """A remark.

    >>> small("a")
    '<p style="margin:4px 0;opacity:0.8">a</p>'
    """
    return tag("p", text, style="margin:4px 0;opacity:0.8")


def rows(pairs: "Iterable[tuple[str, str]]") -> Markup:
    """Names, with a text for each.

    >>> rows([("a", "b")]).count("<tr>")
    1
    """
    name, said = "padding:2px 14px 2px 0;text-align:left;vertical-align:top", "padding:2px 0;text-align:left"
    body = [tag("tr", tag("th", key, style=name), tag("td", text, style=said)) for key, text in pairs]
    return tag("table", tag("tbody", *body), style="border-collapse:collapse;margin:6px 0")


def folded(title: str, text: str) -> Markup:
    """A text that opens on demand.

    >>> folded("proof", "a <= b")
    '<details><summary>proof</summary><pre style="line-height:1.25">a &lt;= b</pre></details>'
    """
    return tag("details", tag("summary", title), tag("pre", text, style="line-height:1.25"))


def notes(texts: Sequence[str]) -> Markup:
    """Some lines, or nothing.

    >>> notes([])
    ''
    """
    return tag("ul", *(tag("li", text) for text in texts)) if texts else Markup("")


def drawing(width: float, height: float, label: str, *children: Markup) -> Markup:
    """An SVG.

    >>> drawing(10, 5, "empty")[:28]
    '<svg role="img" width="10" h'
    """
    size = f"0 0 {width:g} {height:g}"
    style = "max-width:100%;font:11px sans-serif;display:block;margin:6px 0"
    title = tag("title", label)
    return tag("svg", title, *children, role="img", width=f"{width:g}", height=f"{height:g}", viewBox=size, style=style)


def text_at(x: float, y: float, text: str, anchor: str = "start", colour: str = "currentColor") -> Markup:
    """A text in a drawing.

    >>> text_at(1, 2, "a")
    '<text x="1.00" y="2.00" text-anchor="start" fill="currentColor">a</text>'
    """
    return tag("text", text, x=f"{x:.2f}", y=f"{y:.2f}", text_anchor=anchor, fill=colour)


def box(x: float, y: float, width: float, height: float, fill: str, title: str) -> Markup:
    """A rectangle that says what it is.

    >>> box(0, 0, 1, 1, "red", "r").count("<title>r</title>")
    1
    """
    place = {"x": f"{x:.2f}", "y": f"{y:.2f}", "width": f"{width:.2f}", "height": f"{height:.2f}"}
    return tag("rect", tag("title", title), **place, fill=fill)


def line(x: float, y: float, x2: float, y2: float, colour: str = "currentColor", dashes: str = "none") -> Markup:
    """A line in a drawing.

    >>> line(0, 0, 1, 0)[:12]
    '<line x1="0.'
    """
    ends = {"x1": f"{x:.2f}", "y1": f"{y:.2f}", "x2": f"{x2:.2f}", "y2": f"{y2:.2f}"}
    return tag("line", **ends, stroke=colour, stroke_dasharray=dashes)
