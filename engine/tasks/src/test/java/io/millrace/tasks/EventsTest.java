// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import static io.millrace.tasks.Tasks.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventsTest {

    @TempDir
    Path folder;

    @Test
    void eventsOfAFlowAndOfFailedTasksDoNotContainTheTasks() throws Exception {
        try (Recording recording = new Recording()) {
            recording.start();
            TaskFlow.of(numbers(10)).name("feeds").continueOnFailure().run(task -> {
                if (task == 3) {
                    throw new IOException("refused: secret");
                }
            });
            recording.dump(folder.resolve("flow.jfr"));
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(folder.resolve("flow.jfr")).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.millrace."))
                .toList();
        RecordedEvent failure = named(events, "io.millrace.TaskFailure");
        assertThat(failure.getString("flow")).isEqualTo("feeds");
        assertThat(failure.getString("cause")).isEqualTo("java.io.IOException");
        assertThat(failure.getInt("attempts")).isEqualTo(1);
        RecordedEvent flow = named(events, "io.millrace.TaskFlow");
        assertThat(flow.getString("ending")).isEqualTo("COMPLETED");
        assertThat(flow.getLong("produced")).isEqualTo(10);
        assertThat(flow.getLong("failed")).isEqualTo(1);
        assertThat(events).noneMatch(event -> event.toString().contains("secret"));
    }

    @Test
    void recordingThatStartsDuringAFlowContainsTheFlow() throws Exception {
        AtomicReference<Recording> started = new AtomicReference<>();
        TaskFlow.of(numbers(1)).name("long").run(task -> {
            started.set(new Recording());
            started.get().start();
        });
        try (Recording recording = started.get()) {
            recording.dump(folder.resolve("late.jfr"));
        }

        List<RecordedEvent> events = RecordingFile.readAllEvents(folder.resolve("late.jfr"));
        assertThat(named(events, "io.millrace.TaskFlow").getString("name")).isEqualTo("long");
    }

    private static RecordedEvent named(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
