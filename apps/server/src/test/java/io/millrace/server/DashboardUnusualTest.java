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

    /** The first request for a load fails. The wait for the second one is left out. */
    private static final String FAIL_ONCE = """
            const real = window.fetch;
            const timer = window.setTimeout;
            window.setTimeout = (action, millis, ...rest) => timer(action, millis === 5000 ? 0 : millis, ...rest);
            window.failures = 0;
            window.fetch = async (path, ...rest) => {
                if (path === '/loads/1' && window.failures === 0) {
                    window.failures++;
                    throw new TypeError('gone');
                }
                return real(path, ...rest);
            };
            """;

    private static final String CACHE_WITH_A_BLANK = """
            const real = window.fetch;
            window.fetch = async (path, ...rest) => {
                const answer = await real(path, ...rest);
                if (path !== '/caches') {
                    return answer;
                }
                const {caches: [cache]} = await answer.json();
                return Response.json({caches: [{...cache, name: 'a b'}]});
            };
            """;

    private static final String NOTE_QUERIES = """
            window.fetch = async path => {
                window.query = path;
                return Response.json(path.includes('/counts')
                    ? {counts: [{span: '2026-11-22T23', count: 1}]}
                    : {cohorts: [{span: '2026-11-22T23', size: 1, active: [1]}]});
            };
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

    /** A restart of the server takes some seconds. */
    @Test
    void loadThatCouldNotBeReadIsReadAgain() {
        server.open(browser, "server");
        browser.ask(FAIL_ONCE);

        browser.ask("location.hash = '#loads/1'");

        browser.await("p.state", "rejected");
        assertThat(browser.ask("return window.failures")).isEqualTo(1L);
    }

    /** A blank separates two ids. */
    @Test
    void cacheWhoseNameHasABlankIsLabelled() {
        server.open(browser, "server");
        browser.ask(CACHE_WITH_A_BLANK);

        browser.ask("location.hash = '#caches'");

        browser.await("h2", "a b");
        assertThat(browser.ask("const card = document.querySelector('section.card');"
                        + " return card.getAttribute('aria-labelledby').split(' ')"
                        + ".map(id => document.getElementById(id)?.textContent).join()"))
                .isEqualTo("a b");
        assertThat(browser.violations()).isEmpty();
    }

    /** Both days are part of the range, so the last span is the last hour of the last day. */
    @Test
    void activityIsShownByHour() {
        server.open(browser, "bitmaps");
        browser.await("form button", "Show");
        browser.ask(NOTE_QUERIES);
        browser.ask("document.getElementById('to').value = '2026-11-22';"
                + " document.getElementById('granularity').value = 'hour';");

        browser.await("form button", "Show").click();

        browser.await("p.muted", "active in one hour");
        assertThat(browser.ask("return window.query")).asString().endsWith("&to=2026-11-22T23:00&granularity=hour");
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
