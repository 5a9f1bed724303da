//! New tickets.

use serde_json::{Map, Value as Json};

use super::{shown, update};
use crate::attributes::{self, AttributeList, AttributeValue, kind_of, not_one_of};
use crate::code::TicketCode;
use crate::error::{TicketError, quoted};
use crate::model::{KEY_ORDER, Ticket, TicketPriority, TicketStatus, TicketType};
use crate::number::{advance, counter, next};
use crate::parse;
use crate::shared_numbers::{NumberSource, claim};
use crate::slug::slug;
use crate::ticket_index::TicketIndex;
use crate::ticket_store::TicketStore;
use crate::view::CreatedTicketView;
use chant_base::answer::Answer;
use chant_base::error::Error;
use chant_store::disk;
use chant_store::{StoreError, files};
use chant_text::clash;
use chant_text::edit::EditError;
use chant_text::front_matter::{self, FrontMatterValue};
use chant_text::markdown;

/// Most characters of a new ticket's content.
const MAX_CHARS: usize = 1_000_000;

/// The most numbers that are tried when others take them at the same moment.
const MAX_ATTEMPTS: usize = 100;
/// The most times that numbers are claimed for one ticket.
const CLAIMS: usize = 5;

/// The content of a new ticket.
pub struct NewTicket<'a> {
    /// Its type.
    pub kind: &'a str,
    /// `data` of the seed: `title`, and what else there is to say.
    pub data: &'a Map<String, Json>,
    /// Makes the body where `data` has no `content`, from the title and the code.
    pub template: Option<&'a BodyTemplate<'a>>,
}

/// Makes the body of a new ticket from its title and its code.
pub type BodyTemplate<'a> = dyn Fn(&str, &str) -> Result<String, Error> + 'a;

/// `create_cr`: writes a new ticket under the next number, which no other ticket gets.
///
/// Content that begins with an H1 of the title keeps it; else the title is put before the content as one.
/// Content is stored as given but for its line ends.
///
/// # Errors
/// `Validation` naming everything that is wrong, or a `StoreError`; nothing is written then.
pub fn create_cr(store: &TicketStore, new: &NewTicket<'_>) -> Result<Answer, Error> {
    let (code, ticket, warnings) = write(store, &UnnumberedTicket::of(store, new)?)?;
    Ok(Answer::data(&CreatedTicketView {
        cr: shown(store, &code, &ticket).created(),
        warnings,
    }))
}

/// A new ticket, everything of it checked, that has no code yet.
pub(super) struct UnnumberedTicket<'a> {
    kind: TicketType,
    given: AttributeList,
    title: String,
    slug: String,
    /// Its body where there is no template.
    plain: String,
    template: Option<&'a BodyTemplate<'a>>,
}

/// A new ticket as it is to be written.
pub(super) struct NumberedTicket {
    /// Its file.
    pub(super) path: String,
    /// All of it.
    pub(super) text: String,
    /// Problems that refuse nothing.
    pub(super) warnings: Vec<String>,
}

impl<'a> UnnumberedTicket<'a> {
    /// Checks what a new ticket is to say.
    ///
    /// # Errors
    /// `Validation` naming everything that is wrong.
    pub(super) fn of(store: &TicketStore, new: &NewTicket<'a>) -> Result<Self, TicketError> {
        let (kind, given) = check(store, new)?;
        let title = match given.first() {
            Some(("title", AttributeValue::Text(title))) => title.clone(),
            _ => String::new(),
        };
        let content = content(new.data)?;
        Ok(Self {
            plain: body(&title, content)?,
            slug: slug(&title, kind.as_str()),
            template: new.template.filter(|_| content.is_none()),
            title,
            kind,
            given,
        })
    }

    /// The ticket under a code, among the tickets that there are.
    ///
    /// # Errors
    /// `Validation` for relations that cannot be, or what the template refuses.
    pub(super) fn numbered(
        &self,
        store: &TicketStore,
        tickets: &TicketIndex,
        code: &TicketCode,
    ) -> Result<NumberedTicket, Error> {
        let warnings = update::check_relations(tickets, code, None, &self.given)?;
        let body = match self.template {
            Some(template) => of_template(&self.title, &template(&self.title, &code.to_string())?)?,
            None => self.plain.clone(),
        };
        let text = render(code, self.kind, &self.given, &body, &store.now());
        if let Some(clash) = clash::in_document(&text) {
            return Err(EditError::Clashing(clash).into());
        }
        Ok(NumberedTicket {
            path: store.within(&format!("{code}-{}.md", self.slug)),
            text,
            warnings,
        })
    }
}

/// Everything that is wrong with what was given, or the type and the attributes.
fn check(
    store: &TicketStore,
    new: &NewTicket<'_>,
) -> Result<(TicketType, AttributeList), TicketError> {
    let mut fields = Vec::new();
    let kind = TicketType::read(new.kind);
    let mut data = new.data.clone();
    fields.extend(repeated(&mut data, kind));
    if matches!(new.data.get("title"), None | Some(Json::Null)) {
        fields.push(("title".to_owned(), "Title is required".to_owned()));
    }
    let given = attributes::read(&data, &attributes::CREATABLE, &store.place.code);
    let given = match given {
        Err(TicketError::Validation { fields: more }) => {
            fields.extend(more);
            None
        }
        given => Some(given?),
    };
    if kind.is_none() {
        let why = not_one_of("CR type:", new.kind, &TicketType::listed());
        fields.push(("type".to_owned(), why));
    }
    match (kind, given) {
        (Some(kind), Some(given)) if fields.is_empty() => Ok((kind, given)),
        _ => Err(TicketError::Validation { fields }),
    }
}

/// Takes out what only repeats what is so anyway: the first state, and the type of the call; gives what
/// contradicts it.
fn repeated(data: &mut Map<String, Json>, kind: Option<TicketType>) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let status = data.remove("status").filter(|status| !status.is_null());
    if let Some(status) = status {
        let word = status.as_str().unwrap_or_default();
        if TicketStatus::read(word) != Some(TicketStatus::Proposed) {
            let why = "A new CR is Proposed; leave it out, and use update_cr_status to change the status afterwards";
            fields.push(("status".to_owned(), why.to_owned()));
        }
    }
    let again = data.remove("type").filter(|again| !again.is_null());
    if let (Some(again), Some(kind)) = (again, kind)
        && again.as_str().and_then(TicketType::read) != Some(kind)
    {
        let why = format!(
            "Type contradicts the parameter 'type', which says {}; leave it out here",
            quoted(kind.as_str())
        );
        fields.push(("type".to_owned(), why));
    }
    fields
}

fn content(data: &Map<String, Json>) -> Result<Option<&str>, TicketError> {
    let text = match data.get("content") {
        None | Some(Json::Null) => return Ok(None),
        Some(Json::String(text)) => text,
        Some(other) => {
            let why = format!("expected text, got {}", kind_of(other));
            return Err(TicketError::invalid("content", why));
        }
    };
    let length = text.chars().count();
    let why = if length > MAX_CHARS {
        format!("expected at most {MAX_CHARS} characters, got {length}")
    } else if text.contains('\0') {
        "expected text without NUL characters".into()
    } else if has_front_matter(text) {
        "it begins with front matter; give its values as attributes and only the body here".into()
    } else {
        return Ok(Some(text));
    };
    Err(TicketError::invalid("content", why))
}

fn has_front_matter(text: &str) -> bool {
    let yaml = front_matter::layout(text)
        .ok()
        .and_then(|layout| layout.yaml);
    yaml.is_some_and(|yaml| !front_matter::keys(&text[yaml]).is_empty())
}

/// The body that a template gives. A heading at its beginning, which holds the title, is the ticket's.
fn of_template(title: &str, text: &str) -> Result<String, TicketError> {
    let text = text.replace("\r\n", "\n");
    let text = text.trim_start_matches('\n');
    if first_heading(text).is_none_or(|heading| heading.is_empty()) {
        return body(title, Some(text));
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{text}{end}"))
}

/// The body: an H1, a blank line, the content.
fn body(title: &str, content: Option<&str>) -> Result<String, TicketError> {
    let content = content.unwrap_or_default().replace("\r\n", "\n");
    let content = content.trim_start_matches('\n');
    let mut body = if begins_with(content, title) {
        content.to_owned()
    } else if content.is_empty() {
        format!("# {title}\n")
    } else {
        format!("# {title}\n\n{content}")
    };
    if !body.ends_with('\n') {
        body.push('\n');
    }
    let own = &*parse::ticket("", body.clone()).title;
    if is_same_title(own, title) {
        return Ok(body);
    }
    let why = format!(
        "{} would read as {} in a heading; expected one that does not end in hashes",
        quoted(title),
        quoted(own)
    );
    Err(TicketError::invalid("title", why))
}

/// Returns true if a title says the same as another, in any case of letters.
fn is_same_title(title: &str, other: &str) -> bool {
    parse::one_line(title).to_lowercase() == parse::one_line(other).to_lowercase()
}

/// Returns true if content begins with a title as its H1.
fn begins_with(content: &str, title: &str) -> bool {
    first_heading(content).is_some_and(|heading| is_same_title(&heading, title))
}

/// The H1 at the beginning of a text.
fn first_heading(text: &str) -> Option<String> {
    let first = markdown::outline(text).headings.into_iter().next()?;
    let is_first = first.level == 1 && text[..first.range.start].trim().is_empty();
    is_first.then_some(first.text)
}

/// Gets a number and writes the ticket.
fn write(
    store: &TicketStore,
    new: &UnnumberedTicket<'_>,
) -> Result<(TicketCode, Ticket, Vec<String>), Error> {
    store.recover()?;
    let vanished = store.snapshot()?.vanished().cloned();
    let remade = vanished.map(|problem| format!("the folder was made again: {}", problem.message));
    for _ in 0..CLAIMS {
        let (source, said) = claim(store)?;
        if let Some((code, ticket, warnings)) = write_under_lock(store, new, &source)? {
            let warnings = remade.into_iter().chain(said).chain(warnings);
            return Ok((code, ticket, warnings.collect()));
        }
    }
    let folder = store.root.path().join(&store.folder);
    Err(disk::busy(&folder, "kept getting new tickets").into())
}

/// Writes the ticket under the project's lock; `None` if others took all numbers meanwhile.
fn write_under_lock(
    store: &TicketStore,
    new: &UnnumberedTicket<'_>,
    source: &NumberSource,
) -> Result<Option<(TicketCode, Ticket, Vec<String>)>, Error> {
    let _gate = store.folder_lock()?;
    let counter = counter(store);
    let first = next(store, &*store.snapshot()?, &counter)?;
    for number in source.numbers(store, first)?.take(MAX_ATTEMPTS) {
        let code = TicketCode::new(&store.place.code, number);
        let NumberedTicket {
            path,
            text,
            warnings,
        } = new.numbered(store, &*store.snapshot()?, &code)?;
        match files::create(&store.disk, &store.root, &path, &text) {
            Ok(()) => {
                let next = number.saturating_add(1);
                let warnings = warnings.into_iter().chain(advance(store, &counter, next));
                let warnings = warnings.chain(source.note(store, number, &path));
                let ticket = parse::ticket(&path, text);
                return Ok(Some((code, ticket, warnings.collect())));
            }
            Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// The whole text: front matter in the documented order, with the title that the body has, then the
/// body.
fn render(
    code: &TicketCode,
    kind: TicketType,
    given: &[(&'static str, AttributeValue)],
    body: &str,
    now: &str,
) -> String {
    let title = parse::ticket("", body.to_owned()).title;
    let value = |key: &str| -> Option<String> {
        let fixed = match key {
            "code" => code.to_string(),
            "title" => title.to_string(),
            "status" => TicketStatus::Proposed.as_str().into(),
            "dateCreated" | "lastModified" => now.to_owned(),
            "type" => kind.as_str().into(),
            key => {
                let found = given.iter().find(|(name, _)| *name == key);
                return match found.map(|(_, value)| value) {
                    Some(AttributeValue::Text(text)) => Some(text.clone()),
                    Some(AttributeValue::List(items)) => Some(items.join(",")),
                    None if key == "priority" => Some(TicketPriority::Medium.as_str().into()),
                    None => None,
                };
            }
        };
        Some(fixed)
    };
    let pairs = KEY_ORDER.into_iter().filter_map(|key| {
        let text = value(key).filter(|text| !text.is_empty())?;
        Some((key, FrontMatterValue::Text(text)))
    });
    let pairs: Vec<(&str, FrontMatterValue)> = pairs.collect();
    format!("{}\n{body}", front_matter::render(&pairs))
}
