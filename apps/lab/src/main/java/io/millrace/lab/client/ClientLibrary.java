// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.UsageMode.Capability;
import java.util.List;
import java.util.function.Function;

/**
 * A client library and the ways to use it.
 *
 * @param name as in reports, such as {@code jedis}
 * @param documentation address of the documentation that the settings follow
 * @param modes the first is the mode that the documentation recommends for most programs
 */
public record ClientLibrary(String name, String documentation, List<UsageMode> modes) {

    public ClientLibrary {
        modes = List.copyOf(modes);
    }

    /** Tells what happened to a command that failed with an exception. */
    public Function<Throwable, FailureKind> failureKinds() {
        return FailureKind::of;
    }

    /** The modes that have {@code capability}, in their order. */
    public List<UsageMode> modesWith(Capability capability) {
        return modes.stream()
                .filter(mode -> mode.capabilities().contains(capability))
                .toList();
    }
}
