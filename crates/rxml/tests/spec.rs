//! The sentences of the specification that `rules.rs`, `codes.rs` and `bounds.rs` leave open, in its
//! order. What streams is read at every split.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "helpers of tests are tests too"
)]

mod common;

use common::{by_chunks, codes, properties, read, repairing, value};
use toolweir_rxml::{
    Error, Event, Machine, Node, NodeOptions, Options, ParseErrorKind, WriteOptions, extract_raw,
    filter, find, parse, parse_node, parse_without_schema, simplify, stringify,
};
use toolweir_schema_coerce::Schema;

const K: &str = "{k:{type:'string'},m:{type:'integer'}}";

fn plain(text: &str, members: &str) -> String {
    read(text, &properties(members), &Options::default())
}

fn repaired(text: &str, members: &str) -> String {
    read(text, &properties(members), &repairing())
}

fn any(text: &str) -> String {
    read(text, &Schema::any(), &Options::default())
}

mod contract {
    use super::*;

    #[test]
    fn options_have_the_defaults_that_are_promised() {
        let options = Options::default();
        assert!(!options.repair && !options.partial && options.throw_on_duplicate_string_tags);
        assert_eq!((options.text_node_name.as_str(), options.max_depth), ("#text", 128));
        assert_eq!(options.max_attributes, 256);
        assert!(options.no_child_nodes.is_empty());
        let nodes = NodeOptions::default();
        assert!(!nodes.keep_comments && !nodes.keep_whitespace);
    }

    #[test]
    fn the_default_limits_are_the_last_that_pass() {
        let deep = |depth: usize| format!("{}x{}", "<a>".repeat(depth), "</a>".repeat(depth));
        assert!(parse_without_schema(&deep(128), &Options::default()).is_ok());
        let error = parse_without_schema(&deep(129), &Options::default()).unwrap_err();
        assert!(matches!(error, Error::Parse { kind: ParseErrorKind::TooDeep, .. }));
        let many = |count: usize| {
            let attributes: String = (0..count).map(|i| format!(" a{i}")).collect();
            format!("<z{attributes}/>")
        };
        assert!(parse_without_schema(&many(256), &Options::default()).is_ok());
        let error = parse_without_schema(&many(257), &Options::default()).unwrap_err();
        assert!(matches!(error, Error::Parse { kind: ParseErrorKind::TooManyAttributes, .. }));
    }

    #[test]
    fn the_key_for_text_can_be_named() {
        let mut options = Options::default();
        options.text_node_name = "words".to_owned();
        let text = "<n>about <k>4</k></n>";
        assert_eq!(read(text, &Schema::any(), &options), r#"{"n":{"k":"4","words":"about"}}"#);
        let note = properties("{note:{type:'object',properties:{words:{type:'integer'}}}}");
        let text = "<note a=b>4</note>";
        assert_eq!(read(text, &note, &options), r#"{"note":{"@_a":"b","words":4}}"#);
    }

    #[test]
    fn names_without_content_are_those_that_are_given() {
        for name in ["meta", "link", "input", "param", "br", "img"] {
            assert_eq!(any(&format!("<{name}>x</{name}>")), format!("{{\"{name}\":\"x\"}}"));
        }
        let mut options = Options::default();
        options.no_child_nodes = vec!["br".to_owned()];
        let text = "<o>a<br>b</o>";
        assert_eq!(read(text, &Schema::any(), &options), r##"{"o":{"br":"","#text":"ab"}}"##);
    }

    #[test]
    fn names_are_letters_and_signs_and_compared_by_bytes() {
        for name in ["a", "_b", "c-1.d", "p:q", "città", "constructor", "prototype", "7"] {
            assert_eq!(any(&format!("<{name}>x</{name}>")), format!("{{\"{name}\":\"x\"}}"));
        }
        assert_eq!(any("<A>1</A><a>2</a>"), r#"{"A":"1","a":"2"}"#);
        assert_eq!(any("<p:k>1</p:k><k>2</k>"), r#"{"p:k":"1","k":"2"}"#);
    }

    #[test]
    fn a_sign_that_begins_no_tag_is_text_of_a_string() {
        for text in ["a <", "a < b", "a <1b>", "a <-", "a <>", "i<n;", "a <b", "x </ b>"] {
            let wanted = format!("{{\"k\":\"{text}\"}}");
            assert_eq!(plain(&format!("<k>{text}</k>"), K), wanted, "{text}");
        }
    }

    #[test]
    fn quotes_in_attributes_protect_the_end_of_a_tag() {
        assert_eq!(
            any(r#"<z a="x>y" b='>'>t</z>"#),
            r##"{"z":{"@_a":"x>y","@_b":">","#text":"t"}}"##
        );
        assert_eq!(plain(r#"<k a=">">x</k>"#, K), r#"{"k":"x"}"#);
    }
}

mod elements {
    use super::*;

    #[test]
    fn text_between_elements_is_reported_with_its_place() {
        let parsed = parse("a<m>4</m> b", &properties(K), &Options::default()).unwrap();
        let places: Vec<_> =
            parsed.diagnostics.iter().map(|d| (d.code.as_str(), d.span.as_range())).collect();
        assert_eq!(places, [("rxml::stray-text", 0..1), ("rxml::stray-text", 9..11)]);
    }

    #[test]
    fn a_root_is_not_unwrapped_where_nothing_is_declared_or_it_is_declared() {
        assert_eq!(any("<call><m>4</m></call>"), r#"{"call":{"m":"4"}}"#);
        assert_eq!(plain("<m>4</m>", K), r#"{"m":4}"#);
    }

    #[test]
    fn a_string_is_every_schema_that_takes_one() {
        for member in
            ["{enum:['a b','c']}", "{type:'string',format:'date'}", "{type:['string','null']}"]
        {
            let known = format!("{{k:{member}}}");
            assert_eq!(plain("<k>c</k>", &known), r#"{"k":"c"}"#, "{member}");
        }
        let either = "{k:{anyOf:[{type:'string'},{type:'integer'}]}}";
        assert_eq!(plain("<k>a<b>c</b></k>", either), r#"{"k":"a<b>c</b>"}"#);
        assert_eq!(plain("<k> 'c' </k>", "{k:{enum:['a b','c']}}"), r#"{"k":"c"}"#);
    }

    #[test]
    fn scalars_are_their_text_with_references_decoded() {
        let known = "{n:{type:'number'},b:{type:'boolean'},z:{type:'null'}}";
        assert_eq!(plain("<n>&#52;.5</n><b>TRUE</b>", known), r#"{"n":4.5,"b":true}"#);
        assert_eq!(plain("<n><![CDATA[ 4 ]]></n>", known), r#"{"n":4}"#);
        assert_eq!(plain("<z>null</z>", known), r#"{"z":null}"#);
        for text in ["<n/>", "<b/>", "<n><x/></n>", "<b>maybe</b>"] {
            assert_eq!(plain(text, known), "coercion", "{text}");
        }
    }

    #[test]
    fn undeclared_text_is_never_a_number() {
        assert_eq!(any("<a> 12 </a><b>true</b>"), r#"{"a":" 12 ","b":"true"}"#);
    }

    #[test]
    fn a_member_that_is_no_list_and_no_string_comes_once() {
        let known = "{m:{type:'integer'},o:{type:'object'}}";
        assert_eq!(plain("<m>1</m><m>1</m>", known), "coercion");
        assert_eq!(plain("<o/><o/>", known), "coercion");
        assert_eq!(plain("<z>1</z><o/><z>2</z>", known), r#"{"z":["1","2"],"o":{}}"#);
    }

    #[test]
    fn tags_inside_the_raw_text_of_another_string_are_no_repetition() {
        let known = "{k:{type:'string'},c:{type:'string'}}";
        assert_eq!(plain("<c>see <k>x</k></c><k>y</k>", known), r#"{"c":"see <k>x</k>","k":"y"}"#);
        let nested = "{k:{type:'string'},o:{type:'object',properties:{k:{type:'string'}}}}";
        assert_eq!(plain("<o><k>x</k></o><k>y</k>", nested), r#"{"o":{"k":"x"},"k":"y"}"#);
    }

    #[test]
    fn pieces_of_text_are_joined_in_order_and_trimmed() {
        let wanted = r##"{"n":{"a":"1","b":"2","#text":"x  y"}}"##;
        assert_eq!(any("<n>\n x <a>1</a>\n<b>2</b> y\n</n>"), wanted);
    }

    #[test]
    fn attributes_come_before_children_and_are_typed_by_their_schema() {
        let known = "{o:{type:'object',properties:{'@_n':{type:'integer'},a:{type:'string'}}}}";
        assert_eq!(plain("<o n='4'><a>x</a></o>", known), r#"{"o":{"@_n":4,"a":"x"}}"#);
        assert_eq!(any("<o n='4' f/>"), r#"{"o":{"@_n":"4","@_f":"true"}}"#);
        for text in ["<k a='1'>x</k>", "<m a='1'>4</m>"] {
            let found = codes(text, &properties(K), &Options::default());
            assert_eq!(found, ["rxml::ignored-attribute"], "{text}");
        }
    }

    #[test]
    fn elements_without_content_are_empty_values() {
        let known = "{k:{type:'string'},t:{type:'array'},o:{type:'object'}}";
        let wanted = r#"{"k":"","t":[],"o":{},"z":""}"#;
        assert_eq!(plain("<k/><t/><o/><z/>", known), wanted);
        assert_eq!(plain("<k></k><t></t><o></o><z></z>", known), wanted);
    }
}

mod strings {
    use super::*;

    #[test]
    fn nothing_is_trimmed_or_changed() {
        for raw in [" x ", "\r\n\tx\r\n", "<!-- c -->", "<m>1</m>", "</m>", "a & b", "<?p?>"] {
            let parsed = parse(&format!("<k>{raw}</k>"), &properties(K), &Options::default());
            let value = parsed.unwrap().value;
            assert_eq!(value.get("k").and_then(|k| k.as_str()), Some(raw));
        }
    }

    #[test]
    fn tags_of_the_own_name_count_only_as_whole_words_and_if_not_closed() {
        assert_eq!(plain("<k>a <kk> b</k>", K), r#"{"k":"a <kk> b"}"#);
        assert_eq!(plain("<k>a <k x='1'>b</k\n> c</k>", K), r#"{"k":"a <k x='1'>b</k\n> c"}"#);
        assert_eq!(plain("<k>a <k /> c</k>", K), r#"{"k":"a <k /> c"}"#);
    }

    #[test]
    fn references_are_decoded_once_and_only_known_ones() {
        assert_eq!(plain("<k>&amp;gt; &lt;&#65;&#x42;</k>", K), r#"{"k":"&gt; <AB"}"#);
        assert_eq!(plain("<k>&nbsp; &lt &; & &#0;</k>", K), r#"{"k":"&nbsp; &lt &; & &#0;"}"#);
    }

    #[test]
    fn entries_of_a_list_follow_the_same_rules() {
        let tags = "{t:{type:'array',items:{type:'string'}}}";
        let text = "<t><item> &lt;b&gt; </item><item><![CDATA[</item>]]></item></t>";
        assert_eq!(plain(text, tags), r#"{"t":[" <b> ","</item>"]}"#);
        assert_eq!(plain("<t><b>&amp;</b></t>", tags), r#"{"t":["<b>&</b>"]}"#);
    }
}

mod lists {
    use super::*;

    #[test]
    fn tuples_are_read_by_place_and_need_every_place() {
        let pair = "{p:{type:'array',prefixItems:[{type:'string'},{type:'integer'}]}}";
        assert_eq!(plain("<p><1>4</1><0>a</0></p>", pair), r#"{"p":["a",4]}"#);
        let ints = "{n:{type:'array',items:{type:'integer'}}}";
        assert_eq!(plain("<n><0>7</0></n>", ints), r#"{"n":[7]}"#);
    }

    #[test]
    fn numbers_are_made_of_entries_by_the_schema_only() {
        let ints = "{n:{type:'array',items:{type:'integer'}}}";
        assert_eq!(plain("<n><item>1</item><item>2</item></n>", ints), r#"{"n":[1,2]}"#);
        assert_eq!(plain("<n>1\n2</n>", ints), r#"{"n":[1,2]}"#);
        assert_eq!(any("<n>1</n><n>2</n>"), r#"{"n":["1","2"]}"#);
        assert_eq!(plain("<n>x</n><n>2</n>", ints), "coercion");
    }

    #[test]
    fn no_entry_is_lost_whatever_it_holds() {
        let rows = "{r:{type:'array',items:{type:'object',properties:{id:{type:'integer'}}}}}";
        assert_eq!(plain("<r/><r><id>2</id></r><r/>", rows), r#"{"r":[{},{"id":2},{}]}"#);
        let tags = "{t:{type:'array',items:{type:'string'}}}";
        assert_eq!(plain("<t></t><t>2</t>", tags), r#"{"t":["","2"]}"#);
    }
}

mod repair {
    use super::*;

    #[test]
    fn white_space_before_an_assumed_end_goes_and_no_other() {
        assert_eq!(repaired("<k> x \n<m>2</m>", K), r#"{"k":" x","m":2}"#);
        assert_eq!(repaired("<k> x </K>", K), r#"{"k":" x "}"#);
    }

    #[test]
    fn nothing_is_guessed_between_two_declared_names() {
        let known = "{key:{type:'string'},Key:{type:'string'}}";
        let text = "<KEY>x</KEY><key>y</key>";
        assert_eq!(repaired(text, known), r#"{"KEY":"x","key":"y"}"#);
        assert_eq!(plain("<KEY>x</KEY>", "{key:{type:'string'}}"), "parse");
    }

    #[test]
    fn no_tag_is_inserted_in_a_string_that_has_its_own_end() {
        assert_eq!(repaired("<k>a <m>1 </z> b</k>", K), r#"{"k":"a <m>1 </z> b"}"#);
    }

    #[test]
    fn an_element_ends_with_the_one_around_it() {
        let known = "{o:{type:'object',properties:{a:{type:'string'}}},m:{type:'integer'}}";
        assert_eq!(repaired("<o><a>x</o><m>2</m>", known), r#"{"o":{"a":"x"},"m":2}"#);
    }

    #[test]
    fn a_flag_without_repair_does_not_fit() {
        let known = "{f:{type:'boolean'}}";
        assert_eq!(plain("<f/>", known), "coercion");
        assert_eq!(repaired("<f/>", known), r#"{"f":true}"#);
    }

    #[test]
    fn an_attribute_is_a_member_only_in_repair() {
        let known = "{at:{type:'object',properties:{lat:{type:'number'}}}}";
        assert_eq!(plain("<at lat='1'/>", known), r#"{"at":{"@_lat":"1"}}"#);
        assert_eq!(repaired("<at lat='1'/>", known), r#"{"at":{"lat":1}}"#);
    }
}

mod push {
    use super::*;

    fn texts(chunks: &[&str], options: &Options) -> Vec<String> {
        let mut machine = Machine::new(properties(K), options.clone());
        let mut seen = Vec::new();
        for chunk in chunks {
            let take = |event: Event<'_>| {
                if let Event::Text { text } = event {
                    seen.push(text.into_owned());
                }
            };
            machine.push(chunk, take).unwrap();
        }
        seen
    }

    #[test]
    fn a_string_goes_out_as_it_comes() {
        let plain = Options::default();
        assert_eq!(texts(&["<k>ab", "cd", " ", "e"], &plain), ["ab", "cd", " ", "e"]);
        assert_eq!(texts(&["<k>ab", "&", "amp", ";c", "d"], &plain), ["ab", "&c", "d"]);
        assert_eq!(texts(&["<k>ab", "<", "b", ">c"], &plain), ["ab", "<b", ">c"]);
        assert_eq!(texts(&["<k>a", " ", "b"], &repairing()), ["a", " b"]);
    }

    #[test]
    fn what_may_be_a_closing_tag_or_a_section_is_held() {
        let plain = Options::default();
        assert_eq!(texts(&["<k>ab", "</", "k"], &plain), ["ab"]);
        assert!(texts(&["<k>", " ", "<![CDATA[", "x"], &plain).is_empty());
        assert_eq!(texts(&["<k>a", "<k>b</k>", "c"], &plain), ["a", "<k>b"]);
    }

    #[test]
    fn long_text_is_the_same_in_pieces_of_any_length() {
        let text = format!("<t>l</t><k>{}</k><m>4</m>", "a &amp; b; é \n\n &x".repeat(40));
        let with_list = properties("{k:{type:'string'},m:{type:'integer'},t:{type:'array'}}");
        for schema in [properties(K), with_list, Schema::any()] {
            for options in [Options::default(), repairing()] {
                let whole = by_chunks(&[&text], &schema, &options);
                for length in [1, 3, 7, 64] {
                    let pieces: Vec<String> = text
                        .chars()
                        .collect::<Vec<_>>()
                        .chunks(length)
                        .map(|piece| piece.iter().collect())
                        .collect();
                    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                    assert_eq!(by_chunks(&pieces, &schema, &options), whole, "by {length}");
                }
            }
        }
    }

    #[test]
    fn a_snapshot_is_what_cut_input_gives() {
        let known = properties(
            "{k:{type:'string'},m:{type:'integer'},t:{type:'array',items:{type:'integer'}},o:{type:'object',properties:{m:{type:'number'},k:{type:'string'}},required:['z']}}",
        );
        let text = "<m>4</m><o><m>1</m><k>a &lt; <b>c</b></k><z>5</z></o><t>1</t><k>ab</k><t>2</t><z>7</z>";
        let mut options = Options::default();
        options.partial = true;
        for end in 0..=text.len() {
            let mut machine = Machine::new(known.clone(), Options::default());
            for at in 0..end {
                machine.push(&text[at..=at], |_| {}).unwrap();
            }
            let cut = parse(&text[..end], &known, &options).unwrap().value;
            assert_eq!(machine.snapshot().unwrap(), cut, "{}", &text[..end]);
        }
    }

    #[test]
    fn a_snapshot_is_what_is_certain_and_changes_nothing() {
        let mut machine = Machine::new(properties(K), Options::default());
        machine.push("<m>4</m><k>ab", |_| {}).unwrap();
        machine.push("cd &l", |_| {}).unwrap();
        assert_eq!(machine.snapshot().unwrap().to_string(), r#"{"m":4,"k":"abcd "}"#);
        machine.push("t;</k>", |_| {}).unwrap();
        let parsed = machine.finish(|_| {}).unwrap();
        assert_eq!(parsed.value.to_string(), r#"{"m":4,"k":"abcd <"}"#);
    }
}

mod beside {
    use super::*;

    #[test]
    fn trees_hold_elements_and_text() {
        let text = "<?x?><!DOCTYPE a><a i='1'> <!-- c --> x <b/><![CDATA[<y>]]> &amp; </a><d/>";
        let nodes = parse_node(text, &NodeOptions::default()).unwrap();
        assert_eq!(nodes.iter().filter_map(Node::as_element).count(), 2);
        let a = find(&nodes, "a").unwrap();
        assert_eq!((a.attribute("i"), a.text().as_str()), (Some("1"), "x<y> &"));
        assert!(filter(&nodes, |element| element.children.is_empty()).len() == 2);
        assert_eq!(simplify(&nodes).get("d").and_then(|d| d.as_str()), Some(""));
        assert!(parse_node("<a><b></a>", &NodeOptions::default()).is_err());
    }

    #[test]
    fn comments_and_white_space_are_kept_where_asked() {
        let mut options = NodeOptions::default();
        options.keep_comments = true;
        options.keep_whitespace = true;
        let nodes = parse_node("<a> <!--c--> x </a>", &options).unwrap();
        let a = find(&nodes, "a").unwrap();
        let wanted = [Node::Text(" ".into()), Node::Comment("c".into()), Node::Text(" x ".into())];
        assert_eq!(a.children, wanted);
    }

    #[test]
    fn writing_has_four_options() {
        let mut options = WriteOptions::default();
        let call = value("{a:'x\"<>&',l:[1,2],o:{'@_i':1,'#text':'t'},n:null}");
        let wanted = "<c>\n  <a>x&quot;&lt;&gt;&amp;</a>\n  <l>1</l>\n  <l>2</l>\n  <o i=\"1\">t</o>\n  <n></n>\n</c>";
        assert_eq!(stringify("c", &call, &options).unwrap(), wanted);
        (options.format, options.suppress_empty, options.minimal_escaping) = (false, true, true);
        let wanted = "<c><a>x\"&lt;>&amp;</a><l>1</l><l>2</l><o i=\"1\">t</o><n/></c>";
        assert_eq!(stringify("c", &call, &options).unwrap(), wanted);
        assert_eq!(stringify("c", &value("{}"), &options).unwrap(), "<c/>");
        assert_eq!(
            stringify("c", &value("{a:'x]]>'}"), &options).unwrap(),
            "<c><a>x]]&gt;</a></c>"
        );
        options.text_node_name = "words".to_owned();
        assert_eq!(
            stringify("c", &value("{words:'t','@_i':1}"), &options).unwrap(),
            "<c i=\"1\">t</c>"
        );
    }

    #[test]
    fn the_raw_inside_is_that_of_the_shallowest_element() {
        let text = "<o><k>deep</k></o><?p <k>no</k>?><![CDATA[<k>no</k>]]><k a='>'>a &lt; b</k>";
        assert_eq!(extract_raw(text, "k"), Some("a &lt; b"));
        assert_eq!(extract_raw("<o><k/></o>", "k"), Some(""));
    }
}

#[test]
fn attributes_of_the_elements_of_a_list_are_members_or_told_of_once() {
    let schema = properties(
        "{t:{type:'array',items:{type:'string'}},r:{type:'array',items:{type:'object',properties:{k:{type:'string'}}}}}",
    );
    for (text, value, ignored) in [
        ("<t k>a</t><t>b</t>", r#"{"t":["a","b"]}"#, 1),
        ("<t k>a</t><t l>b</t>", r#"{"t":["a","b"]}"#, 2),
        ("<t k>a</t>", r#"{"t":["a"]}"#, 1),
        ("<r x='1'><k>a</k></r><r/>", r#"{"r":[{"@_x":"1","k":"a"},{}]}"#, 0),
        ("<r x='1'><k>a</k></r>", r#"{"r":[{"@_x":"1","k":"a"}]}"#, 0),
        ("<r x='1'><item><k>a</k></item></r>", r#"{"r":[{"k":"a"}]}"#, 1),
        ("<r x='1'></r>", r#"{"r":[]}"#, 1),
        ("<r><r x='1'/></r>", r#"{"r":[{"@_x":"1"}]}"#, 0),
    ] {
        let options = Options::default();
        assert_eq!(read(text, &schema, &options), value, "{text}");
        assert_eq!(
            codes(text, &schema, &options),
            vec!["rxml::ignored-attribute"; ignored],
            "{text}"
        );
    }
}

#[test]
fn an_attribute_beside_a_child_of_its_name_stays_one_in_repair() {
    let schema = properties("{o:{type:'object',properties:{k:{type:'string'}}}}");
    let mut repair = Options::default();
    repair.repair = true;
    let text = "<o k='1' l='2'><k>a</k></o>";
    assert_eq!(read(text, &schema, &Options::default()), r#"{"o":{"@_k":"1","@_l":"2","k":"a"}}"#);
    assert_eq!(read(text, &schema, &repair), r#"{"o":{"@_l":"2","k":"a","@_k":"1"}}"#);
    let closed =
        properties("{o:{type:'object',properties:{k:{type:'string'}},additionalProperties:false}}");
    let text = "<o k='1'><k>a</k></o>";
    assert_eq!(read(text, &closed, &repair), r#"{"o":{"k":"a"}}"#);
    assert_eq!(codes(text, &closed, &repair), ["rxml::ignored-attribute"]);
}
