"""A model as one SQL query over a table: the class of each row, the probabilities, and the joint log-likelihoods.

The query is a chain of steps, each a SELECT over the one before::

    cells ──▶ parts of dates ──▶ codes ──▶ joints ──▶ best ──▶ shares ──▶ leads, reasons ──▶ the columns of the result

Codes become scores by CASE and lists; with look-up tables (``sql_tables``) by joins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from atfnb._errors import shortened
from atfnb.export.dialects import DAY, DIALECTS, HOUR, LARGEST, Dialect, DialectName, offset_of, steps, summed
from atfnb.export.plan import MOST_REASONS, AttributePlan, ExportError, Kind, ModelPlan, PairPlan
from atfnb.model import TIE

LONGEST_NAME = 63
"""How many bytes a name of PostgreSQL has at most; a longer one would be cut off without a word."""
FEW = 6
"""Up to this number of categories, each is compared; with more, they are searched for by halving."""
Columns = dict[str, str]
"""The columns of a step: name → expression."""


@dataclass
class Chain:
    """The steps of a query, one over the other, and what each of them carries along."""

    dialect: Dialect
    source: str
    """The FROM of the next step."""
    texts: list[str] = field(default_factory=list)

    def add(self, columns: Columns, joins: str = "") -> None:
        """Add a step that selects these columns from the step before, joined with other tables."""
        if len(columns) > self.dialect.widest:
            raise ExportError(
                f"the query would need {len(columns):,} columns in one step, and {self.dialect.name} holds at most "
                f"{self.dialect.widest:,}: use model.py, model.js, model.onnx, or the dialect duckdb."
            )
        before, after = self.dialect.fence
        selected = ",\n  ".join(f"{text} AS {name}" for name, text in columns.items())
        name = f"atfnb_{len(self.texts)}"
        self.texts.append(f"{name} AS {before}(\n  SELECT\n  {selected}\n  FROM {self.source}{joins}{after}\n)")
        self.source = name

    def query(self, columns: Columns) -> str:
        """Return the whole query, which selects these columns at its end."""
        selected = ",\n  ".join(f"{text} AS {name}" for name, text in columns.items())
        chained = ",\n".join(self.texts)
        return f"WITH {chained}\nSELECT\n  {selected}\nFROM {self.source}"


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


def _needs(plan: ModelPlan, dialect: Dialect) -> str:
    """Return a comment that says which columns the table must have, and of which types."""
    lines = ["The table needs these columns. NULL is a missing value; text is compared as it is, with case and spaces."]
    for column, kind in plan.columns.items():
        zone = plan.zones.get(column)
        holds = dialect.holds.get("zoned" if zone else kind, "anything: it has no effect")
        lines.append(f"  {dialect.identifier(column)}: {holds}{f' (read in {zone})' if zone else ''}")
    return "".join(f"-- {' '.join(line.splitlines())}\n" for line in lines)


def sql_statements(
    plan: ModelPlan,
    table: str | Sequence[str] = "data",
    *,
    dialect: DialectName = "duckdb",
    keep: Sequence[str] = (),
    explain: bool = False,
    with_tables: bool = False,
    prefix: str = "atfnb",
) -> list[str]:
    """Return the statements of :func:`sql` one by one, without semicolons; the query is the last."""
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(sorted(DIALECTS))}, not {dialect!r}.")
    spoken = DIALECTS[dialect]
    path = [table] if isinstance(table, str) else list(table)
    _refuse(plan, spoken, [*path, *keep, prefix])
    writer = Writer(plan, spoken, keep, explain)
    source = f"{'.'.join(spoken.identifier(each) for each in path)} AS rows_of_table"
    chain = Chain(spoken, source)
    chain.add(writer.cells())
    if any(attribute.part for attribute in plan.attributes):
        chain.add(writer.parts())
    if with_tables:
        from atfnb.export.sql_tables import add_joins, table_statements

        before = table_statements(plan, spoken, prefix)
        add_joins(chain, writer, prefix)
    else:
        before = []
        chain.add(writer.codes())
        chain.add(writer.joints())
    for step in writer.ending(with_tables):
        chain.add(step)
    return [*before, chain.query(writer.result())]


_NO_SQL: dict[Kind, str] = {"mixed": "text beside numbers"}
_OTHERS = "use model.py or model.js"


def _refuse(plan: ModelPlan, dialect: Dialect, names: Sequence[str]) -> None:
    """Raise an error for what a table of the dialect cannot hold."""
    target = f"a table of {dialect.name}"
    plan.refuse_kinds(target, _NO_SQL, _OTHERS)
    plan.refuse_text(target, "\0", "a NUL character", _OTHERS)
    plan.refuse_surrogates(target, _OTHERS)
    if any("\0" in name for name in names):
        raise ExportError("the name of a table or of a column has a NUL character, which no database can hold.")
    if dialect.name == "spark":
        for name in [*plan.columns, *names]:
            if "${" in name:
                raise ExportError(
                    f"the name {name!r} has '${{', which Spark takes for a variable: {_OTHERS}, or another dialect."
                )
    for column, zone in plan.zones.items() if dialect.name == "sqlite" else ():
        if offset_of(zone) is None:
            raise ExportError(
                f"column {column!r} was learned in the time zone {zone}, and SQLite knows no time zones: {_OTHERS}, or "
                "another dialect."
            )
    folded: dict[str, str] = {}
    for column in plan.columns if dialect.folds_case else ():
        other = folded.setdefault(column.lower(), column)
        if other != column:
            raise ExportError(
                f"the columns {other!r} and {column!r} differ in the case of their letters only, and are the same to "
                f"{dialect.name}: use model.py, model.js or the dialect postgres."
            )
    if "" in plan.columns or "" in names:
        raise ExportError(f"a column or table without a name is nothing to {dialect.name}: {_OTHERS}, or rename it.")


class Writer:
    """Writes the columns of each step of the query."""

    def __init__(self, plan: ModelPlan, dialect: Dialect, keep: Sequence[str], explain: bool) -> None:
        self.plan, self.dialect, self.keep, self.explain = plan, dialect, list(dict.fromkeys(keep)), explain
        self.kept = [f"atfnb_k{k}" for k in range(len(self.keep))]
        self.joint = [f"atfnb_j{c}" for c in range(len(plan.classes))]
        self.columns = {column: f"atfnb_v{i}" for i, column in enumerate(plan.columns)}

    def along(self, *names: str) -> Columns:
        """Return columns of the step before that this step carries along, after those that the user keeps."""
        return {name: name for name in (*self.kept, *names)}

    def cells(self) -> Columns:
        """Return the first step: the columns that the user keeps, and those of the model, each in one form."""
        dialect = self.dialect
        own = {
            name: f"rows_of_table.{dialect.identifier(kept)}" for name, kept in zip(self.kept, self.keep, strict=True)
        }
        form = {"boolean": dialect.truth, "text": dialect.as_text, "time": dialect.clock}
        for column, kind in self.plan.columns.items():
            cut = any(each.column == column and each.cuts is not None for each in self.plan.attributes)
            read = form.get(kind) or (dialect.double if cut else dialect.plain)
            cell = f"rows_of_table.{dialect.identifier(column)}"
            if kind != "nothing":
                zone = self.plan.zones.get(column)
                own[self.columns[column]] = dialect.moment(cell, zone) if kind == "date" else read(cell)
        return own

    def parts(self) -> Columns:
        """Return the step that makes the parts of dates, and carries the other columns along."""
        dialect, d = self.dialect, self.dialect.double
        made = self.along()
        for j, attribute in enumerate(self.plan.attributes):
            moment = self.columns[attribute.column]
            if attribute.part is None:
                made |= {} if attribute.kind == "nothing" else {moment: moment}
                continue
            day = dialect.floor_divide(moment, DAY)
            made[f"atfnb_p{j}"] = {
                "date": f"{d(moment)} / {dialect.number(DAY)}",
                "month": dialect.month(day),
                "weekday": f"{dialect.modulo(f'({day} + 3)', 7)} + 1",
                "hour": dialect.modulo(dialect.floor_divide(moment, HOUR), 24),
                "time": f"{d(moment)} / {dialect.number(HOUR)}",
            }[attribute.part]
        return made

    def value(self, j: int) -> str:
        """Return the name of the column that an attribute is coded from."""
        attribute = self.plan.attributes[j]
        return self.columns[attribute.column] if attribute.part is None else f"atfnb_p{j}"

    def codes(self) -> Columns:
        """Return the step that makes the code of each attribute."""
        return self.along() | {f"atfnb_c{j}": self.code(j) for j in range(len(self.plan.attributes))}

    def code(self, j: int, found: str | None = None) -> str:
        """Return the code of an attribute by CASE, or what was ``found`` for a category in a table."""
        attribute, value = self.plan.attributes[j], self.value(j)
        if attribute.kind == "nothing":
            return str(attribute.missing)
        if attribute.cuts is not None:
            coded = self._interval(attribute, value)
        else:
            coded = self._category(attribute, value, found)
        return f"CASE WHEN {value} IS NULL THEN {attribute.missing} ELSE {coded} END"

    def guarded(self, attribute: AttributePlan, value: str, *, low: str | None, high: str | None) -> tuple[str, str]:
        """Return the codes of the lowest and highest numbers; infinite ones fail, what is no number is missing."""
        dialect = self.dialect
        fault = dialect.error(f"column {shortened(attribute.column)!r} is infinite: ", value)
        double = value if attribute.cuts is not None else dialect.double(value)
        limit = dialect.cut(float(LARGEST))
        odd = f"CASE WHEN {dialect.is_nan(double)} THEN {attribute.missing} ELSE {fault} END"
        return (
            f"CASE WHEN {double} < -{limit} THEN {fault} ELSE {low} END",
            f"CASE WHEN {double} > {limit} THEN {odd} ELSE {high} END",
        )

    def _interval(self, attribute: AttributePlan, value: str) -> str:
        leaves = [str(code) for code in range(len(attribute.cuts or ()) + 1)]
        if attribute.part is None:
            if len(leaves) == 1:
                leaves = [self.guarded(attribute, value, low=None, high="0")[1]]
                leaves = [self.guarded(attribute, value, low=leaves[0], high=None)[0]]
            else:
                leaves[0], leaves[-1] = self.guarded(attribute, value, low=leaves[0], high=leaves[-1])
        return steps(value, [self.dialect.cut(cut) for cut in attribute.cuts or ()], leaves)

    def _category(self, attribute: AttributePlan, value: str, found: str | None) -> str:
        if found is None:
            literals = [self.dialect.value(_plain(each)) for each in attribute.categories or ()]
            found = self._search(value, literals, 0, attribute)
        if attribute.kind not in ("number", "whole"):
            return found
        low, _ = self.guarded(attribute, value, low=found, high=None)
        return self.guarded(attribute, value, low=None, high=low)[1]

    def _search(self, value: str, categories: list[str], first: int, attribute: AttributePlan) -> str:
        """Return the code of a category among some, which are in order."""
        if len(categories) <= FEW:
            cases = " ".join(f"WHEN {value} = {each} THEN {first + k}" for k, each in enumerate(categories))
            return f"CASE {cases} ELSE {attribute.unseen} END"
        middle = len(categories) // 2
        below = self._search(value, categories[:middle], first, attribute)
        above = self._search(value, categories[middle:], first + middle, attribute)
        return f"CASE WHEN {value} < {categories[middle]} THEN {below} ELSE {above} END"

    def cell(self, term: int, *, by_group: bool = False) -> str:
        """Return the position of the score of an attribute or a pair, from the codes or groups of the attributes."""
        each = self.plan.terms[term]
        if isinstance(each, AttributePlan):
            return f"atfnb_c{term}"
        if by_group:
            return pair_cell(each, *(f"atfnb_g{j}" for j in each.of))
        a, b = (
            self.dialect.look_up(f"atfnb_c{j}", [str(group) for group in groups])
            for j, groups in zip(each.of, each.groups, strict=True)
        )
        return pair_cell(each, a, b)

    def added(self, term: int, c: int) -> str:
        """Return what an attribute or a pair adds to a class, from the codes."""
        items = [self.dialect.number(score) for score in self.plan.terms[term].scores[:, c].tolist()]
        return self.dialect.look_up(self.cell(term), items)

    def joints(self) -> Columns:
        """Return the step that adds up the joint log-likelihoods."""
        carried = [f"atfnb_c{j}" for j in range(len(self.plan.attributes))] if self.explain else []
        terms = range(len(self.plan.terms))
        return self.along(*carried) | {
            name: summed([self.dialect.number(start), *(self.added(t, c) for t in terms)])
            for c, (name, start) in enumerate(zip(self.joint, self.plan.starts.tolist(), strict=True))
        }

    def ending(self, with_tables: bool) -> list[Columns]:
        """Return the steps from the joint log-likelihoods to the result."""
        dialect, joint = self.dialect, self.joint
        carried = [*self.joint, *self._carried(with_tables)]
        highest = self.along(*carried) | {"atfnb_h": dialect.max_of(joint)}
        within = f">= atfnb_h - {dialect.number(TIE)}"
        places = " ".join(f"WHEN {name} {within} THEN {c}" for c, name in enumerate(joint[:-1]))
        shares = {f"atfnb_e{c}": self._exp(f"{name} - atfnb_h") for c, name in enumerate(joint)}
        chosen = {"atfnb_p": f"CASE {places} ELSE {len(joint) - 1} END"}
        steps_ = [highest, self.along(*carried) | shares | chosen]
        return [*steps_, *self._explanation([*joint, *shares, "atfnb_p"], with_tables)] if self.explain else steps_

    def _exp(self, difference: str) -> str:
        """Return the exponential of what is never above 0; PostgreSQL fails where the result is too small."""
        if self.dialect.name == "postgres":
            difference = f"GREATEST({difference}, -700)"
        return f"exp({difference})"

    def _carried(self, with_tables: bool) -> list[str]:
        if not self.explain:
            return []
        codes = [f"atfnb_c{j}" for j in range(len(self.plan.attributes))]
        terms, classes = range(len(self.plan.terms)), range(len(self.plan.classes))
        return [*codes, *(f"atfnb_a{t}_{c}" for t in terms for c in classes)] if with_tables else codes

    def _explanation(self, carried: list[str], with_tables: bool) -> list[Columns]:
        """Return the steps that find the largest leads of the predicted class over the second most probable one."""
        dialect, terms = self.dialect, range(len(self.plan.terms))
        lowest = dialect.number(-1e300)
        others = [f"CASE atfnb_p WHEN {c} THEN {lowest} ELSE {name} END" for c, name in enumerate(self.joint)]
        codes = [f"atfnb_c{j}" for j in range(len(self.plan.attributes))]
        inputs = self._carried(with_tables)
        second = self.along(*carried, *inputs) | {"atfnb_o": dialect.max_of(others)}
        cases = " ".join(f"WHEN ({other}) = atfnb_o THEN {c}" for c, other in enumerate(others[:-1]))
        place = self.along(*carried, *inputs) | {"atfnb_q": f"CASE {cases} ELSE {len(others) - 1} END"}

        def of(term: int, position: str) -> str:
            added = (f"atfnb_a{term}_{c}" if with_tables else self.added(term, c) for c in range(len(self.joint)))
            cases = " ".join(f"WHEN {c} THEN {each}" for c, each in enumerate(added))
            return f"CASE {position} {cases} END"

        leads = {f"atfnb_l{t}": f"{of(t, 'atfnb_p')} - {of(t, 'atfnb_q')}" for t in terms}
        found = [second, place, self.along(*carried, *codes) | leads]
        carried = [*carried, *codes]
        for k in range(1, min(MOST_REASONS, len(terms)) + 1):
            left = [self._unless_taken(f"atfnb_l{t}", t, k) for t in terms]
            found.append(self.along(*carried, *leads) | {f"atfnb_m{k}": dialect.max_of(left)})
            cases = " ".join(f"WHEN ({each}) = atfnb_m{k} THEN {t}" for t, each in enumerate(left[:-1]))
            place = {f"atfnb_r{k}": f"CASE {cases} ELSE {len(left) - 1} END" if len(left) > 1 else "0"}
            carried = [*carried, f"atfnb_m{k}"]
            found.append(self.along(*carried, *leads) | place)
            carried = [*carried, *place]
        return found

    def _unless_taken(self, lead: str, term: int, k: int) -> str:
        taken = " ".join(f"WHEN atfnb_r{before} = {term} THEN {self.dialect.number(-1e300)}" for before in range(1, k))
        return f"CASE {taken} ELSE {lead} END" if taken else lead

    def result(self) -> Columns:
        """Return the columns of the result."""
        dialect, classes = self.dialect, self.plan.classes
        names = unique_names(self.keep, [str(each) for each in classes], explain=self.explain)
        total = summed([f"atfnb_e{c}" for c in range(len(classes))])
        cases = " ".join(f"WHEN {c} THEN {dialect.value(each)}" for c, each in enumerate(classes))
        columns = [*self.kept, f"CASE atfnb_p {cases} END"]
        columns += [f"atfnb_e{c} / ({total})" for c in range(len(classes))] + self.joint
        if self.explain:
            for k in range(1, MOST_REASONS + 1):
                columns += self._reason(k) if k <= len(self.plan.terms) else ["NULL", "NULL"]
        return dict(zip(map(dialect.identifier, names), columns, strict=True))

    def _reason(self, k: int) -> list[str]:
        """Return the words of one of the largest leads, and the lead; both NULL if it is not above 0."""
        cases = " ".join(f"WHEN {t} THEN {self._words(t)}" for t in range(len(self.plan.terms)))
        return [
            f"CASE WHEN atfnb_m{k} > 0 THEN CASE atfnb_r{k} {cases} END END",
            f"CASE WHEN atfnb_m{k} > 0 THEN atfnb_m{k} END",
        ]

    def _words(self, term: int) -> str:
        each, text = self.plan.terms[term], self.dialect.text
        if isinstance(each, PairPlan):
            return text(each.name)
        return self.dialect.look_up(f"atfnb_c{term}", [text(f"{each.name}: {label}") for label in each.labels])


def pair_cell(pair: PairPlan, a: str, b: str) -> str:
    """Return the position of the score of a pair, from the groups of its two attributes."""
    rows, columns = pair.shape
    return f"CASE WHEN {a} < {rows} AND {b} < {columns} THEN {a} * {columns} + {b} ELSE {rows * columns} END"


def _plain(category: object) -> object:
    """Return a category as the number or text that the cells are compared with: booleans are 1 and 0."""
    return int(category) if isinstance(category, bool) else category


def unique_names(keep: Sequence[str], classes: Sequence[str], *, explain: bool) -> list[str]:
    """Return the names of the columns of the result, none of them twice, in any case of letters.

    >>> unique_names(["id"], ["a", "A"], explain=False)
    ['id', 'predicted', 'P(a)', 'P(A)_', 'joint_log_likelihood(a)', 'joint_log_likelihood(A)_']
    """
    wanted = ["predicted", *(f"P({each})" for each in classes), *(f"joint_log_likelihood({each})" for each in classes)]
    if explain:
        wanted += [f"{word} {k}" for k in range(1, MOST_REASONS + 1) for word in ("because", "adds")]
    names = list(keep)
    taken = {name.lower() for name in keep}
    for name in wanted:
        short, ends = name, ""
        while True:
            short = _cut_to(name, LONGEST_NAME - len(ends)) + ends
            if short.lower() not in taken:
                break
            ends += "_"
        taken.add(short.lower())
        names.append(short)
    return names


def _cut_to(name: str, size: int) -> str:
    """Return a name, cut off at a number of bytes of UTF-8."""
    return name.encode("utf-8")[:size].decode("utf-8", errors="ignore")
