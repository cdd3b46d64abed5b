"""Write orders.xlsx, a workbook as offices have them: a title, dates, thousands, percents, formulas that failed."""

import random
import sys
from datetime import date, timedelta

import xlsxwriter


def write_orders(file: str) -> None:
    """Write 300 orders to a workbook; the class is whether an order came late."""
    rng = random.Random(5)  # noqa: S311
    towns = [
        f"{start}{end}"
        for start in ("Ash", "Oak", "Elm", "Birch", "Hazel", "Maple")
        for end in ("ton", "ford", "by", "ham")
    ]
    with xlsxwriter.Workbook(file) as book:
        sheet, day = book.add_worksheet("Orders"), book.add_format({"num_format": "dd/mm/yyyy"})
        sheet.merge_range("A1:F1", "Orders, first half of the year")
        sheet.write_row("A3", ["order", "ordered", "town", "amount", "discount", "late"])
        for i in range(300):
            ordered = date(2025, 1, 1) + timedelta(rng.randrange(180))
            late = rng.random() < (0.75 if ordered.weekday() > 3 else 0.1)
            line = [
                f"A-{1000 + i}",
                ordered,
                rng.choice(towns),
                f"{rng.randrange(200, 9000):,}",
                f"{rng.randrange(0, 30)}%",
            ]
            sheet.write_row(3 + i, 0, line)
            sheet.write_datetime(3 + i, 1, ordered, day)
            sheet.write(3 + i, 5, "yes" if late else "no")
        sheet.write_formula("C10", "=NA()", None, "#N/A")
        sheet.write_formula("D20", "=1/0", None, "#DIV/0!")


if __name__ == "__main__":
    write_orders(sys.argv[1] if len(sys.argv) > 1 else "orders.xlsx")
