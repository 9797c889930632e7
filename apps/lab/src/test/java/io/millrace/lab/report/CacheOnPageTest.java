// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Caches on the page. */
@NeedsChromium
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CacheOnPageTest {

    private final Browser browser;

    CacheOnPageTest(Browser browser) {
        this.browser = browser;
    }

    @Test
    void callsRatesComputationsAndLostServersEachHaveAPlot() {
        browser.open("{\"results\": [" + result("calls-first-cache", "{}", "") + ","
                + result("hits-1-bare", "{\"median ns\": 34567, \"99 % ns\": 50000}", "") + ","
                + result("hits-1-cache", "{\"median ns\": 35678, \"99 % ns\": 50000}", "") + ","
                + result("stampede-1-cache", "{\"computations\": 1, \"last after expiry ms\": 61.5}", "1 of them") + ","
                + result("stampede-1-loop", "{\"computations\": 997, \"last after expiry ms\": 80.5}", "997 of them")
                + ","
                + result(
                        "lost-gone-cache",
                        "{\"texts\": 63, \"median ms\": 51.5, \"last answer ms\": 52.25}",
                        "64 got the text")
                + "]}");

        assertThat(browser.askAll("return [...document.querySelectorAll('.plot')].map(plot => plot.ariaLabel)"))
                .containsExactly(
                        "The first call and the second: milliseconds",
                        "Hits: operations per second",
                        "The moment of expiry: computations",
                        "The server is lost: callers that got their text");
        assertThat(browser.drawn()).containsOnly("drawn");
        assertThat(browser.texts("h2")).contains("E5: cache-aside");
        assertThat(browser.texts("table.results thead th"))
                .contains("computations", "median µs", "99 % µs", "texts", "median ms", "last ms");
        assertThat(browser.texts("table.results tbody td")).contains("34.6", "50", "997", "61.5", "63", "51.5", "52.3");
        assertThat(browser.texts(".remarks li")).hasSize(3).last().asString().endsWith("64 got the text");
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void aReportWithoutTheFiguresIsShownAllTheSame() {
        browser.open("{\"results\": [{\"experiment\": \"e5\", \"variant\": \"stampede\", \"figures\": 7},"
                + " {\"experiment\": \"e5\", \"variant\": \"constructor-1\"}]}");

        assertThat(browser.texts("table.results thead th")).doesNotContain("computations");
        assertThat(browser.console()).isEmpty();
    }

    private static String result(String variant, String figures, String remark) {
        return "{\"experiment\": \"e5\", \"variant\": \"" + variant
                + "\", \"contender\": \"millrace\", \"operations\": 1000, \"wallSeconds\": [1.0],"
                + " \"medianWallSeconds\": 1.0, \"verified\": true, \"remark\": \"" + remark + "\", \"figures\": "
                + figures + "}";
    }
}
