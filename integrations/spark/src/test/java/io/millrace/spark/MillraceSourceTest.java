// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class MillraceSourceTest {

    /** The versions of class files. */
    private static final int JAVA_17 = 61;

    private static final int JAVA_21 = 65;

    private static int versionOf(String type) throws IOException {
        try (InputStream file =
                Objects.requireNonNull(MillraceSource.class.getResourceAsStream(type + ".class"), type)) {
            return file.readNBytes(8)[7];
        }
    }

    @Test
    void java17IsRefusedWithASentence() {
        MillraceSource.checkJava(21);

        assertThatThrownBy(() -> MillraceSource.checkJava(17))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage(
                        "The format millrace needs Java 21 or later, and Spark runs on Java 17. Start the driver and the"
                                + " executors with Java 21.");
    }

    @Test
    void classThatSparkFindsByNameIsLoadedByJava17() throws IOException {
        assertThat(versionOf("MillraceSource")).isEqualTo(JAVA_17);
        assertThat(versionOf("WriteTable")).isEqualTo(JAVA_21);
    }
}
