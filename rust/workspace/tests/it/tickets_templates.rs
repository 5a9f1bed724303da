//! Templates of tickets: built in, a project's own, a user's own, and broken ones.

use std::fs;
use std::path::Path;

use chant_store::disk::Disk;
use chant_tickets::templates::{
    BUILT_IN, TemplatePlaces, TemplateProblem, TicketPlaceholders, body,
};
use tempfile::TempDir;

struct Folders {
    project: TempDir,
    user: TempDir,
    disk: Disk,
}

impl Folders {
    fn new() -> Self {
        Self {
            project: TempDir::new().unwrap(),
            user: TempDir::new().unwrap(),
            disk: Disk::default(),
        }
    }

    fn put(folder: &Path, relative: &str, text: impl AsRef<[u8]>) {
        let path = folder.join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn body(&self, kind: &str) -> Result<String, TemplateProblem> {
        let places = TemplatePlaces {
            disk: &self.disk,
            project: self.project.path(),
            config_folder: Some(self.user.path()),
        };
        let filling = TicketPlaceholders {
            title: "Keep $& and {code}",
            kind,
            code: "MDT-025",
        };
        body(&places, filling)
    }

    /// The refusal without the place of the folders.
    fn refusal(&self, kind: &str) -> String {
        let told = self.body(kind).unwrap_err().to_string();
        told.replace(&self.project.path().display().to_string(), "PROJECT")
            .replace(&self.user.path().display().to_string(), "USER")
    }
}

#[test]
fn the_outlines_that_are_built_in() {
    let folders = Folders::new();
    for template in &BUILT_IN {
        let text = folders.body(template.kind).unwrap();
        insta::assert_snapshot!(format!("template_{}", template.slug), text);
    }
    assert_eq!(
        folders.body("bug fix"),
        folders.body("Bug Fix"),
        "any case of letters"
    );
}

#[test]
fn the_projects_template_goes_before_the_users_and_that_before_the_one_built_in() {
    let folders = Folders::new();
    let (project, user) = (folders.project.path(), folders.user.path());
    Folders::put(
        user,
        "templates/bug-fix.md",
        "# {title}\n\nOf the user: {type}\n",
    );
    assert_eq!(
        folders.body("bug fix").unwrap(),
        "# Keep $& and {code}\n\nOf the user: Bug Fix\n"
    );
    let text = "\u{feff}# {code}: {title}\r\n\r\nOf the project: {other}\r\n";
    Folders::put(project, ".mdt-templates/bug-fix.md", text);
    assert_eq!(
        folders.body("Bug Fix").unwrap(),
        "# MDT-025: Keep $& and {code}\r\n\r\nOf the project: {other}\r\n"
    );
    assert!(
        folders
            .body("Research")
            .unwrap()
            .contains("## 2. Research Questions")
    );
}

#[test]
fn a_broken_template_is_told_and_none_is_taken_in_its_place() {
    let folders = Folders::new();
    let (project, user) = (folders.project.path(), folders.user.path());
    Folders::put(project, ".mdt-templates/bug-fix.md", b"# {title}\n\xff\n");
    Folders::put(project, ".mdt-templates/research.md", "# Research\n");
    Folders::put(project, ".mdt-templates/architecture.md", "");
    fs::create_dir(project.join(".mdt-templates/documentation.md")).unwrap();
    Folders::put(
        user,
        "templates/technical-debt.md",
        "---\ntype: x\n---\n# {title}\n",
    );
    let kinds = [
        "Bug Fix", "Research", "Architecture", "Documentation", "Technical Debt",
    ];
    let told: Vec<_> = kinds.iter().map(|kind| folders.refusal(kind)).collect();
    insta::assert_snapshot!("templates_broken", told.join("\n"));
    assert!(folders.body("Feature Enhancement").is_ok());
}

#[cfg(unix)]
#[test]
fn a_template_is_not_read_from_outside_of_the_project() {
    let folders = Folders::new();
    let (project, user) = (folders.project.path(), folders.user.path());
    Folders::put(user, "secret.md", "# {title}\n");
    fs::create_dir(project.join(".mdt-templates")).unwrap();
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, project.join(".mdt-templates").join(name)).unwrap();
    };
    link(&user.join("secret.md"), "bug-fix.md");
    link(&user.join("gone.md"), "research.md");
    assert_eq!(
        folders.refusal("Bug Fix"),
        "The template `PROJECT/.mdt-templates/bug-fix.md` cannot be used: it is a link that leads out of the project. Fix or remove it and call again; nothing was written."
    );
    assert!(
        folders
            .refusal("Research")
            .contains("it is a link that leads nowhere")
    );
}

#[test]
fn an_unknown_type_is_told_with_those_there_are() {
    assert_eq!(
        Folders::new().refusal("Tech Debt"),
        "There is no template for tickets of the type `Tech Debt`; types are: Architecture, Feature Enhancement, Bug Fix, Technical Debt, Documentation, Research"
    );
}
