"""Build the documentation site: ``make docs``, or ``python docs/make_site.py [FOLDER]``.

The pages of this folder, the reference, the examples, the changelog and CONTRIBUTING are gathered in one folder of
sources, and Sphinx makes the site from them, with every warning an error.
"""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

SECTIONS = {
    "guide": {
        "start": "Five minutes",
        "real-tables": "Three tables as they are",
        "choosing": "Choosing a classifier",
        "ecosystem": "The tools around",
        "what-you-know": "What you know",
        "page": "Reading the page",
        "new-rows": "New rows",
        "deploy": "Deploying",
        "scale": "Larger than memory",
        "questions": "Questions",
    },
    "examples/index": {},
    "method": {"concepts": "Concepts", "fusion": "FusionNB", "extending": "Extending", "leaves": "Leaves"},
    "reference": {"command-line": "Command line", "api/index": "Python", "model-format": "Model file"},
    "evidence": {"comparison": "Comparison", "fidelity": "Fidelity", "performance": "Performance"},
    "project": {
        "changelog": "Changelog",
        "contributing": "Contributing",
        "dependencies": "Dependencies",
        "decisions/index": "Decisions",
    },
}
"""The navigation: the sections, and the pages of each with their titles, in the order of a reader."""

MODULES = (
    "atfnb",
    "atfnb.evaluation",
    "atfnb.scale",
    "atfnb.switching",
    "atfnb.indexes",
    "atfnb.export",
    "atfnb.report",
    "atfnb_study.datasets",
)
"""The modules that the reference describes."""
LEFT_OUT = (
    "set_fit_request, set_partial_fit_request, set_score_request, get_metadata_routing, set_params, get_params, "
    "set_output, score, declaration"
)
"""Methods that scikit-learn describes, with references into its manual, and what only a classifier's author needs."""

API = """The public names, described by their docstrings. Every classifier is a scikit-learn estimator, so it also has
``score``, ``get_params``, ``set_params`` and metadata routing, which scikit-learn's manual describes."""

MOVED = [
    (r"\]\(\.\./CONTRIBUTING\.md", "](contributing.md"),
    (r"\]\(\.\./CHANGELOG\.md", "](changelog.md"),
    (r"\]\(\.\./examples/README\.md", "](examples/index.md"),
    (r"\]\(docs/", "]("),
    (r"\]\(README\.md", "](index.md"),
    (r"\]\((?:docs/)?decisions/README\.md", "](decisions/index.md"),
    (r"\[([\w-]+)\.md\]\(", r"[\1]("),
    (r"(?m)^```math$", "```{math}"),
]
"""What differs between a page in the repository and in the site: links, and the fence of formulas."""


def for_site(markdown: str) -> str:
    """Return the text of a page with links to the pages of the site.

    Examples
    --------
    >>> for_site("see [CONTRIBUTING](../CONTRIBUTING.md)")
    'see [CONTRIBUTING](contributing.md)'
    """
    for pattern, replacement in MOVED:
        markdown = re.sub(pattern, replacement, markdown)
    return markdown


# --- the reference -----------------------------------------------------------------------------------


def reference() -> dict[str, str]:
    """Return the pages of the reference, generated from the docstrings: one for each public module and classifier."""
    pages = {"api/index.rst": f"{_title('Python')}\n\n{API}\n\n{_toctree(list(MODULES))}"}
    for module in MODULES:
        package = import_module(module)
        names = [name for name in package.__all__ if f"{module}.{name}" not in MODULES]
        alone = [name for name in names if module == "atfnb" and inspect.isclass(getattr(package, name))]
        summary = (inspect.getdoc(package) or "").split("\n\n")[0]
        directives = [_directive(package, name) for name in names if name not in alone]
        parts = [_title(module), summary, _toctree([f"{name}.class" for name in alone]) if alone else "", *directives]
        pages[f"api/{module}.rst"] = "\n\n".join(parts)
        pages |= {f"api/{name}.class.rst": f"{_title(name)}\n\n{_directive(package, name)}" for name in alone}
    return pages


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}"


def _toctree(pages: list[str]) -> str:
    return "\n".join([".. toctree::", "   :maxdepth: 1", "", *(f"   {page}" for page in pages)])


def _directive(package: ModuleType, name: str) -> str:
    """Return the directive that describes a public name."""
    value = getattr(package, name)
    if inspect.ismodule(value):
        return f".. automodule:: {value.__name__}\n   :members:"
    if inspect.isclass(value):
        options = ["members:", "inherited-members: BaseEstimator, tuple", f"exclude-members: {LEFT_OUT}"]
        return "\n   :".join([f".. autoclass:: {package.__name__}.{name}", *options])
    if callable(value):
        return f".. autofunction:: {package.__name__}.{name}"
    return f".. autodata:: {_home(package, name)}.{name}\n   :no-value:"


def _home(package: ModuleType, name: str) -> str:
    """Return the module in which a public constant of a package is written, which is where it is described.

    Examples
    --------
    >>> _home(import_module("atfnb.evaluation"), "METRICS")
    'atfnb.evaluation.metrics'
    >>> _home(import_module("atfnb.export"), "TARGETS")
    'atfnb.export'
    """
    imports = [node for node in ast.parse(inspect.getsource(package)).body if isinstance(node, ast.ImportFrom)]
    homes = (str(node.module) for node in imports for each in node.names if each.name == name)
    return next(homes, package.__name__)


# --- the examples ------------------------------------------------------------------------------------


def examples() -> dict[str, str]:
    """Return the pages of the gallery: an index, and for each script its text, picture, output and code."""
    scripts = sorted((ROOT / "examples").glob("*.py"))
    index = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    index = re.sub(r"\((\w+)\.py\)", r"(\1.md)", index).replace("(../docs/examples/", "(").replace("(../docs/", "(../")
    toctree = "\n".join(["```{toctree}", ":hidden:", *(script.stem for script in scripts), "```"])
    return {"examples/index.md": f"{index}\n{toctree}\n"} | {
        f"examples/{each.stem}.md": _example(each) for each in scripts
    }


def _example(script: Path) -> str:
    source = script.read_text(encoding="utf-8")
    title, _, text = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
    printed = (DOCS / "examples" / f"{script.stem}.txt").read_text(encoding="utf-8").rstrip()
    code = source.split('"""', 2)[2].strip()
    return (
        f"# {title.rstrip('.')}\n\n{text.strip()}\n\n![what {script.name} draws]({script.stem}.png)\n\n"
        f"It prints:\n\n```text\n{printed}\n```\n\nThe whole of `examples/{script.name}`:\n\n```python\n{code}\n```\n"
    )


# --- the site ----------------------------------------------------------------------------------------


def gather(folder: Path) -> None:
    """Write the sources of the site to a folder."""
    shutil.copytree(DOCS, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "theme", "*.py"))
    shutil.copytree(DOCS / "tables", folder / "tables", dirs_exist_ok=True)
    for page in folder.rglob("*.md"):
        page.write_text(for_site(page.read_text(encoding="utf-8")), encoding="utf-8")
    made = {
        name.lower() + ".md": for_site((ROOT / f"{name}.md").read_text(encoding="utf-8"))
        for name in ("CHANGELOG", "CONTRIBUTING")
    }
    for path, text in {**made, **reference(), **examples()}.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    _index_decisions(folder / "decisions")
    for section, pages in SECTIONS.items():
        there = [f"{title} <{page}>" for page, title in pages.items()]
        if there:
            (folder / f"{section}.rst").write_text(
                f"{_title(section.title())}\n\n{_toctree(there)}\n", encoding="utf-8"
            )
    speed = folder / "performance" / "speed.md"
    speed.write_text(
        f"---\norphan: true\n---\n\n# The speeds, measured\n\n{speed.read_text(encoding='utf-8')}", encoding="utf-8"
    )
    first = (folder / "README.md").read_text(encoding="utf-8")
    toctree = "\n".join(["```{toctree}", ":hidden:", *SECTIONS, "```"])
    (folder / "index.md").write_text(f"{first}\n{toctree}\n", encoding="utf-8")
    (folder / "README.md").unlink()


def _index_decisions(folder: Path) -> None:
    """Write the page that lists the decisions, if there are any; a README of theirs is its beginning."""
    pages = sorted(page.stem for page in folder.glob("*.md") if page.stem != "README")
    if not pages:
        return
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.exists() else "# Decisions\n"
    readme.unlink(missing_ok=True)
    (folder / "index.md").write_text(
        "\n".join([text, "```{toctree}", ":maxdepth: 1", *pages, "```", ""]), encoding="utf-8"
    )


def build(out: Path) -> int:
    """Make the site in a folder, and return Sphinx's exit code: 0 if there was no warning."""
    try:
        from sphinx.cmd.build import build_main
    except ImportError:
        sys.exit("the site needs Sphinx, which is missing: pip install 'atfnb[docs]'")
    with TemporaryDirectory() as made:
        sources, caches = Path(made, "sources"), Path(made, "caches")
        gather(sources)
        return build_main(
            ["-q", "-W", "--keep-going", "-c", str(DOCS / "theme"), "-d", str(caches), str(sources), str(out)]
        )


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"))
