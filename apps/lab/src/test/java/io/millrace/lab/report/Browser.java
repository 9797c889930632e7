// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.Processes;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Chromium without a window. The pages are in a temporary folder. All test classes share one browser. */
final class Browser implements AutoCloseable {

    /** The browser refuses much longer pictures. */
    private static final int LONGEST_PICTURE = 16_000;

    private static final Duration END_LIMIT = Duration.ofMinutes(5);

    private final Path folder;
    private final ChromeDriver driver;

    private Browser(Path folder, ChromeDriver driver) {
        this.folder = folder;
        this.driver = driver;
    }

    static Optional<File> find(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(entry -> new File(entry, program))
                .filter(File::canExecute)
                .findFirst();
    }

    /** Starts the browser. Selenium gets the paths of both programs, so Selenium downloads nothing. */
    static Browser start() throws IOException {
        Path folder = Files.createTempDirectory("millrace-lab-browser");
        var service = new ChromeDriverService.Builder()
                .usingDriverExecutable(find("chromedriver").orElseThrow())
                .usingAnyFreePort()
                .withSilent(true)
                .build();
        var logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        var options = new ChromeOptions();
        options.setBinary(find("chromium").orElseThrow());
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

    /** Shows a page by its {@code file:} address, in a window of {@code width} pixels. */
    void open(String html, int width, String colourScheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colourScheme))));
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        try {
            Path page = Files.writeString(folder.resolve("page.html"), html);
            console(); // forgets the messages of the page before
            driver.get(page.toUri().toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Object ask(String script) {
        Object answer = driver.executeScript("'use strict'; " + script);
        return answer == null ? "null" : answer;
    }

    /** The texts in the list that {@code script} returns. */
    List<String> askAll(String script) {
        return ((List<?>) ask(script)).stream().map(String::valueOf).toList();
    }

    /** The messages of the console since the last call. */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::toString)
                .toList();
    }

    /** The first {@value #LONGEST_PICTURE} pixels of the page as a picture, for a person to look at. */
    void screenshot(Path file) throws IOException {
        Object width = ask("return document.documentElement.clientWidth");
        Object height = ask("return Math.min(" + LONGEST_PICTURE + ", document.documentElement.scrollHeight)");
        Map<String, Object> clip = Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1);
        Map<String, Object> answer =
                driver.executeCdpCommand("Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip", clip));
        Files.write(
                file,
                answer.get("data") instanceof String data
                        ? Base64.getDecoder().decode(data)
                        : driver.getScreenshotAs(OutputType.BYTES));
    }

    /** Ends the driver and the browser, waits until their processes have ended, and deletes the folder. */
    @Override
    public void close() throws IOException {
        List<ProcessHandle> processes = ProcessHandle.current()
                .descendants()
                .filter(process -> process.info().command().orElse("").contains("chrom"))
                .toList();
        driver.quit();
        processes.forEach(process -> Processes.awaitEnd(process, END_LIMIT));
        assertThat(processes).as("driver and browser").hasSizeGreaterThan(1);
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
