//! llguidance, one byte a token.

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use toktrie::{ApproximateTokEnv, TokenId};

/// A compiled grammar.
pub(crate) struct Reader {
    fresh: Matcher,
}

impl Reader {
    /// Compiles a Lark grammar.
    pub(crate) fn new(lark: &str) -> Result<Self, String> {
        let tokens = ApproximateTokEnv::single_byte_env();
        let mut factory = ParserFactory::new_simple(&tokens).map_err(|error| error.to_string())?;
        factory.quiet();
        let parser = factory.create_parser(TopLevelGrammar::from_lark(lark.to_owned()));
        let fresh = Matcher::new(parser);
        match fresh.get_error() {
            Some(error) => Err(error),
            None => Ok(Self { fresh }),
        }
    }

    /// Whether the text is whole in the language; if not, how far it was read and what was said.
    pub(crate) fn admits(&self, text: &str) -> Result<(), String> {
        let mut matcher = self.fresh.deep_clone();
        let tokens: Vec<TokenId> = text.bytes().map(TokenId::from).collect();
        let read = matcher.try_consume_tokens(&tokens).map_err(|error| error.to_string())?;
        if read < tokens.len() {
            return Err(format!("nothing goes on after {read} bytes"));
        }
        match matcher.is_accepting() {
            Ok(true) => Ok(()),
            Ok(false) => Err("it is not whole".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Texts of the language that differ from this one in a few characters.
    pub(crate) fn variations(&self, text: &str, count: usize) -> Vec<String> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ text.len() as u64;
        let mut below = |most: usize| {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x1405_7b7e_f767_814f);
            usize::try_from(state >> 33).unwrap_or(0) % most.max(1)
        };
        let mut found = Vec::new();
        for _ in 0..count {
            let mut at = below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at += 1;
            }
            let (before, after) = text.split_at(at);
            let mut matcher = self.fresh.deep_clone();
            let tokens: Vec<TokenId> = before.bytes().map(TokenId::from).collect();
            if matcher.consume_tokens(&tokens).is_err() {
                continue;
            }
            let mut varied = before.to_owned();
            for _ in 0..=below(6) {
                let Ok(mask) = matcher.compute_mask() else { break };
                // The signs that markers are made of come first.
                let likely = b"<>/=[]{}()\"':,.*\\`|& \n_-tp";
                let allowed = |byte: &u8| mask.is_allowed(TokenId::from(*byte));
                let mut bytes: Vec<u8> = likely.iter().copied().filter(allowed).collect();
                bytes.extend((b'a'..=b'z').chain(b'0'..=b'9').filter(allowed).take(2));
                if bytes.is_empty() {
                    break;
                }
                let byte = bytes[below(bytes.len())];
                if matcher.consume_token(TokenId::from(byte)).is_err() {
                    break;
                }
                varied.push(char::from(byte));
            }
            varied.push_str(after);
            if varied != *text && self.admits(&varied).is_ok() && !found.contains(&varied) {
                found.push(varied);
            }
        }
        found
    }
}
