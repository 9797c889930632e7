// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rules of the gate.
 *
 * @param token the token of the server; empty if requests need none
 * @param allowedHosts further names that {@code Host} may have, besides the names of loopback
 * @param secure whether the connections use TLS, so that cookies need TLS, too
 * @param bodyTime maximum time of a whole body. With 10 s, a body of 1 MiB needs 0.8 Mbit/s
 */
public record GateOptions(Optional<String> token, Set<String> allowedHosts, boolean secure, Duration bodyTime) {

    /** Minimum number of characters of a token. */
    public static final int TOKEN_CHARACTERS = 16;

    public GateOptions {
        Objects.requireNonNull(token, "token");
        token.ifPresent(GateOptions::check);
        allowedHosts.forEach(GateOptions::checkHost);
        allowedHosts = allowedHosts.stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }

    private static void check(String token) {
        boolean printable = token.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (token.length() < TOKEN_CHARACTERS || !printable) {
            throw new IllegalArgumentException("the token has " + token.length() + " characters, and needs at least "
                    + TOKEN_CHARACTERS + " printable ASCII characters without blanks. For example:"
                    + " head -c 24 /dev/urandom | base64");
        }
    }

    /** Throws {@link IllegalArgumentException} if {@code Host} can never have this name. */
    public static void checkHost(String name) {
        if (!HostNames.isName(name)) {
            throw new IllegalArgumentException(
                    "the allowed host \"" + name + "\" is not a name such as box.example, an IPv4"
                            + " address, or an IPv6 address in brackets, without a scheme and without a port");
        }
    }

    /** Hides the token. */
    @Override
    public String toString() {
        return "GateOptions[token=" + (token.isPresent() ? "***" : "none") + ", allowedHosts=" + allowedHosts
                + ", secure=" + secure + ", bodyTime=" + bodyTime + "]";
    }
}
