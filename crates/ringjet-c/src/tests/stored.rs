//! Bytes, files and programs.

use std::fs;
use std::ptr;
use std::sync::Arc;

use ringjet::dynamic::{Scalar, StartModulus, Values};
use ringjet::program::{Input, Op, Program};
use ringjet::{Stated, dynamic};

use super::*;

/// `mean = inner_sum(x * w, 1, 4)`, and `shifted = x + 1`, of 4 numbers between -2 and 2.
fn program(params: &dynamic::Parameters) -> Vec<u8> {
    let mut program = Program::default();
    let input = Input {
        name: "x".into(),
        log_slots: 4,
        at: StartModulus { level: Some(2), log_q: None },
        stated: Stated::Interval(-2.0, 2.0),
        complex: false,
        public_key: false,
        count: Some(4),
        zero_padded: true,
    };
    let x = program.input(input);
    let v = Arc::new(Values::Numbers([1.0, 2.0, 3.0, 4.0].map(Into::into).to_vec()));
    let product = program.push(Op::MulValues { v }, vec![x], 0).unwrap().next().unwrap();
    let op = Op::InnerSum { stride: 1, count: 4, terms: 4 };
    let sum = program.push(op, vec![product], 0).unwrap().next().unwrap();
    let op = Op::AddScalar { c: Scalar::Number(1.0) };
    let shifted = program.push(op, vec![x], 0).unwrap().next().unwrap();
    program.returns(vec![("['mean']".into(), sum), ("['shifted']".into(), shifted)]).unwrap();
    program.to_bytes(params, false).unwrap()
}

/// The whole way: the client takes keys and inputs from the program, and the server runs it.
#[test]
fn a_saved_program_runs() {
    let folder = Folder::new("program");
    let (path, given) = folder.file("mean.program");
    fs::write(&path, program(&ckks())).unwrap();
    assert_eq!(refused!(rj_program_load(given.as_ptr(), 0, &mut ptr::null_mut())).0, rj_status::RJ_INSECURE_PARAMETERS);
    let program = made!(rj_program_load(given.as_ptr(), RJ_ALLOW_INSECURE));
    let client = made!(rj_client_new(made!(rj_program_params(program.0)).0, 0));
    let request = bytes(|out| c!(rj_program_keys(program.0, out)));
    let request = text(std::str::from_utf8(&request).unwrap());
    assert!(request.to_str().unwrap().contains("\"rotations\":[1,2],\"conjugation\":false,\"relinearization\":false"));
    let keys = made!(rj_client_keys(client.0, request.as_ptr()));
    let server = made!(rj_server_new(keys.0));

    let (mut inputs, mut outputs) = (0, 0);
    c!(rj_program_counts(program.0, &mut inputs, &mut outputs));
    assert_eq!((inputs, outputs), (1, 2));
    assert_eq!(c_text(c!(rj_program_input_name(program.0, 0))), "x");
    assert_eq!(c_text(c!(rj_program_output_name(program.0, 1))), "['shifted']");
    assert!(c!(rj_program_output_name(program.0, 2)).is_null() && c!(rj_program_input_name(ptr::null(), 0)).is_null());

    let values = [0.5, -1.0, 2.0, 0.25];
    let x = made!(rj_client_encrypt_input(client.0, program.0, 0, values.as_ptr(), 4));
    let mut results = [ptr::null_mut(); 2];
    let given = [x.0.cast_const()];
    let status = c!(rj_program_run(program.0, server.0, given.as_ptr(), 1, results.as_mut_ptr(), 2));
    assert_eq!(status, rj_status::RJ_OK, "{}", last_error());
    let [sum, shifted] = results.map(Owned);
    expect(&client, &shifted, &[1.5, 0.0, 3.0, 1.25]);
    let (mut room, mut count) = ([0.0; 16], 0);
    c!(rj_client_decrypt(client.0, sum.0, room.as_mut_ptr(), 16, &mut count));
    assert!(count == 16 && (room[0] - 5.5).abs() < 1e-6, "{room:?}");

    // one array for both: the program reads the input before the results are written there
    let mut both_ways = [x.0, ptr::null_mut()];
    let array = both_ways.as_mut_ptr();
    let status = c!(rj_program_run(program.0, server.0, array.cast::<*const rj_ciphertext>(), 1, array, 2));
    assert_eq!(status, rj_status::RJ_OK, "{}", last_error());
    expect(&client, &both_ways.map(Owned)[1], &[1.5, 0.0, 3.0, 1.25]);

    // what does not fit is refused, and the results are null
    let mut results = [ptr::dangling_mut(); 2];
    let mut run = |input_count: usize, output_count: usize, input: *const rj_ciphertext| {
        let given = [input];
        refused!(rj_program_run(program.0, server.0, given.as_ptr(), input_count, results.as_mut_ptr(), output_count))
    };
    assert_eq!(run(1, 1, x.0).0, rj_status::RJ_LENGTH);
    assert_eq!(
        run(0, 2, x.0),
        (rj_status::RJ_LENGTH, "inputs has length 0: expected 1, as rj_program_counts says".into())
    );
    assert_eq!(run(1, 2, ptr::null()).0, rj_status::RJ_NULL_POINTER);
    assert_eq!(run(1, 2, encrypted(&both("[]").0, &[1.0]).0).0, rj_status::RJ_KEY_MISMATCH);
    let (status, text) = run(1, 2, encrypted(&client, &values).0);
    assert_eq!(status, rj_status::RJ_ARGUMENT, "values up to 4 where the program has 2");
    assert!(text.contains("x with values from -4 to 4: expected values from -2 to 2"), "{text}");
    assert!(results.iter().all(|result| result.is_null()));
    let (status, _) = refused!(rj_client_encrypt_input(client.0, program.0, 1, values.as_ptr(), 4, &mut results[0]));
    assert_eq!(status, rj_status::RJ_ARGUMENT);
    let (status, text) = refused!(rj_client_encrypt_input(client.0, program.0, 0, [3.0].as_ptr(), 1, &mut results[0]));
    assert_eq!(status, rj_status::RJ_OUTSIDE_STATED);
    assert!(text.ends_with("(the program was recorded with these bounds: record it with wider ones)"), "{text}");
}

#[test]
fn programs_are_checked() {
    let mut data = program(&ckks());
    let last = data.len() - 1;
    data[last] ^= 1;
    let read = |data: &[u8]| {
        refused!(rj_program_from_bytes(data.as_ptr(), data.len(), RJ_ALLOW_INSECURE, &mut ptr::null_mut())).0
    };
    assert_eq!(read(&data), rj_status::RJ_MALFORMED);
    assert_eq!(read(&[]), rj_status::RJ_MALFORMED);
}

#[test]
fn bytes_and_files_come_back() {
    let folder = Folder::new("files");
    let (client, server) = both("[1]");
    let own = made!(rj_client_params(client.0));
    let x = encrypted(&client, &[1.0, -0.5]);

    let data = bytes(|out| c!(rj_ciphertext_to_bytes(x.0, out)));
    let same = made!(rj_ciphertext_from_bytes(own.0, data.as_ptr(), data.len()));
    expect(&client, &same, &[1.0, -0.5]);
    let (status, _) = refused!(rj_ciphertext_from_bytes(own.0, data.as_ptr(), data.len() - 1, &mut ptr::null_mut()));
    assert_eq!(status, rj_status::RJ_MALFORMED);
    let (path, given) = folder.file("x");
    assert_eq!(c!(rj_ciphertext_save(x.0, given.as_ptr())), rj_status::RJ_OK);
    assert_eq!(fs::read(path).unwrap(), data);
    expect(&client, &made!(rj_ciphertext_load(own.0, given.as_ptr())), &[1.0, -0.5]);

    let keys = made!(rj_client_keys(client.0, text("{\"rotations\": [1]}").as_ptr()));
    let data = bytes(|out| c!(rj_keys_to_bytes(keys.0, out)));
    let (path, given) = folder.file("keys");
    assert_eq!(c!(rj_keys_save(keys.0, given.as_ptr())), rj_status::RJ_OK);
    assert_eq!(fs::read(&path).unwrap(), data);
    for read in [
        made!(rj_keys_from_bytes(data.as_ptr(), data.len(), RJ_ALLOW_INSECURE)),
        made!(rj_keys_load(given.as_ptr(), 0, RJ_ALLOW_INSECURE)),
    ] {
        let server = made!(rj_server_new(read.0));
        expect(&client, &made!(rj_mul(server.0, x.0, x.0)), &[1.0, 0.25]);
    }
    let (status, _) = refused!(rj_keys_load(given.as_ptr(), 0, 0, &mut ptr::null_mut()));
    assert_eq!(status, rj_status::RJ_INSECURE_PARAMETERS);
    let (status, text) = refused!(rj_keys_load(given.as_ptr(), 99, RJ_ALLOW_INSECURE, &mut ptr::null_mut()));
    assert_eq!(status, rj_status::RJ_TOO_MANY_BYTES);
    assert!(text.ends_with("(max_bytes of rj_keys_load)"), "{text}");
    fs::write(&path, [&data[..], &[0]].concat()).unwrap();
    let (status, text) = refused!(rj_keys_load(given.as_ptr(), 0, RJ_ALLOW_INSECURE, &mut ptr::null_mut()));
    assert_eq!(status, rj_status::RJ_MALFORMED, "{text}");
    let (_, missing) = folder.file("missing");
    let (status, text) = refused!(rj_keys_load(missing.as_ptr(), 0, 0, &mut ptr::null_mut()));
    assert_eq!(status, rj_status::RJ_FILE);
    assert!(text.contains("missing: "), "{text}");
    let own = made!(rj_server_params(server.0));
    let json = bytes(|out| c!(rj_params_to_json(own.0, out)));
    assert_eq!(json, ckks().to_json().unwrap().as_bytes());
}

#[test]
fn the_secret_has_a_file_of_its_own() {
    let folder = Folder::new("secret");
    let (path, given) = folder.file("key");
    let (client, _) = both("[]");
    let x = encrypted(&client, &[1.5]);
    assert_eq!(c!(rj_client_save(client.0, given.as_ptr())), rj_status::RJ_OK);
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).unwrap());
        assert_eq!(mode & 0o7777, 0o600);
    }
    let again = made!(rj_client_load(given.as_ptr(), 0, RJ_ALLOW_INSECURE));
    expect(&again, &x, &[1.5]);
    let before = fs::read(&path).unwrap();
    for refusal in [
        refused!(rj_client_save(client.0, given.as_ptr())),
        refused!(rj_ciphertext_save(x.0, given.as_ptr())),
        refused!(rj_keys_save(made!(rj_client_keys(client.0, ptr::null())).0, given.as_ptr())),
    ] {
        assert_eq!(refusal.0, rj_status::RJ_OVERWRITE, "{}", refusal.1);
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(
        refused!(rj_client_load(given.as_ptr(), 0, 0, &mut ptr::null_mut())).0,
        rj_status::RJ_INSECURE_PARAMETERS
    );
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no unfinished file is left");
}

/// A file that this user cannot read could hold a secret key.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_not_replaced() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new("unreadable");
    let (client, _) = both("[]");
    let x = encrypted(&client, &[1.5]);
    let (path, given) = folder.file("key");
    assert_eq!(c!(rj_client_save(client.0, given.as_ptr())), rj_status::RJ_OK);
    let before = fs::read(&path).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).unwrap();
    let (status, text) = refused!(rj_ciphertext_save(x.0, given.as_ptr()));
    assert_eq!(status, rj_status::RJ_OVERWRITE);
    // the superuser can read the file, and finds the key
    let reason = if fs::File::open(&path).is_ok() { "/key holds the secret key " } else { "/key cannot be read (" };
    assert!(text.contains(reason), "{text}");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);

    // the system says of this file that it is one, and the superuser cannot read its first byte either
    let (link, given) = folder.file("link");
    symlink("/proc/self/mem", link).unwrap();
    if fs::metadata("/proc/self/mem").is_ok_and(|data| data.is_file()) {
        let (status, text) = refused!(rj_ciphertext_save(x.0, given.as_ptr()));
        assert_eq!(status, rj_status::RJ_OVERWRITE);
        assert!(text.contains("/link cannot be read (") && text.contains("may hold a secret key: choose"), "{text}");
    }
}

/// What goes wrong with a file while keys and ciphertexts are read or written is an error of the file, with its path.
#[test]
fn errors_of_files_have_the_path() {
    let folder = Folder::new("paths");
    let (path, given) = folder.file("folder");
    fs::create_dir(&path).unwrap();
    let expect_file = |(status, text): (rj_status, String)| {
        assert_eq!(status, rj_status::RJ_FILE, "{text}");
        assert!(text.starts_with(&format!("{}: ", path.display())), "{text}");
    };
    let (client, _) = both("[]");
    let x = encrypted(&client, &[1.5]);
    let keys = made!(rj_client_keys(client.0, ptr::null()));
    expect_file(refused!(rj_keys_load(given.as_ptr(), 0, RJ_ALLOW_INSECURE, &mut ptr::null_mut())));
    expect_file(refused!(rj_ciphertext_load(params(&ckks()).0, given.as_ptr(), &mut ptr::null_mut())));
    expect_file(refused!(rj_client_load(given.as_ptr(), 0, RJ_ALLOW_INSECURE, &mut ptr::null_mut())));
    expect_file(refused!(rj_keys_save(keys.0, given.as_ptr())));
    expect_file(refused!(rj_ciphertext_save(x.0, given.as_ptr())));
}

/// The same for a full disk: a process that can write at most 1 KiB to each file.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_of_the_file() {
    if !is_in_own_process("stored::a_full_disk_is_an_error_of_the_file", "trap '' XFSZ; ulimit -f 1") {
        return;
    }
    let folder = Folder::new("full");
    let (path, given) = folder.file("new");
    let (client, _) = both("[]");
    let keys = made!(rj_client_keys(client.0, ptr::null()));
    let x = encrypted(&client, &[1.5]);
    for (status, text) in
        [refused!(rj_keys_save(keys.0, given.as_ptr())), refused!(rj_ciphertext_save(x.0, given.as_ptr()))]
    {
        assert_eq!(status, rj_status::RJ_FILE, "{text}");
        assert!(text.starts_with(&format!("{}: File too large", path.display())), "{text}");
    }
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0, "no unfinished file is left");
}
