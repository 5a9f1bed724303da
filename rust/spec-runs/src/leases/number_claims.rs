//! Numbers of documents, claimed on the remote that the clones of a repository share.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::SpecLeases;
use chant_base::error::Error;
use chant_base::number_claims::{NumberAnswer, NumberClaims, NumberWish, OfflineNumber};
use chant_leases::answer::{LeaseAnswer, LeaseWish};
use chant_leases::record::GivenNumber;
use chant_specs::project::{CONFIG, Project, ProjectOptions};
use chant_store::disk::Disk;
use chant_store::files::{self, RootFolder};

/// How long a claim waits for the remote, beside the time until this clone may push again.
const NUMBER_LIMIT: Duration = Duration::from_secs(8);

/// Claims numbers for the documents of a folder, where its configuration has `leases`.
pub struct RemoteNumbers {
    root: PathBuf,
    /// Makes the project when the configuration first names leases.
    open: Box<dyn Fn() -> ProjectOptions + Send + Sync>,
    project: Mutex<Option<Arc<Project>>>,
}

impl RemoteNumbers {
    /// Returns the claims of a folder; `open` gives the options of its project, which is opened if it is needed.
    pub fn of(root: PathBuf, open: impl Fn() -> ProjectOptions + Send + Sync + 'static) -> Self {
        Self {
            root,
            open: Box::new(open),
            project: Mutex::new(None),
        }
    }

    /// Does something with the project; `None` where its configuration has no leases.
    fn with_project<T>(
        &self,
        act: impl FnOnce(&Project) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        // A folder without leases costs the look at one file.
        let root = RootFolder::open(&self.root)?;
        let text = files::read(&Disk::default(), &root, CONFIG);
        if !text.is_ok_and(|(text, _)| text.contains("leases")) {
            return Ok(None);
        }
        let project = self.opened()?;
        act(&project).map(Some)
    }

    /// Returns the project, opened once.
    fn opened(&self) -> Result<Arc<Project>, Error> {
        let mut known = self.project.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(project) = &*known {
            return Ok(Arc::clone(project));
        }
        let project = Arc::new(Project::open((self.open)())?);
        *known = Some(Arc::clone(&project));
        Ok(project)
    }
}

impl NumberClaims for RemoteNumbers {
    fn claim(&self, wish: &NumberWish) -> NumberAnswer {
        let claimed = self.with_project(|project| {
            let snapshot = project.snapshot()?;
            let config = snapshot.config.clone()?;
            if config.leases.is_none() {
                return Ok(NumberAnswer::NotShared);
            }
            // The way to a remote may be a program that the repository names.
            if project.refuse_untrusted_snapshot(&snapshot).is_err() {
                let why = "this folder is not trusted, so no remote is spoken to from here";
                return Ok(NumberAnswer::Unclaimed(why.into()));
            }
            match SpecLeases::of(project, &config)? {
                Some(leases) => leases.claim_numbers(wish),
                None => Ok(NumberAnswer::NotShared),
            }
        });
        match claimed {
            Ok(answer) => answer.unwrap_or(NumberAnswer::NotShared),
            // Tickets can be made without any remote.
            Err(error) => NumberAnswer::Unclaimed(error.to_string()),
        }
    }

    fn naming_documents(&self) -> Result<Vec<String>, Error> {
        let specs = self.with_project(|project| {
            let snapshot = project.snapshot()?;
            let specs = snapshot.specs.all().iter();
            Ok(specs.map(|spec| spec.path.to_string()).collect())
        })?;
        Ok(specs.unwrap_or_default())
    }
}

impl SpecLeases<'_> {
    /// Claims numbers of documents.
    fn claim_numbers(&self, wish: &NumberWish) -> Result<NumberAnswer, Error> {
        let given = |offline: &OfflineNumber| GivenNumber {
            number: offline.number,
            nonce: offline.nonce.clone(),
        };
        let asked = LeaseWish::Numbers {
            series: wish.series.clone(),
            offline: wish.offline.iter().map(given).collect(),
            fresh: wish.fresh,
            above: wish.above,
        };
        let client = self.client()?;
        let limit = NUMBER_LIMIT + client.push_wait()?;
        let remote = self.remote();
        Ok(match client.ask_briefly(asked, limit)? {
            LeaseAnswer::Numbered { taken, fresh } => NumberAnswer::Claimed { taken, fresh },
            LeaseAnswer::Refused { refusal } => NumberAnswer::Unclaimed(refusal.to_string()),
            LeaseAnswer::Unreachable { why } => NumberAnswer::Unclaimed(why),
            LeaseAnswer::Claimed { .. } | LeaseAnswer::Done => {
                NumberAnswer::Unclaimed(format!("{remote} gave no answer"))
            }
        })
    }
}
