// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script, and the SHA-1 digest that identifies it on the server. */
public final class Script {

    private final String body;
    private final String sha1;

    private Script(String body) {
        this.body = body;
        this.sha1 = HexFormat.of().formatHex(digest().digest(body.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the script {@code body}. */
    public static Script of(String body) {
        return new Script(body);
    }

    public String body() {
        return body;
    }

    /** Forty hexadecimal digits in lower case. */
    public String sha1() {
        return sha1;
    }

    /** Shows only the digest, because the body may contain secrets. */
    @Override
    public String toString() {
        return "Script[" + sha1 + "]";
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-1, although every JVM must provide it", e);
        }
    }
}
