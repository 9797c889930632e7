// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.Keys;

/** The dashboard of a server with a token. */
@NeedsChromium
class SignInTest {

    private static final String TOKEN = "correct-horse-battery";

    private static TestServer server;

    private final Browser browser;

    SignInTest(Browser browser) {
        this.browser = browser;
    }

    @BeforeAll
    static void startServer(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), TOKEN);
        server = TestServer.start("--millrace.server.token-file=" + file);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void openWithoutASession() {
        browser.appearance(360, "light");
        open();
        browser.deleteCookies();
        open();
        browser.await("h1", "Sign in");
    }

    private void open() {
        browser.open("http://localhost:" + server.port() + "/#server");
    }

    @Test
    void tokenIsTradedForACookieThatScriptsCannotRead() {
        assertThat(browser.violations()).isEmpty();
        assertThat(browser.console()).isEmpty();
        browser.press("wrong-horse-battery", Keys.ENTER);
        browser.await(".problem", "The token is wrong.");
        assertThat(browser.console()).singleElement().asString().contains("401");

        browser.find(By.id("token")).clear();
        browser.find(By.id("token")).sendKeys(TOKEN, Keys.ENTER);
        browser.await(".tile dd", "MiB");
        assertThat(browser.ask("return document.activeElement.tagName")).isEqualTo("H1");

        Cookie cookie = browser.cookie("millrace-session");
        assertThat(cookie.isHttpOnly()).isTrue();
        assertThat(cookie.getSameSite()).isEqualTo("Strict");
        assertThat(browser.ask("return document.cookie + JSON.stringify({...localStorage, ...sessionStorage})"))
                .isEqualTo("{}");
        open();
        browser.await("button", "Sign out").click();
        browser.await("h1", "Sign in");
        assertThat(browser.console()).isEmpty();

        browser.find(By.id("token")).sendKeys(TOKEN, Keys.ENTER);
        browser.await(".tile dd", "MiB");
        browser.deleteCookies();
        browser.askLater("const {listen} = await import('/dashboard/stream.js'); listen('/events', {});");
        browser.await("h1", "Sign in");
    }

    /** The first window reads the stream for both. After its end, the second window must find the end of the session. */
    @Test
    void otherWindowAsksForTheTokenAfterTheEndOfTheSession() {
        browser.press(TOKEN, Keys.ENTER);
        browser.await(".tile dd", "MiB");
        String first = browser.window();
        String second = browser.openWindow("http://localhost:" + server.port() + "/#server");
        browser.await(".tile dd", "MiB");

        browser.select(first);
        browser.await("button", "Sign out").click();

        browser.await("h1", "Sign in");
        browser.select(second);
        browser.await("h1", "Sign in");
        browser.closeNewWindows();
    }

    @Test
    void secondSubmissionIsIgnoredWhileTheServerChecksTheToken() {
        browser.press(TOKEN);

        Object requests = browser.ask("""
                const real = window.fetch;
                let requests = 0;
                window.fetch = (...request) => {
                    requests++;
                    return real(...request);
                };
                const form = document.querySelector('form');
                form.requestSubmit();
                form.requestSubmit();
                return requests;
                """);

        assertThat(requests).isEqualTo(1L);
        browser.await(".tile dd", "MiB");
        assertThat(browser.console()).isEmpty();
    }

    /** Several requests of a page may end with 401. */
    @Test
    void textOfTheFieldStaysIfAnotherRequestFindsTheEndOfTheSession() {
        browser.press("correct-ho");

        browser.askLater("const {sessionEnd} = await import('/dashboard/api.js');"
                + " sessionEnd.dispatchEvent(new Event('end'));");

        assertThat(browser.ask("return document.getElementById('token').value")).isEqualTo("correct-ho");
    }
}
