// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** The visible windows of a browser share one event stream. */
@NeedsChromium
@ExtendWith(DashboardServer.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedStreamTest {

    /** A browser opens six connections to one server. */
    private static final int MORE_THAN_CONNECTIONS = 7;

    private static final String SAMPLES = "const {samples} = await import('/dashboard/samples.js'); ";

    private final Browser browser;
    private final DashboardServer server;

    SharedStreamTest(Browser browser, DashboardServer server) {
        this.browser = browser;
        this.server = server;
    }

    @AfterEach
    void closeNewWindows() {
        browser.closeNewWindows();
    }

    /** Opens windows one after the other. So the first one has the stream. */
    private List<String> openWindows(int number) {
        browser.open("about:blank");
        List<String> windows = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            windows.add(browser.openWindow(server.address("server")));
            browser.await("#connection", "Live");
        }
        return windows;
    }

    private void awaitOneStream() {
        browser.until("the windows have one stream", () -> server.streams() == 1);
    }

    /** The time of the newest sample in the selected window. */
    private long newest() {
        return (long) browser.askLater(SAMPLES + "return samples.newest?.time ?? 0");
    }

    private void awaitNewSample(String window) {
        browser.select(window);
        long before = newest();
        browser.until("the window gets a sample", () -> newest() > before);
    }

    private void hide(String window, boolean hidden) {
        browser.select(window);
        browser.ask("Object.defineProperty(document, 'hidden', {value: " + hidden + ", configurable: true});"
                + " document.dispatchEvent(new Event('visibilitychange'))");
    }

    @Test
    void sevenWindowsShareOneStream() {
        List<String> windows = openWindows(MORE_THAN_CONNECTIONS);

        awaitOneStream();

        for (String window : windows) {
            awaitNewSample(window);
            assertThat((long) browser.askLater(SAMPLES + "return new Set(samples.list.map(each => each.time)).size"))
                    .as("different samples")
                    .isEqualTo(browser.askLater(SAMPLES + "return samples.list.length"))
                    .isGreaterThan(1L);
        }
        assertThat(server.streams()).isEqualTo(1);
    }

    @Test
    void anotherWindowReadsTheStreamAfterTheFirstIsClosed() {
        List<String> windows = openWindows(3);
        awaitOneStream();

        browser.closeWindow(windows.getFirst());

        awaitNewSample(windows.get(1));
        awaitNewSample(windows.get(2));
        awaitOneStream();
    }

    @Test
    void hiddenWindowGivesTheStreamAwayAndListensAgainWhenItIsVisible() {
        List<String> windows = openWindows(2);
        awaitOneStream();

        hide(windows.getFirst(), true);
        long newestOfHidden = newest();
        awaitNewSample(windows.get(1));
        awaitNewSample(windows.get(1));
        browser.select(windows.getFirst());
        assertThat(newest()).isEqualTo(newestOfHidden);

        hide(windows.getFirst(), false);
        awaitNewSample(windows.getFirst());
        awaitNewSample(windows.get(1));
        awaitOneStream();
    }

    /** A browser has no locks for a page over http from another machine. */
    @Test
    void windowsWithoutLocksHaveStreamsOfTheirOwn() {
        List<String> windows = openWindows(2);

        for (String window : windows) {
            browser.select(window);
            browser.askLater(
                    "Object.defineProperty(navigator, 'locks', {value: undefined}); " + SAMPLES + "samples.start();");
        }

        browser.until("each window has a stream", () -> server.streams() == 2);
        windows.forEach(this::awaitNewSample);
        assertThat(server.streams()).isEqualTo(2);
    }
}
