"""Alembic's entry: runs the versions on the connection that ``db.migrate`` hands over."""

from alembic import context
from sqlmodel import SQLModel

from sigilpost_server import models  # noqa: F401  # fills the metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,  # SQLite changes columns by copying the table
)
with context.begin_transaction():
    context.run_migrations()
