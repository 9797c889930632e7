// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.thread;

/**
 * Creates the threads of the client. All of them are daemon threads. They inherit nothing from the thread that starts
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

    /** Starts a virtual thread. */
    public static void startVirtual(String name, Runnable work) {
        Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false).start(work);
    }
}
