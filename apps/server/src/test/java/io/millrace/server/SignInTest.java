// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.browsertestkit.Browser;
import io.millrace.browsertestkit.NeedsChromium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.Keys;

/** The dashboard of a server with a token. */
@NeedsChromium
class SignInTest {

    private static final String TOKEN = "correct-horse-battery";

    private final Browser browser;

    SignInTest(Browser browser) {
        this.browser = browser;
    }

    @Test
    void tokenIsTradedForACookieThatScriptsCannotRead(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), TOKEN);
        try (TestServer server = TestServer.start("--millrace.server.token-file=" + file)) {
            browser.appearance(360, "light");
            browser.open("http://localhost:" + server.port() + "/#server");
            browser.await("h1", "Sign in");
            assertThat(browser.violations()).isEmpty();
            assertThat(browser.console()).isEmpty();
            browser.press("wrong-horse-battery", Keys.ENTER);
            browser.await(".problem", "The token is wrong.");
            assertThat(browser.console()).singleElement().asString().contains("401");

            browser.find(By.id("token")).clear();
            browser.find(By.id("token")).sendKeys(TOKEN, Keys.ENTER);
            browser.await(".tile dd", "MiB");

            Cookie cookie = browser.cookie("millrace-session");
            assertThat(cookie.isHttpOnly()).isTrue();
            assertThat(cookie.getSameSite()).isEqualTo("Strict");
            assertThat(browser.ask("return document.cookie + JSON.stringify({...localStorage, ...sessionStorage})"))
                    .isEqualTo("{}");
            browser.open("http://localhost:" + server.port() + "/#server");
            browser.await("button", "Sign out").click();
            browser.await("h1", "Sign in");
            assertThat(browser.console()).isEmpty();

            browser.find(By.id("token")).sendKeys(TOKEN, Keys.ENTER);
            browser.await(".tile dd", "MiB");
            browser.deleteCookies();
            browser.askLater("const {listen} = await import('/dashboard/stream.js'); listen('/events', {});");
            browser.await("h1", "Sign in");
        }
    }
}
