"""Where the true areas under the ROC curve come from: areas, ratios and correlations, crossed."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from harness.base.models import expecting
from harness.config.models.case_truths import CrossedLists, crossed_truth
from harness.config.models.levels import levels_or_numbers
from harness.distributions.score_truths import PairedScoreTruth, ScoreTruth

_LARGEST_RATIO = 1e6
_MOST_LEVELS = 10_000

Areas: Any = levels_or_numbers(
    "_Area", Annotated[float, Field(gt=0, lt=1)], "a number between 0 and 1", "true area"
)
Ratios: Any = levels_or_numbers(
    "_SdRatio",
    Annotated[float, Field(ge=1 / _LARGEST_RATIO, le=_LARGEST_RATIO)],
    "a number from 1e-6 to 1e6",
    "ratio of standard deviations",
)
Correlations: Any = levels_or_numbers(
    "_ScoreCorrelation",
    Annotated[float, Field(ge=-1, le=1)],
    "a number from -1 to 1",
    "correlation of two scores",
)
Levels = Annotated[
    Annotated[int, Field(ge=2, le=_MOST_LEVELS)] | None,
    expecting(f"a whole number of levels from 2 to {_MOST_LEVELS}"),
]
_ABOUT_LEVELS = (
    "How many equally spaced levels scores are rounded to; the true area is then that of the "
    "rounded scores."
)


class OfScores(CrossedLists):
    """Areas under the ROC curve of binormal scores, and ratios of standard deviations; crossed."""

    auc: Areas = Field(description="True areas; with levels those before scores are rounded.")
    sd_ratio: Ratios = Field(
        (1.0,), description="Standard deviation of positives over that of negatives; left out, 1."
    )
    levels: Levels = Field(None, description=_ABOUT_LEVELS)

    def truth(self) -> ScoreTruth:
        return ScoreTruth(self.auc, self.sd_ratio, levels=self.levels)


class OfPairedScores(CrossedLists):
    """Areas of two binormal scores of the same cases, and their correlation; crossed."""

    auc1: Areas = Field(description="True areas of the first score; with levels before rounding.")
    auc2: Areas = Field(description="True areas of the second score; likewise.")
    correlation: Correlations = Field(
        description="Of both scores of a case within a class, before they are rounded."
    )
    levels: Levels = Field(None, description=_ABOUT_LEVELS)

    def truth(self) -> PairedScoreTruth:
        return PairedScoreTruth(self.auc1, self.auc2, self.correlation, levels=self.levels)


ScoreTruths: Any = Annotated[OfScores, AfterValidator(crossed_truth)]
PairedScoreTruths: Any = Annotated[OfPairedScores, AfterValidator(crossed_truth)]
