//! Variables with keys of providers, for agents that work with models of many makers.

use super::NameList;

/// The variables that hold such keys.
#[rustfmt::skip]
pub(super) const PROVIDERS: NameList = &[
    "ANTHROPIC_API_KEY", "CEREBRAS_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY", "GEMINI_API_KEY",
    "GROQ_API_KEY", "MISTRAL_API_KEY", "OPENAI_API_KEY", "OPENCODE_API_KEY", "OPENROUTER_API_KEY",
    "XAI_API_KEY", "ZAI_API_KEY",
];
