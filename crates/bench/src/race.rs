//! Several ways of doing the same, timed turn and turn about in one run.

use toolweir_yardstick::clock::time;

/// One way: does the work so many times and gives the nanoseconds of one, or says what is wrong.
pub(crate) type Way<'a> = Box<dyn FnMut(usize) -> Result<f64, String> + 'a>;

/// How long, and how often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// One pass takes about so many nanoseconds: short work is done several times.
    pub(crate) pass_ns: f64,
    pub(crate) rounds: usize,
}

impl Pace {
    /// The pace of a whole run, or of the short one that only sees that everything runs.
    pub(crate) fn new(rounds: usize, smoke: bool) -> Self {
        Self { pass_ns: if smoke { 2e5 } else { 5e6 }, rounds: rounds.max(1) }
    }
}

/// The most one pass repeats, so that a work may prepare its inputs beforehand.
const MOST: usize = 20_000;
/// A way whose one run takes longer gets one round.
const SLOW: f64 = 2e9;

/// A way that runs in this process.
pub(crate) fn here<'a, T>(mut run: impl FnMut() -> T + 'a) -> Way<'a> {
    Box::new(move |times| Ok(time(times, &mut run)))
}

/// A way whose inputs are made beforehand, as it uses them up.
pub(crate) fn prepared<'a, I: 'a, T>(
    mut make: impl FnMut() -> I + 'a,
    mut run: impl FnMut(I) -> T + 'a,
) -> Way<'a> {
    Box::new(move |times| {
        let mut inputs: Vec<I> = (0..times).map(|_| make()).collect();
        Ok(time(times, || inputs.pop().map(&mut run)))
    })
}

/// The least nanoseconds of each way, or what went wrong with it; the others go on.
pub(crate) fn race(ways: &mut [Way<'_>], pace: Pace) -> Vec<Result<f64, String>> {
    // The first run warms up, the second says how often a pass repeats the work.
    let mut least: Vec<_> = ways.iter_mut().map(|way| way(1).and_then(|_| way(1))).collect();
    let first = least.clone();
    for round in 0..pace.rounds {
        for ((way, least), first) in ways.iter_mut().zip(&mut least).zip(&first) {
            let (Ok(first), Ok(so_far)) = (first, &*least) else { continue };
            if *first > SLOW && round > 0 {
                continue;
            }
            let times = (pace.pass_ns / first.max(1.0)).clamp(1.0, MOST as f64);
            *least = way(times as usize).map(|found| found.min(*so_far));
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_counts_and_a_way_that_fails_stops_no_other() {
        let mut passes = [9.0, 8.0, 3.0, 5.0].into_iter();
        let ways: &mut [Way<'_>] = &mut [
            Box::new(move |_| Ok(passes.next().unwrap_or(f64::MAX))),
            Box::new(|_| Err("not there".to_owned())),
            prepared(|| vec![1], |input: Vec<i32>| assert_eq!(input, [1])),
        ];
        let found = race(ways, Pace { pass_ns: 10.0, rounds: 2 });
        assert_eq!(found[0], Ok(3.0));
        assert_eq!(found[1], Err("not there".to_owned()));
        assert!(found[2].as_ref().is_ok_and(|ns| *ns >= 0.0));
    }
}
