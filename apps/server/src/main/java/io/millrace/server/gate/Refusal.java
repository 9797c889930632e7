// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.gate;

import java.util.OptionalInt;

/** Refuses a request. The problem tells the client why. */
public final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Problem problem;

    /** Transient, because an optional is not serializable. */
    private final transient OptionalInt retryAfterSeconds;

    public Refusal(Problem problem, String detail) {
        this(problem, detail, OptionalInt.empty());
    }

    /** A refusal that a client may repeat after some seconds. */
    public Refusal(Problem problem, String detail, int retryAfterSeconds) {
        this(problem, detail, OptionalInt.of(retryAfterSeconds));
    }

    private Refusal(Problem problem, String detail, OptionalInt retryAfterSeconds) {
        super(detail, null, false, false); // a refusal is an answer, so its stack trace is not needed
        this.problem = problem;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    public Problem problem() {
        return problem;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }

    OptionalInt retryAfterSeconds() {
        return retryAfterSeconds;
    }
}
