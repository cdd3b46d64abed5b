"""How Sphinx builds the documentation site; ``docs/make_site.py`` gathers the pages and calls it."""

from __future__ import annotations

from importlib.metadata import version as version_of
from typing import Any

project = "atfnb"
version = release = version_of("atfnb")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]

myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath", "colon_fence"]
suppress_warnings = ["ref.python"]  # words such as "rows" in the types of parameters
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

highlight_language = "text"
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "pydata_sphinx_theme"
html_title = f"atfnb {release}"
html_static_path = ["static"]
html_css_files = ["style.css"]
html_favicon = "static/icon.svg"
html_logo = "static/icon.svg"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it would fetch each page found, which a browser refuses to pages from disk
html_theme_options = {
    "logo": {"text": "atfnb"},
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_depth": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": []}
pygments_style = "default"


def setup(app: Any) -> None:
    """Write formulas as MathML, which browsers show without a script or a font of its own."""
    app.connect("autodoc-process-docstring", _escape_bars)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def _escape_bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep ``|x|`` in the first paragraph of a docstring an absolute value."""
    for i, line in enumerate(lines):
        if not line:
            break
        lines[i] = line.replace("|", r"\|")


def _inline(writer: Any, node: Any) -> None:
    _write(writer, node, as_block=False)


def _block(writer: Any, node: Any) -> None:
    _write(writer, node, as_block=True)


def _write(writer: Any, node: Any, *, as_block: bool) -> None:
    from docutils import nodes
    from docutils.utils.math import latex2mathml

    writer.body.append(latex2mathml.tex2mathml(node.astext(), as_block=as_block))
    raise nodes.SkipNode
