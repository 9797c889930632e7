// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.server.gate.GateOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the token, and refuses addresses that need one. A token is never an argument: other users see arguments. */
final class TokenReader {

    static final String VARIABLE = "MILLRACE_SERVER_TOKEN";

    /** A token file is one line. */
    private static final int MAX_BYTES = 4_096;

    private TokenReader() {}

    /**
     * Returns the options of the gate.
     *
     * @param variable the value of {@link #VARIABLE}
     * @param loopback whether the server listens on loopback only
     * @param bodyTime maximum time of a whole body
     * @throws SettingException if the token is missing or too short, its file cannot be read, or an allowed host is not a name
     */
    static GateOptions options(
            ServerKeys keys, @Nullable String variable, boolean loopback, boolean tls, Duration bodyTime) {
        Optional<String> token = keys.tokenFile() != null
                ? Optional.of(read(keys.tokenFile()))
                : Optional.ofNullable(variable).filter(text -> !text.isEmpty());
        if (token.isEmpty() && !loopback) {
            throw new SettingException(
                    "The server would listen on an address that other machines reach, without a token.",
                    "Set --token-file or the variable " + VARIABLE + ", or listen on 127.0.0.1.");
        }
        checkHosts(keys);
        try {
            return new GateOptions(token, Set.copyOf(keys.allowedHosts()), tls, bodyTime);
        } catch (IllegalArgumentException unusable) {
            throw new SettingException(
                    "The token cannot be used: " + unusable.getMessage() + ".",
                    "Correct " + (keys.tokenFile() != null ? "the file of --token-file." : VARIABLE + "."));
        }
    }

    private static void checkHosts(ServerKeys keys) {
        try {
            keys.allowedHosts().forEach(GateOptions::checkHost);
        } catch (IllegalArgumentException unusable) {
            throw new SettingException(
                    "An allowed host cannot be used: " + unusable.getMessage() + ".",
                    "Correct --allow-host, or the key millrace.server.allowed-hosts.");
        }
    }

    private static String read(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new SettingException(
                        "The token file has more than " + MAX_BYTES + " bytes.", "A token file has one line.");
            }
            return Files.readString(file).lines().findFirst().orElse("").strip();
        } catch (IOException unreadable) {
            throw new SettingException(
                    "The token file cannot be read: " + file + " ("
                            + unreadable.getClass().getSimpleName() + ").",
                    "Correct --token-file, or the permissions of the file.");
        }
    }
}
