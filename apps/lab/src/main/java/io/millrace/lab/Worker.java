// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.measure.WorkerJvm;

/** The JVM of a contender. The lab starts this program. */
final class Worker {

    public static void main(String[] args) throws InterruptedException {
        WorkerJvm.serve(Experiments::named);
    }

    private Worker() {}
}
