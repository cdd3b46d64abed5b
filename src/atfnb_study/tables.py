"""The paper's tables T2 to T15 from the results of a study, with the paper's own figures next to ours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from atfnb._typing import FloatArray
from atfnb_study import beyond, datasets, divisions, published, statistics
from atfnb_study.protocol import TEST_SHARE
from atfnb_study.searches import BetaOfSet
from atfnb_study.study import StudyResults
from atfnb_study.text_table import Cell, TextTable, sentences

FOUR = ("ATFNB", "WNB", "CFW", "NB")
"""The classifiers of the paper's tests, in its order."""
FIVE = ("NB", "WNB", "CFW", "ATFNB", "CFW-β")
"""The classifiers of the paper's tables of accuracies."""

PAPERS_SETS = "The paper's columns are over its 50 sets."


def every_table(results: StudyResults, betas: list[BetaOfSet]) -> list[TextTable]:
    """Return all tables that the results allow: those of the paper in its order, then those beyond it."""
    of_results = (accuracy_table, foot_table, t_test_table, rank_table, sign_table)
    tables = [results.sets.table(results.options.sets), searches_table(betas), *(make(results) for make in of_results)]
    if results.profile.comparable:
        tables += [size_table(results), interval_table(betas), beta_table(betas)]
    tables = [*(table for table in tables if table.rows), *beyond.tables(results)]
    return [replace(table, remark=results.profile.remark) for table in tables]


# --- β ---------------------------------------------------------------------------------------------


def searches_table(betas: list[BetaOfSet]) -> TextTable:
    """Return T4: the interval of β and the seconds of both searches."""
    found = {one.name: one for one in betas}
    rows: list[tuple[Cell, ...]] = []
    for one, line in ((found[name], line) for name, line in published.by_name("T4").items() if name in found):
        seconds = (f"{one.sls_seconds:.2g}", f"{one.qsf_seconds:.2g}", f"×{one.sls_seconds / one.qsf_seconds:.0f}")
        rows.append((one.name, "ours", interval(one.sls), interval(one.qsf), *seconds))
        theirs = interval((line["sls_low"], line["sls_high"])), interval((line["qsf_low"], line["qsf_high"]))
        seconds = (str(line["sls_seconds"]), str(line["qsf_seconds"]), f"×{line['speedup']}")
        rows.append((one.name, "paper", *theirs, *seconds))
    header = ("set", "whose", "β by SLS", "β by QSF", "SLS, s", "QSF, s", "faster")
    note = "Ours: all rows of the set, the best of five runs; both searches use the same compiled loops."
    return TextTable("T4", "the switching factor by both searches", header, tuple(rows), note)


def interval_table(betas: list[BetaOfSet]) -> TextTable:
    """Return T14: the best interval of β of every set."""
    printed = published.by_name("T14")
    marks = divisions.beta_marks([one.qsf for one in betas])
    rows = []
    for one, mark in zip(betas, marks, strict=True):
        theirs = printed[one.name]
        paper = interval((theirs["low"], theirs["high"])), str(theirs["mark"])
        rows.append((one.name, interval(one.qsf), str(mark), *paper))
    same = sum(row[2] == row[4] for row in rows)
    note = f"Ours and the paper's interval lie alike to 0.5 on {same} of {len(rows)} sets."
    header = ("set", "ours", "against 0.5", "the paper's", "against 0.5, paper")
    return TextTable("T14", "the best interval of β on all rows", header, tuple(rows), note)


def beta_table(betas: list[BetaOfSet]) -> TextTable:
    """Return T15: the percentage of sets with β above 0.5, containing it and below it, by size."""
    marks = divisions.beta_marks([one.qsf for one in betas])
    shares = divisions.by_beta(marks, *_sizes([one.name for one in betas]))
    header = (*(f"{h}, %" for h in divisions.BETA_MARKS), *(f"{h}, paper" for h in divisions.BETA_MARKS))
    return _by_division("T15", "β above 0.5, containing it, below it", header, shares, PAPERS_SETS)


def _by_division(
    name: str, title: str, header: tuple[str, ...], shares: tuple[divisions.Shares, ...], note: str
) -> TextTable:
    """Return T13 or T15: the number of sets of each division, and percentages of them, ours and the paper's."""
    rows: list[tuple[Cell, ...]] = []
    printed = {division: theirs for division, _, *theirs in (row.values() for row in published.table(name))}
    for one in shares:
        ours = ("" if np.isnan(share) else f"{share:.2f}" for share in one.percent.values())
        rows.append((one.division, one.number, *ours, *map(str, printed[one.division])))
    return TextTable(name, title, ("division", "sets", *header), tuple(rows), note)


# --- accuracies ------------------------------------------------------------------------------------


def accuracy_table(results: StudyResults) -> TextTable:
    """Return T5 or T9: the mean test accuracies, and which classifiers ATFNB beats significantly."""
    at = results.positions(FIVE)
    starred = statistics.stars(results.accuracy[:, :, at], TEST_SHARE)[:, :, FIVE.index("ATFNB")]  # (sets, rows)
    profile = results.profile
    printed = printed_accuracy(results, FIVE) if profile.shows_paper else np.empty((len(results.options.sets), 0))
    rows: list[tuple[Cell, ...]] = []
    for i, name in enumerate(results.options.sets):
        beaten = ", ".join(c for k, c in enumerate(FIVE) if starred[i, k])
        rows.append((name, *(float(results.mean[i, c]) for c in at), beaten, *map(float, printed[i])))
    theirs = [f"{c}, paper" for c in FIVE] if profile.shows_paper else []
    header = (profile.single, *FIVE, "ATFNB beats", *theirs)
    note = f"Means of {results.options.n_splits} splits. Beats: significantly, by the corrected t-test at p = .05."
    if not profile.comparable:
        note = sentences(note, _papers_sets(results))
    return TextTable(profile.tables.accuracy, "test accuracy", header, tuple(rows), note)


def printed_accuracy(results: StudyResults, classifiers: tuple[str, ...]) -> FloatArray:
    """Return the accuracies of the paper's T5 or T9 on the sets of the results: (sets, classifiers)."""
    name = results.profile.tables.accuracy
    order = list(published.by_name(name))
    return published.number_columns(name, classifiers)[[order.index(one) for one in results.options.sets]]


def foot_table(results: StudyResults) -> TextTable:
    """Return the foot of T5 or T9: averages, and G/W/L among the four, ours and the paper's over the same sets."""
    sets, profile = results.options.sets, results.profile
    unit = profile.unit
    whose = [(results.mean[:, results.positions(FIVE)], results.mean[:, results.positions(FOUR)])]
    if profile.shows_paper:
        whose.append((printed_accuracy(results, FIVE), printed_accuracy(results, FOUR)))
    rows: list[tuple[Cell, ...]] = []
    for k, name in enumerate(FIVE):
        cells: list[Cell] = [name]
        for five, four in whose:
            counts = statistics.good_win_loss(four, reference=FOUR.index("ATFNB"))
            cells += [float(five[:, k].mean()), _good_win_loss(counts, name)]
        rows.append(tuple(cells))
    header = ("classifier", "average", "G/W/L", "average, paper", "G/W/L, paper")[: len(rows[0])]
    same = "the same " if profile.comparable else ""
    note = (
        f"Over {same}{len(sets)} {unit}. G: {unit} on which it is the highest of the four; W and L: {unit} on which it "
        "is above and below ATFNB."
    )
    return TextTable(f"{profile.tables.accuracy}-foot", f"averages over the {unit}", header, tuple(rows), note)


def _good_win_loss(counts: statistics.GoodWinLoss, name: str) -> str:
    if name not in FOUR:
        return ""
    good, win, loss = (part[FOUR.index(name)] for part in (counts.good, counts.win, counts.loss))
    return f"{good}" if name == "ATFNB" else f"{good}/{win}/{loss}"


def size_table(results: StudyResults) -> TextTable:
    """Return T13: the percentage of sets on which ATFNB is the highest of the four, by size."""
    mean = results.mean[:, results.positions(FOUR)]
    shares = divisions.by_size(mean, *_sizes(list(results.options.sets)), reference=FOUR.index("ATFNB"))
    header = ("ATFNB best, %", "others best, %", "ATFNB, paper", "others, paper")
    slip = "It prints 56.25 and 43.75 % for 27 sets, which is impossible; from its own T5 they are 55.56 and 44.44."
    title = "where ATFNB is the highest of the four, by size"
    return _by_division("T13", title, header, shares, f"{PAPERS_SETS} {slip}")


# --- tests, four classifiers against four ------------------------------------------------------------


def t_test_table(results: StudyResults) -> TextTable:
    """Return T6 or T10: the number of sets on which the column is higher than the row, and significantly higher."""
    part = results.accuracy[:, :, results.positions(FOUR)]
    wins = statistics.wins(part.mean(axis=1))
    significant = statistics.significant_wins(statistics.stars(part, TEST_SHARE))
    cells = [[f"{wins[i, j]}({significant[i, j]})" for j in range(4)] for i in range(4)]
    profile = results.profile
    title = f"{profile.unit} on which the column is higher than the row, and significantly so"
    rule = "Significantly: by the corrected t-test over the splits, at p = .05."
    return _matrix(results, profile.tables.t_tests, title, cells, sentences(rule, _papers_sets(results)))


def rank_table(results: StudyResults) -> TextTable:
    """Return T7 or T11: Wilcoxon's sums of ranks, of the row over the column."""
    ranks = statistics.wilcoxon_ranks(results.mean[:, results.positions(FOUR)])
    title = "Wilcoxon's sums of ranks, of the row over the column"
    cells = [[f"{r:g}" for r in row] for row in ranks]
    return _matrix(results, results.profile.tables.ranks, title, cells, _papers_sets(results))


def sign_table(results: StudyResults) -> TextTable:
    """Return T8 or T12: which differences Wilcoxon's test shows."""
    mean = results.mean[:, results.positions(FOUR)]
    critical = statistics.wilcoxon_critical(len(mean))
    profile = results.profile
    if critical >= 0:
        rule = f"the smaller sum of {profile.tables.ranks} is at most {critical}"
        signs = (
            f"● the column is significantly better, ○ the row is: {rule}. Where there is no sign, no difference is "
            "shown, which does not make the two equal."
        )
    else:
        signs = f"With this small number of {profile.unit} no difference can be significant."
    shared = results.shared
    cells = statistics.wilcoxon_signs(mean).tolist()
    note = sentences(signs, profile.slip, _papers_sets(results), shared)
    return _matrix(results, profile.tables.signs, "Wilcoxon tests", cells, note)


def _matrix(results: StudyResults, name: str, title: str, cells: list[list[str]], note: str) -> TextTable:
    """Return a table of four against four: our cells and, if the study shows them, the paper's."""
    theirs = FOUR if results.profile.shows_paper else ()
    printed = published.by_name(name) if theirs else {}
    rows = tuple(
        (row, *("" if i == j else cells[i][j] for j in range(4)), *(_printed(printed[row][c]) for c in theirs))
        for i, row in enumerate(FOUR)
    )
    return TextTable(name, title, ("", *FOUR, *(f"{c}, paper" for c in theirs)), rows, note)


# --- pieces ----------------------------------------------------------------------------------------


def interval(ends: tuple[object, object]) -> str:
    """Return an interval as the paper prints it.

    >>> interval((0.25, 0.75))
    '[0.2500, 0.7500]'
    """
    low, high = (float(str(end)) for end in ends)
    return f"[{low:.4f}, {high:.4f}]"


def _papers_sets(results: StudyResults) -> str:
    """Return the sentence on which sets the paper's columns are taken over; empty without such columns."""
    profile = results.profile
    return f"The paper's columns are over {profile.theirs}." if profile.shows_paper else ""


def _printed(cell: Cell) -> str:
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def _sizes(names: list[str]) -> tuple[FloatArray, FloatArray]:
    """Return the number of instances and of attributes of each set: (sets,) each."""
    records = [datasets.catalogue()[name] for name in names]
    return np.array([r.instances for r in records], float), np.array([r.attributes for r in records], float)
