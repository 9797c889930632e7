// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.run.Tools;
import io.millrace.testkit.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** The distribution's Chromium without a window, with the pages in a temporary folder. All test classes share one. */
final class Browser implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 300;

    /** The pixels of a canvas, which is copied first: a browser remarks on canvases that are read, and the page's are not. */
    private static final String PIXELS = """
            function pixels(canvas) {
                const copy = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
                copy.canvas.width = canvas.width;
                copy.canvas.height = canvas.height;
                copy.drawImage(canvas, 0, 0);
                return new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            }
            """;

    /** For each plot whether its canvas has the colours of a drawing, and many enough pixels of them. */
    private static final String DRAWN = PIXELS + """
            return [...document.querySelectorAll('.plot')].map(plot => {
                const painted = pixels(plot.querySelector('canvas')).filter(pixel => pixel !== 0);
                return painted.length > 300 && new Set(painted).size > 8 ? 'drawn' : 'blank: ' + plot.ariaLabel;
            });
            """;

    /** How many pixels of the first plot have exactly a colour of CSS. */
    private static final String PIXELS_OF = PIXELS + """
            const dot = document.createElement('canvas').getContext('2d');
            dot.canvas.width = dot.canvas.height = 1;
            dot.fillStyle = arguments[0].startsWith('--')
                    ? getComputedStyle(document.documentElement).getPropertyValue(arguments[0]).trim() : arguments[0];
            dot.fillRect(0, 0, 1, 1);
            const [colour] = pixels(dot.canvas);
            return pixels(document.querySelector('.plot canvas')).filter(pixel => pixel === colour).length;
            """;

    private final Path folder;
    private final ChromeDriver driver;

    private Browser(Path folder, ChromeDriver driver) {
        this.folder = folder;
        this.driver = driver;
    }

    /** Both programs are given by path: Selenium has nothing to look for, and nothing to download. */
    static Browser start() throws IOException {
        var folder = Files.createTempDirectory("millrace-lab-browser");
        var service = new ChromeDriverService.Builder()
                .usingDriverExecutable(Tools.find("chromedriver").orElseThrow().toFile())
                .usingAnyFreePort()
                .withSilent(true)
                .build();
        var logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        var options = new ChromeOptions();
        options.setBinary(Tools.find("chromium").orElseThrow().toFile());
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + folder.resolve("profile"));
        return new Browser(folder, new ChromeDriver(service, options));
    }

    /** Shows the page of {@code report} by its {@code file:} address, in a light window of 1,400 pixels. */
    Browser open(String report) {
        try {
            media("light");
            width(1400);
            var page = Files.writeString(folder.resolve("page.html"), Page.of(report));
            console(); // of the page before
            driver.get(page.toUri().toString());
            settle();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void media(String colourScheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colourScheme))));
    }

    void width(int pixels) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", pixels, "height", 900, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Returns when the page has had two chances to draw. */
    void settle() {
        driver.executeAsyncScript(
                "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))");
    }

    /** What {@code script} returns. */
    Object ask(String script, Object... arguments) {
        var answer = driver.executeScript("'use strict'; " + script, arguments);
        return answer == null ? "null" : answer;
    }

    /** The texts in the list that {@code script} returns. */
    List<String> askAll(String script) {
        return ((List<?>) ask(script)).stream().map(String::valueOf).toList();
    }

    long count(String selector) {
        return driver.findElements(By.cssSelector(selector)).size();
    }

    /** The text of each element, hidden or not. */
    List<String> texts(String selector) {
        return driver.findElements(By.cssSelector(selector)).stream()
                .map(element -> String.valueOf(element.getDomProperty("textContent")))
                .toList();
    }

    WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    /** What the console has been told since this was asked last. */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::toString)
                .toList();
    }

    /** The text of the file that {@code press} lets the browser download under {@code name}. */
    String download(String name, Runnable press) throws IOException, InterruptedException {
        var downloads = Files.createDirectories(folder.resolve("downloads"));
        driver.executeCdpCommand(
                "Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", downloads.toString()));
        try (var watch = downloads.getFileSystem().newWatchService()) {
            downloads.register(watch, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
            press.run();
            var file = downloads.resolve(name);
            while (!Files.exists(file) || Files.size(file) == 0) {
                var key = watch.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (key == null) {
                    throw new AssertionError("nothing was downloaded after " + PATIENCE_SECONDS + " s: name=" + name);
                }
                key.pollEvents();
                key.reset();
            }
            return Files.readString(file);
        }
    }

    /** For each plot {@code drawn}, or which one is blank. */
    List<String> drawn() {
        return askAll(DRAWN);
    }

    /** How many pixels of the first plot have exactly {@code colour}: one of CSS, or a property of the style sheet. */
    long pixelsOf(String colour) {
        return (Long) ask(PIXELS_OF, colour);
    }

    /** Moves the pointer a little to the right of the middle of an element. */
    void pointAt(String selector) {
        new Actions(driver)
                .scrollToElement(find(selector))
                .moveToElement(find(selector), 12, 0)
                .perform();
    }

    /** Ends driver and browser, waits until their processes have ended, and deletes the folder. Fails if one stays. */
    @Override
    public void close() throws IOException {
        var processes = ProcessHandle.current()
                .descendants()
                .filter(process -> process.info().command().orElse("").contains("chrom"))
                .toList();
        driver.quit();
        processes.forEach(process -> Processes.awaitEnd(process, Duration.ofSeconds(PATIENCE_SECONDS)));
        assertThat(processes).as("driver and browser").hasSizeGreaterThan(1);
        delete(folder);
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
