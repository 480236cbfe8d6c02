//! The raw inside of one element of a text that is otherwise not read.

use crate::buf::Buf;
use crate::chars::is_blank;
use crate::tags::{CDATA, CDATA_END, TagKind, Tags};

/// The raw inside of the shallowest element with a name, the first of several at the same depth.
/// Comments, CDATA sections, processing instructions and quoted attribute values hide what they
/// hold; a self-closed element gives `""`; an element without a closing tag is none.
///
/// ```
/// use toolweir_rxml::extract_raw;
///
/// let text = "<call><!-- <body> --><body>a &lt; <b>c</b></body></call>";
/// assert_eq!(extract_raw(text, "body"), Some("a &lt; <b>c</b>"));
/// assert_eq!(extract_raw("<call><body/></call>", "body"), Some(""));
/// assert_eq!(extract_raw(text, "head"), None);
/// ```
#[must_use]
pub fn extract_raw<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut buf = Buf::default();
    buf.push(&hidden(text));
    let mut tags = Tags::new(false, &[], usize::MAX);
    tags.scan(&buf, true);
    let (mut depth, mut best) = (0_usize, None::<(usize, std::ops::Range<usize>)>);
    for seq in 0..tags.end() {
        let Some(tag) = tags.get(seq).filter(|tag| tag.whole) else { continue };
        let wanted = buf.slice(tag.name.clone()) == name
            && best.as_ref().is_none_or(|(known, _)| depth < *known);
        let mate = tag.mate.and_then(|mate| tags.get(mate));
        match (tag.kind, mate) {
            (TagKind::SelfClosed, _) if wanted => best = Some((depth, tag.end..tag.end)),
            (TagKind::Open, Some(mate)) => {
                if wanted {
                    best = Some((depth, tag.end..mate.start));
                }
                depth += 1;
            }
            (TagKind::Close, Some(_)) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.get(best?.1)
}

/// The text with what comments, CDATA sections and processing instructions hold blanked out, at the
/// same length.
fn hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut endless = [false; 3];
    while let Some(at) = rest.find('<') {
        let (before, markup) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let kinds = [("<!--", "-->"), (CDATA, CDATA_END), ("<?", "?>")];
        let mut length = 0;
        for ((begin, end), endless) in kinds.iter().zip(&mut endless) {
            if *endless || !markup.starts_with(begin) {
                continue;
            }
            let inside = markup.get(begin.len()..).unwrap_or("");
            match inside.find(end) {
                Some(found) => length = begin.len() + found + end.len(),
                None => *endless = true,
            }
        }
        if length == 0 {
            out.push('<');
            rest = markup.get(1..).unwrap_or("");
            continue;
        }
        let (skipped, behind) = markup.split_at_checked(length).unwrap_or((markup, ""));
        out.extend(skipped.bytes().map(|byte| if is_blank(byte) { '\n' } else { ' ' }));
        rest = behind;
    }
    out.push_str(rest);
    out
}
