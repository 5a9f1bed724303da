//! Finds the name under which a repository registered the checkout that it was opened in.

#![expect(
    clippy::disallowed_methods,
    reason = "the files read here are git's own, not documents"
)]

use std::fs;
use std::path::Path;

use super::{Repo, real};

/// The ways in which a repository knows a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckoutRegistration {
    /// The main checkout, or a bare repository.
    Main,
    /// A linked worktree, by its name.
    Linked(String),
    /// Not registered: a file in the checkout points at the repository, and nothing points back.
    Unknown,
}

impl Repo {
    /// Returns the registration of the checkout that the repository was opened in.
    pub fn registration(&self) -> CheckoutRegistration {
        let Some(top) = self.checkout() else {
            return CheckoutRegistration::Main;
        };
        let link = top.join(".git");
        match fs::symlink_metadata(&link) {
            Ok(metadata) if metadata.is_dir() && real(&link) == real(&self.common_dir) => {
                CheckoutRegistration::Main
            }
            Ok(metadata) if metadata.is_file() => self.linked(&link),
            _ => CheckoutRegistration::Unknown,
        }
    }

    /// Returns the registration of a checkout whose `.git` file names its part of the repository;
    /// that part must point back.
    fn linked(&self, link: &Path) -> CheckoutRegistration {
        let part_of = || {
            let text = fs::read_to_string(link).ok()?;
            let target = text.strip_prefix("gitdir:")?.trim();
            let part = real(&link.parent()?.join(target));
            let is_one = part.parent() == Some(&*real(&self.common_dir).join("worktrees"));
            is_one.then_some(part)
        };
        let Some(part) = part_of() else {
            return self.of_module(link);
        };
        let back = fs::read_to_string(part.join("gitdir")).unwrap_or_default();
        let is_known = !back.trim().is_empty() && real(&part.join(back.trim_end())) == real(link);
        match part.file_name().and_then(|name| name.to_str()) {
            Some(name) if is_known => CheckoutRegistration::Linked(name.to_owned()),
            _ => CheckoutRegistration::Unknown,
        }
    }

    /// Returns the registration of a submodule: its repository must name the checkout as its own.
    fn of_module(&self, link: &Path) -> CheckoutRegistration {
        let named = || {
            let path = self.common_dir.join("config");
            let config = git2::Config::open(&path).ok()?;
            let named = config.get_string("core.worktree").ok()?;
            Some(real(&self.common_dir.join(named)))
        };
        if named().is_some_and(|top| Some(&*top) == link.parent().map(real).as_deref()) {
            CheckoutRegistration::Main
        } else {
            CheckoutRegistration::Unknown
        }
    }
}
