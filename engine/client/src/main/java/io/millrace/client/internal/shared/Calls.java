// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;

/** Waits for the outcomes of calls. */
public final class Calls {

    private Calls() {}

    /** Waits for the submitted {@code call}, and returns its value or throws the exception for its outcome. */
    public static <T> T await(PendingCall<T> call) {
        String name = call.command().spec().name();
        if (!call.await()) {
            throw Failures.interrupted(name, call);
        }
        if (call.decided(0) instanceof Outcome.Refused && Thread.currentThread().isInterrupted()) {
            throw Failures.interruptedBefore(name, call);
        }
        return call.value();
    }
}
