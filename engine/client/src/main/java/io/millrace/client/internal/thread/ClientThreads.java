// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.thread;

/**
 * Creates the threads of the client, and waits for their ends. All of them are daemon threads. They inherit nothing from the thread that starts
 * them: no inheritable thread local, and the system class loader as context class loader. Otherwise the context of one
 * caller would reach the callbacks of other callers, and could not be garbage-collected while the client is open.
 */
public final class ClientThreads {

    private ClientThreads() {}

    /** A platform thread that is not yet started. */
    public static Thread platform(String name, Runnable work) {
        return Thread.ofPlatform()
                .name(name)
                .daemon()
                .inheritInheritableThreadLocals(false)
                .unstarted(work);
    }

    /** Waits until {@code thread} has ended. An interrupt does not end the wait, and is kept. */
    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts a virtual thread. */
    public static void startVirtual(String name, Runnable work) {
        Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false).start(work);
    }
}
