// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.tasks.Batching;
import io.millrace.tasks.Range;
import io.millrace.tasks.Retry;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Compares the settings of {@code engine/tasks} with their javadoc. The module has no dependencies, so its settings are
 * not {@link io.millrace.client.Setting} constants: a check in the code defines the range of a setting.
 */
class TaskSettingsTest {

    /**
     * A setting, the class with its javadoc, and a call with a value that is out of range.
     *
     * @param name name of the setting, and of its builder method or record component
     */
    record Checked(Class<?> owner, String name, ThrowingCallable outOfRange) {
        @Override
        public String toString() {
            return owner.getSimpleName() + "." + name;
        }
    }

    static final List<Checked> SETTINGS = List.of(
            ofFlow("buffer", flow -> flow.buffer(0)),
            ofFlow("prefetch", flow -> flow.prefetch(0)),
            ofFlow("consumers", flow -> flow.consumers(0)),
            ofFlow("deadline", flow -> flow.deadline(Duration.ZERO)),
            ofFlow("grace", flow -> flow.grace(Duration.ZERO)),
            ofFlow("rate", flow -> flow.rate(0)),
            ofFlow("recordedFailures", flow -> flow.recordedFailures(-1)),
            new Checked(Batching.class, "tasks", () -> Batching.of(0)),
            new Checked(Batching.class, "within", () -> Batching.of(1).within(Duration.ofDays(2))),
            new Checked(Retry.class, "attempts", () -> Retry.of(0)),
            new Checked(Retry.class, "firstWait", () -> Retry.of(1).backoff(Duration.ofDays(2), Duration.ofDays(2))),
            new Checked(Range.class, "parts", () -> new Range(0, 9).split(0)),
            new Checked(Retry.class, "jitter", () -> Retry.of(1).jitter(2)));

    private static final Pattern RANGE = Pattern.compile("^(\\w+)=\\S+(?: \\S+)? is out of range: (.+)\\.$");

    @ParameterizedTest
    @FieldSource("SETTINGS")
    void javadocOfASettingShowsTheRangeOfItsCheck(Checked setting) throws IOException {
        var exception = catchThrowableOfType(IllegalArgumentException.class, setting.outOfRange);

        Matcher message = RANGE.matcher(exception.getMessage());

        assertThat(message.matches()).as(exception.getMessage()).isTrue();
        assertThat(message.group(1)).isEqualTo(setting.name);
        assertThat(javadoc(setting)).contains(", " + message.group(2));
    }

    private static Checked ofFlow(String name, Function<TaskFlow<Integer>, TaskFlow<Integer>> setter) {
        return new Checked(TaskFlow.class, name, () -> setter.apply(TaskFlow.from(Source.of(List.of(1)))));
    }

    /** The javadoc of the builder method, or the {@code @param} text of the record component, on one line. */
    private static String javadoc(Checked setting) throws IOException {
        String path = "engine/tasks/src/main/java/" + setting.owner.getName().replace('.', '/') + ".java";
        String code = Files.readString(SourceTree.root().resolve(path));
        Pattern text = setting.owner.isRecord() || setting.owner == Range.class
                ? Pattern.compile("@param " + setting.name + " ((?:(?!@param|\\*/).)+)", Pattern.DOTALL)
                : Pattern.compile(
                        "/\\*\\*((?:(?!\\*/).)+)\\*/\\s+public TaskFlow<T> " + setting.name + "\\(", Pattern.DOTALL);
        return Stream.of(text.matcher(code))
                .filter(Matcher::find)
                .map(found -> found.group(1).replaceAll("\\s*\\n\\s*\\*\\s*", " "))
                .findFirst()
                .orElseThrow();
    }
}
