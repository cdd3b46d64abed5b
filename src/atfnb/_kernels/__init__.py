"""The compiled loops, one file per package that calls them.

Each is a plain loop over plain arrays, compiled by Numba when it is first called and cached on disk. All of them
release Python's lock, so that threads run them in parallel. Importing one of these files imports Numba, which takes
time: a package imports its own file inside the functions that need a loop.
"""
