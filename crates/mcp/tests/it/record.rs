//! The log.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use toolweir_mcp::{ChatConfig, ChatHost, Decision, HostCall, Instrumentation, Recorder, chunks};
use toolweir_rjson::{Mode, Value, parse};

use crate::support::{call, host, lines};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn types(&self) -> Vec<String> {
        let word = |line: &str| {
            let value = parse(line, Mode::Strict).unwrap().value;
            value.get("event_type").and_then(Value::as_str).unwrap().to_owned()
        };
        self.text().lines().map(word).collect()
    }
}

fn logged(instrumentation: Instrumentation) -> (ChatHost, Log) {
    let mut config = ChatConfig::default();
    config.instrumentation = instrumentation;
    let log = Log::default();
    let (host, _) = host(config);
    (host.with_recorder(Recorder::new(log.clone())), log)
}

#[tokio::test(start_paused = true)]
async fn calls_and_times_are_lines_without_a_payload() {
    let (host, log) = logged(Instrumentation::default());
    host.enhance_system_prompt("Be brief.").unwrap();
    let host = host.with_approval(|call: HostCall| async move {
        match &*call.name {
            "echo" => Decision::Refuse("canary-reason".into()),
            _ => Decision::Approve,
        }
    });
    let answer = ["late", "fail", "echo"].map(|tool| call(tool, "{\"k\": \"canary-argument\"}"));
    let answer = format!("canary-text {}", answer.concat());
    lines(host.process_streaming_response(chunks([answer])).unwrap()).await;
    let text = log.text();
    assert!(!text.contains("canary"), "{text}");
    let mut got: Vec<&str> = text.lines().collect();
    assert!(
        got[0].starts_with(
            r#"{"event_type":"system_prompt_enhanced","at_ms":0,"original_length":9,"#
        )
    );
    assert!(got[0].ends_with(r#""tools_count":8}"#));
    got.remove(0);
    got.sort_unstable();
    assert_eq!(
        got,
        [
            r#"{"event_type":"performance_metrics","at_ms":100,"total_ms":100,"first_text_ms":0,"chunks":1,"narrative_length":12,"calls":3,"succeeded":1,"failed":1,"refused":1,"max_running":2}"#,
            r#"{"event_type":"tool_call_detected","at_ms":0,"id":"seg_2","tool_name":"late","arguments_length":24,"repaired":false,"coerced":false}"#,
            r#"{"event_type":"tool_call_detected","at_ms":0,"id":"seg_3","tool_name":"fail","arguments_length":24,"repaired":false,"coerced":false}"#,
            r#"{"event_type":"tool_call_detected","at_ms":0,"id":"seg_4","tool_name":"echo","arguments_length":24,"repaired":false,"coerced":false}"#,
            r#"{"event_type":"tool_execution","at_ms":0,"id":"seg_3","tool_name":"fail","execution_time_ms":0,"success":false,"failure":"tool"}"#,
            r#"{"event_type":"tool_execution","at_ms":100,"id":"seg_2","tool_name":"late","execution_time_ms":100,"success":true,"result_length":4}"#,
            r#"{"event_type":"tool_refused","at_ms":0,"id":"seg_4","tool_name":"echo","reason":"denied"}"#,
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_most_calls_at_once_are_counted() {
    for (most, said) in [(1, "\"max_running\":1}"), (2, "\"max_running\":2}")] {
        let mut config = ChatConfig::default();
        config.calls.max_concurrent = most;
        let log = Log::default();
        let (host, _) = host(config);
        let host = host.with_recorder(Recorder::new(log.clone()));
        let answer = chunks([call("late", "{}").repeat(5)]);
        lines(host.process_streaming_response(answer).unwrap()).await;
        assert!(log.text().trim_end().ends_with(said), "{}", log.text());
    }
}

#[tokio::test(start_paused = true)]
async fn token_classifications_are_written_where_asked_for() {
    let mut all = Instrumentation::default();
    all.log_token_classifications = true;
    all.log_performance_metrics = false;
    let (host, log) = logged(all);
    let answer = chunks(["ab ".to_owned(), call("echo", "{}")]);
    lines(host.process_streaming_response(answer).unwrap()).await;
    assert_eq!(
        log.types(),
        ["token_classified", "token_classified", "tool_call_detected", "tool_execution"]
    );
    let text = log.text();
    let first = text.lines().next().unwrap();
    assert!(first.ends_with(r#""classification":"narrative","token_length":3}"#), "{first}");
}

#[tokio::test(start_paused = true)]
async fn a_writer_that_fails_or_panics_loses_lines_and_nothing_else() {
    struct Broken(bool);
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            assert!(!self.0, "a writer that panics");
            Err(io::Error::other("disk full"))
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for panics in [false, true] {
        let recorder = Recorder::new(Broken(panics));
        let (host, _) = host(ChatConfig::default());
        let host = host.with_recorder(recorder.clone());
        let answer = chunks([call("echo", "{}")]);
        let got = lines(host.process_streaming_response(answer).unwrap()).await;
        assert!(got.last().unwrap().contains("succeeded 1"));
        assert_eq!(recorder.lost(), 3);
    }
}
