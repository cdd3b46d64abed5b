"""The verb ``page``: a model alone becomes an HTML page in which values can be tried."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from atfnb.cli.options import ModelFile, Quiet, check_output, with_options
from atfnb.cli.terminal import one_sentence, say, standard_error


@with_options
def page(
    *,
    model: ModelFile,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="HTML file to write.")] = Path("page.html"),
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title of the page. Default: what the model predicts.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write an HTML page in which anybody can try values and see what a model predicts, and why.

    Use it to hand a model to a colleague: the page is one file that opens in any browser, without Python and without a
    network. It holds the model and no rows of any table; [bold]atfnb report[/] shows the rows too.

    Example: [bold]atfnb page model.json -o page.html[/]
    """
    with one_sentence():
        from atfnb.model_file import load
        from atfnb.report import calculator_page

        check_output(out, str(model))
        calculator_page(load(model), title=title).save(out)
        say(standard_error(quiet), [f"Page saved to {out}."])
