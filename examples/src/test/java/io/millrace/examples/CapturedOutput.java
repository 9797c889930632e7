// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** Captures the standard output of a program. Programs must not run concurrently, because standard output is shared. */
final class CapturedOutput {

    private CapturedOutput() {}

    /** Runs {@code program} and returns its standard output. */
    static String of(Action program) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream replacement = new PrintStream(bytes, true, UTF_8)) {
            System.setOut(replacement);
            program.run();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(UTF_8).replace(System.lineSeparator(), "\n");
    }

    /** A program that prints. */
    @FunctionalInterface
    interface Action {

        void run() throws Exception;
    }
}
