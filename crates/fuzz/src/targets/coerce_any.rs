//! Values made to fit schemas: the result validates and is final, or there is an error; the
//! streaming reading gives JSON, the same at every split, and agrees with the whole value.

use toolweir_rjson::{Machine, Mode, Options, Value, parse, to_string};
use toolweir_schema_coerce::{
    Loss, NullOptional, Piece, Policy, Schema, SchemaLimits, StreamCoercer, Undeclared,
};

use crate::Source;
use crate::case;
use crate::json::{self, Style};
use crate::seeds;
use crate::source::Rng;

const TYPES: &[&str] = &["integer", "number", "string", "boolean", "null", "array", "object"];
const OTHERS: &[&str] = &[
    r#""enum":["a","today",1,null]"#,
    r#""const":6"#,
    r#""minimum":1"#,
    r#""multipleOf":2"#,
    r#""minLength":1"#,
    r#""maxItems":2"#,
    r#""uniqueItems":true"#,
    r#""required":["a"]"#,
    r#""additionalProperties":false"#,
    r#""nullable":true"#,
    r##""$ref":"#/$defs/R""##,
];

/// Tries one input; panics on a finding.
///
/// # Panics
/// When a promise is broken.
pub fn target(data: &[u8]) {
    let mut source = Source::new(data);
    let (how, seed) = (source.below(4), source.seed());
    let policy = policy(&mut source);
    let text = format!(
        r##"{{"allOf":[{}],"$defs":{{"R":{{"type":["array","integer"],"items":{{"$ref":"#/$defs/R"}}}}}}}}"##,
        schema(&mut source, 4)
    );
    let document = parse(&text, Mode::Strict).expect("a made schema is JSON").value;
    let compiled = Schema::compile(&document, &SchemaLimits::default());
    let compiled = compiled.unwrap_or_else(|e| panic!("{e}: {text}")).schema;
    let value = json::value(&mut source, Style::Relaxed, seeds::tokens(), 4);
    let Ok(parsed) = parse(&value, Mode::Relaxed) else { return };
    whole(&compiled, &parsed.value, &policy, &text);
    let cuts = case::cuts(&value, how, &mut Rng::new(seed));
    let one = streamed(&compiled, &policy, &value, &[]);
    let parts = streamed(&compiled, &policy, &value, &cuts);
    assert_eq!(one, parts, "{value:?} cut at {cuts:?} by {text}");
    let Ok(out) = parse(&one.wire, Mode::Strict) else {
        panic!("{one:?} from {value:?} by {text}");
    };
    // A key given twice goes out twice; a null left standing is held against nothing.
    let once = parsed.diagnostics.iter().all(|note| note.code != "rjson::duplicate-key");
    if once && policy.null_optional == NullOptional::Drop {
        agree(&compiled, &parsed.value, &policy, &one, &out.value, &text);
    }
}

/// What streamed is what the value as a whole becomes; a whole that cannot be made to fit is never
/// passed without a problem.
fn agree(
    schema: &Schema,
    value: &Value,
    policy: &Policy,
    streamed: &Streamed,
    out: &Value,
    text: &str,
) {
    let before = to_string(value);
    match schema.coerce(value.clone(), policy) {
        Ok(whole) if streamed.problems == 0 || whole.changes.is_empty() => {
            assert_eq!(streamed.problems, 0, "{before} validates by {text}");
            assert_eq!(to_string(out), to_string(&whole.value), "{before} by {text}");
        }
        Ok(_) => {
            // A root with a choice: the whole could be made to fit only by taking back what was out.
            assert!(schema.check(out).is_err(), "{before} became {streamed:?} by {text}");
        }
        Err(error) => {
            assert!(streamed.problems > 0, "{before} ({error}) became {streamed:?} by {text}");
        }
    }
}

/// What streamed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Streamed {
    wire: String,
    problems: usize,
}

fn whole(schema: &Schema, value: &Value, policy: &Policy, text: &str) {
    let before = to_string(value);
    let valid = schema.validate(value).is_ok();
    let result = schema.coerce(value.clone(), policy);
    assert_eq!(result, schema.coerce(value.clone(), policy), "twice: {before} by {text}");
    let Ok(coerced) = result else {
        assert!(!valid, "{before} validates by {text}, but is refused");
        return;
    };
    let after = to_string(&coerced.value);
    assert!(coerced.loss() <= Some(policy.allow), "{before} became {after} by {text}");
    if valid {
        assert_eq!(before, after, "validates by {text}");
    }
    if policy.null_optional == NullOptional::Drop {
        let check = schema.validate(&coerced.value);
        assert!(check.is_ok(), "{before} became {after} by {text}: {check:?}");
    }
    let again = schema.coerce(coerced.value, policy).map(|again| to_string(&again.value));
    assert_eq!(again, Ok(after), "again: {before} by {text}");
}

fn streamed(schema: &Schema, policy: &Policy, text: &str, cuts: &[usize]) -> Streamed {
    let mut coercer = StreamCoercer::new(schema, policy.clone());
    let mut machine = Machine::new(Options::new(Mode::Relaxed));
    let (mut out, mut from) = (Streamed::default(), 0);
    let mut take = |piece: Piece<'_>| match piece {
        Piece::Token(_, text) => out.wire.push_str(text),
        Piece::Problem(_) => out.problems += 1,
        _ => {}
    };
    for end in cuts.iter().copied().chain([text.len()]) {
        let mut input = &text[from..end];
        from = end;
        while let Ok(Some(token)) = machine.next(&mut input) {
            coercer.token(&token.kind, token.wire, &mut take);
        }
    }
    while let Ok(Some(token)) = machine.finish() {
        coercer.token(&token.kind, token.wire, &mut take);
    }
    out
}

fn policy(source: &mut Source<'_>) -> Policy {
    let mut policy = Policy::default();
    policy.allow = *source.pick(&[Loss::Format, Loss::None, Loss::Guess]);
    policy.null_optional = *source.pick(&[NullOptional::Drop, NullOptional::Keep]);
    policy.undeclared = *source.pick(&[Undeclared::Keep, Undeclared::Drop]);
    policy
}

fn schema(source: &mut Source<'_>, depth: usize) -> String {
    let mut keywords = vec![format!("\"type\":\"{}\"", source.word(TYPES))];
    if source.one_in(4) {
        keywords.clear();
    }
    for _ in 0..source.below(3) {
        keywords.push(source.word(OTHERS).to_owned());
    }
    let inner = |source: &mut Source<'_>| schema(source, depth.saturating_sub(1));
    if depth > 0 {
        match source.below(8) {
            1 => keywords.push(format!("\"items\":{}", inner(source))),
            2 | 3 => keywords.push(format!(
                r#""properties":{{"a":{},"a_b":{},"list":{}}}"#,
                inner(source),
                inner(source),
                inner(source)
            )),
            4 => keywords.push(format!("\"anyOf\":[{},{}]", inner(source), inner(source))),
            5 => keywords.push(format!("\"oneOf\":[{},{}]", inner(source), inner(source))),
            6 => keywords.push(format!("\"not\":{}", inner(source))),
            7 => keywords.push(format!(
                r#""if":{},"then":{},"else":{}"#,
                inner(source),
                inner(source),
                inner(source)
            )),
            _ => {}
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    keywords.retain(|k| seen.insert(k.split(':').next().unwrap_or_default().to_owned()));
    format!("{{{}}}", keywords.join(","))
}
