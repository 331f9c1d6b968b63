//! The programs in `examples` run, and their results are right: each checks its own.

#[path = "../../examples/bootstrap.rs"]
mod bootstrap;
#[path = "../../examples/explicit_levels.rs"]
mod explicit_levels;
#[path = "../../examples/quickstart.rs"]
mod quickstart;

#[test]
fn the_quickstart() {
    quickstart::main().unwrap();
}

#[test]
fn a_bootstrap() {
    bootstrap::main().unwrap();
}

#[test]
fn explicit_levels() {
    explicit_levels::main().unwrap();
}
