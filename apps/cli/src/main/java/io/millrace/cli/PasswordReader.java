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

/**
 * Reads passwords from options, files, standard input and the environment. Registers each password with {@link
 * SecretMasker}.
 */
final class PasswordReader {

    private final StandardStreams standardStreams;
    private final SecretMasker secretMasker;

    PasswordReader(StandardStreams standardStreams, SecretMasker secretMasker) {
        this.standardStreams = standardStreams;
        this.secretMasker = secretMasker;
    }

    /**
     * The password of Redis, from one of the password options or else from {@code REDISCLI_AUTH}. Passwords in URIs are
     * not read here.
     *
     * @throws UsageException if several options give a password, or if the password cannot be read
     */
    Optional<String> redis(ConnectionArguments typed) {
        long ways = Stream.of(typed.password, typed.passwordFile, typed.passwordStdin, typed.askPassword)
                .filter(Option::isTyped)
                .count();
        if (ways > 1) {
            throw new UsageException(
                    "-a, --password-file, --password-stdin and --askpass all give the password. Choose one.");
        }
        if (typed.askPassword.isTyped()) {
            return Optional.of(asked("Password: ")
                    .orElseThrow(() -> new UsageException("--askpass: there is no terminal, or no password was typed. "
                            + "Use --password-file or REDISCLI_AUTH.")));
        }
        return known(
                typed.passwordStdin.isTyped()
                        ? Optional.of(fromStandardInput())
                        : typed.password
                                .value()
                                .or(() -> typed.passwordFile.value().map(file -> fromFile("--password-file", file)))
                                .or(() -> standardStreams.env("REDISCLI_AUTH")));
    }

    /** Asks for a password on the terminal. Empty if there is no terminal, or if nothing was typed. */
    Optional<String> asked(String prompt) {
        return known(standardStreams.passwordPrompt().ask(prompt).filter(typed -> !typed.isEmpty()));
    }

    /** The password of the Sentinels, from {@code file} or else from {@code MILLRACE_SENTINEL_PASSWORD}. */
    Optional<String> sentinel(Optional<Path> file) {
        return known(file.map(path -> fromFile("--sentinel-password-file", path))
                .or(() -> standardStreams.env("MILLRACE_SENTINEL_PASSWORD")));
    }

    /** The password of the source database, from {@code file} or else from {@code MILLRACE_DB_PASSWORD}. */
    Optional<String> database(Optional<Path> file) {
        return known(file.map(path -> fromFile("--db-password-file", path))
                .or(() -> standardStreams.env("MILLRACE_DB_PASSWORD")));
    }

    private Optional<String> known(Optional<String> password) {
        password.ifPresent(secretMasker::add);
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
                    new BufferedReader(new InputStreamReader(standardStreams.in(), StandardCharsets.UTF_8)),
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
