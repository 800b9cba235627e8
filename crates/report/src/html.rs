//! Several pages of Markdown as one self-contained HTML page with inline pictures.

use std::collections::BTreeMap;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

/// Light or dark as in the reader's system; wide tables scroll on their own.
const STYLE: &str = include_str!("style.css");

pub struct Part<'a> {
    /// Target of links from other parts.
    pub file: &'a str,
    pub markdown: &'a str,
}

/// `pictures` has SVG by file name, to be inlined.
pub fn page(title: &str, parts: &[Part], pictures: &BTreeMap<String, String>) -> String {
    let files: Vec<&str> = parts.iter().map(|part| part.file).collect();
    let mut body = String::new();
    for (number, part) in parts.iter().enumerate() {
        // Anchors of all parts but the first begin with the name of their file.
        let prefix = if number == 0 { String::new() } else { format!("{}-", anchor(part.file)) };
        body.push_str(&format!("<article id=\"{}\">\n", anchor(part.file)));
        let events = Converter { prefix, files: &files, pictures }.convert(part.markdown);
        pulldown_cmark::html::push_html(&mut body, events.into_iter());
        body.push_str("</article>\n");
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// As on GitHub: lower-case letters, digits and hyphens.
pub fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

pub fn pictures_of(markdown: &str) -> Vec<String> {
    let image = |event| match event {
        Event::Start(Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    Parser::new_ext(markdown, Options::ENABLE_TABLES).filter_map(image).collect()
}

/// From the first heading.
pub fn title_of(markdown: &str) -> Option<String> {
    let mut events = Parser::new(markdown).skip_while(|event| !matches!(event, Event::Start(Tag::Heading { .. })));
    events.next()?;
    Some(text(events.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))))))
}

fn anchor(file: &str) -> String {
    slug(file.trim_end_matches(".md"))
}

fn text<'a>(events: impl Iterator<Item = Event<'a>>) -> String {
    let text = |event| match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        _ => None,
    };
    events.filter_map(text).map(CowStr::into_string).collect()
}

struct Converter<'a> {
    prefix: String,
    files: &'a [&'a str],
    pictures: &'a BTreeMap<String, String>,
}

impl Converter<'_> {
    /// Adds anchors to headings, inlines pictures, and links within the HTML page.
    fn convert<'m>(&self, markdown: &'m str) -> Vec<Event<'m>> {
        let events: Vec<Event> =
            Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).collect();
        let mut converted = Vec::with_capacity(events.len());
        let mut place = 0;
        while let Some(event) = events.get(place) {
            place += 1;
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let rest = events.iter().skip(place).cloned();
                    let heading = text(rest.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_)))));
                    let id = format!("{}{}", self.prefix, slug(&heading));
                    converted.push(Event::Html(format!("<{level} id=\"{id}\">").into()));
                }
                Event::End(TagEnd::Heading(level)) => converted.push(Event::Html(format!("</{level}>\n").into())),
                Event::Start(Tag::Image { dest_url, .. }) if self.pictures.contains_key(dest_url.as_ref()) => {
                    let svg = self.pictures.get(dest_url.as_ref()).map_or("", |svg| svg.as_str());
                    converted.push(Event::InlineHtml(svg.to_owned().into()));
                    // The alternative text follows, up to the end of the image.
                    place += events
                        .iter()
                        .skip(place)
                        .take_while(|event| !matches!(event, Event::End(TagEnd::Image)))
                        .count()
                        + 1;
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id }) => converted.push(Event::Start(Tag::Link {
                    link_type: *link_type,
                    dest_url: self.link(dest_url).into(),
                    title: title.clone(),
                    id: id.clone(),
                })),
                Event::Start(Tag::Table(_)) => {
                    converted.extend([Event::Html("<div class=\"wide\">".into()), event.clone()])
                }
                Event::End(TagEnd::Table) => converted.extend([event.clone(), Event::Html("</div>\n".into())]),
                _ => converted.push(event.clone()),
            }
        }
        converted
    }

    /// Targets among the parts become anchors of the HTML page.
    fn link(&self, target: &str) -> String {
        let (file, heading) = target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
        match (file, heading) {
            ("", Some(heading)) => format!("#{}{heading}", self.prefix),
            (file, heading) if self.files.contains(&file) => match heading {
                Some(heading) if self.files.first() != Some(&file) => format!("#{}-{heading}", anchor(file)),
                Some(heading) => format!("#{heading}"),
                None => format!("#{}", anchor(file)),
            },
            _ => target.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        assert_eq!(slug("Statement 19: stamps' edge"), "statement-19-stamps-edge");
        assert_eq!(slug("How to read the numbers"), "how-to-read-the-numbers");
        assert_eq!(title_of("text\n\n# The `seeds` say\n\n## No"), Some("The seeds say".to_owned()));
    }

    #[test]
    fn parts_link_to_each_other() {
        let parts = [
            Part {
                file: "README.md",
                markdown: "# A & B\n\n[x](#a--b) [y](seeds.md) [z](other.md)\n\n![p](p.svg) ![q](q.svg)",
            },
            Part { file: "seeds.md", markdown: "# A\n\n[x](#a) [y](README.md#a--b)\n\n| t |\n| --- |\n| 1 |\n" },
        ];
        let pictures = BTreeMap::from([("p.svg".to_owned(), "<svg>P</svg>".to_owned())]);
        let page = page("T", &parts, &pictures);
        for wanted in [
            "<title>T</title>",
            "<h1 id=\"a--b\">A &amp; B</h1>",
            "href=\"#a--b\">x",
            "href=\"#seeds\">y",
            "href=\"other.md\">z",
            "<p><svg>P</svg> <img src=\"q.svg\"",
            "<article id=\"seeds\">",
            "<h1 id=\"seeds-a\">A</h1>",
            "href=\"#seeds-a\">x",
            "<div class=\"wide\"><table>",
        ] {
            assert!(page.contains(wanted), "{wanted} not in\n{page}");
        }
    }
}
