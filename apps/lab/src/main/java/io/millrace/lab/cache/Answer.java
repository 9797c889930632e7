// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.client.FailureKind;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.RoundDetails;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * The answer of a cache to one caller.
 *
 * @param text empty after a failure
 * @param failure the exception and its root cause; empty after a success
 * @param kind of the failure; empty after a success
 * @param startMillis time of the call, in milliseconds of the system clock, which all processes share
 * @param millis duration of the call
 */
record Answer(String text, String failure, Optional<FailureKind> kind, long startMillis, double millis) {

    static Answer of(Callable<String> question) {
        long startMillis = System.currentTimeMillis();
        long startNanos = System.nanoTime();
        try {
            String text = question.call();
            return new Answer(text, "", Optional.empty(), startMillis, millisSince(startNanos));
        } catch (Exception e) {
            double millis = millisSince(startNanos);
            Throwable root = root(e);
            String cause =
                    e.getCause() == null ? "" : " caused by " + root.getClass().getSimpleName();
            String failure = e.getClass().getSimpleName() + cause;
            return new Answer("", failure, Optional.of(FailureKind.of(root)), startMillis, millis);
        }
    }

    static double millisSince(long startNanos) {
        return (System.nanoTime() - startNanos) / 1e6;
    }

    /** The root cause tells a timeout from a lost connection. Jedis has the same exception for both. */
    private static Throwable root(Throwable exception) {
        return exception.getCause() == null ? exception : root(exception.getCause());
    }

    boolean failed() {
        return kind.isPresent();
    }

    double endMillis() {
        return startMillis + millis;
    }

    /** The outcomes of all answers, with the failures as remark. */
    static RoundDetails details(List<Answer> answers) {
        var outcomes = new Outcomes(
                succeeded(answers),
                count(answers, FailureKind.ERROR),
                count(answers, FailureKind.TIMED_OUT),
                count(answers, FailureKind.REFUSED),
                count(answers, FailureKind.LOST));
        RoundDetails details = RoundDetails.NONE.withOutcomes(outcomes);
        List<String> failures = failures(answers);
        return failures.isEmpty() ? details : details.withRemark(String.join("; ", failures));
    }

    static long succeeded(List<Answer> answers) {
        return answers.stream().filter(answer -> !answer.failed()).count();
    }

    private static long count(List<Answer> answers, FailureKind kind) {
        return answers.stream()
                .filter(answer -> answer.kind.equals(Optional.of(kind)))
                .count();
    }

    /** Numbers of calls by their failure, such as {@code 64 calls failed with RedisTimeoutException}. */
    static List<String> failures(List<Answer> answers) {
        return answers.stream()
                .filter(Answer::failed)
                .collect(Collectors.groupingBy(Answer::failure, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(entry -> entry.getValue() + " calls failed with " + entry.getKey())
                .toList();
    }
}
