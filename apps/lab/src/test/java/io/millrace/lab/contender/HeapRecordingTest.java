// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.run.Tools;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.data.MapEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapRecordingTest {

    @TempDir
    private Path folder;

    /** A program that keeps 20 MiB and has them collected four times. */
    public static final class Keeper {

        public static void main(String[] args) {
            var kept = new byte[20 << 20];
            for (int i = 0; i < 4; i++) {
                System.gc();
            }
            System.exit(kept.length == 0 ? 1 : 0);
        }

        private Keeper() {}
    }

    @Test
    void everyCollectionOfAJvmIsRecordedWithWhatItLeft() {
        var file = folder.resolve("heap.jfr");
        var command = List.of(
                Tools.java(),
                HeapRecording.option(file),
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                Tools.classPathText(),
                Keeper.class.getName());

        Tools.run(command, folder.resolve("output"));

        var recording = HeapRecording.read(file);
        assertThat(recording.mebibytes())
                .hasSizeGreaterThanOrEqualTo(4)
                .allSatisfy(mebibytes -> assertThat(mebibytes).isBetween(20.0, 60.0));
    }

    @Test
    void growthIsTheLeastOfTheLastQuarterToTheLeastOfTheSecond() {
        var flat = new HeapRecording(List.of(1.0, 2.0, 10.0, 14.0, 30.0, 30.0, 12.0, 20.0));

        assertThat(flat.figures())
                .containsOnly(
                        MapEntry.entry(HeapRecording.PEAK, 30.0), MapEntry.entry(HeapRecording.GROWTH, 12.0 / 10));
    }

    @Test
    void tooFewCollectionsTellNothingOfGrowth() {
        assertThat(new HeapRecording(List.of(1.0, 2.0, 3.0)).figures()).containsOnlyKeys(HeapRecording.PEAK);
    }
}
