// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * A set of ids: the ids active in some spans, or a combination of sets, such as {@code active("login",
 * month).except(active("purchase", month))}.
 */
public sealed interface SetExpression {

    /** Returns the ids for which {@code event} is marked in {@code span}. */
    static SetExpression active(String event, Span span) {
        return new Active(event, List.of(span));
    }

    /** Returns the ids for which {@code event} is marked in at least one of {@code spans}, which must not be empty. */
    static SetExpression active(String event, Collection<Span> spans) {
        return new Active(event, List.copyOf(spans));
    }

    /** Returns the union of this set and {@code other}. */
    default SetExpression or(SetExpression other) {
        return new Union(joined(this instanceof Union any ? any.parts() : List.of(this), other));
    }

    /** Returns the intersection of this set and {@code other}. */
    default SetExpression and(SetExpression other) {
        return new Intersection(joined(this instanceof Intersection all ? all.parts() : List.of(this), other));
    }

    /** Returns the ids of this set that are not in {@code other}. */
    default SetExpression except(SetExpression other) {
        return new Difference(this, other);
    }

    /** See {@link #active(String, Collection)}. */
    record Active(String event, List<Span> spans) implements SetExpression {

        public Active {
            Activity.event(event);
            if (spans.isEmpty()) {
                throw new IllegalArgumentException("a set expression has no spans: event=" + event + ". Pass a span.");
            }
            spans = List.copyOf(spans);
        }
    }

    /** See {@link #or}. */
    record Union(List<SetExpression> parts) implements SetExpression {

        public Union {
            parts = List.copyOf(parts);
            Setting.checkArgument("parts", parts.size(), 1, Integer.MAX_VALUE);
        }
    }

    /** See {@link #and}. */
    record Intersection(List<SetExpression> parts) implements SetExpression {

        public Intersection {
            parts = List.copyOf(parts);
            Setting.checkArgument("parts", parts.size(), 1, Integer.MAX_VALUE);
        }
    }

    /** See {@link #except}. */
    record Difference(SetExpression base, SetExpression excluded) implements SetExpression {}

    private static List<SetExpression> joined(List<SetExpression> parts, SetExpression more) {
        List<SetExpression> all = new ArrayList<>(parts);
        all.add(more);
        return all;
    }
}
