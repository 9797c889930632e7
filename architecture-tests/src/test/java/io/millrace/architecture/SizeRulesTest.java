// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.architecture.SizeRules.Sizes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SizeRulesTest {

    /** Main sources of the modules. */
    static Stream<String> folders() {
        return Stream.of(Module.values()).map(module -> module.folder() + "/src/main/java");
    }

    @ParameterizedTest
    @MethodSource("folders")
    void filesAndMethodsAreShort(String folder) throws IOException {
        Sizes sizes = SizeRules.of(SourceTree.root().resolve(folder));

        System.out.println(sizes.row(folder));
        assertThat(sizes.files()).isNotEmpty();
        assertThat(sizes.longFiles()).isEmpty();
        assertThat(sizes.longMethods()).isEmpty();
    }

    @Test
    void medianFileOfAllModulesIsShort() throws IOException {
        List<Integer> lines = new ArrayList<>();
        for (String folder : folders().toList()) {
            lines.addAll(SizeRules.of(SourceTree.root().resolve(folder)).files().values());
        }
        lines.sort(null);

        assertThat(lines.get(lines.size() / 2)).isLessThanOrEqualTo(SizeRules.MAX_MEDIAN_FILE_LINES);
    }

    @Test
    void longFilesAndMethodsAreReported(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("Short.java"), "class Short {}\n");
        Files.writeString(
                folder.resolve("Long.java"),
                "class Long {\n  void run() {\n" + "    run();\n".repeat(400) + "  }\n}\n");

        Sizes sizes = SizeRules.of(folder);

        assertThat(sizes.longFiles()).containsExactly("Long.java: 404 lines");
        assertThat(sizes.longMethods()).containsExactly("Long.java#run: 402 lines");
    }
}
