//! A kiln controller: programs of ramps, written as "20>600@100".

use std::collections::BTreeMap;
use std::fmt;

/// One ramp of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Ramp<'a> {
    pub name: &'a str,
    pub from: i32,
    pub to: i32,
}

impl fmt::Display for Ramp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{\"name\": \"{}\", \"to\": {}}}", self.name, self.to)
    }
}

pub fn parse(text: &str) -> Result<Vec<Ramp<'_>>, String> {
    let mut ramps = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((name, rest)) = line.split_once(": ") else {
            return Err(format!("line {}: no \": \" in {line:?}", number + 1));
        };
        let (from, to) = rest.split_once('>').ok_or("no '>' here")?;
        let number = |text: &str| text.trim().parse::<i32>().map_err(|e| e.to_string());
        ramps.push(Ramp { name, from: number(from)?, to: number(to)? });
    }
    Ok(ramps)
}

pub fn names() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([("bisque", "first firing"), ("glaze", "second firing"), ("", "none")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_read() {
        let ramps = parse("bisque: 20>1000\nglaze: 20>1230").expect("it can be read");
        assert_eq!(ramps[0].to_string(), r#"{"name": "bisque", "to": 1000}"#);
        assert_eq!(parse("x"), Err("line 1: no \": \" in \"x\"".to_owned()));
    }
}
