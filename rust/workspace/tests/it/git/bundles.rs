//! Bundles from other machines, mirrors and checkouts.

use super::*;

use chant_confine::Confinement;
use chant_git::commit_bundle::{BundleLimits, CommitBundle};
use chant_git::repository_mirror::RepositoryMirror;

const LIMITS: BundleLimits = BundleLimits {
    bytes: 1 << 20,
    unpacked: 10_000,
    object: 5_000,
};

#[test]
fn a_bundle_becomes_a_checkout_unless_it_is_too_large() {
    for kind in [KINDS[0], KINDS[2]] {
        let sandbox = Sandbox::new();
        let top = sandbox.repo(kind);
        let start = sandbox.git(&top, "rev-parse HEAD");
        let path = sandbox.path("start.bundle");
        let shown = path.display().to_string();
        sandbox.git_with(&top, "bundle create -q", &[&shown, "main"]);
        let bundle = CommitBundle::read(&path, &LIMITS).unwrap();
        assert_eq!(
            (bundle.commit.as_str(), bundle.prerequisites.len()),
            (&*start, 0)
        );
        let mirror = sandbox.path("mirror.git");
        let mirror = RepositoryMirror::open(&mirror, None, start.len() > 40).unwrap();
        assert!(!mirror.has_commit(&start).unwrap());
        let unpack = |name: &str, limits: &BundleLimits| {
            let quarantine = sandbox.path(name);
            let known = mirror.objects();
            bundle.unpack(&quarantine, (&known, false), limits, &Confinement::Off)
        };
        for (small, named) in [
            (
                BundleLimits {
                    object: 1,
                    ..LIMITS
                },
                "one of its objects",
            ),
            (
                BundleLimits {
                    unpacked: 3,
                    ..LIMITS
                },
                "its objects have",
            ),
            (BundleLimits { bytes: 3, ..LIMITS }, "maximum allowed size"),
        ] {
            let error = unpack(named, &small).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        mirror
            .take_in(&unpack("q", &LIMITS).unwrap(), &start)
            .unwrap();
        assert!(mirror.has_commit(&start).unwrap());
        let checkout = sandbox.path("checkout");
        mirror
            .check_out(&checkout, &start, "main", "chant/a", None)
            .unwrap();
        assert_eq!(fs::read(checkout.join("a.txt")).unwrap(), b"a\n");
        let made = open(&checkout);
        assert_eq!(made.branch_tip("chant/a").unwrap(), Some(start));
        assert!(!checkout.join(".git/hooks").exists());
    }
}
