//! A block scalar (`|`, `>`) decoded while its lines come.

use toolweir_rjson::escaped;

use super::WHITESPACE;

/// What its header says: style, indent and what becomes of the line breaks at its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    folded: bool,
    indent: Option<usize>,
    chomping: Option<char>,
}

impl Header {
    /// Reads what stands after the colon of a key, up to the end of the line.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut chars = text.strip_prefix(' ')?.trim_matches([' ', '\t', '\r', '\n']).chars();
        let folded = match chars.next()? {
            '|' => false,
            '>' => true,
            _ => return None,
        };
        let mut header = Self { folded, ..Self::default() };
        for c in chars {
            match c {
                '1'..='9' if header.indent.is_none() => {
                    header.indent = Some(c as usize - '0' as usize)
                }
                '+' | '-' if header.chomping.is_none() => header.chomping = Some(c),
                _ => return None,
            }
        }
        Some(header)
    }
}

/// A block whose first line of text has come.
#[derive(Debug)]
pub(super) struct Block {
    header: Header,
    indent: usize,
    /// Inside a line of text.
    inside: bool,
    /// Line breaks that may be the last: that after a line of text, and those of empty lines.
    line_break: bool,
    empty: usize,
    /// The last line of text begins with a space.
    whitespace: bool,
    scratch: String,
}

impl Block {
    /// Begins at the first line that is not blank; `before`: the blank ones. None: a block whose
    /// layout is not certain.
    pub(super) fn begin<'t>(
        header: Header,
        before: impl Iterator<Item = &'t str>,
        line: &str,
    ) -> Option<Self> {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let indent = header.indent.unwrap_or(spaces);
        let mut empty = 0;
        for line in before {
            let line = line.trim_end_matches(['\r', '\n']);
            if line.len() > indent || line.contains('\t') {
                return None;
            }
            empty += 1;
        }
        let (inside, line_break, whitespace) = (false, false, false);
        let fits = (1..=spaces).contains(&indent);
        let scratch = String::new();
        fits.then_some(Self { header, indent, inside, line_break, empty, whitespace, scratch })
    }

    pub(super) const fn is_inside(&self) -> bool {
        self.inside
    }

    /// A line without the block's indent. None: it is not the block's.
    pub(super) fn own<'t>(&self, line: &'t str) -> Option<&'t str> {
        let own = self.outdented(line);
        let whole = line.len() - own.len() == self.indent;
        (whole || own.trim_matches(['\r', '\n']).is_empty()).then_some(own)
    }

    /// A line without as much of the block's indent as it has.
    pub(super) fn outdented<'t>(&self, line: &'t str) -> &'t str {
        let spaces = line.bytes().take(self.indent).take_while(|b| *b == b' ').count();
        line.get(spaces..).unwrap_or_default()
    }

    /// Takes a line without its indent, or a piece of one, and writes text as JSON.
    pub(super) fn feed(&mut self, piece: &str, out: &mut String) {
        let text = piece.strip_suffix('\n').unwrap_or(piece);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let ended = text.len() < piece.len();
        if !self.inside {
            if text.is_empty() {
                self.empty += 1;
                return;
            }
            self.separate(text.starts_with(WHITESPACE), out);
        }
        (self.inside, self.line_break) = (!ended, ended);
        out.push_str(escaped(&mut self.scratch, text));
    }

    /// What stands between the last line of text and the next.
    fn separate(&mut self, whitespace: bool, out: &mut String) {
        let last = std::mem::replace(&mut self.whitespace, whitespace);
        let empty = std::mem::take(&mut self.empty);
        let folds = self.header.folded && self.line_break && !last && !whitespace;
        if folds && empty == 0 {
            out.push(' ');
        }
        let breaks = empty + usize::from(self.line_break && !folds);
        out.extend(std::iter::repeat_n("\\n", breaks));
    }

    /// The block has ended.
    pub(super) fn end(&self, out: &mut String) {
        let breaks = match self.header.chomping {
            Some('-') => 0,
            None => 1,
            Some(_) => 1 + self.empty,
        };
        out.extend(std::iter::repeat_n("\\n", breaks));
        out.push('"');
    }
}
