// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the source tree is. */
final class Tree {

    private Tree() {}

    /** The top of the tree that this module was built in. */
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
