//! How well formats are detected: the texts of vector files that hold a call, each given to the detector
//! without its format.
//!
//! A text counts as detected if the first candidate is its format, or reads the same calls from it:
//! some formats are written alike.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;

use toolweir_protocols::detect::Detector;
use toolweir_protocols::{FormatError, ProtocolExt, Registry, Request, ToolCall, ToolSet};

use super::{Runner, TextCase};
use crate::case::Case;

/// What became of the texts. Displays as the share and the table of confusions, in Markdown.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Detection {
    /// Texts with a call of a format that is registered, but for the next ones.
    pub texts: usize,
    /// Texts that cannot be detected: forced calls, calls in tags of tools that are not known, and
    /// formats whose markers an option replaces.
    pub unmarked: usize,
    /// Texts whose format came first.
    pub right: usize,
    /// Texts where another format came first that reads the same calls.
    pub alike: Vec<Confusion>,
    /// Texts where another format came first, or none.
    pub confusions: Vec<Confusion>,
}

/// A text where another format came first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Confusion {
    /// The case.
    pub id: String,
    /// Its format.
    pub format: String,
    /// The first candidate, if there is one.
    pub found: Option<String>,
}

impl Detection {
    /// Detects the format of every text of vector files. `tools`: the detector is told the declared
    /// tools of each.
    ///
    /// # Errors
    /// An error of the file system, with the path in its message.
    pub fn of_vectors(
        registry: &Registry,
        paths: &[impl AsRef<Path>],
        tools: bool,
    ) -> io::Result<Self> {
        let cases = Runner::new(registry.clone()).texts(paths)?;
        let detector = Detector::new(registry);
        let mut all = Self::default();
        for case in cases.into_iter().filter(|case| case.calls > 0) {
            let request = request(&case);
            all.add(registry, &detector, (case.id, &case.format, &case.text), &request, tools);
        }
        Ok(all)
    }

    /// The same for fixtures: those of which their own format reads a call.
    #[must_use]
    pub fn of_cases(registry: &Registry, cases: &[Case], tools: bool) -> Self {
        let detector = Detector::new(registry);
        let mut all = Self::default();
        for case in cases {
            let Ok(request) = case.request() else { continue };
            if calls(registry, &case.format, &case.text, &request).is_some() {
                let id = format!("{}/{}", case.format, case.name);
                all.add(registry, &detector, (id, &case.format, &case.text), &request, tools);
            }
        }
        all
    }

    fn add(
        &mut self,
        registry: &Registry,
        detector: &Detector,
        (id, format, text): (String, &str, &str),
        request: &Request,
        tools: bool,
    ) {
        let Ok(format) = registry.get(format) else { return };
        // A reasoning family may have the name of a format that is not there.
        let call = format.format_tool_call(&ToolCall::new("name", "{}"));
        if matches!(call, Err(FormatError::NoCalls { .. })) {
            return;
        }
        let told = if tools { Request::new(request.tools.clone()) } else { Request::default() };
        // Options make another format of it; without a marker nothing shows which one it is.
        let lower = text.to_ascii_lowercase();
        let marker = |marker: &String| lower.contains(&marker.to_ascii_lowercase());
        if !request.options.is_empty() || !format.markers(&told).iter().any(marker) {
            self.unmarked += 1;
            return;
        }
        let found = detector.transcript(text, &told).into_iter().next();
        let found = found.map(|candidate| candidate.format);
        self.texts += 1;
        if found.as_deref() == Some(format.name()) {
            self.right += 1;
            return;
        }
        let calls = |name: &str| calls(registry, name, text, request);
        let own = calls(format.name());
        let same = own.is_some() && found.as_deref().and_then(calls) == own;
        let list = if same { &mut self.alike } else { &mut self.confusions };
        list.push(Confusion { id, format: format.name().to_owned(), found });
    }

    /// Of how many texts the format, or one that reads the same calls, came first: between 0 and 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        count(self.right + self.alike.len()) / count(self.texts.max(1))
    }
}

impl fmt::Display for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { texts, unmarked, right, alike, confusions } = self;
        let share = 100.0 * self.share();
        writeln!(
            f,
            "{texts} texts with a call: {right} detected, {} as a format that reads the same \
             calls, {} otherwise: {share:.1} % ({unmarked} texts without markers apart)",
            alike.len(),
            confusions.len(),
        )?;
        for (title, list) in [("the same calls", alike), ("other calls", confusions)] {
            if !list.is_empty() {
                writeln!(f, "\n| format | found, {title} | texts | for one |")?;
                writeln!(f, "| --- | --- | --: | --- |")?;
            }
            let mut table: BTreeMap<(&str, &str), (usize, &str)> = BTreeMap::new();
            for confusion in list {
                let found = confusion.found.as_deref().unwrap_or("none");
                table.entry((&confusion.format, found)).or_insert((0, &confusion.id)).0 += 1;
            }
            for ((format, found), (count, id)) in table {
                writeln!(f, "| {format} | {found} | {count} | {id} |")?;
            }
        }
        Ok(())
    }
}

/// What the case is decoded with. Options that the registry does not know leave their defaults.
fn request(case: &TextCase) -> Request {
    let (tools, _) = ToolSet::lenient(case.tools.iter().cloned());
    let mut request = Request::new(tools);
    for (key, value) in &case.options {
        _ = request.set(key, value);
    }
    request
}

/// Names and arguments of the calls that a format reads, if it reads any.
fn calls(
    registry: &Registry,
    format: &str,
    text: &str,
    request: &Request,
) -> Option<Vec<(String, String)>> {
    let turn = registry.get(format).ok()?.parse(text, request).ok()?;
    let calls = turn.every_call().map(|call| (call.name.to_owned(), call.arguments.to_owned()));
    Some(calls.collect()).filter(|calls: &Vec<_>| !calls.is_empty())
}
