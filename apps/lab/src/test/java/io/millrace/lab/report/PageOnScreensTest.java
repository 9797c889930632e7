// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks all pages in a browser: a phone and a wide screen, both colour schemes. */
@NeedsChromium
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageOnScreensTest {

    /** Opens everything that is shown on demand; returns the pairs of texts whose boxes overlap. */
    private static final String OVERLAPS = """
            document.querySelectorAll('details').forEach(details => details.open = true);
            const boxes = [];
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                const node = walker.currentNode;
                if (node.data.trim() === '' || node.parentElement.closest('title')) {
                    continue;
                }
                const range = document.createRange();
                range.selectNodeContents(node);
                const clip = node.parentElement.closest('.scrolling')?.getBoundingClientRect();
                for (const box of range.getClientRects()) {
                    const right = Math.min(box.right, clip ? clip.right : Infinity);
                    if (right > box.left && box.height > 0) {
                        boxes.push({text: node.data.trim(), node, left: box.left, right,
                            top: box.top + 2, bottom: box.bottom - 2});
                    }
                }
            }
            boxes.sort((a, b) => a.top - b.top);
            const overlaps = [];
            boxes.forEach((box, index) => {
                for (let i = index + 1; i < boxes.length && boxes[i].top < box.bottom; i++) {
                    const other = boxes[i];
                    if (other.node !== box.node && other.left < box.right - 1 && other.right > box.left + 1) {
                        overlaps.push(box.text + ' / ' + other.text);
                    }
                }
            });
            return overlaps;
            """;

    private static final String OUTSIDE = """
            return [...document.querySelectorAll('svg text, svg circle, svg line, h1, h2, h3, p, li')]
                .filter(element => !element.closest('.scrolling'))
                .filter(element => element.getBoundingClientRect().right > innerWidth + 0.5
                    || element.getBoundingClientRect().left < -0.5)
                .map(element => element.textContent);
            """;

    private static final String LINES_THROUGH_TEXTS = """
            const crossed = [];
            for (const svg of document.querySelectorAll('svg')) {
                const lines = [...svg.querySelectorAll('line')].map(line => line.getBoundingClientRect());
                for (const text of svg.querySelectorAll('text')) {
                    const box = text.getBoundingClientRect();
                    if (lines.some(line => line.left < box.right - 1 && line.right > box.left + 1
                            && line.top < box.bottom - 4 && line.bottom > box.top + 4)) {
                        crossed.push(text.textContent);
                    }
                }
            }
            return crossed;
            """;

    private static final String PIXELS_WIDER =
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth";

    private static final String SMALL_TEXTS = """
            return [...document.querySelectorAll('svg text')].filter(text => text.getBoundingClientRect().height > 0
                && text.getBoundingClientRect().height < 11).map(text => text.textContent);
            """;

    /** A column of one letter makes a cell very tall. */
    private static final String TALL_CELLS = """
            return [...document.querySelectorAll('th, td')].filter(cell => cell.getBoundingClientRect().height > 160)
                .map(cell => cell.textContent);
            """;

    private static final int PICTURE_WIDTH = 728;

    private final Browser browser;

    PageOnScreensTest(Browser browser) {
        this.browser = browser;
    }

    @ParameterizedTest
    @CsvSource({"390, light", "390, dark", "1280, light", "1280, dark"})
    void textsOfTheReportDoNotOverlap(int width, String colourScheme) throws IOException {
        String page = Report.html(Report.json(SampleRun.complete()));

        check("report", page, width, colourScheme);

        assertThat(browser.ask("return document.querySelectorAll('circle').length"))
                .isNotEqualTo(0L);
        assertThat(browser.askAll("return [...document.querySelectorAll('section > h2')].map(h => h.firstChild.data)"))
                .allSatisfy(heading -> assertThat(heading.strip()).contains(" "));
        assertThat(browser.askAll("return [...document.querySelectorAll('section')].filter(one => "
                        + "one.innerText.includes('Redis 7.0.15')).map(one => one.querySelector('h2').id)"))
                .containsExactly("calls", "e2");
        assertThat(browser.ask("return document.scripts.length")).isEqualTo(0L);
    }

    @ParameterizedTest
    @CsvSource({"390, light", "390, dark", "1280, light", "1280, dark"})
    void textsOfAComparisonDoNotOverlap(int width, String colourScheme) throws IOException {
        String json = Report.json(SampleRun.complete());

        check("comparison", Comparison.of(json, json).html(), width, colourScheme);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-22-xeon-2-cores-caches-and-bitmaps/e5, 390, light",
        "2026-11-22-xeon-2-cores-lab/e2, 390, dark",
        "2026-11-22-xeon-2-cores-tasks/e4, 1280, light",
        "2026-11-25-epyc-2-cores-not-quiet, 390, light",
        "2026-11-25-epyc-2-cores-not-quiet, 1280, dark"
    })
    void textsOfEarlierRecordsDoNotOverlap(String record, int width, String colourScheme) throws IOException {
        String json = Files.readString(Path.of("runs").resolve(record).resolve("report.json"));

        check(record.replace('/', '-'), Report.html(json), width, colourScheme);
    }

    @ParameterizedTest
    @CsvSource({"390, light", "390, dark", "1280, light", "1280, dark"})
    void textsOfTheNewestCompleteRecordDoNotOverlap(int width, String colourScheme) throws IOException {
        Path record = RecordFigures.newestComplete(Path.of("runs")).orElseThrow();

        check("newest-record", Report.html(Files.readString(record)), width, colourScheme);
    }

    /** The documents show the pictures in their own width. */
    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void textsOfThePicturesOfTheDocumentsDoNotOverlap(String colourScheme) throws IOException {
        for (Path picture : pictures()) {
            browser.appearance(PICTURE_WIDTH, colourScheme);
            browser.openText(
                    "<!DOCTYPE html><title>picture</title><body style='margin:0'>" + Files.readString(picture));
            String name = String.valueOf(picture.getFileName());
            screenshot(name, PICTURE_WIDTH, colourScheme);

            assertThat(browser.ask("return document.querySelectorAll('svg text').length"))
                    .as(name)
                    .isNotEqualTo(0L);
            checkTexts(name, browser.askAll(OVERLAPS));
            assertThat(browser.ask("return getComputedStyle(document.querySelector('.paper')).fill"))
                    .as(name)
                    .isEqualTo(colourScheme.equals("dark") ? "rgb(21, 24, 28)" : "rgb(255, 255, 255)");
        }
    }

    private static List<Path> pictures() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("../../docs", Markdown.PICTURES))) {
            List<Path> pictures = files.filter(file -> file.toString().endsWith(".svg"))
                    .sorted()
                    .toList();
            assertThat(pictures).isNotEmpty();
            return pictures;
        }
    }

    private void screenshot(String name, int width, String colourScheme) throws IOException {
        String folder = System.getProperty("millrace.screenshots", "");
        if (!folder.isEmpty()) {
            browser.screenshot(Path.of(folder, name + "-" + width + "-" + colourScheme + ".png"));
        }
    }

    private void checkTexts(String name, List<String> overlaps) {
        assertThat(overlaps).as(name + ": texts that overlap").isEmpty();
        assertThat(browser.askAll(LINES_THROUGH_TEXTS))
                .as(name + ": texts with a line through them")
                .isEmpty();
        assertThat(browser.askAll(OUTSIDE)).as(name + ": outside of the window").isEmpty();
        assertThat(browser.askAll(SMALL_TEXTS))
                .as(name + ": texts that are too small")
                .isEmpty();
    }

    private void check(String name, String page, int width, String colourScheme) throws IOException {
        browser.appearance(width, colourScheme);
        browser.openText(page);

        List<String> overlaps = browser.askAll(OVERLAPS);
        screenshot(name, width, colourScheme);

        checkTexts(name, overlaps);
        assertThat(browser.askAll(TALL_CELLS)).as("cells that are too tall").isEmpty();
        assertThat(browser.ask(PIXELS_WIDER)).as("pixels to scroll sideways").isEqualTo(0L);
        assertThat(browser.ask("return getComputedStyle(document.body).backgroundColor"))
                .isEqualTo(colourScheme.equals("dark") ? "rgb(21, 24, 28)" : "rgb(255, 255, 255)");
        assertThat(browser.console()).as("messages of the console").isEmpty();
    }
}
