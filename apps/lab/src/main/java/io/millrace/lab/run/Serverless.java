// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

/**
 * A workload that takes place in its contenders alone: no server is emptied, watched or looked at. They keep the
 * account of their rounds themselves, and complain themselves of what was wrong.
 */
public interface Serverless extends Workload {

    @Override
    default boolean needsServer() {
        return false;
    }

    @Override
    default Check check() {
        throw new IllegalStateException("nothing is left on a server: workload=" + name());
    }
}
