//! A page of Markdown as self-contained HTML with inline pictures.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

const STYLE: &str = include_str!("style.css");

/// Inlines `pictures`: SVG by file name.
pub fn page(title: &str, markdown: &str, pictures: &BTreeMap<String, String>) -> String {
    let mut is_alternative_text = false;
    let inlined = |event| {
        if let Event::Start(Tag::Image { dest_url, .. }) = &event
            && let Some(svg) = pictures.get(dest_url.as_ref())
        {
            is_alternative_text = true;
            return Some(Event::InlineHtml(svg.as_str().into()));
        }
        let is_skipped = is_alternative_text;
        is_alternative_text &= !matches!(event, Event::End(TagEnd::Image));
        (!is_skipped).then_some(event)
    };
    let mut body = String::new();
    pulldown_cmark::html::push_html(&mut body, Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(inlined));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_inlined() {
        let markdown = "# A & B\n\n[x](x.csv)\n\n![`p`](p.svg) ![q](q.svg)\n\n| t |\n| --- |\n| 1 |\n";
        let pictures = BTreeMap::from([("p.svg".to_owned(), "<svg>P</svg>".to_owned())]);
        let page = page("T", markdown, &pictures);
        for wanted in [
            "<title>T</title>",
            "<h1>A &amp; B</h1>",
            "<a href=\"x.csv\">x</a>",
            "<p><svg>P</svg> <img src=\"q.svg\" alt=\"q\" /></p>",
            "<table>",
        ] {
            assert!(page.contains(wanted), "{wanted} not in\n{page}");
        }
    }
}
