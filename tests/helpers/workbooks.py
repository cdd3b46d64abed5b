"""Workbooks for the tests, made in memory: .xlsx by XlsxWriter, .ods and .xlsb by hand."""

import datetime
import io
import struct
import zipfile
from xml.sax.saxutils import escape

import xlsxwriter

FORMATS = {datetime.datetime: "yyyy-mm-dd hh:mm:ss", datetime.date: "yyyy-mm-dd", datetime.time: "hh:mm:ss"}
ERRORS = ("#REF!", "#DIV/0!", "#NAME?")


def put(book, sheet, row, column, cell):
    """Write a cell as what it is; the text of a formula error is one."""
    if isinstance(cell, str) and cell in ERRORS:
        sheet.write_formula(row, column, "=1/0", None, cell)
    elif isinstance(cell, str):
        sheet.write_string(row, column, cell)
    elif type(cell) in FORMATS:
        sheet.write_datetime(row, column, cell, book.add_format({"num_format": FORMATS[type(cell)]}))
    elif cell is not None:
        sheet.write(row, column, cell)


def xlsx(*sheets, merged=(), charts=(), hidden=(), at=(0, 0)):
    """A workbook of sheets, each a list of rows or a pair of its name and the rows, written from a position on."""
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream)
    for number, given in enumerate(sheets, 1):
        name, rows = given if isinstance(given, tuple) else (f"Sheet{number}", given)
        sheet = book.add_worksheet(name)
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                put(book, sheet, at[0] + i, at[1] + j, cell)
        for top, left, bottom, right in merged:
            sheet.merge_range(top, left, bottom, right, rows[top - at[0]][left - at[1]])
        if name in hidden:
            sheet.hide()
        else:
            sheet.set_first_sheet()
            sheet.activate()  # a hidden sheet cannot be the active one
    for name in charts:
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": [name, 0, 0, 2, 0]})
        book.add_chartsheet(name).set_chart(chart)
    book.close()
    return stream.getvalue()


def zipped(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


# --- .ods ------------------------------------------------------------------------------------------

_SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
_URN = "urn:oasis:names:tc:opendocument:xmlns"


def _ods_cell(cell):
    if cell is None or cell == "":
        return "<table:table-cell/>"
    if isinstance(cell, bool):
        kind, value = "boolean", f'office:boolean-value="{str(cell).lower()}"'
    elif isinstance(cell, (int, float)):
        kind, value = "float", f'office:value="{cell}"'
    elif isinstance(cell, datetime.date):
        kind, value = "date", f'office:date-value="{cell.isoformat()}"'
    else:
        kind, value = "string", ""
    return (
        f'<table:table-cell office:value-type="{kind}" {value}><text:p>{escape(str(cell))}</text:p></table:table-cell>'
    )


def ods(*sheets, manifest=""):
    """An OpenDocument workbook of sheets, each a list of rows."""
    tables = ""
    for number, rows in enumerate(sheets, 1):
        lines = "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows)
        tables += f'<table:table table:name="Sheet{number}">{lines}</table:table>'
    spaces = " ".join(f'xmlns:{each}="{_URN}:{each}:1.0"' for each in ("office", "table", "text"))
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces}><office:body><office:spreadsheet>'
        f"{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    listed = (
        f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{_URN}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_SPREADSHEET}"/>'
        f'<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml">{manifest}'
        "</manifest:file-entry></manifest:manifest>"
    )
    return zipped({"mimetype": _SPREADSHEET, "content.xml": content, "META-INF/manifest.xml": listed})


# --- .xlsb -----------------------------------------------------------------------------------------


def _record(number, content=b""):
    head = bytes([number]) if number < 128 else bytes([number & 127 | 128, number >> 7])
    size, length = b"", len(content)
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return head + size + bytes([length]) + content


def _wide(text):
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _xlsb_cell(column, cell):
    where = struct.pack("<II", column, 0)
    if isinstance(cell, bool):
        return _record(4, where + bytes([cell]))
    if isinstance(cell, (int, float)):
        return _record(5, where + struct.pack("<d", cell))
    return _record(6, where + _wide(cell)) if cell else b""


def xlsb(rows):
    """A binary workbook of one sheet, Sheet1."""
    relations = (
        '<?xml version="1.0" encoding="UTF-8"?><Relationships '
        'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
        'Target="worksheets/sheet1.bin"/></Relationships>'
    )
    sheet = _record(156, struct.pack("<II", 0, 1) + _wide("rId1") + _wide("Sheet1"))
    size = struct.pack("<IIII", 0, len(rows) - 1, 0, len(rows[0]) - 1)
    lines = b"".join(
        _record(0, struct.pack("<I", i) + bytes(13)) + b"".join(_xlsb_cell(j, cell) for j, cell in enumerate(row))
        for i, row in enumerate(rows)
    )
    return zipped(
        {
            "xl/workbook.bin": _record(131) + _record(143) + sheet + _record(144) + _record(132),
            "xl/_rels/workbook.bin.rels": relations,
            "xl/worksheets/sheet1.bin": _record(129)
            + _record(148, size)
            + _record(145)
            + lines
            + _record(146)
            + _record(130),
        }
    )
