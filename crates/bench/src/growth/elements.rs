//! Families of elements, read by a schema with repair and without.

use toolweir_rxml::{Error, Options, parse};

use super::{Family, fill, over_text};
use crate::foundation::schema;

/// A string, an integer, two lists and an object.
const SCHEMA: &str = r#"{"type":"object","properties":{"k":{"type":"string"},"m":{"type":"integer"},"t":{"type":"array","items":{"type":"string"}},"n":{"type":"array","items":{"type":"integer"}},"o":{"type":"object","properties":{"k":{"type":"string"}}}}}"#;

/// Every family, with repair and without.
pub(crate) fn families() -> Vec<Family> {
    let mut all = Vec::new();
    for (reader, repair) in [("rxml", false), ("rxml, repair", true)] {
        for &(name, before, unit, after) in FLOODS {
            let make = move |bytes| {
                let mut options = Options::default();
                options.repair = repair;
                options.max_attributes = usize::MAX;
                options.throw_on_duplicate_string_tags = false;
                let schema = schema(SCHEMA);
                let text = format!("{before}{}{after}", fill(unit, bytes));
                over_text(text, move |text| match parse(text, &schema, &options) {
                    // Not how far it read, but what it knew: what follows was still scanned
                    // when the error is that something has no end.
                    Err(Error::Parse { span, .. }) => Some(known(text, span.as_range())),
                    _ => None,
                })
            };
            all.push(Family { reader, name, make: Box::new(make) });
        }
    }
    all
}

/// The end of what the error is about; of an element that has no end, the end of the text.
fn known(text: &str, span: std::ops::Range<usize>) -> usize {
    let end = span.end;
    let opener = text.get(span).is_some_and(|tag| tag.starts_with('<') && tag.ends_with('>'));
    if opener { end.max(text.len()) } else { end }
}

/// Name, beginning, what comes again and again, end.
const FLOODS: &[(&str, &str, &str, &str)] = &[
    ("own-name nesting", "<k>", "<k>x</k>", "</k>"),
    ("own name opened", "<k>", "<k>", "</k>"),
    ("own name opened, no end", "", "<k>", ""),
    ("own name, half closed", "", "<k><k></k>", "</k>"),
    ("less-than signs in a string", "<k>", "<", "</k>"),
    ("less-than signs, no end", "<k>", "<", ""),
    ("ampersands", "<k>", "&", "</k>"),
    ("references", "<k>", "&lt;&#x41;&amp;", "</k>"),
    ("half references", "<k>", "&#x4", "</k>"),
    ("open sections", "<k>", "<![CDATA[", "</k>"),
    ("sections", "<k>", "<![CDATA[<]]>", "</k>"),
    ("open comments", "<o>", "<!--", "</o>"),
    ("comments", "<o>", "<!-- a -->", "</o>"),
    ("instructions", "<o>", "<?a b?>", "</o>"),
    ("stray closers", "<o>", "</z>", "</o>"),
    ("stray closers in a string", "<k>", "</z>", "</k>"),
    ("one long tag", "<o ", "a='b' ", "></o>"),
    ("one long name", "<", "k", ">"),
    ("one long attribute", "<o a=\"", "it's ", "\"></o>"),
    ("quotes in a tag", "<o a=", "\"'", ">"),
    ("blanks", "<k>", " \n", "</k>"),
    ("blanks between elements", "<k>x</k>", " \n", "<m>1</m>"),
    ("entries", "<t>", "<item>x</item>", "</t>"),
    ("entries never closed", "<t>", "<item>x", "</t>"),
    ("a list, repeated", "", "<t>x</t>", ""),
    ("integers, repeated", "", "<n>1</n>", ""),
    ("a string, repeated", "", "<k>x</k>", ""),
    ("undeclared elements", "", "<z>1</z>", ""),
    ("undeclared text", "<z>", "words ", "</z>"),
    ("alternating, never closed", "", "<k>x<m>1", ""),
    ("other letter case", "", "<K>x</k>", ""),
    ("blanks in closers", "", "<t>x</ t>", ""),
    ("text beside elements", "<o>", "word<k>x</k>", "</o>"),
    ("unterminated string", "<k>", "some words of code; ", ""),
];
