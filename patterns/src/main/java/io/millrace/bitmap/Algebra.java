// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.List;

/**
 * What the parts of an {@link Audience} become, and how they are combined: registers of a program, words of a block, compressed sets.
 *
 * @param <T> what a part becomes; never changed by what combines it
 */
interface Algebra<T> {

    T active(Source source);

    /** Of two at least. */
    T union(List<T> parts);

    /** Of two at least. */
    T intersection(List<T> parts);

    T difference(T those, T taken);

    /** What {@code audience} becomes where spans of {@code grain} are kept. */
    static <T> T fold(Audience audience, Grain grain, Algebra<T> algebra) {
        return switch (audience) {
            case Audience.Active(String event, List<Span> spans) -> {
                List<T> parts = spans.stream()
                        .flatMap(span -> span.in(grain).stream())
                        .distinct()
                        .map(span -> algebra.active(new Source(event, span)))
                        .toList();
                yield parts.size() == 1 ? parts.getFirst() : algebra.union(parts);
            }
            case Audience.Any(List<Audience> parts) -> {
                List<T> folded = each(parts, grain, algebra);
                yield folded.size() == 1 ? folded.getFirst() : algebra.union(folded);
            }
            case Audience.All(List<Audience> parts) -> {
                List<T> folded = each(parts, grain, algebra);
                yield folded.size() == 1 ? folded.getFirst() : algebra.intersection(folded);
            }
            case Audience.Without(Audience those, Audience taken) ->
                algebra.difference(fold(those, grain, algebra), fold(taken, grain, algebra));
        };
    }

    private static <T> List<T> each(List<Audience> parts, Grain grain, Algebra<T> algebra) {
        return parts.stream().map(part -> fold(part, grain, algebra)).toList();
    }
}
