// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The exit code and the output of one run of the command line inside this JVM. */
record CliRun(int code, String out, String err) {

    static CliRun of(String... args) {
        return of(Map.of(), "", args);
    }

    static CliRun of(Map<String, String> env, String in, String... args) {
        return of(env, new ByteArrayInputStream(in.getBytes(UTF_8)), args);
    }

    static CliRun of(Map<String, String> env, InputStream in, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Millrace.run(args, in, new PrintStream(out, false, UTF_8), new PrintStream(err, false, UTF_8), env);
        return new CliRun(code, out.toString(UTF_8), err.toString(UTF_8));
    }

    /** Concatenates {@code first} and {@code more}. */
    static String[] args(List<String> first, String... more) {
        return Stream.concat(first.stream(), Stream.of(more)).toArray(String[]::new);
    }

    /** The last line of standard output. */
    String lastLine() {
        return out.stripTrailing().lines().reduce("", (before, line) -> line);
    }
}
