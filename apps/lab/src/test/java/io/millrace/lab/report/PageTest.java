// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.lab.run.LabException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class PageTest {

    private static final Pattern BLOCK =
            Pattern.compile("(<script type=\"application/json\" id=\"report\">)(.*?)(</script>)", Pattern.DOTALL);

    /** What the page holds of the report. */
    private static String block(String page) {
        return BLOCK.matcher(page)
                .results()
                .map(found -> found.group(2))
                .findFirst()
                .orElseThrow();
    }

    private static String withoutBlock(String page) {
        return BLOCK.matcher(page).replaceFirst("$1$3");
    }

    private static List<String> all(String text, String pattern, int group) {
        return Pattern.compile(pattern, Pattern.DOTALL | Pattern.CASE_INSENSITIVE)
                .matcher(text)
                .results()
                .map((MatchResult found) -> found.group(group))
                .toList();
    }

    private static String hash(String text) throws NoSuchAlgorithmException {
        var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    }

    @Test
    void thePageRefersToNothingOutsideOfItself() {
        var page = Page.of(SampleReport.text());

        var own = withoutBlock(page);
        assertThat(all(own, "<(link|img|iframe|object|embed|base|audio|video|source)\\b", 1))
                .isEmpty();
        assertThat(all(own, "<[^>]*\\s(src|href|srcset|data)\\s*=", 1)).isEmpty();
        assertThat(all(own, "@import|\\burl\\(|\\bfetch\\(|\\bimport\\b|XMLHttpRequest|WebSocket", 0))
                .isEmpty();
        assertThat(all(own, "(https?:)?//[a-z][\\w.-]*\\.[a-z]{2,}", 0)).containsExactly("https://github.com");
        assertThat(own).contains("/*! https://github.com/leeoniya/uPlot (v1.6.32) */");
    }

    @Test
    void theReportInThePageReadsBackAsTheSameObject() {
        var report = SampleReport.text();

        var page = Page.of(report);

        assertThat(JsonMapper.shared().readTree(block(page)))
                .isEqualTo(JsonMapper.shared().readTree(report));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "</script><script>broken()</script>",
                "<!-- <script>",
                "]]>",
                "&lt;/script&gt;",
                "</SCRIPT ><img src=x onerror=broken()>",
                "{{script}} {{json}} $0 $1 ${json}"
            })
    void noTextOfTheReportChangesThePageAroundIt(String text) {
        var report = JsonMapper.shared().createObjectNode().put(text, text).toString();

        var page = Page.of(report);

        assertThat(withoutBlock(page)).isEqualTo(withoutBlock(Page.of("{}")));
        assertThat(block(page)).doesNotContain("<", ">", "&");
        assertThat(JsonMapper.shared().readTree(block(page)).path(text).stringValue())
                .isEqualTo(text);
    }

    @Test
    void thePolicyAllowsTheScriptsAndStylesOfThePageAndNothingElse() throws NoSuchAlgorithmException {
        var page = Page.of("{}");

        var policy =
                all(page, "Content-Security-Policy\" content=\"([^\"]*)\"", 1).getFirst();
        var scripts = all(page, "<script(?: type=\"module\")?>(.*?)</script>", 1);
        var styles = all(page, "<style>(.*?)</style>", 1);
        assertThat(scripts).hasSize(2);
        assertThat(styles).hasSize(2);
        assertThat(policy.split("; "))
                .containsExactly(
                        "default-src 'none'",
                        "base-uri 'none'",
                        "form-action 'none'",
                        "script-src " + hash(scripts.get(0)) + " " + hash(scripts.get(1)),
                        "style-src " + hash(styles.get(0)) + " " + hash(styles.get(1)));
    }

    @Test
    void thePageCarriesTheLicenceOfItsChartLibrary() {
        var page = Page.of("{}");

        assertThat(page).contains("The MIT License (MIT)", "Copyright (c) 2022 Leon Sorokin");
    }

    @Test
    void whatIsNotJsonIsRefusedWithItsPlace() {
        assertThatExceptionOfType(LabException.class)
                .isThrownBy(() -> Page.of("{\n  \"results\": [}"))
                .withMessageStartingWith("the page cannot be made, the report is not JSON: line=2, column=")
                .withMessageEndingWith("Give a file that the lab wrote with --report.")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "null", "7", "\"{}\"", "{} {}", "{}<script>"})
    void whatIsNotOneObjectIsRefused(String text) {
        assertThatExceptionOfType(LabException.class)
                .isThrownBy(() -> Page.of(text))
                .withMessageStartingWith("the page cannot be made, the report is not ");
    }
}
