"""``run``: from configs to results, with everything checked before anything starts."""

import json

import pytest

import harness
import harness.api
from harness.base.errors import InputError
from harness.cli import main
from harness.kinds.coverage import run as coverage_run
from tests.cli.conftest import FIGURES, is_one_sentence
from tests.study.experiments import files, stable_files

FILES = {
    *("cells.parquet", "columns.csv", "config.yaml", "manifest.json", "run.json", "summary.csv"),
    "figures/alpha_by_outcome-wald-n8.png",
}


@pytest.fixture
def not_computed(monkeypatch):
    """Whoever computes anything fails."""

    def compute(experiment, progress):
        raise AssertionError(f"{experiment.name} was started")

    monkeypatch.setattr("harness.kinds.coverage.run.compute", compute)


def test_a_run_writes_its_results_and_prints_them(run_command, config, here):
    result = run_command("run", config(figures=FIGURES))
    assert (result.code, result.err) == (0, "")
    assert set(files(here / "results/small")) == FILES
    assert result.out.startswith("A small run\n")
    assert "Written to results/small" in result.words
    assert "Monte Carlo and exact agree" in result.words
    assert "Posterior and enumeration agree: differences below" in result.words


def test_the_screen_shows_the_numbers_of_the_summary(run_command, config, here):
    result = run_command("run", config(), "--verbose")
    summary = harness.load(here / "results/small").summary
    by_engine = {
        (row["method"], row["n"], row["engine"]): row for row in summary.iter_rows(named=True)
    }
    for method in ("wald", "bound [90 %]"):
        for n in (3, 8):
            drawn, exact = (
                by_engine[method, n, engine] for engine in ("monte_carlo", "enumeration")
            )
            expected = (
                f"{n} {100 - 100 * drawn['actual_alpha']:.2f} "
                f"({100 - 100 * drawn['ci_upper']:.2f}, {100 - 100 * drawn['ci_lower']:.2f}) "
                f"{100 - 100 * exact['actual_alpha']:.2f} {100 - 100 * exact['worst_alpha']:.2f}"
            )
            assert expected in result.words
    # One of them stands in the sentence before the tables.
    assert result.words.count("bound [90 %]") == 4


def test_nothing_on_the_screen_is_meant_for_a_terminal_where_there_is_none(run_command, config):
    result = run_command("run", config())
    assert "\x1b" not in result.out + result.err
    assert "\r" not in result.out + result.err


def test_two_tables_are_printed_after_the_method_to_use_and_all_where_asked_for(
    run_command, config
):
    brief, full = (run_command("run", config(), *more) for more in ((), ("--verbose",)))
    headings = ("Coverage in %", "Monte Carlo over all sizes", "Monte Carlo beside exact")
    assert [each in brief.out for each in headings] == [True, False, False]
    assert all(each in full.out for each in headings)


def test_no_table_is_cut_however_long_a_label(run_command, config):
    label = "the interval that we have always used in our department, with its correction"
    result = run_command(
        "run", config(methods=[{"name": "wilson", "label": label}], figures=[]), "--verbose"
    )
    assert result.words.count(label) == 4
    assert "…" not in result.out.replace(" … ", " to ")


def test_the_screen_names_the_range_of_the_worst_cases(run_command, config):
    result = run_command("run", config(truth={"uniform": [0.85, 0.99]}, figures=[]))
    assert "Coverage in %, 70 % nominal; worst over p in 0.85 … 0.99" in result.words
    listed = config(truth={"values": [0.3]}, trials={"per_truth": 50}, figures=[])
    assert "; worst over p = 0.3" in run_command("run", listed).words
    long = config(n=list(range(1, 40)), trials=None, engines=["enumeration"], figures=[])
    assert "summary.csv); worst over p in" in run_command("run", long).words


def test_the_screen_says_what_a_truth_next_to_the_end_is(run_command, config):
    found = run_command("run", config(methods=["wald"], figures=[])).words
    assert "worst over p in 0 … 1; 0+: just above 0" in found


def test_many_rows_are_summarised_by_their_range(run_command, config):
    result = run_command("run", config(n=list(range(1, 40)), trials={"per_size": 50}, figures=[]))
    assert result.code == 0
    assert "summary.csv" in result.out
    assert result.out.count("\n") < 60


def test_quiet_prints_nothing_and_writes_the_same(run_command, config, here):
    result = run_command("run", config(), "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
    quiet = stable_files(here / "results/small")
    run_command("run", config())
    assert stable_files(here / "results/small") == quiet


def test_results_go_where_they_are_asked_to(run_command, config, here):
    assert run_command("run", config(figures=FIGURES), "--out", "some/where", "--quiet").code == 0
    assert set(files(here / "some/where/small")) == FILES
    assert not (here / "results").exists()


def test_jobs_and_backend_are_those_asked_for(run_command, config, here):
    run_command("run", config(), "--jobs", "2", "--backend", "threading", "--quiet")
    record = json.loads((here / "results/small/run.json").read_text())
    assert (record["jobs"], record["backend"]) == (2, "threading")


def test_keys_are_overridden_one_by_one(run_command, config, here):
    argv = ["--set", "seed=9", "--set", "n=[4]", "--set", "methods.0=wilson", "--set", "figures=[]"]
    assert run_command("run", config(), *argv, "--quiet").code == 0
    experiment = harness.load(here / "results/small").manifest["experiment"]
    assert (experiment["seed"], experiment["n"], experiment["figures"]) == (9, [4], [])
    assert [method["label"] for method in experiment["methods"]] == ["wilson", "bound [90 %]"]


def test_a_folder_is_run_file_by_file(run_command, config, here):
    config("all/b.yaml", name="second", title="Second", figures=[])
    config("all/a.yaml", name="first", title="First", figures=[])
    config("all/deep/c.yml", name="third/inner", title="Third", figures=[])
    result = run_command("run", "all")
    assert result.code == 0
    assert [result.out.index(title) for title in ("First", "Second", "Third")] == sorted(
        result.out.index(title) for title in ("First", "Second", "Third")
    )
    for name in ("first", "second", "third/inner"):
        assert (here / "results" / name / "summary.csv").is_file()


NOT_STARTED = {
    "a fault in the second config": (
        {"n": -3, "alpha": 2},
        ["b.yaml:", "n", "alpha"],
    ),
    "an unknown key in the second config": ({"colour": 1}, ["b.yaml:", "colour"]),
    "a table that does not fit": (
        {"n": 10**9, "trials": {"per_size": 10}},
        ["n = 1000000000: outcomes: all would need"],
    ),
    "the same name twice": ({"name": "small"}, ["small"]),
    "a method that is not there": ({"methods": ["walt"]}, ["b.yaml:", "walt", "wald"]),
}


@pytest.mark.parametrize("what", NOT_STARTED)
def test_all_configs_are_checked_before_the_first_one_starts(
    run_command, config, here, what, not_computed
):
    changes, expected = NOT_STARTED[what]
    config("b.yaml", **{"name": "other", "figures": [], **changes})
    result = run_command("run", config("a.yaml", figures=[]), "b.yaml")
    assert result.code == 2
    assert result.out == ""
    assert "Traceback" not in result.err
    for words in expected:
        assert words in result.err
    assert not (here / "results").exists()


def test_all_issues_of_all_configs_are_reported_at_once(run_command, config, not_computed):
    config("b.yaml", seed="x", family="rat")
    result = run_command("run", config("a.yaml", n=0, alpha=1), "b.yaml")
    assert result.code == 2
    assert [line.count(".yaml:") for line in result.err.splitlines()] == [1] * 4
    for words in ("a.yaml:", "b.yaml:", ": n: ", ": alpha: ", ": seed: ", ": family: "):
        assert words in result.err


def test_a_folder_that_cannot_be_replaced_is_said_before_the_first_one_starts(
    run_command, config, here, not_computed
):
    (here / "results/other").mkdir(parents=True)
    (here / "results/other/thesis.txt").write_text("ten years")
    config("b.yaml", name="other")
    result = run_command("run", config("a.yaml"), "b.yaml")
    assert result.code == 2
    assert is_one_sentence(result)
    assert "thesis.txt" in result.err
    assert files(here / "results") == {"other/thesis.txt": b"ten years"}


def test_an_interrupt_ends_with_130_and_leaves_the_old_results(
    run_command, config, here, monkeypatch
):
    run_command("run", config(), "--quiet")
    before = files(here / "results")

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("harness.kinds.coverage.run.compute", interrupt)
    result = run_command("run", config())
    assert result.code == 130
    assert is_one_sentence(result)
    assert "interrupted" in result.err
    assert files(here / "results") == before


def test_a_fault_of_the_harness_itself_is_one_sentence_unless_asked_for(
    run_command, config, monkeypatch, capsys
):
    def fail(*arguments):
        raise ZeroDivisionError("in the middle")

    monkeypatch.setattr("harness.kinds.coverage.run.compute", fail)
    monkeypatch.delenv("HARNESS_DEBUG", raising=False)
    result = run_command("run", config())
    assert result.code == 1
    assert is_one_sentence(result)
    assert "ZeroDivisionError: in the middle" in result.err
    monkeypatch.setenv("HARNESS_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["run", config()])


def test_one_disagreement_among_several_runs_decides_the_exit_code(
    run_command, config, here, monkeypatch
):
    from harness.designs.engines import monte_carlo

    right = monte_carlo.simulate

    def wrong(shard, limits):
        tally = right(shard, limits)
        if shard.seed == 6:
            tally.by_outcome.below[:] = 0
        return tally

    monkeypatch.setattr(monte_carlo, "simulate", wrong)
    config("a.yaml", name="first", seed=6)
    config("b.yaml", name="second")
    result = run_command("run", "a.yaml", "b.yaml")
    assert result.code == 1
    assert "Monte Carlo and exact disagree" in result.words
    assert "Monte Carlo and exact agree" in result.words
    assert harness.load(here / "results/second").manifest["agreement"]["agrees"]
    assert run_command("run", "b.yaml").code == 0


def test_the_api_and_the_command_line_write_the_same(run_command, config, here):
    path = config(figures=FIGURES)
    run_command("run", path, "--quiet")
    results = harness.run(path, out="by_hand")
    assert stable_files(results.path) == stable_files(here / "results/small")


def test_a_figure_that_fails_is_one_sentence_after_the_tables(
    run_command, config, here, monkeypatch
):
    def savefig(self, path, **options):
        raise MemoryError

    config("b.yaml", name="second", title="The second run", figures=[])
    with monkeypatch.context() as patch:
        patch.setattr("matplotlib.figure.Figure.savefig", savefig)
        result = run_command("run", config("a.yaml", figures=FIGURES), "b.yaml")
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert "alpha_by_outcome-wald-n8.png needs more memory than there is; the tables" in result.err
    assert "A small run" in result.words
    assert "The second run" in result.words
    assert not (here / "results/small/figures").exists()
    assert run_command("plot", "results/small").code == 0
    assert set(files(here / "results/small")) == FILES


def test_results_go_where_they_were_sent_if_the_working_folder_changes(
    run_command, config, here, monkeypatch
):
    (here / "elsewhere").mkdir()
    compute = coverage_run.compute

    def compute_elsewhere(*arguments):
        monkeypatch.chdir(here / "elsewhere")
        return compute(*arguments)

    monkeypatch.setattr("harness.kinds.coverage.run.compute", compute_elsewhere)
    config("b.yaml", name="second", figures=FIGURES)
    result = run_command("run", config("a.yaml", figures=FIGURES), "b.yaml")
    assert result.code == 0
    assert "Written to results/second" in result.words
    assert set(files(here / "results/small")) == set(files(here / "results/second")) == FILES
    assert files(here / "elsewhere") == {}


def test_run_alone_lists_the_shipped_configs_with_their_titles(run_command):
    result = run_command("run")
    assert (result.code, result.err) == (0, "")
    assert "quickstart Six intervals for a proportion, from 5 to 100 trials" in result.words
    assert "ross2003/fig05 Ross 2003, Fig. 5: alpha error" in result.words
    assert max(map(len, result.out.splitlines())) <= 80
    refused = run_command("run", "--dry-run")
    assert (refused.code, is_one_sentence(refused)) == (2, True)


def test_a_shipped_config_is_run_by_its_name_unless_a_file_has_it(run_command, config):
    shipped = run_command("run", "quickstart", "--dry-run")
    assert (shipped.code, shipped.out.splitlines()[0]) == (0, "quickstart")
    config("quickstart.yaml", name="mine")
    own = run_command("run", "quickstart", "--dry-run")
    assert (own.code, own.out.splitlines()[0]) == (0, "mine")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("quickstrat", "quickstart"),
        ("ross2003/fg05", "ross2003/fig05"),
        ("configs/quikstart.yaml", "configs/quickstart.yaml"),
        ("smal.yaml", "small.yaml"),
    ],
)
def test_a_name_that_is_mistyped_is_corrected(run_command, config, asked, meant):
    config()
    result = run_command("run", asked)
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert result.err.endswith(f"; did you mean {meant}?\n")


def test_a_run_without_the_key_figures_draws_those_that_suit_it(run_command, config, here):
    result = run_command("run", config(figures=None, n=[3], methods=["wald"]))
    assert (result.code, result.err) == (0, "")
    drawn = {name for name in files(here / "results/small") if name.startswith("figures/")}
    assert "figures/alpha_by_outcome-wald-n3.png" in drawn
    assert 1 <= len(drawn) <= 4
    assert f"{len(drawn)} figures in results/small/figures" in result.words
    assert "(`figures: []` draws none)" in result.words
    assert "plot results/small --kind KIND" in result.words
    assert "methods only" not in result.words


def test_a_run_says_that_figures_it_has_chosen_show_some_of_the_methods(run_command, config):
    names = [
        "wald",
        "wilson",
        "jeffreys",
        "clopper_pearson",
        "mid_p",
        "arcsine",
        "logit",
        "probit",
        "agresti_coull",
    ]
    result = run_command("run", config(figures=None, n=[3], methods=names))
    assert "some show the first 8 methods only" in result.words


def test_a_run_that_replaces_the_results_of_a_changed_config_says_so(run_command, config, here):
    assert run_command("run", config(), "--quiet").code == 0
    again = run_command("run", config(title="Another title"))
    assert (again.code, again.err) == (0, "")
    name = config(seed=6, n=[3])
    for argv in (["--dry-run"], []):
        changed = run_command("run", name, *argv)
        assert changed.code == 0
        assert changed.err.startswith("harness: results/small holds the results of a config with ")
        assert "another n and seed, which this run replaces when it is complete" in changed.err
    assert harness.load(here / "results/small").manifest["seed"] == 6
    assert run_command("run", config(seed=7), "--quiet").err == ""


def test_results_of_another_family_are_replaced_only_if_asked_for(run_command, config, here):
    run_command("run", config(), "--quiet")
    before = files(here / "results")
    other = config(family="rate", n=None, exposure=2, truth={"values": [1]}, methods=["garwood"])
    result = run_command("run", other)
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert "of another experiment (family proportion, not rate); choose" in result.err
    assert "--fresh" in result.err
    with pytest.raises(InputError, match="family proportion, not rate"):
        harness.run(other)
    assert files(here / "results") == before
    assert run_command("run", other, "--fresh", "--quiet").code == 0
    assert harness.load(here / "results/small").manifest["experiment"]["family"] == "rate"
