//! What is refused at the border, and panics within.

use std::ffi::c_char;
use std::ptr;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::border::{PLANTED, PROCESS};
use crate::machine::THREADS;

#[test]
fn null_pointers_are_refused() {
    let name = text("n13-depth2");
    let found = refused!(rj_params_preset(name.as_ptr(), ptr::null_mut()));
    assert_eq!(found, (rj_status::RJ_NULL_POINTER, "params is a null pointer".into()));
    let mut params = ptr::dangling_mut();
    let found = refused!(rj_params_preset(ptr::null(), &mut params));
    assert_eq!(found, (rj_status::RJ_NULL_POINTER, "name is a null pointer".into()));
    assert!(params.is_null(), "what would have been written is null");

    let (client, server) = both("[]");
    let x = encrypted(&client, &[1.0]);
    let mut out = ptr::null_mut();
    let null = |(status, text): (rj_status, String), name: &str| {
        assert_eq!((status, text), (rj_status::RJ_NULL_POINTER, format!("{name} is a null pointer")));
    };
    null(refused!(rj_add(server.0, x.0, ptr::null(), &mut out)), "y");
    null(refused!(rj_add(ptr::null(), x.0, x.0, &mut out)), "server");
    null(refused!(rj_add(server.0, x.0, x.0, ptr::null_mut())), "result");
    null(refused!(rj_client_encrypt(client.0, ptr::null(), 3, 0.0, 1.0, RJ_TOP_LEVEL, &mut out)), "values");
    null(refused!(rj_client_decrypt(client.0, x.0, ptr::null_mut(), 16, &mut 0)), "values");
    null(refused!(rj_client_decrypt(client.0, x.0, [0.0].as_mut_ptr(), 1, ptr::null_mut())), "count");
    null(refused!(rj_ciphertext_to_bytes(x.0, ptr::null_mut())), "bytes");
    null(refused!(rj_client_save(client.0, ptr::null())), "path");
    assert!(out.is_null());
}

#[test]
fn null_is_freed() {
    c!(rj_params_free(ptr::null_mut()));
    c!(rj_client_free(ptr::null_mut()));
    c!(rj_keys_free(ptr::null_mut()));
    c!(rj_server_free(ptr::null_mut()));
    c!(rj_ciphertext_free(ptr::null_mut()));
    c!(rj_program_free(ptr::null_mut()));
    c!(rj_bytes_free(rj_bytes { data: ptr::null_mut(), len: 0 }));
}

#[test]
fn wrong_lengths_are_refused() {
    let (client, server) = both("[]");
    let x = encrypted(&client, &[1.0, 2.0, 3.0]);
    let mut out = ptr::null_mut();
    let (status, text) = refused!(rj_add_numbers(server.0, x.0, [1.0; 4].as_ptr(), 4, &mut out));
    assert_eq!(status, rj_status::RJ_LENGTH);
    assert_eq!(text, "values has length 4: expected 3, the number of values, or 16, that of slots");
    let (mut room, mut count) = ([7.0; 2], 0);
    let (status, text) = refused!(rj_client_decrypt(client.0, x.0, room.as_mut_ptr(), 2, &mut count));
    assert_eq!((status, count, room), (rj_status::RJ_LENGTH, 3, [7.0; 2]));
    assert_eq!(text, "values has length 2: expected room for the 3 values of the ciphertext");
    let none: (rj_status, String) =
        refused!(rj_client_encrypt(client.0, ptr::null(), 0, 0.0, 1.0, RJ_TOP_LEVEL, &mut out));
    assert_eq!(none.0, rj_status::RJ_SLOT_COUNT);
    let many = [0.5; 17];
    let (status, _) = refused!(rj_client_encrypt(client.0, many.as_ptr(), 17, 0.0, 1.0, RJ_TOP_LEVEL, &mut out));
    assert_eq!(status, rj_status::RJ_SLOT_COUNT);
    // more bytes than an array of C can have
    let (status, _) = refused!(rj_client_encrypt(client.0, many.as_ptr(), usize::MAX, 0.0, 1.0, -1, &mut out));
    assert_eq!(status, rj_status::RJ_LENGTH);
    let odd = many.as_ptr().cast::<u8>().wrapping_add(1).cast::<f64>();
    let (status, text) = refused!(rj_client_encrypt(client.0, odd, 2, 0.0, 1.0, -1, &mut out));
    assert_eq!((status, &*text), (rj_status::RJ_MISALIGNED, "values is not at a multiple of 8 bytes"));
}

#[test]
fn texts_and_flags_are_checked() {
    let mut params = ptr::null_mut();
    let latin: [u8; 3] = [0xe9, b'x', 0];
    let found = refused!(rj_params_preset(latin.as_ptr().cast::<c_char>(), &mut params));
    assert_eq!(found, (rj_status::RJ_NOT_UTF8, "name is not UTF-8".into()));
    let json = text(&ckks().to_json().unwrap());
    let (status, text_) = refused!(rj_params_from_json(json.as_ptr(), 4, &mut params));
    assert_eq!((status, &*text_), (rj_status::RJ_FLAGS, "flags = 0x4: this function takes bits of 0x1"));
    let (status, text_) = refused!(rj_params_from_json(json.as_ptr(), 0, &mut params));
    assert_eq!(status, rj_status::RJ_INSECURE_PARAMETERS);
    assert!(text_.ends_with("(RJ_ALLOW_INSECURE)"), "{text_}");
    let name = text("n13-dept2");
    let (status, text_) = refused!(rj_params_preset(name.as_ptr(), &mut params));
    assert_eq!(status, rj_status::RJ_UNKNOWN_PRESET);
    assert!(text_.contains("n13-depth2") && text_.ends_with("(rj_preset_name lists them)"), "{text_}");
}

/// The way out names the arguments of the function that was called.
#[test]
fn values_out_of_bounds_have_their_way_out() {
    let (client, _) = both("[]");
    let mut out = ptr::null_mut();
    let (status, text) = refused!(rj_client_encrypt(client.0, [2.0].as_ptr(), 1, 0.0, 1.0, RJ_TOP_LEVEL, &mut out));
    assert_eq!(status, rj_status::RJ_OUTSIDE_STATED);
    assert!(text.ends_with("(low and high of rj_client_encrypt)"), "{text}");
    let pair = [0.5, 2.0];
    let (status, text) = refused!(rj_client_encrypt_complex(client.0, pair.as_ptr(), 1, 1.0, RJ_TOP_LEVEL, &mut out));
    assert_eq!(status, rj_status::RJ_MAGNITUDE);
    assert!(text.ends_with("(magnitude of rj_client_encrypt_complex)"), "{text}");
}

/// A panic becomes a status, and the next call works.
#[test]
fn a_panic_does_not_cross_the_border() {
    let name = text("n13-depth2");
    PLANTED.set(true);
    let mut params = ptr::null_mut();
    let found = refused!(rj_params_preset(name.as_ptr(), &mut params));
    assert_eq!(found, (rj_status::RJ_PANIC, "a fault in the library: planted by a test".into()));
    assert!(params.is_null());
    drop(made!(rj_params_preset(name.as_ptr())));
}

#[test]
fn errors_belong_to_their_thread() {
    let mut params = ptr::null_mut();
    refused!(rj_params_preset(ptr::null(), &mut params));
    let other = thread::spawn(|| {
        assert_eq!(last_error(), "");
        let name = text("no-such-preset");
        refused!(rj_params_preset(name.as_ptr(), &mut ptr::null_mut())).0
    });
    assert_eq!(other.join().unwrap(), rj_status::RJ_UNKNOWN_PRESET);
    assert_eq!(last_error(), "name is a null pointer");
}

#[test]
fn names_of_statuses_and_presets() {
    let named = |status: rj_status| c_text(rj_status_name(status as i32));
    assert_eq!(named(rj_status::RJ_KEY_MISMATCH), "KeyMismatchError");
    assert_eq!(named(rj_status::RJ_OK), "OK");
    assert!(rj_status_name(99).is_null() && rj_status_name(-1).is_null());
    assert_eq!(c_text(rj_version()), env!("CARGO_PKG_VERSION"));
    let names: Vec<String> = (0..).map(|i| rj_preset_name(i)).take_while(|name| !name.is_null()).map(c_text).collect();
    assert_eq!(names, dynamic::preset_names());
}

/// Handles can be used by several threads at once.
#[test]
fn handles_are_for_all_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<rj_params>();
    shared::<rj_client>();
    shared::<rj_keys>();
    shared::<rj_server>();
    shared::<rj_ciphertext>();
    shared::<rj_program>();
}

/// The backend is open by then.
#[test]
fn threads_are_asked_for_in_time() {
    drop(both("[]"));
    let (status, text) = refused!(rj_set_threads(3));
    assert_eq!(status, rj_status::RJ_TOO_LATE);
    assert!(text.contains("call rj_set_threads before"), "{text}");
    assert_eq!(rj_set_threads(0), rj_status::RJ_OK, "as it is");
    assert_eq!(refused!(rj_set_threads(1 << 20)).0, rj_status::RJ_ARGUMENT);
}

/// A process that is forked while the backend starts is refused: it must not wait for a lock that the parent holds.
/// The first use of the library is observed, which is in a process of its own.
#[cfg(unix)]
#[test]
fn a_process_is_claimed_before_the_backend_starts() {
    if !is_in_own_process("border::a_process_is_claimed_before_the_backend_starts", "true") {
        return;
    }
    let is_claimed = || PROCESS.load(Ordering::Relaxed) == std::process::id();
    assert!(!is_claimed());
    let locked = THREADS.lock().unwrap();
    let starting = thread::spawn(|| drop(both("[]")));
    let begin = Instant::now();
    while !is_claimed() && begin.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(1));
    }
    assert!(is_claimed(), "while another thread holds the lock");
    drop(locked);
    starting.join().unwrap();
}
