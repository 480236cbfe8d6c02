//! What the prompts say around the parts that the formats write.
//!
//! A rule is here only if the decoder of the format keeps it: tests hold examples and forms against it.

use super::prompt::{Content, Words};

/// Holds for every format.
const LISTED: &str = "Call only tools of the list, by their exact names.";
const FITS: &str = "Give every required argument, and each in the type that the schema asks for.";
const SHOWN: &str = "What stands outside of a call is shown to the user as it is.";
const NEXT: &str = "Several calls are written one behind the other.";

const JSON_ARRAY: &str = "All tools as one JSON array; `parameters` is the JSON Schema of the \
    arguments:";
const JSON_LINES: &str =
    "One tool a line, as JSON; `parameters` is the JSON Schema of the arguments:";
const HEADINGS: &str = "Each tool under its name, with the JSON Schema of its arguments:";

const JSON_STRINGS: &str = "A call is JSON: keys and texts in double quotes, and inside a text a line \
    break as \\n, a double quote as \\\", a backslash as \\\\.";

/// What most of them have in common.
const PLAIN: Words =
    Words { title: "", tools: "", form: "", bad: "", rules: &[], content: Content::Plain };

pub(super) const GEMMA: Words = Words {
    tools: JSON_ARRAY,
    form: "A call is a fenced block labelled `tool_call` that holds one JSON object:",
    rules: &[
        LISTED,
        FITS,
        "`arguments` is an object; for a tool without arguments it is {}.",
        JSON_STRINGS,
        "Backticks inside a text of the JSON do not end the block.",
        "Close every block with three backticks. A call whose block is not closed is not run.",
        "A block with any other label is no call, but an answer to the user.",
        NEXT,
        SHOWN,
        "The next message of the user then holds the results, each in a block labelled \
         `tool_response`. Never write such a block yourself.",
    ],
    ..PLAIN
};

pub(super) const HERMES: Words = Words {
    tools: JSON_LINES,
    form: "A call is one JSON object between tags:",
    rules: &[
        LISTED,
        FITS,
        "`arguments` is an object; for a tool without arguments it is {}.",
        JSON_STRINGS,
        "The same tags inside a text of the JSON are part of the text.",
        "Close every call with </tool_call>. A call that is not closed is not run.",
        NEXT,
        SHOWN,
        "The next message of the user then holds the results, each between <tool_response> and \
         </tool_response>. Never write these tags yourself.",
    ],
    ..PLAIN
};

pub(super) const MORPH_XML: Words = Words {
    tools: JSON_ARRAY,
    form: "A call is an element named after the tool that holds one element for each argument:",
    rules: &[
        LISTED,
        FITS,
        "A tool without arguments is an empty element: <TOOL_NAME></TOOL_NAME>.",
        "A text is everything between its tags: nothing is trimmed, and it needs no quotes. In it, \
         &amp; stands for an ampersand and &lt; for an opening angle bracket.",
        "A number, true or false is written as it is; a list or an object as JSON.",
        "Elements have no attributes.",
        "Give each argument once. Two elements for one text undo the whole call.",
        "Close the element of the tool. A call that is not closed is not run.",
        NEXT,
        SHOWN,
        "The next message of the user then holds the results, each in a <tool_response> element. \
         Never write such an element yourself.",
    ],
    ..PLAIN
};

#[cfg(feature = "yaml")]
pub(super) const YAML_XML: Words = Words {
    tools: JSON_ARRAY,
    form: "A call is an element named after the tool that holds the arguments as a YAML mapping:",
    rules: &[
        LISTED,
        FITS,
        "A tool without arguments is an empty element: <TOOL_NAME></TOOL_NAME>.",
        "Begin each argument on a line of its own. A text of several lines is a block: `ARGUMENT: |`, \
         and below it the lines, indented by two blanks.",
        "Put a short text in double quotes if it holds a colon, a number sign or a quote.",
        "A list or an object may be written as JSON.",
        "Close the element of the tool on a line of its own. A call that is not closed is not run.",
        NEXT,
        SHOWN,
        "The next message of the user then holds the results, each in a <tool_response> element. \
         Never write such an element yourself.",
    ],
    ..PLAIN
};

pub(super) const QWEN3_CODER: Words = Words {
    tools: "Each tool as one <function>, with its parameters:",
    form: "A call is a function tag inside <tool_call>, with one parameter tag for each argument:",
    rules: &[
        LISTED,
        FITS,
        "A value stands on lines of its own: the line break behind its opening tag and the one before \
         its closing tag are not part of it. Everything else is.",
        "Nothing is escaped: quotes, angle brackets and ampersands are written as they are. Only the \
         tags of the call itself cannot stand inside a value.",
        "A number, true or false is written as it is; a list or an object as JSON.",
        "A function without arguments has no parameter tags.",
        NEXT,
        SHOWN,
        "The next message of the user then holds the results, each between <tool_response> and \
         </tool_response>. Never write these tags yourself.",
    ],
    ..PLAIN
};

pub(super) const AGENT: Words = Words {
    tools: HEADINGS,
    form: "A call is one JSON object between tags:",
    rules: &[
        LISTED,
        FITS,
        "`name` comes first. `parameters` is an object; for a tool without arguments it is {}.",
        JSON_STRINGS,
        "One call an answer: say before it what you are about to do, and stop behind </tool_call>.",
        "The next message of the user then holds the result, under `Tool:` and `Result:`. Wait for it.",
        "A final answer holds no <tool_call> tag.",
    ],
    ..PLAIN
};

pub(super) const SEGMENTS_XML: Words = Words {
    tools: "Each tool as a tag with its arguments. The attributes `type`, `description` and `required` \
        are for you to read; a call has none of them:",
    form: "A call is a tool tag that holds one argument tag for each argument:",
    rules: &[
        LISTED,
        FITS,
        "A plain value is written without quotes; blanks and line breaks at its edges do not count. In it, \
         &amp; stands for an ampersand and &lt; for an opening angle bracket.",
        "A list of texts is a row of <item> tags; another list or an object is written as JSON.",
        "Close every tag. A call that is not closed is not run.",
        NEXT,
        SHOWN,
        "The next message of the user then holds the results, each in a <tool_response> tag. Never \
         write such a tag yourself.",
    ],
    content: Content::Marked(
        "The content of a file, a patch or a command is written as it stands, nothing escaped and \
         nothing trimmed. A file or a patch stands between two markers: the line break behind the \
         first is not part of it, the one before the second is.",
    ),
    ..PLAIN
};

const SEGMENTS_JSON_RULES: &[&str] = &[
    LISTED,
    FITS,
    "A tool without arguments gets {}.",
    JSON_STRINGS,
    "The object begins as shown, with the same first key, and stands in the text without a fence.",
    "Close every bracket. A call that is not closed is not run.",
    NEXT,
    SHOWN,
    "The next message of the user then holds the results, each as an object with the key \
     `tool_response`. Never write such an object yourself.",
];

pub(super) const SEGMENTS_JSON: Words = Words {
    tools: JSON_LINES,
    form: "A call is a JSON object with the key `tool`:",
    rules: SEGMENTS_JSON_RULES,
    ..PLAIN
};

pub(super) const SEGMENTS_JSON_OPENAI: Words = Words {
    form: "A call is an entry of the list under the key `tool_calls` of a JSON object:",
    ..SEGMENTS_JSON
};

pub(super) const SEGMENTS_JSON_GEMINI: Words =
    Words { form: "A call is a JSON object with the keys `name` and `args`:", ..SEGMENTS_JSON };

pub(super) const SEGMENTS_SENTINEL: Words = Words {
    tools: JSON_LINES,
    form: "A call is a start marker with a JSON header, and an end marker:",
    rules: &[
        LISTED,
        FITS,
        "The header is one JSON object on one line; `type` is `tool_call`, and `arguments` is an \
         object. For a tool without arguments it is {}.",
        "It is JSON: keys and texts in double quotes, and inside a text a line break as \\n, a double \
         quote as \\\", a backslash as \\\\.",
        "Close every segment with [[SEG_END]]. A call that is not closed is not run.",
        NEXT,
        SHOWN,
        "The next message of the user then holds the results, each as an object with the key \
         `tool_response`. Never write such an object yourself.",
    ],
    content: Content::Written(
        "A tool for a file, a patch or a command is a type of its own. Its content stands between the \
         markers as it is, nothing escaped and nothing trimmed, and cannot hold [[SEG_END]]; the other \
         arguments stand in the header.",
    ),
    ..PLAIN
};

pub(super) const GENERAL: Words = Words {
    tools: "Each tool with what it does and the schema of its arguments:",
    form: "A call is written in exactly this form:",
    rules: &[
        LISTED,
        FITS,
        "Write every call out to its last character. A call that is not closed may not be run.",
        SHOWN,
        "The next message of the user then holds the results. Never write a result yourself.",
    ],
    ..PLAIN
};

pub(super) const HOST: Words = Words {
    title: "Available Tools",
    tools: HEADINGS,
    form: "A call is a JSON object with the keys `tool` and `params`:",
    bad: "I would now use TOOL_NAME and tell you what it says.",
    rules: &[
        LISTED,
        FITS,
        "`tool` and `params` are its only keys. For a tool without arguments `params` is {}.",
        JSON_STRINGS,
        "Write the object on a line of its own, with nothing else on it and without a fence. It is taken \
         out of the text.",
        "Close every bracket. A call that is not closed is not run.",
        NEXT,
        "The next message of the user then holds each result, under `Tool:` and `Result:`. Do not guess it; \
         explain it when it is there.",
    ],
    ..PLAIN
};
