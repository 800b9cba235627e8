//! The code in the pages.

const GUIDE: &str = include_str!("../../docs/users/replace-your-table.md");
const EXAMPLE: &str = include_str!("../../crates/table/examples/custom_scheme.rs");

fn imports(code: &str) -> Vec<&str> {
    let lists = code.lines().filter_map(|line| line.strip_prefix("use sesame_table::{")?.strip_suffix("};"));
    lists.flat_map(|list| list.split(", ")).collect()
}

#[test]
fn an_example_compiles_the_code_of_the_guide() {
    let blocks: Vec<&str> =
        GUIDE.split("```rust,ignore\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 2);
    let imported = imports(EXAMPLE);
    assert!(imports(GUIDE).iter().all(|name| imported.contains(name)) && imports(GUIDE).contains(&"Rule"));
    for block in blocks {
        let code = block.lines().skip_while(|line| line.starts_with("use ")).collect::<Vec<_>>().join("\n");
        assert!(EXAMPLE.contains(code.trim()), "the example has not this code:\n{code}");
    }
}
