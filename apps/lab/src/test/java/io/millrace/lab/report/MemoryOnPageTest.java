// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The memory of small pairs on the page. */
@NeedsChromium
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MemoryOnPageTest {

    private final Browser browser;

    MemoryOnPageTest(Browser browser) {
        this.browser = browser;
    }

    @Test
    void bytesOfAPairAreBarsAndAColumnAndTheTrapIsNamed() {
        browser.open("{\"results\": [" + result("strings", "88.3", "88 each") + ","
                + result("packed-128", "8.75", "9 each, listpack") + ","
                + result("packed-1000", "56.3", "56 each, hashtable: THE TRAP") + "]}");

        assertThat(browser.askAll("return [...document.querySelectorAll('.plot')].map(plot => plot.ariaLabel)"))
                .containsExactly("memory of pairs: bytes per pair");
        assertThat(browser.drawn()).containsOnly("drawn");
        assertThat(browser.texts("table.results thead th")).contains("bytes/pair");
        assertThat(browser.texts("table.results tbody td")).contains("88.3", "8.8", "56.3");
        assertThat(browser.texts(".remarks li")).last().asString().endsWith("56 each, hashtable: THE TRAP");
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void aReportWithoutTheFigureIsShownAllTheSame() {
        browser.open("{\"results\": [{\"experiment\": \"e7\", \"variant\": \"strings\", \"figures\": 7}]}");

        assertThat(browser.texts("h2")).contains("E7: memory of small pairs");
        assertThat(browser.texts("table.results thead th")).doesNotContain("bytes/pair");
        assertThat(browser.console()).isEmpty();
    }

    private static String result(String variant, String bytes, String remark) {
        return "{\"experiment\": \"e7\", \"variant\": \"" + variant
                + "\", \"contender\": \"millrace\", \"operations\": 1000,"
                + " \"wallSeconds\": [1.0], \"medianWallSeconds\": 1.0, \"verified\": true, \"remark\": \"" + remark
                + "\", \"figures\": {\"bytes per pair\": " + bytes + "}}";
    }
}
