"""The look-up tables of a SQL query: the codes of categories, and the scores of codes.

========================  ====================================================================
``atfnb_text``            attribute, value, code: the categories that are text
``atfnb_number``          attribute, value, code: the categories that are numbers
``atfnb_scores``          term, code, grp, add_0, add_1, …: what each code adds to each class;
                          attributes come first, then pairs
========================  ====================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from atfnb._errors import Setting
from atfnb.export.dialects import SqlDialect
from atfnb.export.plan import EXACT, ExportError, ModelPlan
from atfnb.export.sql import Query, Writer

ROWS = 500
"""How many rows one INSERT has."""
JOINS = 50
"""How many tables are joined in one step."""


def table_statements(writer: Writer) -> list[str]:
    """Return the statements that make the look-up tables anew."""
    plan, dialect, prefix = writer.plan, writer.dialect, writer.prefix
    whole, double, text = dialect.types
    classes = range(len(plan.classes))
    scores = {"term": whole, "code": whole, "grp": whole} | {f"add_{c}": double for c in classes}
    by_value = {"attribute": whole, "value": text, "code": whole}
    return [
        *_made(dialect, f"{prefix}_text", by_value, list(_categories(plan, dialect, text=True))),
        *_made(dialect, f"{prefix}_number", by_value | {"value": double}, list(_categories(plan, dialect, text=False))),
        *_made(dialect, f"{prefix}_scores", scores, list(_scores(plan, dialect))),
    ]


def _made(dialect: SqlDialect, name: str, columns: dict[str, str], rows: list[str]) -> list[str]:
    """Return the statements that make one table; a view of constants where tables need a place to be stored."""
    table = dialect.identifier(name)
    if not dialect.stores_tables:
        typed = ", ".join(f"CAST({each} AS {kind}) AS {each}" for each, kind in columns.items())
        nothing = f"({', '.join(['NULL'] * len(columns))})"
        values = f"VALUES {', '.join(rows or [nothing])} AS made({', '.join(columns)})"
        return [f"CREATE OR REPLACE TEMPORARY VIEW {table} AS SELECT {typed} FROM {values}"]
    declared = ", ".join(f"{each} {kind}" for each, kind in columns.items())
    key = f"PRIMARY KEY ({', '.join(list(columns)[:2])})"
    inserts = [f"INSERT INTO {table} VALUES {', '.join(rows[k : k + ROWS])}" for k in range(0, len(rows), ROWS)]
    return [f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({declared}, {key})", *inserts]


def _categories(plan: ModelPlan, dialect: SqlDialect, *, text: bool) -> Iterator[str]:
    for j, attribute in enumerate(plan.attributes):
        if (attribute.kind == "text") != text:
            continue
        for code, category in enumerate(attribute.categories or ()):
            if not text and abs(category) > EXACT:
                fault = f"column {attribute.column!r} has the whole number {category}, which a look-up table of 64-bit "
                raise ExportError(fault, "floats cannot hold: leave out ", Setting("with_tables", True), ".")
            value = dialect.text(category) if text else dialect.exact(float(category))
            yield f"({j}, {value}, {code})"


def _scores(plan: ModelPlan, dialect: SqlDialect) -> Iterator[str]:
    groups = {j: of for pair in plan.pairs for j, of in zip(pair.of, pair.groups, strict=True)}
    for t, term in enumerate(plan.terms):
        for code, added in enumerate(term.scores.tolist()):
            group = groups[t][code] if t in groups else 0
            yield f"({t}, {code}, {group}, {', '.join(map(dialect.number, added))})"


def look_up_codes(query: Query, writer: Writer) -> None:
    """Add the steps that look up the code of each category; numbers are coded by CASE in the first of them."""
    attributes = writer.plan.attributes
    by_table = [j for j, attribute in enumerate(attributes) if attribute.categories]
    made = {f"atfnb_code_{j}": writer.code(j) for j in range(len(attributes)) if j not in by_table}
    for now in _some(by_table, JOINS) or [[]]:
        joins = ""
        for j in now:
            table = query.dialect.identifier(f"{writer.prefix}_{'text' if attributes[j].kind == 'text' else 'number'}")
            of, value = f"category_{j}", writer.value(j)
            joins += f"\n  LEFT JOIN {table} AS {of} ON {of}.attribute = {j} AND {of}.value = {value}"
            made[f"atfnb_code_{j}"] = writer.code(j, f"coalesce({of}.code, {attributes[j].unseen})")
        query.add(made, joins)
        made = {}


def look_up_scores(query: Query, writer: Writer) -> None:
    """Add the steps that add up the scores of attributes, and then of pairs, to the joint log-likelihoods."""
    plan, table = writer.plan, query.dialect.identifier(f"{writer.prefix}_scores")
    grouped = {j for pair in plan.pairs for j in pair.of}
    joint = dict(zip(writer.joint, map(query.dialect.number, plan.starts.tolist()), strict=True))
    of_attributes, of_pairs = range(len(plan.attributes)), range(len(plan.attributes), len(plan.terms))
    for now in (*_some(of_attributes, JOINS), *_some(of_pairs, JOINS)):
        joins = "".join(
            f"\n  LEFT JOIN {table} AS scores_{t} ON scores_{t}.term = {t} AND scores_{t}.code = {writer.cell(t)}"
            for t in now
        )
        made = {f"atfnb_group_{t}": f"scores_{t}.grp" for t in now if t in grouped}
        for c, (name, before) in enumerate(joint.items()):
            made[name] = " + ".join([before, *(f"scores_{t}.add_{c}" for t in now)])
            if writer.explain:
                made |= {f"atfnb_score_{t}_{c}": f"scores_{t}.add_{c}" for t in now}
        query.add(made, joins)
        joint = {name: name for name in joint}


def _some(items: Sequence[int], most: int) -> list[Sequence[int]]:
    """Return the items in their order, at most a given number of them at a time."""
    return [items[k : k + most] for k in range(0, len(items), most)]
