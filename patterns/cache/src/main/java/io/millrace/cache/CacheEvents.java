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

    /** A write of a loaded entry that Redis refused. */
    @Name("io.millrace.CacheWriteRefused")
    @Label("Cache write refused")
    @Description(
            "A loaded entry was not written: its lease had expired or was not taken, or the key was put or removed")
    @Category("Millrace")
    @StackTrace(false)
    static final class CacheWriteRefused extends Event {
        @Label("Cache")
        String cache = "";
    }

    /** A loader call that exceeded the load timeout. */
    @Name("io.millrace.CacheLoadTimeout")
    @Label("Cache load timeout")
    @Description("A loader exceeded the load timeout and was interrupted")
    @Category("Millrace")
    @StackTrace(false)
    static final class CacheLoadTimeout extends Event {
        @Label("Cache")
        String cache = "";

        @Label("Keys")
        @Description("Number of keys that the loader was called for")
        int keys;
    }

    /** The circuit of a cache has opened or closed. */
    @Name("io.millrace.CacheCircuit")
    @Label("Cache circuit")
    @Description("The cache has stopped or resumed the use of Redis")
    @Category("Millrace")
    @StackTrace(false)
    static final class CacheCircuit extends Event {
        @Label("Cache")
        String cache = "";

        @Label("Open")
        @Description("Whether Redis does not answer, so that loaders are called without Redis")
        boolean open;
    }
}
