use std::collections::BTreeMap;

#[inline(never)]
fn folded(word: &str) -> String {
    word.to_lowercase()
}

#[inline(never)]
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[inline(never)]
pub fn count(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for word in words(text) {
        *counts.entry(folded(word)).or_default() += 1;
    }
    counts
}
