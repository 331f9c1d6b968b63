//! Programs that Python recorded and saved.

use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::Arc;

use ringjet::Error;
use ringjet::dynamic::{Ciphertext, Context, Evaluator, Parameters};
use ringjet::program::{Input, MAX_BYTES, Program, Recorder, Stored};
use ringjet_backend::{Reference, host};
use ringjet_model::{CountingBackend, UsedKeys};

use crate::border::{Out, RJ_ALLOW_INSECURE, Refusal, Result, array, array_mut, call, flag, free, handle, path};
use crate::buffer::rj_bytes;
use crate::ciphertext::rj_ciphertext;
use crate::files;
use crate::params::rj_params;
use crate::server::rj_server;
use crate::status::rj_status;

/// A computation on ciphertexts that Python recorded (ringjet.compile) and saved (Program.save). It holds no
/// secret, and is bound to the parameters under which it was recorded.
pub struct rj_program {
    stored: Stored,
    inputs: Vec<CString>,
    outputs: Vec<CString>,
}

impl rj_program {
    fn read(data: &[u8], flags: u32) -> Result<Self> {
        let stored = Program::from_bytes(data, MAX_BYTES, flag(flags, RJ_ALLOW_INSECURE)?)?;
        let name = |name: &str| CString::new(name.replace('\0', " ")).unwrap_or_default();
        let inputs = stored.program.inputs().iter().map(|(input, _)| name(&input.name)).collect();
        let outputs = stored.program.outputs().iter().map(|(output, _)| name(output)).collect();
        Ok(Self { stored, inputs, outputs })
    }

    /// An input, for a client of these parameters.
    pub(crate) fn input(&self, index: usize, params: &Parameters) -> Result<&Input> {
        params.expect_same("program", &self.stored.params)?;
        let all = self.stored.program.inputs();
        let expected = || format!("less than {}, the number of inputs", all.len());
        let found = all.get(index).map(|(input, _)| input);
        Ok(found.ok_or_else(|| Error::Argument { name: "index", value: index.to_string(), expected: expected() })?)
    }

    /// The request for the keys that it uses, as JSON: it runs on a backend that only counts.
    fn keys(&self) -> Result<String> {
        let counting = Arc::new(CountingBackend::over(Arc::new(Reference::default())));
        let context = Context::new(&self.stored.params, counting.clone());
        let eval = Evaluator::new(&context, &context.uncomputed_keys(self.stored.bootstrapping)?)?;
        counting.take();
        self.stored.program.record_on(&mut Recorder::new(&eval), vec![])?;
        let request = UsedKeys::of(&counting.trace()).request(&eval);
        Ok(serde_json::to_string(&request).map_err(|e| Error::Parameters(e.to_string()))?)
    }

    fn run(&self, server: &rj_server, inputs: &[*const rj_ciphertext]) -> Result<Vec<Ciphertext>> {
        server.eval.params().expect_same("program", &self.stored.params)?;
        let own = inputs.iter().map(|&input| {
            // SAFETY: the header says what pointers must be
            let ct = unsafe { handle(input, "inputs[...]")? };
            server.expect(ct).map(|()| ct.0.clone())
        });
        let own = own.collect::<Result<_>>()?;
        Ok(self.stored.program.run(&server.eval, own, &mut |_, _| true)?)
    }
}

/// Reads a program from a file that Program.save of Python wrote. flags: 0 or RJ_ALLOW_INSECURE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_load(path: *const c_char, flags: u32, program: *mut *mut rj_program) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, path) = unsafe { (Out::of_handle(program, "program")?, self::path(path)?) };
        out.give(rj_program::read(&files::read(path, MAX_BYTES)?, flags)?);
        Ok(())
    })
}

/// Reads a program from the bytes of such a file. flags: 0 or RJ_ALLOW_INSECURE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_from_bytes(
    data: *const u8,
    len: usize,
    flags: u32,
    program: *mut *mut rj_program,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, data) = unsafe { (Out::of_handle(program, "program")?, array(data, len, "data")?) };
        out.give(rj_program::read(data, flags)?);
        Ok(())
    })
}

/// The parameters of a program: clients and servers that use it are made with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_params(program: *const rj_program, params: *mut *mut rj_params) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, program) = unsafe { (Out::of_handle(params, "params")?, handle(program, "program")?) };
        out.give(rj_params(program.stored.params.clone()));
        Ok(())
    })
}

/// The keys that a program takes, as the request of rj_client_keys.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_keys(program: *const rj_program, request: *mut rj_bytes) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (out, program) = unsafe { (Out::of_bytes(request, "request")?, handle(program, "program")?) };
        out.give(program.keys()?.as_bytes())
    })
}

/// The numbers of inputs and of results.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_counts(
    program: *const rj_program,
    inputs: *mut usize,
    outputs: *mut usize,
) -> rj_status {
    call(|| {
        // SAFETY: the header says what pointers must be
        let (inputs, outputs) = unsafe { (Out::new(inputs, "inputs")?, Out::new(outputs, "outputs")?) };
        // SAFETY: the header says what pointers must be
        let program = unsafe { handle(program, "program")? };
        inputs.set(program.inputs.len());
        outputs.set(program.outputs.len());
        Ok(())
    })
}

/// The name of an input, from index 0 on: that of the function's parameter. Null after the last one. It lives as
/// long as the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_input_name(program: *const rj_program, index: usize) -> *const c_char {
    // SAFETY: the header says what pointers must be
    let program = unsafe { program.as_ref() };
    program.and_then(|p| p.inputs.get(index)).map_or(ptr::null(), |name| name.as_ptr())
}

/// The place of a result in what the function returns, such as ['mean'] or [0]; a single result has an empty
/// name. Otherwise as rj_program_input_name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_output_name(program: *const rj_program, index: usize) -> *const c_char {
    // SAFETY: the header says what pointers must be
    let program = unsafe { program.as_ref() };
    program.and_then(|p| p.outputs.get(index)).map_or(ptr::null(), |name| name.as_ptr())
}

/// Runs a program on a server: one ciphertext for each input, in order; outputs gets a new ciphertext for each
/// result, in order. The counts are the lengths of the two arrays, and must be those of rj_program_counts. Where
/// it fails, all outputs are null. One array may be both: its handles are read before it is written to, and the
/// caller needs copies of them to free them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_run(
    program: *const rj_program,
    server: *const rj_server,
    inputs: *const *const rj_ciphertext,
    input_count: usize,
    outputs: *mut *mut rj_ciphertext,
    output_count: usize,
) -> rj_status {
    call(|| {
        // copied before outputs is written to, which may be the same array
        // SAFETY: the header says what pointers must be
        let inputs = unsafe { array(inputs, input_count, "inputs") }.and_then(copied);
        // SAFETY: the header says what pointers must be; `inputs` does not borrow the caller's array any more
        let room = unsafe { array_mut(outputs, output_count, "outputs")? };
        room.iter_mut().for_each(|to| _ = to.write(ptr::null_mut()));
        // SAFETY: the header says what pointers must be
        let (program, server) = unsafe { (handle(program, "program")?, handle(server, "server")?) };
        let inputs = inputs?;
        let lengths = [("inputs", input_count, program.inputs.len()), ("outputs", output_count, program.outputs.len())];
        if let Some(&(name, found, right)) = lengths.iter().find(|(_, found, right)| found != right) {
            return Err(Refusal::Length { name, found, expected: format!("{right}, as rj_program_counts says") });
        }
        let made = program.run(server, &inputs)?;
        for (to, ct) in room.iter_mut().zip(made) {
            to.write(Box::into_raw(Box::new(rj_ciphertext(ct))));
        }
        Ok(())
    })
}

/// A copy of an array; without the memory for it, an error.
fn copied<T: Copy>(of: &[T]) -> Result<Vec<T>> {
    let mut all = host::capacity(of.len()).map_err(Error::from)?;
    all.extend_from_slice(of);
    Ok(all)
}

/// Frees a program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rj_program_free(program: *mut rj_program) {
    // SAFETY: the header says what pointers must be
    unsafe { free(program) }
}
