// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientLibraries;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Work;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A mode of a library that takes part in a scenario.
 *
 * @param isMain whether the mode is the first one of the library with the capability that the scenario needs
 */
record LibraryMode(ClientLibrary library, UsageMode mode, boolean isMain) {

    /** A mode with one connection for one thread. */
    private static final String ONE_THREAD = "own-connection";

    private static final List<String> OURS = List.of("millrace");

    /** The libraries that a quick run measures in scenarios with many variants. */
    private static final List<String> QUICK = List.of("jedis", "lettuce", "millrace");

    static List<ClientLibrary> libraries() {
        return ClientLibraries.all();
    }

    /** All modes with {@code capability}. */
    static List<LibraryMode> with(Capability capability, List<ClientLibrary> libraries) {
        return libraries.stream()
                .flatMap(library -> {
                    List<UsageMode> modes = library.modesWith(capability);
                    return modes.stream().map(mode -> new LibraryMode(library, mode, mode.equals(modes.getFirst())));
                })
                .toList();
    }

    /** The first mode with {@code capability} of each library. */
    static List<LibraryMode> main(Capability capability, List<ClientLibrary> libraries) {
        return with(capability, libraries).stream().filter(LibraryMode::isMain).toList();
    }

    /** In a quick run, only the main modes of three libraries and of the user's clients. Otherwise all {@code modes}. */
    static List<LibraryMode> fewIfQuick(Parameters parameters, List<LibraryMode> modes) {
        return modes.stream()
                .filter(mode -> !parameters.quick() || (mode.isMain && (mode.isOf(QUICK) || mode.isOfUser())))
                .toList();
    }

    boolean isOf(List<String> names) {
        return names.contains(library.name());
    }

    private boolean isOfUser() {
        return !ClientLibraries.ALL.contains(library);
    }

    boolean isForManyThreads() {
        return !mode.name().equals(ONE_THREAD);
    }

    /** False for a mode of Millrace that is not the main one. Other libraries may show each of their modes. */
    boolean isRecommended() {
        return isMain || !isOf(OURS);
    }

    /**
     * {@code contender}, which is a reference if the mode is not {@linkplain #isRecommended recommended}. So Millrace takes
     * part in comparisons with one mode, and each of the others with the best of its modes.
     */
    JvmContender recommended(JvmContender contender) {
        return isRecommended()
                ? contender
                : contender
                        .unfair("not the usual mode of Millrace: " + mode.note())
                        .asReference();
    }

    /** The label of the mode: {@code parts}, and the name of the mode if the mode is not the main one. */
    String label(String... parts) {
        return String.join(
                "-",
                Arrays.asList(String.join("-", parts), isMain ? "" : mode.name()).stream()
                        .filter(part -> !part.isEmpty())
                        .toList());
    }

    JvmContender contender(String label, String calls, Work work) {
        return contender(label, calls, work, List.of());
    }

    JvmContender contender(String label, String calls, Work work, List<String> jvmOptions) {
        Contender.Description description = new Contender.Description(
                library.name(), label, calls + "; " + mode.name() + ": " + mode.note(), library.documentation());
        return new JvmContender(description, work, jvmOptions, this::missing);
    }

    private Optional<String> missing(Target target) {
        return lacks(target.certificate().isPresent(), Capability.TLS)
                .or(() -> lacks(target.socket().isPresent(), Capability.UNIX_SOCKET))
                .or(() -> lacks(target.cluster(), Capability.CLUSTER))
                .or(() -> lacks(target.sentinels().isPresent(), Capability.SENTINEL));
    }

    private Optional<String> lacks(boolean isNeeded, Capability capability) {
        return isNeeded && !mode.capabilities().contains(capability)
                ? Optional.of("the client lacks a capability: library=" + library.name() + ", mode=" + mode.name()
                        + ", capability=" + capability)
                : Optional.empty();
    }
}
