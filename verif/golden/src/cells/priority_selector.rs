//! The priority selector: the first of several requests.

/// The first request, with its data: its number and the word beside it. `None` if nobody asks.
///
/// # Panics
///
/// If there are not as many requests as words.
pub fn select<'a, T>(requests: &[bool], words: &'a [T]) -> Option<(usize, &'a T)> {
    assert_eq!(requests.len(), words.len(), "one request a word");
    let input = requests.iter().position(|asks| *asks)?;
    Some((input, &words[input]))
}
