// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PomRulesTest {

    @ParameterizedTest
    @EnumSource
    void moduleDependsOnlyOnAllowedArtifacts(Module module) {
        Path pom = SourceTree.root().resolve(module.folder()).resolve("pom.xml");

        assertThat(PomRules.forbidden(module, pom)).isEmpty();
    }

    @Test
    void violationsAreReported(@TempDir Path directory) throws IOException {
        Path pom = Files.writeString(directory.resolve("pom.xml"), """
                <project><dependencies>
                  <dependency><groupId>io.millrace</groupId><artifactId>millrace-resp</artifactId></dependency>
                  <dependency><groupId>io.millrace</groupId><artifactId>millrace-load</artifactId></dependency>
                  <dependency><groupId>org.example</groupId><artifactId>any</artifactId><scope>runtime</scope></dependency>
                  <dependency><groupId>org.example</groupId><artifactId>check</artifactId><scope>test</scope></dependency>
                  <dependency><groupId>org.apache.spark</groupId><artifactId>spark-sql_2.13</artifactId></dependency>
                </dependencies></project>
                """);

        assertThat(PomRules.forbidden(Module.CLIENT, pom))
                .containsExactly("io.millrace:millrace-load", "org.example:any", "org.apache.spark:spark-sql_2.13");
        assertThat(PomRules.forbidden(Module.LAB, pom)).containsExactly("org.apache.spark:spark-sql_2.13");
    }
}
