// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The dashboard in Chromium. The pictures are in the folder target/dashboard. */
@NeedsChromium
class DashboardTest {

    private static final Path PICTURES = Path.of("target/dashboard");
    private static final String SLOW = "--millrace.load.jobs.slow.";

    private static TestServer server;

    private final Browser browser;

    DashboardTest(Browser browser) {
        this.browser = browser;
    }

    @BeforeAll
    static void startServer(@TempDir Path folder) throws IOException {
        String rows = IntStream.range(0, 100_000).mapToObj(id -> id + ",x\n").collect(Collectors.joining());
        Path file = Files.writeString(folder.resolve("slow.csv"), "id,name\n" + rows);
        server = TestServer.start(
                SLOW + "csv=" + file,
                SLOW + "key=slow:{id}",
                SLOW + "as=hash",
                SLOW + "when=manual",
                SLOW + "rate=500");
        Files.createDirectories(PICTURES);
        seed(server.call());
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Something to see on each page: an activity, a cache that was used, and a load with a rejected row. */
    private static void seed(Call call) {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        String marks = IntStream.range(0, 2_000)
                .mapToObj(i -> "{\"id\":" + (i * i % 397) + ",\"time\":\"" + today.minusDays(i * 31L % 97 % 14) + "\"}")
                .collect(Collectors.joining(",", "[", "]"));
        assertThat(call.post("/activities/demo/visit/marks", marks).status()).isEqualTo(200);
        call.get("/value/tea");
        call.get("/value/tea");
        TestBeans.GATED.reset();
        TestBeans.GATED.letPass();
        String load =
                call.post("/loads", "{\"job\":\"gated\"}").header("location").orElseThrow();
        Await.until("the load has ended", () -> !call.get(load).body().contains("running"));
    }

    @BeforeEach
    void wideAndLight() {
        browser.appearance(1280, "light");
    }

    @AfterEach
    void noMessageOfTheConsole() {
        assertThat(browser.console()).isEmpty();
    }

    private void open(String page) {
        browser.open("http://127.0.0.1:" + server.port() + "/#" + page);
        browser.await("h1", "");
    }

    @ParameterizedTest
    @CsvSource({
        "1280, light",
        "1280, dark",
        "360, light",
        "360, dark",
    })
    void pagesAreReadable(int width, String theme) throws IOException {
        browser.appearance(width, theme);
        for (String page : List.of("overview", "loads", "loads/1", "caches", "bitmaps", "server")) {
            open(page);
            awaitContent(page);

            browser.screenshot(PICTURES.resolve(page.replace('/', '-') + "-" + theme + "-" + width + ".png"));

            if (width > 360 || theme.equals("light")) {
                assertThat(browser.violations()).as(page).isEmpty();
            }
            assertThat((long) browser.ask("return document.documentElement.scrollWidth"))
                    .as("width of " + page)
                    .isLessThanOrEqualTo(width);
            assertThat(browser.console()).as(page).isEmpty();
        }
    }

    /** A closed list of options is not visible. */
    private void awaitJobs() {
        Await.until(
                "there are jobs",
                () -> (long) browser.ask("return document.getElementById('job')?.options.length ?? 0") > 0);
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
            case "bitmaps" -> {
                browser.find(By.cssSelector("form button")).click();
                browser.await("table.heat td", "%");
                browser.await("figure canvas", "");
            }
            case "server" -> browser.await(".tile dd", "MiB");
            default -> throw new AssertionError(page);
        }
    }

    @Test
    void loadIsStartedWatchedAndStopped() throws IOException {
        open("loads");
        awaitJobs();
        browser.ask("document.getElementById('job').value = 'slow'");
        browser.await("form button", "Start").click();

        browser.await(".card h3", "slow");
        Await.until("rows are shown", () -> Long.parseLong(fact("Written")) > 100);
        Await.until("a rate is shown", () -> !fact("Rows per second").equals("–"));
        assertThat(browser.violations()).isEmpty();
        browser.screenshot(PICTURES.resolve("running-light-1280.png"));
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
    void keyboardStartsALoadAndStopsItAtOnce() {
        open("overview");
        browser.await(".tile dd", "MiB");
        browser.tabTo("Loads");
        browser.press(Keys.ENTER);
        awaitJobs();
        browser.tabTo("job");
        browser.press("slow");
        browser.tabTo("limit");
        browser.press("9000");
        browser.tabTo("Start");
        browser.press(Keys.ENTER);
        String card = browser.await(".card h3", "slow").getText();
        String id = card.replaceAll("\\D", "");

        browser.tabTo("Stop at once load " + id);
        browser.press(Keys.ENTER);
        browser.await("dialog", "unconfirmed");
        assertThat(browser.ask("return document.activeElement.textContent")).isEqualTo("Cancel");
        assertThat(browser.violations()).isEmpty();
        browser.press(Keys.chord(Keys.SHIFT, Keys.TAB));
        browser.press(Keys.ENTER);

        browser.await("p.muted", "No load is running.");
        assertThat(server.call().json("/loads/" + id).get("limit").asLong()).isEqualTo(9_000);
    }

    @Test
    void refusalIsShown() {
        open("loads");
        awaitJobs();
        String load = server.call()
                .post("/loads", "{\"job\":\"second\"}")
                .header("location")
                .orElseThrow();
        TestBeans.SECOND.awaitReader();
        browser.ask("document.getElementById('job').value = 'second'");
        browser.await("form button", "Start").click();

        browser.await(".problem", "The job runs already.");

        assertThat(browser.console()).singleElement().asString().contains("409");
        TestBeans.SECOND.letPass();
        Await.until("the load has ended", () -> !server.call().get(load).body().contains("running"));
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
    void tablesBehindTheChartsHaveTheNumbers() {
        open("overview");
        browser.await(".tile dd", "MiB");
        for (int i = 0; i < 4; i++) {
            browser.ask("document.querySelectorAll('figure summary')[" + i + "].click()");
        }

        browser.await("figure td", "MiB");

        assertThat(browser.ask("return document.querySelectorAll('figure table').length"))
                .isEqualTo(4L);
        assertThat(browser.violations()).isEmpty();
    }

    @Test
    void historySurvivesAReload() {
        open("overview");
        browser.await(".tile dd", "MiB");
        String kept = "const {samples} = await import('/dashboard/samples.js'); return samples.list.length";
        Await.until("there is a history", () -> (long) browser.askLater(kept) >= 3);
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
