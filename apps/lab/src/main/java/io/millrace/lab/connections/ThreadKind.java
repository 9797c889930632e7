// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

/** The threads of callers. */
public enum ThreadKind {
    PLATFORM,
    VIRTUAL;

    /** The word in labels. */
    String label() {
        return this == PLATFORM ? "platform" : "virtual";
    }

    Thread unstarted(String name, Runnable task) {
        Thread.Builder builder = this == PLATFORM ? Thread.ofPlatform() : Thread.ofVirtual();
        return builder.name(name).unstarted(task);
    }
}
