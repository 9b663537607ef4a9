"""Arrays on the wire: npz archives written and read as streams, and the wire forms of dtypes NumPy lacks.

Shared by the client that runs operators on a server, and by that server. Nothing here unpickles.
"""
