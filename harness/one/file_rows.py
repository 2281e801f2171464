"""Rows of data from files: counts in its columns, or cases that are right or wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.base.errors import InputError
from harness.base.text import enumerated, option_of
from harness.families.csv_rows import (
    MISSING,
    RIGHT,
    CsvTable,
    comma_hint,
    count_clusters,
    number_in,
)
from harness.families.family import Family
from harness.families.scores import CLUSTER
from harness.one.cases import (
    is_long_difference,
    read_cases,
    rows_of_long_difference,
    validate_cluster,
)
from harness.one.file_question import FileQuestion, long_call
from harness.one.remarks import RepeatedIds, find_repeated_ids, remark_on_pairs
from harness.one.rows import Row, beside, free_name, located, row_lists

_ROWS = "rows"
"""The column with the number of rows of a group."""
_Integral = Callable[[str, float], float]


@dataclass(frozen=True)
class RowsOfFile:
    """The rows of a file, and what to know of how it was read."""

    rows: list[Row]
    remarks: tuple[str, ...]
    repeated: RepeatedIds | None
    """A column of ids that repeat although cases are taken as independent."""
    are_pairs: bool = False
    """Whether a remark says that the rows of two groups are pairs."""

    def remarks_on(self, lengths: Sequence[float], alpha: float, side: str) -> tuple[str, ...]:
        """Return the remarks with that on the ids, whose intervals have these lengths."""
        if self.repeated is None:
            return self.remarks
        return (*self.remarks, self.repeated.remark(lengths, alpha, side))


def rows_of_file(family: Family, asked: FileQuestion, number: _Integral) -> RowsOfFile:
    """Return the data of a file in the order of its rows, or of its groups.

    Args:
        family: of the data.
        asked: which columns are read, and how.
        number: makes a number of the data that have a name, as a whole one of a count.

    Raises:
        InputError: the file cannot be read, options do not fit together or to the family, or a
            row is wrong; the message names the line.
    """
    command = f"interval {family.public_name}"
    in_clusters = family.groups_cases
    validate_cluster(family, asked)
    cases = read_cases(asked, command, _compares(family), in_clusters)
    table, asked = cases.table, cases.asked
    if is_long_difference(family, asked):
        return RowsOfFile(*rows_of_long_difference(family, cases), None)
    _validate_question(family, asked, table)
    reader = _FileRows(family, asked, table, cases.systems)
    rows = reader.rows(number)
    if asked.correct and not in_clusters and not family.labels_cases:
        groups = list(table.groups(asked.by).values())
        repeated = find_repeated_ids(
            family, cases.given, table, groups, table.right(asked.correct[0])
        )
        on_pairs = list(remark_on_pairs(family, asked, table, groups))
        return RowsOfFile(rows, (*table.remarks, *on_pairs), repeated, bool(on_pairs))
    return RowsOfFile(rows, table.remarks, None)


@dataclass(frozen=True)
class _FileRows:
    """The rows of a file, as a question asks for them."""

    family: Family
    asked: FileQuestion
    table: CsvTable
    systems: Mapping[str, str]
    """The systems that are compared, of a long file."""

    def rows(self, number: _Integral) -> list[Row]:
        """The rows in the order of the file, or of its groups."""
        family, asked, table = self.family, self.asked, self.table
        named = {*asked.columns.values(), *asked.correct, *asked.by, asked.truth, *asked.score}
        has_no_names = all(number_in(name) is not None for name in table.names)
        if asked.header and has_no_names and not named & set(table.names):
            raise InputError(
                f"{table.file}:{table.header_line}: expected the names of columns, found "
                f"{', '.join(table.names)}; --no-header reads a file without names, by --x 1 --n 2"
            )
        if asked.correct:
            return self.of_cases()
        if asked.score:
            return self.of_scores()
        data, read = self.numbers(number)
        if row_lists(family, asked.columns):
            return self.of_lists(data, read)
        names: list[str] = []
        for name in table.names:
            names.append(free_name(name, names))
        rows = []
        for place, numbers in enumerate(data):
            # All fields by the names of their columns, as numbers where they are data.
            fields: dict[str, Any] = dict(zip(names, table.rows[place], strict=True))
            by_column = {asked.columns[name]: value for name, value in numbers.items()}
            constants = {
                name: numbers[name] for name in numbers if asked.columns[name] not in fields
            }
            fields |= {name: by_column[name] for name in fields if name in by_column}
            rows.append(
                Row(
                    {name: value for name, value in numbers.items() if value is not None},
                    shown=beside(fields, constants),
                    place=table.where(place),
                    missing=tuple(name for name, value in numbers.items() if value is None),
                )
            )
        return rows

    def numbers(self, number: _Integral) -> tuple[list[dict[str, float | None]], list[str]]:
        """The numbers of each row by name, None where one is missing; the data with a column."""
        asked, table = self.asked, self.table
        columns: dict[str, list[str]] = {}
        constants: dict[str, float] = {}
        for name, text in asked.columns.items():
            value = number_in(text) if asked.header and text not in table.names else None
            if value is None:
                columns[name] = table.column(text)
            else:
                constants[name] = number(name, value)
        if not columns:
            names = enumerated(option_of(name) for name in constants)
            raise InputError(
                f"{table.file}:{table.header_line}: expected a column for one of {names} at least, "
                f"found {', '.join(table.names)}"
            )
        rows: list[dict[str, float | None]] = []
        faults: list[tuple[str, str]] = []
        for place in range(len(table.rows)):
            row: dict[str, float | None] = {}
            for name in asked.columns:
                if name in constants:
                    row[name] = constants[name]
                    continue
                text = columns[name][place]
                value = None
                if text.lower() not in MISSING:
                    value = number_in(text)
                    if value is None:
                        words = f"expected a number in {asked.columns[name]}, found {text!r}"
                        words += comma_hint(text)
                        faults.append((table.where(place), words))
                row[name] = None if value is None else number(name, value)
            rows.append(row)
        if faults:
            where, words = faults[0]
            others = list(dict.fromkeys(place for place, _ in faults[1:] if place != where))
            raise InputError(located(where, words, others))
        return rows, list(columns)

    def of_lists(
        self, data: Sequence[Mapping[str, float | None]], read: Sequence[str]
    ) -> list[Row]:
        """A row for each group, whose numbers are lists.

        Args:
            data: the numbers of each row of the file.
            read: the data that have a column.
        """
        columns, table = self.asked.columns, self.table
        for place, row in enumerate(data):
            for name in read:
                if row[name] is None:
                    raise InputError(
                        f"{table.where(place)}: expected a number in {columns[name]}, found "
                        f"{table.column(columns[name])[place] or 'nothing'}"
                    )
        lists = {name: [row[name] for row in data] for name in columns} | self.labels
        return self.by_group(lambda places: _at(places, lists))

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """The cluster of each row of the file by the name of its data; nothing without clusters."""
        if self.asked.cluster is None:
            return {}
        return {CLUSTER: self.table.keys(self.asked.cluster, "cluster")}

    def by_group(
        self, data_of: Callable[[Sequence[int]], Mapping[str, Any]], *, is_shown: bool = False
    ) -> list[Row]:
        """A row for each group, which has a name and a place in the file unless it is the only one.

        Args:
            data_of: returns the data of a group, by the places of its rows in the file.
            is_shown: whether they stand beside the limits, and not the number of rows.
        """
        rows = []
        for key, places in self.table.groups(self.asked.by).items():
            named, data = dict(zip(self.asked.by, key, strict=True)), data_of(places)
            count = {_ROWS: len(places)} if key else {}
            shown = beside({**self.systems, **named}, data if is_shown else count)
            group = ", ".join(f"{name} = {value}" for name, value in named.items())
            rows.append(Row(data, shown, f"{self.table.file} ({group})" if group else ""))
        return rows

    def of_cases(self) -> list[Row]:
        """A row for each group of cases, or of two samples one row for both groups."""
        family = self.family
        right = [self.table.right(name) for name in self.asked.correct]
        if family.labels_cases:
            return self.of_labelled(right[0])
        if family.samples == 2:
            return [self.of_two_samples(right[0])]
        if family.labels_clusters:
            named: dict[str, Any] = dict(zip(family.data, right, strict=False))
            return self.by_group(lambda places: _at(places, named | self.labels))
        if family.groups_cases:
            return self.by_group(
                lambda places: count_clusters(
                    (self.labels[CLUSTER][place], right[0][place]) for place in places
                )
            )

        def counts(places: Sequence[int]) -> dict[str, int]:
            counts = family.counts_of_cases(
                [[column[place] for place in places] for column in right]
            )
            return dict(zip(family.data, counts, strict=True))

        return self.by_group(counts, is_shown=True)

    def of_labelled(self, verdicts: Sequence[int]) -> list[Row]:
        """A row for each group of cases that have a verdict each, and some of them a label."""
        column = self.asked.truth or ""
        texts = self.table.column(column)
        places = [place for place, text in enumerate(texts) if text.lower() not in MISSING]
        labels = dict(zip(places, self.table.at(places).right(column), strict=True))

        def counts(group: Sequence[int]) -> dict[str, int]:
            cells = Counter((labels.get(place), verdicts[place]) for place in group)
            counts = [cells[label, verdict] for label in (1, 0) for verdict in (1, 0)]
            yes = cells[None, 1]
            counts += [yes, yes + cells[None, 0]]
            return dict(zip(self.family.summary, counts, strict=True))

        return self.by_group(counts, is_shown=True)

    def of_two_samples(self, right: Sequence[int]) -> Row:
        """The counts of both groups, of which the first is that which appears first."""
        by, groups = self.asked.by, self.table.groups(self.asked.by)
        if len(by) != 1 or len(groups) != 2:
            names = ", ".join(key[0] for key in list(groups)[:5]) if by else "none"
            raise InputError(
                f"{self.family.name} needs --by with one column of two groups, found "
                f"{len(groups) if by else 'none'}{f': {names}' if by else ''}"
            )
        counts = []
        for places in groups.values():
            counts += [sum(right[place] for place in places), len(places)]
        named = {f"{by[0]}{place}": key[0] for place, key in enumerate(groups, 1)}
        data = dict(zip(self.family.data, counts, strict=True))
        return Row(data, shown=beside(named, data))

    def of_scores(self) -> list[Row]:
        """A row for each group of cases, with the scores of its positives and of its negatives."""
        labels = self.table.keys(self.asked.truth or "", "label")
        positive = self.positive_label(labels)
        scores = [self.table.finite(name) for name in self.asked.score]

        def of_both_classes(places: Sequence[int]) -> dict[str, list[float]]:
            lists = [
                [score[place] for place in places if (labels[place] == positive) == is_positive]
                for score in scores
                for is_positive in (True, False)
            ]
            return dict(zip(self.family.data, lists, strict=True))

        return self.by_group(of_both_classes)

    def positive_label(self, labels: Sequence[str]) -> str:
        """The label of positives, which is one of two."""
        asked, file = self.asked, self.table.file
        distinct = list(dict.fromkeys(labels))
        if len(distinct) != 2:
            some = f"{', '.join(distinct[:5])}{', …' if len(distinct) > 5 else ''}"
            raise InputError(
                f"{file}: expected two labels in {asked.truth}, found {len(distinct)}: {some}"
            )
        if asked.positive is None:
            positives = [label for label in distinct if RIGHT.get(label.lower()) == 1]
        else:
            positives = [label for label in distinct if label == asked.positive]
        if len(positives) != 1:
            what = "1 or true" if asked.positive is None else f"{asked.positive!r}"
            raise InputError(
                f"{file}: expected the label of positives, {what}, in {asked.truth}, found "
                f"{enumerated(distinct)}; --positive names it"
            )
        return positives[0]


def _at(places: Sequence[int], columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The fields of columns in some rows."""
    return {name: [column[place] for place in places] for name, column in columns.items()}


def _validate_question(family: Family, asked: FileQuestion, table: CsvTable) -> None:
    """Refuse options that do not fit together, or to the family."""
    command = f"interval {family.public_name}"
    has_truth = asked.truth is not None
    is_of_scores = (asked.positive is not None and not asked.correct) or (
        has_truth and not family.labels_cases
    )
    if asked.score or is_of_scores:
        _validate_scores(family, asked, table)
        return
    if family.labels_cases and has_truth != bool(asked.correct):
        raise InputError(
            f"{family.name} needs --correct, the column of the judge's verdicts, and --truth, that "
            f"of the labels, found {'--truth' if has_truth else '--correct'} alone"
        )
    if not asked.correct:
        if family.labels_clusters and {*asked.columns} & {*family.data} and asked.cluster is None:
            raise InputError(
                f"{family.name} needs --cluster, the column that names the cluster of a case"
            )
        has_needless = asked.cluster is not None and not family.labels_clusters
        if has_needless or not asked.columns:
            if has_needless:
                raise InputError("--cluster needs --correct, the column that says what is right")
            names = enumerated(option_of(name) for name in family.options)
            raise InputError(
                f"--rows needs {names}, each with the name of a column of the file"
                f"{_or_cases(family)}"
            )
        if asked.by and not row_lists(family, asked.columns):
            raise InputError(
                "--by is for cases, which --correct names, and for data that are lists; "
                f"a row of the data of {family.name} has an interval of its own"
            )
        return
    if asked.columns:
        raise InputError(
            f"expected the data from --correct alone, found {option_of(next(iter(asked.columns)))} "
            "too"
        )
    if not _takes_cases(family):
        raise InputError(
            f"--correct is for cases that are right or wrong, which {family.name} does not take"
        )
    columns = _answers(family)
    is_of_two = _compares(family) or (family.labels_clusters and columns == 2)
    hint = f"; {long_call(table, asked, command)}" if is_of_two else ""
    if len(asked.correct) != columns:
        raise InputError(
            f"{family.name} needs {columns} --correct, of the first and of the second, "
            f"found {len(asked.correct)}{hint}"
            if columns == 2
            else f"{family.name} takes one --correct, found {len(asked.correct)}"
        )
    in_clusters = family.groups_cases
    if (asked.cluster is not None) != in_clusters:
        if asked.cluster is None:
            raise InputError(
                f"{family.name} needs --cluster, the column that names the cluster of a case, "
                "beside --correct"
            )
        raise InputError(
            f"--cluster is for cases that come in clusters, which {family.name} does not take "
            "(clustered_proportion does)"
        )


def _validate_scores(family: Family, asked: FileQuestion, table: CsvTable) -> None:
    """Refuse columns of labels and scores that do not fit together, or to the family."""
    if not family.scores:
        raise InputError(
            f"--truth and --score are for scores, which {family.name} does not take (auc and "
            "auc_difference do); --positive is for them and for --correct"
        )
    others = [*map(option_of, asked.columns), *(["--correct"] if asked.correct else [])]
    others += ["--cluster"] if asked.cluster is not None else []
    if others:
        raise InputError(f"expected the data from --truth and --score alone, found {others[0]} too")
    if asked.truth is None or len(asked.score) != family.scores:
        labels = "no --truth" if asked.truth is None else "--truth"
        raise InputError(
            f"{family.name} needs --truth and {family.scores} --score, found {labels} and "
            f"{len(asked.score)} --score"
            + (
                f"; {long_call(table, asked, f'interval {family.public_name}')}"
                if len(asked.score) == 1 and _compares(family)
                else ""
            )
        )


def _or_cases(family: Family) -> str:
    """The end of a message that says how cases are read, where the family is made of them."""
    if family.scores:
        twice = " twice" if family.scores > 1 else ""
        return f"; or --truth, a column of two labels, and --score{twice}"
    if not _takes_cases(family):
        return ""
    also = " for each of both" if _answers(family) == 2 else ""
    also += " and --cluster" if family.groups_cases else ""
    also += " and --truth, one of labels" if family.labels_cases else ""
    by = " and --by, a column of two groups" if family.samples == 2 else ""
    return f"; or --correct, a column of 0 and 1{also}{by}"


def _compares(family: Family) -> bool:
    """Whether two systems are compared case by case."""
    return family.scores > 1 or (family.shares_size and family.as_pairs is None)


def _takes_cases(family: Family) -> bool:
    """Whether the data are counts of right cases."""
    return family.counts_cases or family.groups_cases or family.labels_cases


def _answers(family: Family) -> int:
    """The number of columns that say which cases are right: two of two systems."""
    return 2 if family.shares_size or (family.labels_clusters and len(family.data) == 3) else 1
