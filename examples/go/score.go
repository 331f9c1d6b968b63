// A client has a score computed on its encrypted numbers, by a server that never sees them.
//
//	score PROGRAM
//
// PROGRAM is a file that Python saved (examples/c/score.py). The type client belongs to the owner of
// the data, and the function answer to whoever computes. They exchange bytes alone.
//
// To build it, with the library of this repository:
//
//	cargo build --release -p ringjet-c
//	cd examples/go
//	export CGO_LDFLAGS="-L$PWD/../../target/release -Wl,-rpath,$PWD/../../target/release"
//	go build && ./score ../c/score.program
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../crates/ringjet-c/include
#cgo LDFLAGS: -lringjet_c
#include <stdlib.h>
#include "ringjet.h"
*/
import "C"

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"unsafe"
)

// call turns a status into an error. The text of an error belongs to the thread of the call, so
// that the goroutine must stay on it until the text is read.
func call(f func() C.rj_status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if status := f(); status != C.RJ_OK {
		return fmt.Errorf("%s: %s", C.GoString(C.rj_status_name(C.int32_t(status))), C.GoString(C.rj_last_error()))
	}
	return nil
}

// taken copies bytes of the library, and frees them.
func taken(bytes C.rj_bytes) []byte {
	defer C.rj_bytes_free(bytes)
	// not C.GoBytes, which takes an int of C: keys can have more than 2 GiB
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(bytes.data)), bytes.len)...)
}

// pointer is the address of bytes for C, which does not keep it.
func pointer(data []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(data)))
}

// program is a computation that Python saved. Both sides have it.
type program struct {
	handle *C.rj_program
	params *C.rj_params
}

func loadProgram(data []byte) (*program, error) {
	p := new(program)
	err := call(func() C.rj_status {
		return C.rj_program_from_bytes(pointer(data), C.size_t(len(data)), 0, &p.handle)
	})
	if err == nil {
		err = call(func() C.rj_status { return C.rj_program_params(p.handle, &p.params) })
	}
	return p, err
}

func (p *program) free() {
	C.rj_params_free(p.params)
	C.rj_program_free(p.handle)
}

// client holds the secret key.
type client struct {
	program *program
	handle  *C.rj_client
}

func newClient(p *program) (*client, error) {
	c := &client{program: p}
	return c, call(func() C.rj_status { return C.rj_client_new(p.params, 0, &c.handle) })
}

// keys makes the public keys that the program takes.
func (c *client) keys() ([]byte, error) {
	var request, made C.rj_bytes
	var keys *C.rj_keys
	if err := call(func() C.rj_status { return C.rj_program_keys(c.program.handle, &request) }); err != nil {
		return nil, err
	}
	defer C.rj_bytes_free(request)
	err := call(func() C.rj_status {
		return C.rj_client_keys(c.handle, (*C.char)(unsafe.Pointer(request.data)), &keys)
	})
	if err != nil {
		return nil, err
	}
	defer C.rj_keys_free(keys)
	err = call(func() C.rj_status { return C.rj_keys_to_bytes(keys, &made) })
	return taken(made), err
}

// encrypt encrypts numbers for the program's first input.
func (c *client) encrypt(values []float64) ([]byte, error) {
	var ciphertext *C.rj_ciphertext
	var made C.rj_bytes
	err := call(func() C.rj_status {
		numbers := (*C.double)(unsafe.Pointer(unsafe.SliceData(values)))
		return C.rj_client_encrypt_input(c.handle, c.program.handle, 0, numbers, C.size_t(len(values)), &ciphertext)
	})
	if err != nil {
		return nil, err
	}
	defer C.rj_ciphertext_free(ciphertext)
	err = call(func() C.rj_status { return C.rj_ciphertext_to_bytes(ciphertext, &made) })
	return taken(made), err
}

// decrypt returns the values of a ciphertext.
func (c *client) decrypt(data []byte) ([]float64, error) {
	var ciphertext *C.rj_ciphertext
	var info C.rj_ciphertext_info
	var count C.size_t
	err := call(func() C.rj_status {
		return C.rj_ciphertext_from_bytes(c.program.params, pointer(data), C.size_t(len(data)), &ciphertext)
	})
	if err != nil {
		return nil, err
	}
	defer C.rj_ciphertext_free(ciphertext)
	if err := call(func() C.rj_status { return C.rj_ciphertext_describe(ciphertext, &info) }); err != nil {
		return nil, err
	}
	values := make([]float64, int(info.count))
	err = call(func() C.rj_status {
		numbers := (*C.double)(unsafe.Pointer(unsafe.SliceData(values)))
		return C.rj_client_decrypt(c.handle, ciphertext, numbers, info.count, &count)
	})
	return values, err
}

func (c *client) free() {
	C.rj_client_free(c.handle)
}

// answer is what a server does: it has the public keys, the program and an encrypted input.
func answer(p *program, publicKeys, input []byte) ([]byte, error) {
	var keys *C.rj_keys
	var server *C.rj_server
	var x, score *C.rj_ciphertext
	var made C.rj_bytes
	err := call(func() C.rj_status {
		return C.rj_keys_from_bytes(pointer(publicKeys), C.size_t(len(publicKeys)), 0, &keys)
	})
	if err != nil {
		return nil, err
	}
	defer C.rj_keys_free(keys)
	if err := call(func() C.rj_status { return C.rj_server_new(keys, &server) }); err != nil {
		return nil, err
	}
	defer C.rj_server_free(server)
	err = call(func() C.rj_status {
		return C.rj_ciphertext_from_bytes(p.params, pointer(input), C.size_t(len(input)), &x)
	})
	if err != nil {
		return nil, err
	}
	defer C.rj_ciphertext_free(x)
	if err := call(func() C.rj_status { return C.rj_program_run(p.handle, server, &x, 1, &score, 1) }); err != nil {
		return nil, err
	}
	defer C.rj_ciphertext_free(score)
	err = call(func() C.rj_status { return C.rj_ciphertext_to_bytes(score, &made) })
	return taken(made), err
}

func run(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	p, err := loadProgram(data)
	defer p.free()
	if err != nil {
		return err
	}

	// the client
	c, err := newClient(p)
	defer c.free()
	if err != nil {
		return err
	}
	keys, err := c.keys()
	if err != nil {
		return err
	}
	values := []float64{1.5, 2.0, 0.25, 8.0}
	input, err := c.encrypt(values)
	if err != nil {
		return err
	}

	// the server
	result, err := answer(p, keys, input)
	if err != nil {
		return err
	}

	// the client again
	scores, err := c.decrypt(result)
	if err != nil {
		return err
	}
	expected := 0.5*1.5 - 0.25*2.0 + 0.25 + 0.125*8.0 + 0.5
	fmt.Printf("ringjet %s: score %.3f, in the clear %.3f\n", C.GoString(C.rj_version()), scores[0], expected)
	if math.Abs(scores[0]-expected) > 1e-3 {
		return fmt.Errorf("the score is wrong")
	}
	if _, err := answer(p, keys, input[:100]); err == nil {
		return fmt.Errorf("a truncated ciphertext was accepted")
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "score PROGRAM")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
