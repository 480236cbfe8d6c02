//! The value that elements stand for.

use std::collections::VecDeque;

use toolweir_rjson::{Array, Object, Value};
use toolweir_rxml::decode_references;
use toolweir_schema_coerce::Node;

use super::{CDATA, Element, Elements, Sort};

const CDATA_END: &str = "]]>";

impl Elements {
    /// The arguments, once the end was found, and the names that were given twice.
    pub(crate) fn arguments(&mut self, schema: Option<Node<'_>>) -> (Object, Vec<String>) {
        if let Some(root) = self.list.first_mut() {
            (root.inner, root.end) = ((0, self.body.len()), self.body.len());
        }
        let values = Values::new(&self.body, &self.list);
        let top = self.list.iter().position(|e| e.sort == Sort::Arguments && e.outer < e.inner.0);
        let top = top.unwrap_or(0);
        let (mut object, mut twice) = (Object::new(), Vec::new());
        for at in values.inside(top) {
            let Some(element) = self.list.get(*at) else { continue };
            let schema = values.member(*at, schema);
            let is_list = schema.is_some_and(Node::is_array);
            let mut value = values.value(*at, schema);
            match object.get_mut(&element.key) {
                Some(Value::Array(list)) if is_list => {
                    list.push(value);
                    continue;
                }
                Some(_) => twice.push(element.key.clone()),
                None if is_list
                    && !matches!(value, Value::Array(_))
                    && values.repeats(top, &element.key) =>
                {
                    value = Value::Array(Array::from_iter([value]));
                }
                None => {}
            }
            object.insert(element.key.clone(), value);
        }
        (object, twice)
    }
}

/// Elements and what stands in them.
struct Values<'a> {
    body: &'a str,
    list: &'a [Element],
    children: Vec<Vec<usize>>,
}

impl<'a> Values<'a> {
    fn new(body: &'a str, list: &'a [Element]) -> Self {
        let mut children: Vec<Vec<usize>> = list.iter().map(|_| Vec::new()).collect();
        for (at, element) in list.iter().enumerate().skip(1) {
            if let Some(inside) = children.get_mut(element.parent) {
                inside.push(at);
            }
        }
        Self { body, list, children }
    }

    fn inside(&self, at: usize) -> &[usize] {
        self.children.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether several elements inside have that key.
    fn repeats(&self, at: usize, key: &str) -> bool {
        let same = |at: &&usize| self.list.get(**at).is_some_and(|element| element.key == key);
        self.inside(at).iter().filter(same).nth(1).is_some()
    }

    /// The value of an element and all inside it, the innermost first: nothing recurses.
    fn value(&self, top: usize, schema: Option<Node<'_>>) -> Value {
        let mut order = vec![(top, schema)];
        let mut next = 0;
        while let Some((at, schema)) = order.get(next).copied() {
            order.extend(self.inside(at).iter().map(|child| (*child, self.member(*child, schema))));
            next += 1;
        }
        // The values that no element has taken yet, in that order: those inside the next element are the last.
        let mut values = VecDeque::new();
        for (at, schema) in order.into_iter().rev() {
            let inner = values.split_off(values.len().saturating_sub(self.inside(at).len()));
            values.push_front(self.compose(at, schema, inner));
        }
        values.pop_front().unwrap_or(Value::Null)
    }

    /// What the schema says of a child, given what it says of the element around it.
    fn member<'s>(&self, child: usize, around: Option<Node<'s>>) -> Option<Node<'s>> {
        let element = self.list.get(child)?;
        match element.sort {
            Sort::Item => around?.items(),
            _ => around?.member(&element.key).node(),
        }
    }

    fn compose(&self, at: usize, schema: Option<Node<'_>>, values: VecDeque<Value>) -> Value {
        let inner = self.inside(at);
        let has = |sort| inner.iter().any(|c| self.list.get(*c).is_some_and(|e| e.sort == sort));
        let (items, args) = (has(Sort::Item), has(Sort::Arg));
        // Without items it is an entry of its list, which its key is repeated for.
        let schema = match schema {
            Some(node) if node.is_array() && !items => node.items(),
            schema => schema,
        };
        let others = !inner.is_empty() && self.is_structured(at, schema);
        let text = schema.is_some_and(Node::is_string_only);
        if text || !(items || args || others) || self.has_text(at) {
            return Value::String(self.text(at));
        }
        let sort = if items { Sort::Item } else { Sort::Arg };
        let wanted =
            |c: &&usize| self.list.get(**c).is_some_and(|e| !(items || args) || e.sort == sort);
        let mut object = Object::new();
        let mut array = Array::new();
        for (child, value) in inner.iter().zip(values).filter(|(child, _)| wanted(child)) {
            if items {
                array.push(value);
            } else if let Some(element) = self.list.get(*child) {
                object.insert(element.key.clone(), value);
            }
        }
        if items { Value::Array(array) } else { Value::Object(object) }
    }

    /// Whether elements of any name are members here, and no markup.
    fn is_structured(&self, at: usize, schema: Option<Node<'_>>) -> bool {
        let free = self.list.get(at).is_some_and(|element| element.sort != Sort::Arg);
        match schema.filter(|node| !node.is_untyped()) {
            Some(node) if node.allows_object() => free || !node.allows_string(),
            Some(node) => free && !node.allows_string(),
            None => free,
        }
    }

    /// Whether anything but whitespace stands beside the elements inside.
    fn has_text(&self, at: usize) -> bool {
        let Some(element) = self.list.get(at) else { return false };
        let mut from = element.inner.0;
        for child in self.inside(at).iter().filter_map(|c| self.list.get(*c)) {
            let between = self.body.get(from..child.outer).unwrap_or_default();
            if !between.trim().is_empty() {
                return true;
            }
            from = child.end;
        }
        !self.body.get(from..element.inner.1).unwrap_or_default().trim().is_empty()
    }

    fn text(&self, at: usize) -> String {
        let inner = self.list.get(at).map(|e| e.inner).unwrap_or_default();
        let source = self.body.get(inner.0..inner.1).unwrap_or_default();
        decode(source.trim())
    }
}

/// References and CDATA sections decoded, one level.
fn decode(source: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(source.len()), source);
    while let Some((text, section)) = rest.split_once(CDATA) {
        let (data, after) = section.split_once(CDATA_END).unwrap_or((section, ""));
        out.push_str(&decode_references(text));
        out.push_str(data);
        rest = after;
    }
    out.push_str(&decode_references(rest));
    out
}
