"""Whether HTML is as it should be."""

from html.parser import HTMLParser


class _Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), "a script"
            assert name not in ("href", "src"), "something from elsewhere"
            assert "url(" not in (value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag


def elements(html: str) -> list[str]:
    """The elements of a text, all of them closed, none of them a script."""
    parser = _Balanced()
    parser.feed(html)
    parser.close()
    assert not parser.open
    assert "script" not in parser.seen
    return parser.seen
