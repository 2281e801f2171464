"""Logs of evaluation harnesses, made up with the structure of real ones."""

import json
import zipfile
from pathlib import Path

import pytest

FIRST = [True, True, True, False, True, False]
SECOND = [False, True, True, False, False, True]


def lm_evaluation(file, right, filters=("none",)):
    """Samples of lm-evaluation-harness: a line for each document and filter."""
    lines = [
        {
            "doc_id": i,
            "doc": {"question": "?", "subject": "law" if i % 2 else "art"},
            "target": "A",
            "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"until": ["\n"]}}},
            "resps": [["A"]],
            "filtered_resps": ["A"],
            "filter": name,
            "metrics": ["exact_match", "bleu"],
            "doc_hash": "d",
            "prompt_hash": "p",
            "target_hash": "t",
            "exact_match": float(each),
            "bleu": 0.3,
        }
        for i, each in enumerate(right)
        for name in filters
    ]
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text("".join(json.dumps(line) + "\n" for line in lines))


def inspect(file, model, right, epochs=1, value=lambda right: "C" if right else "I"):
    """A log of Inspect, as JSON or as an archive."""
    header = {"version": 2, "status": "success", "eval": {"task": "t", "model": model}}
    samples = [
        {
            "id": f"q{i}",
            "epoch": epoch,
            "input": "?",
            "target": "A",
            "scores": {"match": {"value": value(each), "answer": "A"}},
            "metadata": {"category": "law"},
        }
        for epoch in range(1, epochs + 1)
        for i, each in enumerate(right)
    ]
    if file.endswith(".json"):
        Path(file).write_text(json.dumps({**header, "samples": samples}, indent=2))
        return
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(header))
        for each in samples:
            archive.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
        archive.writestr("header.json", json.dumps(header))


def promptfoo(file, results):
    Path(file).write_text(
        json.dumps({"evalId": "e", "results": {"version": 3, "results": results}})
    )


def result(test, provider, prompt, right, number=None, **more):
    """A result of promptfoo; its number is that of the test unless it is a repetition."""
    return {
        "success": right,
        "score": float(right),
        "failureReason": int(not right),
        "provider": {"id": provider, "label": ""},
        "testIdx": test if number is None else number,
        "promptIdx": prompt,
        "vars": {"question": f"q{test}"},
        **more,
    }


@pytest.fixture
def ask(run_command):
    def ask(words):
        return run_command(*words.split())

    return ask


def cells(result):
    assert result.code == 0, result.err
    return [json.loads(result.out)[name] for name in ("both", "first_only", "second_only")]


def by_model(result):
    assert result.code == 0, result.err
    return {each["model"]: (each["x"], each["n"]) for each in json.loads(result.out)}


def test_samples_of_lm_evaluation_harness_say_what_is_taken(ask):
    lm_evaluation("s.jsonl", FIRST)
    found = ask("interval proportion --rows s.jsonl --format json")
    assert json.loads(found.out)["x"] == 4
    assert (
        "s.jsonl is read as samples of lm-evaluation-harness, with the columns item (doc_id), "
        "model, subject and correct (exact_match; other scores: bleu); model is s;"
    ) in found.err


def test_other_columns_than_those_taken_can_be_named(ask):
    lm_evaluation("s.jsonl", FIRST)
    named = "--correct exact_match --by subject --cluster doc_id"
    found = ask(f"interval clustered_proportion --rows s.jsonl {named} --format json")
    assert [(each["subject"], each["rows"]) for each in json.loads(found.out)] == [
        ("art", 3),
        ("law", 3),
    ]


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("x.jsonl", "y.jsonl", ["x", "y"]),
        ("m/s.jsonl", "n/s.jsonl", ["m", "n"]),
        (
            "m/samples_t_2026-01-02T03-04-05.6.jsonl",
            "n/samples_t_2026-02-02T03-04-05.6.jsonl",
            ["m", "n"],
        ),
    ],
)
def test_samples_of_two_models_are_pairs(ask, first, second, names):
    lm_evaluation(first, FIRST)
    lm_evaluation(second, SECOND)
    found = ask(f"interval paired_difference --rows {first} --rows {second} --format json")
    assert cells(found) == [2, 2, 1]
    assert [json.loads(found.out)[name] for name in ("model1", "model2")] == names


def test_several_filters_of_a_document_are_refused_with_both_commands(ask):
    lm_evaluation("s.jsonl", FIRST, ["strict", "flexible"])
    refused = ask("interval proportion --rows s.jsonl")
    assert refused.code == 2
    assert "--correct correct --where filter=strict` reads one of them" in refused.err
    assert "--by filter --correct correct` reads each" in refused.err
    each = ask("interval proportion --rows s.jsonl --by filter --format json")
    assert [found["n"] for found in json.loads(each.out)] == [6, 6]


@pytest.mark.parametrize(
    "value",
    [
        lambda right: "C" if right else "I",
        lambda right: "yes" if right else "NO",
        lambda right: "TRUE" if right else "N",
        float,
        bool,
    ],
)
def test_scores_of_inspect_are_read_as_right_and_wrong(ask, value):
    inspect("log.json", "x/y", FIRST, value=value)
    assert json.loads(ask("interval proportion --rows log.json --format json").out)["x"] == 4


def test_an_archive_of_inspect_is_read_whatever_its_name_is(ask):
    inspect("log.eval", "x/y", FIRST)
    inspect("renamed.json", "z", SECOND)
    Path("log.eval").rename("other")
    found = ask("interval paired_difference --rows other --rows renamed.json --format json")
    assert cells(found) == [2, 2, 1]
    assert json.loads(found.out)["model1"] == "x/y"


def test_two_logs_of_one_model_are_samples_or_two_systems(ask):
    inspect("a.json", "x", FIRST)
    inspect("b.json", "x", SECOND)
    words = "interval paired_difference --rows a.json --rows b.json"
    refused = ask(words)
    assert refused.code == 2
    assert f"where each file is a system: `python -m harness {words} --key item" in refused.err
    found = ask(f"{words} --key item --correct correct --format json")
    assert cells(found) == [2, 2, 1]


def test_epochs_of_inspect_are_clusters(ask):
    inspect("log.eval", "x", FIRST, epochs=3)
    apart = ask("interval proportion --rows log.eval")
    assert "item repeats: 18 rows have 6 values" in apart.err
    together = ask("interval clustered_proportion --rows log.eval --verbose --format json")
    assert json.loads(together.out)["n"] == [3] * 6


def test_scores_between_0_and_1_are_for_a_mean(ask):
    inspect("log.json", "x", FIRST, value=lambda right: 0.9 if right else 0.25)
    refused = ask("interval proportion --rows log.json")
    assert refused.code == 2
    assert "no score that is 0 or 1 throughout (`interval mean --values match`" in refused.err
    found = ask("interval mean --rows log.json --values match --format json")
    assert json.loads(found.out)["estimate"] == pytest.approx((4 * 0.9 + 2 * 0.25) / 6)


def test_an_archive_with_zstandard_says_what_to_do(ask):
    inspect("log.eval", "x", FIRST)
    raw = bytearray(Path("log.eval").read_bytes())
    # The compression of a file stands 10 bytes after the beginning of its entry in the directory.
    for sign, offset in ((b"PK\x01\x02", 10), (b"PK\x03\x04", 8)):
        at = raw.find(sign)
        while at >= 0:
            raw[at + offset : at + offset + 2] = (99).to_bytes(2, "little")
            at = raw.find(sign, at + 1)
    Path("log.eval").write_bytes(raw)
    refused = ask("interval proportion --rows log.eval")
    assert refused.code == 2
    assert "`inspect log convert --to json` writes a log that is read" in refused.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"header.json": "{}"}, "its header names no model"),
        ({"a.txt": "?"}, "found no header"),
        ({"header.json": '{"eval": {"model": "m"}}'}, "has no scores"),
        ({"header.json": "{"}, "no log of Inspect, "),
    ],
)
def test_another_archive_is_refused(ask, content, said):
    with zipfile.ZipFile("log.eval", "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    refused = ask("interval proportion --rows log.eval")
    assert refused.code == 2
    assert said in refused.err


def test_results_of_promptfoo_are_pairs_of_its_providers(ask):
    both = [FIRST, SECOND]
    rows = [result(i, f"p{k}", k, both[k][i]) for i in range(6) for k in range(2)]
    promptfoo("r.json", rows)
    assert by_model(ask("interval proportion --rows r.json --format json")) == {
        "p0": (4, 6),
        "p1": (3, 6),
    }
    assert cells(ask("interval paired_difference --rows r.json --format json")) == [2, 2, 1]
    Path("r.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert cells(ask("interval paired_difference --rows r.jsonl --format json")) == [2, 2, 1]


def test_prompts_of_one_provider_are_models_of_their_own(ask):
    both = [FIRST, SECOND]
    promptfoo("r.json", [result(i, "p", k, both[k][i]) for i in range(6) for k in range(2)])
    found = by_model(ask("interval proportion --rows r.json --format json"))
    assert found == {"p prompt 0": (4, 6), "p prompt 1": (3, 6)}


def test_repetitions_of_promptfoo_are_samples_of_an_item(ask):
    rows = [result(i, "p", 0, FIRST[i], number=i + 6 * k) for k in range(2) for i in range(6)]
    promptfoo("r.json", rows)
    found = ask("interval clustered_proportion --rows r.json --verbose --format json")
    assert json.loads(found.out)["n"] == [2] * 6


def test_an_error_of_promptfoo_is_no_answer(ask):
    rows = [result(i, "p", 0, right) for i, right in enumerate(FIRST)]
    promptfoo("r.json", [*rows, result(6, "p", 0, False, failureReason=2)])
    assert "1 of 7 rows have nothing in correct" in ask("interval proportion --rows r.json").err
    dropped = ask("interval proportion --rows r.json --missing drop --format json")
    assert json.loads(dropped.out)["n"] == 6


@pytest.mark.parametrize(
    "lines",
    [
        [{"doc_id": 1, "filtered_resps": [], "acc": 1}, {"acc": 1}],
        [{"success": True, "promptIdx": 0}, {"promptIdx": 1}],
        [{"eval": {"task": "t", "model": "m"}, "samples": [{"scores": {}}]}],
        [{"eval": {"task": "t", "model": "m"}, "samples": [3]}],
    ],
)
def test_a_record_unlike_the_others_is_refused(ask, lines):
    Path("log.json").write_text("\n".join(map(json.dumps, lines)))
    refused = ask("interval proportion --rows log.json")
    assert refused.code == 2
    assert "log.json has a record that is not like the others" in refused.err


def test_a_log_may_begin_with_a_byte_order_mark(ask):
    lm_evaluation("s.jsonl", FIRST)
    Path("s.jsonl").write_text(Path("s.jsonl").read_text(), encoding="utf-8-sig")
    assert json.loads(ask("interval proportion --rows s.jsonl --format json").out)["x"] == 4


def test_a_list_of_objects_is_read_as_rows(ask):
    Path("rows.json").write_text(json.dumps([{"ok": 1}, {"ok": 0}, {"ok": True}], indent=1))
    found = ask("interval proportion --rows rows.json --correct ok --format json")
    assert json.loads(found.out)["x"] == 2
