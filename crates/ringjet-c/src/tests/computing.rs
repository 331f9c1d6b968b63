//! Encryption, operations and decryption.

use std::ptr;

use super::*;

#[test]
fn operations_of_real_numbers() {
    let (client, server) = both("[1, 2, -1]");
    let (x, y) = (encrypted(&client, &[1.0, -2.0, 0.5]), encrypted(&client, &[0.25, 1.0, 3.0]));
    let s = server.0;
    expect(&client, &made!(rj_add(s, x.0, y.0)), &[1.25, -1.0, 3.5]);
    expect(&client, &made!(rj_sub(s, x.0, y.0)), &[0.75, -3.0, -2.5]);
    expect(&client, &made!(rj_mul(s, x.0, y.0)), &[0.25, -2.0, 1.5]);
    expect(&client, &made!(rj_neg(s, x.0)), &[-1.0, 2.0, -0.5]);
    expect(&client, &made!(rj_add_number(s, x.0, 0.5)), &[1.5, -1.5, 1.0]);
    expect(&client, &made!(rj_sub_number(s, x.0, 0.5)), &[0.5, -2.5, 0.0]);
    expect(&client, &made!(rj_mul_number(s, x.0, 0.5)), &[0.5, -1.0, 0.25]);
    let v = [2.0, 0.5, -1.0];
    expect(&client, &made!(rj_add_numbers(s, x.0, v.as_ptr(), 3)), &[3.0, -1.5, -0.5]);
    expect(&client, &made!(rj_sub_numbers(s, x.0, v.as_ptr(), 3)), &[-1.0, -2.5, 1.5]);
    expect(&client, &made!(rj_mul_numbers(s, x.0, v.as_ptr(), 3)), &[2.0, -1.0, -0.5]);
    expect(&client, &made!(rj_power(s, x.0, 3)), &[1.0, -8.0, 0.125]);
    expect(&client, &made!(rj_polynomial(s, x.0, [1.0, 0.0, 2.0].as_ptr(), 3)), &[3.0, 9.0, 1.5]);
    expect(&client, &made!(rj_to_level(s, x.0, 1)), &[1.0, -2.0, 0.5]);
    let mut turned = [0.0; 16];
    turned[15] = 1.0;
    turned[..2].copy_from_slice(&[-2.0, 0.5]);
    expect(&client, &made!(rj_rotate(s, x.0, 1)), &turned);
    let mut sums = [0.0; 16];
    sums[..3].copy_from_slice(&[-0.5, -1.5, 0.5]);
    (sums[13], sums[14], sums[15]) = (1.0, -1.0, -0.5);
    expect(&client, &made!(rj_inner_sum(s, x.0, 1, 4)), &sums);
}

/// What lies after the values stays as it is, also where it is not 0.
#[test]
fn vectors_in_the_clear_leave_other_slots() {
    let (client, server) = both("[]");
    // slots without a value get 2, the number nearest to 0 within the bounds
    let values = [3.0, 2.5];
    let x = made!(rj_client_encrypt(client.0, values.as_ptr(), 2, 2.0, 3.0, RJ_TOP_LEVEL));
    let product = made!(rj_mul_numbers(server.0, x.0, [2.0, 4.0].as_ptr(), 2));
    expect(&client, &product, &[6.0, 10.0]);
    // SAFETY: the handle lives
    let all = unsafe { (*product.0).0.counted(16) }.unwrap();
    let all = Owned(Box::into_raw(Box::new(rj_ciphertext(all))));
    expect(&client, &all, &[&[6.0, 10.0][..], &[2.0; 14]].concat());
}

#[test]
fn complex_numbers() {
    let (client, server) = both("[]");
    let pairs = [1.0, 2.0, -0.5, 0.25];
    let x = made!(rj_client_encrypt_complex(client.0, pairs.as_ptr(), 2, 2.0, 2));
    let y = made!(rj_mul(server.0, x.0, x.0));
    let (mut room, mut count) = ([0.0; 4], 0);
    c!(rj_client_decrypt_complex(client.0, y.0, room.as_mut_ptr(), 2, &mut count));
    let close = room.iter().zip([-3.0, 4.0, 0.1875, -0.25]).all(|(x, y)| (x - y).abs() < 1e-6);
    assert!(count == 2 && close, "{room:?}");
    let (status, text) = refused!(rj_conjugate(server.0, x.0, &mut ptr::null_mut()));
    assert_eq!(status, rj_status::RJ_MISSING_CONJUGATION_KEY);
    assert!(text.ends_with("(rj_client_keys(client, \"{\\\"conjugation\\\": true}\", &keys))"), "{text}");
}

#[test]
fn integers() {
    let preset = text("bgv-n12");
    let params = made!(rj_params_preset(preset.as_ptr()));
    let client = made!(rj_client_new(params.0, 0));
    let request = text("{\"rotations\": [1], \"conjugation\": true}");
    let server = made!(rj_server_new(made!(rj_client_keys(client.0, request.as_ptr())).0));
    let values = [5, -7, 123];
    let x = made!(rj_client_encrypt_integers(client.0, values.as_ptr(), 3, RJ_TOP_LEVEL));
    let s = server.0;
    let all = |ct: &Owned<rj_ciphertext>| {
        let (mut room, mut count) = (vec![0i64; 4096], 0);
        let status = c!(rj_client_decrypt_integers(client.0, ct.0, room.as_mut_ptr(), room.len(), &mut count));
        assert_eq!(status, rj_status::RJ_OK, "{}", last_error());
        room.truncate(count);
        room
    };
    assert_eq!(all(&made!(rj_add_integer(s, x.0, 2))), [7, -5, 125]);
    assert_eq!(all(&made!(rj_sub_integer(s, x.0, 2))), [3, -9, 121]);
    assert_eq!(all(&made!(rj_mul_integer(s, x.0, -3))), [-15, 21, -369]);
    let v = [1, 10, 100];
    assert_eq!(all(&made!(rj_add_integers(s, x.0, v.as_ptr(), 3))), [6, 3, 223]);
    assert_eq!(all(&made!(rj_sub_integers(s, x.0, v.as_ptr(), 3))), [4, -17, 23]);
    assert_eq!(all(&made!(rj_mul_integers(s, x.0, v.as_ptr(), 3))), [5, -70, 12300]);
    assert_eq!(all(&made!(rj_mul(s, x.0, x.0))), [25, 49, 15129]);
    assert_eq!(all(&made!(rj_rotate(s, x.0, 1)))[..2], [-7, 123]);
    assert_eq!(all(&made!(rj_swap_rows(s, x.0)))[2048..2051], [5, -7, 123]);
    let mut info = std::mem::MaybeUninit::uninit();
    assert_eq!(c!(rj_ciphertext_describe(x.0, info.as_mut_ptr())), rj_status::RJ_OK);
    // SAFETY: the call above wrote it
    let info: rj_ciphertext_info = unsafe { info.assume_init() };
    assert!(info.slots == 4096 && info.count == 3 && info.noise_budget > 10.0 && info.precision_bits.is_infinite());
    let (status, text) = refused!(rj_client_decrypt(client.0, x.0, [0.0; 3].as_mut_ptr(), 3, &mut 0));
    assert_eq!(status, rj_status::RJ_SCHEME);
    assert!(text.contains("BGV has no real or complex numbers") && text.contains("_integers"), "{text}");
    let (status, _) = refused!(rj_add_number(s, x.0, 1.0, &mut ptr::null_mut()));
    assert_eq!(status, rj_status::RJ_SCHEME);
}

#[test]
fn ciphertexts_of_others_are_refused() {
    let (client, server) = both("[]");
    let (other, other_server) = both("[]");
    let (x, y) = (encrypted(&client, &[1.0]), encrypted(&other, &[1.0]));
    let mut out = ptr::null_mut();
    for (server, x, y) in [(&server, &x, &y), (&server, &y, &x), (&other_server, &x, &x)] {
        let (status, text) = refused!(rj_add(server.0, x.0, y.0, &mut out));
        assert_eq!(status, rj_status::RJ_KEY_MISMATCH);
        assert!(text.starts_with("the ciphertext belongs to key"), "{text}");
    }
    let (status, _) = refused!(rj_client_decrypt(other.0, x.0, [0.0; 1].as_mut_ptr(), 1, &mut 0));
    assert_eq!(status, rj_status::RJ_KEY_MISMATCH);

    let large: dynamic::Parameters =
        ringjet::Parameters::new(&ParamSpec::uniform(6, 50, 3, 40, 2).allow_insecure()).unwrap().into();
    let large = made!(rj_client_new(params(&large).0, 0));
    let z = encrypted(&large, &[1.0]);
    let (status, text) = refused!(rj_mul(server.0, x.0, z.0, &mut out));
    assert_eq!(status, rj_status::RJ_PARAMETER_MISMATCH);
    assert!(text.starts_with("the ciphertext belongs to parameter set"), "{text}");
    let (status, _) = refused!(rj_client_decrypt(client.0, z.0, [0.0; 1].as_mut_ptr(), 1, &mut 0));
    assert_eq!(status, rj_status::RJ_PARAMETER_MISMATCH);
    assert!(out.is_null());
}

#[test]
fn errors_of_the_library_have_their_status() {
    let (client, server) = both("[1]");
    let x = encrypted(&client, &[1.0, 2.0]);
    let mut out = ptr::null_mut();
    let (status, text) = refused!(rj_rotate(server.0, x.0, 5, &mut out));
    assert_eq!(status, rj_status::RJ_MISSING_ROTATION_KEY);
    assert!(text.starts_with("no key for rotation by 5") && text.contains("rj_client_keys"), "{text}");
    let small = made!(rj_client_encrypt(client.0, [0.5].as_ptr(), 1, -1.0, 1.0, RJ_TOP_LEVEL));
    assert_eq!(refused!(rj_power(server.0, small.0, 1000, &mut out)).0, rj_status::RJ_LEVEL_EXHAUSTED);
    assert_eq!(refused!(rj_bootstrap(server.0, x.0, RJ_REAL, &mut out)).0, rj_status::RJ_NO_BOOTSTRAPPING);
    assert_eq!(refused!(rj_bootstrap(server.0, x.0, 4, &mut out)).0, rj_status::RJ_FLAGS);
    let (status, text) = refused!(rj_client_encrypt(client.0, [3.0].as_ptr(), 1, -1.0, 1.0, -1, &mut out));
    assert_eq!(status, rj_status::RJ_OUTSIDE_STATED);
    assert!(text.contains("a value of 3") && text.ends_with("(low and high of rj_client_encrypt)"), "{text}");
    assert_eq!(
        refused!(rj_client_encrypt(client.0, [f64::NAN].as_ptr(), 1, -1.0, 1.0, -1, &mut out)).0,
        rj_status::RJ_NOT_FINITE
    );
    assert_eq!(
        refused!(rj_client_encrypt(client.0, [0.0].as_ptr(), 1, -1.0, 1.0, -2, &mut out)).0,
        rj_status::RJ_ARGUMENT
    );
    assert_eq!(
        refused!(rj_client_encrypt(client.0, [0.0].as_ptr(), 1, -1.0, 1.0, 9, &mut out)).0,
        rj_status::RJ_NO_SUCH_LEVEL
    );
    let wrong = super::text("{\"rotation\": [1]}");
    let (status, text) = refused!(rj_client_keys(client.0, wrong.as_ptr(), &mut ptr::null_mut()));
    assert_eq!(status, rj_status::RJ_ARGUMENT);
    assert!(text.contains("unknown field `rotation`"), "{text}");
}

/// A value without a right digit is no answer.
#[test]
fn drowned_values_are_refused() {
    let (client, server) = both("[]");
    let values = [1e-14];
    let x = made!(rj_client_encrypt(client.0, values.as_ptr(), 1, -1e-14, 1e-14, RJ_TOP_LEVEL));
    let y = made!(rj_mul(server.0, x.0, x.0));
    let (mut room, mut count) = ([7.0], 0);
    let (status, text) = refused!(rj_client_decrypt(client.0, y.0, room.as_mut_ptr(), 1, &mut count));
    assert_eq!((status, room, count), (rj_status::RJ_DROWNED, [7.0], 1));
    assert!(text.starts_with("errors drown the values"), "{text}");
}
