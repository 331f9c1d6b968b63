//! Lines for a reader who may be gone.

use std::fmt::Arguments;
use std::io::{Error, ErrorKind, Write};
use std::process;

/// The exit status that a shell shows for programs that the signal SIGPIPE ends. Rust ignores the
/// signal.
const READER_GONE: i32 = 128 + 13;

/// Writes a line. Ends the process where nobody reads the output any more: quietly, as `ls` and
/// others end. Other failures, such as a full disk, end it with an error.
pub fn line(to: impl Write, line: Arguments<'_>) {
    text(to, format_args!("{line}\n"));
}

/// Writes a text; see [`line`].
pub fn text(mut to: impl Write, text: Arguments<'_>) {
    if let Err(error) = to.write_fmt(text).and_then(|()| to.flush()) {
        failed(&error);
    }
}

/// Ends the process after a failure to write its output; see [`line`].
pub fn failed(error: &Error) -> ! {
    if error.kind() == ErrorKind::BrokenPipe {
        process::exit(READER_GONE);
    }
    // nothing is left to be told where this fails as well
    let _ = writeln!(std::io::stderr(), "error: cannot write the output: {error}");
    process::exit(1);
}
