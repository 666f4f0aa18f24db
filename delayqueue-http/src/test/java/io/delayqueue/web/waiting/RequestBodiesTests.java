package io.delayqueue.web.waiting;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.autoconfigure.property.HttpProperties;
import io.delayqueue.message.DurationText;
import io.delayqueue.web.waiting.IncomingBody.State;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.web.MockHttpServletRequest;

/** A client that sends bodies slowly holds few threads, each for a limited time. */
class RequestBodiesTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final Deque<SlowRequest> inner = new ArrayDeque<>();
    private long now;
    private final RequestBodies bodies =
            new RequestBodies(1000, TIMEOUT, 1, request -> ((SlowRequest) request)::state, () -> now, pause -> {
                now += pause;
                SlowRequest next = now < 2 * RequestBodies.SLOW_AFTER.toNanos() ? null : inner.poll();
                if (next != null) {
                    read(next);
                }
            });

    private @Nullable Exception nested;

    private void read(SlowRequest request) {
        try {
            bodies.read(request);
        } catch (IOException | SlowBodyException e) {
            nested = e;
        }
    }

    /** Sends a byte per interval, up to a number of bytes. */
    private final class SlowRequest extends MockHttpServletRequest {

        private final Duration interval;
        private final int length;
        private final boolean known;
        private final long begin = now;
        private int read;

        SlowRequest(int length, Duration interval, boolean known) {
            this.length = length;
            this.interval = interval;
            this.known = known;
        }

        private long arrived() {
            return interval.isZero() ? length : Math.min(length, (now - begin) / interval.toNanos());
        }

        State state() {
            if (!known) {
                return State.UNKNOWN;
            }
            return read < arrived() || read == length ? State.ARRIVED : State.AWAITED;
        }

        @Override
        public ServletInputStream getInputStream() {
            return new ServletInputStream() {

                @Override
                public int read() {
                    if (read == length) {
                        return -1;
                    }
                    if (read == arrived()) {
                        now = begin + (read + 1) * interval.toNanos(); // blocks
                    }
                    read++;
                    return 'x';
                }

                @Override
                public int read(byte[] bytes, int offset, int max) {
                    int next = read();
                    if (next >= 0) {
                        bytes[offset] = (byte) next;
                    }
                    return next < 0 ? -1 : 1;
                }

                @Override
                public boolean isFinished() {
                    return read == length;
                }

                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setReadListener(ReadListener listener) {
                    throw new UnsupportedOperationException();
                }
            };
        }
    }

    @Test
    void bodyThatDoesNotArriveInTimeIsRejected() {
        long begin = now;

        assertThatThrownBy(() -> bodies.read(new SlowRequest(900, Duration.ofSeconds(19), true)))
                .isInstanceOf(SlowBodyException.class)
                .hasMessage("The body did not arrive within 20 s (delayqueue.http.body-timeout). Nothing changed. Send"
                        + " smaller bodies, and each body at once.");
        assertThat(Duration.ofNanos(now - begin)).isEqualTo(TIMEOUT);
    }

    @Test
    void bodyOfManyPartsIsRejectedAfterTheSameTime() {
        long begin = now;

        assertThatThrownBy(() -> bodies.read(new SlowRequest(900, Duration.ofSeconds(1), true)))
                .isInstanceOf(SlowBodyException.class);
        assertThat(Duration.ofNanos(now - begin)).isEqualTo(TIMEOUT);
    }

    @Test
    void bodyWhoseReadBlocksIsRejectedAfterTheRead() {
        assertThatThrownBy(() -> bodies.read(new SlowRequest(900, Duration.ofSeconds(15), false)))
                .isInstanceOf(SlowBodyException.class);
        assertThat(Duration.ofNanos(now)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void bodyThatArrivesInTimeIsRead() throws IOException {
        assertThat(bodies.read(new SlowRequest(10, Duration.ofSeconds(1), true)))
                .isEqualTo("xxxxxxxxxx".getBytes(UTF_8));
        assertThat(bodies.read(new SlowRequest(10, Duration.ZERO, false))).isEqualTo("xxxxxxxxxx".getBytes(UTF_8));
        assertThat(bodies.read(new SlowRequest(1001, Duration.ZERO, true))).isNull();
    }

    @Test
    void slowBodiesOfAClientAreLimited() throws IOException {
        inner.add(new SlowRequest(900, Duration.ofSeconds(1), false));

        assertThat(bodies.read(new SlowRequest(5, Duration.ofSeconds(1), true))).hasSize(5);
        assertThat(nested)
                .hasMessageStartingWith(
                        "The body did not arrive at once, and 1 other bodies of client 'http' arrive slowly on this node"
                                + " (delayqueue.http.max-slow-bodies)");
    }

    @Test
    void endedBodiesDoNotCount() throws IOException {
        for (int i = 0; i < 3; i++) {
            assertThat(bodies.read(new SlowRequest(5, Duration.ofSeconds(1), true)))
                    .hasSize(5);
            read(new SlowRequest(900, Duration.ofSeconds(1), true));
            assertThat(nested).hasMessageContaining("delayqueue.http.body-timeout");
        }
    }

    @Test
    void fastBodiesDoNotCount() throws IOException {
        inner.add(new SlowRequest(900, Duration.ZERO, true));

        assertThat(bodies.read(new SlowRequest(5, Duration.ofSeconds(1), true))).hasSize(5);
        assertThat(nested).isNull();
    }

    @Test
    void manualHasTheLimits() throws IOException {
        HttpProperties defaults =
                new Binder(new MapConfigurationPropertySource()).bindOrCreate("delayqueue.http", HttpProperties.class);

        assertThat(Files.readString(Path.of("..", "docs", "http.md")))
                .contains(
                        "at most " + DurationText.of(defaults.bodyTimeout())
                                + " by default (`delayqueue.http.body-timeout`)",
                        "incomplete after " + DurationText.of(RequestBodies.SLOW_AFTER) + " is slow",
                        "have " + defaults.maxSlowBodies() + " slow bodies");
    }
}
