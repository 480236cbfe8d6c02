//! Whether calls are shown while they are written: a choice of type, so that the work for it is not
//! there where nobody asked for it.

mod sealed {
    use super::Update;

    /// What a view does with an open call.
    pub trait View {
        /// A call has its name.
        fn named(&mut self, id: &str, name: &str);
        /// Its arguments grow.
        fn grown(&mut self, delta: &str);
        /// It has ended and does not run.
        fn dropped(&mut self);
        /// The update that has not gone out.
        fn pending(&mut self) -> Option<Update>;
        /// The updates that complete a call, whose arguments came with its invocation if `whole` is
        /// set.
        fn completed(&mut self, id: &str, name: &str, whole: Option<&str>) -> [Option<Update>; 2];
    }
}

pub(super) use sealed::View;

/// One update of a call.
#[derive(Clone, Debug)]
pub struct Update {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
    pub(super) is_complete: bool,
}

/// How an agent shows calls: [`WholeCalls`] or [`GrowingCalls`].
pub trait CallView: View {}

/// Calls are shown when they are whole, with the final message. The default.
#[derive(Clone, Copy, Debug, Default)]
pub struct WholeCalls;

impl CallView for WholeCalls {}

impl View for WholeCalls {
    fn named(&mut self, _id: &str, _name: &str) {}
    fn grown(&mut self, _delta: &str) {}
    fn dropped(&mut self) {}

    fn pending(&mut self) -> Option<Update> {
        None
    }

    fn completed(&mut self, _id: &str, _name: &str, _whole: Option<&str>) -> [Option<Update>; 2] {
        [None, None]
    }
}

/// Calls are shown while they are written, too.
#[derive(Clone, Debug, Default)]
pub struct GrowingCalls {
    open: Option<OpenCall>,
}

#[derive(Clone, Debug)]
struct OpenCall {
    id: String,
    name: String,
    /// An update of this chunk that has not gone out.
    pending: Option<String>,
}

impl CallView for GrowingCalls {}

impl View for GrowingCalls {
    fn named(&mut self, id: &str, name: &str) {
        let pending = Some(String::new());
        self.open = Some(OpenCall { id: id.to_owned(), name: name.to_owned(), pending });
    }

    fn grown(&mut self, delta: &str) {
        if let Some(call) = self.open.as_mut().filter(|_| !delta.is_empty()) {
            call.pending.get_or_insert_default().push_str(delta);
        }
    }

    fn dropped(&mut self) {
        self.open = None;
    }

    fn pending(&mut self) -> Option<Update> {
        let call = self.open.as_mut()?;
        let arguments = call.pending.take()?;
        let (id, name) = (call.id.clone(), call.name.clone());
        Some(Update { id, name, arguments, is_complete: false })
    }

    fn completed(&mut self, id: &str, name: &str, whole: Option<&str>) -> [Option<Update>; 2] {
        self.open = None;
        let update = |arguments: &str, is_complete| Update {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            is_complete,
        };
        [whole.map(|whole| update(whole, false)), Some(update("", true))]
    }
}
