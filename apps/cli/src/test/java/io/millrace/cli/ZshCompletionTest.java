// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the completion for zsh with a real zsh. */
class ZshCompletionTest {

    private static final Path COMPLETION = Path.of("../../dist/completion").toAbsolutePath();

    /** Types a text and a tab into an interactive zsh, and prints what the line then contains. */
    private static final String TYPE = """
            zmodload zsh/zpty
            zpty z zsh -f -i
            zpty -w z 'fpath=('${(q)1}' $fpath); autoload -Uz compinit; compinit -D -u; bindkey "^I" complete-word'
            zpty -w z 'show() { print -r -- "<<$BUFFER>>" }; zle -N show; bindkey "^X" show; print re""ady'
            zpty -r z line '*ready*'
            zpty -wn z "$2"$'\\t\\x18'
            zpty -r z line '*<<*>>*'
            print -r -- "$line"
            """;

    @TempDir
    Path folder;

    @BeforeAll
    static void findZsh() {
        boolean found = Stream.of("/bin/zsh", "/usr/bin/zsh").anyMatch(zsh -> Files.isExecutable(Path.of(zsh)));
        assumeTrue(found, "needs zsh");
    }

    @Test
    void completionIsValidZsh() throws Exception {
        assertThat(run("zsh", "-n", COMPLETION.resolve("_millrace").toString())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            millrace doc                       | millrace doctor
            millrace load --patie              | millrace load --patience
            millrace doctor --js               | millrace doctor --json
            millrace load --as jso             | millrace load --as json
            millrace queue red                 | millrace queue redrive
            millrace bitmap ret                | millrace bitmap retention
            millrace help dem                  | millrace help demo
            millrace --hos                     | millrace --host
            """)
    void uniqueBeginningIsCompleted(String typed, String completed) throws Exception {
        String screen = run("zsh", "-f", "-c", TYPE, "zsh", COMPLETION.toString(), typed);

        assertThat(screen.substring(screen.lastIndexOf("<<") + 2)).startsWith(completed);
    }

    private String run(String... command) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output, UTF_8);
    }
}
