// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The states of a load. */
class LoadTest {

    private static Load<String> load(boolean background) {
        return new Load<>(new LookupRequest<>("key", Optional::of, false), background, new LoaderCall());
    }

    @Test
    void backgroundLoadInItsCooldownDelaysNoChangeOfItsKey() throws Exception {
        Load<String> load = load(true);
        assertThat(load.tryBeginWrite()).isTrue();
        assertThat(load.awaitGone(0)).isFalse();

        load.beginCooldown();

        assertThat(load.awaitGone(0)).isTrue();
    }

    @Test
    void loadIsEitherBegunOrAbandoned() {
        Load<String> abandoned = load(false);
        Load<String> begun = load(false);

        assertThat(abandoned.tryAbandon(TimeUnit.HOURS.toNanos(1)))
                .as("a young load")
                .isFalse();
        assertThat(abandoned.tryAbandon(0)).isTrue();
        assertThat(abandoned.tryAbandon(0)).isFalse();
        assertThat(abandoned.begin()).isFalse();
        assertThat(begun.begin()).isTrue();
        assertThat(begun.tryAbandon(0)).isFalse();
        begun.end();
    }

    @Test
    void closeDoesNotWaitForALoadThatNoThreadHasBegun() throws Exception {
        Load<String> dropped = load(false);
        Load<String> begun = load(false);
        assertThat(begun.begin()).isTrue();

        dropped.close();
        begun.close();

        assertThat(dropped.awaitGone(0)).isTrue();
        assertThat(dropped.begin()).isFalse();
        assertThat(begun.isGone()).isFalse();
        begun.end();
    }

    @Test
    void loadThatNoThreadHasBegunDoesNotBlockItsKey() {
        InFlightLoads<String> inFlightLoads = new InFlightLoads<>();
        LookupRequest<String> request = new LookupRequest<>("key", Optional::of, false);
        Load<String> dropped =
                inFlightLoads.addBackground(request, new LoaderCall()).orElseThrow();

        assertThat(inFlightLoads.isBusy("key", TimeUnit.HOURS.toNanos(1))).isTrue();
        assertThat(inFlightLoads.isBusy("key", 0)).isFalse();
        assertThat(dropped.isOver()).isTrue();
        Load<String> begun =
                inFlightLoads.addBackground(request, new LoaderCall()).orElseThrow();
        assertThat(begun.begin()).isTrue();
        assertThat(inFlightLoads.isBusy("key", 0)).isTrue();
        begun.end();
    }

    /** Otherwise a caller that stores a value after an empty lookup could get the earlier result. */
    @Test
    void nextCallerDoesNotJoinALoadThatFoundNothingAndKeepsNothing() {
        InFlightLoads<String> inFlightLoads = new InFlightLoads<>();
        LookupRequest<String> request = new LookupRequest<>("key", Optional::of, false);
        Load<String> first = inFlightLoads.join(request, 0).load();

        first.complete(new LoadOutcome.Completed<>(Entry.loaded(null), false));

        assertThat(inFlightLoads.join(request, 0).load()).isNotSameAs(first);
    }
}
