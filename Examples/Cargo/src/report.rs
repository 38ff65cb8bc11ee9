use std::collections::BTreeMap;

#[inline(never)]
fn line(word: &str, count: usize) -> String {
    format!("{count:3} {word}")
}

/// Never used at launch.
#[inline(never)]
pub fn total(counts: &BTreeMap<String, usize>) -> usize {
    counts.values().sum()
}

#[inline(never)]
pub fn print(counts: &BTreeMap<String, usize>) {
    for (word, count) in counts {
        println!("{}", line(word, *count));
    }
    if counts.len() > 1000 {
        println!("{} in all", total(counts));
    }
}
