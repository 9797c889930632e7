// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** Which Millrace this is. */
final class Version {

    private Version() {}

    /** Its version and what it runs on, in one line. */
    static String line() {
        return "millrace " + number() + " (Java " + System.getProperty("java.version") + ", "
                + System.getProperty("java.vendor") + "; " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + " " + System.getProperty("os.arch") + ")";
    }

    /** Such as {@code 0.1.0}; written into a resource by the build. */
    static String number() {
        try (InputStream resource = Version.class.getResourceAsStream("version.properties")) {
            Properties properties = new Properties();
            properties.load(Objects.requireNonNull(resource, "version.properties is missing from the jar"));
            return properties.getProperty("version", "unknown");
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
