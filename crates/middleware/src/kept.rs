//! Parts of a message of another library that go around the middleware as they are.

use crate::message::{File, FileSource};

/// Keeps parts by number: in their place a message has a file, by which they are found again in what was
/// prepared. So a conversion need not say an image in our words and back.
///
/// ```
/// use toolweir_middleware::KeptParts;
///
/// let mut kept = KeptParts::default();
/// let file = kept.keep("image/png", ["anything", "at all"]);
/// assert_eq!(kept.find(&file), Some(&["anything", "at all"]));
/// ```
#[derive(Clone, Debug)]
pub struct KeptParts<T>(Vec<T>);

impl<T> Default for KeptParts<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> KeptParts<T> {
    /// The file that stands for the part; of that media type for [`Media`](crate::Media).
    pub fn keep(&mut self, media_type: &str, part: T) -> File {
        let name = Some(self.0.len().to_string());
        self.0.push(part);
        File {
            media_type: media_type.to_owned(),
            name,
            detail: None,
            source: FileSource::Base64(String::new()),
        }
    }

    /// The part that the file stands for.
    #[must_use]
    pub fn find(&self, file: &File) -> Option<&T> {
        self.0.get(file.name.as_deref()?.parse::<usize>().ok()?)
    }
}
