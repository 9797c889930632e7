// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

/** The main class of worker JVMs in tests. */
final class TestWorker {

    private TestWorker() {}

    public static void main(String[] args) throws InterruptedException {
        WorkerJvm.serve(TestExperiment::of);
    }
}
