//! A Markdown body as a tree of a closed list of names, for pages that make nodes of it: no markup of a document
//! reaches them as markup.
//!
//! Raw HTML is text, an image is its alternative text, and a link has an address only where that is harmless.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use chant_base::visible::visible_char;

/// Elements and texts that a tree has at most.
pub const MAX_NODES: usize = 2_000;
/// Levels of elements that a tree has at most; deeper ones are their contents alone.
pub const DEEPEST: usize = 24;
/// Bytes of a body that are looked at.
const MAX_BYTES: usize = 256 * 1024;

/// The names of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkdownName {
    /// A paragraph.
    Paragraph,
    /// A heading of a level from 1 to 6.
    Heading(HeadingLevel),
    /// A list without numbers.
    List,
    /// A list with numbers.
    NumberedList,
    /// An item of a list.
    Item,
    /// An item whose box is ticked.
    DoneTask,
    /// An item whose box is open.
    OpenTask,
    /// Emphasised words.
    Emphasis,
    /// Important words.
    Strong,
    /// Words that are struck out.
    Deleted,
    /// Code within a line.
    Code,
    /// Lines of code.
    CodeBlock,
    /// A quotation.
    Quote,
    /// A table.
    Table,
    /// A row of a table.
    Row,
    /// A cell at the head of a table.
    HeadCell,
    /// A cell of a table.
    Cell,
    /// A line across the page.
    Rule,
    /// A line break.
    Break,
    /// A link, with its address.
    Link,
}

impl MarkdownName {
    /// Its word in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paragraph => "p",
            Self::Heading(HeadingLevel::H1) => "h1",
            Self::Heading(HeadingLevel::H2) => "h2",
            Self::Heading(HeadingLevel::H3) => "h3",
            Self::Heading(HeadingLevel::H4) => "h4",
            Self::Heading(HeadingLevel::H5) => "h5",
            Self::Heading(HeadingLevel::H6) => "h6",
            Self::List => "ul",
            Self::NumberedList => "ol",
            Self::Item => "li",
            Self::DoneTask => "task_done",
            Self::OpenTask => "task_open",
            Self::Emphasis => "em",
            Self::Strong => "strong",
            Self::Deleted => "del",
            Self::Code => "code",
            Self::CodeBlock => "pre",
            Self::Quote => "quote",
            Self::Table => "table",
            Self::Row => "tr",
            Self::HeadCell => "th",
            Self::Cell => "td",
            Self::Rule => "hr",
            Self::Break => "br",
            Self::Link => "a",
        }
    }
}

/// A text, or an element with what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkdownNode {
    /// A text.
    Text(String),
    /// An element.
    Element {
        /// Its name.
        name: MarkdownName,
        /// The address of a link.
        address: Option<String>,
        /// Its contents.
        children: Vec<MarkdownNode>,
    },
}

impl MarkdownNode {
    /// As answers have it: a text, or a list of the name, the address of a link, and the contents.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Element {
                name,
                address,
                children,
            } => {
                let mut list = vec![json!(name.as_str())];
                list.extend(address.iter().map(|address| json!(address)));
                list.extend(children.iter().map(Self::to_value));
                Value::Array(list)
            }
        }
    }
}

/// A body as a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkdownTree {
    /// Its blocks.
    pub nodes: Vec<MarkdownNode>,
    /// True if something is missing, because the body is longer or deeper than a tree may be.
    pub is_cut: bool,
}

impl MarkdownTree {
    /// Reads a body.
    pub fn read(body: &str) -> Self {
        let mut end = body.len().min(MAX_BYTES);
        while !body.is_char_boundary(end) {
            end -= 1;
        }
        let mut builder = TreeBuilder::new();
        builder.is_cut = end < body.len();
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        for event in Parser::new_ext(&body[..end], options) {
            if builder.count >= MAX_NODES {
                builder.is_cut = true;
                break;
            }
            builder.take(event);
        }
        builder.finish()
    }
}

/// An element that is still open; `None` for one that is not shown, but its contents are.
struct OpenElement {
    name: Option<MarkdownName>,
    address: Option<String>,
    children: Vec<MarkdownNode>,
}

struct TreeBuilder {
    /// The open elements, the innermost last; the first stands for the whole body.
    open: Vec<OpenElement>,
    /// The number of elements that start deeper than a tree may be, and are still open.
    too_deep: usize,
    count: usize,
    in_head: bool,
    is_cut: bool,
}

impl TreeBuilder {
    fn new() -> Self {
        Self {
            open: vec![OpenElement {
                name: None,
                address: None,
                children: Vec::new(),
            }],
            too_deep: 0,
            count: 0,
            in_head: false,
            is_cut: false,
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text),
            Event::Code(text) => {
                self.push(MarkdownName::Code, None);
                self.text(&text);
                self.pop();
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.empty(MarkdownName::Break),
            Event::Rule => self.empty(MarkdownName::Rule),
            Event::TaskListMarker(is_done) => self.mark_task(is_done),
        }
    }

    fn begin(&mut self, tag: Tag<'_>) {
        let (name, address) = match tag {
            Tag::Paragraph | Tag::HtmlBlock => (Some(MarkdownName::Paragraph), None),
            Tag::Heading { level, .. } => (Some(MarkdownName::Heading(level)), None),
            Tag::BlockQuote(_) => (Some(MarkdownName::Quote), None),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                (Some(MarkdownName::CodeBlock), None)
            }
            Tag::List(Some(_)) => (Some(MarkdownName::NumberedList), None),
            Tag::List(None) => (Some(MarkdownName::List), None),
            Tag::Item => (Some(MarkdownName::Item), None),
            Tag::Table(_) => (Some(MarkdownName::Table), None),
            Tag::TableHead => {
                self.in_head = true;
                (Some(MarkdownName::Row), None)
            }
            Tag::TableRow => (Some(MarkdownName::Row), None),
            Tag::TableCell if self.in_head => (Some(MarkdownName::HeadCell), None),
            Tag::TableCell => (Some(MarkdownName::Cell), None),
            Tag::Emphasis | Tag::Image { .. } => (Some(MarkdownName::Emphasis), None),
            Tag::Strong => (Some(MarkdownName::Strong), None),
            Tag::Strikethrough => (Some(MarkdownName::Deleted), None),
            Tag::Link {
                link_type,
                dest_url,
                ..
            } => match harmless_address(link_type, &dest_url) {
                Some(address) => (Some(MarkdownName::Link), Some(address)),
                None => (None, None),
            },
            // None of these is read with the options above.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => (None, None),
        };
        match name {
            Some(name) => self.push(name, address),
            None => self.open_element(None, None),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::TableHead {
            self.in_head = false;
        }
        self.pop();
    }

    fn push(&mut self, name: MarkdownName, address: Option<String>) {
        self.count += 1;
        self.open_element(Some(name), address);
    }

    fn open_element(&mut self, name: Option<MarkdownName>, address: Option<String>) {
        if self.open.len() > DEEPEST {
            self.too_deep += 1;
            self.is_cut = true;
            return;
        }
        self.open.push(OpenElement {
            name,
            address,
            children: Vec::new(),
        });
    }

    fn pop(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if self.open.len() > 1
            && let Some(done) = self.open.pop()
        {
            self.close(done);
        }
    }

    /// Puts an element that is complete into the one around it.
    fn close(&mut self, done: OpenElement) {
        let Some(around) = self.open.last_mut() else {
            return;
        };
        match done.name {
            Some(name) => around.children.push(MarkdownNode::Element {
                name,
                address: done.address,
                children: done.children,
            }),
            None => done.children.into_iter().for_each(|child| {
                if let (MarkdownNode::Text(text), Some(MarkdownNode::Text(before))) =
                    (&child, around.children.last_mut())
                {
                    before.push_str(text);
                } else {
                    around.children.push(child);
                }
            }),
        }
    }

    fn empty(&mut self, name: MarkdownName) {
        self.push(name, None);
        self.pop();
    }

    fn text(&mut self, text: &str) {
        let shown = text.chars().filter(|c| *c != '\r').map(|c| match c {
            '\n' | '\t' => c,
            c => visible_char(c),
        });
        let Some(around) = self.open.last_mut() else {
            return;
        };
        if let Some(MarkdownNode::Text(before)) = around.children.last_mut() {
            before.extend(shown);
        } else {
            self.count += 1;
            around.children.push(MarkdownNode::Text(shown.collect()));
        }
    }

    /// Makes a task of the item that is open.
    fn mark_task(&mut self, is_done: bool) {
        let mut open = self.open.iter_mut().rev();
        if let Some(item) = open.find(|one| one.name == Some(MarkdownName::Item)) {
            item.name = Some(if is_done {
                MarkdownName::DoneTask
            } else {
                MarkdownName::OpenTask
            });
        }
    }

    fn finish(mut self) -> MarkdownTree {
        while self.open.len() > 1 {
            let Some(done) = self.open.pop() else { break };
            self.close(done);
        }
        let body = self.open.pop();
        MarkdownTree {
            nodes: body.map(|body| body.children).unwrap_or_default(),
            is_cut: self.is_cut,
        }
    }
}

/// Returns the address of a link where following it can do no harm: another page, a letter, or an item here.
fn harmless_address(kind: LinkType, address: &str) -> Option<String> {
    if address.chars().any(|c| visible_char(c) != c) {
        return None;
    }
    if kind == LinkType::Email {
        return Some(format!("mailto:{address}"));
    }
    if address.starts_with("#item/") {
        return Some(address.to_owned());
    }
    let (scheme, _) = address.split_once(':')?;
    let scheme = scheme.to_ascii_lowercase();
    ["http", "https", "mailto"]
        .contains(&&*scheme)
        .then(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: &Value) {
        let tree = MarkdownTree::read(body);
        let nodes: Vec<Value> = tree.nodes.iter().map(MarkdownNode::to_value).collect();
        assert_eq!(&Value::Array(nodes), expected, "{body}");
        assert!(!tree.is_cut);
    }

    /// The number of nodes, and the depth of the deepest.
    fn measure(nodes: &[MarkdownNode]) -> (usize, usize) {
        let below = nodes.iter().map(|node| match node {
            MarkdownNode::Text(_) => (1, 0),
            MarkdownNode::Element { children, .. } => {
                let (count, depth) = measure(children);
                (count + 1, depth + 1)
            }
        });
        below.fold((0, 0), |(sum, deepest), (count, depth)| {
            (sum + count, deepest.max(depth))
        })
    }

    #[test]
    fn blocks_and_words_have_their_names() {
        check(
            "# A *b* **c** ~~d~~ `e`\n\none\ntwo  \nthree\n\n***\n",
            &json!([
                [
                    "h1",
                    "A ",
                    ["em", "b"],
                    " ",
                    ["strong", "c"],
                    " ",
                    ["del", "d"],
                    " ",
                    ["code", "e"]
                ],
                ["p", "one\ntwo", ["br"], "three"],
                ["hr"]
            ]),
        );
        check(
            "- [x] a\n- [ ] b\n\n1. c\n\n   - [ ] d\n\n> e\n\n```sh\nf <g>\n```\n",
            &json!([
                ["ul", ["task_done", "a"], ["task_open", "b"]],
                ["ol", ["li", ["p", "c"], ["ul", ["task_open", "d"]]]],
                ["quote", ["p", "e"]],
                ["pre", "f <g>\n"]
            ]),
        );
        check(
            "|a|b|\n|-|-|\n|c|d|\n",
            &json!([[
                "table",
                ["tr", ["th", "a"], ["th", "b"]],
                ["tr", ["td", "c"], ["td", "d"]]
            ]]),
        );
    }

    #[test]
    fn only_harmless_addresses_are_links() {
        for address in ["https://a.b/c", "HTTP://a", "mailto:a@b.c", "#item/chant:a"] {
            check(
                &format!("[x]({address})"),
                &json!([["p", ["a", address, "x"]]]),
            );
        }
        check(
            "<a@b.cd>",
            &json!([["p", ["a", "mailto:a@b.cd", "a@b.cd"]]]),
        );
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,a",
            "vbscript:a",
            "file:///etc/passwd",
            "//a.b/c",
            "a.md",
            "#top",
            "&#106;avascript:alert(1)",
            "java&#10;script:alert(1)",
            "https&#58;//a&#x202e;b",
        ] {
            check(&format!("[x]({address})"), &json!([["p", "x"]]));
        }
    }

    #[test]
    fn markup_of_a_document_is_text() {
        check(
            "<script>alert(1)</script>\n\na <b onclick=x>b</b> <!-- c -->",
            &json!([
                ["p", "<script>alert(1)</script>\n"],
                ["p", "a <b onclick=x>b</b> <!-- c -->"]
            ]),
        );
        check(
            "![alt *b*](javascript:x \"t\")",
            &json!([["p", ["em", "alt ", ["em", "b"]]]]),
        );
        check(
            "a\u{202e}b\u{1b}[0m",
            &json!([["p", "a\u{fffd}b\u{fffd}[0m"]]),
        );
    }

    #[test]
    fn trees_are_bounded_whatever_the_body() {
        let bodies = [
            ">".repeat(10_000) + " a",
            (0..10_000)
                .map(|depth| "  ".repeat(depth.min(40)) + "- a\n")
                .collect(),
            "*a **b ".repeat(10_000),
            "[".repeat(100_000) + &"](a)".repeat(1_000),
            "word\n\n".repeat(200_000),
            format!(
                "|{}\n|{}\n{}",
                "a|".repeat(5_000),
                "-|".repeat(5_000),
                "|a\n".repeat(5_000)
            ),
            "é".repeat(1 << 20),
        ];
        for body in bodies {
            let tree = MarkdownTree::read(&body);
            let (count, depth) = measure(&tree.nodes);
            assert!(tree.is_cut || body.len() < MAX_BYTES, "{body:.20}");
            assert!(
                count <= MAX_NODES + 1 && depth <= DEEPEST,
                "{count} {depth}"
            );
        }
    }
}
