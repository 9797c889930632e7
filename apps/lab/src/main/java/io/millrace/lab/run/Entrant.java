// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/** A contender that is ready for its turns, seen from the lab's side. */
interface Entrant extends AutoCloseable {

    /** Does the task once; throws {@link LabException} if the contender did not. */
    Measured round();

    @Override
    void close();

    /** Makes {@code contender} ready for {@code task}. */
    static Entrant of(Contender contender, Task task) {
        return switch (contender) {
            case WarmContender warm -> WarmProcess.start(warm, task);
            case ProcessContender process -> WholeProcess.prepare(process, task);
        };
    }
}
