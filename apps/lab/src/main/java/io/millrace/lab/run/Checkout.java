// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The source tree that the lab runs in. */
public final class Checkout {

    /**
     * Its top folder: the nearest one above the working directory that has the Maven wrapper.
     *
     * @throws LabException if there is none
     */
    public static Path root() {
        return above(Path.of("").toAbsolutePath())
                .filter(folder -> Files.isExecutable(folder.resolve("mvnw")))
                .findFirst()
                .orElseThrow(() -> new LabException("not in the source tree: folder="
                        + Path.of("").toAbsolutePath() + ". Start the lab with make bench."));
    }

    private static Stream<Path> above(Path folder) {
        return Stream.iterate(folder, path -> path != null, Path::getParent);
    }

    private Checkout() {}
}
