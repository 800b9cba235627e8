"""Tests of `scripts/results`: the figures of games, and that the check sees a figure that is not as measured.

    python3 tests/python/results_script.py

No test measures anything.
"""

import contextlib
import gzip
import importlib.machinery
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
GAME = '[White "{}"]\n[Black "{}"]\n[Result "{}"]\n[FEN "{}"]\n\n{}\n\n'


def script():
    """Returns the script as a module."""
    loader = importlib.machinery.SourceFileLoader("results", f"{ROOT}/scripts/results")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("results", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


class Results(unittest.TestCase):
    def test_games_count_in_pairs(self):
        games = [("new", "old", "1-0", "a"), ("old", "new", "1/2-1/2", "a"), ("new", "old", "0-1", "b"), ("old", "new", "1-0", "b")]
        games += [("new", "old", "*", "c"), ("old", "new", "0-1", "c")]
        with tempfile.NamedTemporaryFile("w", suffix=".pgn") as pgn:
            pgn.write("".join(GAME.format(*game, game[2]) for game in games))
            pgn.flush()
            figures = script().games_in(pgn.name)
        self.assertEqual(figures, {"won": 1, "lost": 2, "drawn": 1, "pairs": [1, 0, 0, 1, 0]})

    def test_elo_and_interval(self):
        percent, error = script().score({"pairs": [0, 10, 0, 10, 0]})
        self.assertEqual((round(percent, 3), round(error, 2)), (50.0, 11.24))
        self.assertEqual(script().elo({"pairs": [0, 0, 0, 10, 10]}), "+338 (+262 to +453)")

    def test_a_run_measures_what_is_not_of_this_version_and_machine(self):
        known = {"speed": (1, "this"), "parts": (2, "this"), "levels": (2, "other"), "schemes": (None, "this")}
        for names, saved in ([], ["speed", "levels"]), (["parts", "schemes"], ["schemes"]):
            results, found = script(), []
            # Each stage finds the figures that it had; only those of `schemes` name pages.
            figures = {name: {"pages": []} if name == "schemes" else {} for name in known}
            results.NEEDS = {}
            results.STAGES = {name: (lambda name=name: figures[name], "") for name in known}
            results.version = lambda: {"commit": "now", "bench": 2}
            results.machine = lambda: "this"
            results.data_of = lambda name: dict(zip(("bench", "machine"), known[name])) | {"figures": figures[name]}
            results.save = lambda stage, found=found, **data: found.append((stage, data["bench"]))
            results.write = lambda: None
            with contextlib.redirect_stdout(io.StringIO()) as said:
                results.run(names)
            measured = [line.split(":")[0] for line in said.getvalue().split("\n") if line.endswith(": ")]
            self.assertEqual(measured, names or saved)
            self.assertEqual(found, [(name, None if name == "schemes" else 2) for name in saved])

    def test_a_run_names_missing_programs_before_it_starts(self):
        results = script()
        results.NEEDS, results.MINUTES = {"speed": ("true", "no-such-engine")}, {"speed": 1, "parts": 3}
        with contextlib.redirect_stdout(io.StringIO()) as said, self.assertRaisesRegex(SystemExit, "not installed: no-such-engine"):
            results.plan(["speed", "parts"])
        self.assertIn("2 stages, about 4 minutes", said.getvalue())

    def test_kept_games_have_the_same_score(self):
        results = script()
        comment = "1. e4 {+0.30/11 0.022s} e5 {\n-0.31/11 0.03s} 1/2-1/2"
        games = [("new", "old", "1-0", "a"), ("old", "new", "1/2-1/2", "a")]
        with tempfile.TemporaryDirectory() as folder:
            results.GAMES, pgn = f"{folder}/kept", f"{folder}/games.pgn"
            with open(pgn, "w", encoding="utf-8") as file:
                file.write("".join('[Event "e"]\n' + GAME.format(*game, comment) for game in games))
            results.keep(pgn, "match")
            kept = f"{results.GAMES}/match.pgn.gz"
            self.assertEqual(results.games_in(kept), results.games_in(pgn))
            with gzip.open(kept, "rt") as file:
                text = file.read()
            self.assertNotIn("{", text)
            self.assertNotIn("Event", text)
            self.assertIn("1. e4 e5 1/2-1/2", text)

    def test_a_figure_that_was_not_measured_is_seen(self):
        models = "crates/table/tests/all/loom.rs"
        changes = [
            ("docs/results/strength.md", r"\| \*\*", "| **1", "differs from docs/results/data"),
            ("docs/results/data/gauntlet.json", r'"won": ', '"won": 1', "differs from docs/results/data"),
            ("docs/results/data/gauntlet.json", r'"bench": ', '"bench": 1', "figures of 2 versions"),
            ("docs/results/strength.md", r"32\.4 \+- 4\.7", "36.4 +- 4.7", "36.4 +- 4.7 is neither"),
            (models, r'\("shift, probe"', '("move, probe"', "lacks the loom model move, probe"),
            (models, r'\("shift, probe"', '("move, probe"', "has shift, probe, which no loom test runs"),
        ]
        for page, old, new, fault in changes:
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(f"{ROOT}/docs", f"{folder}/docs")
                for file in ("README.md", "scripts/results", models):
                    os.makedirs(os.path.dirname(f"{folder}/{file}"), exist_ok=True)
                    shutil.copy(f"{ROOT}/{file}", f"{folder}/{file}")
                subprocess.run(["git", "init", "--quiet", folder], check=True)
                check = [f"{folder}/scripts/results", "check"]
                self.assertNotIn(fault, subprocess.run(check, capture_output=True, text=True, check=False).stderr)
                with open(f"{folder}/{page}", encoding="utf-8") as file:
                    text = file.read()
                with open(f"{folder}/{page}", "w", encoding="utf-8") as file:
                    file.write(re.sub(old, new, text, count=1))
                run = subprocess.run(check, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 1)
                self.assertIn(fault, run.stderr)


if __name__ == "__main__":
    unittest.main()
