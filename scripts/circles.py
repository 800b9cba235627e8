"""Finds circles between the Rust files of a module or crate.

A file uses another if a path in it leads to an item that the other file declares: `use super::x::Item`, `crate::m::item()`, `child::Item`. A path
through a re-export leads to the file that declares the item. `mod child;` and a re-export alone are no uses. Unit tests do not count: files
and modules behind `#[cfg(test)]`.

Limits: calls of methods are not seen, because no path names their file. A type does not count in a file that has an inherent `impl` of it,
because such a file continues the type's own. So a circle through either is not found.
"""

import glob
import os
import re

# A comment, a string, a character.
BLANKED = re.compile(r"""//[^\n]*|b?r(\#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])'""", re.S)
TEST_ITEM = re.compile(r"#\[cfg\((?:all\(|any\()?(?:test|loom)\b[^\]]*\](?:\s*#\[[^\]]*\])*[^;{]*[;{]")
USE = re.compile(r"\b(pub(?:\s*\([^)]*\))?\s+)?use\s+([^;]+);")
MODULE = re.compile(r"\bmod\s+(\w+)\s*\{")
ITEM = re.compile(r"\b(?:fn|struct|enum|trait|type|const|static|union|macro_rules!)\s+(?:mut\s+)?(\w+)")
INHERENT = re.compile(r"\bimpl\s*(?:<[^{;]*?>\s*)?(\w+)\b(?![^{;]*\bfor\b)[^{;]*\{")
PATH = re.compile(r"(?<![\w:])(?:[A-Za-z_]\w*\s*::\s*)+\w+")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def without_comments(text):
    """Returns the code with blanks in the place of comments, strings and characters."""
    return BLANKED.sub(blank, text)


def closing(code, place):
    """Returns the place of the brace that closes the one at `place`."""
    depth = 0
    for brace in re.compile(r"[{}]").finditer(code, place):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(code)


def flat(tree, prefix=()):
    """Yields the paths of a `use` with the names that they get: of `a::{self, b as c}` (a, a) and (a::b, c)."""
    tree = tree.strip()
    path, brace, rest = tree.partition("{")
    if brace:
        prefix += tuple(re.findall(r"\w+", path))
        depth, start = 0, 0
        inner = rest[: rest.rindex("}")] + ","
        for place, sign in enumerate(inner):
            depth += (sign == "{") - (sign == "}")
            if sign == "," and depth == 0:
                if inner[start:place].strip():
                    yield from flat(inner[start:place], prefix)
                start = place + 1
        return
    path, _, alias = tree.partition(" as ")
    path = prefix + tuple(re.findall(r"\w+|\*", path))
    if len(path) > 1 and path[-1] == "self":
        path = path[:-1]
    yield path, alias.strip() or path[-1]


class Source:
    """One file: its module, its code without tests, what it declares and imports."""

    def __init__(self, path, module):
        self.path, self.module = path, module
        with open(path, encoding="utf-8") as file:
            code = without_comments(file.read())
        self.tests = set()
        while match := TEST_ITEM.search(code):
            self.tests.update(re.findall(r"\bmod\s+(\w+)\s*;", match[0]))
            end = match.end() if match[0].endswith(";") else closing(code, match.end() - 1) + 1
            code = code[: match.start()] + re.sub(r"[^\n]", " ", code[match.start() : end]) + code[end:]
        self.inline = [(match.start(), closing(code, match.end() - 1), match[1]) for match in MODULE.finditer(code)]
        # Each import: the module that has it, the path, its name there, whether it is a re-export, the place.
        self.imports = []
        for match in USE.finditer(code):
            for path, name in flat(match[2]):
                self.imports.append((self.module_at(match.start()), path, name, bool(match[1]), match.start()))
        self.code = re.sub(r"\bpub\s*\([^)]*\)", blank, USE.sub(blank, code))

    def module_at(self, place):
        return self.module + tuple(name for start, end, name in self.inline if start < place < end)

    def line(self, place):
        return self.code.count("\n", 0, place) + 1


class Crate:
    """All files of a crate, and a resolver of paths."""

    def __init__(self, folder, name):
        self.name, self.sources, self.file_of, self.items, self.imports = name, [], {}, {}, {}
        for path in sorted(glob.glob(f"{folder}/**/*.rs", recursive=True)):
            parts = path[len(folder) + 1 : -3].split("/")
            module = tuple(parts[:-1] if parts[-1] in ("mod", "lib") else parts)
            self.sources.append(Source(path, module))
        tests = {source.module + (name,) for source in self.sources for name in source.tests}
        is_test = lambda module: any(module[:length] in tests or module[length - 1] == "tests" for length in range(1, len(module) + 1))
        self.sources = [source for source in self.sources if not is_test(source.module)]
        for source in self.sources:
            for module in {source.module, *(source.module_at(start + 1) for start, _, _ in source.inline)}:
                self.file_of[module] = source.path
            for match in ITEM.finditer(source.code):
                self.items.setdefault(source.module_at(match.start()), set()).add(match[1])
            for module, path, name, _, _ in source.imports:
                self.imports.setdefault(module, []).append((path, name))

    def first(self, module, path, seen):
        """Returns the module in which the rest of a path begins, and that rest; or a file. `None` for other crates."""
        if path[0] in ("crate", self.name):
            return (), path[1:]
        if path[0] == "self":
            return module, path[1:]
        if path[0] == "super":
            while path and path[0] == "super":
                module, path = module[:-1], path[1:]
            return module, path
        if module + path[:1] in self.file_of:
            return module + path[:1], path[1:]
        target = self.imported(module, path[0], seen)
        return (target, path[1:]) if target is not None else None

    def imported(self, module, name, seen):
        """Returns what a name imported by a module stands for: a module or a file."""
        for path, alias in self.imports.get(module, []):
            if alias == name and path != (name,):
                return self.resolve(module, path, seen)
        for path, alias in self.imports.get(module, []):
            if alias == "*" and (target := self.resolve(module, path[:-1], seen)) is not None and not isinstance(target, str):
                if (found := self.declared(target, name, seen)) is not None:
                    return found
        return None

    def declared(self, module, name, seen):
        """Returns what a name in a module stands for."""
        if module + (name,) in self.file_of:
            return module + (name,)
        if (found := self.imported(module, name, seen)) is not None:
            return found
        return self.file_of.get(module) if name in self.items.get(module, ()) else None

    def resolve(self, module, path, seen=frozenset()):
        """Returns the module or the file of a path; `None` for other crates and what is not understood."""
        if (module, path) in seen or not path:
            return None
        seen = seen | {(module, path)}
        begin = self.first(module, path, seen)
        if begin is None:
            return None
        target, rest = begin
        for name in rest:
            if isinstance(target, str) or name == "*":
                break
            found = self.declared(target, name, seen)
            if found is None:
                # The item of another crate, or one that a macro of this file declares.
                return None if name in {alias for _, alias in self.imports.get(target, [])} else self.file_of.get(target)
            target = found
        return target

    def uses(self, source):
        """Yields the files that a file uses, with the place and the path."""
        continued = set(INHERENT.findall(source.code))
        for module, path, name, is_public, place in source.imports:
            target = self.resolve(module, path)
            if name in continued:
                continue
            if path[-1] == "*" and not is_public and (scope := self.resolve(module, path[:-1])) is not None and not isinstance(scope, str):
                for word in set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", source.code)):
                    if isinstance(found := self.declared(scope, word, frozenset()), str):
                        yield found, place, f"{'::'.join(path)}: {word}"
            elif isinstance(target, str):
                if is_public:
                    call = "" if name[0].isupper() else r"\s*(?:\(|::)"
                    used = re.search(rf"(?<![\w:.])(?<!fn ){name}\b{call}", source.code)
                    if used is None:
                        continue
                    place = used.start()
                yield target, place, "::".join(path)
        for match in PATH.finditer(source.code):
            path = tuple(re.findall(r"\w+", match[0]))
            if path[0] not in continued and isinstance(target := self.resolve(source.module_at(match.start()), path), str):
                yield target, match.start(), "::".join(path)


def shortest(graph, start, end):
    """Returns the shortest way from one node to another, both included; `None` if there is none."""
    ways, seen = [[start]], {start}
    for way in ways:
        if way[-1] == end:
            return way
        for following in sorted(graph.get(way[-1], {})):
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return None


def circles():
    """Returns circles below the current folder, each as a list of uses `(file, line, path, file used)`. Of the circles that share a use the
    shortest is enough."""
    found, ways = [], []
    for folder, name in [("src", "sesame"), *((folder, f"sesame_{folder.split('/')[1]}") for folder in sorted(glob.glob("crates/*/src")))]:
        crate, graph = Crate(folder, name), {}
        for source in crate.sources:
            for target, place, path in crate.uses(source):
                # The drawing has the uses between the modules of src/.
                if target != source.path and (folder != "src" or module_of(source.path) == module_of(target)):
                    graph.setdefault(source.path, {}).setdefault(target, (source.line(place), path))
        ways += [(graph, [start, *way]) for start in graph for end in graph[start] if (way := shortest(graph, end, start))]
    known = set()
    for graph, way in sorted(ways, key=lambda way: (len(way[1]), way[1])):
        steps = list(zip(way, way[1:]))
        if known.isdisjoint(steps):
            known.update(steps)
            found.append([(upper, *graph[upper][lower], lower) for upper, lower in steps])
    return found


def module_of(path):
    """Returns the module of src/ that a file belongs to."""
    return path.removesuffix(".rs").split("/")[1]


def show(uses):
    """Returns a circle as one line."""
    folder = os.path.commonpath([os.path.dirname(start) for start, *_ in uses])
    steps = [f"{os.path.relpath(start, folder)}:{line} ({path})" for start, line, path, _ in uses]
    return f"{folder}: a circle: {' -> '.join(steps)} -> {os.path.relpath(uses[0][0], folder)}"
