"""Tries the scripts that play matches with an engine and a fastchess that are scripts too. For `scripts/factorial` and `scripts/spsa` who has more of
`good` wins, and `idle` does nothing; for `scripts/match` and `scripts/calibrate-elo` what they ask of fastchess is written down.

    python3 tests/match_scripts/scripts.py
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

# Writes down what it is asked, a line a call.
SCRIBE = r"""#!/usr/bin/env python3
import json, os, sys
with open(os.path.join(os.path.dirname(__file__), "asked"), "a") as asked:
    print(json.dumps(sys.argv[1:]), file=asked)
print("Results of a vs b (60+1):\nElo: 12.34 +/- 5.67, nElo: 1.00 +/- 2.00\nGames: 40, Wins: 1")
"""


class Folder(unittest.TestCase):
    """A folder with an engine, openings and the class's fastchess."""

    fastchess = FASTCHESS

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in (("engine", ENGINE), ("fastchess", self.fastchess), ("openings.epd", "")):
            with open(self.path(name), "w") as file:
                file.write(text)
            os.chmod(self.path(name), 0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_script(self, name, *arguments, **environment):
        """Its exit status, output and errors."""
        settings = {**os.environ, "FASTCHESS": self.path("fastchess"), "OPENINGS": self.path("openings.epd"), **environment}
        command = [os.path.join(SCRIPTS, name), *arguments]
        run = subprocess.run(command, env=settings, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300)
        self.assertNotIn("Traceback", run.stderr)
        return run.returncode, run.stdout, run.stderr

    def refused(self, expected, name, *arguments, **environment):
        status, _, errors = self.run_script(name, *arguments, **environment)
        self.assertNotEqual(status, 0)
        self.assertIn(expected, errors)


class Matches(Folder):
    fastchess = SCRIBE

    def asked(self):
        """What fastchess was asked last: a list of words for each of its options, in order."""
        with open(self.path("asked"), encoding="utf-8") as file:
            words = json.loads(file.readlines()[-1])
        options = []
        for word in words:
            if re.match(r"-[a-z]", word):
                options.append([])
            options[-1].append(word)
        return options

    def play(self, *arguments, **environment):
        status, _, errors = self.run_script("match", *arguments, PGN=self.path("games.pgn"), **environment)
        self.assertEqual(status, 0, errors)
        return self.asked()

    def test_a_match_is_of_two_sides_with_what_each_was_given(self):
        engine = self.path("engine")
        asked = self.play("games", "199", engine, engine, "2+0.02", SEED="7", THREADS="2", OLD_THREADS="", CONCURRENCY="3", HASH="8", ADJUDICATE="40",
                          NEW_OPTIONS="option.good=1", OLD_OPTIONS="option.Use NNUE=false;option.idle=2")  # fmt: skip
        self.assertIn(["-engine", f"cmd={engine}", "name=new", "option.Threads=2", "option.good=1"], asked)
        self.assertIn(["-engine", f"cmd={engine}", "name=old", "option.Use NNUE=false", "option.idle=2"], asked)
        self.assertIn(["-each", "tc=2+0.02", "option.Hash=8"], asked)
        # Each opening with both colours.
        self.assertIn(["-rounds", "100"], asked)
        self.assertIn(["-games", "2"], asked)
        for expected in (["-srand", "7"], ["-concurrency", "3"], ["-resign", "movecount=4", "score=600", "twosided=true"]):
            self.assertIn(expected, asked)
        self.assertIn(["-draw", "movenumber=40", "movecount=8", "score=10"], asked)

    def test_what_is_not_said_has_its_default(self):
        engine = self.path("engine")
        asked = self.play("sprt", engine, engine)
        self.assertIn(["-each", "tc=5+0.05", "option.Hash=16"], asked)
        self.assertIn(["-sprt", "elo0=0", "elo1=5", "alpha=0.05", "beta=0.05"], asked)
        self.assertEqual([words[-1] for words in asked if words[0] == "-engine"], ["option.Threads=1"] * 2)
        self.assertNotIn("-draw", [words[0] for words in asked])
        asked = self.play("sprt", engine, engine, "nodes=6000", SPRT="elo0=-5 elo1=0")
        self.assertIn(["-each", "tc=inf", "nodes=6000", "option.Hash=16"], asked)
        self.assertIn(["-sprt", "elo0=-5", "elo1=0", "alpha=0.05", "beta=0.05"], asked)
        asked = self.play("games", "2", engine, engine, "st=0.1")
        self.assertIn(["-each", "st=0.1", "option.Hash=16"], asked)

    def test_what_cannot_be_played_is_refused_and_leaves_nothing_behind(self):
        engine = self.path("engine")
        match = ("match", "games", "2", engine, engine)
        self.refused("THREADS=two", *match, THREADS="two")
        self.refused("SEED=-1", *match, SEED="-1")
        self.refused("a positive number of games", "match", "games", "0", engine, engine)
        self.refused("two engines are wanted", *match[:-1])
        self.refused("no engine", "match", "games", "2", engine, self.path("nobody"))
        self.refused("no fastchess", *match, FASTCHESS=self.path("nothing"))
        self.refused("no openings", *match, OPENINGS=self.path("nothing.epd"))
        for limit in ("5+", "nodes=0", "0", "fast"):
            self.refused("a limit is", *match, limit, PGN=self.path("games.pgn"))
        self.assertFalse(os.path.exists(self.path("asked")))
        self.assertFalse(os.path.exists(self.path("games.pgn")))

    def test_a_rung_is_calibrated_against_its_level_and_told_in_a_table(self):
        out = self.path("out")
        status, shown, errors = self.run_script("calibrate-elo", "levels", self.path("engine"), "41", RUNGS="1920", OUT=out)
        self.assertEqual(status, 0, errors)
        asked = self.asked()
        limited = ["option.UCI_LimitStrength=true", "option.UCI_Elo=1920", "tc=60+1"]
        self.assertIn(["-engine", f"cmd={self.path('engine')}", "name=sesame-1920", *limited], asked)
        level = ["name=stockfish-level-4", "option.Skill Level=4", "tc=inf", "nodes=6000"]
        self.assertIn(["-engine", "cmd=stockfish", *level], asked)
        self.assertIn(["-rounds", "21"], asked)
        with open(self.path("asked"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1, "other rungs were not asked for")
        status, shown, errors = self.run_script("calibrate-elo", "table", OUT=out)
        self.assertEqual(status, 0, errors)
        self.assertIn("| 1920-stockfish-level-4 | 40 | 12.34 +/- 5.67 |", shown)


class Tuning(Folder):
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
        with open(self.path("trial"), encoding="utf-8") as file:
            numbers = [json.loads(line)["number"] for line in file]
        self.assertEqual(len(numbers), len(set(numbers)), "no pair is played twice")
        self.refused("another search", *self.factorial("good=20,80"), BENCH="1001")
        self.refused("a trial at 6000 nodes", *self.factorial("good=20,80", "--nodes", "7000"))
        self.refused("good=20,80; name another file", *self.factorial("good=10,80"))
        self.refused("takes 0 to 100", *self.factorial("good=20,101"))
        self.refused("does not know best", *self.factorial("best=1,2"))

    def test_what_is_tried_depends_on_seed_and_number_alone(self):
        tried = []
        for seed, jobs in (("7", "1"), ("7", "2"), ("11", "2")):
            self.run_script(*self.factorial("good=20,80", "idle=20,80", "--seed", seed, "--jobs", jobs))
            with open(self.path("trial"), encoding="utf-8") as file:
                lines = {line["number"]: line["high"] for line in map(json.loads, file)}
            tried.append(lines)
            os.remove(self.path("trial"))
        once, again, otherwise = tried
        both = once.keys() & again.keys()
        self.assertIn(1, both)
        self.assertEqual([once[number] for number in both], [again[number] for number in both])
        self.assertNotEqual(once[1], otherwise[1])

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
