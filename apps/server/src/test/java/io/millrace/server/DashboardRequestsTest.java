// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;

/** The requests of the dashboard: how many there are, and answers that come late, in another order, or never. */
@NeedsChromium
@ExtendWith(DashboardServer.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DashboardRequestsTest {

    /** Holds the answers whose path begins with PREFIX until {@code release()}. Counts the read answers. */
    private static final String HOLD = """
            const real = window.fetch;
            window.held = [];
            window.readAnswers = 0;
            window.release = () => window.held.splice(0).forEach(each => each());
            window.fetch = async (path, ...rest) => {
                const answer = await real(path, ...rest);
                if (path.startsWith('PREFIX')) {
                    await new Promise(each => window.held.push(each));
                    const json = answer.json.bind(answer);
                    answer.json = async () => {
                        const value = await json();
                        setTimeout(() => window.readAnswers++); // after the page has used the answer
                        return value;
                    };
                }
                return answer;
            };
            """;

    private static final String LIST = "/loads?limit=1000";

    /** Notes the paths of all requests. */
    private static final String NOTE_PATHS = """
            const real = window.fetch;
            window.paths = [];
            window.fetch = (path, ...rest) => {
                window.paths.push(path);
                return real(path, ...rest);
            };
            """;

    private final Browser browser;
    private final DashboardServer server;

    DashboardRequestsTest(Browser browser, DashboardServer server) {
        this.browser = browser;
        this.server = server;
    }

    private void hold(String prefix) {
        browser.ask(HOLD.replace("PREFIX", prefix));
    }

    private void awaitHeld(long answers) {
        browser.until(answers + " answers are held", () -> (long) browser.ask("return window.held.length") == answers);
    }

    private void release() {
        long held = (long) browser.ask("return window.held.length");
        browser.ask("window.release()");
        browser.until("the answers are used", () -> (long) browser.ask("return window.readAnswers") >= held);
    }

    /** The page of the loads looks for new loads when the page becomes visible. */
    private void refresh() {
        browser.ask("document.dispatchEvent(new Event('visibilitychange'))");
    }

    private void showActivity(String name) {
        browser.ask("document.getElementById('activity').value = '" + name + "'");
        browser.find(By.cssSelector("form button")).click();
    }

    @Test
    void runningLoadsNeedNoStreamsOfTheirOwn() {
        String second = server.startLoad("second");
        String third = server.startLoad("third");
        server.open(browser, "loads");
        browser.await(".card[aria-label*=second] .note", "Loading.");
        browser.await(".card[aria-label*=third] .note", "Loading.");

        browser.until("the page has one stream", () -> server.streams() == 1);

        TestBeans.SECOND.letPass();
        TestBeans.THIRD.letPass();
        browser.await("p.muted", "No load is running.");
        server.awaitEnd(second);
        server.awaitEnd(third);
    }

    @Test
    void requestWithoutAnAnswerEnds() {
        server.open(browser, "server");

        Object problem = browser.askLater("""
                const {get} = await import('/dashboard/api.js');
                const real = AbortSignal.timeout;
                let limit = 0;
                AbortSignal.timeout = millis => {
                    limit = millis;
                    return AbortSignal.abort(new DOMException('late', 'TimeoutError'));
                };
                try {
                    return await get('/jobs');
                } catch (failure) {
                    return [limit, failure.title, failure.message.includes('No answer within 60 s')];
                } finally {
                    AbortSignal.timeout = real;
                }
                """);

        assertThat(problem).isEqualTo(List.of(60_000L, "The server does not answer.", true));
    }

    @Test
    void failedRefreshIsShownOnceAndClearedByTheNextSuccess() {
        server.open(browser, "loads");
        DashboardServer.awaitJobs(browser);
        browser.ask("window.real = window.fetch; window.failed = 0;"
                + " window.fetch = async () => { window.failed++; throw new TypeError('gone'); }");
        refresh();
        browser.await(".problem", "The server does not answer.");
        browser.ask("document.querySelector('.problem').dataset.first = 'yes'; window.failed = 0");

        refresh();
        browser.until("the next refresh has failed", () -> (long) browser.ask("return window.failed") > 0);

        assertThat(browser.askAll("return [...document.querySelectorAll('.problem')].map(each => each.dataset.first)"))
                .containsExactly("yes");
        browser.ask("window.fetch = window.real");
        refresh();
        browser.until(
                "the problem has gone",
                () -> browser.ask("return document.querySelectorAll('.problem').length")
                        .equals(0L));
    }

    @Test
    void listOfLoadsIsReadOnlyIfAJobHasChanged() {
        server.open(browser, "loads");
        browser.await("td", "rejected");
        browser.ask("const now = performance.now(); performance.now = () => now"); // the list stays new
        browser.ask(NOTE_PATHS);
        for (long i = 1; i <= 3; i++) {
            long wanted = i;
            refresh();
            browser.until("the jobs are read", () -> requests("/jobs") >= wanted);
        }

        assertThat(requests(LIST)).isZero();

        String load = server.startLoad("second");
        refresh();
        browser.await(".card h3", "second");
        assertThat(requests(LIST)).isPositive();
        TestBeans.SECOND.letPass();
        browser.await("p.muted", "No load is running.");
        server.awaitEnd(load);
    }

    private long requests(String path) {
        return (long) browser.ask("return window.paths.filter(path => path === '" + path + "').length");
    }

    @Test
    void listUnderWayAtTheEndOfALoadDoesNotBringItsCardBack() {
        String second = server.startLoad("second");
        server.open(browser, "loads");
        browser.await(".card h3", "second");
        browser.ask("window.added = []; new MutationObserver(changes => changes.forEach(change =>"
                + " change.addedNodes.forEach(node => window.added.push(node.ariaLabel ?? ''))))"
                + ".observe(document.querySelector('main'), {childList: true, subtree: true})");
        browser.ask(HOLD.replace("path.startsWith('PREFIX')", "path === '" + LIST + "'"));
        String third = server.startLoad("third");
        refresh();
        awaitHeld(1); // a list with both loads
        TestBeans.SECOND.letPass();
        browser.until(
                "the card has gone",
                () -> browser.ask("return document.querySelectorAll('.card').length")
                        .equals(0L));

        release();
        browser.await(".card h3", "third");

        assertThat(browser.askAll("return window.added"))
                .noneMatch(label -> label.endsWith("second"))
                .anyMatch(label -> label.endsWith("third"));
        TestBeans.THIRD.letPass();
        server.awaitEnd(second);
        server.awaitEnd(third);
    }

    @Test
    void answerAfterThePageWasLeftCreatesNoChart() {
        server.open(browser, "bitmaps");
        browser.await("form button", "Show");
        hold("/activities/");
        browser.ask(
                "window.charts = 0; const Real = window.ResizeObserver;"
                        + " window.ResizeObserver = class extends Real { constructor(seen) { super(seen); window.charts++; } }");
        showActivity("demo");
        awaitHeld(2);
        browser.ask("location.hash = '#server'");
        browser.await("h1", "Server");

        release();

        assertThat(browser.ask("return window.charts")).isEqualTo(0L);
    }

    @Test
    void answerOfAnOlderQueryDoesNotReplaceTheNewerOne() {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        server.call().post("/activities/other/visit/marks", "[{\"id\":1,\"time\":\"" + today + "\"}]");
        server.open(browser, "bitmaps");
        browser.await("form button", "Show");
        hold("/activities/demo/");
        showActivity("demo");
        awaitHeld(2);
        showActivity("other");
        browser.await("table.heat td", "100 %");

        release();

        assertThat(browser.askAll("return [...document.querySelectorAll('table.heat tbody tr')].map(row =>"
                        + " row.children[1].textContent)"))
                .hasSize(14)
                .containsOnlyOnce("1")
                .containsOnly("0", "1");
        assertThat(browser.ask("return localStorage.getItem('millrace-activity')"))
                .asString()
                .contains("other");
    }

    @Test
    void damagedTextInTheStorageOfTheBrowserIsIgnored() {
        server.open(browser, "server");
        for (String text : List.of("{damaged", "null", "5", "{\"activity\":[]}")) {
            browser.ask("localStorage.setItem('millrace-activity', '" + text + "')");

            server.open(browser, "bitmaps");

            browser.await("p", "Name an activity and an event.");
            assertThat(browser.ask("return document.getElementById('activity').value"))
                    .as(text)
                    .isEqualTo("demo");
        }
        browser.ask("localStorage.removeItem('millrace-activity')");
    }

    @Test
    void retentionOfFourHundredDaysHasThirtyColumns() {
        server.open(browser, "bitmaps");
        browser.await("form button", "Show");
        browser.ask("""
                const spans = Array.from({length: 400}, (unused, i) => `day ${i}`);
                window.fetch = async path => Response.json(path.includes('/counts')
                    ? {counts: spans.map(span => ({span, count: 1}))}
                    : {cohorts: spans.map((span, i) => ({span, size: 1, active: Array(400 - i).fill(1)}))});
                """);
        showActivity("demo");
        browser.await("p.muted", "The table ends with the 30th later day");

        assertThat(browser.ask("return document.querySelectorAll('table.heat thead th').length"))
                .isEqualTo(33L);
        assertThat(browser.ask("return document.querySelectorAll('table.heat tbody tr').length"))
                .isEqualTo(400L);
    }

    @Test
    void pageKeepsTheSamplesOfTenMinutesAndOneStream() {
        server.open(browser, "server");
        browser.await(".tile dd", "MiB");

        Object kept = browser.askLater("""
                const {samples} = await import('/dashboard/samples.js');
                const real = window.EventSource;
                const sources = [];
                window.EventSource = class {
                    static CLOSED = 2;
                    constructor() { this.listeners = {}; this.isOpen = true; sources.push(this); }
                    addEventListener(name, listener) { this.listeners[name] = listener; }
                    close() { this.isOpen = false; }
                };
                const sample = time => ({...samples.newest, time});
                const list = Array.from({length: 600}, (unused, i) => sample(i));
                samples.start();
                samples.start();
                const open = sources.filter(each => each.isOpen);
                open[0].listeners.history({data: JSON.stringify(list), lastEventId: '600'});
                open[0].listeners.sample({data: JSON.stringify(sample(600)), lastEventId: '601'});
                open[0].listeners.sample({data: JSON.stringify(sample(600)), lastEventId: '601'}); // also from another window
                const result = [open.length, samples.list.length, samples.list[0].time, samples.newest.time];
                window.EventSource = real;
                samples.start();
                return result;
                """);

        assertThat(kept).isEqualTo(List.of(1L, 600L, 1L, 600L));
    }

    @Test
    void silentStreamIsNotShownAsLive() {
        server.open(browser, "server");
        browser.await("#connection", "Live");

        browser.askLater("const {samples} = await import('/dashboard/samples.js'); samples.end();"
                + " const real = performance.now.bind(performance); performance.now = () => real() + 60000;");

        browser.await("#connection", "No sample for 1 min");
    }
}
