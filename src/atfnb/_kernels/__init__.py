"""The compiled loops, one file per room that calls them.

Each is a plain loop over plain arrays, compiled by Numba when it is first called and kept on disk. All of them release
Python's lock, so threads run them side by side. Importing one of these files imports Numba, which takes time: a room
imports its own file inside the functions that need a loop.
"""
