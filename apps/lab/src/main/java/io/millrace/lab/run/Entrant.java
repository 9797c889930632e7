// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.function.Consumer;

/** A contender that is ready for its turns, seen from the lab's side. */
interface Entrant extends AutoCloseable {

    /** What has to be done before a round and is not part of it. */
    default void prepare() {}

    /**
     * What it has to find on the server, which has just been emptied, and only it can put there; not part of the round
     * either.
     */
    default void fill() {}

    /**
     * Does the task once; throws {@link LabException} if the contender did not.
     *
     * @param live is told how it goes, by contenders that tell
     */
    Measured round(Consumer<News> live);

    @Override
    default void close() {}

    /** Makes {@code contender} ready for {@code task}; a warm one lives in one of {@code processes}. */
    static Entrant of(Contender contender, Task task, WarmProcesses processes) {
        return switch (contender) {
            case WarmContender warm -> processes.open(warm, task);
            case ProcessContender process -> WholeProcess.prepare(process, task);
        };
    }
}
