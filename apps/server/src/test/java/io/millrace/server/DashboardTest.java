// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;

/** The pages of the dashboard in Chromium. The pictures are in the folder target/dashboard. */
@NeedsChromium
@ExtendWith(DashboardServer.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DashboardTest {

    /** The titles of the figures without a plot, and of the figures whose table has no number. */
    private static final String CHARTS_WITHOUT_TABLE = """
            return [...document.querySelectorAll('figure')].filter(figure => figure.querySelector('canvas') === null
                    || ![...figure.querySelectorAll('tbody td')].some(cell => /[0-9]/.test(cell.textContent)))
                .map(figure => figure.querySelector('figcaption').textContent);
            """;

    private final Browser browser;
    private final DashboardServer server;

    DashboardTest(Browser browser, DashboardServer server) {
        this.browser = browser;
        this.server = server;
    }

    private void open(String page) {
        server.open(browser, page);
    }

    /** Each page is opened in the narrow window, and then gets the other appearances. */
    @ParameterizedTest
    @ValueSource(strings = {"overview", "loads", "loads/1", "caches", "bitmaps", "server"})
    void pageIsReadableInBothWidthsAndThemes(String page) throws IOException {
        browser.appearance(360, "light");
        open(page);
        awaitContent(page);
        for (int width : new int[] {360, 1280}) {
            for (String theme : new String[] {"light", "dark"}) {
                browser.appearance(width, theme);
                String name = page.replace('/', '-') + "-" + theme + "-" + width;
                awaitChartsOfTheWidth();

                DashboardServer.takePicture(browser, name);

                assertThat(browser.violations()).as(name).isEmpty();
                assertThat((long) browser.ask("return document.documentElement.scrollWidth"))
                        .as("width of " + name)
                        .isLessThanOrEqualTo(width);
            }
        }
        assertThat(browser.console()).isEmpty();
    }

    /** A chart is drawn again after its figure has another width. */
    private void awaitChartsOfTheWidth() {
        browser.until(
                "the charts are as wide as their figures",
                () -> (boolean) browser.ask("return [...document.querySelectorAll('figure canvas')].every(canvas =>"
                        + " Math.abs(canvas.clientWidth - canvas.closest('figure').clientWidth) < 60)"));
    }

    private void awaitContent(String page) {
        switch (page) {
            case "overview" -> {
                browser.await(".tile dd", "MiB");
                browser.await("figure canvas", "");
            }
            case "loads" -> browser.await("td", "rejected");
            case "loads/1" -> browser.await("td", "bad number in ***");
            case "caches" -> browser.await("figure canvas", "");
            case "bitmaps" -> showActivity();
            case "server" -> browser.await(".tile dd", "MiB");
            default -> throw new AssertionError(page);
        }
    }

    private void showActivity() {
        browser.find(By.cssSelector("form button")).click();
        browser.await("table.heat td", "%");
        browser.await("figure canvas", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"overview", "caches", "bitmaps"})
    void eachChartHasATableWithItsNumbers(String page) throws IOException {
        open(page);
        awaitContent(page);

        openTables(page.equals("overview") ? 4 : 1);

        assertThat(browser.violations()).isEmpty();
        DashboardServer.takePicture(browser, "tables-" + page + "-light-1280");
        if (page.equals("bitmaps")) {
            LocalDate today = LocalDate.now(ZoneOffset.UTC);
            var counts = server.call()
                    .json("/activities/demo/visit/counts?granularity=day&from=" + today.minusDays(13) + "&to=" + today)
                    .get("counts");
            assertThat(browser.askAll("return [...document.querySelectorAll('figure tbody tr')].map(row =>"
                            + " [...row.children].map(cell => cell.textContent).join(' '))"))
                    .isEqualTo(StreamSupport.stream(counts.spliterator(), false)
                            .map(each -> each.get("span").asString() + " "
                                    + each.get("count").asLong())
                            .toList());
        }
    }

    private void openTables(long charts) {
        browser.ask("document.querySelectorAll('figure summary').forEach(each => each.click())");
        browser.until(
                "each chart has a table",
                () -> (long) browser.ask("return document.querySelectorAll('figure').length") == charts
                        && browser.askAll(CHARTS_WITHOUT_TABLE).isEmpty());
    }

    @Test
    void chartOfARunningLoadHasATableOnBothPages() {
        String load = server.startLoad("slow");
        for (String page : List.of("loads", load.substring(1))) {
            open(page);
            browser.await("figure canvas", "");

            openTables(1);

            assertThat(browser.violations()).as(page).isEmpty();
        }
        assertThat(server.call().delete(load + "?now").status()).isEqualTo(202);
        browser.await("p.state", "interrupted");
        server.awaitEnd(load);
    }

    @Test
    void loadIsStartedWatchedAndStopped() throws IOException {
        open("loads");
        DashboardServer.awaitJobs(browser);
        browser.ask("document.getElementById('job').value = 'slow'");
        browser.await("form button", "Start").click();

        browser.await(".card h3", "slow");
        browser.until("rows are shown", () -> Long.parseLong(fact("Written")) > 100);
        browser.until("a rate is shown", () -> !fact("Rows per second").equals("–"));
        assertThat(browser.violations()).isEmpty();
        DashboardServer.takePicture(browser, "running-light-1280");
        String id = browser.find(By.cssSelector(".card h3 a")).getText().replace("Load ", "");
        browser.await(".card button", "Stop").click();

        browser.await("p.muted", "No load is running.");
        browser.await("td .state", "interrupted");
        assertThat(server.call().json("/loads/" + id).get("state").asString()).isEqualTo("interrupted");
        assertThat(browser.ask("return document.activeElement.tagName")).isEqualTo("H1");
    }

    /** The number of a name in the card of the running load. */
    private String fact(String name) {
        return browser.ask("return [...document.querySelectorAll('.card dt')].find(each => each.textContent === '"
                        + name + "').nextSibling.textContent")
                .toString()
                .replace(",", "")
                .replace("–", name.equals("Written") ? "0" : "–");
    }

    @Test
    void refusalIsShown() {
        open("loads");
        DashboardServer.awaitJobs(browser);
        String load = server.startLoad("second");
        TestBeans.SECOND.awaitReader();
        browser.ask("document.getElementById('job').value = 'second'");
        browser.await("form button", "Start").click();

        browser.await(".problem", "The job runs already.");

        assertThat(browser.console()).singleElement().asString().contains("409");
        TestBeans.SECOND.letPass();
        server.awaitEnd(load);
    }

    @Test
    void entryIsFoundAndRemovedAndTheCacheCleared() {
        open("caches");
        server.call().get("/value/shown");
        browser.await("input", "").sendKeys("shown");
        browser.await("form button", "Find").click();
        browser.await("dd", "fresh");
        browser.await("button", "Remove the entry").click();
        browser.await("p", "The entry is removed.");
        assertThat(server.call().get("/caches/value/entries/shown").status()).isEqualTo(404);

        browser.await("button.danger", "Clear").click();
        browser.await("dialog button", "Clear the cache").click();
        browser.await("p", "The cache is being cleared.");
    }

    @Test
    void historySurvivesAReload() {
        open("overview");
        browser.await(".tile dd", "MiB");
        String kept = "const {samples} = await import('/dashboard/samples.js'); return samples.list.length";
        browser.until("there is a history", () -> (long) browser.askLater(kept) >= 3);
        long before = (long) browser.askLater(kept);

        open("overview");
        browser.await(".tile dd", "MiB");

        assertThat((long) browser.askLater(kept)).isGreaterThanOrEqualTo(before);
    }

    /** A screen reader cannot follow more. */
    @Test
    void liveRegionChangesAtMostEveryFiveSecondsAndTellsTheNewest() {
        open("server");
        Object texts = browser.askLater("""
                const {announce} = await import('/dashboard/live.js');
                const live = document.getElementById('live');
                const timers = [];
                window.setTimeout = (action, millis) => timers.push({action, millis});
                announce('first');
                timers[0].action();
                const first = live.textContent;
                announce('second');
                announce('third');
                const unchanged = live.textContent;
                timers[1].action();
                return [first, unchanged, live.textContent, timers.length, timers[0].millis, timers[1].millis > 4900];
                """);

        assertThat(texts).isEqualTo(List.of("first", "first", "third", 2L, 0L, true));
    }
}
