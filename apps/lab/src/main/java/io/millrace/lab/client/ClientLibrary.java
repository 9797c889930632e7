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
 * @param failureKinds maps an exception to the outcome of the command
 */
public record ClientLibrary(
        String name, String documentation, List<UsageMode> modes, Function<Throwable, FailureKind> failureKinds) {

    public ClientLibrary {
        modes = List.copyOf(modes);
    }

    public ClientLibrary(String name, String documentation, List<UsageMode> modes) {
        this(name, documentation, modes, FailureKind::of);
    }

    /** The modes that have {@code capability}, in their order. */
    public List<UsageMode> modesWith(Capability capability) {
        return modes.stream()
                .filter(mode -> mode.capabilities().contains(capability))
                .toList();
    }

    /** The mode called {@code mode}. */
    public UsageMode mode(String mode) {
        return modes.stream()
                .filter(candidate -> candidate.name().equals(mode))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such mode: library=" + name + ", mode=" + mode
                        + ". There are: " + modes.stream().map(UsageMode::name).toList()));
    }
}
