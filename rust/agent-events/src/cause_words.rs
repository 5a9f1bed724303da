//! Words of agents and their providers about failures, and the causes that they stand for.

use super::cause::FailureCause;

/// Words for each cause, in lower case; if several match, the first counts.
const WORDS: &[(FailureCause, &[&str])] = &[
    (
        FailureCause::PromptTooLong,
        &[
            "prompt is too long",
            "prompt too long",
            "context_length_exceeded",
            "context length exceeded",
            "maximum context length",
            "exceeds the context window",
            "exceeds the available context size",
            "exceed context limit",
            "exceeds the maximum number of tokens",
            "ran out of room in the model's context window",
        ],
    ),
    (
        FailureCause::OutOfCredit,
        &[
            "credit balance is too low",
            "billing_error",
            "insufficient_quota",
            "exceeded your current quota",
            "insufficient credit",
            "insufficient balance",
            "out of credit",
            "payment required",
            "usage limit",
        ],
    ),
    (
        FailureCause::NotLoggedIn,
        &[
            "not logged in",
            "please run /login",
            "no authentication information found",
            "no auth type is selected",
            "set an auth method",
            "no api key found",
            "authentication_failed",
            "authentication_error",
            "invalid api key",
            "invalid x-api-key",
            "incorrect api key",
            "api key not valid",
            "invalid bearer token",
            "oauth token has expired",
            "401 unauthorized",
            "status 401",
            "status code 401",
            "status: 401",
            "http 401",
            "error: 401",
        ],
    ),
    (
        FailureCause::RateLimit,
        &[
            "rate_limit", "rate limit", "ratelimit", "too many requests", "status 429",
            "status code 429", "status: 429", "http 429", "error: 429", "resource_exhausted",
        ],
    ),
    (
        FailureCause::ModelUnknown,
        &[
            "model_not_found",
            "model not found",
            "modelnotfound",
            "unknown model",
            "invalid model",
            "no such model",
            "issue with the selected model",
            "does not exist or you do not have access",
            "not found on provider",
            "is not found for api version",
        ],
    ),
    (
        FailureCause::ModelRefused,
        &[
            "the model refused", "content filter", "content_filter", "contentfilter",
        ],
    ),
    (
        FailureCause::Overloaded,
        &[
            "overloaded", "server_error", "service unavailable", "internal server error",
            "status 529", "status 503",
        ],
    ),
    (
        FailureCause::ProviderUnreachable,
        &[
            "econnrefused",
            "enotfound",
            "eai_again",
            "connection refused",
            "could not resolve host",
            "name or service not known",
            "network is unreachable",
        ],
    ),
    (
        FailureCause::ConnectionLost,
        &[
            "econnreset",
            "etimedout",
            "connection reset",
            "connection error",
            "connection closed",
            "connection lost",
            "fetch failed",
            "network error",
            "socket hang up",
            "stream disconnected",
            "stream ended unexpectedly",
        ],
    ),
    (
        FailureCause::RootRefused,
        &["cannot be used with root", "root/sudo privileges"],
    ),
    (
        FailureCause::FlagUnknown,
        &[
            "unexpected argument", "unknown option", "unknown argument", "unknown flag",
            "unrecognized option", "unrecognized argument", "no such option",
        ],
    ),
    (
        FailureCause::FolderUntrusted,
        &[
            "not inside a trusted directory",
            "not running in a trusted",
            "folder is not trusted",
            "directory is not trusted",
            "untrusted folder",
            "workspace trust",
        ],
    ),
    (
        FailureCause::NestedSandbox,
        &[
            "bwrap: ",
            "sandbox-exec: ",
            "apply-seccomp",
            "index.lock': read-only file system",
        ],
    ),
    (
        FailureCause::MemoryKilled,
        &["out of memory", "heap limit allocation failed"],
    ),
    (
        FailureCause::TurnLimit,
        &[
            "max_turns",
            "max turns",
            "maximum number of turns",
            "turn limit",
        ],
    ),
    (
        FailureCause::BudgetReached,
        &["budget_exhausted", "max_budget_usd", "maximum budget"],
    ),
    (
        FailureCause::PermissionDenied,
        &["auto-rejecting", "approval policy is never"],
    ),
    (
        FailureCause::ServerRefused,
        &[
            "mcp server failed", "mcp startup failed", "failed to start mcp",
        ],
    ),
];

impl FailureCause {
    /// Returns the cause that words stand for.
    pub(super) fn of_words(words: &str) -> Option<Self> {
        let words = words.to_lowercase();
        let tells = |known: &&(Self, &[&str])| known.1.iter().any(|one| words.contains(one));
        WORDS.iter().find(tells).map(|(cause, _)| *cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_connection_passes_and_a_provider_that_is_not_there_does_not() {
        use FailureCause::{ConnectionLost, ProviderUnreachable};
        for (words, cause) in [
            ("TypeError: fetch failed", ConnectionLost),
            (
                "stream disconnected before completion: connection reset by peer",
                ConnectionLost,
            ),
            ("connect ECONNREFUSED 127.0.0.1:4000", ProviderUnreachable),
            (
                "fetch failed: getaddrinfo ENOTFOUND models.example.org",
                ProviderUnreachable,
            ),
        ] {
            assert_eq!(FailureCause::of_words(words), Some(cause), "{words}");
            assert_eq!(cause.is_passing(), cause == ConnectionLost, "{words}");
        }
    }
}
