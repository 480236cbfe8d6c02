use super::{ConfigError, Constrain, Mode, Settings};
use crate::upstream::UpstreamKind;

fn targets(upstream: &str, kind: UpstreamKind) -> (String, String) {
    let settings = Settings {
        upstream: Some(upstream.into()),
        upstream_kind: Some(kind),
        ..Settings::default()
    };
    let config = settings.into_config().unwrap();
    (config.target.to_string(), config.models.to_string())
}

#[test]
fn an_address_may_be_the_servers_the_versions_or_whole() {
    let whole = "http://h:1/v1/chat/completions".to_owned();
    for given in ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/", &*whole] {
        let (target, models) = targets(given, UpstreamKind::Chat);
        assert_eq!((target, models.as_str()), (whole.clone(), "http://h:1/v1/models"), "{given}");
    }
    assert_eq!(
        targets("https://h/openai/v1", UpstreamKind::Chat).0,
        "https://h/openai/v1/chat/completions"
    );
    assert_eq!(targets("http://h:2", UpstreamKind::Ollama).0, "http://h:2/api/chat");
    assert_eq!(targets("http://h:2/v1", UpstreamKind::Completions).0, "http://h:2/v1/completions");
}

#[test]
fn what_cannot_be_used_is_refused_with_the_fix() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings { upstream: Some("http://h".into()), ..Settings::default() };
        change(&mut settings);
        settings.into_config().map(|config| config.mode).unwrap_err()
    };
    assert_eq!(with(|s| s.upstream = None), ConfigError::NoUpstream);
    assert!(matches!(with(|s| s.upstream = Some("localhost:80".into())), ConfigError::Upstream(_)));
    assert!(matches!(with(|s| s.upstream = Some("ftp://h".into())), ConfigError::Upstream(_)));
    assert!(matches!(with(|s| s.listen = Some("8787".into())), ConfigError::Listen(_)));
    let open = with(|s| {
        s.listen = Some("0.0.0.0:1".into());
        s.upstream_key = Some(super::Key::new("secret"));
    });
    assert!(
        matches!(open, ConfigError::OpenRelay(_)) && !format!("{open:?} {open}").contains("secret")
    );
    let mode = with(|s| {
        s.upstream_kind = Some(UpstreamKind::Completions);
        s.mode = Some(Mode::Clean);
    });
    assert_eq!(mode, ConfigError::Mode);
    for value in [Constrain::StructuralTag, Constrain::Gbnf, Constrain::Lark] {
        let settings = Settings {
            upstream: Some("http://h".into()),
            upstream_kind: Some(UpstreamKind::Ollama),
            constrain: Some(value),
            ..Settings::default()
        };
        let wrong = settings.into_config().unwrap_err();
        assert_eq!(wrong, ConfigError::Constrain(value));
        assert!(wrong.to_string().contains(value.word()), "{wrong}");
    }
}

#[test]
fn flags_come_before_the_environment_and_that_before_the_file() {
    let file = Settings::from_toml("upstream = 'http://f'\nformat = 'hermes'\nmode = 'pass'\nconstrain = false\n[model-map]\na = 'b'\n[set]\nunclosed = 'text'").unwrap();
    let env = Settings::from_env(|name| match name {
        "TOOLWEIR_UPSTREAM" => Some("http://e".into()),
        "TOOLWEIR_MODE" => Some("emulate".into()),
        "TOOLWEIR_CONSTRAIN" => Some("gbnf".into()),
        "TOOLWEIR_UPSTREAM_KEY" => Some("secret".into()),
        _ => None,
    });
    let flags = Settings { upstream: Some("http://x".into()), ..Settings::default() };
    let config = flags.or(env.unwrap()).or(file).into_config().unwrap();
    assert_eq!(
        (config.target.host(), config.mode, &*config.format),
        (Some("x"), Mode::Emulate, "hermes")
    );
    assert_eq!(config.constrain, Constrain::Gbnf);
    assert_eq!(config.model_map["a"], "b");
    assert_eq!(config.settings["unclosed"], "text");
    assert!(!format!("{config:?}").contains("secret"));
    assert!(
        Settings::from_env(|_| Some("x".into()))
            .unwrap_err()
            .to_string()
            .contains("emulate, clean or pass")
    );
}

#[test]
fn options_of_a_file_may_be_numbers_booleans_and_lists() {
    let file = Settings::from_toml(
        "[set]\nunclosed = 'text'\nmax_calls = 3\ndeny_prototype_keys = true\ndeny_keys = ['a', 'b']",
    );
    let set = file.unwrap().set;
    let values: Vec<&str> = set.values().map(String::as_str).collect();
    assert_eq!(values, ["[\"a\",\"b\"]", "true", "3", "text"]);
    let wrong = Settings::from_toml("[set]\nmax_calls = 1.5").unwrap_err().to_string();
    assert!(wrong.contains("line 2") && wrong.contains("a whole number"), "{wrong}");
}
