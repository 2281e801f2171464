"""A scenario in another process has the family and the design that this process knows by name."""

import pickle

import pytest

from harness.catalogue import scenario_for, with_settings
from harness.distributions.truths import DiscreteTruth
from harness.families.catalogue import FAMILIES, family_of

LISTED = DiscreteTruth((0.1, 0.4))


RULE = {"boundaries": [{"n": 10, "at_most": 1}]}


@pytest.mark.parametrize(
    "family",
    [
        *FAMILIES.values(),
        with_settings("f_score", {"beta": 2}),
        with_settings("proportion", {"stopping": RULE}),
    ],
    ids=repr,
)
def test_a_family_is_itself_after_a_pickle(family):
    assert pickle.loads(pickle.dumps(family)) is family


def test_a_scenario_keeps_its_family_and_its_design_in_a_pickle():
    scenario = scenario_for(family_of("proportion"), 10, LISTED)
    copy = pickle.loads(pickle.dumps(scenario))
    assert copy == scenario
    assert copy.family is scenario.family
    assert copy.design is scenario.design


def test_a_scenario_of_another_family_has_the_design_of_that_family():
    scenario = scenario_for(family_of("proportion"), 10, LISTED)
    assert scenario.design.name == family_of("proportion").design
