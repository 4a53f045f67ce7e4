"""Golden games and the digest of a thousand: what a change must keep or declare.

`make golden` writes them anew from the engine; what proves them is that the reference
plays them, too, from their text alone.
"""
