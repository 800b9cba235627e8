"""Tests of `scripts/circles.py`: which uses between files make a circle.

    python3 tests/python/circles_script.py
"""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "../../scripts")))
import circles


def found(**files):
    """Returns the circles of files in src/m, each as the names of its files."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/src/m")
        for name, text in files.items():
            with open(f"{folder}/src/m/{name}.rs", "w", encoding="utf-8") as file:
                file.write(text)
        before = os.getcwd()
        os.chdir(folder)
        try:
            return [[os.path.basename(use[0])[:-3] for use in circle] for circle in circles.circles()]
        finally:
            os.chdir(before)


class Circles(unittest.TestCase):
    def test_a_circle_is_found_however_the_path_is_written(self):
        to_a = ["use super::a::A;", "use crate::m::{b, a::{A as C}};", "use super::A;", "use super::*; fn f(_: A) {}", "fn f(_: super::a::A) {}", "use super::a; fn f(_: a::A) {}"]
        for use in to_a:
            circle = found(mod="mod a; mod b; pub use a::A;", a="use super::b::B; pub struct A;", b=f"{use} pub struct B;")
            self.assertEqual(circle, [["a", "b"]], use)
        longer = found(mod="", a="use super::b::B;", b="use super::c::C; pub struct B;", c="fn f() { crate::m::a::run() } pub struct C;")
        self.assertEqual(longer, [["a", "b", "c"]])

    def test_a_parent_counts_with_what_it_declares_and_uses(self):
        self.assertEqual(found(mod="mod a; pub struct M; fn f() { a::run() }", a="use super::M;"), [["a", "mod"]])
        self.assertEqual(found(mod="mod a; pub use a::A; pub struct M(A);", a="use super::M; pub struct A;"), [["a", "mod"]])
        self.assertEqual(found(mod="mod a; pub use a::A; pub struct M;", a="use super::M; pub struct A;"), [])
        self.assertEqual(found(mod="mod a; use std::io::Error; fn f() { a::run() }", a="use super::Error;"), [])

    def test_tests_comments_and_continued_types_do_not_count(self):
        for a in ["#[cfg(test)] mod tests { use super::super::b::B; }", "/// As [`super::b::B`].", "#[cfg(test)] use super::b::B;", "const B: &str = \"super::b::B\";"]:
            self.assertEqual(found(mod="", a=f"{a} pub struct A;", b="use super::a::A; pub struct B;"), [], a)
        self.assertEqual(found(mod="", a="use super::b::B; pub struct A;", b="use super::a::A; pub struct B; impl A { }"), [])
        self.assertEqual(found(mod="#[cfg(test)] mod c;", c="use super::d::D;", d="use super::c::run;"), [])


if __name__ == "__main__":
    unittest.main()
