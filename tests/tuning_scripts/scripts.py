"""Tries `scripts/factorial` and `scripts/spsa` with an engine and a fastchess that are scripts too: who has more of `good` wins, `idle` does nothing.

    python3 tests/tuning_scripts/scripts.py
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts")

ENGINE = """#!/usr/bin/env python3
import os, sys
if sys.argv[1:] == ["bench", "8"]:
    print(os.environ.get("BENCH", "1000"), "nodes 5 nps")
else:
    for name in ("good", "idle"):
        print(f"option name {name} type spin default 50 min 0 max 100")
"""

# Counts its calls in a file beside it; from call number FAIL on, a game ends as FAULT says.
FASTCHESS = r"""#!/usr/bin/env python3
import os, sys
arguments = sys.argv[1:]
with open(os.path.join(os.path.dirname(__file__), "calls"), "a+") as calls:
    calls.write("x")
    calls.flush()
    number = calls.tell()
good, name = {}, None
for argument in arguments:
    key, _, value = argument.partition("=")
    if key == "name":
        name = value
    elif key == "option.good":
        good[name] = int(value)
    elif key == "file" and value.endswith("games.pgn"):
        pgn = value
better = good["first"] - good["second"]
with open(pgn, "w") as file:
    for _ in range(int(arguments[arguments.index("-rounds") + 1])):
        for white, black in (("first", "second"), ("second", "first")):
            ahead = better if white == "first" else -better
            result = "1-0" if ahead > 0 else "0-1" if ahead < 0 else "1/2-1/2"
            file.write(f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{result}\n\n')
if number >= int(os.environ.get("FAIL", "1000000")):
    print("Finished game 1 (first vs second): 0-1 {" + os.environ["FAULT"] + "}")
"""


class Tuning(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in (("engine", ENGINE), ("fastchess", FASTCHESS), ("openings.epd", "")):
            with open(self.path(name), "w") as file:
                file.write(text)
            os.chmod(self.path(name), 0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_script(self, name, *arguments, **environment):
        """Its exit status, output and errors."""
        settings = {**os.environ, "FASTCHESS": self.path("fastchess"), "OPENINGS": self.path("openings.epd"), **environment}
        command = [sys.executable, os.path.join(SCRIPTS, name), *arguments]
        run = subprocess.run(command, env=settings, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)
        self.assertNotIn("Traceback", run.stderr)
        return run.returncode, run.stdout, run.stderr

    def refused(self, expected, name, *arguments, **environment):
        status, _, errors = self.run_script(name, *arguments, **environment)
        self.assertNotEqual(status, 0)
        self.assertIn(expected, errors)

    def factorial(self, *arguments):
        return ("factorial", self.path("engine"), "-o", self.path("trial"), "--minutes", "0.05", *arguments)

    def test_a_trial_tells_what_helps_from_what_does_not(self):
        status, shown, errors = self.run_script(*self.factorial("good=20,80", "idle=80,20", "--minutes", "0.15"))
        self.assertEqual(status, 0, errors)
        effects = {name: (float(elo), float(error)) for elo, error, name in re.findall(r"([+-]\d+\.\d) \+- +(\d+\.\d) +(\w+):", shown)}
        # Who has more of `good` wins both games of a pair.
        self.assertGreater(effects["good"][0], 5 * effects["good"][1], shown)
        self.assertLess(abs(effects["idle"][0]), 3 * effects["idle"][1], shown)
        self.assertIn("good: 80 against 20", shown)
        self.assertIn("idle: 20 against 80", shown)

    def test_a_trial_goes_on_after_a_kill_with_its_own_search_and_values_alone(self):
        self.run_script(*self.factorial("good=20,80"))
        with open(self.path("trial"), "ab") as file:
            file.write(b'{"points": 1.')
        before = self.pairs()
        status, _, errors = self.run_script(*self.factorial("good=20,80", "idle=20,80"))
        self.assertEqual(status, 0, errors)
        self.assertIn("torn", errors)
        self.assertGreater(self.pairs(), before)
        self.refused("another search", *self.factorial("good=20,80"), BENCH="1001")
        self.refused("a trial at 6000 nodes", *self.factorial("good=20,80", "--nodes", "7000"))
        self.refused("good=20,80; name another file", *self.factorial("good=10,80"))
        self.refused("takes 0 to 100", *self.factorial("good=20,101"))
        self.refused("does not know best", *self.factorial("best=1,2"))

    def pairs(self):
        with open(self.path("trial"), "rb") as file:
            return file.read().count(b"\n")

    def test_a_game_that_does_not_end_by_play_ends_trial_and_tuning(self):
        for fault in ("first disconnects", "second loses on time", "first makes an illegal move", "first's connection stalls"):
            self.refused(fault, *self.factorial("good=20,80"), FAIL="1", FAULT=fault)
            self.assertEqual(self.pairs(), 0)
            self.refused(fault, *self.spsa("spsa", "good"), FAIL="1", FAULT=fault)

    def spsa(self, state, *names):
        return ("spsa", self.path("engine"), "-o", self.path(state), "--iterations", "30", "--pairs", "2", "--rate", "0.05", *names)

    def test_spsa_moves_what_helps_and_is_the_same_after_a_break(self):
        status, shown, errors = self.run_script(*self.spsa("whole", "all"))
        self.assertEqual(status, 0, errors)
        numbers = self.state("whole")["numbers"]
        self.assertGreater(numbers["good"]["value"], 60)
        self.assertGreater(numbers["good"]["value"] - 50, 2 * abs(numbers["idle"]["value"] - 50))
        self.assertRegex(shown, r"good +50 ")

        os.remove(self.path("calls"))
        self.refused("disconnects", *self.spsa("broken", "all"), FAIL="12", FAULT="first disconnects")
        self.assertEqual(self.state("broken")["done"], 11)
        self.refused("another search", *self.spsa("broken", "all"), BENCH="1001")
        self.refused("other numbers", *self.spsa("broken", "good"))
        status, _, errors = self.run_script(*self.spsa("broken"))
        self.assertEqual(status, 0, errors)
        self.assertEqual(self.state("broken"), self.state("whole"))

    def state(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)


if __name__ == "__main__":
    unittest.main()
