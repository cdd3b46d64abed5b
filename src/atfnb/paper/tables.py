"""The paper's tables, ours beside the paper's; and, beyond the paper, all classifiers at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from atfnb._typing import FloatArray
from atfnb.paper import datasets, published, ranking, statistics
from atfnb.paper.fusion_tables import fusion_tables
from atfnb.paper.protocol import TEST_SHARE
from atfnb.paper.results import Results, among, columns, distinct
from atfnb.paper.searches import BetaOfSet
from atfnb.paper.sets import Uci
from atfnb.paper.text_table import Cell, TextTable

FOUR = ("ATFNB", "WNB", "CFW", "NB")
"""The algorithms of the paper's tests, in its order."""
FIVE = ("NB", "WNB", "CFW", "ATFNB", "CFW-β")
"""Those of its accuracy tables."""

PAPERS_SETS = "The paper's columns are over its 50 sets."


def papers_sets(results: Results) -> str:
    """Say what the paper's columns are over; nothing if there are none."""
    printed = results.sets.printed
    return f"The paper's columns are over {printed.theirs}." if printed.beside else ""


def with_dependence(results: Results, *notes: str) -> str:
    """Join sentences on a test over the sets, and add what these sets share."""
    return " ".join(filter(None, (*notes, results.sets.dependence(results.options.sets))))


def every_table(results: Results, betas: list[BetaOfSet]) -> list[TextTable]:
    """All tables that the results allow, in the paper's order; then those beyond it."""
    makers: list[Callable[[], TextTable]] = [
        lambda: results.sets.table(results.options.sets),
        lambda: searches_table(betas),
        lambda: accuracy_table(results),
        lambda: foot_table(results),
        lambda: t_test_table(results),
        lambda: rank_table(results),
        lambda: sign_table(results),
        *_uci_alone(results, betas),
        lambda: ranking_table(results),
        lambda: pair_table(results),
    ]
    tables = [*(table for make in makers if (table := make()).rows), *fusion_tables(results)]
    return [replace(table, remark=results.sets.printed.remark) for table in tables]


def _uci_alone(results: Results, betas: list[BetaOfSet]) -> list[Callable[[], TextTable]]:
    """What the paper prints of its first experiment alone."""
    if not isinstance(results.sets, Uci):
        return []
    return [lambda: size_table(results), lambda: interval_table(betas), lambda: beta_table(betas)]


# --- data sets and β -------------------------------------------------------------------------------


def searches_table(betas: list[BetaOfSet]) -> TextTable:
    """T4: the interval of β and the seconds of both searches."""
    by_name = {one.name: one for one in betas}
    rows: list[tuple[Cell, ...]] = []
    for line in published.table("T4"):
        one = by_name.get(str(line["set"]))
        if one is not None:
            rows.append(
                (
                    one.name,
                    "ours",
                    interval(one.sls),
                    interval(one.qsf),
                    f"{one.sls_seconds:.2g}",
                    f"{one.qsf_seconds:.2g}",
                    f"×{one.sls_seconds / one.qsf_seconds:.0f}",
                )
            )
            theirs = interval((line["sls_low"], line["sls_high"])), interval((line["qsf_low"], line["qsf_high"]))
            rows.append(
                (one.name, "paper", *theirs, str(line["sls_seconds"]), str(line["qsf_seconds"]), f"×{line['speedup']}")
            )
    header = ("set", "whose", "β by SLS", "β by QSF", "SLS, s", "QSF, s", "faster")
    note = "Ours: all rows of the set, the best of five runs; both searches use the same compiled loops."
    return TextTable("T4", "the switching factor by both searches", header, tuple(rows), note)


def interval_table(betas: list[BetaOfSet]) -> TextTable:
    """T14: the best interval of β of every set."""
    printed = {str(row["set"]): row for row in published.table("T14")}
    marks = statistics.beta_marks([one.qsf for one in betas])
    rows = []
    for one, mark in zip(betas, marks, strict=True):
        theirs = printed[one.name]
        rows.append(
            (one.name, interval(one.qsf), str(mark), interval((theirs["low"], theirs["high"])), str(theirs["mark"]))
        )
    same = sum(row[2] == row[4] for row in rows)
    note = f"The mark is the same on {same} of {len(rows)} sets."
    header = ("set", "ours", "against 0.5", "the paper's", "against 0.5, paper")
    return TextTable("T14", "the best interval of β on all rows", header, tuple(rows), note)


def beta_table(betas: list[BetaOfSet]) -> TextTable:
    """T15: where β lies, by the size of the set."""
    marks = statistics.beta_marks([one.qsf for one in betas])
    shares = statistics.by_beta(marks, *_sizes([one.name for one in betas]))
    printed = {str(row["division"]): row for row in published.table("T15")}
    headings = ("above", "contains", "below")
    rows: list[tuple[Cell, ...]] = [
        (
            s.division,
            s.number,
            *(_percent(s.percent[h]) for h in headings),
            *(str(printed[s.division][h]) for h in headings),
        )
        for s in shares
    ]
    header = ("division", "sets", *(f"{h}, %" for h in headings), *(f"{h}, paper" for h in headings))
    return TextTable("T15", "β above 0.5, containing it, below it", header, tuple(rows), PAPERS_SETS)


# --- accuracies ------------------------------------------------------------------------------------


def accuracy_table(results: Results) -> TextTable:
    """T5: the mean test accuracy, and whom ATFNB beats significantly."""
    at = columns(results, FIVE)
    starred = statistics.stars(results.accuracy[:, :, at], TEST_SHARE)[:, :, FIVE.index("ATFNB")]  # (sets, rows)
    beside = results.sets.printed.beside
    printed = printed_accuracy(results, FIVE) if beside else np.empty((len(results.options.sets), 0))
    rows: list[tuple[Cell, ...]] = []
    for i, name in enumerate(results.options.sets):
        beaten = ", ".join(c for k, c in enumerate(FIVE) if starred[i, k])
        rows.append((name, *(float(results.mean[i, c]) for c in at), beaten, *map(float, printed[i])))
    theirs = [f"{c}, paper" for c in FIVE] if beside else []
    header = (results.sets.printed.unit.removesuffix("s"), *FIVE, "ATFNB beats", *theirs)
    note = f"Means of {results.options.n_splits} splits. Beats: significantly, by the corrected t-test at p = .05."
    if not results.sets.printed.comparable:
        note = " ".join(filter(None, (note, papers_sets(results))))
    return TextTable(results.sets.printed.accuracy, "test accuracy", header, tuple(rows), note)


def printed_accuracy(results: Results, classifiers: tuple[str, ...]) -> FloatArray:
    """The paper's T5, or T9, on the results' sets: (sets, classifiers)."""
    name = results.sets.printed.accuracy
    order = [str(next(iter(row.values()))) for row in published.table(name)]
    return published.numbers(name, classifiers)[[order.index(one) for one in results.options.sets]]


def foot_table(results: Results) -> TextTable:
    """The foot of T5: averages, and G/W/L among the four, over the same sets for us and for the paper."""
    sets, printed = results.options.sets, results.sets.printed
    unit = printed.unit
    whose = [(results.mean[:, columns(results, FIVE)], results.mean[:, columns(results, FOUR)])]
    if printed.beside:
        whose.append((printed_accuracy(results, FIVE), printed_accuracy(results, FOUR)))
    rows: list[tuple[Cell, ...]] = []
    for k, name in enumerate(FIVE):
        cells: list[Cell] = [name]
        for five, four in whose:
            counts = statistics.good_win_loss(four, reference=FOUR.index("ATFNB"))
            cells += [float(five[:, k].mean()), _good_win_loss(counts, name)]
        rows.append(tuple(cells))
    header = ("classifier", "average", "G/W/L", "average, paper", "G/W/L, paper")[: len(rows[0])]
    same = "the same " if printed.comparable else ""
    note = (
        f"Over {same}{len(sets)} {unit}. G: {unit} on which it is the highest of the four; W and L: {unit} on which it "
        "is above and below ATFNB."
    )
    title = f"averages over the {unit}"
    return TextTable(f"{printed.accuracy}-foot", title, header, tuple(rows), note, printed.remark)


def _good_win_loss(counts: statistics.GoodWinLoss, name: str) -> str:
    if name not in FOUR:
        return ""
    good, win, loss = (part[FOUR.index(name)] for part in (counts.good, counts.win, counts.loss))
    return f"{good}" if name == "ATFNB" else f"{good}/{win}/{loss}"


def t_test_table(results: Results) -> TextTable:
    """T6: on how many sets the column is higher than the row, and significantly so."""
    part = results.accuracy[:, :, columns(results, FOUR)]
    wins = statistics.wins(part.mean(axis=1))
    significant = statistics.significant_wins(statistics.stars(part, TEST_SHARE))
    cells = [[f"{wins[i, j]}({significant[i, j]})" for j in range(4)] for i in range(4)]
    printed = results.sets.printed
    title = f"{printed.unit} on which the column is higher than the row, and significantly so"
    told = ("Significantly: by the corrected t-test over the splits, at p = .05.", papers_sets(results))
    return _matrix(results, printed.t_tests, title, cells, " ".join(filter(None, told)))


def rank_table(results: Results) -> TextTable:
    """T7: Wilcoxon's sums of ranks, of the row over the column."""
    ranks = statistics.wilcoxon_ranks(results.mean[:, columns(results, FOUR)])
    title = "Wilcoxon's sums of ranks, of the row over the column"
    cells = [[f"{r:g}" for r in row] for row in ranks]
    return _matrix(results, results.sets.printed.ranks, title, cells, papers_sets(results))


def sign_table(results: Results) -> TextTable:
    """T8: for which of them a difference is shown."""
    mean = results.mean[:, columns(results, FOUR)]
    critical = statistics.wilcoxon_critical(len(mean))
    printed = results.sets.printed
    rule = f"the smaller sum of {printed.ranks} is at most {critical}"
    signs = f"● the column is significantly better, ○ the row is: {rule}."
    blank = "Where there is no sign, no difference is shown, which does not make the two equal."
    few = f"With so few {printed.unit} no difference can be significant."
    told = (signs if critical >= 0 else few, blank if critical >= 0 else "", printed.slip, papers_sets(results))
    cells = statistics.wilcoxon_signs(mean).tolist()
    return _matrix(results, printed.signs, "Wilcoxon tests", cells, with_dependence(results, *told))


def size_table(results: Results) -> TextTable:
    """T13: on what part of the sets ATFNB is the highest of the four, by size."""
    mean = results.mean[:, columns(results, FOUR)]
    shares = statistics.by_size(mean, *_sizes(list(results.options.sets)), reference=FOUR.index("ATFNB"))
    printed = {str(row["division"]): row for row in published.table("T13")}
    rows: list[tuple[Cell, ...]] = [
        (
            s.division,
            s.number,
            _percent(s.percent["reference"]),
            _percent(s.percent["others"]),
            *(str(printed[s.division][k]) for k in ("ATFNB", "competitors")),
        )
        for s in shares
    ]
    header = ("division", "sets", "ATFNB best, %", "others best, %", "ATFNB, paper", "others, paper")
    slip = "It prints 56.25 and 43.75 % for 27 sets, which cannot be; from its own T5 they are 55.56 and 44.44."
    note = f"{PAPERS_SETS} {slip}"
    return TextTable("T13", "where ATFNB is the highest of the four, by size", header, tuple(rows), note)


# --- beyond the paper ------------------------------------------------------------------------------


def ranking_table(results: Results) -> TextTable:
    """Every classifier: mean accuracy, mean rank, and how it stands to NB."""
    names, mean = distinct(results)
    found, pairs, wins = ranking.friedman(mean), ranking.compare_pairs(mean), statistics.wins(mean)
    nb = among(names, "NB")
    rows = [
        (
            names[c],
            float(mean[:, c].mean()),
            f"{found.mean_ranks[c]:.2f}",
            f"{wins[nb, c]}/{wins[c, nb]}",
            f"{pairs.p_values[c, nb]:.2g}",
            f"{pairs.holm[c, nb]:.2g}",
            f"{pairs.rank_biserial[c, nb]:+.2f}",
        )
        for c in np.argsort(-mean.mean(axis=0), kind="stable")
    ]
    header = (
        "classifier",
        "mean accuracy",
        "mean rank",
        "won/lost against NB",
        "p against NB",
        "p, Holm",
        "rank-biserial",
    )
    note = (
        f"Names joined by = agree on every split. Friedman: χ² = {found.statistic:.1f}, p = {found.p_value:.2g}. "
        f"p against NB: Wilcoxon over the {results.sets.printed.unit}; then corrected for all pairs by Holm."
    )
    if "CategoricalNB" in names:
        note += " CategoricalNB counts values not seen in training as one more value of each attribute."
    return TextTable("All", "every classifier, best first", header, tuple(rows), with_dependence(results, note))


def pair_table(results: Results) -> TextTable:
    """Every pair: Wilcoxon's p, corrected by Holm."""
    names, mean = distinct(results)
    pairs = ranking.compare_pairs(mean)
    rows = tuple(
        (name, *("" if i == j else f"{pairs.holm[i, j]:.2g}" for j in range(len(names))))
        for i, name in enumerate(names)
    )
    title = f"p-values of all pairs (Wilcoxon over the {results.sets.printed.unit}, corrected by Holm)"
    note = with_dependence(results, "A high p-value does not make two classifiers equal.")
    return TextTable("Pairs", title, ("", *names), rows, note)


# --- pieces ----------------------------------------------------------------------------------------


def interval(ends: tuple[object, object]) -> str:
    """An interval as the paper prints it.

    >>> interval((0.25, 0.75))
    '[0.2500, 0.7500]'
    """
    low, high = (float(str(end)) for end in ends)
    return f"[{low:.4f}, {high:.4f}]"


def _matrix(results: Results, name: str, title: str, cells: list[list[str]], note: str) -> TextTable:
    """Four against four: ours and, where they stand beside ours, the paper's."""
    theirs = FOUR if results.sets.printed.beside else ()
    printed = {str(row["row"]): row for row in published.table(name)} if theirs else {}
    rows = tuple(
        (row, *("" if i == j else cells[i][j] for j in range(4)), *(_printed(printed[row][c]) for c in theirs))
        for i, row in enumerate(FOUR)
    )
    return TextTable(name, title, ("", *FOUR, *(f"{c}, paper" for c in theirs)), rows, note)


def _printed(cell: Cell) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def _sizes(names: list[str]) -> tuple[FloatArray, FloatArray]:
    records = datasets.catalogue()
    return np.array([records[n].instances for n in names], float), np.array(
        [records[n].attributes for n in names], float
    )


def _percent(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"
