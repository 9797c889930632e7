// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.bitmaps.MonthQuestions;
import io.millrace.lab.bitmaps.StoredBits;
import io.millrace.lab.experiment.LongPipelines;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Workload;
import io.millrace.lab.workload.Calls;
import io.millrace.lab.workload.CsvHash;
import io.millrace.lab.workload.FusedBulk;
import io.millrace.lab.workload.Memory;
import io.millrace.lab.workload.Pipelines;
import io.millrace.lab.workload.PostgresHash;
import io.millrace.lab.workload.PostgresMemory;
import io.millrace.lab.workload.Sends;
import io.millrace.lab.workload.SetCalls;
import io.millrace.lab.workload.SmallSets;
import io.millrace.lab.workload.Start;
import java.util.List;

/** Every workload there is, one line each. */
public final class Workloads {

    public static final List<Workload> ALL = List.of(
            new SmallSets(), //
            FusedBulk.ofFields(),
            FusedBulk.ofBits(),
            FusedBulk.ofPops(),
            new CsvHash(),
            new PostgresHash(),
            new Start(),
            Calls.ofOne(),
            Calls.ofEight(),
            Calls.of64(),
            Calls.of512(),
            new SetCalls(),
            new Sends(),
            new Pipelines(),
            LongPipelines.ofSets(),
            LongPipelines.ofStrings(),
            LongPipelines.ofHash(),
            LongPipelines.ofReads(),
            LongPipelines.ofDrains(),
            LongPipelines.ofFirst(),
            new Memory(),
            new PostgresMemory(),
            new StoredBits(false),
            new MonthQuestions(false));

    /**
     * The workload called {@code name}.
     *
     * @throws LabException if there is none
     */
    public static Workload named(String name) {
        return ALL.stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new LabException("no such workload: " + name + ". There are: "
                        + String.join(", ", ALL.stream().map(Workload::name).toList()) + "."));
    }

    /**
     * The workload called {@code name}: one of these, or of an experiment.
     *
     * @throws LabException if there is none
     */
    public static Workload any(String name) {
        return ALL.stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseGet(() -> Experiments.workload(name));
    }

    private Workloads() {}
}
