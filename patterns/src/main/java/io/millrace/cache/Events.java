// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** What Flight Recorder may record of a cache; on by default, for it is rare. None carries a key or a value: of an error reply, whose text may have one, there is the code. */
final class Events {

    private Events() {}

    /** A call of a loader, from begin to end. */
    @Name("io.millrace.CacheLoad")
    @Label("Cache load")
    @Description("A loader was called")
    @Category("Millrace")
    @StackTrace(false)
    static final class CacheLoad extends Event {
        @Label("Cache")
        String cache = "";

        @Label("In the background")
        boolean background;

        @Label("Failure")
        @Description("The class of the loader's exception; empty if it gave a value, or said that there is none")
        String failure = "";
    }

    /** Redis did not do what the cache asked for. */
    @Name("io.millrace.CacheError")
    @Label("Cache error")
    @Description("A command of a cache failed, or a value could not be encoded")
    @Category("Millrace")
    @StackTrace(false)
    static final class CacheError extends Event {
        @Label("Cache")
        String cache = "";

        @Label("Step")
        String step = "";

        @Label("Cause")
        String cause = "";
    }
}
