//! Output while the input is still coming, and output nobody reads.

use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::{Record, all, binary, run};

const CALL: &str = "Weaving.\n\n<tool_call>\n<function=loom_set>\n<parameter=pattern>\nherringbone\n\
                    </parameter>\n</function>\n</tool_call>";

#[test]
fn argument_bytes_come_before_the_end_of_the_call() {
    let parse = run(&["parse", "--format", "qwen3-coder", "--chunk", "1"], CALL);
    let records = parse.records();
    let place = |kind: &str| records.iter().position(|r| r.get("type") == kind).unwrap();
    let call_end = records.iter().rposition(|r| r.get("type") == "end").unwrap();
    assert!(place("name") < place("args") && place("args") < call_end);
    assert!(all(&records, "args", "text").len() > 5);
}

#[test]
fn events_are_out_before_the_rest_of_the_input_is_in() {
    let mut child = binary().args(["parse", "--format", "qwen3-coder"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    let reader = thread::spawn(move || {
        for line in stdout.lines() {
            sender.send(Record::read(&line.unwrap())).unwrap();
        }
    });
    let (half, rest) = CALL.split_at(CALL.find("bone").unwrap());
    stdin.write_all(half.as_bytes()).unwrap();
    let mut args = String::new();
    while !args.contains("herring") {
        let record = lines.recv_timeout(Duration::from_secs(60)).expect("arguments in time");
        if record.get("type") == "args" {
            args.push_str(&record.get("text"));
        }
    }
    stdin.write_all(rest.as_bytes()).unwrap();
    drop(stdin);
    reader.join().unwrap();
    let records: Vec<Record> = lines.try_iter().collect();
    args.extend(all(&records, "args", "text"));
    assert_eq!(args, "{\"pattern\":\"herringbone\"}");
    assert_eq!(records.last().unwrap().get("type"), "finish");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_closed_output_pipe_ends_quietly() {
    let words = ["parse", "--format", "hermes", "--chunk", "char"];
    let mut child = binary().args(words).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let feeder = thread::spawn(move || stdin.write_all(&vec![b'a'; 200_000]).ok());
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
