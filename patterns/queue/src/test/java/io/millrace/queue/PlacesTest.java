// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The number of jobs that a worker takes ahead. The clock of the test moves only when the test moves it. */
class PlacesTest {

    private static final int CONCURRENCY = 2;

    private long now = 1_000_000_000;
    private final Places<String> places = new Places<>(CONCURRENCY, Places.MAX_AHEAD, () -> now);

    /** The number of occupied places whose thread has not begun. */
    private int notBegun;

    @Test
    void workerTakesOnlyAsManyJobsAsPlacesAreFreeAtFirst() throws Exception {
        assertThat(places.awaitRoom()).isEqualTo(2);
        assertThat(admit(jobs(1), 2)).isEqualTo(1);
        TakenJob<String> first = begun();

        assertThat(places.awaitRoom()).isEqualTo(1);
        assertThat(admit(jobs(1), 1)).isEqualTo(1);
        TakenJob<String> second = begun();
        places.end(first);
        places.end(second);

        assertThat(places.awaitRoom()).isEqualTo(2);
    }

    @Test
    void shorterJobsThanAFetchDoubleTheJobsThatAreTakenAhead() throws Exception {
        assertThat(roomsWithShortJobs(14))
                .startsWith(2, 2, 4, 6, 10, 18)
                .endsWith(CONCURRENCY + Places.MAX_AHEAD, CONCURRENCY + Places.MAX_AHEAD);
    }

    @Test
    void jobsOfTheFirstFetchAreNotKnownToBeShort() throws Exception {
        admit(jobs(2), 2);
        doRest();

        assertThat(places.awaitRoom()).isEqualTo(CONCURRENCY);
    }

    @Test
    void jobThatRunsDuringAFetchLeavesTheNumberUnchanged() throws Exception {
        roomsWithShortJobs(5); // 2, 2, 4, 6, 10; now 16 are taken ahead
        admit(jobs(18), 18);
        TakenJob<String> running = begun();
        doRest();
        assertThat(places.awaitRoom()).isEqualTo(CONCURRENCY + 31);

        admit(jobs(33), 33);
        doRest();
        places.end(running);

        assertThat(places.awaitRoom()).isEqualTo(CONCURRENCY + 32);
    }

    @Test
    void fetchOfFewerJobsThanWantedEndsTheTakingAhead() throws Exception {
        roomsWithShortJobs(5);

        admit(jobs(3), 18);
        doRest();

        assertThat(places.awaitRoom()).isEqualTo(CONCURRENCY);
    }

    @Test
    void jobThatWaitsForMoreThanAMillisecondHalvesTheNumber() throws Exception {
        roomsWithShortJobs(5);
        admit(jobs(18), 18); // now 32 are taken ahead
        now += 1_000_001;
        doRest();

        assertThat(places.awaitRoom()).isEqualTo(CONCURRENCY + 16);
    }

    @Test
    void numberBelowTheNumberOfPlacesBecomesZero() throws Exception {
        roomsWithShortJobs(1);
        admit(jobs(2), 2); // now 2 are taken ahead
        now += 1_000_001;
        doRest();

        assertThat(places.awaitRoom()).isEqualTo(CONCURRENCY);
    }

    @Test
    void jobsAreFetchedWhenHalfOfThoseAheadHaveBegun() throws Exception {
        roomsWithShortJobs(5);
        admit(jobs(18), 18); // 16 have no place; now 32 are taken ahead
        TakenJob<String> first = begun();
        TakenJob<String> second = begun();

        assertThat(places.awaitRoom()).isEqualTo(16);
        admit(jobs(16), 16); // 32 have no place
        for (int job = 0; job < 16; job++) {
            first = next(first);
        }

        assertThat(places.awaitRoom()).isEqualTo(16);
        places.end(first);
        places.end(second);
    }

    @Test
    void jobsBehindLongJobsAreOverdueAfterTwentyMilliseconds() throws Exception {
        roomsWithShortJobs(5);
        admit(jobs(18), 18);
        begun();
        begun();
        admit(jobs(16), 16); // 32 have no place: no more room
        now += 19_999_999;
        assertThat(places.removeOverdue()).isEmpty();
        now += 1;

        assertThat(places.awaitRoom()).as("jobs are overdue").isZero();
        assertThat(places.haveJobsAhead()).isTrue();
        assertThat(places.removeOverdue())
                .hasSize(32)
                .first()
                .extracting(TakenJob::id)
                .isEqualTo("15");
        assertThat(places.haveJobsAhead()).isFalse();
        assertThat(places.removeOverdue()).isEmpty();
    }

    @Test
    void pauseEndsWhenJobsThatWereTakenAheadAreOverdue() throws Exception {
        roomsWithShortJobs(5);
        admit(jobs(18), 18);
        long start = System.nanoTime();

        places.pauseUntilOverdue(Duration.ofSeconds(60).toNanos());

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
        doRest();
    }

    @Test
    void pauseWithoutJobsThatWereTakenAheadIsNotShorter() throws Exception {
        admit(jobs(2), 2);
        now += 60_000_000_000L;
        Duration pause = Duration.ofMillis(30);
        long start = System.nanoTime();

        places.pauseUntilOverdue(pause.toNanos());

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(pause);
        doRest();
    }

    @Test
    void jobWhosePlaceHasNoProcessorYetIsNotOverdue() throws Exception {
        admit(jobs(2), 2);
        now += 60_000_000_000L;

        assertThat(places.removeOverdue()).isEmpty();
        assertThat(places.haveJobsAhead()).isFalse();
        assertThat(begun().id()).isEqualTo("0");
    }

    @Test
    void workerWithAnExecutorOfTheUserTakesNoJobsAhead() throws Exception {
        Places<String> withoutAhead = new Places<>(CONCURRENCY, 0, () -> now);

        for (int round = 0; round < 5; round++) {
            assertThat(withoutAhead.awaitRoom()).isEqualTo(CONCURRENCY);
            assertThat(withoutAhead.admit(jobs(2), 2)).isEqualTo(2);
            for (TakenJob<String> job : List.of(begun(withoutAhead), begun(withoutAhead))) {
                withoutAhead.end(job);
            }
        }
    }

    @Test
    void stoppedWorkerBeginsNoWaitingJob() throws Exception {
        admit(jobs(2), 2);
        TakenJob<String> running = begun();
        places.stop();

        assertThat(places.begin()).isNull();
        assertThat(places.next(running)).isNull();
        assertThat(places.awaitRoom()).isZero();
        assertThat(places.removeWaiting()).hasSize(1);
        places.awaitIdle(Duration.ofMinutes(1).toNanos());
    }

    @Test
    void threadThatCannotBeStartedFreesItsPlaceAndReturnsTheLastJob() throws Exception {
        admit(List.of(job("1", 0), job("2", 1)), 2);
        assertThat(places.holdsSuspect()).isTrue();

        assertThat(places.startFailed()).get().extracting(TakenJob::id).isEqualTo("2");
        assertThat(places.holdsSuspect()).isFalse();
        assertThat(begun().id()).isEqualTo("1");
        assertThat(places.awaitRoom()).isEqualTo(1);
    }

    /** Takes as many jobs as the worker may take, and does all of them before the next fetch. Returns the numbers of jobs. */
    private List<Integer> roomsWithShortJobs(int fetches) throws InterruptedException {
        List<Integer> rooms = new ArrayList<>();
        for (int fetch = 0; fetch < fetches; fetch++) {
            int room = places.awaitRoom();
            rooms.add(room);
            admit(jobs(room), room);
            doRest();
        }
        return rooms;
    }

    /** The threads of all places that have not begun do the waiting jobs, and end. */
    private void doRest() {
        for (; notBegun > 0; notBegun--) {
            TakenJob<String> job = places.begin();
            while (job != null) {
                job = places.next(job);
            }
        }
    }

    private int admit(List<TakenJob<String>> jobs, int room) {
        int threads = places.admit(jobs, room);
        notBegun += threads;
        return threads;
    }

    private TakenJob<String> begun() {
        notBegun--;
        return begun(places);
    }

    private static TakenJob<String> begun(Places<String> places) {
        return Objects.requireNonNull(places.begin());
    }

    private TakenJob<String> next(TakenJob<String> ended) {
        return Objects.requireNonNull(places.next(ended));
    }

    private static List<TakenJob<String>> jobs(int number) {
        return IntStream.range(0, number)
                .mapToObj(job -> job(Integer.toString(job), 0))
                .toList();
    }

    private static TakenJob<String> job(String id, int deaths) {
        return new TakenJob<>(id, 1, 0, deaths, Instant.EPOCH, () -> id);
    }
}
