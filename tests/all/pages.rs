//! The code in the pages.

const GUIDE: &str = include_str!("../../docs/users/replace-your-table.md");
const EXAMPLE: &str = include_str!("../../crates/table/examples/custom_scheme.rs");

#[test]
fn an_example_compiles_the_code_of_the_guide() {
    let blocks: Vec<&str> =
        GUIDE.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 2);
    for block in blocks {
        let code = block.lines().skip_while(|line| line.starts_with("use ")).collect::<Vec<_>>().join("\n");
        assert!(EXAMPLE.contains(code.trim()), "the example has not this code:\n{code}");
    }
}
