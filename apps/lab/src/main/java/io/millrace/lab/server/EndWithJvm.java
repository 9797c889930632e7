// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

/** An action that runs when this JVM ends, unless the action is cancelled before. Safe to use from several threads. */
public final class EndWithJvm {

    private final Thread hook;

    private EndWithJvm(Thread hook) {
        this.hook = hook;
    }

    /**
     * Registers {@code action} as a shutdown hook.
     *
     * @throws IllegalStateException if this JVM is ending already. Then the action has already run, in this call
     */
    public static EndWithJvm run(Runnable action) {
        var end = new EndWithJvm(new Thread(action, "lab-end"));
        try {
            Runtime.getRuntime().addShutdownHook(end.hook);
        } catch (IllegalStateException e) {
            action.run();
            throw new IllegalStateException("the JVM is ending already", e);
        }
        return end;
    }

    /** Cancels the action. Has no effect if this JVM is ending already: then the action runs. */
    public void cancel() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and runs the action. An action has no effect on something that has already ended.
        }
    }
}
