//! `toolweir serve`: its settings, and that it answers.

use crate::served::Served;
use crate::{file, run, run_with};

#[test]
fn a_check_says_what_would_be_run() {
    let told = run(&["serve", "--check", "--demo"], "");
    assert_eq!((told.code, told.stderr.as_str()), (0, ""));
    assert!(told.stdout.starts_with("listen: 127.0.0.1:8787\n"), "{}", told.stdout);
    let settings = file(
        "serve",
        "gateway.toml",
        "upstream = 'http://h:1'\nformat = 'hermes'\nmode = 'emulate'\n",
    );
    let variables = [("TOOLWEIR_FORMAT", "qwen25")];
    let told =
        run_with(&variables, &["serve", "--check", "--config", &settings, "--mode", "clean"], "");
    assert!(
        told.stdout.contains("upstream: http://h:1/v1/chat/completions (chat)"),
        "{}",
        told.stdout
    );
    assert!(told.stdout.contains("mode: clean, format: qwen25"), "{}", told.stdout);
}

#[test]
fn a_check_says_whether_the_format_has_grammars() {
    let said = |words: &[&str]| {
        let own = ["serve", "--check", "--upstream", "http://h"];
        let variables = [("TOOLWEIR_MODE", "emulate")];
        let told = run_with(&variables, &[&own[..], words].concat(), "");
        assert_eq!((told.code, told.stderr.as_str()), (0, ""), "{words:?}");
        let mut lines = told.stdout.lines();
        lines.find_map(|line| line.strip_prefix("constrain: ")).unwrap().to_owned()
    };
    assert_eq!(said(&[]), "schema");
    assert_eq!(said(&["--no-constrain"]), "off");
    let held = said(&["--constrain", "structural-tag", "--format", "qwen3-coder"]);
    assert_eq!(held, "structural-tag, calls of `qwen3-coder` are held to a grammar");
    let by_model = said(&["--constrain", "gbnf"]);
    assert!(by_model.starts_with("gbnf, calls of `hermes` are held"), "{by_model}");
    assert!(by_model.ends_with("(other formats by the name of the model)"), "{by_model}");
    let free = said(&["--constrain", "lark", "--format", "segments-xml"]);
    assert!(free.contains("but format `segments-xml` has no grammar: "), "{free}");
    assert!(free.contains("a forced call goes as one object"), "{free}");
    let clean = said(&["--constrain", "gbnf", "--mode", "clean"]);
    assert!(clean.starts_with("none in the mode clean"), "{clean}");
    let variables = [("TOOLWEIR_CONSTRAIN", "gbnf")];
    let words = ["serve", "--check", "--upstream", "http://h", "--mode", "emulate"];
    assert!(run_with(&variables, &words, "").stdout.contains("\nconstrain: gbnf, "));
}

#[test]
fn what_cannot_be_used_is_said_with_the_fix() {
    let wrong = file("serve-wrong", "wrong.toml", "upstrem = 'http://h:1'\n");
    let rows: [(&[&str], &str); 9] = [
        (&[], "--demo"),
        (&["--upstream", "h"], "http://HOST:PORT"),
        (&["--upstream", "http://h", "--mode", "x"], "emulate, clean or pass"),
        (&["--upstream", "http://h", "--format", "no-such"], "toolweir formats"),
        (&["--upstream", "http://h", "--constrain", "ebnf"], "structural-tag, gbnf or lark"),
        (&["--upstream", "http://h", "--constrain", "gbnf", "--no-constrain"], "--no-constrain"),
        (
            &["--upstream", "http://h", "--upstream-kind", "ollama", "--constrain", "gbnf"],
            "use schema or off",
        ),
        (&["--upstream", "http://h", "--set", "malformd=drop"], "malformd"),
        (&["--upstream", "http://h", "--upstream-key-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE"),
    ];
    for (words, expected) in rows {
        let told = run(&[&["serve", "--check"], words].concat(), "");
        assert!(told.code == 2 && told.stderr.contains(expected), "{words:?}: {}", told.stderr);
    }
    let told = run(&["serve", "--check", "--config", &wrong], "");
    assert!(told.code == 2 && told.stderr.contains("upstrem"), "{}", told.stderr);
}

#[test]
fn the_demo_answers() {
    let served = Served::start(["--demo"]);
    let body = r#"{"model":"demo","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"dice"}}]}"#;
    let reply = served.post("/v1/chat/completions", body);
    assert!(reply.starts_with("HTTP/1.1 200") && reply.contains("\"name\":\"dice\""), "{reply}");
}
