//! Signatures of texts: the runs of three bytes in a text, so that most texts need not be searched
//! for most words.
//!
//! A signature never excludes a text that holds the word in any case; it may let through one that
//! does not. Two letters outside ASCII, the Kelvin sign and the long s, are other cases of ASCII
//! letters: a text with them is always let through.

/// The bits of a signature. A text of 2 KB sets about half of them, and a word needs several.
const BITS: usize = 1024;

/// The bytes of one piece of a text, in lower case.
type TextGram = [u8; 3];

/// The pieces that a text may hold; small and without pointers, so that many in a row are checked
/// quickly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSignature {
    bits: [u64; BITS / 64],
    is_plain: bool,
}

impl TextSignature {
    /// Returns the signature of a text; the cost is one pass over its bytes.
    pub fn of(text: &str) -> Self {
        let mut bits = [0; BITS / 64];
        for bit in text.as_bytes().windows(3).map(bit_of) {
            bits[bit / 64] |= 1 << (bit % 64);
        }
        Self {
            bits,
            is_plain: !text.contains(['\u{212A}', '\u{17F}']),
        }
    }

    /// Returns true if no letter of the text is another case of an ASCII letter except that
    /// letter's own other case: then comparing ASCII letters is enough to find an ASCII word.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns true if the text may hold the word.
    pub fn may_hold(&self, word: &SignatureQuery) -> bool {
        let is_set = |bit: &usize| self.bits[bit / 64] & (1 << (bit % 64)) != 0;
        !self.is_plain || word.0.iter().all(is_set)
    }
}

/// The bits that a signature must have for a word.
#[derive(Debug, Clone)]
pub struct SignatureQuery(Vec<usize>);

impl SignatureQuery {
    /// Creates a word from its ASCII pieces: other letters may have other bytes in another case.
    pub fn of(word: &str) -> Self {
        let grams = word.as_bytes().windows(3);
        Self(grams.filter(|gram| gram.is_ascii()).map(bit_of).collect())
    }
}

fn bit_of(gram: &[u8]) -> usize {
    let lower: TextGram =
        [0, 1, 2].map(|at| gram.get(at).copied().unwrap_or(0).to_ascii_lowercase());
    let number = u32::from_le_bytes([lower[0], lower[1], lower[2], 0]);
    // Fibonacci hashing: the upper bits of the product are well mixed.
    (number.wrapping_mul(0x9E37_79B1) >> (32 - BITS.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::RegexBuilder;

    use super::*;

    #[test]
    fn most_words_that_are_not_there_are_denied() {
        let text = "Make the login form remember who was there last, unless they said not to.";
        let signature = TextSignature::of(text);
        for word in ["xylophone", "quokka", "timeouts"] {
            assert!(!signature.may_hold(&SignatureQuery::of(word)), "{word}");
        }
        assert!(signature.may_hold(&SignatureQuery::of("REMEMBER WHO")));
        assert!(signature.may_hold(&SignatureQuery::of("")));
    }

    proptest! {
        /// The signature lets through every text that a search finds, in any case.
        #[test]
        fn a_text_that_holds_the_word_is_let_through(
            before in "[a-zA-ZſKéß ]{0,20}", word in "[a-zA-ZſKéß ]{0,8}", after in "[a-zA-ZſKéß ]{0,20}", upper: bool
        ) {
            let written = if upper { word.to_uppercase() } else { word.to_lowercase() };
            let text = format!("{before}{written}{after}");
            let pattern = RegexBuilder::new(&regex::escape(&word)).case_insensitive(true).build().unwrap();
            if pattern.is_match(&text) {
                prop_assert!(TextSignature::of(&text).may_hold(&SignatureQuery::of(&word)));
            }
        }
    }
}
