// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** A load whose report was not kept, and keys that a path cannot have. */
@NeedsChromium
@ExtendWith(DashboardServer.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DashboardUnusualTest {

    /** Answers as a server that has forgotten the report and the rejected rows of a load. */
    private static final String FORGET = """
            const real = window.fetch;
            window.fetch = async (path, ...rest) => /[/](report|rejects)$/.test(path)
                ? Response.json({title: 'There is no such resource.', detail: 'It was not kept.'}, {status: 404})
                : real(path, ...rest);
            """;

    private final Browser browser;
    private final DashboardServer server;

    DashboardUnusualTest(Browser browser, DashboardServer server) {
        this.browser = browser;
        this.server = server;
    }

    @Test
    void loadWithoutAReportIsShownWithItsStateAndItsJob() {
        server.open(browser, "server");
        browser.ask(FORGET);
        browser.ask("location.hash = '#loads/1'");

        browser.await("p.state", "rejected");
        browser.await("dd", "gated");
        browser.await("p.muted", "The rejected rows were not kept.");
        browser.await("p.muted", "The report was not kept.");
        assertThat(browser.askAll(
                        "return [...document.querySelectorAll('main .problem')].map(each => each.textContent)"))
                .noneMatch(text -> text.contains("There is no such resource."));
        assertThat(browser.violations()).isEmpty();
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void keyThatAPathCannotHaveIsSearched() {
        server.open(browser, "caches");
        for (String key : List.of("user/1", "..", "a\\b")) {
            browser.await("input", "").clear();
            browser.await("input", "").sendKeys(key);
            browser.ask("document.querySelector('.problem')?.remove()");

            browser.await("form button", "Find").click();

            browser.await(".problem", "The cache has no entry for this key.");
            assertThat(browser.console()).as(key).singleElement().asString().contains("404");
        }
    }
}
