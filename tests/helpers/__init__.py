"""What several rooms of the tests share: random inputs, files, models, a browser, the targets of an export."""
