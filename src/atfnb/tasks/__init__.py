"""What a person with a table asks for: evaluate, train, predict, report. From files to results; nothing is printed."""
