"""Lays a document out with Pango and writes it with Cairo, as PDF or PostScript. The document comes as JSON on standard input."""

import json
import sys

import cairo
import gi

gi.require_version("Pango", "1.0")
gi.require_version("PangoCairo", "1.0")
from gi.repository import Pango, PangoCairo  # noqa: E402

job = json.load(sys.stdin)
width, height = job.get("size", [595, 842])
margin, gap = 56, 24
kind = cairo.PSSurface if job["output"].endswith(".ps") else cairo.PDFSurface
surface = kind(job["output"], width, height)
if kind is cairo.PDFSurface:
    surface.set_metadata(cairo.PDF_METADATA_CREATE_DATE, "2024-01-01T00:00:00Z")
context = cairo.Context(surface)
turn = job.get("turn")
if turn == "left":
    context.translate(0, height)
    context.rotate(-1.5707963267948966)
    width, height = height, width
columns = job.get("columns", 1)
column_width = (width - 2 * margin - (columns - 1) * gap) / columns
column, y = 0, margin


def put(text, x, y, size, wide):
    layout = PangoCairo.create_layout(context)
    layout.set_font_description(Pango.FontDescription(f"{job.get('font', 'DejaVu Serif')} {size}"))
    layout.set_width(int(wide * Pango.SCALE))
    layout.set_wrap(Pango.WrapMode.WORD_CHAR)
    layout.set_justify(job.get("justified", False))
    layout.set_text(text, -1)
    lines = layout.get_lines_readonly()
    return layout, lines


def flow(text, size):
    """Writes a text line by line, into the next column or page where one is full."""
    global column, y
    layout, lines = put(text, 0, 0, size, column_width)
    iterator = layout.get_iter()
    while True:
        line = iterator.get_line_readonly()
        _, logical = iterator.get_line_extents()
        tall = logical.height / Pango.SCALE
        if y + tall > height - margin:
            column, y = column + 1, margin
            if column == columns:
                column = 0
                context.show_page()
        left = margin + column * (column_width + gap) + logical.x / Pango.SCALE
        context.move_to(left, y + (iterator.get_baseline() - logical.y) / Pango.SCALE)
        PangoCairo.show_layout_line(context, line)
        y += tall
        if not iterator.next_line():
            return


for block in job["blocks"]:
    if "heading" in block:
        flow(block["heading"], 16)
    elif "text" in block:
        flow(block["text"], 10)
    elif "list" in block:
        for item in block["list"]:
            flow("• " + item, 10)
    else:
        rows = block.get("table") or block["fields"]
        share = column_width / len(rows[0])
        for row in rows:
            for index, cell in enumerate(row):
                layout, _ = put(cell, 0, 0, 10, share)
                context.move_to(margin + index * share, y)
                PangoCairo.show_layout(context, layout)
            y += 16
    y += 10
surface.finish()
