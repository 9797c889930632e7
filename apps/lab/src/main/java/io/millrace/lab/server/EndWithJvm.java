// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.server;

/** Something that is done when this JVM ends, unless it is called off before. Safe to use from several threads. */
public final class EndWithJvm {

    private final Thread hook;

    private EndWithJvm(Thread hook) {
        this.hook = hook;
    }

    /**
     * Has {@code action} done at the end.
     *
     * @throws IllegalStateException if the end has come already; the action is then done at once
     */
    public static EndWithJvm doing(Runnable action) {
        var end = new EndWithJvm(new Thread(action, "lab-end"));
        try {
            Runtime.getRuntime().addShutdownHook(end.hook);
        } catch (IllegalStateException endsAlready) {
            action.run();
            throw new IllegalStateException();
        }
        return end;
    }

    /** Calls it off; at the end itself that is too late, and it is done. */
    public void callOff() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException endsAlready) {
            // it is being done, and does no harm to what has ended by itself
        }
    }
}
