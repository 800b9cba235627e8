"""Sesame under python-chess, as bots and analysis tools drive it.

    python3 tests/python/uci_client.py target/release/sesame

Needs the module `chess` (pip install chess). python-chess checks each line that the engine writes: a move that is illegal in its
position, an option that was not declared or an answer out of turn is an error of its own. It logs at level DEBUG; a warning, such as
of a line that it cannot parse, or a line on the engine's standard error fails the run, and so does a complaint of the engine. Ends
with code 0 and a line for each part, or with a traceback. No part depends on how fast the machine is.
"""

import logging
import os
import sys
import tempfile

import chess
import chess.engine

MATE_IN_TWO = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/syzygy")

# The messages of the engine that are no complaints.
EXPECTED_MESSAGES = ("saved ", "loaded ", "Syzygy tables: ")


class Log(logging.Handler):
    """Keeps the warnings of python-chess and the messages of the engine."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.lines, self.warnings, self.messages = 0, [], []

    def emit(self, record):
        text = record.getMessage()
        self.lines += 1
        if record.levelno >= logging.WARNING:
            self.warnings.append(text)
        _, is_message, message = text.partition(">> info string ")
        if is_message:
            self.messages.append(message)

    def complaints(self):
        return [text for text in self.messages if not text.startswith(EXPECTED_MESSAGES)]


def check(fact, *shown):
    """Unlike `assert`, also with -O."""
    if not fact:
        raise AssertionError(" ".join(str(what) for what in shown))


def first_moves(infos):
    return [info["pv"][0].uci() for info in infos]


def options(engine):
    names = {name.lower() for name in engine.options}
    wanted = "Hash Threads MultiPV Ponder Move_Overhead SyzygyPath UCI_ShowWDL UCI_LimitStrength UCI_Elo UCI_AnalyseMode UCI_Chess960"
    for name in wanted.split():
        check(name.replace("_Overhead", " overhead").lower() in names, name, "is not declared")
    # The options that lichess-bot sets before a game.
    engine.configure({"Hash": 32, "Threads": 2, "Move Overhead": 100, "UCI_ShowWDL": True})
    check(engine.options["Hash"].min == 1, "the range of Hash")
    engine.ping()


def analysis(engine):
    info = engine.analyse(chess.Board(), chess.engine.Limit(depth=10))
    for field in "depth seldepth score nodes nps hashfull tbhits time pv wdl".split():
        check(field in info, field, "is missing in", info)
    check(info["wdl"].relative.total() == 1000, info["wdl"])
    info = engine.analyse(chess.Board(MATE_IN_TWO), chess.engine.Limit(mate=2))
    check(info["score"].relative == chess.engine.Mate(2), info["score"])
    check(info["wdl"].relative.wins == 1000, info["wdl"])
    # An analysis without end, stopped from here.
    with engine.analysis(chess.Board()) as stream:
        for info in stream:
            if info.get("depth", 0) >= 8 and "pv" in info:
                break
    check(stream.wait().move in chess.Board().legal_moves, "no move after an analysis")
    # Stopped at once.
    stream = engine.analysis(chess.Board(), multipv=3)
    stream.stop()
    check(stream.wait().move in chess.Board().legal_moves, "no move after a stop at once")


def finished_games(engine):
    """Mated and stalemated: a score, no move, no error."""
    limits = [chess.engine.Limit(depth=3), chess.engine.Limit(nodes=1000), chess.engine.Limit(time=0.05), chess.engine.Limit(mate=2)]
    for fen, score in ((MATED, chess.engine.Mate(0)), (STALEMATED, chess.engine.Cp(0))):
        board = chess.Board(fen)
        for limit in limits:
            check(engine.play(board, limit).move is None, fen, limit)
            info = engine.analyse(board, limit)
            check(info["score"].relative == score and not info.get("pv"), fen, limit, info)
            infos = engine.analyse(board, limit, multipv=3)
            check(len(infos) == 1 and infos[0]["score"].relative == score, fen, limit, infos)
        stream = engine.analysis(board)
        check(stream.get()["score"].relative == score, fen)
        stream.stop()
        check(stream.wait().move is None, fen)


def limits(engine):
    engine.configure({"Threads": 1})
    board = chess.Board()
    each = [chess.engine.Limit(depth=7), chess.engine.Limit(nodes=20000), chess.engine.Limit(time=0.05), chess.engine.Limit(time=0)]
    for lines in (1, 3):
        for limit in each:
            infos = engine.analyse(board, limit, multipv=lines)
            check(len(infos) <= lines and all(info["pv"][0] in board.legal_moves for info in infos), limit, infos)
            check(limit.depth is None or infos[0]["depth"] == 7 and len(infos) == lines, limit, infos)
            check(limit.nodes is None or 0 < infos[0]["nodes"] <= 20000, limit, infos)
            check(engine.play(board, limit).move in board.legal_moves, limit)
    clock = chess.engine.Limit(white_clock=0.2, black_clock=0.2, white_inc=0.01, black_inc=0.01, remaining_moves=5)
    check(engine.play(board, clock).move in board.legal_moves, clock)


def multipv(engine):
    board = chess.Board()
    infos = engine.analyse(board, chess.engine.Limit(depth=6), multipv=4)
    check(len(set(first_moves(infos))) == 4, first_moves(infos))
    scores = [info["score"].relative.score(mate_score=100000) for info in infos]
    check(scores == sorted(scores, reverse=True), scores)
    infos = engine.analyse(board, chess.engine.Limit(depth=2), multipv=250)
    check(len(infos) == 20, len(infos), "lines for 20 moves")


def searchmoves(engine):
    board = chess.Board()
    moves = [chess.Move.from_uci(text) for text in ("a2a3", "h2h4", "g1h3")]
    result = engine.play(board, chess.engine.Limit(depth=6), root_moves=moves)
    check(result.move in moves, result.move)
    infos = engine.analyse(board, chess.engine.Limit(depth=5), multipv=5, root_moves=moves)
    check(sorted(first_moves(infos)) == ["a2a3", "g1h3", "h2h4"], first_moves(infos))


def whole_game(engine):
    board, game = chess.Board(), object()
    while not board.is_game_over(claim_draw=True) and board.ply() < 500:
        result = engine.play(board, chess.engine.Limit(nodes=500), game=game, info=chess.engine.INFO_ALL)
        check(result.move in board.legal_moves and result.info["pv"][0] == result.move, board.fen(), result)
        board.push(result.move)
    check(board.is_game_over(claim_draw=True), board.fen())


def every_option(engine):
    """Sets each option, first to another value, then to its default."""
    kinds = {option.type for option in engine.options.values()}
    check(kinds == {"spin", "check", "combo", "button", "string"}, kinds)
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        texts = {"SyzygyPath": TABLES, "Debug Log File": log, "Hash File": os.path.join(folder, "hash")}
        options = [option for option in engine.options.values() if not option.is_managed()]
        others, defaults = {}, {}
        for option in options:
            if option.type == "spin":
                others[option.name] = option.min if option.default != option.min else min(option.min + 1, option.max)
            elif option.type == "check":
                others[option.name] = not option.default
            elif option.type == "combo":
                others[option.name] = next(value for value in option.var if value != option.default)
            elif option.name in texts:
                others[option.name] = texts[option.name]
            if option.type != "button":
                defaults[option.name] = option.default
        presses = {option.name: None for option in options if option.type == "button"}
        for values in (others, presses, defaults):
            engine.configure(values)
            check(engine.play(chess.Board(), chess.engine.Limit(depth=3)).move in chess.Board().legal_moves, values)
        check(os.path.getsize(log) > 0, "no line in the debug log")


def clocks(engine):
    """A game with clocks and pondering: python-chess sends `ponderhit` for the expected reply and `stop` for another.

    The nodes end each search long before the clock, so that an expected reply never depends on the machine.
    """
    board = chess.Board()
    game, replies, hits = object(), 0, 0
    limit = chess.engine.Limit(white_clock=3600.0, black_clock=3600.0, white_inc=1.0, black_inc=1.0, nodes=5000)
    while not board.is_game_over(claim_draw=True) and board.ply() < 60:
        result = engine.play(board, limit, game=game, ponder=True, info=chess.engine.INFO_ALL)
        check(result.move in board.legal_moves, result.move, board.fen())
        board.push(result.move)
        if board.is_game_over(claim_draw=True):
            break
        # Two of three replies are the expected ones.
        reply = result.ponder if replies % 3 else None
        if reply not in board.legal_moves:
            reply = min(board.legal_moves, key=lambda move: move.uci())
        hits += reply == result.ponder
        replies += 1
        board.push(reply)
    check(replies > 5 and hits > 0, replies, "replies,", hits, "as expected")


def chess960(engine):
    for number in (0, 404, 518, 959):
        board = chess.Board.from_chess960_pos(number)
        game = object()
        while not board.is_game_over() and board.ply() < 30:
            board.push(engine.play(board, chess.engine.Limit(nodes=2000), game=game).move)
    # A castling move that swaps king and rook.
    board = chess.Board("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True)
    castling = chess.Move.from_uci("f1g1")
    check(castling in board.legal_moves)
    check(engine.play(board, chess.engine.Limit(depth=3), root_moves=[castling]).move == castling)
    # Back to standard chess.
    check(engine.play(chess.Board(), chess.engine.Limit(depth=3)).move in chess.Board().legal_moves)


def limited_strength(engine):
    engine.configure({"UCI_LimitStrength": True, "UCI_Elo": 1400})
    board = chess.Board()
    result = engine.play(board, chess.engine.Limit(time=0.1), info=chess.engine.INFO_ALL)
    check(result.move in board.legal_moves and result.info["nodes"] <= 2600, result)
    # python-chess sets UCI_AnalyseMode for an analysis, which lifts the limit.
    # The last line belongs to the last complete iteration, far before the node limit at times.
    info = engine.analyse(board, chess.engine.Limit(nodes=60000))
    check(info["nodes"] > 2000, info["nodes"])
    engine.configure({"UCI_LimitStrength": False})


def main():
    log = Log()
    logging.getLogger().addHandler(log)
    logging.getLogger().setLevel(logging.DEBUG)
    parts = (options, analysis, finished_games, limits, multipv, searchmoves, clocks, whole_game, chess960, limited_strength, every_option)
    with chess.engine.SimpleEngine.popen_uci(sys.argv[1:2], timeout=60.0) as engine:
        for part in parts:
            part(engine)
            check(not log.warnings, log.warnings)
            check(not log.complaints(), log.complaints())
            print(f"{part.__name__}: well", flush=True)
    check(log.lines > 1000, log.lines, "lines of the log")
    check(not log.warnings and not log.complaints(), log.warnings, log.complaints())
    print(f"all is well under python-chess {chess.__version__}, no warning in {log.lines} lines of its log")


if __name__ == "__main__":
    main()
