"""The paper's two studies from beginning to end: run, tables, figures, one page; told on a console."""
