// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Whom a question is about: those active in some spans, and combinations of such, as
 * {@code active("login", month).butNot(active("purchase", month))}.
 */
public sealed interface Audience {

    /** Those for whom {@code event} was marked in {@code span}. */
    static Audience active(String event, Span span) {
        return new Active(event, List.of(span));
    }

    /** Those for whom {@code event} was marked in one of {@code spans} at least; at least one. */
    static Audience active(String event, Collection<Span> spans) {
        return new Active(event, List.copyOf(spans));
    }

    /** Those of one or the other, or both. */
    default Audience or(Audience other) {
        return new Any(joined(this instanceof Any any ? any.parts() : List.of(this), other));
    }

    /** Those of both. */
    default Audience and(Audience other) {
        return new All(joined(this instanceof All all ? all.parts() : List.of(this), other));
    }

    /** Those of this one who are not of the other. */
    default Audience butNot(Audience other) {
        return new Without(this, other);
    }

    /** See {@link #active(String, Collection)}. */
    record Active(String event, List<Span> spans) implements Audience {

        public Active {
            Activity.event(event);
            if (spans.isEmpty()) {
                throw new IllegalArgumentException(
                        "an audience has no spans: event=" + event + ". It has at least one.");
            }
            spans = List.copyOf(spans);
        }
    }

    /** See {@link #or}. */
    record Any(List<Audience> parts) implements Audience {

        public Any {
            parts = List.copyOf(parts);
            Ranges.check("parts", parts.size(), 1, Integer.MAX_VALUE);
        }
    }

    /** See {@link #and}. */
    record All(List<Audience> parts) implements Audience {

        public All {
            parts = List.copyOf(parts);
            Ranges.check("parts", parts.size(), 1, Integer.MAX_VALUE);
        }
    }

    /** See {@link #butNot}. */
    record Without(Audience those, Audience taken) implements Audience {}

    private static List<Audience> joined(List<Audience> parts, Audience more) {
        List<Audience> all = new ArrayList<>(parts);
        all.add(more);
        return all;
    }
}
