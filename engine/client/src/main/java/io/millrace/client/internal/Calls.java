// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Outcome;

/** Waiting for a call, and what it comes to. */
final class Calls {

    private Calls() {}

    /** Waits for {@code call}, which is submitted, and returns its value or throws the exception for its outcome. */
    static <T> T await(PendingCall<T> call) {
        String name = call.command.spec().name();
        if (!call.await()) {
            throw Failures.interrupted(name, call);
        }
        if (call.outcome() instanceof Outcome.Refused && Thread.currentThread().isInterrupted()) {
            throw Failures.interruptedBefore(name, call);
        }
        return call.value();
    }
}
