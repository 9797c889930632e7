// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/**
 * The {@code redis.conf} of a private server.
 *
 * <p>The password is in this file, and only the owner may read the file. On a command line, the password would be
 * visible to every user of the machine.
 */
record ServerConfig(int port, OptionalInt tlsPort, Path directory, EmbeddedOptions options) {

    static final String SOCKET_NAME = "redis.sock";

    void write() {
        Path file = directory.resolve("redis.conf");
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, String.join("\n", lines()) + "\n");
        } catch (IOException e) {
            throw new EmbeddedRedisException(
                    "the server's configuration cannot be written: file=" + file + ", cause=" + e.getMessage()
                            + ". Make disk space available, or set java.io.tmpdir to another directory.",
                    e);
        }
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of(
                "bind 127.0.0.1",
                "port " + port,
                "protected-mode yes",
                "daemonize no",
                "save \"\"",
                "appendonly no",
                "dir " + quote(directory.toString())));
        options.password().ifPresent(password -> lines.add("requirepass " + quote(password)));
        options.maxMemoryBytes().ifPresent(bytes -> {
            lines.add("maxmemory " + bytes);
            lines.add("maxmemory-policy noeviction");
        });
        options.tls().ifPresent(tls -> {
            lines.add("tls-port " + tlsPort.orElseThrow());
            lines.add(
                    "tls-cert-file " + quote(tls.certificate().toAbsolutePath().toString()));
            lines.add("tls-key-file " + quote(tls.key().toAbsolutePath().toString()));
            lines.add(
                    "tls-ca-cert-file " + quote(tls.authority().toAbsolutePath().toString()));
            lines.add("tls-auth-clients " + (tls.requireClientCertificates() ? "yes" : "no"));
        });
        if (options.unixSocket()) {
            lines.add("unixsocket " + quote(directory.resolve(SOCKET_NAME).toString()));
            lines.add("unixsocketperm 700");
        }
        lines.addAll(options.config());
        return lines;
    }

    /**
     * Returns {@code text} in quotes, as one argument of a configuration line. A byte that may need an escape becomes
     * {@code \xHH}.
     */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (byte b : text.getBytes(UTF_8)) {
            boolean plain = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '-' && b <= '9') || b == '_';
            quoted.append(plain ? String.valueOf((char) b) : String.format(Locale.ROOT, "\\x%02x", b));
        }
        return quoted.append('"').toString();
    }
}
