//! Long files and long functions. A note to the reader, not a rule: tables are long by nature.
//!
//! Works on formatted code: a function ends at the first line that is its own indentation and a
//! closing brace.

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 50;

/// One line for the file if it is long, and one for each long function in it.
pub(crate) fn report(path: &str, text: &str) -> Vec<String> {
    let count = text.lines().count();
    let file = (count > FILE_LINES).then(|| format!("{path}: {count} lines"));
    let functions = functions(text)
        .into_iter()
        .filter(|f| f.lines > FUNCTION_LINES)
        .map(|f| format!("{path}:{}: `{}` has {} lines", f.start, f.name, f.lines));
    file.into_iter().chain(functions).collect()
}

#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    /// Its first line, counted from 1.
    start: usize,
    /// From the line with `fn` to its closing brace.
    lines: usize,
}

/// Every function with a body, in the order of their ends.
fn functions(text: &str) -> Vec<Function> {
    let mut open: Vec<(&str, String, usize)> = Vec::new();
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.trim_start();
        let indent = line.strip_suffix(code).unwrap_or_default();
        if let Some(name) = declared(code) {
            let one_line = code.ends_with('}') || code.ends_with(';');
            if one_line {
                found.push(Function { name, start: number, lines: 1 });
            } else {
                open.push((indent, name, number));
            }
            continue;
        }
        let ends = |outer: &&str| *outer == indent && (code == "}" || code.ends_with(");"));
        // A signature over several lines may end without a body; it closes at `);` or `…;`.
        if open.last().is_some_and(|(outer, ..)| ends(outer))
            && let Some((_, name, start)) = open.pop()
        {
            found.push(Function { name, start, lines: number - start + 1 });
        }
    }
    found
}

/// The name, if a line of code declares a function.
fn declared(code: &str) -> Option<String> {
    let mut words = code.split_whitespace();
    loop {
        match words.next()? {
            "fn" => break,
            "const" | "async" | "unsafe" | "extern" | "default" => {}
            word if word.starts_with("pub") || word.starts_with('"') => {}
            _ => return None,
        }
    }
    let name = words.next()?.split(['(', '<']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{declared, functions, report};

    fn function(lines: usize) -> String {
        format!("    fn body() {{\n{}    }}\n", "        work();\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_is_counted_from_its_name_to_its_brace() {
        let text = format!("impl A {{\n{}}}\n", function(5));
        let found = functions(&text);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].start, found[0].lines), ("body", 2, 5));
    }

    #[test]
    fn inner_functions_and_bodiless_ones_do_not_confuse_the_outer() {
        let text = "fn outer() {\n    fn inner() {\n        x();\n    }\n    inner();\n}\n\
                    trait T {\n    fn a(\n        &self,\n    );\n    fn b(&self);\n}\n";
        let found: Vec<(String, usize)> =
            functions(text).into_iter().map(|f| (f.name, f.lines)).collect();
        let expected = [("inner", 3), ("outer", 6), ("a", 3), ("b", 1)];
        assert_eq!(found, expected.map(|(name, lines)| (name.to_owned(), lines)));
    }

    #[test]
    fn only_what_is_over_the_line_is_reported() {
        assert!(report("a.rs", &function(50)).is_empty());
        assert_eq!(report("a.rs", &function(51)), ["a.rs:1: `body` has 51 lines"]);
        assert_eq!(report("a.rs", &"//\n".repeat(401)), ["a.rs: 401 lines"]);
    }

    #[test]
    fn words_before_fn_are_skipped_and_other_lines_are_not_functions() {
        assert_eq!(declared("pub(crate) const fn a<T>(x: T) {").as_deref(), Some("a"));
        assert_eq!(declared("extern \"C\" fn b() {").as_deref(), Some("b"));
        assert_eq!(declared("let f = |x| fn_like(x);"), None);
        assert_eq!(declared("// fn a() {"), None);
    }
}
