// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.bitmap.Encoding;
import io.millrace.lab.TestServer;
import io.millrace.lab.library.BitByBit;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is right on a server, and in an answer, is accepted; the least that is wrong is not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BitmapChecksTest {

    private static final long IDS = 3_001;

    private final RedisServer server;

    BitmapChecksTest(@TempDir Path folder) {
        server = TestServer.start(folder);
    }

    @BeforeEach
    void empty() {
        server.reset();
    }

    @AfterAll
    void close() {
        server.close();
    }

    private Task task(WarmContender contender, long operations) {
        return new Task("any", contender.label(), operations, server.endpoint(), Map.of(), "");
    }

    private List<String> round(WarmContender contender, long operations) throws Exception {
        try (var rounds = contender.open(task(contender, operations))) {
            rounds.prepare();
            var unused = rounds.run();
            var figures = rounds.figures();
            assertThat(figures.values()).allMatch(figure -> figure > 0);
            return rounds.complaints();
        }
    }

    private void flip(String key, long offset) {
        server.control().setbit(key, offset, !server.control().getbit(key, offset));
    }

    @Test
    void aBitOfAPopulationThatIsNotWhatItShouldBeIsFound() throws Exception {
        var check = new StoredBits(false).check();

        var complaints = round(new PackedBits(), 20_001);

        assertThat(complaints).isEmpty();
        assertThat(check.complaints(server, 20_001)).isEmpty();
        flip(RandomBits.KEY, 20_000);
        assertThat(check.complaints(server, 20_001)).singleElement().asString().contains("differs=2500");
        server.control().del(RandomBits.KEY);
        assertThat(check.complaints(server, 20_001)).containsExactly("bytes: expected=2501, found=none");
    }

    @Test
    void bitsAreSetOneByOneByAllLibraries() throws Exception {
        var check = new StoredBits(false).check();
        for (var source : BitByBit.Source.all()) {
            server.reset();

            var complaints = round(new SetBits(source), 20_001);

            assertThat(complaints).as(source.name()).isEmpty();
            assertThat(check.complaints(server, 20_001)).as(source.name()).isEmpty();
            assertThat(server.statistics("setbit").complaints("setbit", 20_001)).isEmpty();
        }
    }

    @Test
    void aMarkTooManyInALoadedMonthIsFound() throws Exception {
        var check = new MonthLoad(false).check();

        var complaints = round(new LoadedMonth(), IDS);

        assertThat(complaints).isEmpty();
        assertThat(check.complaints(server, IDS)).isEmpty();
        flip(Month.key(29), IDS);
        assertThat(check.complaints(server, IDS)).containsExactly("bitmap of a day: wrong or missing, day=2026-11-30");
    }

    @ParameterizedTest
    @EnumSource
    void answersAreHeldAgainstThoseCountedIdById(Question question) throws Exception {
        var contender = new AskedActivity(question);
        new MonthQuestions(false).fill(server, IDS);

        var right = round(contender, IDS);
        Month.weeks().forEach(week -> flip(Month.key(Month.SPANS.indexOf(week.getFirst())), IDS)); // one more id
        var wrong = round(contender, IDS);

        assertThat(right).isEmpty();
        assertThat(wrong).singleElement().asString().startsWith(question.word() + ": wrong or missing");
    }

    @Test
    void aQuestionThatLeavesAKeyBehindIsFound() throws Exception {
        var check = new MonthQuestions(false).check();
        new MonthQuestions(false).fill(server, IDS);

        var complaints = new ArrayList<>(round(new AskedByHand(Question.EVERY_WEEK), IDS));
        complaints.addAll(round(new AskedByHand(Question.RETENTION), IDS));

        assertThat(complaints).isEmpty();
        assertThat(check.complaints(server, IDS)).isEmpty();
        server.control().set("left", "behind");
        assertThat(check.complaints(server, IDS)).containsExactly("keys: expected=30, found=31");
    }

    @ParameterizedTest
    @EnumSource
    void sparseIdsAreReadBackWithoutTheCodeThatWroteThem(Encoding encoding) throws Exception {
        var contender = new KeptIds(Shape.SPREAD, encoding);
        var check = new SparseIds(false).check(contender);

        var complaints = round(contender, 50);

        assertThat(complaints).isEmpty();
        assertThat(check.complaints(server, 50)).isEmpty();
        server.control().del(KeptIds.KEY.getBytes(StandardCharsets.UTF_8));
        server.control().del(KeptIds.KEY + ":chunks");
        assertThat(check.complaints(server, 50))
                .containsExactly("ids on the server: expected=50, found=0, and not the same");
    }
}
