"""The audit of other packages: its list, its page, and what it says of packages that are absent."""

import csv
import io
from pathlib import Path

import pytest

from harness.base.errors import ConfigError
from harness.callers.peers import PEERS
from harness.checks.audit import audit as reproducing
from harness.checks.audit.audit import SHIPPED, load_list, reproduce, run_audit
from harness.cli import main
from harness.pages.audit import format_csv, format_page

LIST = Path(__file__).with_name("list.yaml").read_text("utf-8")


@pytest.fixture(scope="module")
def audit(tmp_path_factory):
    file = tmp_path_factory.mktemp("audit") / "list.yaml"
    file.write_text(LIST, "utf-8")
    return run_audit(load_list(file), seed=1, timeout=60.0)


def test_a_row_has_the_verdict_and_the_worst_alpha(audit):
    rows = list(csv.DictReader(io.StringIO(format_csv(audit))))
    assert [row["function"] for row in rows] == ["clopper_pearson", "no_such_method"]
    assert rows[0]["verdict"] == "sound"
    # The supremum over p of Clopper and Pearson's interval at n = 10.
    assert 0.03 < float(rows[0]["worst_alpha"]) <= 0.05
    assert rows[1]["verdict"] == "not checked"
    assert "no_such_method" in rows[1]["first_failure"]


def test_a_package_that_is_absent_is_skipped_with_the_reason(audit):
    (skipped,) = audit.skipped
    assert skipped.reason == "the Python package not-a-package-of-anyone is not installed"
    page = format_page(audit, "harness audit")
    assert "Skipped: not-a-package-of-anyone (1 functions)" in page
    assert "Not to be seen" not in page


def test_confidenceinterval_is_skipped_with_the_reason_where_it_is_absent(monkeypatch):
    def absent(name):
        raise reproducing.PackageNotFoundError(name)

    monkeypatch.setattr(reproducing, "version", absent)
    reproducing.installed_version.cache_clear()
    found = run_audit(load_list(SHIPPED).only(("confidenceinterval",)), seed=1, timeout=60.0)
    reproducing.installed_version.cache_clear()
    assert not found.functions
    assert not found.reproductions
    (skipped,) = found.skipped
    assert skipped.functions == 8
    assert skipped.reason == "the Python package confidenceinterval is not installed"


def test_the_page_has_the_remarks_of_the_list(audit):
    assert "\nNo package of this name has an interval.\n" in format_page(audit, "harness audit")
    shipped = load_list(SHIPPED)
    assert shipped.remarks[0].startswith("scikit-learn ")
    assert not shipped.only(("scipy",)).remarks


def test_the_page_shows_lines_and_what_they_print_here(audit):
    page = format_page(audit, "harness audit")
    assert "prints `2.0`." in page
    assert "printed `4` with version 1, and prints `3` with this one." in page
    assert page.index("## Defects") < page.index("## Known weaknesses")


def test_a_row_with_a_contract_has_its_coverage_drawn(tmp_path):
    row = '{method: cluster_z, family: clustered_mean, grid: "alpha=0.05"'
    text = f"packages:\n  - {{name: numpy, language: python, functions: [{row}, %s}}]}}\n"
    verdicts = {}
    for promised in ("contract: none", "contract: nominal, trials: 1000"):
        file = tmp_path / "list.yaml"
        file.write_text(text % promised, "utf-8")
        (audited,) = run_audit(load_list(file), seed=1, timeout=60.0).functions
        verdicts[promised] = audited.verdict
    assert list(verdicts.values()) == ["sound", "fails: alpha error, drawn"]
    assert "in 1000 trials at alpha = 0.05, 6 clusters of 5" in audited.failures[0].message


def test_without_r_the_packages_of_r_are_skipped_with_the_reason(monkeypatch):
    monkeypatch.setattr(reproducing.shutil, "which", lambda name: None)
    reproducing.installed_version.cache_clear()
    assert reproducing.installed_version("stats", "R") is None
    assert reproducing.why_absent("stats", "R").startswith("R is not installed")
    reproducing.installed_version.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("kind: weakness", "kind: wekness", "did you mean weakness?"),
        ("family: proportion}\n  - name", "family: proportoin}\n  - name", "proportoin"),
        ("family: proportion}\n  - name", "family: proportion, contract: nominl}\n  - name",
         "nominal"),
        ("family: proportion}\n  - name", "family: proportion, trials: 10}\n  - name", "100"),
        ("    title: One and one\n", "", "expected this key, found nothing"),
        ("  - package: numpy\n    functions: [add]\n    version: \"1\"\n    kind: defect",
         "  - package: nunpy\n    functions: [add]\n    version: \"1\"\n    kind: defect",
         "expected one of the packages not-a-package-of-anyone, numpy, found 'nunpy'"),
    ],
)  # fmt: skip
def test_a_list_that_is_not_valid_is_refused_with_the_place(tmp_path, old, new, words):
    assert old in LIST
    file = tmp_path / "list.yaml"
    file.write_text(LIST.replace(old, new), "utf-8")
    with pytest.raises(ConfigError) as caught:
        load_list(file)
    assert words in str(caught.value)
    assert f"{file}:" in str(caught.value)


def test_the_shipped_list_has_every_interval_of_the_peers():
    listed = {
        (each.method, each.family)
        for package in load_list(SHIPPED).packages
        for each in package.functions
    }
    peers = {
        (f"{package}:{name}", family)
        for package, families in PEERS.items()
        for family, names in families.items()
        for name in names
    }
    assert peers <= listed


def test_the_command_refuses_a_package_that_is_not_listed(capsys):
    assert main(["audit", "statmodels"]) == 2
    assert "statsmodels" in capsys.readouterr().err


def test_the_command_refuses_a_timeout_of_0_before_it_writes(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["audit", "scipy", "--timeout", "0", "--out", str(out)]) == 2
    assert "timeout should be more than 0" in capsys.readouterr().err
    assert not out.exists()


def test_the_command_writes_the_page_and_the_table(tmp_path, capsys):
    file = tmp_path / "list.yaml"
    file.write_text(LIST.partition("observations")[0], "utf-8")
    out = tmp_path / "deep" / "out"
    assert main(["audit", "numpy", "--list", str(file), "--out", str(out)]) == 0
    assert "numpy clopper_pearson (proportion): sound" in capsys.readouterr().out
    assert {path.name for path in out.iterdir()} == {"audit.md", "audit.csv"}


@pytest.mark.parametrize("observation", load_list(SHIPPED).observations, ids=lambda o: o.title[:40])
def test_an_observation_is_reproduced_with_the_version_that_it_names(observation):
    language = {each.name: each.language for each in load_list(SHIPPED).packages}
    found = reproduce(observation, language[observation.package])
    if found is None:
        pytest.skip(reproducing.why_absent(observation.package, language[observation.package]))
    if found.found_version != observation.version:
        pytest.skip(f"this is {observation.package} {found.found_version}")
    assert found.holds, found.printed
