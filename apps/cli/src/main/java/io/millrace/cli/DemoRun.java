// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

/** Runs the demo. */
final class DemoRun {
    DemoRun(DemoArguments arguments, Streams streams) {}

    ExitCode run() {
        return ExitCode.OK;
    }
}
