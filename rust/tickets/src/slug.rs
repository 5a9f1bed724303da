//! The words of a title in a file's name (reference tickets 2.1).

use deunicode::deunicode_with_tofu;

/// Most characters of a slug.
const MAX_COUNT: usize = 50;

/// A slug shorter than this is not made by cutting at a word.
const LEAST: usize = 20;

/// Lower-case ASCII words of a title with hyphens between them, at most 50 characters, cut behind a
/// word where that leaves enough. Other scripts are transliterated; when nothing is left it is
/// the type's words, or `ticket`.
pub fn slug(title: &str, kind: &str) -> String {
    [title, kind]
        .into_iter()
        .map(words)
        .find(|slug| !slug.is_empty())
        .unwrap_or_else(|| "ticket".into())
}

fn words(text: &str) -> String {
    let mut slug = String::new();
    for c in deunicode_with_tofu(text, "").chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if (c.is_whitespace() || c == '-') && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    if slug.len() > MAX_COUNT {
        let cut = slug[..=MAX_COUNT].rfind('-').filter(|at| *at >= LEAST);
        slug.truncate(cut.unwrap_or(MAX_COUNT));
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, expected: &str) {
        assert_eq!(slug(title, "Bug Fix"), expected, "{title}");
    }

    #[test]
    fn titles_of_any_script_become_words() {
        check(
            "Add user authentication system",
            "add-user-authentication-system",
        );
        check("  Trim me: a title!  ", "trim-me-a-title");
        check("../../etc/passwd", "etcpasswd");
        check("Привет мир", "privet-mir");
        check("Größe — ändern", "grosse-andern");
        check("北京 plan", "bei-jing-plan");
        check("???", "bug-fix");
        check("\u{e000}", "bug-fix");
        assert_eq!(slug("!", "?"), "ticket");
    }

    #[test]
    fn long_titles_are_cut_behind_a_word_where_there_is_one() {
        check(&"A".repeat(250), &"a".repeat(50));
        check(
            "Make the importer of quarterly reports tell which line it refused",
            "make-the-importer-of-quarterly-reports-tell-which",
        );
        check(&format!("{} tail", "b".repeat(50)), &"b".repeat(50));
        check(
            &format!("a {}", "c".repeat(80)),
            &format!("a-{}", "c".repeat(48)),
        );
    }
}
