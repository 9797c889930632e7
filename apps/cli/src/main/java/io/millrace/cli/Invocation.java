// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

/** What was asked for: the first of three stages, arguments as typed, then validated, then run. */
sealed interface Invocation {

    /** {@code millrace load …}. */
    record Load(LoadArguments arguments) implements Invocation {}

    /** {@code millrace demo …}. */
    record Demo(DemoArguments arguments) implements Invocation {}

    /** Help or version: nothing to do but to print. */
    record Print(String text) implements Invocation {}
}
