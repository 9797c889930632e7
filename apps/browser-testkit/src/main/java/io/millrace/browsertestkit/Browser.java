// SPDX-License-Identifier: Apache-2.0
package io.millrace.browsertestkit;

import io.millrace.testkit.Polling;
import io.millrace.testkit.Processes;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Chromium without a window. Test classes with {@link NeedsChromium} share one browser. Not thread-safe. */
public final class Browser implements AutoCloseable {

    /** The browser refuses much longer pictures. */
    private static final int LONGEST_PICTURE = 16_000;

    /** Long, because a machine may be busy. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Each look is a request to the browser. Without a pause, the looks would slow down the page. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private static final Duration END_LIMIT = Duration.ofMinutes(5);

    private final Path folder;
    private final ChromeDriver driver;
    private final String axe;
    private final String firstWindow;

    private Browser(Path folder, ChromeDriver driver, String axe) {
        this.folder = folder;
        this.driver = driver;
        this.axe = axe;
        this.firstWindow = driver.getWindowHandle();
        driver.manage().timeouts().pageLoadTimeout(LIMIT);
    }

    /** Finds a program on the PATH. */
    static Optional<File> program(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(entry -> new File(entry, name))
                .filter(File::canExecute)
                .findFirst();
    }

    /** Starts the browser. Selenium gets the paths of both programs, so Selenium downloads nothing. */
    static Browser start() {
        try (InputStream script = Objects.requireNonNull(Browser.class.getResourceAsStream("/axe.min.js"))) {
            Path folder = Files.createTempDirectory("millrace-browser");
            var service = new ChromeDriverService.Builder()
                    .usingDriverExecutable(program("chromedriver").orElseThrow())
                    .usingAnyFreePort()
                    .withSilent(true)
                    .build();
            String axe = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            return new Browser(folder, new ChromeDriver(service, options(folder)), axe);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ChromeOptions options(Path folder) {
        var logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        var options = new ChromeOptions();
        options.setBinary(program("chromium").orElseThrow());
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
                // Windows of one site share a process. The start of a process for each window takes half of their time.
                "--process-per-site",
                "--user-data-dir=" + folder.resolve("profile"));
        return options;
    }

    /** Sets the width of the window in pixels, and the theme: {@code light} or {@code dark}. */
    public void appearance(int width, String theme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Opens an address as a new page, also if the address differs from the open one only after the {@code #}. */
    public void open(String address) {
        driver.get("about:blank");
        console(); // forgets the messages of the page before
        driver.get(address);
    }

    /** Opens an address in a new window, and selects the window. Returns the name of the window. */
    public String openWindow(String address) {
        driver.switchTo().newWindow(WindowType.WINDOW);
        driver.get(address);
        return window();
    }

    /** The name of the selected window. */
    public String window() {
        return driver.getWindowHandle();
    }

    /** Selects the window that all other methods use. */
    public void select(String window) {
        driver.switchTo().window(window);
    }

    /** Closes a window. Afterwards, {@link #select} must select another one. */
    public void closeWindow(String window) {
        driver.switchTo().window(window).close();
    }

    /** Closes all windows but the first one, and selects the first one. */
    public void closeNewWindows() {
        driver.getWindowHandles().stream()
                .filter(window -> !window.equals(firstWindow))
                .forEach(this::closeWindow);
        select(firstWindow);
    }

    /** Opens a text as a page by its {@code file:} address. */
    public void openText(String html) {
        try {
            Path page = Files.writeString(folder.resolve("page.html"), html);
            open(page.toUri().toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The answer of a function whose body is {@code script}; the text {@code null} if there is none. */
    public Object ask(String script) {
        Object answer = driver.executeScript("'use strict'; " + script);
        return answer == null ? "null" : answer;
    }

    /** The texts in the list that {@code script} returns. */
    public List<String> askAll(String script) {
        return ((List<?>) ask(script)).stream().map(String::valueOf).toList();
    }

    /** The answer of an asynchronous function whose body is {@code script}. */
    public Object askLater(String script) {
        Object answer = driver.executeAsyncScript("const done = arguments[0]; (async () => { " + script
                + " })().then(done, failure => done('failed: ' + failure));");
        return answer == null ? "null" : answer;
    }

    /** Waits for the first visible element with a selector and a text. */
    public WebElement await(String selector, String text) {
        until(
                selector + " with the text \"" + text + "\" is on the page",
                () -> found(selector, text).isPresent());
        return found(selector, text).orElseThrow();
    }

    /** Waits for a condition on the page. {@code what} names the condition if it does not become true. */
    public void until(String what, BooleanSupplier condition) {
        if (!Polling.until(condition, PAUSE, LIMIT)) {
            throw new AssertionError("not reached after " + LIMIT.toSeconds() + " s: " + what + "; the page has: "
                    + ask("return document.body.innerText"));
        }
    }

    private Optional<WebElement> found(String selector, String text) {
        Object found = driver.executeScript(
                "return [...document.querySelectorAll(arguments[0])].find(each =>"
                        + " each.checkVisibility() && each.textContent.includes(arguments[1]))",
                selector,
                text);
        return found instanceof WebElement element ? Optional.of(element) : Optional.empty();
    }

    /** The first element that is found. */
    public WebElement find(By by) {
        return driver.findElement(by);
    }

    /** Presses keys in the element that has the focus. */
    public void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** Presses the tabulator until the focus is on an element with this text or this id. */
    public void tabTo(String wanted) {
        for (int i = 0; i < 60; i++) {
            press(Keys.TAB);
            Object here = ask("const e = document.activeElement; return e.id + '|' + e.textContent.trim()");
            if (List.of(here.toString().split("\\|", 2)).contains(wanted)) {
                return;
            }
        }
        throw new AssertionError("the tabulator does not reach " + wanted);
    }

    /** The cookie of this name, which must exist. */
    public Cookie cookie(String name) {
        return Objects.requireNonNull(driver.manage().getCookieNamed(name));
    }

    /** Deletes the cookies of the open page. */
    public void deleteCookies() {
        driver.manage().deleteAllCookies();
    }

    /** The rules of axe that the page breaks, each with the first elements that break the rule. */
    public List<String> violations() {
        driver.executeScript(axe);
        Object found = askLater("const result = await axe.run(document, {resultTypes: ['violations']});"
                + " return result.violations.map(each =>"
                + " each.id + ': ' + each.nodes.map(node => node.html).slice(0, 3).join(' '))");
        return found instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of(found.toString());
    }

    /** The messages of the console since the page was opened, or since the last call. */
    public List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(LogEntry::toString)
                .toList();
    }

    /** Writes the first {@value #LONGEST_PICTURE} pixels of the page as a picture, for a person to look at. */
    public void screenshot(Path file) throws IOException {
        Object width = ask("return innerWidth");
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
        if (processes.size() < 2) {
            throw new AssertionError("driver and browser are not processes of this JVM: " + processes);
        }
        driver.quit();
        processes.forEach(process -> Processes.awaitEnd(process, END_LIMIT));
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
