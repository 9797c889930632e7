// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page where it is read: on wide and narrow screens, light and dark ones, on paper, under a pointer. */
@NeedsChromium
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageOnScreensTest {

    private static final String WIDEST_PLOT =
            "return Math.max(...[...document.querySelectorAll('.plot canvas')].map(one => one.getBoundingClientRect().width))";

    /** The bar of the report that has Lettuce alone, where paper or screen are light. */
    private static final String LIGHT_LETTUCE = "#4a9d8e";

    private final Browser browser;

    PageOnScreensTest(Browser browser) {
        this.browser = browser;
    }

    @Test
    void darkModeDrawsThePlotsAgain() {
        browser.open(SampleReport.one(", \"verified\": true"));
        assertThat(browser.find("body").getCssValue("background-color")).contains("255, 255, 255");

        browser.media("dark");
        browser.settle();

        assertThat(browser.find("body").getCssValue("background-color")).contains("21, 24, 28");
        assertThat(browser.pixelsOf("--peer-2")).isGreaterThan(1_000);
        assertThat(browser.drawn()).containsOnly("drawn");
        assertThat(browser.console()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1400, 768, 420})
    void nothingIsWiderThanTheWindow(int pixels) {
        browser.open(SampleReport.text());

        browser.width(pixels);
        browser.settle();

        assertThat(browser.ask("return innerWidth")).isEqualTo((long) pixels);
        assertThat(browser.ask("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .isEqualTo(0L);
        assertThat(browser.askAll("""
                        return [...document.querySelectorAll('.plot')].filter(plot =>
                            Math.abs(plot.querySelector('canvas').getBoundingClientRect().width - plot.clientWidth) > 1
                            || plot.getBoundingClientRect().right > innerWidth).map(plot => plot.ariaLabel);
                        """)).isEmpty();
        assertThat(browser.drawn()).containsOnly("drawn");
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void aTableThatIsTooWideScrollsInItsOwnBox() {
        browser.open(SampleReport.text());

        browser.width(420);
        browser.settle();

        assertThat(browser.ask("""
                        const box = document.querySelector('.scrolling');
                        box.scrollLeft = 100;
                        return box.scrollWidth > box.clientWidth && box.scrollLeft === 100
                            && box.querySelector('th.contender').getBoundingClientRect().left >= 0;
                        """)).isEqualTo(true);
    }

    @Test
    void paperIsLightAndNarrower() {
        browser.open(SampleReport.one(", \"verified\": true"));
        browser.media("dark");
        browser.settle();
        assertThat(browser.pixelsOf(LIGHT_LETTUCE)).isZero();

        browser.ask("dispatchEvent(new Event('beforeprint'))");
        browser.settle();

        assertThat(browser.ask(WIDEST_PLOT)).isEqualTo(660L);
        assertThat(browser.pixelsOf(LIGHT_LETTUCE)).isGreaterThan(1_000);

        browser.ask("dispatchEvent(new Event('afterprint'))");
        browser.settle();

        assertThat((Long) browser.ask(WIDEST_PLOT)).isGreaterThan(1_000);
        assertThat(browser.pixelsOf(LIGHT_LETTUCE)).isZero();
    }

    @Test
    void thePointerIsToldWhatHappenedInItsSecond() {
        browser.open(SampleReport.text());
        assertThat(browser.ask("return document.querySelector('[data-kind=time] .readout').hidden"))
                .isEqualTo(true);

        browser.pointAt("[data-kind=time] .u-over");
        browser.settle();

        assertThat(browser.texts("[data-kind=time] .readout:not([hidden]) div"))
                .containsExactly(
                        "second 6",
                        "pending: 748,400",
                        "issued: 301,000",
                        "ok: 2,100",
                        "timed out: 154,000",
                        "refused: 0",
                        "executed, as the server counts: 31,000");
        assertThat(browser.console()).isEmpty();
    }
}
