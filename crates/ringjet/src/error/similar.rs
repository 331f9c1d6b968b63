//! Names that a misspelt one could have been meant to be.

/// Most names that are suggested.
const MOST: usize = 3;

/// The `known` names that are closest to `name`, the closest first: those that differ by at most a
/// third of their letters, and if there are none those that begin with `name`. Case and punctuation
/// do not count.
pub(super) fn names(name: &str, known: &[&'static str]) -> Vec<&'static str> {
    let given = plain(name);
    let mut close: Vec<_> = (known.iter())
        .map(|&known| (distance(&given, &plain(known)), known))
        .filter(|&(edits, known)| 3 * edits <= plain(known).len())
        .collect();
    close.sort_by_key(|&(edits, _)| edits);
    // names that are further away than the closest one are not meant
    let best = close.first().map_or(0, |&(edits, _)| edits);
    close.retain(|&(edits, _)| edits == best);
    let found: Vec<_> = close.into_iter().map(|(_, known)| known).take(MOST).collect();
    if !found.is_empty() || given.is_empty() {
        return found;
    }
    known.iter().copied().filter(|known| plain(known).starts_with(&given)).take(MOST).collect()
}

/// Small letters and digits of a name. Names are short: the rest of a long text is not read.
fn plain(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

/// How many letters must be inserted, left out, replaced or swapped with a neighbour to turn `a`
/// into `b` (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(x != y);
            let mut least = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == &b[j - 1] && y == &a[i - 1] {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, names, plain};

    const KNOWN: [&str; 6] = ["n13-depth2", "n14-depth6", "n15-depth9", "n15-boot", "bgv-n13", "bfv-n13"];

    #[test]
    fn the_meant_name_is_found() {
        let rows: [(&str, &[&str]); 9] = [
            ("n14_depth6", &["n14-depth6"]),
            ("N14-DEPTH6", &["n14-depth6"]),
            ("n14-dpeth6", &["n14-depth6"]),
            ("n14-depth", &["n14-depth6"]),
            ("n15boot", &["n15-boot"]),
            ("bgvn13", &["bgv-n13"]),
            ("n15", &["n15-depth9", "n15-boot"]),
            ("quantum", &[]),
            ("", &[]),
        ];
        for (name, expected) in rows {
            assert_eq!(names(name, &KNOWN), expected, "{name}");
        }
        assert_eq!(names(&"n".repeat(1 << 20), &KNOWN), [""; 0], "a long text costs nothing");
    }

    #[test]
    fn distances() {
        let rows = [("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("kitten", "sitting", 3)];
        assert_eq!(rows.map(|(a, b, _)| distance(&plain(a), &plain(b))), rows.map(|(_, _, edits)| edits));
    }
}
