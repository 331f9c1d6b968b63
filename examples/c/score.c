/* A client has a score computed on its encrypted numbers, by a server that never sees them.
 *
 *     score PROGRAM FOLDER
 *
 * PROGRAM is a file that Python saved (score.py). Client and server meet in files of FOLDER alone,
 * so that each could be a process on a machine of its own. Functions whose names begin with client_
 * belong to the owner of the data, and those with server_ to whoever computes.
 *
 * To build it, with the library of this repository:
 *
 *     cargo build --release -p ringjet-c
 *     cc -std=c99 -Icrates/ringjet-c/include examples/c/score.c -o score \
 *        -Ltarget/release -lringjet_c -lm -Wl,-rpath,target/release
 *     mkdir files && ./score examples/c/score.program files
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ringjet.h"

/* Ends the program with the text of an error. */
static void expect_ok(rj_status status, const char *call) {
    if (status != RJ_OK) {
        fprintf(stderr, "%s: %s: %s\n", call, rj_status_name(status), rj_last_error());
        exit(1);
    }
}

#define CHECK(call) expect_ok(call, #call)

static const char *folder;

/* The name of a file in the folder. It lives until the next call. */
static const char *file(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* The client makes its secret key, the public keys of the program, and an encrypted input. */
static void client_sends(const rj_program *program, const double *values, size_t count) {
    rj_params *params;
    rj_client *client;
    rj_bytes request;
    rj_keys *keys;
    rj_ciphertext *input;

    CHECK(rj_program_params(program, &params));
    CHECK(rj_client_new(params, 0, &client));
    CHECK(rj_client_save(client, file("secret.key"))); /* only its owner may read it */
    CHECK(rj_program_keys(program, &request));
    CHECK(rj_client_keys(client, (const char *)request.data, &keys));
    CHECK(rj_keys_save(keys, file("public.keys")));
    CHECK(rj_client_encrypt_input(client, program, 0, values, count, &input));
    CHECK(rj_ciphertext_save(input, file("input")));

    rj_ciphertext_free(input);
    rj_keys_free(keys);
    rj_bytes_free(request);
    rj_client_free(client);
    rj_params_free(params);
}

/* The server has the public keys, the program and the encrypted input. It runs the program, and
 * doubles the result by an operation of its own. */
static void server_answers(const rj_program *program) {
    rj_keys *keys;
    rj_server *server;
    rj_params *params;
    rj_ciphertext *input, *score, *doubled;

    CHECK(rj_keys_load(file("public.keys"), 0, 0, &keys));
    CHECK(rj_server_new(keys, &server));
    CHECK(rj_server_params(server, &params));
    CHECK(rj_ciphertext_load(params, file("input"), &input));
    CHECK(rj_program_run(program, server, (const rj_ciphertext *const *)&input, 1, &score, 1));
    CHECK(rj_mul_number(server, score, 2.0, &doubled));
    CHECK(rj_ciphertext_save(doubled, file("result")));

    rj_ciphertext_free(doubled);
    rj_ciphertext_free(score);
    rj_ciphertext_free(input);
    rj_params_free(params);
    rj_server_free(server);
    rj_keys_free(keys);
}

/* The client decrypts the result. */
static double client_reads(void) {
    rj_client *client;
    rj_params *params;
    rj_ciphertext *result;
    rj_ciphertext_info info;
    double *values, score;
    size_t count;

    CHECK(rj_client_load(file("secret.key"), 0, 0, &client));
    CHECK(rj_client_params(client, &params));
    CHECK(rj_ciphertext_load(params, file("result"), &result));
    CHECK(rj_ciphertext_describe(result, &info));
    printf("level %zu, about %.1f bits\n", info.level, info.precision_bits);
    values = malloc(info.count * sizeof *values);
    if (values == NULL) {
        exit(1);
    }
    CHECK(rj_client_decrypt(client, result, values, info.count, &count));
    score = values[0]; /* the sum over slots 0 to 3 */

    free(values);
    rj_ciphertext_free(result);
    rj_params_free(params);
    rj_client_free(client);
    return score;
}

int main(int argc, char **argv) {
    const double values[] = {1.5, 2.0, 0.25, 8.0};
    const double expected = 2.0 * (0.5 * 1.5 - 0.25 * 2.0 + 0.25 + 0.125 * 8.0 + 0.5);
    rj_program *program;
    double score;

    if (argc != 3) {
        fprintf(stderr, "score PROGRAM FOLDER\n");
        return 2;
    }
    folder = argv[2];
    printf("ringjet %s\n", rj_version());
    CHECK(rj_program_load(argv[1], 0, &program));
    client_sends(program, values, 4);
    server_answers(program);
    score = client_reads();
    rj_program_free(program);
    printf("score %.3f, in the clear %.3f\n", score, expected);
    return fabs(score - expected) < 1e-3 ? 0 : 1;
}
