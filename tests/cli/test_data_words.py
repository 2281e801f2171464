"""The data of ``interval`` as words, and numbers that are written in per cent."""

import json

import pytest

import harness


def test_a_share_in_per_cent_is_the_double_of_its_decimals():
    from harness.commands.options import share

    assert [share(f"{k / 10}%") for k in range(1000)] == [float(f"0.{k:03d}") for k in range(1000)]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("proportion 90/100", "proportion --x 90 --n 100"),
        ("proportion 90/100, 45/50", "proportion --x 90,45 --n 100,50"),
        ("proportion --x 90 45 --n 100", "proportion --x 90,45 --n 100"),
        ("proportion 90/100 --level 90%", "proportion --x 90 --n 100 --alpha 0.1"),
        ("proportion 90/100 --alpha 2.5%", "proportion --x 90 --n 100 --alpha 0.025"),
        ("rate 3/2.5", "rate --x 3 --exposure 2.5"),
        (
            "proportion_difference 45/60 52/80",
            "proportion_difference --x1 45 --n1 60 --x2 52 --n2 80",
        ),
        ("mean 75 72 78", "mean --values 75,72,78"),
        ("mean 75,72, 78", "mean --values 75,72,78"),
        ("mean 1 -2 3 --level 90%", "mean --values 1,-2,3 --alpha 0.1"),
        ("mean -.5 -1e3, -2", "mean --values=-.5,-1e3,-2"),
        ("mean --values -1 72 78", "mean --values=-1,72,78"),
        ("clustered_proportion 3/10 5/9 2/8", "clustered_proportion --x 3,5,2 --n 10,9,8"),
    ],
)
def test_words_are_the_data_of_the_options(run_command, words, options):
    found, expected = (
        run_command("interval", *each.split(), "--format", "json") for each in (words, options)
    )
    assert expected.code == 0
    assert (found.out, found.err) == (expected.out, expected.err)


def test_a_size_is_for_the_recommended_method_and_one_half_and_says_so(run_command):
    found = run_command("size", "proportion", "--half-width", "10%", "--format", "json")
    asked = harness.size("proportion", "minimal_length", p=0.5, half_width=0.1)
    answer = json.loads(found.out)
    assert (answer["n"], answer["method"], answer["p"]) == (asked.n, "minimal_length", 0.5)
    assert "method = minimal_length, p = 0.5" in found.err


def test_a_size_for_all_that_is_given_assumes_nothing():
    assert harness.size("proportion", "wilson", p=0.5, half_width=0.1).assumed == {}


def test_a_bound_takes_no_true_value_for_granted():
    with pytest.raises(harness.base.errors.InputError, match="needs p, found nothing"):
        harness.size("proportion", above=0.9, probability=0.8)


def test_coverage_takes_shares_in_per_cent(run_command):
    found, expected = (
        run_command("coverage", "proportion", "wilson", "--n", "20", *each.split())
        for each in ("--p 10% --level 90%", "--p 0.1 --alpha 0.1")
    )
    assert found.out == expected.out
    assert expected.code == 0
