"""Tests of the scripts that play matches, with scripts in place of the engine and fastchess. For `scripts/factorial` and `scripts/spsa` the side
with more of `good` wins, and `idle` has no effect. For `scripts/match` and `scripts/calibrate-elo` the arguments of fastchess are recorded.

    python3 tests/python/match_scripts.py

No test depends on how fast the machine is.
"""

import json
import os
import re
import runpy
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

# Records its arguments, a line for each call.
RECORDER = r"""#!/usr/bin/env python3
import json, os, sys
with open(os.path.join(os.path.dirname(__file__), "recorded"), "a") as recorded:
    print(json.dumps(sys.argv[1:]), file=recorded)
print("Results of a vs b (60+1):\nElo: 12.34 +/- 5.67, nElo: 1.00 +/- 2.00\nGames: 40, Wins: 1")
"""


# A UCI engine that judges a position by White's queens, and evaluates it by a third of that; with a file "poor" by their square, which knows no black ones.
JUDGE = r"""#!/usr/bin/env python3
import sys
fen, name, score = "", "embedded", 0
for line in sys.stdin:
    words = line.split()
    if words[:3] == ["setoption", "name", "EvalFile"]:
        if words[4].endswith("absent"):
            print("info string absent: No such file; the evaluation stays as it was")
        name = "poor"
    elif words[:2] == ["position", "fen"]:
        fen = words[2]
        score = 100 * (fen.count("Q") - fen.count("q"))
        black = words[3] == "b"
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["go"]:
        print("info depth 1 score cp 9999")
        print("info depth 2 score cp", -score if black else score)
        print("info depth 3 score cp 9999 lowerbound")
        print("bestmove a1a2", flush=True)
    elif words == ["eval"]:
        value = score / 300 if name == "embedded" else (score / 100) ** 2 / 3
        print(f"Evaluation: {value:+.2f} pawns for White (network {name})")
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

    def run_script(self, name, *arguments, input=None, **environment):
        """Returns exit status, output and errors."""
        settings = {**os.environ, "FASTCHESS": self.path("fastchess"), "OPENINGS": self.path("openings.epd"), **environment}
        command = [os.path.join(SCRIPTS, name), *arguments]
        run = subprocess.run(command, env=settings, cwd=self.folder, capture_output=True, text=True, check=False, timeout=300, input=input)
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
        words = self.play("games", "199", engine, engine, "2+0.02", SEED="7", THREADS="2", OLD_THREADS="", CONCURRENCY="3", HASH="8", ADJUDICATE="40",
                          NEW_OPTIONS="option.good=1", OLD_OPTIONS="option.Use NNUE=false;option.idle=2")  # fmt: skip
        self.assertIn(["-engine", f"cmd={engine}", "name=new", "option.Threads=2", "option.good=1"], words)
        self.assertIn(["-engine", f"cmd={engine}", "name=old", "option.Use NNUE=false", "option.idle=2"], words)
        self.assertIn(["-each", "tc=2+0.02", "option.Hash=8"], words)
        # Each opening with both colours.
        self.assertIn(["-rounds", "100"], words)
        self.assertIn(["-games", "2"], words)
        for expected in (["-srand", "7"], ["-concurrency", "3"], ["-resign", "movecount=4", "score=600", "twosided=true"]):
            self.assertIn(expected, words)
        self.assertIn(["-draw", "movenumber=40", "movecount=8", "score=10"], words)

    def test_defaults(self):
        engine = self.path("engine")
        words = self.play("sprt", engine, engine)
        self.assertIn(["-each", "tc=5+0.05", "option.Hash=16"], words)
        self.assertIn(["-sprt", "elo0=0", "elo1=5", "alpha=0.05", "beta=0.05"], words)
        self.assertEqual([part[-1] for part in words if part[0] == "-engine"], ["option.Threads=1"] * 2)
        self.assertNotIn("-draw", [part[0] for part in words])
        words = self.play("sprt", engine, engine, "nodes=6000", SPRT="elo0=-5 elo1=0")
        self.assertIn(["-each", "tc=inf", "nodes=6000", "option.Hash=16"], words)
        self.assertIn(["-sprt", "elo0=-5", "elo1=0", "alpha=0.05", "beta=0.05"], words)
        words = self.play("games", "2", engine, engine, "st=0.1")
        self.assertIn(["-each", "st=0.1", "option.Hash=16"], words)

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
        for limit in ("5+", "nodes=0", "0", "fast"):
            self.refused("a limit is", *match, limit, PGN=self.path("games.pgn"))
        self.assertFalse(os.path.exists(self.path("recorded")))
        self.assertFalse(os.path.exists(self.path("games.pgn")))

    def test_calibration_plays_the_level_and_shows_a_table(self):
        out = self.path("out")
        status, shown, errors = self.run_script("calibrate-elo", "levels", self.path("engine"), "41", RUNGS="1920", OUT=out)
        self.assertEqual(status, 0, errors)
        words = self.recorded()
        limited = ["option.UCI_LimitStrength=true", "option.UCI_Elo=1920", "tc=60+1"]
        self.assertIn(["-engine", f"cmd={self.path('engine')}", "name=sesame-1920", *limited], words)
        level = ["name=stockfish-level-4", "option.Skill Level=4", "tc=inf", "nodes=6000"]
        self.assertIn(["-engine", "cmd=stockfish", *level], words)
        self.assertIn(["-rounds", "21"], words)
        with open(self.path("recorded"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1, "only the chosen rung is played")
        status, shown, errors = self.run_script("calibrate-elo", "table", OUT=out)
        self.assertEqual(status, 0, errors)
        self.assertIn("| 1920-stockfish-level-4 | 40 | 12.34 +/- 5.67 |", shown)


class Tuning(Folder):
    def factorial(self, *arguments):
        return ("factorial", self.path("engine"), "-o", self.path("trial"), "--pairs", "12", *arguments)

    def test_trial_finds_the_effective_option(self):
        status, shown, errors = self.run_script(*self.factorial("good=20,80", "idle=80,20", "--pairs", "100"))
        self.assertEqual(status, 0, errors)
        effects = {name: (float(elo), float(error)) for elo, error, name in re.findall(r"([+-]\d+\.\d) \+- +(\d+\.\d) +(\w+):", shown)}
        # The side with more of `good` wins both games of a pair.
        self.assertGreater(effects["good"][0], 5 * effects["good"][1], shown)
        self.assertLess(abs(effects["idle"][0]), 3 * effects["idle"][1], shown)
        self.assertIn("good: 80 against 20", shown)
        self.assertIn("idle: 20 against 80", shown)

    def test_trial_resumes_with_the_same_search_and_values_only(self):
        self.run_script(*self.factorial("good=20,80"))
        self.assertEqual(self.pairs(), 12)
        with open(self.path("trial"), "ab") as file:
            file.write(b'{"points": 1.')
        status, _, errors = self.run_script(*self.factorial("good=20,80", "idle=20,80"))
        self.assertEqual(status, 0, errors)
        self.assertIn("torn", errors)
        self.assertEqual(self.pairs(), 24)
        with open(self.path("trial"), encoding="utf-8") as file:
            numbers = [json.loads(line)["number"] for line in file]
        self.assertEqual(len(numbers), len(set(numbers)), "no pair is played twice")
        self.refused("another search", *self.factorial("good=20,80"), BENCH="1001")
        self.refused("a trial at 6000 nodes", *self.factorial("good=20,80", "--nodes", "7000"))
        self.refused("good=20,80; name another file", *self.factorial("good=10,80"))
        self.refused("takes 0 to 100", *self.factorial("good=20,101"))
        self.refused("does not know best", *self.factorial("best=1,2"))

    def test_pairs_depend_on_seed_and_number_only(self):
        tried = []
        for seed, jobs in (("7", "1"), ("7", "2"), ("11", "2")):
            self.run_script(*self.factorial("good=20,80", "idle=20,80", "--seed", seed, "--jobs", jobs))
            with open(self.path("trial"), encoding="utf-8") as file:
                lines = {line["number"]: line["high"] for line in map(json.loads, file)}
            tried.append(lines)
            os.remove(self.path("trial"))
        once, again, otherwise = tried
        self.assertEqual(sorted(once), list(range(1, 13)))
        self.assertEqual(once, again)
        self.assertNotEqual(once, otherwise)

    def pairs(self):
        with open(self.path("trial"), "rb") as file:
            return file.read().count(b"\n")

    def test_faulty_game_ends_trial_and_tuning(self):
        for fault in ("first disconnects", "second loses on time", "first makes an illegal move", "first's connection stalls"):
            self.refused(fault, *self.factorial("good=20,80"), FAIL="1", FAULT=fault)
            self.assertEqual(self.pairs(), 0)
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


class NetworkErrors(Folder):
    POSITIONS = (
        "QPPP4/8/8/8/8/8/8/4K2k w - - 0 1 | 50 | 1.0\n"
        "qPPP4/8/8/8/8/8/8/4K2k b - - 0 1 | -50 | 0.0\n"
        "PPPP4/8/8/8/8/8/8/4K2k w - - 0 1 | 0 | 0.5\n"
        # A decided position, one of few pieces, and no position.
        "QPPP4/8/8/8/8/8/8/4K2k b - - 0 1 | 701 | 1.0\n"
        "Q7/8/8/8/8/8/8/4K2k w - - 0 1 | 5 | 1.0\n"
        "a message\n"
    )

    def setUp(self):
        super().setUp()
        with open(self.path("judge"), "w", encoding="utf-8") as file:
            file.write(JUDGE)
        os.chmod(self.path("judge"), 0o755)

    def script(self):
        """Returns the functions of the script."""
        sys.path.insert(0, SCRIPTS)
        self.addCleanup(sys.path.remove, SCRIPTS)
        return runpy.run_path(os.path.join(SCRIPTS, "network-error"))

    def judged(self, name, count="9000"):
        command = [sys.executable, os.path.join(SCRIPTS, "network-error"), "judge", "--engine", self.path("judge"), "--count", count, "-o", self.path(name)]
        subprocess.run(command, input=self.POSITIONS, text=True, check=True)
        with open(self.path(name), encoding="utf-8") as file:
            return file.read().splitlines()[1:]

    def test_positions_are_judged_for_white_and_resumed(self):
        judged = self.judged("judged")
        self.assertEqual(sorted(line.split(" | ")[1] for line in judged), ["-100", "0", "100"])
        self.assertEqual(self.judged("resumed", "2"), judged[:2])
        with open(self.path("resumed"), "a", encoding="utf-8") as file:
            file.write("PPPP4/8/8 | 1")
        self.assertEqual(self.judged("resumed"), judged, "after a kill in the middle of a line")
        with open(self.path("resumed"), encoding="utf-8") as file:
            lines = file.readlines()
        with open(self.path("other"), "w", encoding="utf-8") as file:
            file.writelines([lines[0], lines[2], lines[1]])
        self.refused("judged otherwise", "network-error", "judge", "--engine", self.path("judge"), "-o", self.path("other"), input=self.POSITIONS)
        self.refused("No such file", "network-error", "judge", "--engine", self.path("absent"), "-o", self.path("new"), input=self.POSITIONS)

    def test_the_better_network_has_the_smaller_error(self):
        self.judged("judged")
        command = ("network-error", "compare", self.path("judged"), "poor", "embedded", "--sesame", self.path("judge"), "--by-pieces")
        status, shown, errors = self.run_script(*command)
        self.assertEqual(status, 0, errors)
        rows = shown.splitlines()
        self.assertEqual(rows[0], "3 positions")
        self.assertRegex(rows[1], r"\+0\.00 \+- 0\.00 %.*poor \(poor\); with tempo [+-]\d+ \+0\.00 \+- 0\.00 %$")
        self.assertRegex(rows[2], r" -\d+\.\d+ \+- .*embedded \(embedded\)")
        self.assertRegex(rows[3], r"labels")
        # Six pieces each: the only bucket has the errors of all.
        self.assertEqual(rows[5].split(), ["pieces", "positions", "poor", "embedded", "labels"])
        self.assertEqual(rows[6].split(), ["6-9", "3", *(row.split()[0] for row in rows[1:4])])
        self.assertEqual(len(rows), 7)

    def test_tempo_is_found(self):
        script = self.script()
        scores = [-300, -20, 0, 150, 40, 90]
        sides = "wbwbwb"
        favoured = [score + (12 if side == "w" else -12) for score, side in zip(scores, sides)]
        judged = [(f"8/8 {side} - - 0 1", script["expected"](score, 150), 0) for score, side in zip(favoured, sides)]
        tempo, errors = script["errors_with_tempo"](scores, 150, judged)
        self.assertEqual((tempo, round(sum(errors), 12)), (12, 0))

    def test_labels_are_blended_within_their_game(self):
        script = self.script()
        with open(self.path("shown"), "w", encoding="utf-8") as file:
            file.write(
                "a w - - 0 10 | 0 | 1.0\n"
                # Three plies later in the same game.
                "b b - - 0 11 | 100 | 1.0\n"
                # Two games more: another result, then a ply that is not later.
                "c w - - 0 20 | 0 | 0.5\n"
                "d w - - 0 20 | 0 | 0.5\n"
            )
        games = script["games_of"](self.path("shown"))
        self.assertEqual([[fen[0] for fen, *_ in game] for game in games], [["a", "b"], ["c"], ["d"]])
        (last, last_labels), (first, first_labels) = script["labels_of"](games[0], 100)
        own, later = 0.5, script["expected"](100, 100)
        self.assertEqual((first[0], last[0], script["LAMBDAS"][2]), ("a", "b", 0.8))
        self.assertAlmostEqual(last_labels[2], 0.2 * later + 0.8 * 1.0)
        self.assertAlmostEqual(first_labels[2], (1 - 0.8**3) * own + 0.8**3 * last_labels[2])
        self.assertEqual([labels[-1] for labels in (first_labels, last_labels)], [1.0, 1.0])
        self.assertEqual([labels[0] for labels in (first_labels, last_labels)], [own, later])

    def test_labels_show_a_share_of_the_errors(self):
        # Games of one position each. The scores are the engine's; the results agree with the network, which takes every position for good.
        positions = ("QPPP4/8/8/8/8/8/8/4K2k w", "qPPP4/8/8/8/8/8/8/4K2k w", "QQPP4/8/8/8/8/8/8/4K2k w", "qqPP4/8/8/8/8/8/8/4K2k w")
        engine = {fen: 100 * (fen.count("Q") - fen.count("q")) for fen in positions}
        with open(self.path("judged"), "w", encoding="utf-8") as judged, open(self.path("shown"), "w", encoding="utf-8") as shown:
            for clock in range(60):
                for fen, score in engine.items():
                    print(f"{fen} - - {clock} 1 | {score} | {score}", file=judged)
                    print(f"{fen} - - {clock} 1 | {score} | 1.0", file=shown)
        command = ("network-error", "labels", self.path("judged"), self.path("shown"), "poor", "--sesame", self.path("judge"))
        status, shown, errors = self.run_script(*command)
        self.assertEqual(status, 0, errors)
        head, row = shown.splitlines()
        self.assertEqual(head.split(), ["pieces", "positions", "error", "0.0", "0.5", "0.8", "0.9", "0.95", "0.98", "result"])
        shares = [float(share) for share in re.findall(r"(-?\d+\.\d+) \+-", row)]
        self.assertEqual(len(shares), 7)
        self.assertAlmostEqual(shares[0], 1, delta=0.02)
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertAlmostEqual(shares[-1], 0, delta=0.02)
        for content, message in (("", "has 0 of the 240 judged"), ("a | b | c\n", "data show")):
            with open(self.path("shown"), "w", encoding="utf-8") as file:
                file.write(content)
            self.refused(message, *command)

    def test_wrong_files_are_refused(self):
        for content, message in (("", "no positions"), ("a | b\n", "line 1"), ("# x\na | b | c\n", "line 2")):
            with open(self.path("wrong"), "w", encoding="utf-8") as file:
                file.write(content)
            status, _, errors = self.run_script("network-error", "compare", self.path("wrong"), "embedded", "--sesame", self.path("judge"))
            self.assertNotEqual(status, 0)
            self.assertIn(message, errors)
        self.refused("nothing", "network-error", "compare", self.path("nothing"), "embedded", "--sesame", self.path("judge"))
        self.judged("judged")
        self.refused("stays as it was", "network-error", "compare", self.path("judged"), "absent", "--sesame", self.path("judge"))


if __name__ == "__main__":
    unittest.main()
