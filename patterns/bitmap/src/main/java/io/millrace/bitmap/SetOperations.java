// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.List;

/**
 * Evaluates a {@link SetExpression}. The implementations represent a set as a register of a {@link BitopProgram}, as
 * the words of a block, or as a compressed set.
 *
 * @param <T> the representation of a set. Operations do not change their operands
 */
interface SetOperations<T> {

    T active(EventSpan eventSpan);

    /** Returns the union of at least two sets. */
    T union(List<T> parts);

    /** Returns the intersection of at least two sets. */
    T intersection(List<T> parts);

    /** Returns the elements of {@code base} that are not in {@code excluded}. */
    T difference(T base, T excluded);

    /** Evaluates {@code setExpression} for an activity with the granularity {@code granularity}. */
    static <T> T evaluate(SetExpression setExpression, Granularity granularity, SetOperations<T> setOperations) {
        return switch (setExpression) {
            case SetExpression.Active(String event, List<Span> spans) -> {
                List<T> parts = spans.stream()
                        .flatMap(span -> span.split(granularity).stream())
                        .distinct()
                        .map(span -> setOperations.active(new EventSpan(event, span)))
                        .toList();
                yield parts.size() == 1 ? parts.getFirst() : setOperations.union(parts);
            }
            case SetExpression.Union(List<SetExpression> parts) -> {
                List<T> folded = each(parts, granularity, setOperations);
                yield folded.size() == 1 ? folded.getFirst() : setOperations.union(folded);
            }
            case SetExpression.Intersection(List<SetExpression> parts) -> {
                List<T> folded = each(parts, granularity, setOperations);
                yield folded.size() == 1 ? folded.getFirst() : setOperations.intersection(folded);
            }
            case SetExpression.Difference(SetExpression base, SetExpression excluded) ->
                setOperations.difference(
                        evaluate(base, granularity, setOperations), evaluate(excluded, granularity, setOperations));
        };
    }

    private static <T> List<T> each(
            List<SetExpression> parts, Granularity granularity, SetOperations<T> setOperations) {
        return parts.stream()
                .map(part -> evaluate(part, granularity, setOperations))
                .toList();
    }
}
