// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Flight Recorder events of a cache. The events are rare and enabled by default. No event contains a key or a value.
 * For an error reply, the event contains only the error code, because the text of an error reply may contain a key.
 */
final class CacheEvents {

    private CacheEvents() {}

    /** One call of a loader, with its duration. */
    @Name("io.millrace.CacheLoad")
    @Label("Cache load")
    @Description("A loader was called")
    @Category("Millrace")
    @StackTrace(false)
    static final class CacheLoad extends Event {
        @Label("Cache")
        String cache = "";

        @Label("Background load")
        boolean background;

        @Label("Failure")
        @Description("Class of the loader's exception; empty if the loader succeeded")
        String failure = "";
    }

    /** A failed command of a cache, or a value that could not be encoded. */
    @Name("io.millrace.CacheError")
    @Label("Cache error")
    @Description("A command of a cache failed, or a value could not be encoded")
    @Category("Millrace")
    @StackTrace(false)
    static final class CacheError extends Event {
        @Label("Cache")
        String cache = "";

        @Label("Failed step")
        String step = "";

        @Label("Cause")
        String cause = "";
    }
}
