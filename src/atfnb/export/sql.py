"""A model as one SQL query over a table: the class of each row, the probabilities, and the joint log-likelihoods.

The query is a chain of steps, each a SELECT over the one before. These are the columns that they make, in this order:

==========================  ==================================================================================
``atfnb_keep_k``            a column of the table that the result has too
``atfnb_value_i``           a column of the model, in one form: a number, text, or the microseconds of a date
``atfnb_part_j``            the part of a date that attribute j is
``atfnb_code_j``            the code of attribute j
``atfnb_group_j``           the group of this code in pairs; with look-up tables only
``atfnb_score_t_c``         what term t, an attribute or a pair, adds to class c; with look-up tables only
``atfnb_joint_c``           the joint log-likelihood of class c
``atfnb_highest``           the highest of them
``atfnb_share_c``           exp(joint − highest): the probability of class c before it is normalised
``atfnb_best``              the position of the predicted class
``atfnb_second``            that of the second most probable class, whose joint is ``atfnb_second_joint``
``atfnb_lead_t``            by how much term t favours the predicted class over the second
``atfnb_reason_k``          the position of the term with the k-th largest lead, ``atfnb_reason_lead_k``
==========================  ==================================================================================

Codes become scores by CASE and lists; with look-up tables (``sql_tables``) by joins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from atfnb._errors import AdvisedError, Setting, shortened
from atfnb.export.dialects import DIALECTS, LARGEST, DialectName, SqlDialect, offset_of, steps, summed
from atfnb.export.plan import DAY, HOUR, MOST_REASONS, AttributePlan, ExportError, ModelPlan, PairPlan
from atfnb.model import TIE

LONGEST_NAME = 63
"""How many bytes a name of PostgreSQL has at most; a longer one would be cut off without a word."""
FEW = 6
"""Up to this number of categories, each is compared; with more, they are searched for by halving."""
LOWEST = -1e300
"""A number below every joint log-likelihood and every lead."""
OTHERS = "use model.py or model.js"
Columns = dict[str, str]
"""The columns of a step: name → expression."""


@dataclass
class Query:
    """The steps of a query, each over the one before; each carries along the columns that later steps use."""

    dialect: SqlDialect
    source: str
    """The FROM of the first step."""
    steps: list[tuple[Columns, str]] = field(default_factory=list)

    def add(self, columns: Columns, joins: str = "") -> None:
        """Add a step that makes these columns from the step before, joined with other tables."""
        self.steps.append((columns, joins))

    def text(self, result: Columns) -> str:
        """Return the whole query, which selects these columns at its end."""
        before, after = self.dialect.fence
        written, used = list[str](), _names(result.values())
        for k in reversed(range(len(self.steps))):
            own, joins = self.steps[k]
            earlier = dict.fromkeys(name for columns, _ in self.steps[:k] for name in columns)
            columns = {name: name for name in earlier if name in used and name not in own} | own
            if len(columns) > self.dialect.widest:
                raise ExportError(
                    f"the query would need {len(columns):,} columns in one step, and {self.dialect.name} holds at most "
                    f"{self.dialect.widest:,}: use model.py, model.js, model.onnx, or the dialect duckdb."
                )
            source = f"atfnb_step_{k - 1}" if k else self.source
            selected = f"SELECT\n  {_selected(columns)}\n  FROM {source}{joins}{after}"
            written.append(f"atfnb_step_{k} AS {before}(\n  {selected}\n)")
            used = _names([*columns.values(), joins])
        chained = ",\n".join(reversed(written))
        return f"WITH {chained}\nSELECT\n  {_selected(result)}\nFROM atfnb_step_{len(self.steps) - 1}"


def _selected(columns: Columns) -> str:
    return ",\n  ".join(f"{text} AS {name}" for name, text in columns.items())


def _names(expressions: Iterable[str]) -> set[str]:
    """Return the names of columns that expressions use; a text that looks like one may be among them."""
    return {name for text in expressions for name in re.findall(r"\batfnb_\w+", text)}


def sql(
    plan: ModelPlan,
    table: str | Sequence[str] = "data",
    *,
    dialect: DialectName = "duckdb",
    keep: Sequence[str] = (),
    explain: bool = False,
    with_tables: bool = False,
    prefix: str = "atfnb",
) -> str:
    """Return the model as a SQL query that predicts the class of each row of a table.

    Parameters
    ----------
    plan : ModelPlan
    table : str or sequence of str, default="data"
        The name of the table, or its schema and its name.
    dialect : {"duckdb", "postgres", "spark", "sqlite"}, default="duckdb"
    keep : sequence of str, default=()
        Columns of the table that the result has too, for example the identifier of each row.
    explain : bool, default=False
        Whether the result names the three values that contribute most to each class, with their contributions.
    with_tables : bool, default=False
        Whether to write categories and scores as look-up tables, which the text creates before the query, instead of
        as a part of the query. Use it for models with very many categories.
    prefix : str, default="atfnb"
        What the names of the look-up tables begin with.

    Returns
    -------
    str
        One SELECT, with the statements before it that create the look-up tables if there are any, each ended by a
        semicolon. The columns of the result are those of ``keep``, ``predicted``, ``P(class)`` and
        ``joint_log_likelihood(class)`` for each class; with ``explain``, ``because 1`` and ``adds 1`` to ``because 3``
        and ``adds 3``.
    """
    statements = sql_statements(
        plan, table, dialect=dialect, keep=keep, explain=explain, with_tables=with_tables, prefix=prefix
    )
    return _needs(plan, DIALECTS[dialect]) + "".join(f"{each};\n" for each in statements)


def _needs(plan: ModelPlan, dialect: SqlDialect) -> str:
    """Return a comment that says how the model was edited, and which columns the table must have, of which types."""
    needs = "The table needs these columns. NULL is a missing value; text is compared as it is, with case and spaces."
    lines, zones = [*plan.edits, needs], plan.zones
    for column, kind in plan.columns.items():
        zone = zones.get(column)
        holds = dialect.holds.get("zoned" if zone else kind, "anything: its values have no effect")
        lines.append(f"  {dialect.identifier(column)}: {holds}{f' (read in {zone})' if zone else ''}")
    return "".join(f"-- {' '.join(line.splitlines())}\n" for line in lines)


def sql_statements(
    plan: ModelPlan, table: str | Sequence[str] = "data", *, dialect: DialectName = "duckdb", **options: Any
) -> list[str]:
    """Return the statements of :func:`sql` one by one, without semicolons; the query is the last."""
    from atfnb.export.sql_tables import look_up_codes, look_up_scores, table_statements

    if dialect not in DIALECTS:
        known = ", ".join(sorted(DIALECTS))
        raise AdvisedError(Setting("dialect"), f" must be one of {known}, not {dialect!r}.")
    writer = Writer(plan, DIALECTS[dialect], **options)
    path = [table] if isinstance(table, str) else list(table)
    _refuse(plan, writer.dialect, [*path, *writer.keep, writer.prefix])
    query = Query(writer.dialect, f"{'.'.join(map(writer.dialect.identifier, path))} AS rows_of_table")
    query.add(writer.cells())
    if any(attribute.part for attribute in plan.attributes):
        query.add(writer.parts())
    if writer.with_tables:
        look_up_codes(query, writer)
        look_up_scores(query, writer)
    else:
        query.add({f"atfnb_code_{j}": writer.code(j) for j in range(len(plan.attributes))})
        query.add(writer.joints())
    for step in (*writer.prediction(), *(writer.reasons() if writer.explain else ())):
        query.add(step)
    return [*(table_statements(writer) if writer.with_tables else ()), query.text(writer.result())]


def _refuse(plan: ModelPlan, dialect: SqlDialect, names: Sequence[str]) -> None:
    """Raise an error for what a table of the dialect cannot hold."""
    plan.refuse(f"a table of {dialect.name}", OTHERS)
    for name in (*plan.columns, *names):
        if not name:
            raise ExportError(f"a column or table without a name is nothing to {dialect.name}: {OTHERS}, or rename it.")
        if "\0" in name:
            raise ExportError("the name of a table or of a column has a NUL character, which no database can hold.")
        if dialect.variable and dialect.variable in name:
            raise ExportError(
                f"the name {name!r} has {dialect.variable!r}, which {dialect.name} takes for a variable: {OTHERS}, or "
                "another dialect."
            )
    for column, zone in plan.zones.items():
        if offset_of(zone) is None and dialect.in_zone is None:
            raise ExportError(
                f"column {column!r} was learned in the time zone {zone}, and {dialect.name} knows no time zones: "
                f"{OTHERS}, or another dialect."
            )
    folded: dict[str, str] = {}
    for column in plan.columns if dialect.folds_case else ():
        other = folded.setdefault(column.lower(), column)
        if other != column:
            raise ExportError(
                f"the columns {other!r} and {column!r} differ in the case of their letters only, and are the same to "
                f"{dialect.name}: use model.py, model.js or the dialect postgres."
            )


@dataclass(frozen=True)
class Writer:
    """Writes the columns of each step of the query."""

    plan: ModelPlan
    dialect: SqlDialect
    keep: Sequence[str] = ()
    explain: bool = False
    with_tables: bool = False
    prefix: str = "atfnb"

    @property
    def kept(self) -> list[str]:
        """The columns of the table that the result has too, each once."""
        return list(dict.fromkeys(self.keep))

    @property
    def joint(self) -> list[str]:
        """The names of the joint log-likelihoods, class by class."""
        return [f"atfnb_joint_{c}" for c in range(len(self.plan.classes))]

    @cached_property
    def values(self) -> dict[str, str]:
        """The names of the values of a row, by the columns that they are read from."""
        return {column: f"atfnb_value_{i}" for i, column in enumerate(self.plan.columns)}

    # --- Values → codes --------------------------------------------------------------------------------

    def cells(self) -> Columns:
        """Return the first step: the columns that the user keeps, and those of the model, each in one form."""
        dialect = self.dialect
        cells = {f"atfnb_keep_{k}": f"rows_of_table.{dialect.identifier(name)}" for k, name in enumerate(self.kept)}
        forms = {"boolean": dialect.truth, "text": dialect.as_text, "nothing": dialect.as_text, "time": dialect.clock}
        cut = {attribute.column for attribute in self.plan.attributes if attribute.cuts is not None}
        zones = self.plan.zones
        unread = {
            each.column for each in self.plan.attributes if each.kind == "nothing" and each.missing == each.unseen
        }
        for column, kind in self.plan.columns.items():
            cell = f"rows_of_table.{dialect.identifier(column)}"
            form = forms.get(kind, dialect.double if column in cut else dialect.plain)
            if column not in unread:
                value = dialect.local_moment(cell, zones.get(column)) if kind == "date" else form(cell)
                cells[self.values[column]] = value
        return cells

    def parts(self) -> Columns:
        """Return the step that makes the parts of dates."""
        dialect, made = self.dialect, {}
        for j, attribute in enumerate(self.plan.attributes):
            if attribute.part is None:
                continue
            moment = self.values[attribute.column]
            day = dialect.floor_divide(moment, DAY)
            made[f"atfnb_part_{j}"] = {
                "date": f"{dialect.double(moment)} / {dialect.number(float(DAY))}",
                "month": dialect.month(day),
                "weekday": f"{dialect.modulo(f'({day} + 3)', 7)} + 1",
                "hour": dialect.modulo(dialect.floor_divide(moment, HOUR), 24),
                "time": f"{dialect.double(moment)} / {dialect.number(float(HOUR))}",
            }[attribute.part]
        return made

    def value(self, j: int) -> str:
        """Return the name of the column that an attribute is coded from."""
        attribute = self.plan.attributes[j]
        return self.values[attribute.column] if attribute.part is None else f"atfnb_part_{j}"

    def code(self, j: int, found: str | None = None) -> str:
        """Return the code of an attribute by CASE, or what was ``found`` for a category in a table."""
        attribute, value = self.plan.attributes[j], self.value(j)
        if attribute.kind == "nothing" and attribute.missing == attribute.unseen:
            return str(attribute.missing)
        infinite = attribute.kind in ("number", "whole")
        if attribute.cuts is not None:
            codes = [str(code) for code in range(len(attribute.cuts) + 1)]
            for end in {0, len(attribute.cuts)} if infinite else ():  # quicker than to check all numbers
                codes[end] = self._if_finite(attribute, value, codes[end])
            coded = steps(value, [self.dialect.exact(cut) for cut in attribute.cuts], codes)
        else:
            coded = found or (self._search(value, attribute) if attribute.categories else str(attribute.unseen))
            coded = self._if_finite(attribute, value, coded) if infinite else coded
        return f"CASE WHEN {value} IS NULL THEN {attribute.missing} ELSE {coded} END"

    def _if_finite(self, attribute: AttributePlan, value: str, code: str) -> str:
        """Return a code for finite numbers; that of missing, where there is none; and an error where it is infinite."""
        number = value if attribute.cuts is not None else self.dialect.double(value)
        largest, none = self.dialect.exact(LARGEST), self.dialect.is_nan(number)
        fault = self.dialect.error(f"column {shortened(attribute.column)!r} is infinite: ", value)
        finite = f"{number} BETWEEN -{largest} AND {largest}"
        return f"CASE WHEN {finite} THEN {code} WHEN {none} THEN {attribute.missing} ELSE {fault} END"

    def _search(self, value: str, attribute: AttributePlan) -> str:
        """Return the code of a category, which are in order."""
        known = [int(each) if isinstance(each, bool) else each for each in attribute.categories or ()]
        literals = [self.dialect.value(each) for each in known]

        def among(first: int, last: int) -> str:
            if last - first <= FEW:
                cases = " ".join(f"WHEN {value} = {literals[code]} THEN {code}" for code in range(first, last))
                return f"CASE {cases} ELSE {attribute.unseen} END"
            middle = first + (last - first) // 2
            below, above = among(first, middle), among(middle, last)
            return f"CASE WHEN {value} < {literals[middle]} THEN {below} ELSE {above} END"

        return among(0, len(literals))

    # --- Codes → joint log-likelihoods -----------------------------------------------------------------

    def cell(self, t: int) -> str:
        """Return the position of the score of an attribute or a pair, from the codes or groups of the attributes."""
        term = self.plan.terms[t]
        if isinstance(term, AttributePlan):
            return f"atfnb_code_{t}"
        rows, columns = term.shape
        a, b = (
            f"atfnb_group_{j}" if self.with_tables else self.dialect.look_up(f"atfnb_code_{j}", list(map(str, groups)))
            for j, groups in zip(term.of, term.groups, strict=True)
        )
        return f"CASE WHEN {a} < {rows} AND {b} < {columns} THEN {a} * {columns} + {b} ELSE {rows * columns} END"

    def score(self, t: int, c: int) -> str:
        """Return what an attribute or a pair adds to a class."""
        if self.with_tables:
            return f"atfnb_score_{t}_{c}"
        return self.dialect.look_up(
            self.cell(t), list(map(self.dialect.number, self.plan.terms[t].scores[:, c].tolist()))
        )

    def joints(self) -> Columns:
        """Return the step that adds up the joint log-likelihoods."""
        starts, terms = map(self.dialect.number, self.plan.starts.tolist()), range(len(self.plan.terms))
        sums = (summed([start, *(self.score(t, c) for t in terms)]) for c, start in enumerate(starts))
        return dict(zip(self.joint, sums, strict=True))

    # --- Joint log-likelihoods → the result ------------------------------------------------------------

    def prediction(self) -> list[Columns]:
        """Return the steps that find the predicted class, and the probabilities before they are normalised."""
        within = f">= atfnb_highest - {self.dialect.number(TIE)}"
        shares = {
            f"atfnb_share_{c}": self.dialect.exp(f"{joint} - atfnb_highest") for c, joint in enumerate(self.joint)
        }
        best = _first(f"{joint} {within}" for joint in self.joint)
        return [{"atfnb_highest": self.dialect.max_of(self.joint)}, shares | {"atfnb_best": best}]

    def reasons(self) -> list[Columns]:
        """Return the steps that find the largest leads of the predicted class over the second most probable one."""
        dialect, terms, lowest = self.dialect, range(len(self.plan.terms)), self.dialect.number(LOWEST)
        others = [f"CASE atfnb_best WHEN {c} THEN {lowest} ELSE {joint} END" for c, joint in enumerate(self.joint)]
        found = [
            {"atfnb_second_joint": dialect.max_of(others)},
            {"atfnb_second": _first(f"({other}) = atfnb_second_joint" for other in others)},
        ]
        leads = dict[str, str]()
        for t in terms:
            scores = [self.score(t, c) for c in range(len(self.plan.classes))]
            leads[f"atfnb_lead_{t}"] = f"{_case('atfnb_best', scores)} - {_case('atfnb_second', scores)}"
        found.append(leads)
        taken = ""
        for k in range(1, min(MOST_REASONS, len(terms)) + 1):
            left = [f"CASE {t} {taken} ELSE {lead} END" if taken else lead for t, lead in enumerate(leads)]
            found.append({f"atfnb_reason_lead_{k}": dialect.max_of(left)})
            found.append({f"atfnb_reason_{k}": _first(f"({lead}) = atfnb_reason_lead_{k}" for lead in left)})
            taken += f"WHEN atfnb_reason_{k} THEN {lowest} "
        return found

    def result(self) -> Columns:
        """Return the columns of the result."""
        dialect, classes = self.dialect, self.plan.classes
        shares = [f"atfnb_share_{c}" for c in range(len(classes))]
        columns = [f"atfnb_keep_{k}" for k in range(len(self.kept))]
        columns += [_case("atfnb_best", map(dialect.value, classes))]
        columns += [f"{share} / {summed(shares)}" for share in shares] + self.joint
        words = [self._words(t) for t in range(len(self.plan.terms))] if self.explain else []
        for k in range(1, MOST_REASONS + 1) if self.explain else ():
            lead = f"atfnb_reason_lead_{k}"
            said = [_case(f"atfnb_reason_{k}", words), lead]
            columns += [f"CASE WHEN {lead} > 0 THEN {each} END" if k <= len(words) else "NULL" for each in said]
        names = unique_names(self.kept, list(map(str, classes)), explain=self.explain)
        return dict(zip(map(dialect.identifier, names), columns, strict=True))

    def _words(self, t: int) -> str:
        term, text = self.plan.terms[t], self.dialect.text
        if isinstance(term, PairPlan):
            return text(term.name)
        return self.dialect.look_up(f"atfnb_code_{t}", [text(f"{term.name}: {label}") for label in term.labels])


def _case(position: str, items: Iterable[str]) -> str:
    """Return the item at a position from 0."""
    cases = " ".join(f"WHEN {k} THEN {item}" for k, item in enumerate(items))
    return f"CASE {position} {cases} END"


def _first(conditions: Iterable[str]) -> str:
    """Return the position of the first condition that holds; the last one is taken to hold if no other does."""
    *cases, _ = (f"WHEN {condition} THEN {k}" for k, condition in enumerate(conditions))
    return f"CASE {' '.join(cases)} ELSE {len(cases)} END" if cases else "0"


def unique_names(keep: Sequence[str], classes: Sequence[str], *, explain: bool) -> list[str]:
    """Return the names of the columns of the result, none of them twice, in any case of letters.

    >>> unique_names(["id"], ["a", "A"], explain=False)
    ['id', 'predicted', 'P(a)', 'P(A)_', 'joint_log_likelihood(a)', 'joint_log_likelihood(A)_']
    """
    wanted = ["predicted", *(f"P({each})" for each in classes), *(f"joint_log_likelihood({each})" for each in classes)]
    if explain:
        wanted += [f"{word} {k}" for k in range(1, MOST_REASONS + 1) for word in ("because", "adds")]
    names, taken = list(keep), {name.lower() for name in keep}
    for name in wanted:
        ends = ""
        while (short := _cut_to(name, LONGEST_NAME - len(ends)) + ends).lower() in taken:
            ends += "_"
        taken.add(short.lower())
        names.append(short)
    return names


def _cut_to(name: str, size: int) -> str:
    """Return a name, cut off at a number of bytes of UTF-8."""
    return name.encode("utf-8")[:size].decode("utf-8", errors="ignore")
