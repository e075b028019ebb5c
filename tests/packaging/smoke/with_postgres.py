"""Runs with the extra ``postgres``: the store is there, and a server that is not is said."""

import psycopg
import sqlalchemy

from seams_core import SeamsError
from seams_core.cli.opening import open_stores
from seams_core.stores.postgres import PostgresStore

assert PostgresStore.batch_size
assert sqlalchemy.__version__
print(f"libpq {psycopg.pq.version()}")
said = ""
try:
    open_stores("postgresql://nobody@127.0.0.1:9/nothing", "docs", make=False)
except SeamsError as error:
    said = str(error)
assert "PostgreSQL does not answer" in said, said
print("postgres ok")
