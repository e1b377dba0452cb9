"""The schema's history (Alembic). Never change a version that was released: add one."""
