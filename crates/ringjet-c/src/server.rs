//! The server: it computes, and has no way to hold a secret key.

use ringjet::dynamic::{Ciphertext, EvaluationKeys, Evaluator};
use ringjet::program::Op;

use crate::border::{Out, Result, call, free, handle};
use crate::ciphertext::rj_ciphertext;
use crate::keys::rj_keys;
use crate::params::{context, rj_params};
use crate::status::rj_status;

/// Computes on ciphertexts with public keys.
pub struct rj_server {
    pub(crate) eval: Evaluator,
    keys: EvaluationKeys,
}

impl rj_server {
    /// Refuses a ciphertext of other parameters or of another client.
    pub(crate) fn expect(&self, ct: &rj_ciphertext) -> Result<()> {
        Ok(self.keys.expect(&ct.0)?)
    }

    /// The result of an operation that has one.
    pub(crate) fn compute(&self, op: &Op, operands: &[&rj_ciphertext]) -> Result<rj_ciphertext> {
        operands.iter().try_for_each(|x| self.expect(x))?;
        if op.is_bootstrap() {
            self.eval.expect_bootstrapping()?;
        }
        let operands: Vec<&Ciphertext> = operands.iter().map(|x| &x.0).collect();
        let mut made = op.run(&self.eval, &operands, &mut |_, _| true)?;
        Ok(rj_ciphertext(made.swap_remove(0)))
    }
}

/// Makes a server with these keys, whose parameters it takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_server_new(keys: *const rj_keys, server: *mut *mut rj_server) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, keys) = unsafe { (Out::of_handle(server, "server")?, &handle(keys, "keys")?.0) };
        let eval = Evaluator::new(&context(&keys.params())?, keys)?;
        out.give(rj_server { eval, keys: keys.clone() });
        Ok(())
    })
}

/// The parameters of a server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_server_params(server: *const rj_server, params: *mut *mut rj_params) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, server) = unsafe { (Out::of_handle(params, "params")?, handle(server, "server")?) };
        out.give(rj_params(server.eval.params()));
        Ok(())
    })
}

/// Frees a server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_server_free(server: *mut rj_server) {
    // SAFETY: the header says what pointers must be
    unsafe { free(server) }
}
