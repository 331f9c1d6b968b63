/*
 * ringjet computes on encrypted numbers. A client encrypts its values, a server computes on them and never
 * sees them, and only the client can decrypt the result. docs/c.md explains this interface with an example.
 *
 * Errors. Functions return RJ_OK, or the status of an error; rj_last_error has its text. A function that
 * fails changes nothing, except that the handle or the bytes that it would have written are null, and that
 * functions that decrypt set count also when they fail with RJ_LENGTH, RJ_DROWNED or an error of the decryption
 * itself. No function ends the process, and no C++ exception or Rust panic leaves one.
 *
 * Pointers. A pointer to an array may be null if its length is 0. All other pointers are refused if they
 * are null (RJ_NULL_POINTER), except where a comment says otherwise. A handle must come from this library and
 * must not have been freed. Arrays have at least the length that is stated. Texts end with a zero byte and are
 * UTF-8, names of files in the system's encoding.
 *
 * Memory. Handles that a function writes through its last argument belong to the caller, who frees each with
 * the function of its type, in any order: no handle needs another one to live. rj_bytes are freed by
 * rj_bytes_free. All functions that free take null. Texts that functions return belong to the library.
 *
 * Threads. Handles do not change after they are made. Any number of threads may use one at the same time,
 * and rj_last_error is that of the calling thread. Free a handle after all threads are done with it. The
 * computing threads of the library (rj_set_threads) work for one caller at a time; calls of other threads
 * meanwhile run on their own thread. After fork() only the parent may use the library (RJ_FORKED).
 *
 * Links with -lringjet_c, and statically with -lpthread -ldl -lm as well.
 */


#ifndef RINGJET_H
#define RINGJET_H

/* Generated from crates/ringjet-c by cbindgen: change it there. */

#include <stddef.h>
#include <stdint.h>

// Reads parameters below their stated security, too: for tests and experiments.
#define RJ_ALLOW_INSECURE 1

// States that the values of a ciphertext are real numbers.
#define RJ_REAL 2

// The level of a fresh ciphertext: as many multiplications as the parameters have.
#define RJ_TOP_LEVEL -1

// What a function returns. Numbers keep their meaning in later versions. Those from 100 on are the errors of
// the library, which Python knows by the names that rj_status_name gives.
enum rj_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Done.
  RJ_OK = 0,
  // A pointer is null where something is needed.
  RJ_NULL_POINTER = 1,
  // A pointer to numbers or to handles is not aligned as C requires.
  RJ_MISALIGNED = 2,
  // An array has the wrong length.
  RJ_LENGTH = 3,
  // A text is not UTF-8.
  RJ_NOT_UTF8 = 4,
  // A flag that the function does not have.
  RJ_FLAGS = 5,
  // A file cannot be opened, read or written.
  RJ_FILE = 6,
  // A file is there that the function does not replace, such as one with a secret key.
  RJ_OVERWRITE = 7,
  // Errors drown the decrypted values: no digit of them is right.
  RJ_DROWNED = 8,
  // The library was used before this process was forked; use threads, or start a new program.
  RJ_FORKED = 9,
  // The number of threads was asked for too late: something was made already.
  RJ_TOO_LATE = 10,
  // A fault in the library. The call had no effect. Please report the text of rj_last_error.
  RJ_PANIC = 11,
  // An error that has no status of its own yet.
  RJ_OTHER = 12,
  // The modulus of HEAAN is larger than its security allows, and RJ_ALLOW_INSECURE is not given.
  RJ_INSECURE_MODULUS = 100,
  // Values are too large for the scale and the modulus of HEAAN.
  RJ_TOO_LARGE_FOR_MODULUS = 101,
  // The levels of two operands differ.
  RJ_LEVEL_MISMATCH = 102,
  // Not enough levels are left.
  RJ_LEVEL_EXHAUSTED = 103,
  // The keys of one or more rotations are missing.
  RJ_MISSING_ROTATION_KEY = 104,
  // There is not enough memory.
  RJ_OUT_OF_MEMORY = 105,
  // The ciphertext has no values.
  RJ_NO_VALUES = 106,
  // Parameters have less security than asked for, and RJ_ALLOW_INSECURE is not given.
  RJ_INSECURE_PARAMETERS = 107,
  // No published table gives the security of this secret, and RJ_ALLOW_INSECURE is not given.
  RJ_SPARSE_SECRET = 108,
  // The ephemeral secret of bootstrapping has too little security, and RJ_ALLOW_INSECURE is not given.
  RJ_EPHEMERAL_SECRET = 109,
  // A parameter set is not usable.
  RJ_PARAMETERS = 110,
  // No preset has this name.
  RJ_UNKNOWN_PRESET = 111,
  // The scheme does not have this operation.
  RJ_SCHEME = 112,
  // Objects of two parameter sets were combined.
  RJ_PARAMETER_MISMATCH = 113,
  // Objects of two secrets were combined.
  RJ_KEY_MISMATCH = 114,
  // There are no values, or more than the ciphertext has slots.
  RJ_SLOT_COUNT = 115,
  // Ciphertexts with different numbers of slots were combined.
  RJ_SLOT_MISMATCH = 116,
  // Two vectors hold different numbers of values, both below the number of slots.
  RJ_COUNT_MISMATCH = 117,
  // A sum goes around the row of slots, and values would count more than once.
  RJ_WINDOW = 118,
  // A value is not a finite number.
  RJ_NOT_FINITE = 119,
  // Values are too large for the scale and modulus.
  RJ_TOO_LARGE = 120,
  // The result could wrap around the modulus.
  RJ_VALUE_OVERFLOW = 121,
  // Values to encrypt are larger than their stated magnitude.
  RJ_MAGNITUDE = 122,
  // Values to encrypt, or what fills the slots after them, are not within their stated bounds.
  RJ_OUTSIDE_STATED = 123,
  // Values can leave the interval on which a polynomial approximates a function.
  RJ_OUTSIDE_INTERVAL = 124,
  // Values are too large to be bootstrapped.
  RJ_BOOTSTRAP_MAGNITUDE = 125,
  // The decrypted polynomial is no message: its coefficients are too large.
  RJ_GARBAGE = 126,
  // The error of a result has no known bound, or the result does not match the sharing plan.
  RJ_NOT_SHARABLE = 127,
  // All decryptions that may be shared under a key have been shared.
  RJ_ANSWERS_EXHAUSTED = 128,
  // The parameters are for a secret of several pieces, which no single client makes.
  RJ_SEVERAL_PARTIES = 129,
  // More pieces of a secret than are supported.
  RJ_TOO_MANY_PIECES = 130,
  // Parameters that bootstrap have a secret of one piece.
  RJ_NO_COLLECTIVE_BOOTSTRAP = 131,
  // Something is missing that parties have to send.
  RJ_PARTY_MISSING = 132,
  // Holders of one piece sent different bytes, which depend on the piece alone.
  RJ_SHARES_DISAGREE = 133,
  // A share is not the one that was committed to.
  RJ_COMMITMENT_MISMATCH = 134,
  // A message was made with other agreements, or after other messages, than this party has.
  RJ_TRANSCRIPT_MISMATCH = 135,
  // A message of a later round.
  RJ_WRONG_ROUND = 136,
  // A message of another session.
  RJ_WRONG_SESSION = 137,
  // A ciphertext was answered with noise of another width, or in another way.
  RJ_ALREADY_ANSWERED = 138,
  // A ciphertext was answered together with other parties.
  RJ_ACTIVE_SET_CHANGED = 139,
  // Two scales differ.
  RJ_SCALE_MISMATCH = 140,
  // The noise of a result would be too large to decrypt it.
  RJ_NOISE_BUDGET = 141,
  // The noise of a ciphertext is too large to decrypt it.
  RJ_NOISE_BUDGET_SPENT = 142,
  // The messages of two exact ciphertexts are multiplied by different factors modulo t.
  RJ_FACTOR_MISMATCH = 143,
  // A value that an exact scheme cannot encode: not an integer, or outside the range of residues.
  RJ_NOT_RESIDUE = 144,
  // A decrypted integer does not fit 64 bits with sign.
  RJ_INTEGER_OVERFLOW = 145,
  // The lower level has primes that the upper one lacks.
  RJ_NOT_NESTED = 146,
  // The key was made for a lower level than the ciphertext's.
  RJ_KEY_LEVEL = 147,
  // There are no keys for bootstrapping, or only for other numbers of slots.
  RJ_MISSING_BOOTSTRAPPING_KEYS = 148,
  // The parameters do not allow bootstrapping.
  RJ_NO_BOOTSTRAPPING = 149,
  // The parameters have no sine, of which tables are polynomials.
  RJ_NO_SINE = 150,
  // The moduli of two operands differ.
  RJ_MODULUS_MISMATCH = 151,
  // Not enough bits of the modulus are left.
  RJ_MODULUS_EXHAUSTED = 152,
  // The level is above the top level.
  RJ_NO_SUCH_LEVEL = 153,
  // The key of conjugation is missing.
  RJ_MISSING_CONJUGATION_KEY = 154,
  // The relinearisation key, which products need, is missing.
  RJ_MISSING_RELINEARIZATION_KEY = 155,
  // The operation does not take a ciphertext of so many polynomials.
  RJ_DEGREE = 156,
  // An argument that is not accepted.
  RJ_ARGUMENT = 157,
  // Bytes that are not a valid object.
  RJ_MALFORMED = 158,
  // The bytes have a format version that this library no longer reads.
  RJ_OLD_VERSION = 159,
  // The bytes have a newer format version.
  RJ_NEWER_VERSION = 160,
  // The object has more bytes than the reader's limit.
  RJ_TOO_MANY_BYTES = 161,
  // Bytes of an object cannot be read or written.
  RJ_STREAM = 162,
  // The work was interrupted by its caller.
  RJ_INTERRUPTED_WORK = 163,
  // The processor refused the call or failed.
  RJ_BACKEND = 164,
  // Constants of the arithmetic, such as primes, do not exist.
  RJ_MATH = 165,
  // The system gives no random bytes.
  RJ_RANDOMNESS = 166,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum rj_status rj_status;
#else
typedef int32_t rj_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// An encrypted vector. Immutable: every operation makes a new one.
typedef struct rj_ciphertext rj_ciphertext;

// Holds the secret key: encrypts, decrypts, and makes the keys that a server computes with. It stays with the
// owner of the data.
typedef struct rj_client rj_client;

// Public keys that a server computes with. They hold no secret. Their bytes begin with their parameters.
typedef struct rj_keys rj_keys;

// A checked parameter set. Client and server use the same one; keys and programs carry it.
typedef struct rj_params rj_params;

// A computation on ciphertexts that Python recorded (ringjet.compile) and saved (Program.save). It holds no
// secret, and is bound to the parameters under which it was recorded.
typedef struct rj_program rj_program;

// Computes on ciphertexts with public keys.
typedef struct rj_server rj_server;

// Bytes that the library made; rj_bytes_free frees them. A zero byte follows after them, so that JSON is also a
// text of C.
typedef struct {
  // The bytes; null where there are none.
  uint8_t *data;
  // Their number, without the zero byte.
  size_t len;
} rj_bytes;

// What a parameter set offers.
typedef struct {
  // Numbers in a ciphertext, unless a client is made for fewer.
  size_t slots;
  // Multiplications in a row on a fresh ciphertext; with parameters that bootstrap, between two bootstraps.
  size_t depth;
  // The level of a fresh ciphertext; 0 with HEAAN, which has no levels.
  size_t top_level;
  // 1 where values are integers, which are computed exactly (BGV, BFV): they are int64_t. 0 where they are
  // double.
  int32_t is_exact;
  // 1 where ciphertexts can be bootstrapped.
  int32_t can_bootstrap;
} rj_params_info;

// What a ciphertext says of itself. None of it is secret.
typedef struct {
  // Number of slots.
  size_t slots;
  // How many of the first slots hold values; decryption returns so many.
  size_t count;
  // The level: how many rescalings are left. With HEAAN bits of the modulus that are left.
  size_t level;
  // Binary logarithm of the scale.
  double log_scale;
  // Estimated precision in bits: -log2 of the standard deviation of the error of a value. Infinite with BGV
  // and BFV.
  double precision_bits;
  // With BGV and BFV a lower bound on the noise budget in bits, which says how often the noise may double.
  // With other schemes not a number.
  double noise_budget;
  // Bounds on the real parts of the values: stated at encryption, then derived by each operation. With BGV
  // and BFV the range of all values.
  double low;
  // The upper bound.
  double high;
} rj_ciphertext_info;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The text of the last error of this thread, in English; empty if there was none. It names the values, and
// the way out. It is valid until the next call of this thread that fails.
const char *rj_last_error(void);

// The version of the library, such as "0.1.0".
const char *rj_version(void);

// The name of a status, such as "KeyMismatchError"; null for a number that is no status.
const char *rj_status_name(int32_t status);

// Frees bytes that the library made.
void rj_bytes_free(rj_bytes bytes);

// Sets the number of threads that compute: 1 to 4096, or 0 for one on each core, which is the default. It
// must be called before all functions that make a handle; later another number is refused (RJ_TOO_LATE).
rj_status rj_set_threads(size_t threads);

// The name of a preset, from index 0 on; null after the last one.
const char *rj_preset_name(size_t index);

// The preset of this name, such as "n13-depth2" (CKKS) or "bgv-n13".
rj_status rj_params_preset(const char *name, rj_params **params);

// Parameters from the JSON that rj_params_to_json and Python's Parameters.to_json write.
// flags: 0 or RJ_ALLOW_INSECURE.
rj_status rj_params_from_json(const char *json, uint32_t flags, rj_params **params);

// The parameters as JSON.
rj_status rj_params_to_json(const rj_params *params, rj_bytes *json);

// What the parameters offer.
rj_status rj_params_describe(const rj_params *params, rj_params_info *info);

// Frees parameters.
void rj_params_free(rj_params *params);

// Makes a client with a fresh secret key.
// slots: how many numbers its ciphertexts hold, a power of two; 0 for the parameters' number.
rj_status rj_client_new(const rj_params *params, size_t slots, rj_client **client);

// Writes the secret key to a new file that only its owner may read (mode 0600). Whoever has the file can
// decrypt everything. A file that is there already is not replaced (RJ_OVERWRITE). Python's Client.load reads
// it, too.
rj_status rj_client_save(const rj_client *client,
                         const char *path);

// Reads a client from a file that rj_client_save, or Client.save of Python, wrote. slots: as for
// rj_client_new. flags: 0 or RJ_ALLOW_INSECURE.
rj_status rj_client_load(const char *path, size_t slots, uint32_t flags, rj_client **client);

// The parameters of a client.
rj_status rj_client_params(const rj_client *client, rj_params **params);

// Makes the keys that a server computes with. They are public.
// request: which keys, as JSON: rj_program_keys gives those that a program takes. Every field may be left out:
// {"rotations": [1, -2], "relinearization": true, "conjugation": false, "bootstrapping": [4096], "levels": {}}.
// rotations: slots to the left, negative for the right. relinearization: the key for products of ciphertexts.
// conjugation: for rj_conjugate and rj_swap_rows. bootstrapping: numbers of slots of the ciphertexts that are
// bootstrapped. levels: the highest level at which a key is used, by "relinearization", "conjugation" or the
// rotation. Null is "{}": the key for products alone.
rj_status rj_client_keys(const rj_client *client,
                         const char *request,
                         rj_keys **keys);

// Encrypts 1 to slots real numbers between low and high, which are public; numbers outside are refused. Later
// estimates of errors rely on them. Slots without a value get the number nearest to 0 in between.
// level: how many multiplications in a row will be possible; lower levels make smaller ciphertexts.
// RJ_TOP_LEVEL: as many as the parameters have.
rj_status rj_client_encrypt(const rj_client *client,
                            const double *values,
                            size_t count,
                            double low,
                            double high,
                            int32_t level,
                            rj_ciphertext **ciphertext);

// Encrypts 1 to slots complex numbers. pairs: real and imaginary parts, 2 * count numbers of at most magnitude
// in absolute value. level: as for rj_client_encrypt.
rj_status rj_client_encrypt_complex(const rj_client *client,
                                    const double *pairs,
                                    size_t count,
                                    double magnitude,
                                    int32_t level,
                                    rj_ciphertext **ciphertext);

// Encrypts 1 to slots integers, with BGV and BFV, modulo their plaintext modulus t: from -(t-1)/2 to t-1. Slots
// without a value get 0. level: as for rj_client_encrypt.
rj_status rj_client_encrypt_integers(const rj_client *client,
                                     const int64_t *values,
                                     size_t count,
                                     int32_t level,
                                     rj_ciphertext **ciphertext);

// Encrypts real numbers for the input number index of a program, from 0 on, with the bounds, the level and the
// slots for which the program was recorded.
rj_status rj_client_encrypt_input(const rj_client *client,
                                  const rj_program *program,
                                  size_t index,
                                  const double *values,
                                  size_t count,
                                  rj_ciphertext **ciphertext);

// As rj_client_encrypt_input, for integers of BGV and BFV.
rj_status rj_client_encrypt_input_integers(const rj_client *client,
                                           const rj_program *program,
                                           size_t index,
                                           const int64_t *values,
                                           size_t count,
                                           rj_ciphertext **ciphertext);

// Decrypts real numbers, or the real parts of complex ones, into an array with room for capacity numbers; count
// gets how many there are, also where the array is too short (RJ_LENGTH) and with RJ_DROWNED. The result is for
// the owner of the key alone: its last bits can reveal the key.
// Refused: a ciphertext that cannot be an encryption under this key (RJ_GARBAGE), and values whose errors are
// larger than they can be (RJ_DROWNED).
rj_status rj_client_decrypt(const rj_client *client,
                            const rj_ciphertext *ciphertext,
                            double *values,
                            size_t capacity,
                            size_t *count);

// Decrypts complex numbers into an array with room for capacity pairs of real and imaginary parts. Otherwise as
// rj_client_decrypt.
rj_status rj_client_decrypt_complex(const rj_client *client,
                                    const rj_ciphertext *ciphertext,
                                    double *pairs,
                                    size_t capacity,
                                    size_t *count);

// Decrypts integers of BGV and BFV, which are between -(t-1)/2 and (t-1)/2, into an array with room for capacity
// of them; count gets how many there are, also where the array is too short (RJ_LENGTH). Refused where noise may
// hide them (RJ_NOISE_BUDGET_SPENT).
rj_status rj_client_decrypt_integers(const rj_client *client,
                                     const rj_ciphertext *ciphertext,
                                     int64_t *values,
                                     size_t capacity,
                                     size_t *count);

// Frees a client. The secret key is wiped from memory.
void rj_client_free(rj_client *client);

// The keys as bytes that can be sent; half of each key is 32 bytes of seed.
rj_status rj_keys_to_bytes(const rj_keys *keys, rj_bytes *bytes);

// Reads keys from bytes; they may come from Python, too. In memory keys take up to about 3 times as many
// bytes. flags: 0 or RJ_ALLOW_INSECURE.
rj_status rj_keys_from_bytes(const uint8_t *data,
                             size_t len,
                             uint32_t flags,
                             rj_keys **keys);

// Writes the keys to a file, without holding their bytes in memory. An older file is replaced when the new one
// is complete; a file with a secret key, or one that cannot be read, is not (RJ_OVERWRITE).
rj_status rj_keys_save(const rj_keys *keys,
                       const char *path);

// Reads keys from a file that rj_keys_save, or EvaluationKeys.save of Python, wrote.
// max_bytes: keys of more bytes are refused (RJ_TOO_MANY_BYTES); 0 for 8 GiB. flags: 0 or RJ_ALLOW_INSECURE.
rj_status rj_keys_load(const char *path,
                       uint64_t max_bytes,
                       uint32_t flags,
                       rj_keys **keys);

// Frees keys. A server that was made with them keeps its own.
void rj_keys_free(rj_keys *keys);

// Makes a server with these keys, whose parameters it takes.
rj_status rj_server_new(const rj_keys *keys, rj_server **server);

// The parameters of a server.
rj_status rj_server_params(const rj_server *server, rj_params **params);

// Frees a server.
void rj_server_free(rj_server *server);

// x + y.
rj_status rj_add(const rj_server *server,
                 const rj_ciphertext *x,
                 const rj_ciphertext *y,
                 rj_ciphertext **result);

// x + c with the number c in every slot.
rj_status rj_add_number(const rj_server *server,
                        const rj_ciphertext *x,
                        double c,
                        rj_ciphertext **result);

// As rj_add_number, with an integer, for BGV and BFV.
rj_status rj_add_integer(const rj_server *server,
                         const rj_ciphertext *x,
                         int64_t c,
                         rj_ciphertext **result);

// x + y with a vector y in the clear: count numbers, one for each slot, or for each value of x (then the other
// slots stay as they are).
rj_status rj_add_numbers(const rj_server *server,
                         const rj_ciphertext *x,
                         const double *values,
                         size_t count,
                         rj_ciphertext **result);

// As rj_add_numbers, with integers, for BGV and BFV.
rj_status rj_add_integers(const rj_server *server,
                          const rj_ciphertext *x,
                          const int64_t *values,
                          size_t count,
                          rj_ciphertext **result);

// x - y.
rj_status rj_sub(const rj_server *server,
                 const rj_ciphertext *x,
                 const rj_ciphertext *y,
                 rj_ciphertext **result);

// x - c with the number c in every slot.
rj_status rj_sub_number(const rj_server *server,
                        const rj_ciphertext *x,
                        double c,
                        rj_ciphertext **result);

// As rj_sub_number, with an integer, for BGV and BFV.
rj_status rj_sub_integer(const rj_server *server,
                         const rj_ciphertext *x,
                         int64_t c,
                         rj_ciphertext **result);

// x - y with a vector y in the clear, as for rj_add_numbers.
rj_status rj_sub_numbers(const rj_server *server,
                         const rj_ciphertext *x,
                         const double *values,
                         size_t count,
                         rj_ciphertext **result);

// As rj_sub_numbers, with integers, for BGV and BFV.
rj_status rj_sub_integers(const rj_server *server,
                          const rj_ciphertext *x,
                          const int64_t *values,
                          size_t count,
                          rj_ciphertext **result);

// x * y, slot by slot. It takes the key for products, and one level.
rj_status rj_mul(const rj_server *server,
                 const rj_ciphertext *x,
                 const rj_ciphertext *y,
                 rj_ciphertext **result);

// x * c with the number c in every slot.
rj_status rj_mul_number(const rj_server *server,
                        const rj_ciphertext *x,
                        double c,
                        rj_ciphertext **result);

// As rj_mul_number, with an integer, for BGV and BFV.
rj_status rj_mul_integer(const rj_server *server,
                         const rj_ciphertext *x,
                         int64_t c,
                         rj_ciphertext **result);

// x * y with a vector y in the clear, as for rj_add_numbers.
rj_status rj_mul_numbers(const rj_server *server,
                         const rj_ciphertext *x,
                         const double *values,
                         size_t count,
                         rj_ciphertext **result);

// As rj_mul_numbers, with integers, for BGV and BFV.
rj_status rj_mul_integers(const rj_server *server,
                          const rj_ciphertext *x,
                          const int64_t *values,
                          size_t count,
                          rj_ciphertext **result);

// -x.
rj_status rj_neg(const rj_server *server, const rj_ciphertext *x, rj_ciphertext **result);

// x to the power of n. It takes the key for products, and the fewest levels that are possible.
rj_status rj_power(const rj_server *server,
                   const rj_ciphertext *x,
                   uint32_t n,
                   rj_ciphertext **result);

// A polynomial of every slot, with count real coefficients, that of 1 first: 1 to 4096 of them. With BGV and BFV they
// are whole numbers. It takes the key for products. Not with HEAAN.
rj_status rj_polynomial(const rj_server *server,
                        const rj_ciphertext *x,
                        const double *coefficients,
                        size_t count,
                        rj_ciphertext **result);

// Rotates the slots by steps to the left, negative for the right: slot j gets the value of slot j + steps. It takes
// the key of this rotation. With BGV and BFV both rows of slots are rotated.
rj_status rj_rotate(const rj_server *server,
                    const rj_ciphertext *x,
                    int64_t steps,
                    rj_ciphertext **result);

// Slot j gets the sum of the count slots j, j + stride, j + 2 * stride, ... of its row, which goes on at its
// beginning. It takes keys of rotations: for a power of two as count those by stride, 2 * stride, 4 * stride and so
// on below count * stride. Where keys are missing, the error names them.
rj_status rj_inner_sum(const rj_server *server,
                       const rj_ciphertext *x,
                       int64_t stride,
                       size_t count,
                       rj_ciphertext **result);

// The complex conjugate of every slot. It takes the key of conjugation. Not with BGV and BFV.
rj_status rj_conjugate(const rj_server *server, const rj_ciphertext *x, rj_ciphertext **result);

// Swaps the two rows of slots of BGV and BFV. It takes the key of conjugation.
rj_status rj_swap_rows(const rj_server *server, const rj_ciphertext *x, rj_ciphertext **result);

// The same values at a lower level: fewer bytes, and faster to compute with. Not with HEAAN.
rj_status rj_to_level(const rj_server *server,
                      const rj_ciphertext *x,
                      size_t level,
                      rj_ciphertext **result);

// Bootstraps: the same values with levels to spend again. It takes keys for bootstrapping. Operations bootstrap by
// themselves where a ciphertext has no level left and there are such keys. flags: 0, or RJ_REAL, which states that
// the values are real and takes about two thirds of the time.
rj_status rj_bootstrap(const rj_server *server,
                       const rj_ciphertext *x,
                       uint32_t flags,
                       rj_ciphertext **result);

// What a ciphertext says of itself: level, scale, precision or noise budget, bounds.
rj_status rj_ciphertext_describe(const rj_ciphertext *ciphertext, rj_ciphertext_info *info);

// The ciphertext as bytes, without its parameters.
rj_status rj_ciphertext_to_bytes(const rj_ciphertext *ciphertext, rj_bytes *bytes);

// Reads a ciphertext of these parameters from bytes; they may come from Python or from a browser, too.
rj_status rj_ciphertext_from_bytes(const rj_params *params,
                                   const uint8_t *data,
                                   size_t len,
                                   rj_ciphertext **ciphertext);

// Writes the bytes of the ciphertext to a file. An older file is replaced when the new one is complete; a file
// with a secret key, or one that cannot be read, is not (RJ_OVERWRITE).
rj_status rj_ciphertext_save(const rj_ciphertext *ciphertext,
                             const char *path);

// Reads a ciphertext of these parameters from a file that rj_ciphertext_save, or Ciphertext.save of Python,
// wrote.
rj_status rj_ciphertext_load(const rj_params *params,
                             const char *path,
                             rj_ciphertext **ciphertext);

// Frees a ciphertext.
void rj_ciphertext_free(rj_ciphertext *ciphertext);

// Reads a program from a file that Program.save of Python wrote. flags: 0 or RJ_ALLOW_INSECURE.
rj_status rj_program_load(const char *path, uint32_t flags, rj_program **program);

// Reads a program from the bytes of such a file. flags: 0 or RJ_ALLOW_INSECURE.
rj_status rj_program_from_bytes(const uint8_t *data,
                                size_t len,
                                uint32_t flags,
                                rj_program **program);

// The parameters of a program: clients and servers that use it are made with them.
rj_status rj_program_params(const rj_program *program, rj_params **params);

// The keys that a program takes, as the request of rj_client_keys.
rj_status rj_program_keys(const rj_program *program, rj_bytes *request);

// The numbers of inputs and of results.
rj_status rj_program_counts(const rj_program *program, size_t *inputs, size_t *outputs);

// The name of an input, from index 0 on: that of the function's parameter. Null after the last one. It lives as
// long as the program.
const char *rj_program_input_name(const rj_program *program,
                                  size_t index);

// The place of a result in what the function returns, such as ['mean'] or [0]; a single result has an empty
// name. Otherwise as rj_program_input_name.
const char *rj_program_output_name(const rj_program *program,
                                   size_t index);

// Runs a program on a server: one ciphertext for each input, in order; outputs gets a new ciphertext for each
// result, in order. The counts are the lengths of the two arrays, and must be those of rj_program_counts. Where
// it fails, all outputs are null. One array may be both: its handles are read before it is written to, and the
// caller needs copies of them to free them.
rj_status rj_program_run(const rj_program *program,
                         const rj_server *server,
                         const rj_ciphertext *const *inputs,
                         size_t input_count,
                         rj_ciphertext **outputs,
                         size_t output_count);

// Frees a program.
void rj_program_free(rj_program *program);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* RINGJET_H */
