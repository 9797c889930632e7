// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The forms of the dashboard, by keyboard, and the form of experiments. */
@NeedsChromium
@ExtendWith(DashboardServer.Shared.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DashboardFormsTest {

    private static final String ALL = Keys.chord(Keys.CONTROL, "a");
    private final Browser browser;
    private final DashboardServer server;

    DashboardFormsTest(Browser browser, DashboardServer server) {
        this.browser = browser;
        this.server = server;
    }

    private Object focused() {
        return browser.ask("return document.activeElement.id");
    }

    @Test
    void keyboardStartsALoadAndStopsItAtOnce() {
        server.open(browser, "overview");
        browser.await(".tile dd", "MiB");
        browser.tabTo("Loads");
        browser.press(Keys.ENTER);
        DashboardServer.awaitJobs(browser);
        browser.tabTo("job");
        browser.press("slow");
        browser.tabTo("limit");
        browser.press("9000");
        browser.tabTo("Start");
        browser.press(Keys.ENTER);
        String card = browser.await(".card h3", "slow").getText();
        String id = card.replaceAll("\\D", "");
        assertThat(browser.ask("return document.activeElement.textContent")).isEqualTo("Start");

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
    void keyboardFindsAndRemovesAnEntryAndClearsTheCache() {
        server.call().get("/value/keyed");
        server.open(browser, "caches");
        browser.await("figure canvas", "");
        browser.tabTo("Table of Lookups of value");
        browser.press(Keys.ENTER);
        browser.await("figure caption", "Lookups of value");
        browser.tabTo("key-0");
        browser.press("keyed", Keys.ENTER);
        browser.await("dd", "fresh");
        browser.tabTo("Remove the entry");
        browser.press(Keys.ENTER);
        browser.await("p", "The entry is removed.");
        assertThat(server.call().get("/caches/value/entries/keyed").status()).isEqualTo(404);
        assertThat(focused()).isEqualTo("key-0");

        browser.tabTo("Settings of value");
        browser.press(Keys.ENTER);
        browser.await("caption", "Settings of value");
        browser.tabTo("Clear value …");
        browser.press(Keys.ENTER);
        browser.await("dialog button", "Clear the cache");
        browser.press(Keys.chord(Keys.SHIFT, Keys.TAB));
        browser.press(Keys.ENTER);

        browser.await("p", "The cache is being cleared.");
        assertThat(browser.ask("return document.activeElement.textContent")).isEqualTo("Clear value …");
    }

    @Test
    void keyboardShowsAnActivityAndCreatesAnExperiment() {
        server.open(browser, "bitmaps");
        browser.tabTo("activity");
        browser.press(ALL, "demo");
        browser.tabTo("event");
        browser.press(ALL, "visit");
        browser.tabTo("granularity");
        browser.press("week");
        browser.tabTo("Show");
        browser.press(Keys.ENTER);
        browser.await("table.heat th", "W");
        browser.tabTo("Table of Active ids");
        browser.press(Keys.ENTER);
        browser.await("figure caption", "Active ids");

        browser.tabTo("experiment-key");
        browser.press("by keyboard");
        browser.tabTo("experiment-populationNumber");
        browser.press(ALL, "20000");
        browser.tabTo("experiment-seed");
        browser.press("5");
        browser.tabTo("Create");
        browser.press(Keys.ENTER);
        browser.await("h3", "The experiment is created");

        var stored = server.call().json("/experiments/by%20keyboard");
        assertThat(stored.get("bits").asLong()).isEqualTo(20_000);
        assertThat(fact("True bits")).isEqualTo(grouped(stored.get("count").asLong()));
        assertThat(fact("Key")).isEqualTo("by keyboard");
        assertThat(browser.violations()).isEmpty();
        browser.press(Keys.ENTER);
        browser.await("h3", "The experiment is replaced");
        assertThat(server.call().delete("/experiments/by%20keyboard").status()).isEqualTo(204);
    }

    private String fact(String name) {
        return String.valueOf(browser.ask("return [...document.querySelectorAll('.card dt')].find(each =>"
                + " each.textContent === '" + name + "').nextSibling.textContent"));
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private void fill(String name, String text) {
        WebElement field = browser.find(By.id("experiment-" + name));
        field.sendKeys(ALL, Keys.DELETE, text);
    }

    /** What a person types into a field, and how the server refuses the text. */
    private record Refusal(String name, String text, int status, String message) {}

    private static final List<Refusal> REFUSALS = List.of(
            new Refusal("key", "", 400, "The member key is missing."),
            new Refusal("key", "}", 400, "key is not a name of an experiment."),
            new Refusal("key", "k".repeat(513), 413, "key has more than 512 bytes."),
            new Refusal("populationNumber", "", 400, "The member populationNumber is missing."),
            new Refusal("populationNumber", "0", 400, "populationNumber is not from 1 to 1000000000."),
            new Refusal("populationNumber", "many", 400, "The member populationNumber has the wrong form."),
            new Refusal("maxRandom", "0", 400, "maxRandom is not from 1 to 9223372036854775807."),
            new Refusal("populationNumber", "1.5", 400, "The member populationNumber has the wrong form."),
            new Refusal("lessThan", "11", 400, "lessThan is not from 0 to 10."),
            new Refusal("seed", "9223372036854775808", 400, "The member seed has the wrong form."));

    /** All refusals are on one page, so each submission must also remove the problem of the previous submission. */
    @Test
    void refusalOfTheServerIsShownAtItsFieldAlone() {
        server.open(browser, "bitmaps");
        for (Refusal refusal : REFUSALS) {
            String field = "experiment-" + refusal.name();
            browser.ask("document.getElementById('experiment-key').form.reset()");
            fill("key", "refused");
            fill(refusal.name(), refusal.text());
            browser.await("form button", "Create").click();

            browser.await("#" + field + "-problem", refusal.message());

            assertThat(browser.console())
                    .as(refusal.message())
                    .singleElement()
                    .asString()
                    .contains(Integer.toString(refusal.status()));
            assertThat(focused()).isEqualTo(field);
            assertThat(browser.askAll("return [...document.querySelectorAll('[aria-invalid]')].map(each => each.id)"))
                    .containsExactly(field);
            assertThat(browser.askAll("return document.activeElement.getAttribute('aria-describedby').split(' ')"))
                    .contains(field + "-problem");
            assertThat(browser.askAll(
                            "return [...document.querySelectorAll('.problem')].map(each => each.textContent)"))
                    .isEmpty();
        }
    }

    @Test
    void refusedFieldIsReadableAndItsProblemGoesWithTheNextSubmission() throws IOException {
        for (String theme : new String[] {"dark", "light"}) {
            browser.appearance(360, theme);
            server.open(browser, "bitmaps");
            fill("key", "mended");
            fill("lessThan", "11");
            browser.await("form button", "Create").click();
            browser.await("#experiment-lessThan-problem", "lessThan");
            assertThat(browser.console()).hasSize(1);
            assertThat(browser.violations()).isEmpty();
            assertThat((long) browser.ask("return document.documentElement.scrollWidth"))
                    .isLessThanOrEqualTo(360);
            DashboardServer.takePicture(browser, "refused-" + theme + "-360");
        }

        fill("lessThan", "4");
        browser.press(Keys.ENTER);
        browser.await("h3", "The experiment is");

        assertThat(browser.ask("return document.querySelectorAll('[aria-invalid]').length"))
                .isEqualTo(0L);
        assertThat(browser.ask("return document.getElementById('experiment-lessThan-problem').textContent"))
                .isEqualTo("");
        assertThat(browser.violations()).isEmpty();
        DashboardServer.takePicture(browser, "experiment-light-360");
        assertThat(server.call().delete("/experiments/mended").status()).isEqualTo(204);
    }

    /** A number of JavaScript has 53 bits: it would be 9007199254740992. */
    @Test
    void seedOf64BitsIsNotRounded() {
        String body = "{\"key\":\"seeds\",\"populationNumber\":100000,\"maxRandom\":10,\"lessThan\":3,\"seed\":";
        server.call().post("/experiments/create", body + "9007199254740993}");
        long exact = server.call().json("/experiments/seeds").get("count").asLong();
        server.call().post("/experiments/create", body + "9007199254740992}");
        assertThat(server.call().json("/experiments/seeds").get("count").asLong())
                .isNotEqualTo(exact);

        server.open(browser, "bitmaps");
        fill("key", "seeds");
        fill("populationNumber", "100000");
        fill("seed", "9007199254740993");
        browser.await("form button", "Create").click();
        browser.await("h3", "The experiment is replaced");

        assertThat(fact("True bits")).isEqualTo(grouped(exact));
        assertThat(server.call().delete("/experiments/seeds").status()).isEqualTo(204);
    }
}
