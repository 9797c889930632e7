// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

/** The work of one contender in one scenario. */
@FunctionalInterface
public interface Work {

    /** Opens connections and prepares everything that is not measured. Called in the JVM of the contender. */
    ReadyWork open(WorkContext context) throws Exception;
}
