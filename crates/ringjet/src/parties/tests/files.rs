//! Parties in files: kept for their owner alone, opened by one process, and never two answers after a crash.

use std::path::PathBuf;

use super::*;
use crate::Error;
use crate::wire::Limits;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ringjet-parties-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A party whose file is in a folder inside `folder`, and one in memory, which have met.
fn two_parties(folder: &Folder) -> (PathBuf, Parameters, [Arc<Party>; 2], Context) {
    let params = super::ckks(2);
    let agreed = spec(&params, 2, 2, Sharing::default());
    let place = folder.0.join("inner");
    std::fs::create_dir_all(&place).unwrap();
    let a = Arc::new(Party::open(agreed.clone(), "A", &place.join("a"), limits()).unwrap());
    let b = Arc::new(Party::new(agreed, "B").unwrap());
    exchange(&[a.clone(), b.clone()]);
    let ctx = context(&params);
    (place, params, [a, b], ctx)
}

fn limits() -> Limits {
    Limits::default().allow_insecure()
}

#[test]
fn a_party_goes_on_from_its_file() {
    let folder = Folder::new("file");
    let params = super::ckks(3);
    let agreed = spec(&params, 3, 2, Sharing::default());
    let path = |name: &str| folder.0.join(format!("{name}.party"));
    let open = |name: &str| Party::open(agreed.clone(), name, &path(name), limits());
    let parties: Vec<Arc<Party>> = ["A", "B", "C"].map(|name| Arc::new(open(name).unwrap())).into();
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert_eq!(std::fs::metadata(path("A")).unwrap().mode() & 0o777, 0o600);
    }
    // one process at a time
    assert!(matches!(open("A"), Err(Error::Io { reason, .. }) if reason.contains("another process")));
    exchange(&parties);
    let ctx = context(&params);
    let mut sessions: Vec<Session> = parties.iter().map(|p| Session::new(p.clone(), &ctx).unwrap()).collect();
    let mut sent = vec![];
    for _ in 0..3 {
        let messages: Vec<_> = sessions.iter_mut().map(|s| s.next(&[""; 0], |_, _| true).unwrap()).collect();
        sessions.iter_mut().for_each(|session| session.receive(&messages).unwrap());
        sent.push(messages);
    }
    let group = Group { ctx, parties, sessions };
    let ct = group.encrypt(&values(&params, 1), 1);
    let shares = group.shares(&ct, &[0, 1]);
    let id = group.sessions[0].id();
    let Group { ctx, parties, sessions } = group;
    drop((parties, sessions));
    // another spec or another name is refused
    let other = spec(&params, 3, 2, Sharing { answers: 7, ..Sharing::default() });
    assert!(matches!(Party::open(other, "A", &path("A"), limits()), Err(Error::Argument { name: "path", .. })));
    assert!(matches!(
        Party::open(agreed.clone(), "B", &path("A"), limits()),
        Err(Error::Argument { name: "path", .. })
    ));
    assert!(matches!(Party::load(&folder.0.join("none"), limits()), Err(Error::Io { .. })));
    // A goes on: it remembers what it answered
    let again = Arc::new(Party::load(&path("A"), limits()).unwrap());
    assert_eq!((again.name(), again.answers_given(), again.session_id().unwrap()), ("A", 1, id));
    let mut session = Session::new(again.clone(), &ctx).unwrap();
    assert_eq!(session.decryption_share(&ct, &ct, 0, NOBODY).unwrap(), shares[0]);
    assert!(matches!(session.refresh_share(&ct, &ct, NOBODY), Err(Error::AlreadyAnswered { .. })));
    // and makes the same keys from the messages of the others
    assert_eq!(session.round(), Round::Open);
    for messages in &sent[1..] {
        session.receive(messages).unwrap();
    }
    assert!(session.is_ready() && again.answers_given() == 1);
    // insecure parameters are the reader's choice
    drop((session, again));
    assert!(matches!(Party::load(&path("A"), Limits::default()), Err(Error::Insecure { .. })));
}

/// Where the file cannot be written, nothing is answered, and nothing is counted.
#[test]
#[cfg(unix)]
fn an_answer_that_cannot_be_kept_is_not_given() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("full");
    let (place, params, [a, b], ctx) = two_parties(&folder);
    let sessions = [&a, &b].map(|p| Session::new(p.clone(), &ctx).unwrap()).into();
    let mut group = Group { ctx, parties: vec![a.clone(), b], sessions };
    group.finish();
    let ct = group.encrypt(&values(&params, 1), 1);
    // the folder is gone, so that even root cannot write there
    let away = folder.0.join("away");
    std::fs::rename(&place, &away).unwrap();
    let refused = group.sessions[0].decryption_share(&ct, &ct, 0, NOBODY);
    assert!(matches!(refused, Err(Error::Io { what: "party", .. })) && a.answers_given() == 0, "{refused:?}");
    std::fs::rename(&away, &place).unwrap();
    std::fs::set_permissions(&place, PermissionsExt::from_mode(0o700)).unwrap();
    group.sessions[0].decryption_share(&ct, &ct, 0, NOBODY).unwrap();
    assert_eq!(a.answers_given(), 1);
}

/// Commitments that could not be written are not there: otherwise a party would open its shares, be killed, and take other
/// commitments afterwards.
#[test]
#[cfg(unix)]
fn commitments_that_cannot_be_kept_are_not_there() {
    let folder = Folder::new("commit");
    let (place, _, [a, b], ctx) = two_parties(&folder);
    let [mut one, mut two] = [&a, &b].map(|p| Session::new(p.clone(), &ctx).unwrap());
    let none = &[""; 0];
    one.next(none, |_, _| true).unwrap();
    let message = two.next(none, |_, _| true).unwrap();
    let away = folder.0.join("away");
    std::fs::rename(&place, &away).unwrap();
    assert!(matches!(one.receive(&[&message]), Err(Error::Io { .. })));
    assert_eq!((one.round(), Session::new(a.clone(), &ctx).unwrap().round()), (Round::Commit, Round::Commit));
    std::fs::rename(&away, &place).unwrap();
    one.receive(&[&message]).unwrap();
    assert_eq!(one.round(), Round::Open);
}
