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
from typing import TYPE_CHECKING

from atfnb.export.dialects import Dialect
from atfnb.export.plan import EXACT, AttributePlan, ExportError, ModelPlan

if TYPE_CHECKING:
    from atfnb.export.sql import Chain, Writer

ROWS = 500
"""How many rows one INSERT has."""


def table_statements(plan: ModelPlan, dialect: Dialect, prefix: str) -> list[str]:
    """Return the statements that make the look-up tables anew."""
    whole, double, text = dialect.types
    names = ["term", "code", "grp", *(f"add_{c}" for c in range(len(plan.classes)))]
    kinds = [whole, whole, whole, *[double] * len(plan.classes)]
    by_value = ["attribute", "value", "code"]
    return [
        *_made(dialect, f"{prefix}_text", by_value, [whole, text, whole], list(_categories(plan, dialect, text=True))),
        *_made(
            dialect, f"{prefix}_number", by_value, [whole, double, whole], list(_categories(plan, dialect, text=False))
        ),
        *_made(dialect, f"{prefix}_scores", names, kinds, list(_scores(plan, dialect))),
    ]


def _made(dialect: Dialect, name: str, columns: Sequence[str], kinds: Sequence[str], rows: list[str]) -> list[str]:
    """Return the statements that make one table; a view of constants where tables need a place to be stored."""
    table = dialect.identifier(name)
    if dialect.name == "spark":
        typed = ", ".join(f"CAST({each} AS {kind}) AS {each}" for each, kind in zip(columns, kinds, strict=True))
        nothing = f"({', '.join(['NULL'] * len(columns))})"
        values = f"VALUES {', '.join(rows or [nothing])} AS made({', '.join(columns)})"
        return [f"CREATE OR REPLACE TEMPORARY VIEW {table} AS SELECT {typed} FROM {values}"]
    declared = ", ".join(f"{each} {kind}" for each, kind in zip(columns, kinds, strict=True))
    key = f"PRIMARY KEY ({columns[0]}, {'code' if 'term' in columns else 'value'})"
    inserts = [f"INSERT INTO {table} VALUES {', '.join(rows[k : k + ROWS])}" for k in range(0, len(rows), ROWS)]
    return [f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({declared}, {key})", *inserts]


def _categories(plan: ModelPlan, dialect: Dialect, *, text: bool) -> Iterator[str]:
    for j, attribute in enumerate(plan.attributes):
        if (attribute.kind == "text") != text:
            continue
        for code, category in enumerate(attribute.categories or ()):
            if not text and abs(category) > EXACT:
                raise ExportError(
                    f"column {attribute.column!r} has the whole number {category}, which a look-up table of 64-bit "
                    "floats cannot hold: leave out --with-tables (with_tables=True)."
                )
            value = dialect.text(category) if text else dialect.cut(float(category))
            yield f"({j}, {value}, {code})"


def _scores(plan: ModelPlan, dialect: Dialect) -> Iterator[str]:
    groups = {j: of for pair in plan.pairs for j, of in zip(pair.of, pair.groups, strict=True)}
    for t, term in enumerate(plan.terms):
        for code, added in enumerate(term.scores.tolist()):
            group = groups[t][code] if isinstance(term, AttributePlan) and t in groups else 0
            yield f"({t}, {code}, {group}, {', '.join(map(dialect.number, added))})"


def add_joins(chain: Chain, writer: Writer, prefix: str) -> None:
    """Add the steps from the values of a row to the joint log-likelihoods."""
    _add_codes(chain, writer, prefix)
    plan, attributes = writer.plan, range(len(writer.plan.attributes))
    grouped = sorted({j for pair in plan.pairs for j in pair.of})
    codes = [f"atfnb_c{j}" for j in attributes]
    _add_scores(chain, writer, prefix, attributes, codes, [f"atfnb_g{j}" for j in grouped])
    if plan.pairs:
        pairs = range(len(attributes), len(plan.terms))
        _add_scores(chain, writer, prefix, pairs, codes if writer.explain else [], [f"atfnb_g{j}" for j in grouped])


def _add_codes(chain: Chain, writer: Writer, prefix: str) -> None:
    """Add the steps that look up the code of each category; numbers are coded by CASE."""
    attributes = writer.plan.attributes
    by_table = [j for j, attribute in enumerate(attributes) if attribute.categories]
    done: list[str] = []
    for first in range(0, max(len(by_table), 1), chain.dialect.joins):
        now, later = by_table[first : first + chain.dialect.joins], by_table[first + chain.dialect.joins :]
        columns = writer.along(*done, *dict.fromkeys(writer.value(j) for j in later))
        joins = ""
        for j in now:
            table = chain.dialect.identifier(f"{prefix}_{'text' if attributes[j].kind == 'text' else 'number'}")
            joins += f"\n  LEFT JOIN {table} AS t{j} ON t{j}.attribute = {j} AND t{j}.value = {writer.value(j)}"
        others = () if first else (j for j in range(len(attributes)) if j not in by_table)
        made = {f"atfnb_c{j}": writer.code(j) for j in others}
        made |= {f"atfnb_c{j}": writer.code(j, f"coalesce(t{j}.code, {attributes[j].unseen})") for j in now}
        chain.add(columns | made, joins)
        done += made


def _add_scores(
    chain: Chain, writer: Writer, prefix: str, terms: range, codes: Sequence[str], groups: Sequence[str]
) -> None:
    """Add the steps that add the scores of some terms to the joint log-likelihoods."""
    number, classes = chain.dialect.number, range(len(writer.plan.classes))
    table, own = chain.dialect.identifier(f"{prefix}_scores"), terms.start == 0
    for first in range(terms.start, terms.stop, chain.dialect.joins):
        now = range(first, min(first + chain.dialect.joins, terms.stop))
        last = now.stop == terms.stop
        carried = list(codes) if writer.explain or not last else []
        if writer.explain:
            carried += [f"atfnb_a{t}_{c}" for t in range(now.start) for c in classes]
        known = [group for group in groups if not own or int(group[7:]) < now.start] if writer.plan.pairs else []
        columns = writer.along(*carried, *(known if own or not last else []))
        joins = "".join(
            f"\n  LEFT JOIN {table} AS s{t} ON s{t}.term = {t} AND s{t}.code = {writer.cell(t, by_group=True)}"
            for t in now
        )
        if own:
            columns |= {f"atfnb_g{j}": f"s{j}.grp" for j in now if f"atfnb_g{j}" in groups}
        for c, name in enumerate(writer.joint):
            before = number(writer.plan.starts.tolist()[c]) if now.start == 0 else name
            columns[name] = " + ".join([before, *(f"s{t}.add_{c}" for t in now)])
        if writer.explain:
            columns |= {f"atfnb_a{t}_{c}": f"s{t}.add_{c}" for t in now for c in classes}
        chain.add(columns, joins)
