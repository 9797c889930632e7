// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.nio.file.Files;
import java.nio.file.Path;

/** Location of the source tree. */
final class SourceTree {

    private SourceTree() {}

    /** Root of the source tree that contains this module. */
    static Path root() {
        Path module = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
        Path root = module.resolve("..").normalize();
        if (!Files.exists(root.resolve("mvnw"))) {
            throw new IllegalStateException("this is not the source tree: root=" + root
                    + ". Run the tests with Maven, or in the folder of their module.");
        }
        return root;
    }
}
