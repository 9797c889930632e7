// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

/** The requested command with its arguments as typed. This is the first of three stages: typed, validated, run. */
sealed interface Invocation {

    /** {@code millrace load …}. */
    record Load(LoadArguments arguments) implements Invocation {}

    /** {@code millrace demo …}. */
    record Demo(DemoArguments arguments) implements Invocation {}

    /** A request for help or for the version. Millrace prints {@code text} and ends. */
    record Print(String text) implements Invocation {}
}
