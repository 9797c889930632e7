// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Creates the names and ids of workers, and the ids of jobs. */
final class WorkerName {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Path HOST_NAME = Path.of("/etc/hostname");

    private WorkerName() {}

    /** Returns the configured name, or a new unique name of the host, the process and a random number. */
    static String of(WorkerOptions options) {
        return options.name().isEmpty()
                ? host() + "-" + ProcessHandle.current().pid() + "-" + randomDigits()
                : options.name();
    }

    /** Returns twelve random hex digits. */
    static String randomDigits() {
        byte[] bytes = new byte[6];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Returns the name of the host as the operating system gives it, without a query to the network. */
    private static String host() {
        String name = System.getenv("HOSTNAME");
        if (name == null) {
            name = System.getenv("COMPUTERNAME");
        }
        if (name == null) {
            name = hostFile();
        }
        String allowed = name.replaceAll("[^A-Za-z0-9._-]", "");
        return allowed.isEmpty() ? "host" : allowed.substring(0, Math.min(allowed.length(), 60));
    }

    private static String hostFile() {
        try {
            return Files.readString(HOST_NAME);
        } catch (IOException e) { // not on this operating system
            return "";
        }
    }
}
