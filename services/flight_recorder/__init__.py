"""The flight recorder engine: dumps of every rank in, matched calls and findings out (spec: flight-recorder.md).

Pure: nothing here fetches, shows or writes. Bytes meet `decode`; behind it everything is typed.
"""
