//! Text made from fixed seeds, and the ways it is cut into chunks.

/// A small generator of numbers that look random: the same on every machine, good enough for texts.
pub struct Seeded(u64);

impl Seeded {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The next number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (limit.max(1) as u64)).unwrap_or(0)
    }

    /// One of these.
    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let at = self.below(of.len());
        of.get(at).copied().unwrap_or_default()
    }
}

/// The words of all texts.
pub const WORDS: &[&str] = &[
    "the", "loom", "keeps", "a", "steady", "beat", "while", "weft", "and", "warp", "cross",
    "under", "every", "thread", "of", "wool", "is", "counted", "twice", "because", "patterns",
    "drift", "slowly", "unless", "someone", "watches", "closely", "naïve", "café", "shuttle",
    "returns",
];

/// Prose of at least `bytes` bytes: words, full stops, paragraphs; no character of any marker but
/// the line break. With `every`, `spike` stands in it about every so many bytes.
#[must_use]
pub fn prose(bytes: usize, spike: Option<(&str, usize)>) -> String {
    let mut random = Seeded::new(1);
    let mut text = String::with_capacity(bytes + 64);
    let mut due = spike.map_or(usize::MAX, |(_, every)| every);
    while text.len() < bytes {
        text.push_str(random.pick(WORDS));
        match random.below(40) {
            0 => text.push_str(".\n\n"),
            1..4 => text.push_str(". "),
            4 => text.push_str(",\n"),
            _ => text.push(' '),
        }
        if let Some((spike, every)) = spike
            && text.len() >= due
        {
            text.push_str(spike);
            due = text.len() + every / 2 + random.below(every);
        }
    }
    text
}

/// Text of at least `bytes` bytes as a file would hold it: words on one line, and about every
/// `every` bytes a line break or a quotation mark, which JSON must escape. `None`: no such thing.
#[must_use]
pub fn file(bytes: usize, every: Option<usize>) -> String {
    let mut random = Seeded::new(2);
    let mut text = String::with_capacity(bytes + 64);
    let mut due = every.unwrap_or(usize::MAX);
    while text.len() < bytes {
        text.push_str(random.pick(WORDS));
        text.push(' ');
        if let Some(every) = every
            && text.len() >= due
        {
            text.push_str(random.pick(&["\n", "\n", "\""]));
            due = text.len() + every / 2 + random.below(every);
        }
    }
    text
}

/// How a text is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chunking {
    /// Pieces as long as tokens are: 1 to 8 bytes, 4.5 on average, from a fixed seed.
    Tokens,
    /// Pieces of so many bytes.
    Bytes(usize),
    /// One piece.
    Whole,
}

impl Chunking {
    /// The short name in tables.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Tokens => "tok".to_owned(),
            Self::Bytes(bytes) => format!("{bytes} B"),
            Self::Whole => "whole".to_owned(),
        }
    }

    /// The chunking with that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "tok" => Some(Self::Tokens),
            "whole" => Some(Self::Whole),
            _ => Some(Self::Bytes(name.strip_suffix(" B")?.parse().ok()?)),
        }
    }

    /// The pieces, in order; never inside a character.
    #[must_use]
    pub fn cut(self, text: &str) -> Vec<&str> {
        let mut random = Seeded::new(3);
        let mut chunks = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let length = match self {
                Self::Tokens => 1 + random.below(8),
                Self::Bytes(bytes) => bytes.max(1),
                Self::Whole => rest.len(),
            };
            let end = (length..rest.len()).find(|at| rest.is_char_boundary(*at));
            let (chunk, after) = rest.split_at(end.unwrap_or(rest.len()));
            chunks.push(chunk);
            rest = after;
        }
        chunks
    }
}

/// So many pieces of about the same length; fewer only where the text is too short.
#[must_use]
pub fn pieces(text: &str, count: usize) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(count);
    let mut rest = text;
    for left in (1..=count).rev() {
        let end = (rest.len().div_ceil(left)..rest.len()).find(|at| rest.is_char_boundary(*at));
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_loses_nothing_and_is_the_same_each_time() {
        let text = prose(5000, Some(("<", 40)));
        for chunking in [Chunking::Tokens, Chunking::Bytes(1), Chunking::Bytes(64), Chunking::Whole]
        {
            let chunks = chunking.cut(&text);
            assert_eq!(Chunking::find(&chunking.name()), Some(chunking));
            assert_eq!(chunks.concat(), text);
            assert_eq!(chunks, chunking.cut(&text));
        }
        let tokens = Chunking::Tokens.cut(&text);
        let average = text.len() as f64 / tokens.len() as f64;
        assert!((4.2..4.9).contains(&average), "{average}");
    }

    #[test]
    fn pieces_are_as_many_as_asked() {
        let text = prose(2000, None);
        let cut = pieces(&text, 400);
        assert_eq!((cut.len(), cut.concat()), (400, text));
        assert_eq!(pieces("ab", 400), ["a", "b"]);
    }

    #[test]
    fn spikes_and_escapes_come_as_often_as_asked() {
        let spikes = prose(40_000, Some(("<", 40))).matches('<').count();
        assert!((700..1100).contains(&spikes), "{spikes}");
        let stops = file(40_000, Some(40)).matches(['\n', '"']).count();
        assert!((700..1100).contains(&stops), "{stops}");
        assert_eq!(prose(40_000, None).matches('<').count(), 0);
        assert_eq!(file(40_000, None).matches(['\n', '"']).count(), 0);
    }
}
