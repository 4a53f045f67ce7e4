"""The rules once more, slowly: plain Python written from the rules text alone.

Nothing here shares an algorithm with the package under test: layouts are found by
exact cover over an explicit list of melds, completions by enumeration.
"""
