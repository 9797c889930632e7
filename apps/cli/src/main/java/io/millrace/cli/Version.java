// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** The version of Millrace. */
final class Version {

    private Version() {}

    /** The version of Millrace, of Java and of the operating system, on one line. */
    static String line() {
        return "millrace " + number() + " (Java " + System.getProperty("java.version") + ", "
                + System.getProperty("java.vendor") + "; " + System.getProperty("os.name") + " "
                + System.getProperty("os.version") + " " + System.getProperty("os.arch") + ")";
    }

    /** The version number, such as {@code 0.2.0}. The build writes it into a resource. */
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
