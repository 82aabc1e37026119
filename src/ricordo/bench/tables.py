"""Reports for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

COLUMNS = ("n", "recall_at_1", "recall_at_5", "recall_at_10", "mrr", "p50_ms", "p95_ms")


def show(report: Mapping[str, Any]) -> None:
    """Print a report on stdout."""
    console = Console()
    console.print(_quality(report) if "suite" in report and "baselines" in report else _plain(report))
    for name in ("supersession", "abstention"):
        if name in report:
            said = ", ".join(f"{key} {value}" for key, value in report[name].items() if key != "parts")
            console.print(f"{name}: {said}")


def _quality(report: Mapping[str, Any]) -> Table:
    table = Table(title=f"{report['suite']}, {report['records']} records")
    table.add_column("")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    _row(table, "ricordo", report)
    for name, part in report["parts"].items():
        _row(table, f"  {name}", part)
    for name, part in report["by_category"].items():
        _row(table, f"  {name} {part['name']}" if name != part["name"] else f"  {name}", part)
    for name, baseline in report["baselines"].items():
        _row(table, name, baseline)
    return table


def _row(table: Table, name: str, values: Mapping[str, Any]) -> None:
    table.add_row(name, *(str(values.get(column, "")) for column in COLUMNS))


def _plain(report: Mapping[str, Any]) -> Table:
    table = Table(title=str(report.get("suite", "")))
    table.add_column("measure")
    table.add_column("value", justify="right")
    for name, value in _flat(report):
        table.add_row(name, value)
    return table


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in values.items():
        if isinstance(value, Mapping):
            rows += _flat(value, f"{prefix}{name}.")
        else:
            rows.append((f"{prefix}{name}", str(value)))
    return rows
