"""What the tables of the configuration have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]
Points = Annotated[float, Field(gt=0)]
Port = Annotated[int, Field(ge=0, le=65535)]


class Section(BaseModel):
    """A table of the file: unknown keys are refused, so that no typing error goes unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
