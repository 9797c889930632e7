// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Where passwords come from; each that is found is made known to {@link Secrets}. */
final class Passwords {

    private final Streams streams;
    private final Secrets secrets;

    Passwords(Streams streams, Secrets secrets) {
        this.streams = streams;
        this.secrets = secrets;
    }

    /**
     * The password of Redis outside any URI: the one option that gives it, or else {@code REDISCLI_AUTH}.
     *
     * @throws UsageException if more than one option gives it, or the one cannot be read
     */
    Optional<String> redis(ConnectionArguments typed) {
        long ways = Stream.of(typed.password.isPresent(), typed.passwordFile.isPresent(), typed.passwordStdin)
                .filter(given -> given)
                .count();
        if (ways > 1) {
            throw new UsageException("-a, --password-file and --password-stdin all give the password. Choose one.");
        }
        return known(
                typed.passwordStdin
                        ? Optional.of(fromStandardInput())
                        : typed.password
                                .or(() -> typed.passwordFile.map(file -> fromFile("--password-file", file)))
                                .or(() -> streams.env("REDISCLI_AUTH")));
    }

    /** The password of the source's database: from a file, or else {@code MILLRACE_DB_PASSWORD}. */
    Optional<String> database(Optional<Path> file) {
        return known(
                file.map(path -> fromFile("--db-password-file", path)).or(() -> streams.env("MILLRACE_DB_PASSWORD")));
    }

    private Optional<String> known(Optional<String> password) {
        password.ifPresent(secrets::add);
        return password;
    }

    private static String fromFile(String option, Path file) {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            return firstLine(reader, option + " " + file);
        } catch (IOException unreadable) {
            throw new UsageException(
                    option + " " + file + " cannot be read: " + Failure.reason(unreadable) + ".", unreadable);
        }
    }

    private String fromStandardInput() {
        try {
            return firstLine(
                    new BufferedReader(new InputStreamReader(streams.in(), StandardCharsets.UTF_8)),
                    "--password-stdin");
        } catch (IOException unreadable) {
            throw new UsageException("--password-stdin: standard input cannot be read.", unreadable);
        }
    }

    private static String firstLine(BufferedReader reader, String where) throws IOException {
        String line = reader.readLine();
        if (line == null || line.isEmpty()) {
            throw new UsageException(where + ": the first line is empty, so there is no password.");
        }
        return line;
    }
}
