// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Bitmaps on the page: rates of bits, times of questions, bytes of forms. */
@NeedsChromium
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BitmapsOnPageTest {

    private final Browser browser;

    BitmapsOnPageTest(Browser browser) {
        this.browser = browser;
    }

    @Test
    void eachFamilyHasAPlotOfItsOwnMeasure() {
        browser.open("{\"results\": [" + result("population-setbit", "") + "," + result("population-packed", "") + ","
                + result("month-union", "") + ","
                + result("sparse-spread-bitmap", "\"bytes\": 25000088, \"estimated bytes\": 25000120") + ","
                + result("sparse-spread-compressed", "\"bytes\": 44936, \"count us\": 1234") + "]}");

        assertThat(browser.askAll("return [...document.querySelectorAll('.plot')].map(plot => plot.ariaLabel)"))
                .containsExactly("population: operations per second", "month: seconds", "sparse: bytes");
        assertThat(browser.drawn()).containsOnly("drawn");
        assertThat(browser.texts("table.results thead th")).contains("bytes", "estimated bytes", "µs/count");
        assertThat(browser.texts("table.results tbody td")).contains("25,000,088", "25,000,120", "44,936", "1,234");
        assertThat(browser.texts(".remarks li")).hasSize(5).first().asString().endsWith("said of population-setbit");
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void aReportOfAnotherFormIsShownAllTheSame() {
        browser.open("{\"results\": [{\"experiment\": \"e6\", \"variant\": \"sparse\", \"figures\": [7]},"
                + " {\"experiment\": \"e6\", \"variant\": \"toString-of\"}]}");

        assertThat(browser.texts("h2")).contains("E6: bitmaps");
        assertThat(browser.texts("table.results thead th")).doesNotContain("bytes");
        assertThat(browser.console()).isEmpty();
    }

    private static String result(String variant, String figures) {
        return "{\"experiment\": \"e6\", \"variant\": \"" + variant
                + "\", \"contender\": \"millrace\", \"operations\": 1000,"
                + " \"wallSeconds\": [1.0], \"medianWallSeconds\": 1.0, \"verified\": true, \"remark\": \"said of "
                + variant + "\", \"figures\": {" + figures + "}}";
    }
}
