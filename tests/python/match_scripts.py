"""Tests of the scripts that play matches, with scripts in place of the engine and fastchess. For `scripts/spsa` the side
with more of `good` wins, and `idle` has no effect. For `scripts/match` the arguments of fastchess are recorded.

    python3 tests/python/match_scripts.py

No test depends on how fast the machine is.
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
    for line in sys.stdin:
        if line.strip() == "isready" and "MUTE" not in os.environ:
            print("readyok")
        if line.strip() == "setoption name Eval File value /my net=1.nnue":
            print("info string /my net=1.nnue: No such file; the evaluation stays as it was")
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

# Records its arguments, a line for each call.
RECORDER = r"""#!/usr/bin/env python3
import json, os, sys
with open(os.path.join(os.path.dirname(__file__), "recorded"), "a") as recorded:
    print(json.dumps(sys.argv[1:]), file=recorded)
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
        """Returns exit status, output and errors."""
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
    fastchess = RECORDER

    def recorded(self):
        """The last arguments of fastchess: a list of words for each of its options, in order."""
        with open(self.path("recorded"), encoding="utf-8") as file:
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
        return self.recorded()

    def test_each_side_gets_its_options(self):
        engine = self.path("engine")
        words = self.play("games", "199", engine, engine, "2+0.02", OLD_LIMIT="nodes=9", SEED="7", THREADS="2", OLD_THREADS="", CONCURRENCY="3", HASH="8", ADJUDICATE="40",
                          NEW_OPTIONS="option.good=1", OLD_OPTIONS="option.Use NNUE=false;option.idle=2")  # fmt: skip
        self.assertIn(["-engine", f"cmd={engine}", "name=new", "tc=2+0.02", "option.Hash=8", "option.Threads=2", "option.good=1"], words)
        self.assertIn(["-engine", f"cmd={engine}", "name=old", "tc=inf", "nodes=9", "option.Hash=8", "option.Use NNUE=false", "option.idle=2"], words)
        # Each opening with both colours.
        self.assertIn(["-rounds", "100"], words)
        self.assertIn(["-games", "2"], words)
        for expected in (["-srand", "7"], ["-concurrency", "3"], ["-resign", "movecount=4", "score=600", "twosided=true"]):
            self.assertIn(expected, words)
        self.assertIn(["-draw", "movenumber=40", "movecount=8", "score=10"], words)

    def test_defaults(self):
        engine = self.path("engine")
        words = self.play("sprt", engine, engine)
        both = lambda words: {tuple(part[3:]) for part in words if part[0] == "-engine"}
        self.assertEqual(both(words), {("tc=5+0.05", "option.Hash=16", "option.Threads=1")})
        self.assertIn(["-sprt", "elo0=0", "elo1=5", "alpha=0.05", "beta=0.05"], words)
        self.assertNotIn("-draw", [part[0] for part in words])
        words = self.play("sprt", engine, engine, "nodes=6000", SPRT="elo0=-5 elo1=0")
        self.assertEqual(both(words), {("tc=inf", "nodes=6000", "option.Hash=16", "option.Threads=1")})
        self.assertIn(["-sprt", "elo0=-5", "elo1=0", "alpha=0.05", "beta=0.05"], words)
        words = self.play("games", "2", engine, engine, "st=0.1")
        self.assertEqual(both(words), {("st=0.1", "option.Hash=16", "option.Threads=1")})

    def test_wrong_arguments_are_refused(self):
        engine = self.path("engine")
        match = ("match", "games", "2", engine, engine)
        self.refused("THREADS=two", *match, THREADS="two")
        self.refused("SEED=-1", *match, SEED="-1")
        self.refused("a positive number of games", "match", "games", "0", engine, engine)
        self.refused("two engines are wanted", *match[:-1])
        self.refused("no engine", "match", "games", "2", engine, self.path("nobody"))
        self.refused("no fastchess", *match, FASTCHESS=self.path("nothing"))
        self.refused("no openings", *match, OPENINGS=self.path("nothing.epd"))
        missing = "option.good=1;option.Eval File=/my net=1.nnue"
        for side in ("NEW_OPTIONS", "OLD_OPTIONS"):
            self.refused(f"{engine} does not accept its options:\ninfo string /my net=1.nnue: No such", *match, **{side: missing})
        self.refused(f"{engine} does not answer isready", *match, MUTE="1")
        for limit in ("5+", "nodes=0", "0", "fast"):
            self.refused("a limit is", *match, limit, PGN=self.path("games.pgn"))
        self.assertFalse(os.path.exists(self.path("recorded")))
        self.assertFalse(os.path.exists(self.path("games.pgn")))


class Tuning(Folder):
    def test_faulty_game_ends_tuning(self):
        for fault in ("first disconnects", "second loses on time", "first makes an illegal move", "first's connection stalls"):
            self.refused(fault, *self.spsa("spsa", "good"), FAIL="1", FAULT=fault)

    def spsa(self, state, *names):
        return ("spsa", self.path("engine"), "-o", self.path(state), "--iterations", "30", "--pairs", "2", "--rate", "0.05", *names)

    def test_spsa_moves_the_effective_option_and_resumes(self):
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
