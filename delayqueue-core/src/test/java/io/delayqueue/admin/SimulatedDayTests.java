package io.delayqueue.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * A simulated day of a topic whose messages are handled in a second each: one becomes due each second, and at 09:00 another 6,000
 * at once and 10 a second for half an hour. Pods with 8 handlers start within a minute, and are scaled as the horizontal pod
 * autoscaler does by default: each 15 s, by 4 pods or twice as many, and down to the most of the last five minutes.
 */
class SimulatedDayTests {

    private static final Instant MIDNIGHT = Instant.parse("2026-11-29T00:00:00Z");
    private static final Duration MEAN = Duration.ofSeconds(1);
    private static final Duration LATENESS = Duration.ofMinutes(1);
    private static final int START_SECONDS = 60;
    private static final int DAY_SECONDS = 86_400;
    private static final int PEAK = 9 * 3600;
    private static final int PEAK_SECONDS = 1800;
    private static final int BURST = 6000;
    private static final int PER_POD = 8;
    private static final int MAX_PODS = 50;
    private static final int SYNC_SECONDS = 15;
    private static final int SYNCS_BEFORE_SCALING_DOWN = 20;
    /** The lag at which an autoscaler keeps the number of pods. */
    private static final double TARGET_LAG_SECONDS = 30;

    /** Numbers of messages by the second at which they are due; nothing after the day. */
    private static final int[] DUE = due();

    private static int[] due() {
        int[] due = new int[2 * DAY_SECONDS];
        for (int second = 0; second < DAY_SECONDS; second++) {
            due[second] = second >= PEAK && second < PEAK + PEAK_SECONDS ? 11 : 1;
        }
        due[PEAK] += BURST;
        return due;
    }

    /** The topic at a second. */
    private static final class Topic {
        private int now;
        private int waiting;
        private int pods = 1;
        /** Seconds at which the waiting messages were due, each as often as there are messages. */
        private final Deque<int[]> queue = new ArrayDeque<>();

        int lag() {
            return queue.isEmpty() ? 0 : now - queue.getFirst()[0];
        }

        /** Lets messages become due, and as many as there are handlers start. Returns the greatest lateness of these. */
        int second(int handlers) {
            if (DUE[now] > 0) {
                queue.add(new int[] {now, DUE[now]});
                waiting += DUE[now];
            }
            int latest = 0;
            int free = handlers;
            while (free > 0 && !queue.isEmpty()) {
                int[] oldest = queue.getFirst();
                int started = Math.min(free, oldest[1]);
                latest = Math.max(latest, now - oldest[0]);
                free -= started;
                waiting -= started;
                oldest[1] -= started;
                if (oldest[1] == 0) {
                    queue.removeFirst();
                }
            }
            now++;
            return latest;
        }

        DueMessages count() {
            List<Upcoming> counts = HandlerForecasts.READINGS.stream()
                    .map(reading -> upcoming(reading.width(), reading.buckets()))
                    .toList();
            return HandlerForecasts.dueMessages(counts, Occurrences.NONE);
        }

        private Upcoming upcoming(Duration width, int buckets) {
            List<Long> counts = new ArrayList<>();
            int begin = now;
            for (int bucket = 0; bucket < buckets; bucket++) {
                int end = begin + (int) width.toSeconds();
                long count = 0;
                for (int second = begin; second < end; second++) {
                    count += DUE[second];
                }
                counts.add(count);
                begin = end;
            }
            return new Upcoming(MIDNIGHT.plusSeconds(now), width, waiting, counts, 1, null);
        }
    }

    /** Says how many pods there are to be. */
    private interface Scaling {
        int pods(Topic topic);
    }

    private static Scaling fixed(int pods) {
        return topic -> pods;
    }

    private static int byLag(Topic topic) {
        return (int) Math.ceil(topic.pods * topic.lag() / TARGET_LAG_SECONDS);
    }

    /** By a forecast that is made once a minute. */
    private static Scaling byForecast(Duration within) {
        int[] forecast = new int[1];
        return topic -> {
            if (topic.now % HandlerForecasts.INTERVAL.toSeconds() == 0) {
                int handlers = topic.count().most(within, MEAN, LATENESS, null).handlers();
                forecast[0] = (handlers + PER_POD - 1) / PER_POD;
            }
            return forecast[0];
        };
    }

    private record Day(int mostLate, long handlerHours) {

        String row(String scaling) {
            return String.format(Locale.ROOT, "| %s | %d s | %d |", scaling, mostLate, handlerHours);
        }
    }

    private static Day simulate(Scaling scaling, int podsAtMidnight) {
        Topic topic = new Topic();
        topic.pods = podsAtMidnight;
        int[] wanted = new int[SYNCS_BEFORE_SCALING_DOWN];
        Deque<int[]> starting = new ArrayDeque<>();
        int ready = podsAtMidnight;
        int mostLate = 0;
        long handlerSeconds = 0;
        while (topic.now < DAY_SECONDS) {
            if (topic.now % SYNC_SECONDS == 0) {
                wanted[topic.now / SYNC_SECONDS % wanted.length] = Math.max(1, scaling.pods(topic));
                int most = 0;
                for (int each : wanted) {
                    most = Math.max(most, each);
                }
                int next = Math.min(Math.min(MAX_PODS, most), Math.max(topic.pods + 4, 2 * topic.pods));
                if (next > topic.pods) {
                    starting.add(new int[] {topic.now + START_SECONDS, next - topic.pods});
                } else {
                    ready -= topic.pods - next;
                }
                topic.pods = next;
            }
            while (!starting.isEmpty() && starting.getFirst()[0] <= topic.now) {
                ready += starting.removeFirst()[1];
            }
            handlerSeconds += (long) topic.pods * PER_POD;
            mostLate = Math.max(mostLate, topic.second(Math.max(0, ready) * PER_POD));
        }
        assertThat(topic.waiting).isZero();
        return new Day(mostLate, Math.round(handlerSeconds / 3600.0));
    }

    @Test
    void scalingByForecastKeepsTheAgreedLateness() throws IOException {
        Day forecast = simulate(byForecast(HandlerForecasts.AHEAD), 1);
        Day fromNow = simulate(byForecast(Duration.ZERO), 1);
        Day lag = simulate(SimulatedDayTests::byLag, 1);
        Day fixed = simulate(fixed(2), 2);

        assertThat(forecast.mostLate()).isLessThanOrEqualTo((int) LATENESS.toSeconds() + START_SECONDS);
        assertThat(forecast.mostLate()).isLessThan(Math.min(lag.mostLate(), fixed.mostLate()));
        String page = Files.readString(Path.of("..", "docs", "scaling.md"), UTF_8);
        assertThat(page)
                .contains(String.join(
                        "\n",
                        forecast.row("the forecast"),
                        lag.row("the lag, with a target of 30 s"),
                        fixed.row("nothing: always 2 pods")));
        assertThat(Files.readString(Path.of("..", "docs", "adr", "0057-handlers-are-forecast.md"), UTF_8))
                .contains(
                        fromNow.mostLate() + " s late",
                        "with *s* up to five minutes ahead, " + forecast.mostLate() + " s");
    }
}
