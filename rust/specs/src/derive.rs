//! Keys of new specs that the configuration derives from where they are made (reference chant 7).

use regex::Regex;

use super::project::Project;
use chant_config::{Config, DerivedKey};

/// The result of the rules.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DerivedKeys {
    /// Names of the keys that were filled.
    pub fields: Vec<String>,
    /// Labels.
    pub labels: Vec<String>,
    /// Entries of `context`: files, and `derived_<key>=<value>` for keys that have no place of their own.
    pub context: Vec<String>,
    /// Values that are not among those allowed, and rules that cannot be applied.
    pub warnings: Vec<String>,
}

/// Applies the rules of the configuration, in the order of their keys.
pub fn derive(project: &Project, config: &Config) -> DerivedKeys {
    let mut derived = DerivedKeys::default();
    for (key, rule) in &config.derived {
        let value = match value_of(project, rule) {
            Ok(Some(value)) => value,
            Ok(None) => continue,
            Err(why) => {
                derived.warnings.push(format!(
                    "`enterprise.derived.{key}` cannot be applied: {why}"
                ));
                continue;
            }
        };
        if let Some(allowed) = rule
            .validate
            .as_ref()
            .filter(|allowed| !allowed.values.contains(&value))
        {
            let expected = allowed.values.join(", ");
            derived
                .warnings
                .push(format!("derived {key} '{value}' is not one of: {expected}"));
        }
        match key.as_str() {
            "labels" => derived.labels.push(value),
            "context" => derived.context.push(value),
            _ => derived.context.push(format!("derived_{key}={value}")),
        }
        derived.fields.push(key.clone());
    }
    derived
}

fn value_of(project: &Project, rule: &DerivedKey) -> Result<Option<String>, String> {
    match rule.from.as_str() {
        "branch" => {
            let repo = project.repo().map_err(|e| e.to_string())?;
            let head = repo
                .map(|repo| repo.head())
                .transpose()
                .map_err(|e| e.to_string())?;
            matched(&rule.pattern, head.as_ref().and_then(|head| head.branch()))
        }
        "path" => matched(&rule.pattern, project.root().to_str()),
        "env" if !project.is_trusted() => Err(format!(
            "this folder is not trusted, so the variable `{}` was not read; a person looks with `chant-mcp trust --show`",
            rule.pattern
        )),
        "env" => Ok(project.environment.get(&rule.pattern).cloned()),
        "git_user" => {
            let repo = project.repo().map_err(|e| e.to_string())?;
            let user = repo
                .map(|repo| repo.user())
                .transpose()
                .map_err(|e| e.to_string())?
                .flatten();
            match rule.pattern.as_str() {
                "name" => Ok(user.map(|(name, _)| name)),
                "email" => Ok(user.map(|(_, email)| email)),
                other => Err(format!("expected `name` or `email`, got `{other}`")),
            }
        }
        other => Err(format!(
            "expected `from` to be branch, path, env or git_user, got `{other}`"
        )),
    }
}

/// The first group of a pattern in a text.
fn matched(pattern: &str, text: Option<&str>) -> Result<Option<String>, String> {
    let regex = Regex::new(pattern).map_err(|e| e.to_string())?;
    let captures = text.and_then(|text| regex.captures(text));
    Ok(captures
        .and_then(|captures| captures.get(1))
        .map(|group| group.as_str().to_owned()))
}
