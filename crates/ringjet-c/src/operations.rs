//! Operations on ciphertexts: each is one operation of `ringjet::program`.

use std::sync::Arc;

use ringjet::circuits::{Basis, Polynomial};
use ringjet::dynamic::{Ciphertext, Scalar, Values};
use ringjet::program::Op;
use ringjet_math::fft::Complex64;

use crate::border::{Out, RJ_REAL, Refusal, Result, array, call, flag, handle};
use crate::ciphertext::rj_ciphertext;
use crate::server::rj_server;
use crate::status::rj_status;

/// Computes an operation on one ciphertext. `op` makes it from the ciphertext.
///
/// # Safety
/// The pointers are as the header says.
unsafe fn unary(
    server: *const rj_server,
    x: *const rj_ciphertext,
    result: *mut *mut rj_ciphertext,
    op: impl FnOnce(&Ciphertext) -> Result<Op>,
) -> rj_status {
    call(|| {
        // SAFETY: by the caller's promise
        let out = unsafe { Out::of_handle(result, "result")? };
        // SAFETY: by the caller's promise
        let (server, x) = unsafe { (handle(server, "server")?, handle(x, "x")?) };
        out.give(server.compute(&op(&x.0)?, &[x])?);
        Ok(())
    })
}

/// Computes an operation on two ciphertexts.
///
/// # Safety
/// The pointers are as the header says.
unsafe fn binary(
    server: *const rj_server,
    x: *const rj_ciphertext,
    y: *const rj_ciphertext,
    result: *mut *mut rj_ciphertext,
    op: &Op,
) -> rj_status {
    call(|| {
        // SAFETY: by the caller's promise
        let out = unsafe { Out::of_handle(result, "result")? };
        // SAFETY: by the caller's promise
        let (server, x, y) = unsafe { (handle(server, "server")?, handle(x, "x")?, handle(y, "y")?) };
        out.give(server.compute(op, &[x, y])?);
        Ok(())
    })
}

/// A vector in the clear for the ciphertext `x`: a number for each slot, or for each value. `rest` is for the
/// slots without a number, None where these stay as they are anyway.
///
/// # Safety
/// `values` are as the header says.
unsafe fn vector<T: Copy, U>(
    values: *const T,
    count: usize,
    x: &Ciphertext,
    rest: Option<T>,
    convert: impl Fn(T) -> U,
) -> Result<Vec<U>> {
    if count != x.slots() && count != x.count() {
        let expected = match x.count() == x.slots() {
            true => format!("{}, the number of slots", x.slots()),
            false => format!("{}, the number of values, or {}, that of slots", x.count(), x.slots()),
        };
        return Err(Refusal::Length { name: "values", found: count, expected });
    }
    // SAFETY: by the caller's promise
    let given = unsafe { array(values, count, "values")? };
    let missing = if x.is_zero_padded() { 0 } else { x.slots() - count };
    Ok(given
        .iter()
        .copied()
        .chain(rest.into_iter().flat_map(|rest| std::iter::repeat_n(rest, missing)))
        .map(convert)
        .collect())
}

/// # Safety
/// `values` are as the header says.
unsafe fn numbers(values: *const f64, count: usize, x: &Ciphertext, rest: Option<f64>) -> Result<Arc<Values>> {
    // SAFETY: by the caller's promise
    Ok(Arc::new(Values::Numbers(unsafe { vector(values, count, x, rest, Complex64::from)? })))
}

/// # Safety
/// `values` are as the header says.
unsafe fn integers(values: *const i64, count: usize, x: &Ciphertext, rest: Option<i64>) -> Result<Arc<Values>> {
    // SAFETY: by the caller's promise
    Ok(Arc::new(Values::Integers(unsafe { vector(values, count, x, rest, |x| x)? })))
}

/// x + y.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_add(
    server: *const rj_server,
    x: *const rj_ciphertext,
    y: *const rj_ciphertext,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { binary(server, x, y, result, &Op::Add {}) }
}

/// x + c with the number c in every slot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_add_number(
    server: *const rj_server,
    x: *const rj_ciphertext,
    c: f64,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::AddScalar { c: Scalar::Number(c) })) }
}

/// As rj_add_number, with an integer, for BGV and BFV.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_add_integer(
    server: *const rj_server,
    x: *const rj_ciphertext,
    c: i64,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::AddScalar { c: Scalar::Integer(c) })) }
}

/// x + y with a vector y in the clear: count numbers, one for each slot, or for each value of x (then the other
/// slots stay as they are).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_add_numbers(
    server: *const rj_server,
    x: *const rj_ciphertext,
    values: *const f64,
    count: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |x| Ok(Op::AddValues { v: numbers(values, count, x, None)? })) }
}

/// As rj_add_numbers, with integers, for BGV and BFV.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_add_integers(
    server: *const rj_server,
    x: *const rj_ciphertext,
    values: *const i64,
    count: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |x| Ok(Op::AddValues { v: integers(values, count, x, None)? })) }
}

/// x - y.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_sub(
    server: *const rj_server,
    x: *const rj_ciphertext,
    y: *const rj_ciphertext,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { binary(server, x, y, result, &Op::Sub {}) }
}

/// x - c with the number c in every slot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_sub_number(
    server: *const rj_server,
    x: *const rj_ciphertext,
    c: f64,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::SubScalar { c: Scalar::Number(c) })) }
}

/// As rj_sub_number, with an integer, for BGV and BFV.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_sub_integer(
    server: *const rj_server,
    x: *const rj_ciphertext,
    c: i64,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::SubScalar { c: Scalar::Integer(c) })) }
}

/// x - y with a vector y in the clear, as for rj_add_numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_sub_numbers(
    server: *const rj_server,
    x: *const rj_ciphertext,
    values: *const f64,
    count: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |x| Ok(Op::SubValues { v: numbers(values, count, x, None)? })) }
}

/// As rj_sub_numbers, with integers, for BGV and BFV.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_sub_integers(
    server: *const rj_server,
    x: *const rj_ciphertext,
    values: *const i64,
    count: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |x| Ok(Op::SubValues { v: integers(values, count, x, None)? })) }
}

/// x * y, slot by slot. It takes the key for products, and one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_mul(
    server: *const rj_server,
    x: *const rj_ciphertext,
    y: *const rj_ciphertext,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { binary(server, x, y, result, &Op::Mul {}) }
}

/// x * c with the number c in every slot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_mul_number(
    server: *const rj_server,
    x: *const rj_ciphertext,
    c: f64,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::MulScalar { c: Scalar::Number(c) })) }
}

/// As rj_mul_number, with an integer, for BGV and BFV.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_mul_integer(
    server: *const rj_server,
    x: *const rj_ciphertext,
    c: i64,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::MulScalar { c: Scalar::Integer(c) })) }
}

/// x * y with a vector y in the clear, as for rj_add_numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_mul_numbers(
    server: *const rj_server,
    x: *const rj_ciphertext,
    values: *const f64,
    count: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |x| Ok(Op::MulValues { v: numbers(values, count, x, Some(1.0))? })) }
}

/// As rj_mul_numbers, with integers, for BGV and BFV.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_mul_integers(
    server: *const rj_server,
    x: *const rj_ciphertext,
    values: *const i64,
    count: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |x| Ok(Op::MulValues { v: integers(values, count, x, Some(1))? })) }
}

/// -x.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_neg(
    server: *const rj_server,
    x: *const rj_ciphertext,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::Neg {})) }
}

/// x to the power of n. It takes the key for products, and the fewest levels that are possible.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_power(
    server: *const rj_server,
    x: *const rj_ciphertext,
    n: u32,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::Power { n })) }
}

/// A polynomial of every slot, with count real coefficients, that of 1 first: 1 to 4096 of them. With BGV and BFV they
/// are whole numbers. It takes the key for products. Not with HEAAN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_polynomial(
    server: *const rj_server,
    x: *const rj_ciphertext,
    coefficients: *const f64,
    count: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe {
        unary(server, x, result, |_| {
            let p = Polynomial::new(Basis::Power, array(coefficients, count, "coefficients")?)?;
            Ok(Op::Polynomial { p: Arc::new(p) })
        })
    }
}

/// Rotates the slots by steps to the left, negative for the right: slot j gets the value of slot j + steps. It takes
/// the key of this rotation. With BGV and BFV both rows of slots are rotated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_rotate(
    server: *const rj_server,
    x: *const rj_ciphertext,
    steps: i64,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::Rotate { k: steps })) }
}

/// Slot j gets the sum of the count slots j, j + stride, j + 2 * stride, ... of its row, which goes on at its
/// beginning. It takes keys of rotations: for a power of two as count those by stride, 2 * stride, 4 * stride and so
/// on below count * stride. Where keys are missing, the error names them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_inner_sum(
    server: *const rj_server,
    x: *const rj_ciphertext,
    stride: i64,
    count: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::InnerSum { stride, count, terms: count })) }
}

/// The complex conjugate of every slot. It takes the key of conjugation. Not with BGV and BFV.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_conjugate(
    server: *const rj_server,
    x: *const rj_ciphertext,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::Conjugate {})) }
}

/// Swaps the two rows of slots of BGV and BFV. It takes the key of conjugation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_swap_rows(
    server: *const rj_server,
    x: *const rj_ciphertext,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::SwapRows {})) }
}

/// The same values at a lower level: fewer bytes, and faster to compute with. Not with HEAAN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_to_level(
    server: *const rj_server,
    x: *const rj_ciphertext,
    level: usize,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::ToLevel { level })) }
}

/// Bootstraps: the same values with levels to spend again. It takes keys for bootstrapping. Operations bootstrap by
/// themselves where a ciphertext has no level left and there are such keys. flags: 0, or RJ_REAL, which states that
/// the values are real and takes about two thirds of the time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_bootstrap(
    server: *const rj_server,
    x: *const rj_ciphertext,
    flags: u32,
    result: *mut *mut rj_ciphertext,
) -> rj_status {
    // SAFETY: the header says what pointers must be
    unsafe { unary(server, x, result, |_| Ok(Op::Bootstrap { real: flag(flags, RJ_REAL)? })) }
}
